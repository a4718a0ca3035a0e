"""Generated payloads of Gemini Interactions: sound, a few with unknown members."""

from __future__ import annotations

from copy import deepcopy

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
    rarely,
    some,
    tagged,
    with_unknown,
)
from . import building
from .streams import CITATION

# --- content ----------------------------------------------------------------------------------------------------------

TEXT = st.fixed_dictionaries(tagged("text", text=WORDS))
ANNOTATION = st.sampled_from(
    [
        {"type": "url_citation", "url": "https://e.com", "title": "T"},
        {"type": "url_citation", "url": "https://e.com", "start_index": 0, "end_index": 1},
        {"type": "file_citation", "file_name": "a.pdf", "page_number": 3},
    ]
)
CITED = st.fixed_dictionaries(tagged("text", text=WORDS, annotations=st.lists(ANNOTATION, max_size=1)))
IMAGES = st.one_of(
    some(
        tagged("image", data=BASE64, mime_type=st.sampled_from(["image/png", "image/jpeg"])),
        resolution=st.sampled_from(["low", "high", "ultra_high"]),
    ),
    st.fixed_dictionaries(tagged("image", uri=URLS, mime_type=st.just("image/png"))),
)
DOCUMENTS = st.one_of(
    st.fixed_dictionaries(tagged("document", data=BASE64, mime_type=st.sampled_from(["application/pdf", "text/csv"]))),
    st.fixed_dictionaries(tagged("document", uri=URLS, mime_type=st.just("application/pdf"))),
)
USER_CONTENT = st.one_of(TEXT, TEXT, TEXT, IMAGES, DOCUMENTS, rarely(TEXT), st.just({"type": "hologram", "beam": 3}))
THOUGHTS = some({"type": st.just("thought")}, summary=st.lists(TEXT, min_size=1, max_size=2), signature=st.just("c2ln"))
HOSTED: Strategy = st.sampled_from(
    [
        {"type": "google_search_call", "id": "s", "arguments": {"queries": ["q"]}},
        {"type": "google_search_call", "id": "s", "arguments": {}, "signature": "c2ln"},
        {"type": "google_search_result", "call_id": "s", "result": []},
        {"type": "google_search_result", "call_id": "s", "result": [{"search_suggestions": "<b>"}]},
        {"type": "code_execution_call", "id": "e", "arguments": {"code": "1", "language": "python"}},
        {"type": "code_execution_result", "call_id": "e", "result": "1", "is_error": False},
        {"type": "mcp_server_tool_call", "id": "m", "name": "n", "server_name": "s", "arguments": {"a": 1}},
        {"type": "mcp_server_tool_result", "call_id": "m", "result": "x"},
        {"type": "mcp_server_tool_result", "call_id": "m", "result": [{"type": "text", "text": "x"}], "beam": 3},
        {"type": "url_context_call", "id": "u", "arguments": {"urls": ["https://e.com"]}},
        {"type": "file_search_result", "call_id": "f", "result": []},
    ]
)
RUNS: Strategy = st.sampled_from(
    [
        [{"type": "google_search_call", "id": "s", "arguments": {"queries": ["q"]}}],
        [
            {"type": "google_search_call", "id": "s", "arguments": {}, "signature": "c2ln"},
            {"type": "google_search_result", "call_id": "s", "result": [{"search_suggestions": "<b>"}]},
        ],
        [
            {"type": "google_search_call", "id": "s", "arguments": {"queries": ["q"]}},
            {"type": "google_search_result", "call_id": "s", "result": []},
        ],
        [
            {"type": "code_execution_call", "id": "e", "arguments": {"code": "1", "language": "python"}},
            {"type": "code_execution_result", "call_id": "e", "result": "1", "is_error": False},
        ],
        [
            {"type": "mcp_server_tool_call", "id": "m", "name": "n", "server_name": "s", "arguments": {"a": 1}},
            {"type": "mcp_server_tool_result", "call_id": "m", "result": "x"},
        ],
        [{"type": "url_context_call", "id": "u", "arguments": {"urls": ["https://e.com"]}}],
        [{"type": "file_search_result", "call_id": "f", "result": []}],
    ]
)
"""What the provider runs, in the order that a stream has it in: a call and then its result."""


def content_step(kind: str, content: Strategy) -> Strategy:
    return st.fixed_dictionaries(tagged(kind, content=st.lists(content, min_size=1, max_size=3)))


USERS = content_step("user_input", USER_CONTENT)
MODELS = content_step("model_output", st.one_of(TEXT, TEXT, CITED))


def call(id_: str) -> Strategy:
    return rarely(st.fixed_dictionaries(tagged("function_call", id=st.just(id_), name=NAMES, arguments=OBJECTS)))


FILLED = OBJECTS.map(lambda one: one or {"a": 1})  # of an empty one generateContent has no text
RESULTS = st.one_of(TEXTS, WORDS, FILLED, st.lists(st.one_of(TEXT, TEXT, IMAGES, DOCUMENTS), min_size=1, max_size=2))


@st.composite
def exchanges(draw: st.DrawFn) -> list[Json]:
    """Calls, and the results of all of them."""
    ids = draw(st.lists(IDS, min_size=1, max_size=2, unique=True))
    before = draw(st.lists(st.one_of(MODELS, THOUGHTS, HOSTED), max_size=2))
    results = [
        draw(some(tagged("function_result", call_id=st.just(id_), result=RESULTS), name=NAMES, is_error=FLAGS))
        for id_ in ids
    ]
    return [*before, *(draw(call(id_)) for id_ in ids), *results]


EPISODES = st.one_of(
    USERS.map(lambda one: [one]), MODELS.map(lambda one: [one]), exchanges(), HOSTED.map(lambda one: [one])
)


@st.composite
def conversations(draw: st.DrawFn) -> list[Json]:
    rest = draw(st.lists(EPISODES, max_size=3))
    return [draw(USERS), *(step for episode in rest for step in episode)]


# --- requests ---------------------------------------------------------------------------------------------------------

TOOLS = st.one_of(
    some({"type": st.just("function"), "name": NAMES}, description=TEXTS, parameters=SCHEMAS, defer_loading=FLAGS),
    st.sampled_from(
        [
            {"type": "google_search"},
            {"type": "google_search", "search_types": ["web_search"]},
            {"type": "code_execution"},
            {"type": "url_context"},
            {"type": "google_maps"},
            {"type": "mcp_server", "name": "s", "url": "https://e.com/mcp", "headers": {"Authorization": "Bearer t"}},
            {"type": "mcp_server", "name": "s", "url": "https://e.com/mcp", "headers": {"X-Key": "t"}},
            {"type": "mcp_server", "name": "s", "url": "https://e.com", "allowed_tools": [{"tools": ["n"]}]},
            {"type": "teleport"},
        ]
    ),
)
CONFIG = some(
    {},
    temperature=NUMBERS,
    top_p=NUMBERS,
    seed=COUNTS,
    max_output_tokens=LIMITS,
    stop_sequences=st.lists(TEXTS, min_size=1, max_size=5),
    thinking_level=st.sampled_from(["minimal", "low", "high", "boundless"]),
    thinking_summaries=st.sampled_from(["auto", "none", "loud"]),
    tool_choice=st.one_of(
        st.sampled_from(["auto", "any", "none", "validated", "whatever"]),
        st.builds(
            lambda mode, names: {"allowed_tools": {"mode": mode, "tools": names}},
            st.sampled_from(["auto", "any", "validated"]),
            st.lists(NAMES, min_size=1, max_size=2, unique=True),
        ),
    ),
    image_config=st.just({"aspect_ratio": "1:1"}),
    speech_config=st.sampled_from([[{"voice": "Kore"}], [{"voice": "Kore", "speaker": "A"}], {"speakers": []}]),
)
SETTINGS: dict[str, Strategy] = {
    "system_instruction": WORDS,
    "tools": st.lists(TOOLS, min_size=1, max_size=2),
    "generation_config": rarely(CONFIG),
    "response_format": st.one_of(
        some({"type": st.just("text"), "mime_type": st.just("application/json")}, schema=SCHEMAS),
        st.sampled_from([{"type": "text", "mime_type": "text/plain"}, [{"type": "audio"}], {"type": "object"}]),
    ),
    "response_modalities": st.sampled_from([["text"], ["audio"], ["text", "image"]]),
    "labels": st.just({"a": "b"}),
    "service_tier": st.sampled_from(["standard", "flex", "deferred"]),
    "store": FLAGS,
    "stream": FLAGS,
    "background": FLAGS,
    "safety_settings": st.just([{"type": "harassment", "threshold": "off"}]),
    "webhook_config": JSON.filter(lambda value: value is not None),
}
REQUESTS = rarely(
    some(
        {
            "model": st.just("gemini-3-flash-preview"),
            "input": st.one_of(conversations(), conversations(), WORDS, st.lists(TEXT, min_size=1, max_size=2), TEXT),
        },
        **SETTINGS,
    )
)

# --- responses --------------------------------------------------------------------------------------------------------

USAGE = rarely(
    some(
        {"total_input_tokens": COUNTS, "total_output_tokens": COUNTS},
        total_cached_tokens=st.none() | COUNTS,
        total_thought_tokens=COUNTS,
        total_tool_use_tokens=COUNTS,
        total_tokens=COUNTS,
        input_tokens_by_modality=st.sampled_from(
            [[{"modality": "text", "tokens": 1}], [{"modality": "smell", "tokens": 1}], []]
        ),
        grounding_tool_count=st.just([{"type": "google_search", "count": 1}]),
    )
)
STATUSES = st.sampled_from(["completed", "completed", "incomplete", "budget_exceeded", "requires_continuation", "odd"])


@st.composite
def responses(draw: st.DrawFn) -> Json:
    steps = draw(st.lists(st.one_of(MODELS, MODELS, THOUGHTS, HOSTED), max_size=2))
    calls = [draw(call(id_)) for id_ in draw(st.lists(IDS, max_size=2, unique=True))]
    status = "requires_action" if calls else draw(STATUSES)
    fixed = {"id": "v1_1", "status": status, "object": "interaction", "model": "gemini-3-flash-preview"}
    extra = draw(
        some(
            {"usage": USAGE},
            created=st.sampled_from(["2026-06-09T12:01:25Z", "2026-06-09T12:01:25.5Z"]),
            service_tier=st.sampled_from(["standard", "deferred"]),
            input=TEXTS,
        )
    )
    return {**fixed, "steps": [*steps, *calls], **extra}


RESPONSES = rarely(responses())
ERRORS = rarely(
    st.fixed_dictionaries(
        {
            "error": rarely(
                some(
                    {"message": TEXTS},
                    code=st.sampled_from(["not_found", "internal", "resource_exhausted", "odd"]),
                )
            )
        }
    )
)

# --- streams ----------------------------------------------------------------------------------------------------------


@st.composite
def steps(draw: st.DrawFn, call_id: str) -> list[list[Json]]:
    """One step of some kind, or what the provider runs; `call_id` is the call's, if there is one."""
    kind = draw(st.sampled_from(["text", "text", "cited", "thought", "call", "call", "hosted", "unknown"]))
    if kind == "text":
        return [building.text_step(*draw(PIECES))]
    if kind == "cited":
        start, *deltas = building.text_step(*draw(PIECES), "so")
        cited = {
            "event_type": "step.delta",
            "delta": {"type": "text_annotation_delta", "annotations": [CITATION]},
        }
        return [[start, *deltas[:-1], cited, deltas[-1]]]
    if kind == "thought":
        return [building.thought_step(*draw(PIECES), signature=draw(st.sampled_from([None, "EqQB"])))]
    if kind == "hosted":
        return [_run(step, call_id) for step in draw(RUNS)]
    if kind == "unknown":
        return [building.step({"type": "hologram", "beam": 3})]
    return [building.call_step(call_id, draw(NAMES), *draw(fragments()))]


def _run(whole: Json, call_id: str) -> list[Json]:
    ids = dict.fromkeys({"id", "call_id"} & whole.keys(), call_id)
    named = {key: value for key, value in whole.items() if key in ("type", "name", "server_name")}
    return building.step(named | ids, {key: value for key, value in whole.items() if key not in ids})


@st.composite
def streams(draw: st.DrawFn) -> Events:
    given = [step for index in range(draw(st.integers(0, 4))) for step in draw(steps(f"call_{index}"))]
    inner = [event for index, events in enumerate(given) for event in building.numbered(index, events)]
    called = any(event.get("step", {}).get("type") == "function_call" for event in inner)
    status = "requires_action" if called else draw(STATUSES)
    start, update, end, done = building.stream(status=status)
    events = [with_unknown(draw, event) for event in (start, update, *inner, end)]
    for extra in draw(st.lists(st.just({"event_type": "telemetry", "n": 1}), max_size=2)):
        events.insert(draw(st.integers(1, len(events) - 1)), extra)
    return deepcopy([*events, done])


STRATEGIES = {"request": REQUESTS, "response": RESPONSES, "error": ERRORS, "stream": streams()}
