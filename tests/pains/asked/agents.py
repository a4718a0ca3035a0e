"""What agents send of their own: Codex's items, Claude Code's tools, Gemini CLI's turns."""

from __future__ import annotations

from functools import partial
from typing import Any

from .. import generate_content as gemini
from ..support import anthropic, chat, responses, text
from .row import ABSENT, ANTHROPIC, CHAT, GEMINI, RESPONSES, Asked, Refused

Json = Any
from_messages, from_responses = partial(Asked, src=ANTHROPIC), partial(Asked, src=RESPONSES)
from_gemini = partial(Asked, src=GEMINI)
HI = chat.user("Hi")
request = partial(responses.request, model="m")
NO_PARAMETERS = {"type": "object", "properties": {}}
EXEC = {
    "type": "custom",
    "name": "exec",
    "description": "Runs code",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: /.+/"},
}
CALENDAR = {
    "type": "namespace",
    "name": "cal",
    "description": "c",
    "tools": [{"type": "function", "name": "list", "parameters": NO_PARAMETERS}],
}


def given(*tools: Json) -> Json:
    """How current Codex declares its tools."""
    return {"type": "additional_tools", "role": "developer", "tools": [*tools]}


SEARCH = {"type": "web_search_20250305", "name": "web_search", "max_uses": 8}
INPUT = {"input": {"type": "string"}}

ROWS: tuple[Asked, ...] = (
    from_responses(
        thread="NVIDIA-NeMo/Switchyard#515",
        seen="Codex's only tool, a custom one in an item, never reaches the model, which writes the call as prose",
        sent=request(given(EXEC), HI),
        gets={
            CHAT: {
                "/tools/0/function/name": "exec",
                "/tools/0/function/parameters/properties": INPUT,
                "/messages": [HI],
            },
            ANTHROPIC: {"/tools/0/name": "exec", "/tools/0/input_schema/properties": INPUT, "/messages/#": 1},
            GEMINI: {"/tools/0/functionDeclarations/0/name": "exec", "/contents/#": 1},
        },
        rules=("TUL-19", "TUL-25"),
        losses=("TUL-20",),
    ),
    from_responses(
        thread="router-for-me/CLIProxyAPI#4798",
        seen="tools of an item of the input are lost towards Claude, and the agent stops after one sentence",
        sent=request(given({"type": "function", "name": "exec_command", "parameters": NO_PARAMETERS}), HI),
        gets={
            ANTHROPIC: {"/tools/#": 1, "/tools/0/name": "exec_command"},
            GEMINI: {"/tools/0/functionDeclarations/0/name": "exec_command"},
        },
        rules=("TUL-25",),
    ),
    from_responses(
        thread="SaladDay/cc-switch-cli#466",
        seen="a namespace within the item of tools is dropped",
        sent=request(given(CALENDAR), HI),
        gets={
            CHAT: {"/tools/0/function/name": "cal__list"},
            ANTHROPIC: {"/tools/0/name": "cal__list"},
            GEMINI: {"/tools/0/functionDeclarations/0/name": "cal__list"},
        },
        rules=("TUL-25",),
    ),
    from_responses(
        thread="router-for-me/CLIProxyAPI#5482",
        seen="calls of custom tools and their outputs are missing from the history",
        sent=request(
            given(EXEC),
            HI,
            {"type": "custom_tool_call", "call_id": "c1", "name": "exec", "input": "pwd"},
            {"type": "custom_tool_call_output", "call_id": "c1", "output": "/x"},
        ),
        gets={
            CHAT: {
                "/messages/1/tool_calls/0": chat.call("exec", '{"input":"pwd"}', "c1"),
                "/messages/2": chat.result("/x", "c1"),
            },
            ANTHROPIC: {
                "/messages/1/content": [anthropic.tool_use("exec", {"input": "pwd"}, "c1")],
                "/messages/2/content": [anthropic.tool_result("/x", "c1")],
            },
        },
        rules=("TUL-19",),
        losses=("TUL-20",),
    ),
    from_responses(
        thread="devswha/chatmux#102",
        seen="the output of a custom tool comes in parts, and their JSON is shown",
        sent=request(
            given(EXEC),
            HI,
            {"type": "custom_tool_call", "call_id": "c1", "name": "exec", "input": "pwd"},
            {"type": "custom_tool_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "done"}]},
        ),
        gets={
            CHAT: {"/messages/2/content": "done"},
            ANTHROPIC: {"/messages/2/content/0/content": "done"},
        },
        hides=("input_text",),
        losses=("TUL-20",),
    ),
    from_responses(
        thread="router-for-me/CLIProxyAPI#1077",
        seen="functions and Google's search stand in one object, of which one kind is allowed",
        sent=request(HI, tools=[responses.tool("add"), {"type": "web_search"}]),
        gets={
            GEMINI: {
                "/tools/#": 2,
                "/tools/0/googleSearch": ABSENT,
                "/tools/0/functionDeclarations/0/name": "add",
                "/tools/1": {"googleSearch": {}},
            }
        },
    ),
    from_responses(
        thread="router-for-me/CLIProxyAPI#5516",
        seen="a compacted history is replayed, and only OpenAI can read its summary",
        sent=request(HI, {"type": "compaction", "encrypted_content": "gAAAAx"}, responses.user("?")),
        gets=dict.fromkeys((ANTHROPIC, GEMINI, CHAT), Refused("R2A-3", "/input/1")),
        rules=("R2A-3",),
    ),
    from_messages(
        thread="nguyenphutrong/quotio#529",
        seen="tools that Claude Code loads when it needs them, and the search for them",
        sent=anthropic.request(
            HI,
            tools=[
                anthropic.tool("Task", defer_loading=True),
                {"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"},
            ],
        ),
        gets={
            CHAT: {"/tools/#": 1, "/tools/0/function/name": "Task"},
            GEMINI: {"/tools/0/functionDeclarations/0/name": "Task", "/tools/0/functionDeclarations/#": 1},
        },
        hides=("defer_loading", "tool_search"),
        rules=("TUL-28", "TUL-38"),
    ),
    from_messages(
        thread="badrisnarayanan/antigravity-claude-proxy#356",
        seen="Claude Code's search through a proxy whose models have Google's",
        sent=anthropic.request(HI, tools=[SEARCH]),
        gets={
            RESPONSES: {"/tools": [{"type": "web_search"}], "/max_tool_calls": 8},
            GEMINI: {"/tools": [{"googleSearch": {}}]},
        },
        losses=("TUL-9",),
    ),
    from_messages(
        thread="anthropics/claude-code#64383",
        seen="the advice of a tool that only Anthropic runs stands in the history",
        sent=anthropic.request(
            HI,
            anthropic.assistant(
                [
                    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "advisor", "input": {}},
                    {
                        "type": "advisor_tool_result",
                        "tool_use_id": "srvtoolu_1",
                        "content": {"type": "advisor_result", "text": "Do X"},
                    },
                    text("Yo"),
                ]
            ),
            anthropic.user("?"),
        ),
        gets={RESPONSES: {"/input/#": 3, "/input/1/content": "Yo"}, CHAT: {"/messages/1": chat.assistant("Yo")}},
        hides=("srvtoolu_1",),
        losses=("TUL-6",),
    ),
    from_gemini(
        thread="juspay/neurolink#1468",
        seen="Gemini CLI's request at another vendor's door",
        sent=gemini.request(
            gemini.user(gemini.text("Hi"), gemini.text("ctx")),
            systemInstruction={"role": "user", "parts": [{"text": "You are Gemini CLI."}]},
            tools=gemini.functions(gemini.function("read", NO_PARAMETERS)),
            generationConfig={"thinkingConfig": {"includeThoughts": True, "thinkingBudget": -1}},
        ),
        gets={
            CHAT: {
                "/messages/0": {"role": "system", "content": "You are Gemini CLI."},
                "/messages/1": chat.user([text("Hi"), text("ctx")]),
                "/tools/0/function/name": "read",
            },
            ANTHROPIC: {"/system": "You are Gemini CLI.", "/tools/0/input_schema": NO_PARAMETERS},
        },
    ),
    from_gemini(
        thread="BenedictKing/claude-proxy#16",
        seen="a call of Gemini CLI's, whose signature is Google's, through a proxy",
        sent=gemini.request(
            gemini.user(gemini.text("Hi")),
            gemini.model(gemini.call("search_file_content", {}, "c2ln")),
            gemini.user(gemini.result("search_file_content", {"error": "boom"})),
        ),
        gets={
            ANTHROPIC: {"/messages/2/content/0/content": "boom", "/messages/2/content/0/is_error": True},
            CHAT: {"/messages/2/content": '{"error":"boom"}'},
        },
        hides=("c2ln",),
        rules=("RSN-26",),
    ),
    from_messages(
        thread="router-for-me/CLIProxyAPI#2098",
        seen="Claude Code's calls have no signature, which Gemini demands of the first",
        sent=anthropic.request(
            HI,
            anthropic.assistant([anthropic.tool_use("Bash", {"command": "ls"})]),
            anthropic.user([anthropic.tool_result("a")]),
        ),
        gets={GEMINI: {"/contents/1/parts/0/thoughtSignature": "skip_thought_signature_validator"}},
        rules=("RSN-22",),
    ),
)
