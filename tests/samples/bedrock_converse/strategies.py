"""Generated Converse payloads: sound, a few with unknown members."""

from __future__ import annotations

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

# --- blocks -----------------------------------------------------------------------------------------------------------


def alone(kind: str, inner: Strategy) -> Strategy:
    return st.fixed_dictionaries({kind: inner})


TEXT_BLOCKS = st.fixed_dictionaries({"text": WORDS})
POINTS = alone("cachePoint", some({"type": st.just("default")}, ttl=st.sampled_from(["5m", "1h", "2h"])))
IMAGES = alone(
    "image",
    st.fixed_dictionaries(
        {
            "format": st.sampled_from(["png", "jpeg", "bmp"]),
            "source": st.one_of(
                st.fixed_dictionaries({"bytes": BASE64}), st.just({"s3Location": {"uri": "s3://bucket/a"}})
            ),
        }
    ),
)
DOCUMENTS = alone(
    "document",
    some(
        {"name": WORDS, "source": st.one_of(st.just({"text": "x"}), st.just({"content": [{"text": "y"}]}))},
        format=st.just("txt"),
        context=WORDS,
        citations=st.fixed_dictionaries({"enabled": FLAGS}),
    ),
)
SEARCH_RESULTS = alone(
    "searchResult",
    some({"source": TEXTS, "title": TEXTS, "content": st.lists(TEXT_BLOCKS, min_size=1, max_size=2)}),
)
GUARDED: Strategy = st.sampled_from(
    [
        {"guardContent": {"text": {"text": "g", "qualifiers": ["query"]}}},
        {"guardContent": {"image": {"format": "png", "source": {"bytes": "eA=="}}}},
        {"hologram": {"beam": 3}},
    ]
)
USER_BLOCKS = st.one_of(
    TEXT_BLOCKS, TEXT_BLOCKS, TEXT_BLOCKS, IMAGES, DOCUMENTS, SEARCH_RESULTS, rarely(TEXT_BLOCKS), GUARDED, POINTS
)
IN_DOCUMENT: Json = {"location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 1}}, "title": "T"}
CITED = st.fixed_dictionaries(
    {
        "citationsContent": st.fixed_dictionaries(
            {
                "content": st.lists(TEXT_BLOCKS, min_size=1, max_size=2),
                "citations": st.lists(st.just(IN_DOCUMENT), max_size=1),
            }
        )
    }
)
THINKING = st.one_of(
    st.builds(building.thought, TEXTS, st.one_of(st.none(), BASE64)),
    st.just({"reasoningContent": {"redactedContent": "eA=="}}),
)
HOSTED = st.just(building.tool_use("nova_grounding", {}, "srv_1", type="server_tool_use"))
MODEL_BLOCKS = st.one_of(*[TEXT_BLOCKS] * 3, CITED, THINKING, HOSTED)
RESULT_BLOCKS = st.one_of(TEXT_BLOCKS, IMAGES, alone("json", OBJECTS))

# --- requests ---------------------------------------------------------------------------------------------------------

USERS = st.builds(lambda blocks: building.user(*blocks), st.lists(USER_BLOCKS, min_size=1, max_size=3))
ASSISTANT = st.builds(lambda blocks: building.assistant(*blocks), st.lists(MODEL_BLOCKS, min_size=1, max_size=3))


@st.composite
def exchanges(draw: st.DrawFn) -> list[Json]:
    """An assistant message with calls, and the user message that answers all of them."""
    ids = draw(st.lists(IDS, min_size=1, max_size=2, unique=True))
    calls = [building.tool_use(draw(NAMES), draw(OBJECTS), identity) for identity in ids]
    status = st.sampled_from([{}, {"status": "success"}, {"status": "error"}])
    results = [
        building.tool_result(*draw(st.lists(RESULT_BLOCKS, max_size=2)), call_id=identity, **draw(status))
        for identity in ids
    ]
    before, after = draw(st.lists(MODEL_BLOCKS, max_size=2)), draw(st.lists(USER_BLOCKS, max_size=1))
    return [building.assistant(*before, *calls), building.user(*results, *after)]


EPISODES = st.one_of(USERS.map(lambda one: [one]), ASSISTANT.map(lambda one: [one]), exchanges())
CONVERSATIONS = st.builds(
    lambda first, rest: [first, *(message for episode in rest for message in episode)],
    USERS,
    st.lists(EPISODES, max_size=3),
)
TOOLS = st.one_of(
    alone(
        "toolSpec",
        rarely(some({"name": NAMES, "inputSchema": alone("json", SCHEMAS)}, description=WORDS, strict=FLAGS)),
    ),
    st.just({"systemTool": {"name": "nova_grounding"}}),
    st.just({"teleport": {"to": 1}}),
)
CHOICES: Strategy = st.sampled_from([{"auto": {}}, {"any": {}}, {"tool": {"name": "weather"}}, {"guess": {}}])
ADDED: Strategy = st.sampled_from(
    [
        {"thinking": {"type": "enabled", "budget_tokens": 2048}},
        {"thinking": {"type": "odd"}, "top_k": 3},
        {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "low"}},
        {"reasoning_effort": "medium"},
        {"output_config": {"effort": "max"}},
        {"anthropic_beta": ["x"], "beam": 3},
    ]
)
SETTINGS: dict[str, Strategy] = {
    "system": st.lists(st.one_of(TEXT_BLOCKS, TEXT_BLOCKS, POINTS), min_size=1, max_size=3),
    "inferenceConfig": rarely(
        some({}, maxTokens=LIMITS, temperature=NUMBERS, topP=NUMBERS, stopSequences=st.lists(TEXTS, max_size=3))
    ),
    "toolConfig": some({"tools": st.lists(TOOLS, min_size=1, max_size=3)}, toolChoice=CHOICES),
    "additionalModelRequestFields": ADDED,
    "requestMetadata": st.just({"team": "a"}),
    "serviceTier": st.sampled_from([{"type": "default"}, {"type": "flex"}, {"type": "reserved"}, {"type": "bronze"}]),
    "performanceConfig": st.sampled_from([{"latency": "standard"}, {"latency": "optimized"}, {"latency": "odd"}]),
    "guardrailConfig": st.just({"guardrailIdentifier": "g", "guardrailVersion": "1"}),
    "outputConfig": st.sampled_from(
        [{"effort": "low"}, {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": {"schema": "{}"}}}}]
    ),
}
REQUESTS = rarely(some({"messages": CONVERSATIONS}, **SETTINGS))

# --- responses --------------------------------------------------------------------------------------------------------


@st.composite
def usages(draw: st.DrawFn) -> Json:
    into, out, read = draw(COUNTS), draw(COUNTS), draw(COUNTS)
    counts = {"inputTokens": into, "outputTokens": out, "totalTokens": into + out}
    if draw(FLAGS):
        counts |= {"cacheReadInputTokens": read, "totalTokens": into + out + read}
    return draw(rarely(st.just(counts)))


STOPS = st.sampled_from(
    [
        "end_turn",
        "end_turn",
        "max_tokens",
        "stop_sequence",
        "content_filtered",
        "model_context_window_exceeded",
        "tired",
    ]
)


@st.composite
def responses(draw: st.DrawFn) -> Json:
    content = draw(st.lists(MODEL_BLOCKS, max_size=3))
    stop = draw(STOPS)
    if draw(FLAGS):
        content.append(building.tool_use(draw(NAMES), draw(OBJECTS), "c1"))
        stop = "tool_use"
    more = draw(some({}, serviceTier=st.just({"type": "default"}), trace=st.just({"promptRouter": {}})))
    return building.response(*content, stop=stop, usage=draw(usages()), **more)


RESPONSES = rarely(responses())
ERRORS = rarely(
    some({"message": TEXTS}, __type=st.sampled_from(["ThrottlingException", "a#ValidationException", "Odd"]))
)

# --- streams ----------------------------------------------------------------------------------------------------------


@st.composite
def blocks(draw: st.DrawFn, number: int) -> building.Block:
    kind = draw(st.sampled_from(["text", "text", "thinking", "call", "redacted"]))
    if kind == "text":
        return building.text_block(*draw(PIECES), "")
    if kind == "thinking":
        return building.thinking_block(*draw(PIECES), "", signature=draw(st.sampled_from([None, "EqQB"])))
    if kind == "redacted":
        return building.block(building.delta(reasoningContent={"redactedContent": "eA=="}))
    return building.call_block(f"call_{number}", draw(NAMES), *draw(fragments()))


@st.composite
def streams(draw: st.DrawFn) -> Events:
    made = [draw(blocks(number)) for number in range(draw(st.integers(0, 3)))]
    called = any("contentBlockStart" in one[0] for one in made)
    stop = "tool_use" if called else draw(STOPS)
    return deepcopy([with_unknown(draw, event) for event in building.stream(*made, stop=stop, usage=draw(usages()))])


STRATEGIES = {"request": REQUESTS, "response": RESPONSES, "error": ERRORS, "stream": streams()}
