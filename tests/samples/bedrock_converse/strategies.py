"""Generated Bedrock Converse payloads: sound, a few with unknown members."""

from __future__ import annotations

import json
from copy import deepcopy

from hypothesis import strategies as st

from ..sample import Events, Json, Strategy
from ..words import (
    BASE64,
    COUNTS,
    FLAGS,
    IDS,
    LIMITS,
    NAMES,
    NUMBERS,
    OBJECTS,
    PIECES,
    SCHEMAS,
    TEXTS,
    WORDS,
    fragments,
    rarely,
    some,
    with_unknown,
)
from . import building
from .requests import CITED, REDACTED
from .streams import CITATION

# --- blocks -----------------------------------------------------------------------------------------------------------


def block(name: str, required: dict[str, Strategy], **members: Strategy) -> Strategy:
    return st.fixed_dictionaries({name: some(required, **members)})


TEXT_BLOCKS = st.fixed_dictionaries({"text": WORDS})
BYTES = st.one_of(
    st.fixed_dictionaries({"bytes": BASE64}),
    st.fixed_dictionaries({"bytes": BASE64}),
    st.just({"s3Location": {"uri": "s3://b/k"}}),
)
IMAGES = block("image", {"format": st.sampled_from(["png", "jpeg", "bmp"]), "source": BYTES})
DOCUMENTS = block(
    "document",
    {
        "name": WORDS,
        "source": st.one_of(
            BYTES,
            st.fixed_dictionaries({"text": TEXTS}),
            st.fixed_dictionaries({"content": st.lists(TEXT_BLOCKS, min_size=1, max_size=2)}),
        ),
    },
    format=st.sampled_from(["pdf", "txt", "docx"]),
    context=TEXTS,
    citations=st.fixed_dictionaries({"enabled": FLAGS}),
)
SEARCH_RESULTS = block(
    "searchResult", {"source": TEXTS, "title": TEXTS, "content": st.lists(TEXT_BLOCKS, min_size=1, max_size=2)}
)
ODD = st.sampled_from([{"hologram": {"beam": 3}}, {"toolAddition": {"tool": {"name": "n"}}}])
GUARDED = st.just({"guardContent": {"text": {"text": "x", "qualifiers": ["query"]}}})
USER_BLOCKS = st.one_of(TEXT_BLOCKS, TEXT_BLOCKS, rarely(TEXT_BLOCKS), IMAGES, DOCUMENTS, SEARCH_RESULTS, ODD, GUARDED)
RESULT_BLOCKS = st.one_of(TEXT_BLOCKS, TEXT_BLOCKS, st.fixed_dictionaries({"json": OBJECTS}), IMAGES, DOCUMENTS)
THINKING = st.one_of(
    block("reasoningContent", {"reasoningText": some({"text": TEXTS}, signature=BASE64)}), st.just(REDACTED)
)
RUN = {"toolUse": {"toolUseId": "r", "name": "nova_code_interpreter", "type": "server_tool_use", "input": {"a": 1}}}
HOSTED = st.sampled_from([RUN, {"toolResult": {"toolUseId": "r", "type": "nova_result", "content": [{"json": 1}]}}])
ASSISTANT_BLOCKS = st.one_of(TEXT_BLOCKS, TEXT_BLOCKS, st.just(CITED), THINKING, HOSTED)


def call(identity: str) -> Strategy:
    return rarely(block("toolUse", {"toolUseId": st.just(identity), "name": NAMES, "input": OBJECTS}))


def with_points(blocks: Strategy) -> Strategy:
    """Content, now and then with a cache point at its end, behind text."""
    point = st.sampled_from([building.POINT, {"cachePoint": {"type": "default", "ttl": "1h"}}])
    return st.one_of(blocks, blocks, st.builds(lambda inner, at: [*inner, {"text": "so"}, at], blocks, point))


# --- requests ---------------------------------------------------------------------------------------------------------

USERS = st.fixed_dictionaries(
    {"role": st.just("user"), "content": with_points(st.lists(USER_BLOCKS, min_size=1, max_size=3))}
)
ASSISTANT = st.fixed_dictionaries(
    {"role": st.just("assistant"), "content": with_points(st.lists(ASSISTANT_BLOCKS, min_size=1, max_size=3))}
)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Json]:
    """An assistant message with calls, and the user message with their results."""
    ids = draw(st.lists(IDS, min_size=1, max_size=2, unique=True))
    status = st.sampled_from(["success", "error", "odd"])
    results = [
        draw(
            block(
                "toolResult",
                {"toolUseId": st.just(one), "content": st.lists(RESULT_BLOCKS, min_size=1, max_size=2)},
                status=status,
            )
        )
        for one in ids
    ]
    before = draw(st.lists(ASSISTANT_BLOCKS, max_size=2))
    return [
        {"role": "assistant", "content": [*before, *(draw(call(one)) for one in ids)]},
        {"role": "user", "content": [*results, *draw(st.lists(USER_BLOCKS, max_size=1))]},
    ]


EPISODES = st.one_of(USERS.map(lambda one: [one]), ASSISTANT.map(lambda one: [one]), exchanges(), exchanges())


@st.composite
def conversations(draw: st.DrawFn) -> list[Json]:
    rest = draw(st.lists(EPISODES, max_size=3))
    return [draw(USERS), *(message for episode in rest for message in episode)]


TOOLS = st.one_of(
    block(
        "toolSpec",
        {"name": NAMES, "inputSchema": st.fixed_dictionaries({"json": SCHEMAS})},
        description=TEXTS,
        strict=FLAGS,
    ),
    st.sampled_from([{"systemTool": {"name": "nova_grounding"}}, {"teleport": {"name": "t"}}]),
)
SETTINGS: dict[str, Strategy] = {
    "system": with_points(st.lists(TEXT_BLOCKS, min_size=1, max_size=2)),
    "toolConfig": some(
        {"tools": st.lists(TOOLS, min_size=1, max_size=2)},
        toolChoice=st.one_of(
            st.sampled_from([{"auto": {}}, {"any": {}}, {"whatever": {}}]),
            st.fixed_dictionaries({"tool": st.fixed_dictionaries({"name": NAMES})}),
        ),
    ),
    "inferenceConfig": some(
        {},
        maxTokens=LIMITS,
        temperature=NUMBERS,
        topP=NUMBERS,
        stopSequences=st.lists(TEXTS, min_size=1, max_size=5),
    ),
    "additionalModelRequestFields": st.sampled_from(
        [
            {"thinking": {"type": "enabled", "budget_tokens": 2048}},
            {"thinking": {"type": "adaptive", "display": "summarized"}, "top_k": 7},
            {"thinking": {"type": "sideways"}, "anthropic_beta": ["x"]},
            {"output_config": {"effort": "high"}},
            {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "low"}, "inferenceConfig": {"topK": 3}},
            {"reasoning_effort": "high"},
            {"reasoning_config": {"a": 1}},
            "odd",
        ]
    ),
    "outputConfig": some(
        {},
        effort=st.sampled_from(["low", "max", "boundless"]),
        textFormat=st.builds(
            lambda schema: {"type": "json_schema", "structure": {"jsonSchema": {"schema": json.dumps(schema)}}}, SCHEMAS
        ),
    ),
    "performanceConfig": st.sampled_from([{"latency": "standard"}, {"latency": "optimized"}, {"latency": "warp"}]),
    "serviceTier": st.sampled_from([{"type": "default"}, {"type": "flex"}, {"type": "reserved"}, {"type": "odd"}]),
    "requestMetadata": st.just({"team": "a"}),
    "guardrailConfig": st.just({"guardrailIdentifier": "g", "guardrailVersion": "1"}),
    "additionalModelResponseFieldPaths": st.just(["/x"]),
}
REQUESTS = rarely(some({"messages": conversations()}, **SETTINGS))

# --- responses --------------------------------------------------------------------------------------------------------

USAGE = rarely(
    some(
        {"inputTokens": COUNTS, "outputTokens": COUNTS, "totalTokens": COUNTS},
        cacheReadInputTokens=COUNTS,
        cacheWriteInputTokens=COUNTS,
        cacheDetails=st.just([{"ttl": "1h", "inputTokens": 2}]),
    )
)
ENDINGS = st.sampled_from(
    [
        "end_turn",
        "end_turn",
        "max_tokens",
        "tool_use",
        "stop_sequence",
        "guardrail_intervened",
        "content_filtered",
        "odd",
    ]
)


@st.composite
def responses(draw: st.DrawFn) -> Json:
    blocks = draw(st.lists(ASSISTANT_BLOCKS, max_size=2))
    blocks += [draw(call(one)) for one in draw(st.lists(IDS, max_size=2, unique=True))]
    members = draw(
        some(
            {"usage": USAGE, "stopReason": ENDINGS},
            additionalModelResponseFields=st.sampled_from([{"stop_sequence": "END"}, {"x": 1}, "odd"]),
            serviceTier=st.sampled_from([{"type": "flex"}, {"type": "odd"}]),
            performanceConfig=st.just({"latency": "optimized"}),
            trace=st.just({"guardrail": {"a": 1}}),
        )
    )
    return {"output": {"message": {"role": "assistant", "content": blocks}}, "metrics": {"latencyMs": 1}, **members}


RESPONSES = rarely(responses())
ERRORS = rarely(some({"message": TEXTS}, originalStatusCode=COUNTS, resourceName=TEXTS))

# --- streams ----------------------------------------------------------------------------------------------------------

TOKENS = st.sampled_from([0, 1, 7, 1000])
LAST_USAGE = st.none() | st.fixed_dictionaries(
    {"inputTokens": TOKENS, "outputTokens": TOKENS}, optional={"cacheReadInputTokens": TOKENS, "totalTokens": TOKENS}
)


@st.composite
def blocks(draw: st.DrawFn, identity: str) -> Events:
    kind = draw(st.sampled_from(["text", "text", "cited", "thinking", "redacted", "call", "call", "run", "unknown"]))
    if kind == "text":
        return building.text_block(*draw(PIECES))
    if kind == "cited":
        return [*building.text_block(*draw(PIECES), "so"), building.delta({"citation": CITATION})]
    if kind == "thinking":
        return building.thinking_block(*draw(PIECES), signature=draw(st.sampled_from([None, "EqQB"])))
    if kind == "redacted":
        return [building.delta({"reasoningContent": {"redactedContent": "eHg="}})]
    if kind == "run":
        return building.call_block("r", "nova_code_interpreter", *draw(fragments()), type="server_tool_use")
    if kind == "unknown":
        return [{"contentBlockStart": {"start": {"hologram": {"beam": 3}}}}, building.delta({"hologram": {"beam": 4}})]
    return building.call_block(identity, draw(NAMES), *draw(fragments()))


@st.composite
def streams(draw: st.DrawFn) -> Events:
    given = [draw(blocks(f"tooluse_{index}")) for index in range(draw(st.integers(0, 4)))]
    called = any("toolUse" in str(one[:1]) and "server" not in str(one[:1]) for one in given)
    stop = "tool_use" if called and draw(st.integers(0, 3)) else draw(ENDINGS)
    events = building.stream(*given, stop=stop, usage=draw(LAST_USAGE))
    events = [{name: with_unknown(draw, inner) for name, inner in event.items()} for event in events]
    if draw(st.booleans()):
        events.insert(draw(st.integers(1, len(events) - 1)), {"telemetry": {"n": 1}})
    return deepcopy(events)


STRATEGIES = {"request": REQUESTS, "response": RESPONSES, "error": ERRORS, "stream": streams()}
