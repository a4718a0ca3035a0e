"""Efforts, budgets, and thinking in histories."""

from __future__ import annotations

from functools import partial
from typing import Any

from .. import generate_content as gemini
from ..support import anthropic, chat, responses, text
from .row import ABSENT, ANTHROPIC, CHAT, GEMINI, RESPONSES, Asked

Json = Any
from_chat, from_messages = partial(Asked, src=CHAT), partial(Asked, src=ANTHROPIC)
HI = chat.user("Hi")
REDACTED = {"type": "redacted_thinking", "data": "abc"}
SIGNED = {"type": "thinking", "thinking": "Hm", "signature": "s1"}


def asked(model: str, effort: str, **settings: Any) -> Json:
    return {**chat.request(HI, reasoning_effort=effort, **settings), "model": model}


def said(*content: Json) -> Json:
    """A conversation in which the assistant's turn has these blocks."""
    return anthropic.request(HI, anthropic.assistant([*content]), anthropic.user("?"))


ROWS: tuple[Asked, ...] = (
    from_chat(
        thread="tidyverse/ellmer#987",
        seen="an effort is ignored for Claude, whose newer models take one",
        sent=asked("claude-sonnet-4-6", "high"),
        gets={ANTHROPIC: {"/thinking": {"type": "adaptive"}, "/output_config": {"effort": "high"}}},
        rules=("RSN-14",),
    ),
    from_chat(
        thread="liuw1535/antigravity2api-nodejs#149",
        seen="max_tokens must be greater than thinking.budget_tokens",
        sent=asked("claude-sonnet-4-5", "high", max_completion_tokens=1000),
        gets={ANTHROPIC: {"/thinking": ABSENT, "/max_tokens": 1000}},
        losses=("RSN-18",),
    ),
    Asked(
        thread="griffinmartin/opencode-claude-auth#143",
        seen="the budget of a request is above its limit, and a lowered one below the least",
        src=GEMINI,
        sent=gemini.request(
            gemini.user(gemini.text("Hi")),
            model="claude-sonnet-4-5",
            generationConfig={"maxOutputTokens": 1000, "thinkingConfig": {"thinkingBudget": 8000}},
        ),
        gets={ANTHROPIC: {"/thinking": ABSENT, "/max_tokens": 1000}},
        losses=("RSN-18",),
    ),
    from_chat(
        thread="vybestack/llxprt-code#1330",
        seen="the effort is thrown away, and Gemini 3 thinks as it likes",
        sent=asked("gemini-3.1-pro-preview", "high"),
        gets={GEMINI: {"/generationConfig/thinkingConfig": {"thinkingLevel": "HIGH"}}},
    ),
    from_chat(
        thread="juspay/neurolink#1707",
        seen="a level is an error before Gemini 3, which takes budgets",
        sent=asked("gemini-2.5-flash", "low"),
        gets={GEMINI: {"/generationConfig/thinkingConfig": {"thinkingBudget": 1024}}},
        losses=("RSN-21",),
    ),
    from_messages(
        thread="icebear0828/codex-proxy#744",
        seen="Claude Code's effort max is no effort of Chat Completions",
        sent={
            **anthropic.request(HI, thinking={"type": "adaptive"}, output_config={"effort": "max"}),
            "model": "gpt-5.6",
        },
        gets={CHAT: {"/reasoning_effort": "xhigh"}, RESPONSES: {"/reasoning/effort": "max"}},
        losses=("RSN-23",),
    ),
    from_messages(
        thread="mdegans/drama_llama#114",
        seen="a budget is accepted and read by nobody",
        sent={**anthropic.request(HI, thinking={"type": "enabled", "budget_tokens": 4000}), "model": "gpt-5"},
        gets={CHAT: {"/reasoning_effort": "medium"}, RESPONSES: {"/reasoning/effort": "medium"}},
        losses=("RSN-3",),
    ),
    from_messages(
        thread="router-for-me/CLIProxyAPI#1768",
        seen="a kind of thinking that Anthropic does not have",
        sent=anthropic.request(HI, thinking={"type": "auto"}),
        gets={CHAT: {"/reasoning_effort": ABSENT, "/messages": [HI]}},
        losses=("UNK-4",),
    ),
    from_chat(
        thread="mnfst/modelparams.dev#214",
        seen="temperature may only be 1 where thinking is enabled",
        sent=asked("claude-opus-4-6", "high", temperature=0.2),
        gets={ANTHROPIC: {"/temperature": 0.2, "/thinking": ABSENT}},
        losses=("RSN-13",),
    ),
    from_chat(
        thread="maximhq/bifrost#5094",
        seen="redacted thinking is lost on its way through another protocol",
        sent=chat.request(HI, chat.assistant("Yo", thinking_blocks=[REDACTED, SIGNED]), chat.user("?")),
        gets={ANTHROPIC: {"/messages/1/content": [REDACTED, SIGNED, text("Yo")]}},
    ),
    from_messages(
        thread="router-for-me/CLIProxyAPI#2723",
        seen="redacted thinking reaches another vendor as thinking without text",
        sent=said(REDACTED, text("Yo")),
        gets={
            CHAT: {"/messages/1": chat.assistant("Yo")},
            GEMINI: {"/contents/1/parts": [{"text": "Yo"}]},
            RESPONSES: {"/input/#": 3, "/input/1/content": "Yo"},
        },
        hides=("abc", "reasoning"),
        rules=("RSN-26",),
    ),
    from_messages(
        thread="openclaw/openclaw#35121",
        seen="thinking is stripped from a forked session, its redacted blocks are not",
        sent=said(REDACTED),
        gets={CHAT: {"/messages/#": 2}, RESPONSES: {"/input/#": 2}, GEMINI: {"/contents/#": 2}},
        hides=("abc",),
        rules=("RSN-26",),
    ),
    Asked(
        thread="eclipse-theia/theia#17905",
        seen="thinking that was cut off has no signature, and the next request is refused",
        src=RESPONSES,
        sent=responses.request(
            HI,
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm"}]},
            responses.message(responses.output_text("Yo")),
            responses.user("?"),
        ),
        gets={ANTHROPIC: {"/messages/1": anthropic.assistant("Yo")}},
        hides=("Hm",),
        losses=("RSN-5",),
    ),
    from_chat(
        thread="Wei-Shaw/sub2api#6632",
        seen="reasoning is wrapped in tags and sent as the assistant's own words",
        sent=chat.request(
            HI,
            chat.assistant("", reasoning_content="Hm", tool_calls=[chat.call("f")]),
            chat.result("ok"),
        ),
        gets={RESPONSES: {"/input/1/type": "function_call", "/input/2/type": "function_call_output"}},
        hides=("Hm", "<thinking>"),
        losses=("RSN-5",),
    ),
    from_chat(
        thread="anomalyco/opencode#3077",
        seen="thinking is enabled and the last turn begins with a call: expected thinking",
        sent=asked("claude-sonnet-4-5", "high")
        | {"messages": [HI, chat.assistant(tool_calls=[chat.call("f")]), chat.result("ok")], "tools": [chat.tool("f")]},
        gets={ANTHROPIC: {"/thinking": ABSENT, "/messages/1/content": [anthropic.tool_use("f")]}},
        losses=("RSN-18",),
    ),
)
