"""Requests by hand that put each capability, limit and rule of a server to the test, by their protocol and a name."""

from __future__ import annotations

from typing import Any

from .converted_gemini import OF_GEMINI

Json = Any

CHAT, RESPONSES, ANTHROPIC = "openai_chat_completions", "openai_responses", "anthropic_messages"

MARK = {"type": "ephemeral"}
OBJECT = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
UNION = {
    "type": "object",
    "properties": {
        "pet": {
            "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
            "discriminator": {"propertyName": "kind"},
        },
        "pair": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "minItems": 2},
        "name": {"type": "string", "minLength": 1},
    },
    "required": ["pet", "pair", "name"],
    "additionalProperties": False,
    "$defs": {
        "Cat": {"type": "object", "properties": {"kind": {"const": "cat"}}, "required": ["kind"]},
        "Dog": {"type": "object", "properties": {"kind": {"const": "dog"}}, "required": ["kind"]},
    },
}
PNG = "iVBORw0KGgo="
MARKDOWN = "IyBIZWFkaW5n"


def anthropic(*messages: Json, **more: Json) -> Json:
    return {"model": "m", "max_tokens": 512, "messages": [*messages], **more}


def chat(*messages: Json, **more: Json) -> Json:
    return {"model": "m", "messages": [*messages], **more}


def responses(*items: Json, **more: Json) -> Json:
    return {"model": "m", "input": [*items], **more}


def user(content: Json = "Hi") -> Json:
    return {"role": "user", "content": content}


def assistant(content: Json) -> Json:
    return {"role": "assistant", "content": content}


def use(identifier: str, **given: Json) -> Json:
    return {"type": "tool_use", "id": identifier, "name": "read", "input": given}


def result(identifier: str, content: Json = "ok", **more: Json) -> Json:
    return {"type": "tool_result", "tool_use_id": identifier, "content": content, **more}


READ = {"name": "read", "description": "Read a file.", "input_schema": OBJECT}
FUNCTION = {"type": "function", "name": "read", "description": "Read a file.", "parameters": OBJECT, "strict": False}
CHAT_READ = {"type": "function", "function": {"name": "read", "description": "Read a file.", "parameters": OBJECT}}
THOUGHT = {"type": "thinking", "thinking": "A file.", "signature": "c2ln"}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
CALL = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
RETURNED = {"role": "tool", "tool_call_id": "call_1", "content": "x"}
FORMAT = {"name": "pet", "schema": UNION}

REQUESTS: dict[str, tuple[str, Json]] = {
    "a coding agent with cache breakpoints": (
        ANTHROPIC,
        anthropic(
            user([{"type": "text", "text": "Fix it.", "cache_control": MARK}]),
            assistant(
                [THOUGHT, {"type": "text", "text": "I look."}, use("toolu_1", path="a"), use("toolu_2", path="b")]
            ),
            user([result("toolu_2"), result("toolu_1", [{"type": "text", "text": "no such file"}], is_error=True)]),
            system=[{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Act.", "cache_control": MARK}],
            tools=[READ, READ | {"name": "mcp__" + "server_" * 9 + "tool", "cache_control": MARK}],
            metadata={"user_id": "user_" + "0" * 145},
            thinking={"type": "enabled", "budget_tokens": 1024},
            temperature=1,
            stream=True,
        )
        | {"max_tokens": 2048},
    ),
    "a forced web search": (
        ANTHROPIC,
        anthropic(
            user("News?"),
            tools=[{"type": "web_search_20250305", "name": "web_search", "max_uses": 3}, READ],
            tool_choice={"type": "auto"},
        ),
    ),
    "a quota probe": (ANTHROPIC, anthropic(user("quota")) | {"max_tokens": 1}),
    "both samplings": (CHAT, chat(user(), temperature=0.3, top_p=0.9, stop=["a", "b"], user="someone")),
    "neutral sampling": (CHAT, chat(user(), temperature=1, top_p=1)),
    "a text document": (
        ANTHROPIC,
        anthropic(
            user(
                [
                    {
                        "type": "document",
                        "title": "Notes",
                        "source": {"type": "text", "media_type": "text/plain", "data": "One."},
                    },
                    {"type": "text", "text": "Sum up."},
                ]
            )
        ),
    ),
    "a markdown file": (
        RESPONSES,
        responses(
            user(
                [
                    {
                        "type": "input_file",
                        "filename": "a.md",
                        "file_data": f"data:text/markdown;base64,{MARKDOWN}",
                    },
                    {"type": "input_text", "text": "Sum up."},
                ]
            )
        ),
    ),
    "images in a tool's result": (
        ANTHROPIC,
        anthropic(
            user("Look."),
            assistant([use("toolu_1", path="a.png")]),
            user([result("toolu_1", [{"type": "text", "text": "an image"}, IMAGE])]),
            tools=[READ],
        ),
    ),
    "a tagged union as output": (
        CHAT,
        chat(user("A pet."), response_format={"type": "json_schema", "json_schema": FORMAT}),
    ),
    "the same of responses": (
        RESPONSES,
        responses(user("A pet."), text={"format": {"type": "json_schema", **FORMAT}}),
    ),
    "a response begun": (ANTHROPIC, anthropic(user("Name?"), assistant("My name is "))),
    "a response begun in chat": (CHAT, chat(user("Name?"), assistant("My name is"))),
    "instructions at the end": (
        CHAT,
        chat(user(), assistant("Hello."), {"role": "developer", "content": "Now be brief."}),
    ),
    "instructions in mid-conversation": (
        CHAT,
        chat(
            {"role": "system", "content": "Be brief."},
            {"role": "system", "content": "Be kind."},
            user(),
            {"role": "system", "content": "Answer in French."},
            assistant("Salut."),
            user(),
        ),
    ),
    "instructions after results": (
        ANTHROPIC,
        anthropic(
            user("Read."),
            assistant([use("toolu_1", path="a")]),
            user([result("toolu_1")]),
            {"role": "system", "content": "Plan mode is on."},
            tools=[READ | {"input_schema": {"type": "object", "properties": {"paths": {"type": "array"}}}}],
            temperature=1,
            top_p=1,
        ),
    ),
    "a task from another agent": (
        RESPONSES,
        responses(
            {
                "type": "agent_message",
                "author": "/root",
                "recipient": "/root/a",
                "content": [{"type": "encrypted_content", "encrypted_content": "Read it."}],
            },
            tools=[FUNCTION],
        ),
    ),
    "instructions alone": (CHAT, chat({"role": "system", "content": "You are a potato."})),
    "tools in chat": (
        CHAT,
        chat(
            {"role": "system", "content": "Be brief."},
            user([{"type": "text", "text": "Read."}, {"type": "image_url", "image_url": {"url": "https://a/b.png"}}]),
            {"role": "assistant", "content": "", "reasoning_content": "A file.", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "x"}]},
            tools=[CHAT_READ],
            tool_choice="required",
            parallel_tool_calls=False,
            max_completion_tokens=100,
            reasoning_effort="high",
        ),
    ),
    "alternatives of parameters": (
        ANTHROPIC,
        anthropic(user(), tools=[{**READ, "input_schema": {"type": "object", "anyOf": [OBJECT, {"required": ["a"]}]}}]),
    ),
    "reasoning alone": (
        ANTHROPIC,
        anthropic(
            user("Read."),
            assistant([THOUGHT]),
            user("Go on."),
        ),
    ),
    "an id that comes again": (
        CHAT,
        chat(
            user("Read."),
            *({"role": "assistant", "content": None, "tool_calls": [CALL]}, RETURNED),
            *({"role": "assistant", "content": None, "tool_calls": [CALL, CALL]}, RETURNED, RETURNED),
            tools=[CHAT_READ, CHAT_READ],
        ),
    ),
    "blocks and tools of Anthropic's in chat": (
        CHAT,
        chat(
            {"role": "user", "content": "Read.", "cache_control": {"type": "ephemeral"}},
            assistant([use("c1", path="a")]),
            user([result("c1"), {"type": "text", "text": "And b?"}]),
            tools=[{"name": "read", "input_schema": {"type": "OBJECT", "properties": {"path": {"type": "STRING"}}}}],
            tool_choice={"type": "any"},
        ),
    ),
    "reasoning without a seal": (
        RESPONSES,
        responses(
            user("Read."),
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "A file."}]},
            {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read", "arguments": '{"path": "a"}'},
            {"type": "function_call_output", "call_id": "call_1", "output": "x"},
            instructions="Be brief.",
            tools=[FUNCTION],
            metadata={"run": "1"},
            reasoning={"effort": "minimal"},
            store=False,
            prompt_cache_key="k",
        ),
    ),
    "a web search and a function": (
        RESPONSES,
        responses(user("News?"), tools=[{"type": "web_search"}, FUNCTION], include=["reasoning.encrypted_content"]),
    ),
    "late and interleaved outputs": (
        RESPONSES,
        responses(
            user("Read both."),
            {"type": "function_call", "call_id": "c1", "name": "read", "arguments": '{"path": "a"}'},
            {"type": "function_call", "call_id": "c2", "name": "read", "arguments": '{"path": "b"}'},
            {"type": "function_call_output", "call_id": "c2", "output": ""},
            {"type": "function_call_output", "call_id": "c1", "output": "x"},
            user("Go on."),
            tools=[FUNCTION],
        ),
    ),
    **OF_GEMINI,
}
