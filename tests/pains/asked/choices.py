"""Tool choices and parallel calls."""

from __future__ import annotations

from functools import partial

from .. import generate_content as gemini
from ..support import anthropic, chat
from .row import ABSENT, ANTHROPIC, CHAT, GEMINI, RESPONSES, Asked, Refused

from_chat, from_messages = partial(Asked, src=CHAT), partial(Asked, src=ANTHROPIC)
HI = chat.user("Hi")
TWO = [chat.tool("f"), chat.tool("h")]
ONE = [anthropic.tool("f")]
MODE = "/toolConfig/functionCallingConfig/mode"

ROWS: tuple[Asked, ...] = (
    from_chat(
        thread="dapr/dapr-agents#248",
        seen="tool_choice is only allowed when tools are specified",
        sent=chat.request(HI, tool_choice="auto"),
        gets={
            ANTHROPIC: {"/tool_choice": ABSENT},
            RESPONSES: {"/tool_choice": ABSENT},
            GEMINI: {"/toolConfig": ABSENT},
        },
        rules=("TUL-15",),
    ),
    from_chat(
        thread="raullenchai/Rapid-MLX#744",
        seen="a call is required, no tool is there, and the model chats",
        sent=chat.request(HI, tools=[], tool_choice="required"),
        gets=dict.fromkeys((ANTHROPIC, RESPONSES, GEMINI), Refused("TUL-11", "/tool_choice")),
        rules=("TUL-11",),
    ),
    from_chat(
        thread="kekzl/imp#1265",
        seen="the choice names a function that is not declared, and another one is called",
        sent=chat.request(HI, tools=TWO, tool_choice={"type": "function", "function": {"name": "none"}}),
        gets=dict.fromkeys((ANTHROPIC, RESPONSES, GEMINI), Refused("TUL-11", "/tool_choice/function/name")),
        rules=("TUL-11",),
    ),
    from_chat(
        thread="langchain-ai/langchainjs#10519",
        seen="required is taken for the name of a tool",
        sent=chat.request(HI, tools=TWO, tool_choice="required"),
        gets={ANTHROPIC: {"/tool_choice": {"type": "any"}}, RESPONSES: {"/tool_choice": "required"}},
    ),
    from_chat(
        thread="elastic/elasticsearch#152427",
        seen="Input tag 'function' does not match any of auto, any, tool, none",
        sent=chat.request(HI, tools=TWO, tool_choice={"type": "function", "function": {"name": "h"}}),
        gets={
            ANTHROPIC: {"/tool_choice": {"type": "tool", "name": "h"}},
            GEMINI: {MODE: "ANY", "/toolConfig/functionCallingConfig/allowedFunctionNames": ["h"]},
        },
    ),
    from_messages(
        thread="hivecommons/hive#1643",
        seen="the choice of one tool is not forwarded, and the call comes as prose",
        sent=anthropic.request(HI, tools=ONE, tool_choice={"type": "tool", "name": "f"}),
        gets={
            CHAT: {"/tool_choice": {"type": "function", "function": {"name": "f"}}},
            RESPONSES: {"/tool_choice": {"type": "function", "name": "f"}},
        },
    ),
    from_messages(
        thread="bitrouter/bitrouter#549",
        seen="the object of Anthropic's choice reaches a server that takes words",
        sent=anthropic.request(HI, tools=ONE, tool_choice={"type": "auto"}),
        gets={CHAT: {"/tool_choice": "auto"}, RESPONSES: {"/tool_choice": "auto"}, GEMINI: {MODE: "AUTO"}},
    ),
    from_messages(
        thread="Shelpuk-AI-Technology-Consulting/kitty-bridge#100",
        seen="none is not copied, and the agent gets a call that it forbade",
        sent=anthropic.request(HI, tools=ONE, tool_choice={"type": "none"}),
        gets={CHAT: {"/tool_choice": "none"}, RESPONSES: {"/tool_choice": "none"}, GEMINI: {MODE: "NONE"}},
    ),
    from_chat(
        thread="UKGovernmentBEIS/inspect_ai#176",
        seen="with the choice none the tools are left out, which a history with calls needs",
        sent=chat.request(
            HI, chat.assistant(tool_calls=[chat.call("f")]), chat.result("ok"), tools=TWO, tool_choice="none"
        ),
        gets={ANTHROPIC: {"/tool_choice": {"type": "none"}, "/tools/#": 2}, GEMINI: {MODE: "NONE"}},
    ),
    Asked(
        thread="achetronic/adk-utils-go#13",
        seen="the mode ANY is dropped towards Claude",
        src=GEMINI,
        sent=gemini.request(
            gemini.user(gemini.text("Hi")),
            tools=gemini.functions(gemini.function("f")),
            toolConfig={"functionCallingConfig": {"mode": "ANY"}},
        ),
        gets={ANTHROPIC: {"/tool_choice": {"type": "any"}}, CHAT: {"/tool_choice": "required"}},
    ),
    from_chat(
        thread="microsoft/agent-framework#5322",
        seen="a choice among some of the tools has a place in Gemini, too",
        sent=chat.request(
            HI,
            tools=TWO,
            tool_choice={
                "type": "allowed_tools",
                "allowed_tools": {"mode": "required", "tools": [{"type": "function", "function": {"name": "f"}}]},
            },
        ),
        gets={
            GEMINI: {MODE: "ANY", "/toolConfig/functionCallingConfig/allowedFunctionNames": ["f"]},
            ANTHROPIC: {"/tool_choice": {"type": "any"}, "/tools/#": 1},
        },
        losses=("TUL-12",),
    ),
    from_chat(
        thread="tghamm/Anthropic.SDK#169",
        seen="parallel calls cannot be switched off",
        sent=chat.request(HI, tools=TWO, parallel_tool_calls=False),
        gets={
            ANTHROPIC: {"/tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
            RESPONSES: {"/parallel_tool_calls": False},
        },
    ),
    from_chat(
        thread="Mirascope/mirascope#1308",
        seen="Google has no way to switch parallel calls off",
        sent=chat.request(HI, tools=TWO, parallel_tool_calls=False),
        gets={GEMINI: {"/toolConfig": ABSENT}},
        losses=("TUL-9",),
    ),
    from_messages(
        thread="dotnet/extensions#6827",
        seen="a setting of parallel calls without any tool fails",
        sent=anthropic.request(HI, tool_choice={"type": "auto", "disable_parallel_tool_use": True}),
        gets={
            CHAT: {"/parallel_tool_calls": ABSENT, "/tool_choice": ABSENT},
            RESPONSES: {"/parallel_tool_calls": ABSENT},
        },
        rules=("TUL-15",),
    ),
)
