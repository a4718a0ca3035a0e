"""The law of slips (ENV-15, TUL-44): what a server gets wrong beside the content of a response refuses nothing.

Each fact of each protocol's sample is given values of other types, in a whole response, in the events of its stream,
and what a history repeats in requests. The conversion goes through, names each as an info, and all else arrives: the
output is that of the sample without the fact, or with what the value means.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

import proxai_ir

from ..samples import PROTOCOLS

Json = Any

CHAT, RESPONSES, MESSAGES = "openai_chat_completions", "openai_responses", "anthropic_messages"
GENERATE, INTERACTIONS = "gemini_generate_content", "gemini_interactions"
CONVERSE, COHERE, OLLAMA = "bedrock_converse", "cohere_v2_chat", "ollama_chat"

# --- samples: a text and a call in each protocol's response -----------------------------------------------------------

_CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
_R_ITEMS: list[Json] = [
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "Hi", "annotations": []}],
    },
    {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "c1",
        "name": "f",
        "arguments": '{"a":1}',
        "status": "completed",
    },
]
_R_USAGE = {
    "input_tokens": 3,
    "output_tokens": 2,
    "total_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 1},
}
WHOLE: dict[str, Json] = {
    CHAT: {
        "id": "r1",
        "object": "chat.completion",
        "created": 7,
        "model": "m",
        "system_fingerprint": "fp",
        "service_tier": "default",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Hi", "tool_calls": [_CALL]},
                "logprobs": None,
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {
            "prompt_tokens": 3,
            "completion_tokens": 2,
            "total_tokens": 5,
            "completion_tokens_details": {"reasoning_tokens": 1},
        },
    },
    RESPONSES: {
        "id": "r1",
        "object": "response",
        "created_at": 7,
        "model": "m",
        "status": "completed",
        "service_tier": "default",
        "metadata": {},
        "output": _R_ITEMS,
        "usage": _R_USAGE,
    },
    MESSAGES: {
        "id": "r1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "Hi"}, {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 2, "service_tier": "standard"},
    },
    GENERATE: {
        "responseId": "r1",
        "modelVersion": "m",
        "createTime": "2026-01-01T00:00:00Z",
        "candidates": [
            {
                "index": 0,
                "content": {
                    "role": "model",
                    "parts": [{"text": "Hi"}, {"functionCall": {"id": "c1", "name": "f", "args": {"a": 1}}}],
                },
                "finishReason": "STOP",
            }
        ],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5},
    },
    INTERACTIONS: {
        "id": "r1",
        "object": "interaction",
        "model": "m",
        "status": "requires_action",
        "created": "2026-01-01T00:00:00Z",
        "service_tier": "standard",
        "steps": [
            {"type": "model_output", "content": [{"type": "text", "text": "Hi"}]},
            {"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": 1}},
        ],
        "usage": {"total_input_tokens": 3, "total_output_tokens": 2, "total_tokens": 5},
    },
    CONVERSE: {
        "output": {
            "message": {
                "role": "assistant",
                "content": [{"text": "Hi"}, {"toolUse": {"toolUseId": "c1", "name": "f", "input": {"a": 1}}}],
            }
        },
        "stopReason": "tool_use",
        "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5},
        "metrics": {"latencyMs": 9},
    },
    COHERE: {
        "id": "r1",
        "finish_reason": "TOOL_CALL",
        "message": {"role": "assistant", "tool_plan": "Hi", "tool_calls": [_CALL]},
        "usage": {"tokens": {"input_tokens": 3, "output_tokens": 2}},
    },
    OLLAMA: {
        "model": "m",
        "created_at": "2026-01-01T00:00:00Z",
        "message": {
            "role": "assistant",
            "content": "Hi",
            "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": {"a": 1}}}],
        },
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 3,
        "eval_count": 2,
    },
}


def _chunk(delta: Json, reason: str | None = None, **more: Json) -> Json:
    head = {
        "id": "r1",
        "object": "chat.completion.chunk",
        "created": 7,
        "model": "m",
        "system_fingerprint": "fp",
        "service_tier": "default",
    }
    return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **more}


_M = {**WHOLE[MESSAGES], "content": [], "stop_reason": None}
_R = {key: value for key, value in WHOLE[RESPONSES].items() if key != "usage"} | {"status": "in_progress", "output": []}
_O = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "done": False}
STREAMED: dict[str, list[Json]] = {
    CHAT: [
        _chunk({"role": "assistant", "content": "Hi", "tool_calls": [{"index": 0, **_CALL}]}),
        _chunk({}, "tool_calls", usage=WHOLE[CHAT]["usage"]),
        "[DONE]",
    ],
    RESPONSES: [
        {"type": "response.created", "response": _R},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**_R_ITEMS[0], "status": "in_progress", "content": []},
        },
        {
            "type": "response.content_part.added",
            "item_id": "msg_1",
            "output_index": 0,
            "content_index": 0,
            "part": {"type": "output_text", "text": "", "annotations": []},
        },
        {
            "type": "response.output_text.delta",
            "item_id": "msg_1",
            "output_index": 0,
            "content_index": 0,
            "delta": "Hi",
        },
        {
            "type": "response.output_text.done",
            "item_id": "msg_1",
            "output_index": 0,
            "content_index": 0,
            "text": "Hi",
        },
        {"type": "response.output_item.done", "output_index": 0, "item": _R_ITEMS[0]},
        {
            "type": "response.output_item.added",
            "output_index": 1,
            "item": {**_R_ITEMS[1], "status": "in_progress", "arguments": ""},
        },
        {
            "type": "response.function_call_arguments.delta",
            "item_id": "fc_1",
            "output_index": 1,
            "delta": '{"a":1}',
        },
        {
            "type": "response.function_call_arguments.done",
            "item_id": "fc_1",
            "output_index": 1,
            "arguments": '{"a":1}',
        },
        {"type": "response.output_item.done", "output_index": 1, "item": _R_ITEMS[1]},
        {"type": "response.completed", "response": WHOLE[RESPONSES]},
    ],
    MESSAGES: [
        {"type": "message_start", "message": _M},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "c1", "name": "f", "input": {}},
        },
        {
            "type": "content_block_delta",
            "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": '{"a":1}'},
        },
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 2},
        },
        {"type": "message_stop"},
    ],
    GENERATE: [WHOLE[GENERATE]],
    INTERACTIONS: [
        {
            "event_type": "interaction.created",
            "interaction": {
                **{key: WHOLE[INTERACTIONS][key] for key in ("id", "object", "model", "created")},
                "status": "in_progress",
            },
        },
        {"event_type": "step.start", "index": 0, "step": {"type": "model_output"}},
        {"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": "Hi"}},
        {"event_type": "step.stop", "index": 0},
        {
            "event_type": "step.start",
            "index": 1,
            "step": {"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": 1}},
        },
        {"event_type": "step.stop", "index": 1},
        {
            "event_type": "interaction.completed",
            "interaction": {key: value for key, value in WHOLE[INTERACTIONS].items() if key != "steps"},
        },
    ],
    CONVERSE: [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hi"}}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "c1", "name": "f"}}}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"a":1}'}}}},
        {"contentBlockStop": {"contentBlockIndex": 1}},
        {"messageStop": {"stopReason": "tool_use"}},
        {"metadata": {"usage": WHOLE[CONVERSE]["usage"], "metrics": {"latencyMs": 9}}},
    ],
    COHERE: [
        {
            "type": "message-start",
            "id": "r1",
            "delta": {
                "message": {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
            },
        },
        {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "Hi"}}},
        {
            "type": "tool-call-start",
            "index": 0,
            "delta": {"message": {"tool_calls": {**_CALL, "function": {"name": "f", "arguments": ""}}}},
        },
        {
            "type": "tool-call-delta",
            "index": 0,
            "delta": {"message": {"tool_calls": {"function": {"arguments": '{"a":1}'}}}},
        },
        {"type": "tool-call-end", "index": 0},
        {
            "type": "message-end",
            "delta": {"finish_reason": "TOOL_CALL", "usage": {"tokens": {"input_tokens": 3, "output_tokens": 2}}},
        },
    ],
    OLLAMA: [
        {**_O, "message": {"role": "assistant", "content": "Hi"}},
        {**_O, "message": {"role": "assistant", "content": "", "tool_calls": WHOLE[OLLAMA]["message"]["tool_calls"]}},
        {**WHOLE[OLLAMA], "message": {"role": "assistant", "content": ""}},
    ],
}

# --- what is given other values: by the key of the fact, whatever holds it -----------------------------------------

TIMES = ("created", "created_at", "createTime")
COUNTS = """
    prompt_tokens completion_tokens total_tokens reasoning_tokens input_tokens output_tokens promptTokenCount
    candidatesTokenCount totalTokenCount total_input_tokens total_output_tokens inputTokens outputTokens totalTokens
    prompt_eval_count eval_count latencyMs
""".split()
INDEXES = ("index", "output_index", "content_index", "contentBlockIndex")
NAMES = ("id", "responseId", "model", "modelVersion", "system_fingerprint", "toolUseId", "call_id")
WORDS = ("service_tier", "finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason", "object")
WHOLES = ("usage", "usageMetadata", "metadata", "metrics")
OF_ANOTHER_TYPE: dict[str, tuple[Json, ...]] = {
    **dict.fromkeys(("created", "created_at"), ("2026-01-01T00:00:00Z", "soon", [], {}, True)),
    "createTime": (1767225600, "soon", [], {}),
    **dict.fromkeys(COUNTS, ("3", "many", [], {})),
    **dict.fromkeys(NAMES, (7, [], {}, True)),
    **dict.fromkeys(WORDS, (7, [], {}, True)),
    **dict.fromkeys(WHOLES, ([], "", "none", 7)),
    "role": ("model_", "ai", 7, []),
}


def _facts(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """Each member with its path; not what is inside the arguments of calls."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if key not in ("arguments", "input", "args"):
            yield (*path, key), inner
            if isinstance(inner, (dict, list)):
                yield from _facts(inner, (*path, key))


def _slips(sample: Json) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    for path, inner in _facts(sample):
        key = path[-1]
        if key in INDEXES and not isinstance(inner, dict):
            yield path, str(inner)
        elif isinstance(key, str) and not (key == "metadata" and isinstance(inner, dict) and inner):  # of an event
            repeats = "item" in path and path[0] == 9  # a call's id, which its start had: it cannot be another one
            yield from ((path, value) for value in OF_ANOTHER_TYPE.get(key, ()) if inner is not None and not repeats)


def _with(sample: Json, path: tuple[str | int, ...], value: Json) -> Json:
    made = copy.deepcopy(sample)
    holder = made
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return made


def _cases(samples: dict[str, Json]) -> list[Any]:
    return [
        pytest.param(src, path, value, id=f"{src}-{'/'.join(map(str, path))}={value!r}")
        for src, sample in samples.items()
        for path, value in _slips(sample)
    ]


def _said(output: Json) -> list[Any]:
    """What an Anthropic message says: text and calls."""
    return [
        (one["type"], one.get("text"), one.get("name"), one.get("input"))
        for one in output["content"]
        if one["type"] in ("text", "tool_use")
    ]


SAID = [("text", "Hi", None, None), ("tool_use", None, "f", {"a": 1})]


@pytest.mark.parametrize(("src", "path", "value"), _cases(WHOLE))
def test_a_whole_response(src: str, path: tuple[str | int, ...], value: Json) -> None:
    payload = _with(WHOLE[src], path, value)
    given = copy.deepcopy(payload)
    done = proxai_ir.compile(payload, src, RESPONSES if src == MESSAGES else MESSAGES, kind="response")
    assert payload == given
    _check(done, src, path)
    assert proxai_ir.convert(payload, src, src, kind="response") == given
    node = proxai_ir.lower(payload, src, kind="response")
    assert proxai_ir.raise_to(node, src) == given


def _check(done: Any, src: str, path: tuple[str | int, ...]) -> None:
    pointer = "/" + "/".join(map(str, path))
    assert not [one for one in done.diagnostics if one.severity == "error"]
    named = [one for one in done.diagnostics if one.path and pointer.startswith(one.path)]
    arrives = path[-1] in ("id", "responseId") and str(done.output.get("id")) == "7"
    plain = src == GENERATE and str(done.output["usage"]).count("3")  # ProtoJSON has numbers as texts, too
    assert named or arrives or plain or path[-1] == "index", [str(one) for one in done.diagnostics]
    if path[-1] != "finishReason":  # an ending that is unknown (FIN-7)
        assert {str(one.severity) for one in named} <= {"info"}, [str(one) for one in named]
    if src != MESSAGES and done.kind == "response":
        assert _said(done.output) == SAID


@pytest.mark.parametrize(("src", "path", "value"), _cases(STREAMED))
def test_a_stream(src: str, path: tuple[str | int, ...], value: Json) -> None:
    dst = RESPONSES if src == MESSAGES else MESSAGES
    made = proxai_ir.StreamConverter(src, dst, keep_response=True)
    events = _with(STREAMED[src], path, value)
    for event in events:
        made.feed(event)
    made.close()
    pointer = "/" + "/".join(map(str, path))
    named = [one for one in made.diagnostics if one.path == pointer or one.path.startswith(pointer + "/")]
    if path[-1] != "finishReason":  # an ending that is unknown (FIN-7)
        assert {str(one.severity) for one in named} <= {"info"}, [str(one) for one in named]
    assert made.response is not None
    if dst == MESSAGES:
        assert _said(made.response) == SAID
    else:
        assert [one["type"] for one in made.response["output"]] == ["message", "function_call"]
    relay = proxai_ir.StreamConverter(src, src)
    assert [one for event in events for one in relay.feed(event)] + relay.close() == events


# --- calls without arguments, and without ids -------------------------------------------------------------------------

MISSING = "(missing)"
PLACE: dict[str, tuple[tuple[str | int, ...], str, str]] = {
    CHAT: (("choices", 0, "message", "tool_calls", 0), "id", "function/arguments"),
    RESPONSES: (("output", 1), "call_id", "arguments"),
    MESSAGES: (("content", 1), "id", "input"),
    GENERATE: (("candidates", 0, "content", "parts", 1, "functionCall"), "id", "args"),
    INTERACTIONS: (("steps", 1), "id", "arguments"),
    CONVERSE: (("output", "message", "content", 1, "toolUse"), "toolUseId", "input"),
    COHERE: (("message", "tool_calls", 0), "id", "function/arguments"),
    OLLAMA: (("message", "tool_calls", 0), "id", "function/arguments"),
}
"""Where a call is, and in it its id and its arguments."""
BEGUN: dict[str, tuple[int, tuple[str | int, ...]]] = {
    CHAT: (0, ("choices", 0, "delta", "tool_calls", 0)),
    GENERATE: (0, PLACE[GENERATE][0]),
    INTERACTIONS: (4, ("step",)),
    OLLAMA: (1, PLACE[OLLAMA][0]),
    MESSAGES: (4, ("content_block",)),
    CONVERSE: (3, ("contentBlockStart", "start", "toolUse")),
    COHERE: (2, ("delta", "message", "tool_calls")),
    RESPONSES: (6, ("item",)),
}
"""Where a stream has it: the event, and the place in it. Arguments of the last four come in events of their own."""
NO_ARGUMENTS = (MISSING, None, "", "null")
IDS = (MISSING, None, "", 7)


def _set(holder: Json, path: tuple[str | int, ...], value: Json) -> None:
    for key in path[:-1]:
        holder = holder[key]
    if value == MISSING:
        holder.pop(path[-1], None)
    else:
        holder[path[-1]] = value


def _called(output: Json) -> list[Json]:
    return [one for one in output["content"] if one["type"] == "tool_use"]


def _streamed(events: list[Json], src: str, dst: str) -> Json:
    made = proxai_ir.StreamConverter(src, dst, keep_response=True)
    for event in events:
        made.feed(event)
    made.close()
    assert made.response is not None
    return made.response


@pytest.mark.parametrize("value", NO_ARGUMENTS)
@pytest.mark.parametrize("src", PROTOCOLS)
def test_no_arguments_in_a_whole_response(src: str, value: Json) -> None:
    at, _, arguments = PLACE[src]
    payload = copy.deepcopy(WHOLE[src])
    _set(payload, (*at, *arguments.split("/")), value)
    dst = RESPONSES if src == MESSAGES else MESSAGES
    done = proxai_ir.compile(payload, src, dst, kind="response")
    if dst == MESSAGES:
        assert [one["input"] for one in _called(done.output)] == [{}]
    else:
        assert [one["arguments"] for one in done.output["output"] if "arguments" in one] == ["{}"]
    named = {one.rule for one in done.diagnostics if one.path.startswith("/" + "/".join(map(str, at)))}
    assert "TUL-44" in named or value in (MISSING, None)
    proxai_ir.convert(payload, src, src, kind="response")


@pytest.mark.parametrize("value", NO_ARGUMENTS)
@pytest.mark.parametrize("src", [CHAT, GENERATE, INTERACTIONS, OLLAMA])
def test_no_arguments_in_a_stream(src: str, value: Json) -> None:
    events = copy.deepcopy(STREAMED[src])
    number, at = BEGUN[src]
    _set(events[number], (*at, *PLACE[src][2].split("/")), value)
    assert [one["input"] for one in _called(_streamed(events, src, MESSAGES))] == [{}]


HISTORY: dict[str, tuple[str | int, ...]] = {
    CHAT: ("messages", 1, "tool_calls", 0, "function", "arguments"),
    RESPONSES: ("input", 1, "arguments"),
    MESSAGES: ("messages", 1, "content", 0, "input"),
    GENERATE: ("contents", 1, "parts", 0, "functionCall", "args"),
    INTERACTIONS: ("input", 1, "arguments"),
    CONVERSE: ("messages", 1, "content", 0, "toolUse", "input"),
    COHERE: ("messages", 1, "tool_calls", 0, "function", "arguments"),
    OLLAMA: ("messages", 1, "tool_calls", 0, "function", "arguments"),
}


def _history(src: str) -> Json:
    """A question, a call, its result."""
    asked = {
        "model": "m",
        "messages": [
            {"role": "user", "content": "Go"},
            {"role": "assistant", "content": None, "tool_calls": [_CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "1"},
        ],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}],
    }
    return copy.deepcopy(proxai_ir.convert(asked, CHAT, src, kind="request"))


@pytest.mark.parametrize("value", NO_ARGUMENTS)
@pytest.mark.parametrize("dst", PROTOCOLS)
@pytest.mark.parametrize("src", PROTOCOLS)
def test_no_arguments_in_a_history(src: str, dst: str, value: Json) -> None:
    payload = _history(src)
    _set(payload, HISTORY[src], value)
    given = copy.deepcopy(payload)
    done = proxai_ir.compile(payload, src, dst, kind="request")
    assert payload == given
    if src == dst:
        assert done.output == given
        return
    call = done.output
    *path, member = HISTORY[dst]
    for key in path:
        call = call.get("steps") if key == "input" and "steps" in call else call[key]
    assert call.get(member, {}) in ({}, "{}"), done.output
    if value == "null":
        pointer = "/" + "/".join(map(str, HISTORY[src]))
        assert ("TUL-44", "info") in {(one.rule, str(one.severity)) for one in done.diagnostics if one.path == pointer}


@pytest.mark.parametrize("value", IDS)
@pytest.mark.parametrize("src", PROTOCOLS)
def test_calls_without_ids(src: str, value: Json) -> None:
    """A call gets an id where the protocol's own is missing, whole and in a stream."""
    at, identity, _ = PLACE[src]
    payload = copy.deepcopy(WHOLE[src])
    _set(payload, (*at, identity), value)
    dst = CHAT if src == MESSAGES else MESSAGES
    output = proxai_ir.convert(payload, src, dst, kind="response")
    proxai_ir.convert(payload, src, src, kind="response")
    events = copy.deepcopy(STREAMED[src])
    number, begun = BEGUN[src]
    if src == RESPONSES:
        _set(events[9], ("item", identity), value)
        _set(events[10], ("response", "output", 1, identity), value)
    _set(events[number], (*begun, identity), value)
    for found in (output, _streamed(events, src, dst)):
        calls = found["choices"][0]["message"]["tool_calls"] if dst == CHAT else _called(found)
        assert len(calls) == 1
        assert calls[0]["id"] == "7" if value == 7 else len(calls[0]["id"]) > 4, calls


@pytest.mark.parametrize(
    "table", [WHOLE, STREAMED, PLACE, BEGUN, HISTORY], ids="whole stream call begun history".split()
)
def test_every_protocol_stands_in_each_table(table: dict[str, Json]) -> None:
    assert set(PROTOCOLS) - table.keys() == set()


@pytest.mark.parametrize("item", [[], 3, "x"])
@pytest.mark.parametrize("src", [one for one in PROTOCOLS if HISTORY[one][0] == "messages"])
def test_what_is_wrong_behind_a_slip_is_named_where_it_stands(src: str, item: Json) -> None:
    """`model`, another vendor's word for the assistant, is a slip: the messages behind it keep their places."""
    payload = {"model": "m", "messages": [{"role": "model", "content": [{"text": "Hi"}]}, item]}
    with pytest.raises(proxai_ir.InvalidPayload) as caught:
        proxai_ir.lower(payload, src, kind="request")
    assert ("SHP-1", "/messages/1") in {(one.rule, one.path) for one in caught.value.diagnostics}
