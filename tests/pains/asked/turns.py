"""Roles, instructions, and the order of turns."""

from __future__ import annotations

from functools import partial
from typing import Any

from proxai_ir import profiles

from .. import generate_content as gemini
from ..support import anthropic, chat, responses, text
from .row import ABSENT, ANTHROPIC, CHAT, GEMINI, RESPONSES, Asked, Refused

Json = Any
from_chat, from_messages = partial(Asked, src=CHAT), partial(Asked, src=ANTHROPIC)
from_responses = partial(Asked, src=RESPONSES)
HI = chat.user("Hi")
SYSTEM = {"role": "system", "content": "Be brief."}

ROWS: tuple[Asked, ...] = (
    from_messages(
        thread="charmbracelet/crush#279",
        seen="two messages of the user's in a row: roles must alternate",
        sent=anthropic.request(anthropic.user("reminder"), anthropic.user("hello")),
        gets={CHAT: {"/messages/#": 1, "/messages/0/role": "user"}},
        server=profiles.MISTRAL,
    ),
    from_responses(
        thread="peonist-ai/halogen-flash-server#32",
        seen="a server's template knows no developer",
        sent=responses.request({"role": "developer", "content": "Be brief."}, HI),
        gets={CHAT: {"/messages/0": SYSTEM}},
        server=profiles.COMPATIBLE_CHAT,
    ),
    from_responses(
        thread="router-for-me/CLIProxyAPI#3524",
        seen="developer is no role of Gemini's contents",
        sent=responses.request({"role": "developer", "content": "Be brief."}, HI, instructions="You are Codex."),
        gets={
            GEMINI: {
                "/systemInstruction/parts": [{"text": "You are Codex."}, {"text": "Be brief."}],
                "/contents": [gemini.user(gemini.text("Hi"))],
            }
        },
    ),
    from_chat(
        thread="langgenius/dify-official-plugins#2775",
        seen="only instructions are sent: contents are required",
        sent=chat.request(SYSTEM),
        gets={
            GEMINI: {"/contents": [gemini.user(gemini.text("Be brief."))], "/systemInstruction": ABSENT},
            ANTHROPIC: {"/messages": [anthropic.user("Be brief.")], "/system": ABSENT},
        },
        losses=("PLC-23",),
    ),
    from_chat(
        thread="songquanpeng/one-api#2243",
        seen="an empty instruction: required oneof field 'data' must have one initialized field",
        sent=chat.request({"role": "system", "content": ""}, HI),
        gets={GEMINI: {"/systemInstruction": ABSENT}, ANTHROPIC: {"/system": ABSENT}},
        rules=("PLC-13",),
    ),
    from_chat(
        thread="QuantumNous/new-api#1060",
        seen="an empty answer of the history: contents.parts must not be empty",
        sent=chat.request(HI, chat.assistant(""), chat.user("?")),
        gets={GEMINI: {"/contents/#": 2, "/contents/1/parts": [{"text": "?"}]}, ANTHROPIC: {"/messages/#": 2}},
        rules=("PLC-12",),
    ),
    from_chat(
        thread="infiniflow/ragflow#17449",
        seen="instructions are sent as the user's words although Gemini has a place for them",
        sent=chat.request(SYSTEM, HI),
        gets={
            GEMINI: {
                "/systemInstruction/parts": [{"text": "Be brief."}],
                "/contents": [gemini.user(gemini.text("Hi"))],
            },
        },
    ),
    from_chat(
        thread="tailcallhq/forgecode#1872",
        seen="final assistant content cannot end with trailing whitespace",
        sent={**chat.request(HI, chat.assistant("Sure: \n")), "model": "claude-sonnet-4-5"},
        gets={ANTHROPIC: {"/messages/1": anthropic.assistant("Sure:")}},
        losses=("PLC-16", "PLC-20"),
    ),
    from_chat(
        thread="anomalyco/opencode#47034",
        seen="requests ending with a model turn are not supported",
        sent=chat.request(HI, chat.assistant("Sure")),
        gets={
            GEMINI: {"/contents": [gemini.user(gemini.text("Hi"))]},
            ANTHROPIC: {"/messages": [anthropic.user("Hi")]},
        },
        losses=("PLC-19",),
    ),
    from_chat(
        thread="diegosouzapw/OmniRoute#13573",
        seen="a cut-off history begins with a call, which every Gemini refuses alike",
        sent=chat.request(chat.assistant(tool_calls=[chat.call("f")]), chat.result("ok")),
        gets={GEMINI: Refused("PLC-24", "/messages/0/tool_calls/0")},
        rules=("PLC-24",),
    ),
    from_messages(
        thread="farion1231/cc-switch#7252",
        seen="each new reminder among the turns costs the whole prompt cache",
        sent=anthropic.request(
            HI,
            anthropic.assistant("Yo"),
            anthropic.user("go"),
            {"role": "system", "content": "steer"},
            system="You are Claude Code.",
        ),
        gets={
            CHAT: {
                "/messages/0": {"role": "system", "content": "You are Claude Code."},
                "/messages/1": HI,
                "/messages/#": 4,
                "/messages/3/content": [text("go"), text("<system-reminder>\nsteer\n</system-reminder>")],
            },
            GEMINI: {"/systemInstruction/parts": [{"text": "You are Claude Code."}]},
        },
        losses=("PLC-25",),
        server=profiles.VLLM,
    ),
    from_chat(
        thread="epam/ai-dial-adapter-openai#511",
        seen="parts of the assistant's own text become input_text",
        sent=chat.request(HI, chat.assistant([text("Hello!")]), chat.user("Coffee, please")),
        gets={RESPONSES: {"/input/1": {"type": "message", "role": "assistant", "content": "Hello!"}}},
        hides=("input_text",),
    ),
    from_responses(
        thread="vllm-project/vllm#49130",
        seen="an answer without content in the history is a failure of the server",
        sent=responses.request(HI, responses.message(), responses.user("Why?")),
        gets={CHAT: {"/messages/#": 2}, ANTHROPIC: {"/messages/#": 2}, GEMINI: {"/contents/#": 2}},
        rules=("PLC-12",),
    ),
    from_responses(
        thread="openai/openai-agents-js#1524",
        seen="a refusal in the history reaches Claude as an empty message",
        sent=responses.request(HI, responses.message({"type": "refusal", "refusal": "No."}), responses.user("Why?")),
        gets={
            ANTHROPIC: {"/messages/1/content": [text("No.")]},
            CHAT: {"/messages/1": {"role": "assistant", "content": None, "refusal": "No."}},
            GEMINI: {"/contents/1": gemini.model(gemini.text("No."))},
        },
        losses=("REF-7",),
    ),
    from_messages(
        thread="cdaein/rename-screenshot#1",
        seen="cannot unmarshal array into field content of type string",
        sent=anthropic.request(anthropic.user([text("a"), text("b")]), system=[text("x"), text("y")]),
        gets={CHAT: {"/messages/0/content": "x\ny", "/messages/1/content": "a\nb"}},
        server=profiles.COMPATIBLE_CHAT,
    ),
)
