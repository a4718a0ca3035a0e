"""Laws of requests, responses and error bodies, and the test whether two payloads of one protocol mean the same.

The law of total accounting: if any value of a payload changes, the output or a diagnostic changes, or the conversion is
refused (LOS-1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any, cast

import orjson
from attrs import evolve, field, frozen

import proxai_ir

from .. import Conversion, Diagnostic, Severity, TranslationError
from ..api import Kind
from ..conversion.options import SHARED, options_among
from ..protocol.registry import backend, frontend
from ..reporting.catalogue import KNOWN
from ..reporting.diagnostics import FAILED
from .pointers import DEEP_OR_NOT_JSON, EXTRA, Path, at, exists, members, mutants, places, pointer_to, replaced
from .reading import Conversation, Reading, Readings, reading_of


@frozen
class Case:
    """A payload of a protocol and a kind; `options` are those of its conversions to targets that have them."""

    protocol: str
    kind: Kind
    payload: Any
    options: Mapping[str, Any] = field(factory=dict)

    def towards(self, dst: str) -> dict[str, Any]:
        """Return the kind and the options of a conversion."""
        return {"kind": self.kind, **known(self.options, self.protocol, dst)}


Targets = Iterable[str]
Law = Callable[[Case, Targets], int | None]
"""Raises AssertionError. A law that may not apply to some conversions returns how many it examined."""


def known(options: Mapping[str, Any], src: str, dst: str) -> dict[str, Any]:
    """Return the options that conversions from one protocol to another have."""
    if not options:
        return {}
    names = {*SHARED, *options_among(frontend(src).settings), *options_among(backend(dst).target.settings)}
    return {name: value for name, value in options.items() if name in names}


def converted(case: Case, dst: str) -> Conversion[Any] | TranslationError:
    try:
        return proxai_ir.compile(case.payload, case.protocol, dst, **case.towards(dst))
    except TranslationError as error:
        assert_refused(error)
        return error


def assert_refused(error: TranslationError) -> None:
    """Assert that an error is about the payload, and was not caused by an exception in the code of the protocol."""
    if error.rule == FAILED:
        raise AssertionError(error.diagnostics[0].message) from error


def reaches_a_target(case: Case, targets: Targets) -> int:
    """Assert that a sample converts to one other protocol at least, as no law shows anything otherwise."""
    refused = {dst: done for dst in targets if isinstance(done := converted(case, dst), TranslationError)}
    listed = [*targets]
    whys = "; ".join(f"{dst}: {error}" for dst, error in refused.items())
    assert not listed or len(refused) < len(listed), f"it reaches no target: {whys}"
    return len(listed)


def is_lossy(done: Conversion[Any]) -> bool:
    return any(one.severity is Severity.LOSS for one in done.diagnostics)


def assert_reported(diagnostics: Iterable[Diagnostic], payload: Any) -> None:
    """Assert that each diagnostic has a known rule, its severity, a message, and a pointer into the payload."""
    for one in diagnostics:
        assert one.severity.value in (KNOWN[one.rule].severity, "error")  # strict mode makes losses errors
        assert exists(payload, one.path), f"{one.rule} points at {one.path}, which does not exist"
        assert one.message


# --- every payload converts or is refused -----------------------------------------------------------------------------


def converts_or_is_refused(case: Case, targets: Targets) -> None:
    """Assert that any payload converts or raises TranslationError, with rules and pointers."""
    for dst in (*targets, case.protocol):
        done = converted(case, dst)
        assert_reported(done.diagnostics, case.payload)
        refusals = [one for one in done.diagnostics if one.severity is Severity.ERROR]
        if isinstance(done, TranslationError):
            assert list(done.diagnostics) == refusals
            assert (done.rule, done.path) == (refusals[0].rule, refusals[0].path)
        else:
            assert refusals == []
            assert (done.src, done.dst) == (case.protocol, dst)


def is_checked_as_it_is_converted(case: Case, targets: Targets) -> None:
    """Assert that `check` reports what `compile` reports or raises, and raises nothing itself."""
    for dst in (*targets, case.protocol):
        found = proxai_ir.check(case.payload, case.protocol, dst, **case.towards(dst))
        assert found == converted(case, dst).diagnostics


def is_not_changed(case: Case, targets: Targets) -> None:
    """Assert that arguments are not changed, and that two conversions give the same, in the same order of members."""
    twin = evolve(case, payload=deepcopy(case.payload))
    for dst in targets:
        first, second = converted(case, dst), converted(twin, dst)
        assert first.diagnostics == second.diagnostics
        assert repr(getattr(first, "output", None)) == repr(getattr(second, "output", None))
    assert canonical(case.payload) == canonical(twin.payload)
    assert list(shape(case.payload)) == list(shape(twin.payload))


def does_in_bytes_as_in_dicts(case: Case, targets: Targets) -> None:
    """Assert that bytes become bytes, with the same content that the parsed payload becomes."""
    data = orjson.dumps(case.payload)
    for dst in targets:
        parsed = converted(evolve(case, payload=orjson.loads(data)), dst)
        raw = converted(evolve(case, payload=data), dst)
        assert type(raw) is type(parsed)
        assert raw.diagnostics == parsed.diagnostics
        if isinstance(raw, Conversion) and isinstance(parsed, Conversion):
            assert repr(orjson.loads(raw.output)) == repr(parsed.output)
            assert raw.kind == parsed.kind


def shares_nothing_between_outputs(case: Case, targets: Targets) -> int:
    """Assert that a caller may change an output, and the next conversion still gives what the first did."""
    examined = 0
    for dst in targets:
        done = converted(evolve(case, payload=deepcopy(case.payload)), dst)  # may share schemas with it
        if isinstance(done, Conversion):
            before = deepcopy(done.output)
            spoil(done.output)
            assert proxai_ir.convert(case.payload, case.protocol, dst, **case.towards(dst)) == before
            examined += 1
    return examined


def spoil(value: Any) -> None:
    """Change every object and array in a payload."""
    if isinstance(value, dict):
        for one in value.values():
            spoil(one)
        value["spoiled"] = True
    elif isinstance(value, list):
        for one in value:
            spoil(one)
        value.append("spoiled")


# --- what is carried arrives ------------------------------------------------------------------------------------------


def comes_back(case: Case, targets: Targets = ()) -> None:
    """Assert that a payload comes back unchanged from the IR into its own protocol (LOS-4)."""
    protocol, kind, payload = case.protocol, case.kind, case.payload
    assert proxai_ir.convert(payload, protocol, protocol, kind=kind) is payload
    back = proxai_ir.raise_to(proxai_ir.lower(payload, protocol, kind=kind), protocol)
    assert canonical(back) == canonical(payload)


ONLY_READ = frozenset({"VID-1", "TUL-2", "CAC-8"})
"""Refusals of content that a protocol reads and does not write: only its extensions or some servers have it, or a limit
of 0 is the only request for no output."""
AS_TEXT = frozenset({"DOC-6", "OUT-16", "PLC-27", "PLC-70"})
"""Rules by which a file becomes text of its message, or text is added that a server requires."""


def goes_there_and_back(case: Case, targets: Targets, readings: Readings) -> int:
    """Assert that model, texts, calls and results of a request survive a round trip that reports no loss (LOS-1)."""

    def source(payload: Any, messages: bool) -> Conversation:
        return reading_of(case.protocol, readings).conversation(payload).joined(messages)

    examined = 0
    for dst in targets:
        there = converted(case, dst)
        if isinstance(there, TranslationError) or is_lossy(there):
            continue
        if rewrites(there):
            continue
        joined = "PLC-8" in there.rules
        found = reading_of(dst, readings).conversation(there.output).joined(joined)
        found.model = found.model or there.route.get("model")  # some protocols have it outside the body
        expected = source(case.payload, joined)
        expected.model = expected.model or case.options.get("model")
        assert found == expected
        examined += 1
        back = converted(Case(dst, case.kind, there.output), case.protocol)
        if isinstance(back, TranslationError) and back.rule in ONLY_READ:
            continue
        assert isinstance(back, Conversion), f"our own output is refused: {back}"
        if not is_lossy(back) and not rewrites(back):
            joined = joined or "PLC-8" in back.rules
            assert source(back.output, joined) == source(case.payload, joined)
    return examined


def rewrites(conversion: Conversion[Any]) -> bool:
    """Return whether a conversion rewrites ids or names, or adds words."""
    return not {"TUL-26", "TUL-46", *AS_TEXT}.isdisjoint(conversion.rules)


def gives_sound_output(case: Case, targets: Targets, readings: Readings) -> int:
    """Assert that an output is accepted by its own protocol, comes back from the IR, and can be read by a reading."""
    examined = 0
    for dst in targets:
        done = converted(case, dst)
        if isinstance(done, Conversion):
            assert_sound(Case(dst, cast("Kind", done.kind), done.output), reading_of(dst, readings))
            examined += 1
    return examined


def assert_sound(case: Case, reading: Reading) -> None:
    comes_back(case)
    {"request": reading.conversation, "response": reading.summary, "error": reading.message}[case.kind](case.payload)


# --- every place of a payload -----------------------------------------------------------------------------------------


def accounts_for_every_member(case: Case, targets: Targets) -> int:
    """Assert that payloads without a member, or with an unknown one, convert or are refused, and come back from the IR.

    The unknown member arrives or is reported (LOS-1).
    """
    lost: list[str] = []
    examined = 0
    for change, payload, pointer in members(case.payload):
        changed = evolve(case, payload=payload)
        try:
            node = proxai_ir.lower(payload, case.protocol, kind=case.kind)
        except TranslationError as error:
            assert_refused(error)
            assert_reported(error.diagnostics, payload)
            continue
        if not _same(canonical(proxai_ir.raise_to(node, case.protocol)), canonical(payload)):
            lost.append(f"{change}: it does not come back from the IR")
        for dst in targets:
            done = converted(changed, dst)
            assert_reported(done.diagnostics, payload)
            examined += isinstance(done, Conversion)
            if pointer and isinstance(done, Conversion) and EXTRA not in repr(done.output):
                if not any(_covers(one, pointer) for one in done.diagnostics):
                    lost.append(f"{change}: {pointer} is neither carried nor reported towards {dst}")
    assert not lost, "; ".join(lost)
    return examined


CONSTANTS = {"type", "object", "role", "mode", "index", "name", "arguments"}


def _same(back: Any, payload: Any) -> bool:
    """Return whether two payloads are equal, except for constants that were added, and empty objects."""
    if isinstance(back, dict) and isinstance(payload, dict):
        added = {key for key in back.keys() - payload.keys() if key in CONSTANTS or back[key] == {}}
        gone = {key for key in payload.keys() - back.keys() if payload[key] == {}}
        return (back.keys() - added) == (payload.keys() - gone) and all(
            _same(back[key], payload[key]) for key in back.keys() & payload.keys()
        )
    if isinstance(back, list) and isinstance(payload, list):
        return len(back) == len(payload) and all(map(_same, back, payload))
    return bool(back == payload)


def _covers(one: Diagnostic, pointer: str) -> bool:
    """Return whether a diagnostic names a member, or covers it by naming an object that holds it."""
    holds = bool(one.path) and pointer.startswith(one.path + "/")
    return one.path == pointer or (holds and (one.severity is Severity.LOSS or KNOWN[one.rule].whole))


def survives_mutation(case: Case, targets: Targets, readings: Readings, every: bool = False) -> None:
    """Assert that payloads with a wrong value at any place convert to sound output or are refused."""
    for wrong, payload in mutants(case.payload, every):
        changed = evolve(case, payload=payload)
        if type(payload) is object or (isinstance(payload, str) and case.kind != "error"):
            continue  # this is no wrong payload but a wrong argument (TypeError)
        converts_or_is_refused(changed, targets)
        try:
            proxai_ir.raise_to(proxai_ir.lower(payload, case.protocol, kind=case.kind), case.protocol)
        except TranslationError as error:
            assert_refused(error)
            assert_reported(error.diagnostics, payload)
        if wrong not in DEEP_OR_NOT_JSON:
            gives_sound_output(changed, targets, readings)


OPTIONS = frozenset({"filters", "stream_options"})
"""Members whose empty object asks for nothing."""


def canonical(value: Any) -> Any:
    """Return a payload in one of its equivalent forms: without null, [] and empty options, one text as a string."""
    if isinstance(value, dict):
        made = {key: canonical(item) for key, item in value.items()}
        return {key: item for key, item in made.items() if not _is_empty(key, item)}
    if isinstance(value, list):
        items = [canonical(item) for item in value]
        plain = len(items) == 1 and isinstance(items[0], dict) and items[0].keys() == {"type", "text"}
        return items[0]["text"] if plain and items[0]["type"] == "text" else items
    if isinstance(value, float):
        return ("float", repr(value))  # 1.0 is not 1, and NaN is itself
    if isinstance(value, bool):
        return ("bool", value)
    return value


def _is_empty(key: str, value: Any) -> bool:
    return value is None or value == [] or (value == {} and key in OPTIONS)


def shape(value: Any) -> Iterator[Any]:
    """Yield types, and keys in their order, which equality does not compare."""
    yield type(value)
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from shape(item)
    elif isinstance(value, list):
        for item in value:
            yield from shape(item)


def accounts_for_every_leaf(
    case: Case, targets: Iterable[str], repeats: Callable[[str], object] = lambda _: False
) -> int:
    """Assert that a change of any string, number or boolean of a payload shows in each target.

    A diagnostic that names the value, or an object or array that holds it, is enough, even if it does not change.
    `repeats` tells whether the value at a pointer repeats another one, so that it may be ignored.
    """
    before = {dst: done for dst in targets if not isinstance(done := converted(case, dst), TranslationError)}
    silent: list[str] = []
    examined = 0
    for path, value in leaves(case.payload):
        pointer = pointer_to(path)
        if repeats(pointer):
            continue
        changed = evolve(case, payload=replaced(case.payload, path, other(value)))
        examined += len(before)
        for dst, old in before.items():
            new = converted(changed, dst)
            if isinstance(new, TranslationError) or repr(new.output) != repr(old.output):
                continue
            if new.diagnostics == old.diagnostics and not any(_names(one, pointer) for one in new.diagnostics):
                silent.append(f"{pointer} ({value!r:.40}) towards {dst}")
    assert not silent, "neither carried, nor reported, nor refused: " + "; ".join(silent)
    return examined


def leaves(payload: Any) -> Iterator[tuple[Path, Any]]:
    """Yield every string, number and boolean with its place; null counts as absent."""
    for path in places(payload):
        value = at(payload, path)
        if path and isinstance(value, (str, int, float)):
            yield path, value


def other(value: str | float | bool) -> Any:
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    return f"{value}x" if isinstance(value, str) else value + 1


def _names(one: Diagnostic, pointer: str) -> bool:
    """Return whether a diagnostic names the value at a pointer, or a container of it other than the whole payload."""
    return bool(one.path) and (pointer == one.path or pointer.startswith(one.path + "/"))
