"""Snapshots of payloads of your own: what each target gets of every payload in a folder, and what it does not get.

A plugin of pytest, for a conftest.py, beside any package for snapshots; `conversions` needs no pytest:

    pytest_plugins = ["proxai_ir.testing.snapshots"]

A test with the mark `payloads` and the argument `conversion` runs once for each payload and target:

    @pytest.mark.payloads("payloads", to=["anthropic", "gemini"], accept=["SMP-10"])
    def test_what_each_target_gets(conversion, snapshot):
        assert conversion.text == snapshot
        assert conversion.lost == []

Rule 1: the end of a file's name says how the file is read (FORMS); a file that is not read is an error. Rule 2: the
protocol of a payload is the one that a folder's or the file's name begins with, else `src`, else the one that the
payload shows; where it shows several, it is an error. Rule 3: the text of a conversion is the same on every machine.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from attrs import frozen

import proxai_ir

from ..api import Kind
from ..conversion.bytes import parsed
from ..conversion.profile import Profile, protocol_of
from ..exchange.servers import meant
from ..profiles.models import tailored
from ..protocol.detection import holds_stream, kind_of, protocols_of, streams_in
from ..protocol.registry import backend, framing_of, frontend, protocols
from ..reporting.diagnostics import ROOT, Diagnostic, TranslationError, UnknownProtocol
from .payloads import known

if TYPE_CHECKING:
    import pytest

Json = Any


@frozen
class PayloadConversion:
    """The conversion of one payload of a folder to one target, which is made when it is asked for.

    name     the payload's file, and its place in that, if the file has several payloads
    target   the target, as the caller wrote it
    payload  the parsed payload; of a stream the list of its events
    src      its protocol
    dst      the target's protocol, or a Profile
    kind     "request", "response", "stream" or "error"
    options  of the conversion
    accept   the rules by which something may be lost
    """

    name: str
    target: str
    payload: Json
    src: str
    dst: str | Profile
    kind: Kind
    options: Mapping[str, Any]
    accept: Sequence[str]

    def __str__(self) -> str:
        return f"{self.name} to {self.target}"

    def compile(self, **more: Any) -> proxai_ir.Conversion[Json]:
        """Convert the payload; `more` options come after the conversion's own. Raises TranslationError."""
        options: dict[str, Any] = {"kind": self.kind, **self.options, **more}
        return proxai_ir.compile(self.payload, self.src, self.dst, **options)

    @property
    def text(self) -> str:
        """The output as JSON with sorted members, and a line for each diagnostic; or why there is no output."""
        try:
            made = self.compile()
        except TranslationError as error:
            return "\n".join(["refused", *map(_line, error.diagnostics)])
        output = orjson.dumps(made.output, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode()
        return "\n".join([output, *sorted(f"{one.severity}  {_line(one)}" for one in made.diagnostics)])

    @property
    def lost(self) -> list[str]:
        """A line for each loss and refusal whose rule is not accepted (`strict` with `accept`)."""
        try:
            self.compile(strict=True, accept=tuple(self.accept))
        except TranslationError as error:
            return [_line(one) for one in error.diagnostics]
        return []


def _line(one: Diagnostic) -> str:
    return f"{one.rule}  {one.path or ROOT}  {one.message}"


def conversions(
    folder: str | Path,
    *,
    to: str | Profile | Iterable[str | Profile],
    src: str | None = None,
    accept: Sequence[str] = (),
    **options: Any,
) -> list[PayloadConversion]:
    """Return the conversion of each payload in a folder, or in one file, to each target.

    to       protocols, vendors with or without a model ("gemini:gemini-3-pro"), names of profiles, or Profiles
    src      the protocol of the payloads that neither a path nor the payload itself shows
    accept   the rules by which something may be lost
    options  of those conversions that have them, such as `max_tokens`

    Raises ValueError, UnknownProtocol for a name of no protocol, and TypeError for an option of no conversion.
    """
    targets = [_target(one) for one in ([to] if isinstance(to, str | Profile) else to)]
    if src is not None and src not in protocols():
        raise UnknownProtocol(f"expected `src` to be one of {', '.join(protocols())}; found {src!r:.80}")
    made: list[PayloadConversion] = []
    for name, payload, protocol, kind in _payloads(Path(folder), src):
        for word, side, given in targets:
            chosen = known(options, protocol, protocol_of(side)) | given
            sent = _naming(given["model"], payload, protocol) if kind == "request" and given else payload
            made.append(PayloadConversion(name, word, sent, protocol, side, kind, chosen, accept))
    if made and (missing := options.keys() - {option for one in made for option in one.options}):
        raise TypeError(f"no conversion to {', '.join(word for word, *_ in targets)} has the option {min(missing)!r}")
    return made


def _target(word: str | Profile) -> tuple[str, str | Profile, dict[str, Any]]:
    """Return a target's name, what it takes, and the options that it is converted with."""
    found = meant(word)
    name = word if isinstance(word, str) else str(word)
    if found.model is None:
        return name, found.side, {}
    return name, tailored(found.side, found.model, found.vendor.server), {"model": found.model}


def _naming(model: str, payload: Json, protocol: str) -> Json:
    """Return a request with this model in place of the one that it names, if it names one."""
    http = backend(protocol).http
    return payload if http is None or http.named not in payload else {**payload, http.named: model}


# --- files ------------------------------------------------------------------------------------------------------------

Found = tuple[str, Json, str, Kind]
"""The name of a payload, the payload, its protocol and its kind."""
Reader = Callable[[str, bytes, str | None], Iterator[Found]]


def _payloads(folder: Path, src: str | None) -> Iterator[Found]:
    files = [folder] if folder.is_file() else sorted(filter(_is_read, folder.rglob("*")))
    if not files:
        raise ValueError(f"{folder} has no payloads; expected files that end in {', '.join(FORMS)}")
    for file in files:
        name = file.name if file == folder else file.relative_to(folder).as_posix()
        if file.suffix not in FORMS:
            raise ValueError(f"{name} is not read; expected files that end in {', '.join(FORMS)}")
        try:
            yield from FORMS[file.suffix](name, file.read_bytes(), _named(name) or src)
        except TranslationError as error:
            raise ValueError(f"{name}: {error}") from None


def _is_read(file: Path) -> bool:
    """Return whether a file is neither hidden nor one of Python's cache."""
    return file.is_file() and not file.name.startswith(".") and file.parent.name != "__pycache__"


def _named(name: str) -> str | None:
    """Return the protocol that a part of a path begins with, the nearest to the file if several do."""
    parts = reversed(name.split("/"))
    return next((one for part in parts for one in protocols() if part.startswith(one)), None)


def _whole(name: str, data: bytes, src: str | None) -> Iterator[Found]:
    """Yield the payload of a file with one JSON document; a list is the events of a stream."""
    yield _shown(name, parsed(data), src)


def _each_line(name: str, data: bytes, src: str | None) -> Iterator[Found]:
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            yield _shown(f"{name}:{number}", parsed(line), src)


def _stream(name: str, data: bytes, src: str | None) -> Iterator[Found]:
    """Yield the events of a stream as it was captured, in the framing of its protocol."""
    protocol = src or _only(name, streams_in(data))
    yield name, [*framing_of(protocol).decode([data])], protocol, "stream"


def _kept(name: str, data: bytes, _: str | None) -> Iterator[Found]:
    """Yield the payloads of an exchange that the gateway's page gave as a test: its constants, which are not run."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{name} is no Python: {error}") from None
    found: dict[str, Any] = {}
    for one in tree.body:
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and isinstance(one.value, ast.Constant):
            found[one.targets[0].id] = one.value.value
    if not {"CLIENT", "PROVIDER", "REQUEST"} <= found.keys():
        raise ValueError(f"{name} is no test of the gateway's page; expected CLIENT, PROVIDER and REQUEST in it")
    yield _shown(f"{name}:request", parsed(found["REQUEST"]), found["CLIENT"])
    if response := found.get("RESPONSE"):
        streamed = holds_stream(framing_of(found["PROVIDER"]), response)
        yield from (_stream if streamed else _whole)(f"{name}:response", response, found["PROVIDER"])


FORMS: Mapping[str, Reader] = {
    ".json": _whole,
    ".jsonl": _each_line,
    ".sse": _stream,
    ".ndjson": _stream,
    ".bin": _stream,
    ".py": _kept,
}
"""How files are read, by the end of their names: one document, one a line, captured streams, and a saved exchange."""


def _shown(name: str, payload: Json, src: str | None) -> Found:
    kinds: dict[str, Any] = {protocol: kind for protocol, kind, _ in protocols_of(payload)}
    protocol = src or _only(name, [*kinds])
    kind: Any = "stream" if isinstance(payload, list) else kinds.get(protocol)
    if kind is None:  # another protocol than the stated one knows more of the payload
        kind = kind_of(frontend(protocol), payload) or "request"
    return name, payload, protocol, kind


def _only(name: str, found: Sequence[str]) -> str:
    if len(found) == 1:
        return found[0]
    what = f"may be of {', '.join(found)}" if found else "is of no known protocol"
    raise ValueError(f"{name} {what}; name its folder after its protocol, or state `src`")


# --- pytest -----------------------------------------------------------------------------------------------------------

MARK = (
    "payloads(folder, to, src=None, accept=(), **options): runs the test for each payload of a folder and each target"
)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line("markers", MARK)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test that has the mark the conversions of its folder, which is relative to the test's own."""
    import pytest

    mark = metafunc.definition.get_closest_marker("payloads")
    if mark is None or "conversion" not in metafunc.fixturenames:
        return
    try:
        folder, *more = mark.args or ("",)
        if not isinstance(folder, str | Path) or not folder or more:
            raise TypeError(f"expected one folder; found {mark.args!r:.80}")
        made = conversions(metafunc.definition.path.parent / folder, **mark.kwargs)
    except (ValueError, TypeError, UnknownProtocol) as error:
        raise pytest.UsageError(f"{metafunc.definition.name}, mark `payloads`: {error}") from None
    metafunc.parametrize("conversion", made, ids=str)
