"""Generated Chat Completions payloads: sound, a few with unknown members."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import strategies as st

from ..openai import ARGUMENTS, BREAKPOINTS, ERRORS
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

# --- messages ---------------------------------------------------------------------------------------------------------

MARKERS = {"prompt_cache_breakpoint": BREAKPOINTS, "cache_control": st.just({"type": "ephemeral", "ttl": "1h"})}
TEXT_PARTS = some(tagged("text", text=TEXTS), **MARKERS)
IMAGES = some(
    tagged(
        "image_url",
        image_url=some({"url": URLS | st.just("data:image/png;base64,aGk=")}, detail=st.sampled_from(["low", "auto"])),
    ),
    **MARKERS,
)
FILES = st.fixed_dictionaries(
    tagged(
        "file",
        file=some(
            {"file_data": st.sampled_from(["data:application/pdf;base64,aGk=", "data:text/plain;base64,aGk="])},
            filename=WORDS,
        )
        | st.just({"file_id": "file-1"}),
    )
)
AUDIO = st.fixed_dictionaries(
    tagged(
        "input_audio", input_audio=st.fixed_dictionaries({"data": BASE64, "format": st.sampled_from(["wav", "mp3"])})
    )
)
ODD_PARTS = st.one_of(
    AUDIO,
    st.just({"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}}),
    st.just({"type": "document_url", "document_url": "https://example.com/a.pdf"}),
    st.just({"type": "hologram", "beam": 3}),
)
PARTS = st.one_of(TEXT_PARTS, TEXT_PARTS, TEXT_PARTS, IMAGES, IMAGES, FILES, rarely(TEXT_PARTS), ODD_PARTS)
TEXT_CONTENT = st.one_of(TEXTS, TEXTS, st.lists(TEXT_PARTS, min_size=1, max_size=2))
USERS = some(
    {"role": st.just("user"), "content": st.one_of(TEXTS, st.lists(PARTS, min_size=1, max_size=3))}, name=NAMES
)
INSTRUCTIONS = some({"role": st.sampled_from(["system", "developer"]), "content": TEXT_CONTENT}, name=NAMES)
ASSISTANT = st.one_of(
    st.fixed_dictionaries({"role": st.just("assistant"), "content": TEXT_CONTENT}),
    st.fixed_dictionaries({"role": st.just("assistant"), "content": WORDS, "reasoning_content": WORDS}),
    st.fixed_dictionaries({"role": st.just("assistant"), "content": st.none(), "refusal": WORDS}),
    st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "content": st.just([{"type": "refusal", "refusal": "No."}]),
            "refusal": st.none(),
        }
    ),
    rarely(st.fixed_dictionaries({"role": st.just("assistant"), "content": WORDS, "name": NAMES})),
)


def calls_of(ids: list[str]) -> Strategy:
    return st.tuples(
        *(
            st.one_of(
                *[st.fixed_dictionaries(tagged("function", id=st.just(id_), function=FUNCTIONS))] * 5,
                st.fixed_dictionaries(
                    tagged("custom", id=st.just(id_), custom=st.fixed_dictionaries({"name": NAMES, "input": TEXTS}))
                ),
            )
            for id_ in ids
        )
    ).map(list)


FUNCTIONS = st.fixed_dictionaries({"name": NAMES, "arguments": ARGUMENTS})


@st.composite
def exchanges(draw: st.DrawFn) -> list[Json]:
    """An assistant message with calls, and the results of all of them."""
    ids = draw(st.lists(IDS, min_size=1, max_size=2, unique=True))
    before = draw(some({}, content=TEXTS | st.none(), reasoning_content=WORDS))
    return [
        {"role": "assistant", **before, "tool_calls": draw(calls_of(ids))},
        *({"role": "tool", "tool_call_id": id_, "content": draw(TEXT_CONTENT)} for id_ in ids),
    ]


LEGACY = st.just(
    [
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "done"},
    ]
)
EPISODES = st.one_of(
    USERS.map(lambda one: [one]),
    USERS.map(lambda one: [one]),
    ASSISTANT.map(lambda one: [one]),
    exchanges(),
    exchanges(),
    LEGACY,
)


@st.composite
def conversations(draw: st.DrawFn) -> list[Json]:
    opening = draw(st.lists(INSTRUCTIONS, max_size=2))
    first = draw(USERS)
    rest = draw(st.lists(EPISODES | INSTRUCTIONS.map(lambda one: [one]), max_size=3))
    return [*opening, first, *(message for episode in rest for message in episode)]


# --- requests ---------------------------------------------------------------------------------------------------------

TOOLS = st.one_of(
    st.fixed_dictionaries(
        tagged("function", function=some({"name": NAMES}, description=TEXTS, parameters=SCHEMAS, strict=FLAGS))
    ),
    st.fixed_dictionaries(
        tagged("custom", custom=some({"name": NAMES}, description=TEXTS, format=st.just({"type": "text"})))
    ),
    st.just({"type": "teleport", "name": "x"}),
)
FORMATS = st.one_of(
    st.just({"type": "text"}),
    st.just({"type": "json_object"}),
    st.fixed_dictionaries(
        tagged("json_schema", json_schema=some({"name": NAMES, "schema": SCHEMAS}, strict=FLAGS, description=TEXTS))
    ),
)
SETTINGS: dict[str, Strategy] = {
    "max_tokens": LIMITS,
    "max_completion_tokens": LIMITS,
    "temperature": NUMBERS,
    "top_p": NUMBERS,
    "stop": st.one_of(WORDS, st.lists(TEXTS, min_size=1, max_size=5)),
    "seed": COUNTS,
    "frequency_penalty": NUMBERS,
    "presence_penalty": NUMBERS,
    "logit_bias": st.just({"5": 1}),
    "n": st.sampled_from([1, 1, 1, 2]),
    "logprobs": FLAGS,
    "top_logprobs": COUNTS,
    "reasoning_effort": st.sampled_from(["none", "minimal", "low", "high", "max", "boundless"]),
    "response_format": FORMATS,
    "verbosity": st.sampled_from(["low", "medium", "high"]),
    "modalities": st.sampled_from([["text"], ["text", "audio"]]),
    "tools": st.lists(TOOLS, min_size=1, max_size=2),
    "functions": st.just([{"name": "f", "parameters": {"type": "object"}}]),
    "tool_choice": st.one_of(
        st.sampled_from(["auto", "none", "required", "whatever"]),
        st.fixed_dictionaries(tagged("function", function=st.fixed_dictionaries({"name": NAMES}))),
    ),
    "parallel_tool_calls": FLAGS,
    "web_search_options": some({}, search_context_size=st.just("low")),
    "prompt_cache_key": TEXTS,
    "prompt_cache_options": st.sampled_from([{"mode": "implicit"}, {"mode": "explicit", "ttl": "30m"}, {"ttl": "9m"}]),
    "service_tier": st.sampled_from(["auto", "default", "flex", "priority", "fast", "slow"]),
    "safety_identifier": IDS,
    "user": IDS,
    "metadata": st.just({"k": "v"}),
    "store": FLAGS,
    "stream": FLAGS,
    "stream_options": some({"include_usage": FLAGS}),
    "moderation": JSON,
}
REQUESTS = rarely(some({"model": st.just("gpt-5"), "messages": conversations()}, **SETTINGS))

# --- responses --------------------------------------------------------------------------------------------------------

ANNOTATIONS = st.lists(
    st.just(
        {
            "type": "url_citation",
            "url_citation": {"url": "https://e.com", "title": "T", "start_index": 0, "end_index": 1},
        }
    ),
    max_size=1,
)
MESSAGES = rarely(
    some(
        {"role": st.just("assistant"), "content": st.one_of(WORDS, TEXTS, st.none())},
        refusal=st.none() | WORDS,
        reasoning_content=WORDS,
        annotations=ANNOTATIONS,
        tool_calls=st.lists(IDS, min_size=1, max_size=2, unique=True).flatmap(calls_of),
        function_call=st.just({"name": "f", "arguments": "{}"}),
    )
)


def choice(index: int) -> Strategy:
    ends = st.sampled_from(["stop", "stop", "length", "tool_calls", "content_filter", "function_call", "tired", None])
    return some(
        {"index": st.just(index), "message": MESSAGES, "finish_reason": ends},
        logprobs=st.none() | st.just({"content": []}),
    )


USAGE = rarely(
    some(
        {"prompt_tokens": COUNTS, "completion_tokens": COUNTS, "total_tokens": COUNTS},
        prompt_tokens_details=some({"cached_tokens": COUNTS}, audio_tokens=COUNTS),
        completion_tokens_details=some({"reasoning_tokens": COUNTS}, accepted_prediction_tokens=COUNTS),
    )
)
RESPONSES = rarely(
    some(
        {
            "id": st.just("chatcmpl-1"),
            "object": st.just("chat.completion"),
            "model": st.just("gpt-5"),
            "choices": st.one_of(
                *[st.tuples(choice(0)).map(list)] * 5, st.tuples(choice(0), choice(1)).map(list), st.just([])
            ),
        },
        created=COUNTS,
        usage=USAGE,
        service_tier=st.sampled_from(["default", "fast", "slow"]),
        system_fingerprint=IDS,
    )
)

# --- streams ----------------------------------------------------------------------------------------------------------

CALL_IDS = st.sampled_from(["call_", "call_", "call./"])  # the last is rewritten for anthropic (TUL-13)
REASONING = st.sampled_from([("reasoning_content",), ("reasoning",), ("reasoning", "reasoning_content")])


@st.composite
def call_deltas(draw: st.DrawFn, first: int) -> list[Json]:
    """One to three calls, whose fragments are interleaved, alone or several in one delta."""
    sequences = []
    for index in range(first, first + draw(st.integers(1, 3))):
        opening, *more = draw(fragments()) or [""]
        begun = building.fragment(index, opening, draw(CALL_IDS) + str(index), draw(NAMES))
        sequences.append([begun, *(building.fragment(index, piece) for piece in more)])
    pieces = draw(interleaved(sequences))
    deltas = []
    while pieces:
        size = draw(st.integers(1, 3))
        deltas.append(building.calls(*pieces[:size]))
        pieces = pieces[size:]
    return deltas


@st.composite
def deltas(draw: st.DrawFn) -> list[Json]:
    """What a choice contains, part by part."""
    reasoning, found, calls = draw(REASONING), [], 0
    kinds = draw(
        st.lists(st.sampled_from(["content", "content", "reasoning", "calls", "calls", "nothing"]), max_size=4)
    )
    if not kinds or draw(st.integers(0, 5)) == 0:  # last, as a whole response does not keep what came before it
        kinds.append("refusal")
    for kind in kinds:
        if kind == "calls":
            found += draw(call_deltas(calls))
            calls = 1 + max(piece["index"] for delta in found for piece in delta.get("tool_calls", ()))
        elif kind == "nothing":
            found.append(draw(st.sampled_from([{}, {"content": ""}, {"content": None}, {"role": "assistant"}])))
        else:
            members = reasoning if kind == "reasoning" else (kind,)
            pieces = draw(PIECES)
            if kind == "refusal":  # of texts that no content repeats, which would arrive once (REF-11)
                pieces = ["No. ", *pieces]
            found += [dict.fromkeys(members, piece) for piece in pieces]
    return found


@st.composite
def streams(draw: st.DrawFn) -> Events:
    given = draw(deltas())
    called = any("tool_calls" in delta for delta in given)
    finish = draw(st.sampled_from(["tool_calls"] * 3 + ["stop", "length"] if called else ["stop"] * 3 + ["length"]))
    if not called and draw(st.integers(0, 9)) == 0:
        finish = "content_filter"
    first: Json = {"role": "assistant", "content": draw(st.sampled_from(["", None]))}
    more: Json = draw(st.sampled_from([{}, {}, {"obfuscation": "x1"}, {"usage": None}, {"service_tier": "default"}]))
    running = {**more, **draw(st.sampled_from([{}] * 4 + [{"usage": {"prompt_tokens": 9, "completion_tokens": 1}}]))}
    events: Events = [
        *(building.chunk(delta, **running) for delta in (first, *given)),
        building.chunk({}, finish, **more),
    ]
    if draw(st.booleans()):
        details: Json = draw(st.sampled_from([{}, {"prompt_tokens_details": {"cached_tokens": 4}}]))
        last = {**more, **building.usage_chunk()}
        events.append({**last, "usage": {**last["usage"], **details}})
    events = [with_unknown(draw, event) for event in events]
    return deepcopy([*events, building.DONE] if draw(st.booleans()) else events)


STRATEGIES = {"request": REQUESTS, "response": RESPONSES, "error": ERRORS, "stream": streams()}
