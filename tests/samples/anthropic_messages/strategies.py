"""Generated Anthropic Messages payloads: sound, a few with unknown members."""

from __future__ import annotations

from copy import deepcopy
from itertools import groupby

from hypothesis import strategies as st

from ..sample import Events, Json, Strategy
from ..words import (
    BASE64,
    COUNTS,
    FLAGS,
    IDS,
    JSON,
    LIMITS,
    NAMES,
    NUMBERS,
    OBJECTS,
    PIECES,
    SCHEMAS,
    TEXTS,
    URLS,
    WORDS,
    fragments,
    interleaved,
    rarely,
    some,
    tagged,
    with_unknown,
)
from . import building
from .building import CITED as IN_DOCUMENT
from .streams import CITATION

# --- blocks -----------------------------------------------------------------------------------------------------------

MARKERS = {"cache_control": st.sampled_from([{"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}])}
TEXT_BLOCKS = some(tagged("text", text=WORDS), **MARKERS)
SOURCES = st.one_of(
    st.fixed_dictionaries(tagged("url", url=URLS)),
    st.fixed_dictionaries(tagged("base64", media_type=st.sampled_from(["image/png", "image/jpeg"]), data=BASE64)),
    st.just({"type": "file", "file_id": "file_1"}),
)
IMAGES = some(tagged("image", source=SOURCES), **MARKERS)
DOCUMENTS = some(
    tagged(
        "document",
        source=st.one_of(
            st.fixed_dictionaries(tagged("base64", media_type=st.just("application/pdf"), data=BASE64)),
            st.fixed_dictionaries(tagged("text", media_type=st.just("text/plain"), data=TEXTS)),
            st.fixed_dictionaries(
                tagged("content", content=st.one_of(TEXTS, st.lists(TEXT_BLOCKS | IMAGES, max_size=2)))
            ),
            st.fixed_dictionaries(tagged("url", url=URLS)),
        ),
    ),
    title=WORDS,
    context=WORDS,
    citations=st.fixed_dictionaries({"enabled": FLAGS}),
)
SEARCH_RESULTS = some(
    tagged("search_result", source=TEXTS, title=TEXTS, content=st.lists(TEXT_BLOCKS, min_size=1, max_size=2)), **MARKERS
)
VENDOR = st.sampled_from([{"type": "container_upload", "file_id": "f"}, {"type": "hologram", "beam": 3}])
USER_BLOCKS = st.one_of(
    TEXT_BLOCKS, TEXT_BLOCKS, TEXT_BLOCKS, IMAGES, IMAGES, DOCUMENTS, SEARCH_RESULTS, rarely(TEXT_BLOCKS), VENDOR
)
TEXT_CONTENT = st.one_of(WORDS, WORDS, st.lists(TEXT_BLOCKS, min_size=1, max_size=2))
RESULT_CONTENT = st.one_of(
    TEXTS, WORDS, st.lists(st.one_of(TEXT_BLOCKS, TEXT_BLOCKS, IMAGES, DOCUMENTS), min_size=1, max_size=2)
)
CITED = st.fixed_dictionaries(
    tagged(
        "text",
        text=WORDS,
        citations=st.lists(
            st.sampled_from(
                [
                    IN_DOCUMENT,
                    {
                        "type": "web_search_result_location",
                        "url": "https://e.com",
                        "title": "T",
                        "encrypted_index": "eA==",
                    },
                ]
            ),
            max_size=1,
        ),
    )
)
THINKING = st.one_of(
    st.fixed_dictionaries(tagged("thinking", thinking=TEXTS, signature=BASE64)),
    st.just({"type": "redacted_thinking", "data": "eA=="}),
)
PAGE = {"type": "web_search_result", "url": "https://example.org/", "title": "T", "encrypted_content": "eA=="}
FAILED = {"type": "web_search_tool_result_error", "error_code": "unavailable"}
HOSTED = st.sampled_from(
    [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
        {"type": "server_tool_use", "id": "srvtoolu_ws_1", "name": "web_search", "input": {"beam": 3}},
        {"type": "server_tool_use", "id": "s", "name": "code_execution", "input": {"code": "1"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "s",
            "content": [PAGE, {**PAGE, "page_age": "old", "beam": 3}],
        },
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": {**FAILED, "beam": 3}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": {"type": "hologram"}},
        {"type": "mcp_tool_use", "id": "mcptoolu_1", "server_name": "s", "name": "n", "input": {"a": 1}},
        {"type": "mcp_tool_use", "id": "s", "server_name": "s", "name": "n", "input": {}, "beam": 3},
        {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "content": "x", "is_error": True},
        {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False},
        {"type": "mcp_tool_result", "tool_use_id": "s", "content": [{"type": "text", "text": "x"}], "beam": 3},
        {
            "type": "mcp_tool_result",
            "tool_use_id": "s",
            "content": [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}],
        },
    ]
)
RESPONSE_BLOCKS = st.one_of(*[st.fixed_dictionaries(tagged("text", text=WORDS))] * 3, CITED, THINKING, HOSTED)
HISTORY_BLOCKS = st.one_of(TEXT_BLOCKS, TEXT_BLOCKS, TEXT_BLOCKS, CITED, THINKING, HOSTED, rarely(TEXT_BLOCKS))


def call(id_: str) -> Strategy:
    return rarely(st.fixed_dictionaries(tagged("tool_use", id=st.just(id_), name=NAMES, input=OBJECTS)))


# --- messages ---------------------------------------------------------------------------------------------------------

USERS = st.fixed_dictionaries(
    {"role": st.just("user"), "content": st.one_of(WORDS, st.lists(USER_BLOCKS, min_size=1, max_size=3))}
)
ASSISTANT = st.fixed_dictionaries(
    {"role": st.just("assistant"), "content": st.one_of(WORDS, st.lists(HISTORY_BLOCKS, min_size=1, max_size=3))}
)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Json]:
    """An assistant message with calls, and the user message that responses all of them."""
    ids = draw(st.lists(IDS, min_size=1, max_size=2, unique=True))
    before = draw(st.lists(HISTORY_BLOCKS, max_size=2))
    results = [
        draw(some(tagged("tool_result", tool_use_id=st.just(id_)), content=RESULT_CONTENT, is_error=FLAGS, **MARKERS))
        for id_ in ids
    ]
    return [
        {"role": "assistant", "content": [*before, *(draw(call(id_)) for id_ in ids)]},
        {"role": "user", "content": [*results, *draw(st.lists(USER_BLOCKS, max_size=1))]},
    ]


EPISODES = st.one_of(
    USERS.map(lambda one: [one]),
    ASSISTANT.map(lambda one: [one]),
    exchanges(),
    exchanges(),
    st.just([{"role": "system", "content": "Be kind."}]),
)


@st.composite
def conversations(draw: st.DrawFn) -> list[Json]:
    rest = draw(st.lists(EPISODES, max_size=3))
    return [draw(USERS), *(message for episode in rest for message in episode)]


# --- requests ---------------------------------------------------------------------------------------------------------

TOOLS = st.one_of(
    some({"name": NAMES, "input_schema": SCHEMAS}, description=TEXTS, strict=FLAGS, defer_loading=FLAGS, **MARKERS),
    some(
        {"type": st.just("web_search_20250305"), "name": st.just("web_search")},
        max_uses=COUNTS,
        allowed_domains=st.just(["e.com"]),
        user_location=some({"type": st.just("approximate")}, city=TEXTS),
    ),
    st.sampled_from([{"type": "bash_20250124", "name": "bash"}, {"type": "teleport_20300101", "name": "t"}]),
    some(
        {"type": st.just("mcp_toolset"), "mcp_server_name": st.just("s")},
        default_config=st.sampled_from([{"enabled": False}, {"enabled": True}, {"defer_loading": True}]),
        configs=st.sampled_from([{"n": {"enabled": True}}, {"n": {"enabled": False}}]),
    ),
)
SERVER = {"type": "url", "name": "s", "url": "https://example.org/mcp"}
SETTINGS: dict[str, Strategy] = {
    "mcp_servers": st.sampled_from(
        [
            [SERVER],
            [{**SERVER, "authorization_token": "t", "tool_configuration": {"enabled": True, "allowed_tools": ["n"]}}],
            [{**SERVER, "tool_configuration": {"enabled": False}}, SERVER],
            [{**SERVER, "beam": 3}],
            [],
        ]
    ),
    "system": TEXT_CONTENT,
    "tools": st.lists(TOOLS, min_size=1, max_size=2),
    "tool_choice": st.one_of(
        some({"type": st.sampled_from(["auto", "any", "none", "whatever"])}, disable_parallel_tool_use=FLAGS),
        st.fixed_dictionaries(tagged("tool", name=NAMES)),
    ),
    "temperature": NUMBERS,
    "top_p": NUMBERS,
    "top_k": COUNTS,
    "stop_sequences": st.lists(TEXTS, min_size=1, max_size=5),
    "thinking": st.sampled_from(
        [
            {"type": "enabled", "budget_tokens": 2048},
            {"type": "adaptive", "display": "summarized"},
            {"type": "disabled"},
            {"type": "between_tools"},
            {"type": "sideways"},
        ]
    ),
    "output_config": some(
        {},
        effort=st.sampled_from(["low", "high", "max", "boundless"]),
        format=st.fixed_dictionaries(tagged("json_schema", schema=SCHEMAS)),
        task_budget=JSON.filter(lambda value: value is not None),
    ).filter(bool),
    "cache_control": st.sampled_from([{"type": "ephemeral"}, {"type": "ephemeral", "ttl": "5m"}]),
    "metadata": st.just({"user_id": "u"}),
    "service_tier": st.sampled_from(["auto", "standard_only", "slow"]),
    "speed": st.sampled_from(["standard", "fast", "warp"]),
    "stream": FLAGS,
    "container": IDS,
}
REQUESTS = rarely(
    some({"model": st.just("claude-opus-5"), "max_tokens": LIMITS, "messages": conversations()}, **SETTINGS)
)

# --- responses --------------------------------------------------------------------------------------------------------

USAGE = rarely(
    some(
        {"input_tokens": COUNTS, "output_tokens": COUNTS},
        cache_read_input_tokens=st.none() | COUNTS,
        cache_creation_input_tokens=COUNTS,
        cache_creation=st.just({"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 2}),
        output_tokens_details=st.fixed_dictionaries({"thinking_tokens": COUNTS}),
        service_tier=st.sampled_from(["standard", "priority", "slow"]),
        speed=st.sampled_from(["fast", "warp"]),
    )
)
ENDINGS = st.one_of(
    st.fixed_dictionaries(
        {
            "stop_reason": st.sampled_from(
                ["end_turn", "end_turn", "max_tokens", "pause_turn", "tool_use", "tired", None]
            ),
            "stop_sequence": st.none(),
        }
    ),
    st.just({"stop_reason": "stop_sequence", "stop_sequence": "END"}),
    some(
        {"stop_reason": st.just("refusal")},
        stop_details=st.just({"type": "refusal", "category": "cyber", "explanation": "Policy."}),
    ),
)


@st.composite
def responses(draw: st.DrawFn) -> Json:
    blocks = draw(st.lists(RESPONSE_BLOCKS, max_size=2))
    blocks += [draw(call(id_)) for id_ in draw(st.lists(IDS, max_size=2, unique=True))]
    fixed = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5"}
    extra = draw(some({"usage": USAGE}, container=st.none() | OBJECTS))
    return {**fixed, "content": blocks, **draw(ENDINGS), **extra}


RESPONSES = rarely(responses())
ERRORS = rarely(
    some(
        {
            "type": st.just("error"),
            "error": rarely(
                st.fixed_dictionaries(
                    {
                        "type": st.sampled_from(["rate_limit_error", "api_error", "overloaded_error", "odd"]),
                        "message": TEXTS,
                    }
                )
            ),
        },
        request_id=IDS,
    )
)

# --- streams ----------------------------------------------------------------------------------------------------------

TOKENS = st.sampled_from([0, 1, 7, 1000])
FIRST_USAGE = st.none() | st.fixed_dictionaries(
    {"input_tokens": TOKENS, "output_tokens": TOKENS},
    optional={"cache_read_input_tokens": TOKENS, "cache_creation_input_tokens": TOKENS},
)
LAST_USAGE = st.none() | st.fixed_dictionaries({"output_tokens": TOKENS}, optional={"input_tokens": TOKENS})
STREAM_CITATIONS: Strategy = st.sampled_from([CITATION, IN_DOCUMENT])
SEARCHED = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [PAGE]}
LAST_DELTAS = st.sampled_from(
    [
        building.message_delta("end_turn"),
        building.message_delta("max_tokens"),
        building.message_delta("pause_turn"),
        building.message_delta("stop_sequence", stop_sequence="END"),
        building.message_delta("refusal"),
        building.message_delta(
            "refusal", stop_details={"type": "refusal", "category": "cyber", "explanation": "Policy."}
        ),
    ]
)


@st.composite
def blocks(draw: st.DrawFn, call_id: str) -> list[Json]:
    """One block of some kind; `call_id` is the call's, if it is one."""
    kind = draw(
        st.sampled_from(["text", "text", "cited", "thinking", "redacted", "call", "call", "hosted", "mcp", "unknown"])
    )
    if kind == "text":
        return building.text_block(*draw(PIECES))
    if kind == "cited":
        return building.cited_block(draw(STREAM_CITATIONS), *draw(PIECES), "so")
    if kind == "thinking":
        return building.thinking_block(*draw(PIECES), signature=draw(st.sampled_from([None, "EqQB"])))
    if kind == "redacted":
        return building.block({"type": "redacted_thinking", "data": "eA=="})
    if kind == "hosted":
        call_id = call_id.replace("toolu", "srv")
        given = draw(st.sampled_from([('{"query":', '"q"}'), ('{"query":"q","beam":3}',), ("{}",), ()]))
        asked = building.call_block(call_id, "web_search", *given, kind="server_tool_use")
        found = draw(st.sampled_from(["srv_0", "srv_1", "srv_2"]))
        code = building.call_block(call_id, "code_execution", '{"code":"1"}', kind="server_tool_use")
        return draw(st.sampled_from([asked, asked, code, building.block({**SEARCHED, "tool_use_id": found})]))
    if kind == "mcp":
        asked = building.call_block(call_id, "n", *draw(fragments()), kind="mcp_tool_use", server_name="s")
        gave: Json = draw(st.sampled_from([{"content": "x"}, {"content": "", "is_error": True}]))
        of = draw(st.sampled_from(["toolu_0", "toolu_1", "toolu_2"]))
        result = building.block({"type": "mcp_tool_result", "tool_use_id": of, **gave})
        return draw(st.sampled_from([asked, asked, result]))
    if kind == "unknown":
        return building.block({"type": "hologram", "beam": 3}, {"type": "hologram_delta", "beam": 4})
    return building.call_block(call_id, draw(NAMES), *draw(fragments()))


@st.composite
def streams(draw: st.DrawFn) -> Events:
    """Blocks one after the other; calls in turns too, which the indexes allow, though no server is known to do it."""
    more: Json = draw(st.sampled_from([{}, {}, {"container": None}, {"x": 1}]))
    start = building.message_start(draw(FIRST_USAGE), **more)
    given = [draw(blocks(f"toolu_{index}")) for index in range(draw(st.integers(0, 4)))]
    sequences = [building.numbered(index, events) for index, events in enumerate(given)]
    inner: list[Json] = []
    for is_call, neighbours in groupby(sequences, lambda one: one[0]["content_block"]["type"] == "tool_use"):
        run = list(neighbours)
        inner += draw(interleaved(run)) if is_call and draw(st.booleans()) else [event for one in run for event in one]
    called = any(event.get("content_block", {}).get("type") == "tool_use" for event in inner)
    ending = building.message_delta("tool_use") if called and draw(st.integers(0, 3)) else draw(LAST_DELTAS)
    usage = draw(LAST_USAGE)
    if usage is not None:
        ending = {**ending, "usage": usage}
    events = [with_unknown(draw, event) for event in (start, *inner, ending, building.MESSAGE_STOP)]
    for extra in draw(st.lists(st.sampled_from([building.PING, {"type": "telemetry", "n": 1}]), max_size=2)):
        events.insert(draw(st.integers(1, len(events) - 1)), extra)
    return deepcopy(events)


STRATEGIES = {"request": REQUESTS, "response": RESPONSES, "error": ERRORS, "stream": streams()}
