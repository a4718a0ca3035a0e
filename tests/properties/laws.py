"""The laws, each a function of one payload that asserts; LAWS says which payloads each is tried on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import orjson
from hypothesis import strategies as st

import proxai_ir
from proxai_ir import Severity, TranslationError
from proxai_ir.rules.catalogue import RULES

from . import anthropic, chat, items
from .core import core
from .equality import canonical
from .pointing import exists
from .samples import ANTHROPIC, CHAT, RESPONSES, others
from .vandal import vandalised
from .words import Strategy

Case = tuple[str, str, Any]
"""Protocol, kind, payload."""

Law = Callable[[Case], None]


def _converted(case: Case, dst: str) -> proxai_ir.Conversion | TranslationError:
    protocol, kind, payload = case
    try:
        return proxai_ir.compile(payload, protocol, dst, kind=kind)
    except TranslationError as error:
        return error


def _assert_named(diagnostics: tuple[proxai_ir.Diagnostic, ...], payload: Any) -> None:
    for one in diagnostics:
        assert one.code in RULES
        assert one.severity.value == RULES[one.code].severity
        assert exists(payload, one.path), f"{one.code} points at {one.path}, which is not there"
        assert one.message


def converts_or_says_why(case: Case) -> None:
    """Any payload converts or raises TranslationError with known rules and existing pointers; it is not changed."""
    protocol, _, payload = case
    before = deepcopy(payload)
    for dst in (*others(protocol), protocol):
        done = _converted(case, dst)
        _assert_named(done.diagnostics, payload)
        if isinstance(done, TranslationError):
            assert (done.rule, done.path) == (done.diagnostics[0].code, done.diagnostics[0].path)
            assert all(one.severity is Severity.ERROR for one in done.diagnostics)
        else:
            assert all(one.severity is not Severity.ERROR for one in done.diagnostics)
            assert (done.src, done.dst) == (protocol, dst)
    assert canonical(payload) == canonical(before)
    assert list(_shape(payload)) == list(_shape(before))


def _shape(value: Any) -> Any:
    """Types and keys in order: what equality does not look at."""
    yield type(value)
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _shape(item)
    elif isinstance(value, list):
        for item in value:
            yield from _shape(item)


def is_deterministic(case: Case) -> None:
    """Twice the same, to the order of members; a copy of the payload does as well."""
    protocol, kind, payload = case
    for dst in others(protocol):
        first, second = _converted(case, dst), _converted((protocol, kind, deepcopy(payload)), dst)
        assert type(first) is type(second)
        assert first.diagnostics == second.diagnostics
        if isinstance(first, proxai_ir.Conversion) and isinstance(second, proxai_ir.Conversion):
            assert repr(first.output) == repr(second.output)


def check_never_raises(case: Case) -> None:
    """`check` says what `compile` says or raises."""
    protocol, kind, payload = case
    for dst in (*others(protocol), protocol):
        assert proxai_ir.check(payload, protocol, dst, kind=kind) == _converted(case, dst).diagnostics


def comes_back(case: Case) -> None:
    """Identity: through the IR into its own protocol a payload says what it said (LOS-4)."""
    protocol, kind, payload = case
    assert proxai_ir.convert(payload, protocol, protocol, kind=kind) is payload
    back = proxai_ir.raise_to(proxai_ir.lower(payload, protocol, kind=kind), protocol)
    assert canonical(back) == canonical(payload)


def bytes_do_as_dicts_do(case: Case) -> None:
    """Bytes in, bytes out; they hold what the parsed payload becomes."""
    protocol, kind, payload = case
    data = orjson.dumps(payload)
    for dst in others(protocol):
        parsed = _converted((protocol, kind, orjson.loads(data)), dst)
        raw = _converted((protocol, kind, data), dst)
        assert type(raw) is type(parsed)
        assert raw.diagnostics == parsed.diagnostics
        if isinstance(raw, proxai_ir.Conversion) and isinstance(parsed, proxai_ir.Conversion):
            assert isinstance(raw.output, bytes)
            assert repr(orjson.loads(raw.output)) == repr(parsed.output)
            assert raw.kind == parsed.kind


def there_and_back(case: Case) -> None:
    """What neither way reports as lost is there at the end: model, texts, calls and results (LOS-1)."""
    protocol, kind, payload = case
    for dst in others(protocol):
        there = _converted(case, dst)
        if isinstance(there, TranslationError) or _lossy(there):
            continue
        assert core(there.output, dst) == core(payload, protocol)
        back = _converted((dst, kind, there.output), protocol)
        assert isinstance(back, proxai_ir.Conversion), f"what we made is refused: {back}"
        if not _lossy(back):
            assert core(back.output, protocol) == core(payload, protocol)


def _lossy(done: proxai_ir.Conversion) -> bool:
    return any(one.severity is Severity.LOSS for one in done.diagnostics)


def output_is_sound(case: Case) -> None:
    """What comes out is sound in its own protocol, and goes through the IR there unchanged."""
    protocol, _, _ = case
    for dst in others(protocol):
        done = _converted(case, dst)
        if isinstance(done, proxai_ir.Conversion):
            comes_back((dst, done.kind, done.output))


def _cases(kinds: Mapping[tuple[str, str], Strategy]) -> Strategy:
    return st.one_of(*(st.tuples(st.just(name), st.just(kind), made) for (name, kind), made in kinds.items()))


REQUESTS: dict[tuple[str, str], Strategy] = {
    (CHAT, "request"): chat.REQUESTS,
    (ANTHROPIC, "request"): anthropic.REQUESTS,
    (RESPONSES, "request"): items.REQUESTS,
}
ANSWERS: dict[tuple[str, str], Strategy] = {
    (CHAT, "response"): chat.RESPONSES,
    (ANTHROPIC, "response"): anthropic.RESPONSES,
    (RESPONSES, "response"): items.RESPONSES,
    (CHAT, "error"): chat.ERRORS,
    (ANTHROPIC, "error"): anthropic.ERRORS,
    (RESPONSES, "error"): items.ERRORS,
}
SOUND = {**REQUESTS, **ANSWERS}
BROKEN = {key: vandalised(payloads) for key, payloads in SOUND.items()}

LAWS: dict[str, tuple[Law, Mapping[tuple[str, str], Strategy]]] = {
    "converts or says why": (converts_or_says_why, SOUND),
    "converts or says why, broken": (converts_or_says_why, BROKEN),
    "is deterministic": (is_deterministic, SOUND),
    "check never raises": (check_never_raises, BROKEN),
    "comes back": (comes_back, SOUND),
    "bytes do as dicts do": (bytes_do_as_dicts_do, SOUND),
    "there and back": (there_and_back, REQUESTS),
    "output is sound": (output_is_sound, SOUND),
}
TRIALS = [(name, key) for name, (_, kinds) in LAWS.items() for key in kinds]


def cases(name: str, key: tuple[str, str]) -> tuple[Law, Strategy]:
    """A law, and the cases of one kind of payload to try it on."""
    law, kinds = LAWS[name]
    return law, _cases({key: kinds[key]})
