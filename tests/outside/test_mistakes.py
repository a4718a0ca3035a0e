"""A mistake in the code of a package costs whoever converts a TranslationError that says where, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from attrs import evolve

import proxai_ir
from proxai_ir import TranslationError, authoring
from proxai_ir.authoring import Check
from proxai_ir.batch import convert_line
from proxai_ir.conversion import directions
from proxai_ir.ir.request import Request
from proxai_ir.protocol import registry
from proxai_ir.protocol.registry import backend, frontend
from proxai_ir.reporting import diagnostics
from proxai_ir.reporting.digest import findings
from proxai_ir.testing import Conformance, payloads, streams, tables

from ..samples import READINGS

NAME, CHAT, CLAUDE = "mistaken", "openai_chat_completions", "anthropic_messages"
FRONT, BACK = frontend(CHAT), backend(CHAT)
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
OTHER = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
CHOICE = {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
RESPONSE = {"id": "r", "object": "chat.completion", "created": 1, "model": "m", "choices": [CHOICE]}
CHUNK = {"id": "r", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}, "finish_reason": None}]}


def mistaken(*_: Any) -> Any:
    nothing: dict[str, Any] = {}
    return nothing["no such key"]


class Reader:
    def __init__(self, options: Any) -> None: ...

    def text_delta(self, event: Any, part: int, /) -> None: ...

    feed = close = mistaken


FRONTEND = evolve(FRONT, protocol=NAME, request=mistaken, response=mistaken, error=mistaken, stream=Reader)
BACKEND = evolve(BACK, protocol=NAME, request=mistaken, response=mistaken, error=mistaken, stream=mistaken)
SOUND_FRONTEND = evolve(FRONT, protocol=NAME)
CHECKED_BACKEND = evolve(
    BACK, protocol=NAME, target=evolve(BACK.target, name=NAME, checks=[Check(mistaken, (), Request)])
)
LINE = mistaken.__code__.co_firstlineno + 2
HERE = f"KeyError in {__name__}, line {LINE}, in mistaken; a mistake of the package"


def installed(monkeypatch: pytest.MonkeyPatch, **objects: str) -> None:
    entries = {
        side: {NAME: [EntryPoint(NAME, f"{__name__}:{one}", f"proxai_ir.{side}")]} for side, one in objects.items()
    }
    monkeypatch.setattr(registry, "_elsewhere", entries.__getitem__)


@pytest.fixture(autouse=True)
def mistakes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    installed(monkeypatch, frontends="FRONTEND", backends="BACKEND")
    forget()
    yield
    forget()


def forget() -> None:
    diagnostics.PACKAGES.clear()
    for known in (registry._frontend, registry._backend, registry._table, directions.direction):
        known.cache_clear()


def caught(function: Any, *arguments: Any, **options: Any) -> TranslationError:
    with pytest.raises(TranslationError) as raised:
        function(*arguments, **options)
    error = raised.value
    assert (error.rule, error.path) == ("internal", "")
    assert HERE in str(error)
    assert isinstance(error.__cause__, KeyError), "the author sees the exception itself"
    return error


def test_readers_and_builders() -> None:
    given_of: dict[Any, Any] = {"request": REQUEST, "response": RESPONSE, "error": {"error": {"message": "x"}}}
    for kind, payload in given_of.items():
        for src, dst in [(NAME, CLAUDE), (CHAT, NAME), (NAME, NAME)]:
            for given in (payload, json.dumps(payload).encode()):
                caught(proxai_ir.convert, given, src, dst, kind=kind)
                caught(proxai_ir.compile, given, src, dst, kind=kind)
        (found,) = proxai_ir.check(payload, NAME, CLAUDE, kind=kind)
        assert HERE in found.message
        assert [one.rule for one in findings([found])] == ["internal"]
    caught(proxai_ir.lower, REQUEST, NAME, kind="request")
    caught(proxai_ir.raise_to, proxai_ir.lower(OTHER, CLAUDE), NAME)
    caught(convert_line, {"custom_id": "1", "params": OTHER}, CLAUDE, NAME)


def test_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, frontends="SOUND_FRONTEND", backends="CHECKED_BACKEND")
    caught(proxai_ir.convert, OTHER, CLAUDE, NAME)


def test_streams() -> None:
    caught(proxai_ir.StreamConverter, CLAUDE, NAME)
    converter = proxai_ir.StreamConverter(NAME, CLAUDE)
    error = caught(converter.feed, CHUNK)
    assert converter.error is error
    assert [one["type"] for one in converter.close(error_event=True)] == ["error"]
    ended = proxai_ir.StreamConverter(NAME, CLAUDE)
    caught(ended.close)
    assert [one["type"] for one in ended.close(error_event=True)] == ["error"]
    caught(proxai_ir.lower, [CHUNK], NAME, kind="stream")


def test_exchanges_refuse_with_it() -> None:
    exchange = proxai_ir.Exchange(CLAUDE, NAME, key="k", model="m")
    caught(exchange.request, OTHER)
    reply = exchange.response(200, {}, json.dumps(RESPONSE).encode())
    assert reply.status == 502
    assert HERE in json.loads(reply.body)["error"]["message"]


def test_what_is_no_mistake_of_a_package_is_raised_as_it_is() -> None:
    """A wrong option is the caller's own, and an exception of this library a bug that no one may take for a refusal."""
    with pytest.raises(TypeError, match="unknown options"):
        proxai_ir.convert(REQUEST, CHAT, CLAUDE, no_such_option=1)  # type: ignore[call-overload]
    with pytest.raises(proxai_ir.UnknownProtocol):
        proxai_ir.convert(REQUEST, CHAT, "nobody")


def test_a_package_that_does_not_load_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, frontends="NOT_THERE", backends="BACKEND")
    with pytest.raises(proxai_ir.UnknownProtocol, match=r"'mistaken' cannot be used: AttributeError: .*NOT_THERE"):
        proxai_ir.convert(REQUEST, NAME, CLAUDE)


def test_the_suite_shows_the_mistake_and_takes_it_for_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, frontends="FRONTEND", backends="CHECKED_BACKEND")
    suite = Conformance(protocol=NAME, requests={"short": REQUEST}, targets=[CLAUDE])
    with pytest.raises((AssertionError, KeyError), match=f"no such key|line {LINE}"):
        suite.holds("request", REQUEST)


class InOrder(FRONT.stream):  # type: ignore[misc, name-defined]
    """A reader that its author tried on streams as they should be."""

    _begun = False

    def feed(self, event: Any) -> Any:
        self._begun = self._begun or "role" in event["choices"][0]["delta"] or mistaken()
        return super().feed(event)


def encoding(root: Any, *others: Any) -> Any:
    """A builder that its author tried on texts as they should be."""
    for part in root.turns[0].parts:
        part.text.encode()
    return BACK.request(root, *others)


IN_ORDER_FRONTEND = evolve(FRONT, protocol=NAME, stream=InOrder)
ENCODING_BACKEND = evolve(BACK, protocol=NAME, request=encoding)


def test_the_suite_tries_other_orders_of_events(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, frontends="IN_ORDER_FRONTEND", backends="BACKEND")
    delta = {"index": 0, "delta": {"content": "!"}, "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    events = [CHUNK, *({"id": "r", "choices": [one]} for one in (delta, end))]
    streams.converts_or_is_refused(events, NAME, CLAUDE, READINGS)
    with pytest.raises(AssertionError, match="a mistake of the package"):
        streams.survives_any_order(events, NAME, CLAUDE, READINGS)


def test_the_suite_tries_wrong_values_on_other_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, frontends="SOUND_FRONTEND", backends="ENCODING_BACKEND")
    case = payloads.Case(CHAT, "request", REQUEST)
    payloads.converts_or_is_refused(case, [NAME])
    with pytest.raises(AssertionError, match="UnicodeEncodeError"):
        payloads.survives_mutation(case, [NAME], READINGS, every=True)


def odd(value: Any) -> str:
    return "OTHERS-1" if value == "x" else ""


CITING_FRONTEND = evolve(FRONT, protocol=NAME, vendor_fields={"Request": {"mood": odd}})


def test_the_suite_finds_a_rule_that_no_package_has(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, frontends="CITING_FRONTEND", backends="BACKEND")
    with pytest.raises(AssertionError, match="OTHERS-1"):
        tables.vocabulary_is_sound(NAME)


# --- names that nobody would call ---

WRITER: Any = BACK.stream
READER: Any = FRONT.stream
CITED = type("Cited", (WRITER,), {"cited_lately": mistaken})
COUNTED = type("Counted", (WRITER,), {"failed_with_usages": True})
BARE = type("Bare", (), {"opened": mistaken})
UNENDED = type("Unended", (authoring.StreamWriter,), {"opened": mistaken, "grew": mistaken, "started": mistaken})
DELTA = type("Delta", (READER,), {"text_deltas": mistaken})


class Counting(WRITER):  # type: ignore[misc]
    """A writer that says of itself what no writer says."""

    def __init__(self, server: Any) -> None:
        super().__init__(server)
        self.failed_with_usages = True
        self._own = 0


OWN_NAMES = " has {!r}, which no StreamWriter has; did you mean {!r}?; names of its own begin with an underscore"
MISSPELT = {
    "a writer's method": (CITED, "Cited" + OWN_NAMES.format("cited_lately", "cited_late")),
    "a writer's attribute": (COUNTED, "Counted" + OWN_NAMES.format("failed_with_usages", "failed_with_usage")),
    "a writer that does not inherit": (BARE, "Bare has no 'apart', which a StreamWriter defines or inherits"),
    "a writer without an end": (UNENDED, "Unended has no 'completed', which a StreamWriter defines or inherits"),
}


@pytest.mark.parametrize("kind", MISSPELT)
def test_names_of_a_writer_are_looked_at_when_its_package_is_loaded(kind: str) -> None:
    cls, said = MISSPELT[kind]
    with pytest.raises(authoring.TableError) as caught:
        evolve(BACKEND, stream=cls)
    assert str(caught.value) == f"{NAME}: {said}"


def test_names_of_a_reader_are_looked_at_when_its_package_is_loaded() -> None:
    with pytest.raises(authoring.TableError, match="Delta has 'text_deltas', which no StreamReader has; did you mean"):
        evolve(FRONTEND, stream=DELTA)


@pytest.mark.parametrize("made", [CITED, COUNTED, Counting])
def test_those_of_a_writer_that_a_function_makes_when_it_is_used(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "BACKEND", evolve(BACKEND, stream=partial(made)))
    for _ in range(2):
        with pytest.raises(
            proxai_ir.UnknownProtocol, match=rf"'{NAME}' cannot be used: .*; did you mean '(cited|fail)"
        ):
            proxai_ir.StreamConverter(CLAUDE, NAME)


def test_private_names_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    own = type("Own", (WRITER,), {"_cited_lately": mistaken})
    monkeypatch.setitem(globals(), "BACKEND", evolve(BACKEND, stream=own))
    assert proxai_ir.StreamConverter(CLAUDE, NAME).close(error_event=True)
