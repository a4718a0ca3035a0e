"""Generated payloads of Ollama's `/api/chat`: sound, a few with unknown members."""

from __future__ import annotations

from hypothesis import strategies as st

from ..sample import Events, Json, Strategy
from ..words import (
    ARGUMENTS,
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
    WORDS,
    rarely,
    some,
    with_unknown,
)
from .building import METRICS, SCORES, chunk, last

# --- requests ---------------------------------------------------------------------------------------------------------

IMAGES = st.lists(st.one_of(BASE64, st.just("/9j/4AAQSkZJRg==")), min_size=1, max_size=2)
TOOLS = some(
    {"function": some({"name": NAMES}, description=TEXTS, parameters=SCHEMAS)}, type=st.just("function"), items=JSON
)
OPTIONS = some(
    {},
    temperature=NUMBERS,
    top_p=NUMBERS,
    top_k=LIMITS,
    seed=COUNTS,
    stop=st.one_of(WORDS, st.lists(WORDS, max_size=2)),
    num_predict=st.one_of(LIMITS, st.sampled_from([-1, -2])),
    frequency_penalty=NUMBERS,
    presence_penalty=NUMBERS,
    num_ctx=LIMITS,
    min_p=NUMBERS,
)


@st.composite
def _conversations(draw: st.DrawFn) -> list[Json]:
    """Questions, calls with their results, answers."""
    messages: list[Json] = [{"role": "system", "content": draw(WORDS)}] if draw(FLAGS) else []
    for _ in range(draw(st.integers(1, 2))):
        messages.append(draw(rarely(some({"role": st.just("user"), "content": WORDS}, images=IMAGES))))
        if draw(FLAGS):
            named = draw(st.lists(NAMES, min_size=1, max_size=2))
            calls = [{"function": {"name": name, "arguments": draw(OBJECTS)}} for name in named]
            messages.append({"role": "assistant", "content": "", "tool_calls": calls, "thinking": draw(TEXTS)})
            messages += [{"role": "tool", "tool_name": name, "content": draw(TEXTS)} for name in named]
        messages.append(draw(some({"role": st.just("assistant"), "content": WORDS}, thinking=TEXTS)))
    return [*messages, {"role": "user", "content": draw(WORDS)}]


REQUESTS = rarely(
    some(
        {"model": st.just("qwen3"), "messages": _conversations()},
        tools=st.lists(TOOLS, max_size=2),
        options=OPTIONS,
        think=st.sampled_from([True, False, "low", "high", "max", "hard"]),
        format=st.one_of(st.just("json"), st.just(""), SCHEMAS),
        stream=FLAGS,
        keep_alive=st.sampled_from(["5m", 0, -1]),
        logprobs=FLAGS,
        top_logprobs=COUNTS,
        truncate=FLAGS,
        shift=FLAGS,
    )
)

# --- responses --------------------------------------------------------------------------------------------------------

CALLS = st.lists(
    some({"function": st.fixed_dictionaries({"name": NAMES, "arguments": OBJECTS})}, id=IDS),
    min_size=1,
    max_size=2,
    unique_by=lambda call: call.get("id", id(call)),
)
MESSAGES = rarely(some({"role": st.just("assistant"), "content": WORDS}, thinking=TEXTS, tool_calls=CALLS))
TIMES = st.sampled_from(["2023-12-12T14:13:43.416799Z", "2023-12-12T14:13:43Z", "2025-01-01T00:00:00.123456789+02:00"])
RESPONSES = rarely(
    some(
        {"model": st.just("qwen3"), "created_at": TIMES, "message": MESSAGES, "done": st.just(True)},
        done_reason=st.sampled_from(["stop", "length", "load", "exploded"]),
        prompt_eval_count=COUNTS,
        prompt_eval_cached_count=COUNTS,
        eval_count=COUNTS,
        total_duration=COUNTS,
        logprobs=st.just(SCORES),
        remote_model=NAMES,
    )
)
ERRORS = rarely(some({"error": TEXTS}, signin_url=TEXTS))

# --- streams ----------------------------------------------------------------------------------------------------------


@st.composite
def _streams(draw: st.DrawFn) -> Events:
    found: Events = [with_unknown(draw, chunk(1, thinking=piece)) for piece in draw(PIECES)]
    found += [with_unknown(draw, chunk(2, content=piece)) for piece in ["Well", *draw(PIECES)]]
    for name in draw(st.lists(NAMES, max_size=2)):
        found.append(chunk(3, tool_calls=[{"function": {"name": name, "arguments": draw(ARGUMENTS)}}]))
    if draw(st.integers(0, 5)) == 0:
        return [*found, {"error": "out of memory"}]
    reason = draw(st.sampled_from(["stop", "length"]))
    return [*found, last(4, done_reason=reason, **draw(st.sampled_from([{}, METRICS])))]


STRATEGIES: dict[str, Strategy] = {"request": REQUESTS, "response": RESPONSES, "error": ERRORS, "stream": _streams()}
