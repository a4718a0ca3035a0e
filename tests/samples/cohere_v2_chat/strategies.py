"""Generated /v2/chat payloads: sound, a few with unknown members."""

from __future__ import annotations

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
from .building import OUTPUT, PAGE

# --- messages ---------------------------------------------------------------------------------------------------------

TOOL_NAMES = NAMES.map(lambda name: name.replace("-", "_"))
"""Those that Cohere takes; others come back renamed."""
TEXT = rarely(st.fixed_dictionaries(tagged("text", text=WORDS)))
THOUGHT = st.fixed_dictionaries(tagged("thinking", thinking=WORDS))
IMAGE = st.fixed_dictionaries(
    tagged(
        "image_url",
        image_url=some(
            {"url": st.one_of(URLS, BASE64.map(lambda data: f"data:image/png;base64,{data}"))},
            detail=st.sampled_from(["auto", "low", "high", "odd"]),
        ),
    )
)
HOLOGRAM = st.just({"type": "hologram", "beam": 3})
DATA = st.one_of(
    WORDS,
    st.fixed_dictionaries({"text": WORDS}),
    st.fixed_dictionaries({"text": WORDS, "title": WORDS}),
    st.just({"snippet": "s", "page": 3}),
)
DOCUMENT = rarely(some({"data": DATA}, id=IDS))
CITATION = st.sampled_from(
    [
        building.cites(0, 1, "H", PAGE),
        building.cites(0, 1, "H", OUTPUT, type="TEXT_CONTENT"),
        building.cites(0, 1, "H", PAGE, PAGE, content_index=0),
        building.cites(0, 1, "H", OUTPUT, type="PLAN"),
        building.cites(0, 1, "H", OUTPUT, type="THINKING_CONTENT"),
    ]
)
USER = st.fixed_dictionaries(
    {
        "role": st.just("user"),
        "content": st.one_of(WORDS, st.lists(st.one_of(TEXT, TEXT, IMAGE, HOLOGRAM), min_size=1, max_size=3)),
    }
)
CONTENT = st.lists(st.one_of(TEXT, TEXT, THOUGHT), min_size=1, max_size=3)
ASSISTANT = some(
    {"role": st.just("assistant"), "content": st.one_of(WORDS, CONTENT)}, citations=st.lists(CITATION, max_size=2)
)


def call(id_: str) -> Strategy:
    return fragments().flatmap(lambda pieces: TOOL_NAMES.map(lambda name: building.call(id_, name, "".join(pieces))))


@st.composite
def exchanges(draw: st.DrawFn) -> list[Json]:
    """A message with calls, and the messages that answer all of them."""
    ids = draw(st.lists(IDS, min_size=1, max_size=2, unique=True))
    asks = draw(some({"role": st.just("assistant")}, tool_plan=WORDS, content=st.lists(THOUGHT, max_size=1)))
    block = st.one_of(TEXT, DOCUMENT.map(lambda one: {"type": "document", "document": one}))
    content = st.one_of(WORDS, st.lists(block, min_size=1, max_size=2))
    return [
        {**asks, "tool_calls": [draw(call(id_)) for id_ in ids]},
        *(building.result(draw(content), id_) for id_ in ids),
    ]


EPISODES = st.one_of(USER.map(lambda one: [one]), ASSISTANT.map(lambda one: [one]), exchanges(), exchanges())


@st.composite
def conversations(draw: st.DrawFn) -> list[Json]:
    system = [{"role": "system", "content": draw(WORDS)}] if draw(FLAGS) else []
    rest = draw(st.lists(EPISODES, max_size=3))
    return [*system, draw(USER), *(message for episode in rest for message in episode)]


# --- requests ---------------------------------------------------------------------------------------------------------

FUNCTION = some({"name": TOOL_NAMES, "parameters": SCHEMAS}, description=TEXTS)
TOOLS = st.one_of(
    rarely(st.fixed_dictionaries(tagged("function", function=FUNCTION))), st.just({"type": "teleport", "beam": 3})
)
SETTINGS: dict[str, Strategy] = {
    "documents": st.lists(st.one_of(WORDS, DOCUMENT), max_size=2),
    "citation_options": st.sampled_from([{"mode": "FAST"}, {"mode": "OFF"}, {"mode": "ENABLED"}, {}]),
    "safety_mode": st.sampled_from(["CONTEXTUAL", "STRICT", "OFF", "ODD"]),
    "tools": st.lists(TOOLS, min_size=1, max_size=2),
    "tool_choice": st.sampled_from(["REQUIRED", "NONE", "ODD"]),
    "strict_tools": FLAGS,
    "max_tokens": LIMITS,
    "stop_sequences": st.lists(TEXTS, max_size=5),
    "temperature": NUMBERS,
    "p": NUMBERS,
    "k": COUNTS,
    "seed": COUNTS,
    "frequency_penalty": NUMBERS,
    "presence_penalty": NUMBERS,
    "logprobs": FLAGS,
    "priority": COUNTS,
    "thinking": st.sampled_from(
        [{"type": "enabled"}, {"type": "disabled"}, {"type": "enabled", "token_budget": 500}, {"type": "odd"}]
    ),
    "response_format": st.one_of(
        st.sampled_from([{"type": "text"}, {"type": "json_object"}, {"type": "yaml"}]),
        SCHEMAS.map(lambda schema: {"type": "json_object", "json_schema": schema}),
    ),
    "stream": FLAGS,
}
REQUESTS = rarely(some({"model": st.just("command-a-03-2025"), "messages": conversations()}, **SETTINGS))

# --- responses --------------------------------------------------------------------------------------------------------

USAGE = rarely(
    some(
        {"tokens": st.fixed_dictionaries({"input_tokens": COUNTS, "output_tokens": COUNTS})},
        billed_units=st.fixed_dictionaries({"input_tokens": COUNTS, "search_units": COUNTS}),
        cached_tokens=COUNTS,
    )
)
WORD = st.sampled_from(["COMPLETE", "COMPLETE", "STOP_SEQUENCE", "MAX_TOKENS", "TOOL_CALL", "TIRED"])


@st.composite
def responses(draw: st.DrawFn) -> Json:
    message = draw(some({"role": st.just("assistant")}, content=CONTENT, citations=st.lists(CITATION, max_size=2)))
    ids = draw(st.lists(IDS, max_size=2, unique=True))
    if ids:
        message |= draw(some({}, tool_plan=WORDS)) | {"tool_calls": [draw(call(id_)) for id_ in ids]}
    extra = draw(some({"usage": USAGE}))
    return {"id": "gen_1", "finish_reason": draw(WORD), "message": message, **extra}


RESPONSES = rarely(responses())
ERRORS = rarely(some({"message": TEXTS}, id=IDS))

# --- streams ----------------------------------------------------------------------------------------------------------


@st.composite
def streams(draw: st.DrawFn) -> Events:
    content = draw(st.lists(st.sampled_from(["text", "text", "thinking"]), max_size=3))
    found: Events = []
    for index, kind in enumerate(content):
        pieces = draw(PIECES)
        found += building.block(index, kind, *pieces)
        if kind == "text" and any(pieces) and draw(FLAGS):  # an empty text is dropped with its citations (CIT-1)
            found[-1:-1] = building.cited(index, building.cites(0, 1, "H", PAGE, content_index=index))
    found += building.plan(*draw(PIECES)) if draw(FLAGS) else []
    for index, id_ in enumerate(draw(st.lists(IDS, max_size=2, unique=True))):
        found += building.call_events(index, id_, draw(TOOL_NAMES), *draw(fragments()))
    if draw(st.integers(0, 5)) == 0:
        return [building.START, *found, {"message": "internal server error"}]
    return [with_unknown(draw, event) for event in (building.START, *found, building.end(draw(WORD)))]


STRATEGIES = {"request": REQUESTS, "response": RESPONSES, "error": ERRORS, "stream": streams()}
