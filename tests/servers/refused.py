"""For every check of every model of a server a request that it refuses: what differs from a plain one."""

from __future__ import annotations

from typing import Any

from .refused_gemini import OF_GEMINI

Json = Any

CHAT: Json = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
RESPONSES: Json = {"model": "m", "input": [{"role": "user", "content": "Hi"}]}
ANTHROPIC: Json = {"model": "m", "max_tokens": 2048, "messages": [{"role": "user", "content": "Hi"}]}

USER = {"role": "user", "content": "Hi"}
OPEN_OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}
EITHER = {"type": "object", "anyOf": [OPEN_OBJECT]}


def function(name: str = "f", parameters: Json = OPEN_OBJECT, **more: Json) -> Json:
    return {"type": "function", "function": {"name": name, "parameters": parameters, **more}}


def part(**of: Json) -> Json:
    return {"messages": [{"role": "user", "content": [of]}]}


def call(name: str = "f", arguments: str = "{}", identifier: str = "c12345678") -> Json:
    called = {"id": identifier, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [called]}


def result(identifier: str = "c12345678") -> Json:
    return {"role": "tool", "tool_call_id": identifier, "content": "1"}


def schema(of: Json, **more: Json) -> Json:
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": of, **more}}}


CUSTOM = {"tools": [{"type": "custom", "custom": {"name": "c"}}]}
ALLOWED = {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}}
DEVELOPER = {"messages": [{"role": "developer", "content": "Be brief."}, USER]}
MARKED = part(type="text", text="Hi", prompt_cache_breakpoint={"mode": "explicit"})

OF_CHAT: dict[str, Json] = {
    "no_messages": {"messages": []},
    "unpaired": {"messages": [USER, call(), USER]},
    "empty_message": {"messages": [{"role": "user", "content": None}]},
    "tool_name": {"tools": [function("a b")]},
    "repeated_tool": {"tools": [function(), function()]},
    "parameters": {"tools": [function(parameters={"type": "string"})]},
    "empty_tools": {"tools": []},
    "choice_without_tool": {"tool_choice": "auto"},
    "parallel_without_tools": {"parallel_tool_calls": True},
    "arguments": {"messages": [USER, call(arguments="{"), result()]},
    "out_of_range": {"temperature": 3},
    "too_many_stops": {"stop": ["a", "b", "c", "d", "e"]},
    "stream_options": {"stream_options": {"include_usage": True}},
    "top_logprobs": {"top_logprobs": 2},
}
OPENAI_CHAT = OF_CHAT | {
    "unknown_parameter": {"reasoning": {"effort": "low"}},
    "role_or_part": part(type="document_url", document_url="https://a/b.pdf"),
    "refusal_among_texts": {
        "messages": [
            {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "b"}]}
        ]
    },
    "call_id": {"messages": [USER, call(identifier="c" * 65), result("c" * 65)]},
    "image": part(type="image_url", image_url={"url": "data:image/tiff;base64,AAAA"}),
    "file": part(type="file", file={"filename": "a.md", "file_data": "data:text/markdown;base64,AAAA"}),
    "audio_format": part(type="input_audio", input_audio={"data": "AAAA", "format": "ogg"}),
    "function_schema": {"tools": [function(parameters=EITHER)]},
    "strict_schema": schema(OPEN_OBJECT, strict=True),
    "format_name": {"response_format": {"type": "json_schema", "json_schema": {"name": "a b", "schema": {}}}},
    "web_search_options": {"web_search_options": {}},
    "metadata_without_store": {"metadata": {"a": "b"}},
    "metadata_size": {"metadata": {"a" * 65: "b"}, "store": True},
    "end_user": {"safety_identifier": "a" * 129},
    "effort": {"reasoning_effort": "ultra"},
    "older_limit": {"max_tokens": 20},
}
OF_COMPATIBLE = {"custom_tool": CUSTOM, "choice": {"tools": [function()], "tool_choice": ALLOWED}, "role": DEVELOPER}
LATER = {"first_system": {"messages": [USER, {"role": "system", "content": "Be brief."}]}}
FILE = part(type="file", file={"file_id": "file-1"})

OF_RESPONSES: dict[str, Json] = {
    "unknown_parameter": {"messages": []},
    "no_input": {"input": []},
    "role_or_part": {"input": [{"role": "assistant", "content": [{"type": "input_text", "text": "a"}]}]},
    "empty_message": {"input": [{"role": "user", "content": []}]},
    "unpaired": {"input": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]},
    "call_id": {"input": [{"type": "function_call", "call_id": "c" * 65, "name": "f", "arguments": "{}"}]},
    "item_id": {"input": [{"type": "message", "id": "x", "role": "user", "content": "Hi"}]},
    "bare_reasoning": {"input": [{"type": "reasoning", "summary": []}]},
    "encrypted_content": {"input": [{"type": "reasoning", "summary": [], "encrypted_content": "a.b"}]},
    "too_few_tokens": {"max_output_tokens": 1},
    "out_of_range": {"top_p": 2},
    "tool_name": {"tools": [{"type": "function", "name": "a b", "parameters": OPEN_OBJECT}]},
    "function_schema": {"tools": [{"type": "function", "name": "f", "parameters": EITHER}]},
    "strict_schema": {"text": {"format": {"type": "json_schema", "name": "a b", "schema": {}}}},
    "choice_without_tool": {"tool_choice": {"type": "function", "name": "f"}},
    "image": {"input": [{"role": "user", "content": [{"type": "input_image", "detail": "auto"}]}]},
    "file": {"input": [{"role": "user", "content": [{"type": "input_file", "file_data": "AAAA"}]}]},
    "sizes": {"safety_identifier": "a" * 129},
    "effort": {"reasoning": {"effort": "ultra"}},
    "stream_options": {"stream_options": {"include_obfuscation": False}},
}


def turns(*contents: Json) -> Json:
    roles = ("user", "assistant") * 5
    return {"messages": [{"role": role, "content": one} for role, one in zip(roles, contents, strict=False)]}


def tool(of: Json = OPEN_OBJECT, name: str = "f", **more: Json) -> Json:
    return {"name": name, "input_schema": of, **more}


USE = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
TEXT = {"type": "text", "text": "a"}
DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}}
OF_ANTHROPIC: dict[str, Json] = {
    "extra_inputs": {"seed": 1},
    "beta_header": {"mcp_servers": []},
    "required": {"max_tokens": None},
    "role": {"messages": [{"role": "system", "content": "Be brief."}]},
    "empty_text": turns([{"type": "text", "text": " "}]),
    "empty_message": turns("a", "", "b"),
    "prefill": turns("a", "b"),
    "unpaired": turns("a", [USE], "b"),
    "identifier": turns("a", [{**USE, "id": "a b"}], [{"type": "tool_result", "tool_use_id": "a b"}]),
    "repeated_tool": {"tools": [tool(), tool()]},
    "input_schema": {"tools": [tool(EITHER)]},
    "enforced_schema": {"output_config": {"format": {"type": "json_schema", "schema": OPEN_OBJECT}}},
    "choice": {"tool_choice": {"type": "auto"}},
    "thinking": {"thinking": {"type": "enabled", "budget_tokens": 4096}},
    "signature": turns("a", [{"type": "thinking", "thinking": "b", "signature": ""}], "c"),
    "cache_control": turns([TEXT | {"cache_control": {"type": "ephemeral"}}] * 5),
    "media": turns([{"type": "image", "source": {"type": "base64", "media_type": "image/tiff", "data": "AAAA"}}]),
    "out_of_range": {"temperature": 1.5},
    "citations": turns([DOCUMENT | {"citations": {"enabled": True}}, DOCUMENT]),
}

REFUSED: dict[str, tuple[Json, dict[str, Json]]] = {
    "openai_chat": (CHAT, OPENAI_CHAT),
    "openai_chat_before_5_6": (CHAT, OPENAI_CHAT | {"cache_breakpoint": MARKED}),
    "compatible_chat": (
        CHAT,
        OF_CHAT
        | OF_COMPATIBLE
        | LATER
        | {
            "extension": {"max_completion_tokens": 20},
            "content_array": {"messages": [{"role": "system", "content": [TEXT]}, USER]},
            "part": FILE,
        },
    ),
    "mistral": (
        CHAT,
        {name: of for name, of in OF_CHAT.items() if name != "empty_message"}
        | OF_COMPATIBLE
        | {
            "extra_forbidden": {"seed": 1},
            "call_id": {"messages": [USER, call(identifier="call_1"), result("call_1")]},
            "last_role": {"messages": [USER, {"role": "assistant", "content": "a"}]},
            "role_order": {"messages": [USER, call(), result(), USER]},
            "empty_assistant": {"messages": [USER, {"role": "assistant", "content": ""}, USER]},
            "part": part(type="file_url", file_url={}),
            "tier": {"service_tier": "flex"},
        },
    ),
    "deepseek": (
        CHAT,
        OF_CHAT
        | OF_COMPATIBLE
        | {"part": part(type="image_url", image_url={"url": "https://a/b.png"}), "response_format": schema({})},
    ),
    "vllm": (
        CHAT,
        {**OF_CHAT, "custom_tool": CUSTOM, "choice": OF_COMPATIBLE["choice"]}
        | LATER
        | {"part": FILE, "response_format": {"response_format": {"type": "grammar"}}},
    ),
    "openai_responses": (RESPONSES, OF_RESPONSES),
    "openai_responses_before_5_6": (
        RESPONSES,
        OF_RESPONSES | {"cache_breakpoint": {"prompt_cache_options": {"ttl": "30m"}}},
    ),
    "anthropic_2023_06_01": (
        ANTHROPIC,
        OF_ANTHROPIC | {"both_samplings": {"temperature": 0.5, "top_p": 0.5}, "version": {}},
    ),
    "anthropic_2026_10_21": (
        ANTHROPIC,
        OF_ANTHROPIC
        | {
            "sampling": {"temperature": 1},
            "assistant_document": turns("a", [DOCUMENT], "b"),
            "user_citations": turns([TEXT | {"citations": [{}]}]),
            "version": {},
        },
    ),
    **OF_GEMINI,
}
