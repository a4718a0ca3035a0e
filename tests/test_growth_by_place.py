"""Work grows with the payload wherever it grows: in every reader, every pass of the pipeline, every form of bytes.

What is held is found, not listed: places in the samples of each protocol, the table of passes with the examples of the
specification, the framings, the forms of files and of exports. A pass fails here if no example makes it work.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from io import BytesIO
from types import CodeType
from typing import Any

import orjson
import pyarrow
import pytest
from pyarrow import parquet

from proxai_ir import TranslationError, framing
from proxai_ir.bulk import documents, lines, sources
from proxai_ir.bulk.job import FIRST_ROW, Job
from proxai_ir.exports import FORMS, compile_export
from proxai_ir.framing import aws_event_stream
from proxai_ir.matrix.specification import Example, spec
from proxai_ir.passes import pipeline

from .growing import Growth, converting, events_again, growths, reading
from .samples import PROTOCOLS, others, samples
from .samples.bedrock_converse import building as bedrock
from .samples.openai_chat_completions import building as chat
from .test_spec import compiled
from .work import steps, steps_within

CHAT, ANTHROPIC = "openai_chat_completions", "anthropic_messages"
KINDS = ("request", "response", "error", "stream")
SMALL, LARGE = 40, 400
MOST = 10.5
"""How many times the steps of the smaller size the larger one may take, which is ten times as large."""

Run = Callable[[], Any]


def excess(run: Callable[[Any], None], growth: Growth) -> Iterator[str]:
    """What grows faster than the payload at a place, if it does."""
    small, large = (steps(partial(run, growth.make(size))) for size in (SMALL, LARGE))
    if large > MOST * small:
        yield f"{growth.pattern}: {small} and {large}"


def test_work_for_each_pair_of_elements_would_show() -> None:
    def run(payload: Any) -> None:
        for element in payload["a"]:
            [None for other in payload["a"] if other is element]

    (growth, *_) = (one for one in growths({"a": [{"id": "x", "size": 1}]}) if one.pattern == "/a renamed")
    assert [*excess(run, growth)]


# --- readers ----------------------------------------------------------------------------------------------------------


def places_of(protocol: str, kind: str) -> Iterator[Growth]:
    """The places of all samples of a kind, those of one pattern once."""
    seen: set[str] = set()
    for sample in samples(kind):
        if sample.protocol == protocol:
            payload = sample.make()
            for growth in (*growths(payload), *(events_again(payload) if kind == "stream" else ())):
                if kind == "stream" and growth.pattern.startswith(" "):
                    continue  # the whole stream again, behind its end
                if growth.pattern not in seen:
                    seen.add(growth.pattern)
                    yield growth


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_steps_of_a_reader_grow_with_each_place(protocol: str, kind: str) -> None:
    found = [*places_of(protocol, kind)]
    assert len(found) > 3, "no sample of the kind"
    assert [line for growth in found for line in excess(partial(reading, protocol=protocol, kind=kind), growth)] == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_steps_of_a_conversion_grow_with_each_place(protocol: str, kind: str) -> None:
    """To one target for each place, in turn."""
    wrong: list[str] = []
    for number, growth in enumerate(places_of(protocol, kind)):
        dst = others(protocol)[number % len(others(protocol))]
        wrong += [f"{dst} {line}" for line in excess(partial(converting, src=protocol, dst=dst, kind=kind), growth)]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("dst", PROTOCOLS)
@pytest.mark.parametrize("src", PROTOCOLS)
def test_steps_of_every_conversion_grow_with_each_list(src: str, dst: str) -> None:
    wrong: list[str] = []
    for kind in KINDS:
        for growth in places_of(src, kind):
            if growth.pattern.endswith(("renamed", "repeated", "many times")):
                wrong += excess(partial(converting, src=src, dst=dst, kind=kind), growth)
    assert wrong == []


# --- passes -----------------------------------------------------------------------------------------------------------

EXAMPLES = [
    one for section in spec() for one in section.examples if one.kind in (None, "request", "response", "stream")
]
OF_EACH = 3
"""By how many examples a pass is measured: those in which it works most."""
ONCE = {
    "ask": "it looks at the turns up to the first that is no instruction",
    "ask_once": "it looks at a setting",
    "wrap": "it looks at a format",
}
"""Passes whose work has a size of its own, and why."""


def code_of(step: pipeline.Step) -> CodeType:
    """The function that does the work of a pass; that of `legalize` is made for each target."""
    if step.run is pipeline.legalize:
        return next(one for one in pipeline._judge_of.__code__.co_consts if isinstance(one, CodeType))
    made: CodeType = step.run.__code__
    return made


PASSES = {step.run.__name__: code_of(step) for step in pipeline.ORDER}
STAGED = frozenset(code_of(step) for step in pipeline.ORDER if step.staged)


def run_example(example: Example, payload: Any) -> None:
    try:
        assert compiled(example, payload).diagnostics is not None
    except TranslationError as error:
        assert str(error)


@cache
def work() -> dict[str, list[Example]]:
    """For each pass the examples in which it works most."""
    found: dict[CodeType, Counter[int]] = {code: Counter() for code in PASSES.values()}
    for number, example in enumerate(EXAMPLES):
        try:
            payload = json.loads(example.given)
        except ValueError:
            continue
        for code, count in steps_within(partial(run_example, example, payload), found.keys(), STAGED).items():
            found[code][number] = count
    return {name: [EXAMPLES[at] for at, _ in found[code].most_common(OF_EACH)] for name, code in PASSES.items()}


@pytest.mark.parametrize("name", PASSES)
def test_steps_of_a_pass_grow_with_each_place(name: str) -> None:
    """A pass has an example, as every rule has; in one of them it has more to do where the payload has more."""
    code, wrong, most = PASSES[name], list[str](), 0.0
    assert work()[name], "no example of the specification makes it work"
    for example in work()[name]:
        for growth in growths(json.loads(example.given)):
            runs = [partial(run_example, example, growth.make(size)) for size in (SMALL // 2, LARGE // 2)]
            small, large = (steps_within(run, PASSES.values(), STAGED)[code] for run in runs)
            if large > MOST * max(small, 1):
                wrong.append(f"{example.id} {growth.pattern}: {small} and {large}")
            most = max(most, large / max(small, 1))
    assert wrong == []
    assert (most < GROWS) == (name in ONCE)


GROWS = 4
"""How many times as much a pass has to do somewhere if its work has no size of its own."""


# --- bytes ------------------------------------------------------------------------------------------------------------

FRAMINGS = [one for one in vars(framing).values() if isinstance(one, framing.Framing)]
DELTA: Any = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}}
OF_BEDROCK: Any = {"contentBlockDelta": bedrock.delta(text="x")}


def event_of(form: framing.Framing) -> Any:
    return OF_BEDROCK if form is framing.AWS_EVENT_STREAM else DELTA


def framed(form: framing.Framing, events: list[Any]) -> bytes:
    first, between, last = form.around
    return first + between.join(form.encode(one, ANTHROPIC) for one in events) + last


def decoding(form: framing.Framing, data: bytes, size: int) -> Run:
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    return lambda: [*framing.decoded(form.decoder(), pieces)]


def assert_grows(make: Callable[[int], Run], sizes: tuple[int, int] = (SMALL, LARGE)) -> None:
    small, large = (steps(make(size)) for size in sizes)
    assert large <= MOST * small


each_framing = pytest.mark.parametrize("form", FRAMINGS, ids=lambda form: form.name)


@each_framing
@pytest.mark.parametrize("size", [1, 7, 1_000_000])
def test_steps_of_a_framing_grow_with_the_events(form: framing.Framing, size: int) -> None:
    assert [*decoding(form, framed(form, [event_of(form)] * 3), size)()] == [event_of(form)] * 3
    assert_grows(lambda count: decoding(form, framed(form, [event_of(form)] * count), size))


@each_framing
def test_steps_of_a_framing_grow_with_an_event(form: framing.Framing) -> None:
    """It comes in pieces of seven bytes."""

    def long(count: int) -> Run:
        text = "word " * count
        event = {"contentBlockDelta": bedrock.delta(text=text)} if form is framing.AWS_EVENT_STREAM else {"text": text}
        return decoding(form, framed(form, [event]), 7)

    assert_grows(long)


def test_steps_of_a_frame_grow_with_its_headers() -> None:
    def with_headers(count: int) -> Run:
        headers = {f"h{number}": "value" for number in range(count)}
        event = {**OF_BEDROCK, aws_event_stream.HEADERS: headers}
        return decoding(framing.AWS_EVENT_STREAM, aws_event_stream.encode(event), 1_000)

    assert_grows(with_headers)


# --- files ------------------------------------------------------------------------------------------------------------

ROW = chat.request(chat.user("Hi"))


def file_of(form: str, count: int) -> bytes:
    """A file of so many rows, or for a form of one row with so many turns or events."""
    if form == sources.PARQUET:
        return table_of(count)
    if form == documents.DOCUMENT:
        return orjson.dumps(chat.request(*[chat.user("Hi")] * count))
    if form == documents.EVENTS:
        return b"".join(framing.SSE.encode(one, CHAT) for one in chat.stream(*[{"content": "x"}] * count))
    if form == documents.ARCHIVE:
        entry = {"request": {"url": "https://a.test/v1", "postData": {"text": json.dumps(ROW)}}, "response": {}}
        return orjson.dumps({"log": {"entries": [entry] * count}})
    return lines.compressed((orjson.dumps(ROW) + b"\n") * count, form)


def table_of(count: int) -> bytes:
    made = BytesIO()
    parquet.write_table(pyarrow.table({"payload": [orjson.dumps(ROW).decode()] * count}), made)
    return made.getvalue()


@pytest.mark.parametrize("form", sorted(set(sources.ENDS.values())))
def test_steps_of_a_form_of_files_grow_with_the_rows(form: str) -> None:
    kind = "stream" if form == documents.EVENTS else "request"
    job = Job(CHAT, ANTHROPIC, kind=kind, chunk=10_000)

    def converted(count: int) -> Run:
        data = file_of(form, count)

        def run() -> None:
            done = [sources.convert(one, job) for one in sources.chunks(BytesIO(data), form, job, 0, FIRST_ROW)]
            assert sum(one.tally.converted for one in done) == (count if form not in ONE_ROW else 1)

        return run

    assert_grows(converted)


ONE_ROW = (documents.DOCUMENT, documents.EVENTS)

# --- exports and batches ----------------------------------------------------------------------------------------------

CALLED = chat.assistant(tool_calls=[chat.call("tide", '{"port": "Brest"}')])
TOLD = chat.request(chat.user("High tide?"), CALLED, chat.result("At noon."), tools=[chat.tool("tide")])
PAIR = {"request": TOLD, "response": chat.response(content="It is at noon.")}


def pair_for(form: str) -> Any:
    return {**PAIR, "rejected": chat.response(content="No.")} if form == "preference" else PAIR


def exported(value: Any, src: str, dst: str) -> Any:
    try:
        return compile_export(value, src, dst).output
    except TranslationError as error:
        assert str(error)


@pytest.mark.parametrize("form", FORMS)
def test_steps_of_an_export_grow_with_each_place(form: str) -> None:
    assert exported(pair_for(form), CHAT, form) is not None
    run = partial(exported, src=CHAT, dst=form)
    assert [line for growth in growths(pair_for(form)) for line in excess(run, growth)] == []


@pytest.mark.parametrize("form", FORMS)
def test_steps_of_reading_an_export_grow_with_each_place(form: str) -> None:
    line = exported(pair_for(form), CHAT, form)
    run = partial(exported, src=form, dst=CHAT)
    assert [one for growth in growths(line) for one in excess(run, growth)] == []


OF_BATCHES = [one for section in spec() for one in section.examples if one.kind == "batch"][:8]


@pytest.mark.parametrize("example", OF_BATCHES, ids=lambda example: example.id)
def test_steps_of_a_line_of_a_batch_grow_with_each_place(example: Example) -> None:
    found = growths(json.loads(example.given))
    assert [line for growth in found for line in excess(partial(run_example, example), growth)] == []
