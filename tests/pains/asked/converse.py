"""Requests to Amazon Bedrock's Converse: what its service checks before a model sees anything."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..support import anthropic, chat, text
from .row import ABSENT, ANTHROPIC, BEDROCK, CHAT, Asked

Json = Any
HI = chat.user("Hi")
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NOVA = "us.amazon.nova-lite-v1:0"
PDF = "JVBERi0xLjcK"
CALLED = chat.assistant(tool_calls=[chat.call("f")])
ANSWERED = (HI, CALLED, chat.result("ok"))
F = chat.tool("f")
NOTHING = {"type": "object", "properties": {}}
CALL_1 = {"toolUse": {"toolUseId": "call_1", "name": "f", "input": {}}}
LONG_ID = "fc/1|" + "x" * 70
SHORT_ID = "fc_1_" + "x" * 45 + "_c6ea1cfa"
SIGNED = {"type": "thinking", "thinking": "Hm", "signature": "s1"}
REDACTED = {"type": "redacted_thinking", "data": "secret"}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "Hm", "signature": "s1"}}}
HIDDEN = {"reasoningContent": {"redactedContent": "c2VjcmV0"}}
MARK = {"cache_control": {"type": "ephemeral"}}
POINT = {"cachePoint": {"type": "default"}}
EITHER = {"oneOf": [{"type": "object", "properties": {name: {"type": "string"}}} for name in "ab"]}
SCHEMA = "/toolConfig/tools/0/toolSpec/inputSchema/json"


def row(model: str = CLAUDE, *messages: Json, gets: Json, src: str = CHAT, sent: Json = None, **more: Any) -> Asked:
    """One request of a client of Chat Completions, or `sent`, to a model behind Converse."""
    made = {**(chat.request(*messages) if sent is None else sent), "model": model}
    return Asked(src=src, sent=made, gets={BEDROCK: gets}, **more)


claude, nova = partial(row, CLAUDE), partial(row, NOVA)


def with_tools(*tools: Json) -> Json:
    return chat.request(HI, tools=[*tools])


def renamed(to: Callable[..., Asked], filename: str, name: str, **told: str) -> Asked:
    """Return the case of a PDF whose file name becomes a name that the service takes (DOC-80)."""
    file = {"type": "file", "file": {"filename": filename, "file_data": f"data:application/pdf;base64,{PDF}"}}
    gets = {"/messages/0/content/0/document/name": name}
    return to(chat.user([file, text("?")]), gets=gets, rules=("DOC-80",), **told)


def shown(title: str) -> Json:
    """Claude's call of one tool, whose result has a PDF of this title."""
    source = {"type": "base64", "media_type": "application/pdf", "data": PDF}
    document = {"type": "document", "source": source, "title": title}
    return anthropic.request(
        HI,
        anthropic.assistant([anthropic.tool_use("f")]),
        anthropic.user([anthropic.tool_result([document, text("x")])]),
        tools=[{"name": "f", "input_schema": NOTHING}],
    )


def thought(*blocks: Json) -> Json:
    """Claude's call of one tool after these blocks, and its result."""
    return anthropic.request(
        HI,
        anthropic.assistant([*blocks, anthropic.tool_use("f")]),
        anthropic.user([anthropic.tool_result("ok")]),
        tools=[{"name": "f", "input_schema": NOTHING}],
    )


CONTENT: tuple[Asked, ...] = (
    claude(
        thread="langchain-ai/langchain#26968",
        seen="a call beside text that is blank: the content field is empty, or its text is",
        sent=chat.request(HI, chat.assistant(" \n", tool_calls=[chat.call("f")]), chat.result("ok"), tools=[F]),
        gets={"/messages/1/content": [CALL_1]},
        losses=("PLC-9",),
    ),
    claude(
        HI,
        chat.assistant("\n\n"),
        chat.user("what?"),
        thread="langchain-ai/langchain-aws#403",
        seen="the model answered with empty lines, which its own service refuses in the next request",
        gets={"/messages": [{"role": "user", "content": [{"text": "Hi"}, {"text": "what?"}]}]},
        losses=("PLC-9",),
    ),
    claude(
        thread="langchain-ai/langchainjs#11055",
        seen="an answer without content behind a result: add a ContentBlock object to the content field",
        sent=chat.request(*ANSWERED, chat.assistant(""), chat.user("next"), tools=[F]),
        gets={"/messages/#": 3, "/messages/2/content/1": {"text": "next"}},
        rules=("PLC-12",),
    ),
    claude(
        thread="pydantic/pydantic-ai#1678",
        seen="a tool that gives blank text ends the session: the text field is blank",
        sent=chat.request(HI, CALLED, chat.result(" "), tools=[F]),
        gets={"/messages/2/content/0/toolResult/content": [{"text": "The call returned nothing."}]},
        losses=("PLC-9",),
    ),
    claude(
        chat.user("a"),
        chat.user("b"),
        chat.assistant("c"),
        chat.assistant("d"),
        chat.user("e"),
        thread="langgenius/dify#9294",
        seen="roles must alternate between user and assistant",
        gets={"/messages/#": 3, "/messages/0/content": [{"text": "a"}, {"text": "b"}], "/messages/1/content/#": 2},
    ),
    claude(
        thread="RooCodeInc/Roo-Code#11238",
        seen="redacted thinking is not sent back: expected thinking, but found tool_use",
        src=ANTHROPIC,
        sent=thought(REDACTED),
        gets={"/messages/1/content": [HIDDEN, CALL_1]},
    ),
    claude(
        thread="spring-projects/spring-ai#6413",
        seen="signed thinking before a call is dropped, and the tool's result is refused",
        src=ANTHROPIC,
        sent=thought(SIGNED),
        gets={"/messages/1/content": [THOUGHT, CALL_1]},
    ),
)
DOCUMENTS: tuple[Asked, ...] = (
    renamed(
        claude,
        "John's report, #2.pdf",
        "John s report 2 pdf",
        thread="vercel/ai#20365",
        seen="the document file name can only contain alphanumeric characters and a few more",
    ),
    renamed(
        nova,
        "attachment.pdf",
        "attachment pdf",
        thread="simonw/llm-bedrock#8",
        seen="the dot of a usual file name is refused",
    ),
    renamed(
        claude,
        "a\u3000b.pdf",
        "a b pdf",
        thread="aws-samples/generative-ai-use-cases#1671",
        seen="an ideographic space counts as a space to the converter, and not to the service",
    ),
    renamed(
        claude,
        "slack-file://F0X",
        "slack-file F0X",
        thread="anomalyco/opencode#37535",
        seen="an address as a file's name stays in the history, and each request fails",
    ),
    claude(
        thread="archestra-ai/archestra#3978",
        seen="names within results are not looked at: two spaces in a row",
        src=ANTHROPIC,
        sent=shown("a  b"),
        gets={"/messages/2/content/0/toolResult/content/0/document/name": "a b"},
        rules=("DOC-80",),
    ),
    claude(
        thread="pydantic/pydantic-ai#3253",
        seen="a PDF of a tool stands in a turn after the result: tool_use without tool_result",
        src=ANTHROPIC,
        sent=shown("a"),
        gets={
            "/messages/#": 3,
            "/messages/2/content/#": 1,
            "/messages/2/content/0/toolResult/content": [
                {"document": {"format": "pdf", "name": "a", "source": {"bytes": PDF}}},
                {"text": "x"},
            ],
        },
    ),
)
CALLS: tuple[Asked, ...] = (
    claude(
        thread="run-llama/llama_index#22775",
        seen="toolUseId is too long, or has other characters than Bedrock takes",
        sent=chat.request(
            HI, chat.assistant(tool_calls=[chat.call("f", call_id=LONG_ID)]), chat.result("ok", LONG_ID), tools=[F]
        ),
        gets={
            "/messages/1/content/0/toolUse/toolUseId": SHORT_ID,
            "/messages/2/content/0/toolResult/toolUseId": SHORT_ID,
        },
        rules=("TUL-13",),
    ),
    claude(
        *ANSWERED,
        chat.user("Sum up."),
        thread="langgenius/dify#17545",
        seen="toolConfig must be defined where the history has calls: a request without tools is refused",
        gets={"/toolConfig/tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": NOTHING}}}]},
        losses=("TUL-62",),
    ),
    nova(
        thread="camel-ai/camel#3954",
        seen="each of two parallel results is a turn of its own",
        sent=chat.request(
            HI,
            chat.assistant(tool_calls=[chat.call("a", call_id="c1"), chat.call("b", call_id="c2")]),
            chat.result("A", "c1"),
            chat.result("B", "c2"),
            tools=[chat.tool("a"), chat.tool("b")],
        ),
        gets={"/messages/#": 3, "/messages/1/content/#": 2, "/messages/2/content/#": 2},
    ),
    claude(
        thread="archestra-ai/archestra#3706",
        seen="two names of MCP tools become one when what Bedrock refuses is replaced",
        sent=with_tools(chat.tool("a.b"), chat.tool("a/b")),
        gets={
            "/toolConfig/tools/0/toolSpec/name": "a_b_1eef715d",
            "/toolConfig/tools/1/toolSpec/name": "a_b_07f4401c",
        },
        rules=("TUL-26",),
    ),
    claude(
        thread="BerriAI/litellm#24668",
        seen="a tool without a name: toolSpec.name must match a pattern",
        sent=with_tools(chat.tool("")),
        gets={"/toolConfig/tools/0/toolSpec/name": "tool_00000000"},
        rules=("TUL-26",),
    ),
    claude(
        thread="BerriAI/litellm#19384",
        seen="an empty description: it must have a length of at least 1",
        sent=with_tools(chat.tool("f", description="")),
        gets={"/toolConfig/tools/0/toolSpec/description": ABSENT},
        rules=("ENV-7",),
    ),
)
SCHEMAS: tuple[Asked, ...] = (
    claude(
        thread="aaif-goose/goose#5064",
        seen="inputSchema.json.type must be object: an empty schema has none",
        sent=with_tools(chat.tool("f", parameters={})),
        gets={SCHEMA: NOTHING},
        rules=("SCH-2",),
    ),
    nova(
        thread="kirodotdev/Kiro#11026",
        seen="inputSchema.json.type must be object: this one may be null, too",
        sent=with_tools(chat.tool("f", parameters={"type": ["object", "null"], "properties": {}})),
        gets={SCHEMA: NOTHING},
        rules=("SCH-2",),
    ),
    claude(
        thread="earendil-works/pi#8279",
        seen="alternatives at the root have no type, which Bedrock wants",
        sent=with_tools(chat.tool("f", parameters=EITHER)),
        gets={SCHEMA: {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}},
        losses=("SCH-9",),
    ),
    claude(
        thread="aws/aws-sdk-php#2962",
        seen="a tool that takes nothing has no schema, and one is required",
        sent=with_tools({"type": "function", "function": {"name": "f"}}),
        gets={"/toolConfig/tools/0/toolSpec/inputSchema/json/type": "object"},
        rules=("SCH-2",),
    ),
)
BESIDES: tuple[Asked, ...] = (
    claude(
        thread="cline/cline#12928",
        seen="marks of Anthropic's are dropped, and every turn pays the full price",
        src=ANTHROPIC,
        sent=anthropic.request(anthropic.user([{**text("x"), **MARK}])),
        gets={"/messages/0/content": [{"text": "x"}, POINT], "/cache_control": ABSENT},
    ),
    claude(
        thread="zed-industries/zed#56474",
        seen="the system prompt has no cache point of its own",
        src=ANTHROPIC,
        sent=anthropic.request(HI, system=[{**text("S"), **MARK}]),
        gets={"/system": [{"text": "S"}, POINT]},
    ),
    claude(
        thread="BerriAI/litellm#7416",
        seen="a web interface's own member goes on: extraneous key [chat_id] is not permitted",
        sent={**chat.request(HI), "chat_id": "c1"},
        gets={"/messages/#": 1, "/additionalModelRequestFields": ABSENT},
        hides=("chat_id",),
        losses=("UNK-1",),
    ),
    claude(
        thread="BerriAI/litellm#13825",
        seen="a gateway's own member goes on to the model: guardrails: Extra inputs are not permitted",
        sent={**chat.request(HI), "guardrails": ["g"]},
        gets={"/messages/#": 1},
        hides=("guardrails",),
        losses=("MOD-1",),
    ),
)
ROWS = (*CONTENT, *DOCUMENTS, *CALLS, *SCHEMAS, *BESIDES)
