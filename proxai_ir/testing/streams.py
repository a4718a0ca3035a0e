"""Laws of streams: events converted one by one, cut off anywhere, folded to a response, kept as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

from attrs import define, field

import proxai_ir
from proxai_ir import Diagnostic, Severity, StreamConverter, StreamError, TranslationError
from proxai_ir.ir.stream.events import Stream

from ..ir import json_form as ir_json
from ..ir.response import Response
from ..ir.stream.aggregate import fold
from .payloads import Case, assert_refused, assert_reported, canonical, converted, known, spoil
from .pointers import DEEP_OR_NOT_JSON, mutants, orders
from .reading import Events, Json, Readings, reading_of

NONE: Mapping[str, Any] = {}

# --- one stream, one converter ----------------------------------------------------------------------------------------


@define
class Fed:
    """A converter after a stream, with the events that it returned and the error that ended it, if any."""

    converter: StreamConverter
    out: Events = field(factory=list)
    error: TranslationError | None = None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self.converter.diagnostics

    def found(self, *severities: str) -> list[tuple[str, str]]:
        """Return rule and pointer of each diagnostic, of all severities unless some are given."""
        return [(one.rule, one.path) for one in self.diagnostics if not severities or one.severity in severities]

    def rule(self) -> str:
        return self.error.rule if self.error is not None else ""


def fed(events: Iterable[Any], src: str, dst: str, *, close: bool = True, **options: Any) -> Fed:
    """Convert events one by one until one is refused, and close the converter; other exceptions are not caught."""
    done = Fed(StreamConverter(src, dst, **options))
    try:
        for event in events:
            done.out += done.converter.feed(event)
        if close:
            done.out += done.converter.close()
    except TranslationError as error:
        assert_refused(error)
        done.error = error
    return done


def lowered(events: Events, protocol: str) -> Stream:
    stream = proxai_ir.lower(events, protocol, kind="stream")
    assert isinstance(stream, Stream)
    return stream


def folded(events: Events, protocol: str) -> Response:
    """Return the response that the events of a stream add up to in the IR."""
    stream = lowered(events, protocol)
    return fold([event for step in (*stream.steps, stream.ending) for event in step])


# --- any events at all ------------------------------------------------------------------------------------------------

POSITION = re.compile(r"/(\d+)(?:/|$)")


def converts_or_is_refused(events: Events, src: str, dst: str, readings: Readings, **options: Any) -> Fed:
    """Assert that events convert, or are refused at a place that exists, and the target then gets its error event."""
    done = fed(events, src, dst, **options)
    assert_reported((*done.diagnostics, *(done.error.diagnostics if done.error else ())), events)
    if done.error is None:
        assert src == dst or done.out
        return done
    if events:
        assert POSITION.match(done.error.path), f"{done.error} does not name an event"
    after = done.converter.close(error_event=True)
    reading = reading_of(dst, readings)
    if src == dst:  # events are passed through in whatever order they come (STR-18)
        assert not after or failed_once(reading.outcomes(after)), f"after {done.error}: {after}"
        return done
    outcomes = reading.outcomes([*done.out, *after])
    if not any(outcomes[: len(done.out)]):  # whatever was converted by then: it is not the whole response
        assert failed_once(outcomes), f"after {done.error}: {after}"
    return done


def is_not_changed(events: Events, src: str, dst: str, **options: Any) -> None:
    """Assert that events are not changed, and that two conversions give the same, in the same order of members."""
    before = repr(events)
    first, second = fed(events, src, dst, **options), fed(deepcopy(events), src, dst, **options)
    assert repr(events) == before
    assert repr(first.out) == repr(second.out)
    assert first.diagnostics == second.diagnostics


def survives_any_order(events: Events, src: str, dst: str, readings: Readings, **options: Any) -> None:
    """Assert that a stream with one event missing, repeated or exchanged with another converts or is refused."""
    for order in orders(events):
        converts_or_is_refused(order, src, dst, readings, **options)


def survives_mutation(
    events: Events, src: str, dst: str, readings: Readings, every: bool = False, **options: Any
) -> None:
    """Assert that a stream with a wrong value at any place converts to a legal one or is refused."""
    for wrong, changed in mutants(events, every):
        if not isinstance(changed, list):  # in place of the whole stream
            continue
        done = converts_or_is_refused(changed, src, dst, readings, **options)
        if done.error is None and src != dst and wrong not in DEEP_OR_NOT_JSON:
            is_legal(done.out, dst)


def refuses_more_in_strict_mode(events: Events, src: str, dst: str, readings: Readings, **options: Any) -> None:
    """Assert that strict mode refuses losses and nothing else, and gives the same events until then (LOS-2)."""
    done = fed(events, src, dst, **options)
    strict = converts_or_is_refused(events, src, dst, readings, **{**options, "strict": True})
    lost = {one.rule for one in done.diagnostics if one.severity is Severity.LOSS}
    if done.error is None:
        assert (strict.error is None) == (not lost)
    assert strict.out == done.out[: len(strict.out)]
    if strict.error is not None:
        assert {one.rule for one in strict.error.diagnostics} & {*lost, done.rule()}


def reaches_a_target(events: Events, src: str, targets: Iterable[str], options: Mapping[str, Any] = NONE) -> int:
    """Assert that a sample converts to one other protocol at least, as no law shows anything otherwise."""
    listed = [*targets]
    done = {dst: fed(events, src, dst, **known(options, src, dst)) for dst in listed}
    whys = "; ".join(f"{dst}: {one.error}" for dst, one in done.items())
    assert not listed or any(one.error is None for one in done.values()), f"it reaches no target: {whys}"
    return len(listed)


# --- to the same protocol ---------------------------------------------------------------------------------------------


def is_relayed(events: Events, protocol: str) -> None:
    """Assert that between a protocol and itself each event comes out as the same object."""
    done = fed(events, protocol, protocol)
    assert done.error is None
    assert len(done.out) == len(events)
    assert all(made is event for made, event in zip(done.out, events, strict=True))
    assert done.diagnostics == ()


def is_legal(events: Events, protocol: str) -> None:
    """Assert that a stream is accepted by its own reader and comes back from the IR."""
    assert canonical(proxai_ir.raise_to(lowered(events, protocol), protocol)) == canonical(events)


def is_kept_in_json(events: Events, protocol: str, targets: Iterable[str], options: Mapping[str, Any] = NONE) -> None:
    """Assert that the JSON form of a stream's IR, with its source, comes back and converts as the events do."""
    stream = lowered(events, protocol)
    data = ir_json.dumps(stream, source=True)
    back = ir_json.loads(data)
    assert isinstance(back, Stream)
    assert back == stream
    assert canonical(proxai_ir.raise_to(back, protocol)) == canonical(events)
    for dst in targets:
        given: Any = known(options, protocol, dst)
        done = fed(events, protocol, dst, **given)
        try:
            assert (proxai_ir.raise_to(back, dst, **given), None) == (done.out, done.error)
        except TranslationError as error:
            assert error.rule == done.rule()
    assert ir_json.dumps(stream, source=True) == ir_json.dumps(back, source=True) == data  # raising changes nothing


# --- prefixes ---------------------------------------------------------------------------------------------------------


def opened(events: Events, src: str, dst: str, **options: Any) -> tuple[StreamConverter, Events]:
    """Return a converter after these events, and the events that it returned."""
    converter = StreamConverter(src, dst, **options)
    return converter, [one for event in events for one in converter.feed(event)]


def legible(events: Events, src: str, dst: str, **options: Any) -> int:
    """Return how many events are converted before one is refused, mostly all of them."""
    converter = StreamConverter(src, dst, **options)
    for position, event in enumerate(events):
        try:
            converter.feed(event)
        except TranslationError:
            return position
    return len(events)


def prefix_ends_legally(events: Events, cut: int, src: str, dst: str, readings: Readings, **options: Any) -> Events:
    """Assert that a stream that is cut off never looks complete (STR-2); return all events that the client gets."""
    reading = reading_of(dst, readings)
    prefix = events[:cut]
    converter, out = opened(prefix, src, dst, **options)
    if reading_of(src, readings).is_complete(prefix):
        out += converter.close(error_event=True)
        outcomes = reading.outcomes(out)
        assert src == dst or outcomes[-1] == "end" or failed_once(outcomes)
        assert src == dst or "end" not in outcomes[:-1]
        return out
    try:
        converter.close()
    except StreamError as error:
        assert (error.rule, error.path) == ("STR-2", f"/{cut - 1}" if prefix else "")
    else:
        passed_through = src == dst and any(one.rule == "STR-18" for one in converter.diagnostics)
        assert passed_through, "a stream that was cut off is closed as if it were whole"
        return out
    ending = opened(prefix, src, dst, **options)[0].close(error_event=True)
    outcomes = reading.outcomes(out + ending)
    assert failed_once(outcomes)
    assert "end" not in outcomes
    return out + ending


def failed_once(outcomes: list[str]) -> bool:
    """Return whether the stream ends with an error, which several events in a row may report."""
    errors = outcomes.count("error")
    return errors > 0 and outcomes[-errors:] == ["error"] * errors


def every_prefix_ends_legally(events: Events, src: str, dst: str, readings: Readings, **options: Any) -> None:
    """Assert that a stream cut after any event ends legally, and that its output begins that of the whole (STR-1)."""
    last = legible(events, src, dst, **options)
    whole = opened(events[:last], src, dst, **options)[1]
    for cut in range(last + 1):
        prefix_ends_legally(events, cut, src, dst, readings, **options)
        out = opened(events[:cut], src, dst, **options)[1]
        assert out == whole[: len(out)]


# --- whole responses --------------------------------------------------------------------------------------------------


def folding_commutes(events: Events, src: str, dst: str, readings: Readings, **options: Any) -> int:
    """Assert that converting and then folding a stream gives the same as folding and then converting it (STR-11).

    If a refusal became known too late (REF-6), its text is the content. A stream has already sent a call that was cut
    off, and a whole response is without it (TUL-29).
    """
    done = fed(events, src, dst, **options)
    source = reading_of(src, readings)
    if "error" in source.outcomes(events) or done.rule() == "STR-5":  # what only whole responses can express
        return 0
    if "TUL-29" in {one.rule for one in done.diagnostics}:
        return 0
    conversion = converted(Case(src, "response", source.whole(events), options), dst)
    if isinstance(conversion, TranslationError):
        assert done.rule() == conversion.rule
        return 1
    reading = reading_of(dst, readings)
    if "TUL-29" in {one.rule for one in conversion.diagnostics}:  # no arguments, which a stream may show to be whole
        return 0
    if conversion.kind == "error":  # the response failed (STS-9), and may hold what the target cannot express
        assert done.error is not None or reading.outcomes(done.out)[-1] == "error"
        return 1
    assert done.error is None
    found, expected = reading.summary(reading.whole(done.out)), reading.summary(conversion.output)
    if "SMP-7" in conversion.rules and expected.get("scores") == []:  # those of several texts, of a whole response
        expected["scores"] = found["scores"]
    _assert_alike(found, expected, done, has_items(folded(events, src)))
    return 1


def _assert_alike(found: Json, expected: Json, done: Fed, items: bool) -> None:
    reported = {one.rule for one in done.diagnostics}
    if "REF-6" in reported and "refusal" not in found:  # the text is the refusal; only whole responses repeat it
        expected |= {key: found[key] for key in ("ending", "citations", "scores") if key in found}
    elif "REF-6" in reported:
        assert not found["refusal"]
        refused = expected["refusal"]
        assert found["text"] == refused or (items and found["text"].replace("\n\n", "") == refused)
        expected |= {"text": found["text"], "refusal": found["refusal"], "citations": found["citations"]}
    assert paragraphs_joined(found, items) == paragraphs_joined(expected, items)


def has_items(response: Response) -> bool:
    """Return whether a response has several items."""
    return any(turn.continues for candidate in response.candidates for turn in candidate.turns)


def paragraphs_joined(summary: dict[str, Any], items: bool = False) -> dict[str, Any]:
    """Return a summary without the blank lines in reasoning, and in text of `items`, which no stream has."""
    return {**summary, **{key: summary[key].replace("\n\n", "") for key in ("thinking", *(["text"] if items else ()))}}


def folds_agree(events: Events, src: str, dst: str, readings: Readings, **options: Any) -> int:
    """Assert that the library's own fold gives the same before and after the conversion.

    This excludes citations, whose place a delta does not give, ids of searches, as events have parts and no items, and
    scores, which a stream sends before it is known whether they belong to the text.
    """
    done = fed(events, src, dst, **options)
    if done.error is not None or {"REF-6", "TUL-29"} & {one.rule for one in done.diagnostics}:
        return 0
    reading = reading_of(dst, readings)
    if reading.outcomes(done.out)[-1] == "error":  # there is no response
        return 0
    there, source = proxai_ir.raise_to(folded(done.out, dst), dst), folded(events, src)
    items = has_items(source)
    here = proxai_ir.raise_to(source, dst, **options)
    found, expected = reading.summary(there), reading.summary(here)
    found, expected = paragraphs_joined(found, items), paragraphs_joined(expected, items)
    apart = dict.fromkeys(("citations", "searches", "scores"))
    assert {**found, **apart} == {**expected, **apart}
    return 1


# --- nothing is shared ------------------------------------------------------------------------------------------------


def shares_nothing_between_events(events: Events, src: str, dst: str, **options: Any) -> int:
    """Assert that a caller may change an event, and later events and other streams stay as they are."""
    last = legible(events, src, dst, **options)
    for _ in range(2):
        expected, spoiled = StreamConverter(src, dst, **options), StreamConverter(src, dst, **options)
        for event in deepcopy(events[:last]):
            sound, made = deepcopy(expected.feed(event)), spoiled.feed(event)
            assert made == sound
            for one in made:
                spoil(one)
        assert spoiled.close(error_event=True) == expected.close(error_event=True)
    return last
