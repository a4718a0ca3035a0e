"""Findings from recordings of the newer protocols and from the tests of peers: one conversion each."""

from __future__ import annotations

from .case import (
    ABSENT,
    ANSWERED,
    CLAUDE,
    FOUND,
    FUNCTION,
    HI,
    LLAMA,
    MCP,
    NOTHING,
    NOVA_2,
    PAGE,
    SONNET_4_5,
    THOUGHT,
    TOOL,
    A,
    B,
    C,
    Case,
    G,
    H,
    I,
    Json,
    O,
    R,
    Refused,
    answer,
    chat,
    claude,
    cohere,
    converse,
    recording,
    step,
)

ASKED = {"role": "user", "parts": [{"text": "Hi"}]}
WARM = {"temperature": 0.4, "topK": 20, "thinkingConfig": {"thinkingBudget": 2000}}
SPAN = {"start_index": 0, "end_index": 1}
SPACED: tuple[Json, ...] = (
    {"reasoningContent": {"reasoningText": {"text": "a", "signature": "c2ln"}}},
    {"text": ""},
    {"reasoningContent": {"reasoningText": {"text": "b", "signature": "c2ln"}}},
    {"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}},
)
OF_MANY = {"type": "array", "maxItems": 3, "items": {"type": "object", "properties": {}}}
SCHEMA = {
    "type": "json_schema",
    "json_schema": {"name": "n", "schema": {"type": "object", "properties": {"a": OF_MANY}}},
}

NEWER = (
    *(
        Case(
            of="newer 3",
            src=I,
            dst=C,
            sent=recording(mime),
            gets={"/messages/0/content/0/input_audio/format": word},
        )
        for mime, word in (("audio/mpeg", "mp3"), ("audio/x-wav", "wav"))
    ),
    *(
        Case(of="newer 3", src=I, dst=C, sent=recording(mime), gets=Refused("SRC-3", "/input/0"))
        for mime in ("audio/ogg", "audio/flac", "audio/aac", "audio/aiff", "audio/opus")
    ),
    Case(
        of="newer 4",
        src=I,
        dst=H,
        sent={
            "model": "m",
            "input": [{"type": "user_input", "content": [{"type": "text", "text": "q", "annotations": [PAGE]}]}],
        },
        gets={"/messages/0/content": "q"},
        losses=("CIT-1",),
    ),
    Case(
        of="newer 7",
        src=C,
        dst=I,
        sent=answer({"content": "Hi"}, "weird"),
        gets={"/status": "completed"},
        losses=("FIN-7",),
        kind="response",
    ),
    *(
        Case(
            of="newer 8",
            src=B,
            dst=dst,
            sent=converse({"text": "Hi"}, stop="guardrail_intervened"),
            gets={},
            losses=("STS-3",),
            kind="response",
        )
        for dst in (C, R, G, A, H, O, I)
    ),
    Case(
        of="newer 8",
        src=H,
        dst=C,
        sent=cohere("STOP_SEQUENCE"),
        gets={"/choices/0/finish_reason": "stop"},
        losses=("STS-3",),
        kind="response",
    ),
    Case(
        of="newer 9",
        src=C,
        dst=H,
        sent=chat(
            {
                "role": "user",
                "content": [{"type": "image_url", "image_url": {"url": "https://example.com/a", "detail": "original"}}],
            }
        ),
        gets={"/messages/0/content/0/image_url": {"url": "https://example.com/a"}},
        losses=("IMG-1",),
    ),
    *(
        Case(
            of="newer 10",
            src=I,
            dst=dst,
            sent=step(
                {"type": "function_call", "id": "c1", "name": "s", "arguments": {}},
                {"type": "function_result", "call_id": "c1", "name": "s", "result": [FOUND]},
            ),
            gets={pointer: "g"},
            rules=("TUL-72", "TUL-42"),
        )
        for dst, pointer in ((A, "/tools/0/name"), (C, "/tools/0/function/name"))
    ),
    Case(
        of="newer 10",
        src=I,
        dst=A,
        sent={"model": "m", "input": "Hi", "tools": [{"type": "mcp_server"}]},
        gets={"/mcp_servers": ABSENT},
        losses=("TUL-6",),
    ),
)
PEERS = (
    *(
        Case(
            of="peers_tests 28",
            src=src,
            dst=G,
            sent=sent,
            gets={"/contents/2/parts/0/functionResponse/response": {"output": '{"schema":{"$ref":"#/$defs/A"}}'}},
        )
        for src, sent in (
            (C, chat(*ANSWERED, {"role": "tool", "tool_call_id": "c1", "content": '{"schema":{"$ref":"#/$defs/A"}}'})),
            (
                B,
                {
                    "messages": [
                        {"role": "user", "content": [{"text": "Hi"}]},
                        {
                            "role": "assistant",
                            "content": [{"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}],
                        },
                        {
                            "role": "user",
                            "content": [
                                {
                                    "toolResult": {
                                        "toolUseId": "t1",
                                        "content": [{"json": {"schema": {"$ref": "#/$defs/A"}}}],
                                    }
                                }
                            ],
                        },
                    ]
                },
            ),
            (
                I,
                step(
                    {"type": "function_call", "id": "c1", "name": "f", "arguments": {}},
                    {
                        "type": "function_result",
                        "call_id": "c1",
                        "name": "f",
                        "result": {"schema": {"$ref": "#/$defs/A"}},
                    },
                ),
            ),
        )
    ),
    Case(
        of="peers_tests 9",
        src=A,
        dst=B,
        model="us.writer.palmyra-x5-v1:0",
        sent=claude(
            HI,
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True}],
            },
            tools=[TOOL],
        ),
        gets={"/messages/2/content/0/toolResult/status": ABSENT},
        losses=("TUL-4",),
    ),
    *(
        Case(
            of="peers_tests 11",
            src=I,
            dst=dst,
            sent=step(
                {"type": "function_call", "id": "c1", "name": "f", "arguments": {}},
                {
                    "type": "user_input",
                    "content": [
                        {
                            "type": "function_result",
                            "call_id": "c1",
                            "name": "f",
                            "result": [{"type": "text", "text": "1"}],
                        }
                    ],
                },
                tools=[{"type": "function", "name": "f", "parameters": NOTHING}],
            ),
            gets={pointer: "1"},
        )
        for dst, pointer in (
            (A, "/messages/2/content/0/content"),
            (G, "/contents/2/parts/0/functionResponse/response/output"),
            (C, "/messages/2/content"),
        )
    ),
    *(
        Case(
            of="peers_tests 12",
            src=G,
            dst=I,
            sent={"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "tools": [given]},
            gets={"/tools": [made]},
        )
        for given, made in (
            (
                {"fileSearch": {"fileSearchStoreNames": ["fileSearchStores/a"]}},
                {"type": "file_search", "file_search_store_names": ["fileSearchStores/a"]},
            ),
            ({"googleMaps": {}}, {"type": "google_maps"}),
            (
                {"computerUse": {"environment": "ENVIRONMENT_BROWSER"}},
                {"type": "computer_use", "environment": "browser"},
            ),
            (
                {"googleSearch": {"searchTypes": {"webSearch": {}, "imageSearch": {}}}},
                {"type": "google_search", "search_types": ["web_search", "image_search"]},
            ),
        )
    ),
    Case(
        of="peers_tests 12",
        src=I,
        dst=G,
        sent={"model": "m", "input": "Hi", "response_format": [{"type": "image", "aspect_ratio": "16:9"}]},
        gets={
            "/generationConfig/responseModalities": ["IMAGE"],
            "/generationConfig/imageConfig": {"aspectRatio": "16:9"},
        },
    ),
    *(
        Case(
            of="peers_tests 13",
            src=R,
            dst=dst,
            sent={
                "model": "m",
                "input": "Hi",
                "tools": [{**MCP, "headers": {"X-Team": "t"}, "authorization": "secret"}],
            },
            gets={pointer: {"X-Team": "t", "Authorization": "Bearer secret"}},
        )
        for dst, pointer in (
            (I, "/tools/0/headers"),
            (G, "/tools/0/mcpServers/0/streamableHttpTransport/headers"),
        )
    ),
    Case(
        of="peers_tests 14",
        src=A,
        dst=O,
        sent=claude(
            HI,
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t1",
                        "content": [
                            {"type": "text", "text": "1"},
                            {
                                "type": "image",
                                "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
                            },
                        ],
                    }
                ],
            },
            tools=[TOOL],
        ),
        gets={"/messages/#": 3, "/messages/2/content": "1", "/messages/2/images": ["iVBORw0KGgo="]},
    ),
    Case(
        of="peers_tests 16",
        src=A,
        dst=B,
        model=SONNET_4_5,
        sent=claude(tools=[{"type": "bash_20250124", "name": "bash"}, TOOL]),
        gets={
            "/toolConfig/tools/#": 1,
            "/additionalModelRequestFields/tools": [{"type": "bash_20250124", "name": "bash"}],
        },
    ),
    *(
        Case(
            of="peers_tests 16",
            src=C,
            dst=B,
            model=model,
            sent=chat(tools=[FUNCTION], parallel_tool_calls=False),
            gets={"/additionalModelRequestFields": fields},
            losses=losses,
        )
        for model, fields, losses in (
            (SONNET_4_5, {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}, ()),
            (LLAMA, ABSENT, ("TUL-9",)),
        )
    ),
    *(
        Case(
            of="peers_tests 17",
            src=C,
            dst=dst,
            model=model,
            sent=chat(tools=[FUNCTION], tool_choice="required", reasoning_effort="high"),
            gets={pointer: choice},
            losses=losses,
        )
        for dst, model, pointer, choice, losses in (
            (B, CLAUDE, "/toolConfig/toolChoice", {"auto": {}}, ("TUL-68",)),
            (A, "claude-opus-4-6", "/tool_choice", {"type": "any"}, ()),
            (A, "claude-opus-4-8", "/tool_choice", {"type": "any"}, ()),
        )
    ),
    *(
        Case(
            of="peers_tests 17",
            src=C,
            dst=B,
            model=CLAUDE,
            sent=chat(tools=[FUNCTION], tool_choice="required", **asked),
            gets={"/toolConfig/toolChoice": {"any": {}}},
        )
        for asked in ({}, {"reasoning_effort": "none"})
    ),
    Case(
        of="peers_tests 17",
        src=A,
        dst=B,
        model=SONNET_4_5,
        sent=claude(
            max_tokens=4000,
            tools=[TOOL],
            tool_choice={"type": "any"},
            thinking={"type": "enabled", "budget_tokens": 2000},
        ),
        gets={"/toolConfig/toolChoice": {"any": {}}, "/additionalModelRequestFields": ABSENT},
        losses=("RSN-18",),
    ),
    Case(
        of="peers_tests 24",
        src=H,
        dst=C,
        sent=cohere(usage={"billed_units": {"input_tokens": 5, "output_tokens": 2}}),
        gets={"/usage/prompt_tokens": 5, "/usage/completion_tokens": 2},
        kind="response",
    ),
    Case(
        of="peers_tests 24",
        src=C,
        dst=H,
        sent=chat(
            tools=[FUNCTION, {"type": "function", "function": {"name": "g", "parameters": NOTHING}}],
            tool_choice={"type": "function", "function": {"name": "f"}},
        ),
        gets={"/tools/#": 1, "/tools/0/function/name": "f", "/tool_choice": "REQUIRED"},
        losses=("TUL-12",),
    ),
    Case(
        of="peers_tests 24",
        src=C,
        dst=B,
        sent=chat(metadata={"ok": "yes", "long": "x" * 300}),
        gets={"/requestMetadata": {"ok": "yes"}},
        rules=("USR-3",),
    ),
    Case(
        of="peers_tests 25",
        src=C,
        dst=O,
        sent=chat(reasoning_effort="xhigh"),
        gets={"/think": "max"},
        losses=("RSN-23",),
    ),
    Case(
        of="peers_tests 25",
        src=C,
        dst=B,
        sent=chat(tools=[{"type": "function", "function": {"name": "f", "description": " \n", "parameters": NOTHING}}]),
        gets={"/toolConfig/tools/0/toolSpec": {"name": "f", "inputSchema": {"json": NOTHING}}},
        rules=("ENV-7",),
    ),
    Case(
        of="peers_tests 25",
        src=H,
        dst=A,
        sent=cohere("TIMEOUT"),
        gets={"/error/type": "timeout_error"},
        losses=("ERR-2",),
        kind="response",
    ),
)
FAMILIES = (
    Case(
        of="peers_tests 2",
        src=C,
        dst=B,
        model=CLAUDE,
        sent=chat(temperature=0.7, top_p=0.9),
        gets={"/inferenceConfig": {"temperature": 0.7}},
        losses=("SMP-8",),
    ),
    Case(
        of="peers_tests 3",
        src=C,
        dst=B,
        model=CLAUDE,
        sent=chat(temperature=0.7, reasoning_effort="high"),
        gets={"/inferenceConfig/temperature": 0.7, "/additionalModelRequestFields": ABSENT},
        losses=("RSN-13",),
    ),
    Case(
        of="peers_tests 3",
        src=G,
        dst=B,
        model=SONNET_4_5,
        sent={"contents": [ASKED], "generationConfig": WARM},
        gets={
            "/inferenceConfig": {"maxTokens": 6096},
            "/additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 2000}},
        },
        losses=("RSN-20",),
    ),
    Case(
        of="peers_tests 3",
        src=G,
        dst=B,
        model=SONNET_4_5,
        sent={
            "contents": [
                ASKED,
                {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}, "id": "c1"}}]},
                {
                    "role": "user",
                    "parts": [{"functionResponse": {"name": "f", "id": "c1", "response": {"output": "1"}}}],
                },
            ],
            "tools": [{"functionDeclarations": [{"name": "f"}]}],
            "generationConfig": WARM,
        },
        gets={"/inferenceConfig": {"temperature": 0.4}, "/additionalModelRequestFields": {"top_k": 20}},
        losses=("RSN-18",),
    ),
    Case(
        of="peers_tests 4",
        src=C,
        dst=B,
        model=CLAUDE,
        sent=chat(
            tools=[
                {
                    "type": "function",
                    "function": {
                        "name": "f",
                        "strict": True,
                        "parameters": {
                            "type": "object",
                            "properties": {"a": {"type": "integer", "minimum": 1}},
                            "required": ["a"],
                            "additionalProperties": False,
                        },
                    },
                }
            ]
        ),
        gets={"/toolConfig/tools/0/toolSpec/strict": ABSENT},
        losses=("SCH-1",),
    ),
    Case(
        of="peers_tests 4",
        src=C,
        dst=B,
        model=CLAUDE,
        sent=chat(response_format=SCHEMA),
        gets={
            "/outputConfig/textFormat/structure/jsonSchema/schema": (
                '{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{},'
                '"additionalProperties":false},"description":"{\\"maxItems\\": 3}"}},"additionalProperties":false}'
            )
        },
        rules=("SCH-6",),
        losses=("SCH-7",),
    ),
    *(
        Case(
            of="peers_tests 4",
            src=C,
            dst=B,
            model=model,
            sent=chat(response_format=SCHEMA),
            gets={"/outputConfig": ABSENT},
            losses=("OUT-15",),
        )
        for model in ("us.anthropic.claude-3-7-sonnet-20250219-v1:0", "us.amazon.nova-pro-v1:0", LLAMA, "xai.grok-4-6")
    ),
    Case(
        of="peers_tests 5",
        src=B,
        dst=A,
        sent=converse(*SPACED),
        gets={"/content/1": {"type": "text", "text": ""}, "/content/#": 4},
        kind="response",
    ),
    Case(
        of="peers_tests 5",
        src=A,
        dst=B,
        model=SONNET_4_5,
        sent=claude(
            HI,
            {
                "role": "assistant",
                "content": [
                    THOUGHT,
                    {"type": "text", "text": ""},
                    {"type": "thinking", "thinking": "b", "signature": "c2ln"},
                    {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "1"}]},
            tools=[TOOL],
        ),
        gets={"/messages/1/content/#": 4, "/messages/1/content/1": {"text": ""}},
    ),
    Case(
        of="peers_tests 6, threads_clouds F6",
        src=C,
        dst=B,
        model=NOVA_2,
        sent=chat(reasoning_effort="high", temperature=0.2, max_completion_tokens=500),
        gets={
            "/inferenceConfig": ABSENT,
            "/additionalModelRequestFields": {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}},
        },
        losses=("RSN-20", "SMP-3"),
    ),
    Case(
        of="peers_tests 9, threads_clouds F6",
        src=C,
        dst=B,
        model="us.deepseek.r1-v1:0",
        sent=chat(tools=[FUNCTION]),
        gets=Refused("TUL-67", "/tools/0"),
    ),
    Case(
        of="peers_tests 10",
        src=C,
        dst=B,
        model="mistral.mistral-large-2407-v1:0",
        sent=chat(*ANSWERED, {"role": "tool", "tool_call_id": "c1", "content": "1"}, tools=[FUNCTION]),
        gets={"/messages/1/content/0/toolUse/toolUseId": "d0f631ca1"},
        rules=("TUL-13",),
    ),
    *(
        Case(
            of="peers_tests 12",
            src=I,
            dst=C,
            sent={
                "id": "i",
                "object": "interaction",
                "model": "m",
                "status": "completed",
                "steps": [
                    {
                        "type": "model_output",
                        "content": [{"type": "text", "text": "Hi", "annotations": [{**cited, **SPAN}]}],
                    }
                ],
            },
            gets={"/choices/0/message/annotations/0/url_citation": {**made, **SPAN}},
            kind="response",
        )
        for cited, made in (
            (
                {"type": "file_citation", "document_uri": "https://example.com/x", "file_name": "x"},
                {"url": "https://example.com/x", "title": "x"},
            ),
            (
                {"type": "place_citation", "url": "https://example.com/map", "name": "P"},
                {"url": "https://example.com/map", "title": "P"},
            ),
        )
    ),
)
CASES = (*NEWER, *PEERS, *FAMILIES)
