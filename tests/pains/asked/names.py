"""Names of tools and of participants, and ids of calls."""

from __future__ import annotations

from functools import partial
from typing import Any

from proxai_ir import profiles

from .. import generate_content as gemini
from ..support import anthropic, chat
from .row import ABSENT, ANTHROPIC, CHAT, GEMINI, RESPONSES, Asked

Json = Any
from_chat, from_messages = partial(Asked, src=CHAT), partial(Asked, src=ANTHROPIC)
HI = chat.user("Hi")
MCP = "codex_mcp__codex_apps__google_calendar.search_events_exec-0123456789abcdef0123456789abcdef0123"
THOUGHT = "call_9__thought__" + "QUJD" * 30


def called(call_id: str) -> Json:
    """A history with one call of this id and its result."""
    return chat.request(HI, chat.assistant(tool_calls=[chat.call("f", call_id=call_id)]), chat.result("ok", call_id))


ROWS: tuple[Asked, ...] = (
    from_chat(
        thread="diegosouzapw/OmniRoute#13715",
        seen="a tool's name begins with a digit, and Gemini refuses all",
        sent=chat.request(HI, tools=[chat.tool("1c_reload")]),
        gets={
            GEMINI: {"/tools/0/functionDeclarations/0/name": "_1c_reload_47c091cf"},
            ANTHROPIC: {"/tools/0/name": "1c_reload"},
        },
        rules=("TUL-26",),
    ),
    from_chat(
        thread="kaitranntt/ccs#25",
        seen="a tool's name has characters that no vendor takes",
        sent=chat.request(HI, tools=[chat.tool("a b:c.d/e")]),
        gets={
            GEMINI: {"/tools/0/functionDeclarations/0/name": "a_b_c_d_e_13ca81ce"},
            ANTHROPIC: {"/tools/0/name": "a_b_c_d_e_13ca81ce"},
            RESPONSES: {"/tools/0/name": "a_b_c_d_e_13ca81ce"},
        },
        rules=("TUL-26",),
    ),
    from_chat(
        thread="maximhq/bifrost#5097",
        seen="Kimi's ids of calls fail Anthropic's pattern after a change of the model",
        sent=called("functions.Bash:0|x"),
        gets={
            ANTHROPIC: {
                "/messages/1/content/0/id": "functions_Bash_0_x_259efb57",
                "/messages/2/content/0/tool_use_id": "functions_Bash_0_x_259efb57",
            },
            GEMINI: {"/contents/1/parts/0/functionCall/id": "functions.Bash:0|x"},
        },
        rules=("TUL-13",),
    ),
    from_chat(
        thread="anomalyco/opencode#1279",
        seen="the id of a stored call is empty",
        sent=called(""),
        gets={
            ANTHROPIC: {"/messages/1/content/0/id": "call_1", "/messages/2/content/0/tool_use_id": "call_1"},
            RESPONSES: {"/input/1/call_id": "call_1", "/input/2/call_id": "call_1"},
        },
        rules=("TUL-13",),
    ),
    from_chat(
        thread="decolua/9router#393",
        seen="call_id is longer than 64 characters",
        sent=called(MCP),
        gets={
            RESPONSES: {
                "/input/1/call_id": "codex_mcp__codex_apps__google_calendar.search_events_ex_33b4a070",
                "/input/2/call_id": "codex_mcp__codex_apps__google_calendar.search_events_ex_33b4a070",
            }
        },
        rules=("TUL-13",),
    ),
    from_chat(
        thread="tingly-dev/tingly-box#1445",
        seen="the id of the call stands as the id of the item, which must begin with fc",
        sent=called("call_123"),
        gets={RESPONSES: {"/input/1/id": ABSENT, "/input/1/call_id": "call_123"}},
    ),
    from_messages(
        thread="nearai/ironclaw#1241",
        seen="Mistral takes ids of nine letters and digits only",
        sent=anthropic.request(
            HI,
            anthropic.assistant([anthropic.tool_use("f", call_id="turn1_0")]),
            anthropic.user([anthropic.tool_result("ok", "turn1_0")]),
        ),
        gets={CHAT: {"/messages/1/tool_calls/0/id": "3b4b74d5b", "/messages/2/tool_call_id": "3b4b74d5b"}},
        rules=("TUL-13",),
        server=profiles.MISTRAL,
    ),
    Asked(
        thread="router-for-me/CLIProxyAPI#3878",
        seen="results are paired by their order although calls have ids",
        src=GEMINI,
        sent=gemini.request(
            gemini.user(gemini.text("Hi")),
            gemini.model(gemini.call("a", {}, id="x1"), gemini.call("b", {}, id="x2")),
            gemini.user(gemini.result("b", {"output": "B"}, id="x2"), gemini.result("a", {"output": "A"}, id="x1")),
        ),
        gets={
            ANTHROPIC: {
                "/messages/2/content/0": anthropic.tool_result("B", "x2"),
                "/messages/2/content/1": anthropic.tool_result("A", "x1"),
            },
            CHAT: {"/messages/2": chat.result("B", "x2"), "/messages/3": chat.result("A", "x1")},
        },
    ),
    from_chat(
        thread="jekalmin/extended_openai_conversation#251",
        seen="a participant's name fails the pattern of names",
        sent=chat.request({"role": "user", "name": "Jon at home", "content": "Hi"}),
        gets={
            ANTHROPIC: {"/messages/0": {"role": "user", "content": "Hi"}},
            RESPONSES: {"/input/0/name": ABSENT},
            GEMINI: {"/contents/0/parts": [{"text": "Hi"}]},
        },
        losses=("USR-4",),
    ),
)
