"""Convert a batch line into another vendor's: the body by its protocol's rules, the id kept, the rest reported.

Rule 1: a diagnostic points into the line. Rule 2: the options are those of `convert`; losses around a body count in
`strict` mode, too. Rule 3: a line whose body `convert` leaves as it is, and that the target's server takes, is returned
unchanged (LOS-4), also in the form of a cloud, as its body does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pkgutil import resolve_name
from typing import Any, Unpack

from ..api import converted
from ..conversion.bytes import BINARY, dumped, parsed
from ..conversion.conversion import Conversion
from ..conversion.directions import bound
from ..conversion.options import around, quotes
from ..conversion.profile import Profile, protocol_of
from ..conversion.settings import Options
from ..ir.error import Error
from ..ir.request import Request
from ..json.objects import plain
from ..json.pointer import escape
from ..json.types import found as described
from ..json.types import quoted
from ..protocol.batch import ERROR, OUTCOMES, REQUEST, Entry, Format, Object, Result, fitted_id, made_id
from ..protocol.registry import backend, frontend, is_built_in, protocols
from ..reporting import diagnostics as d
from ..targets.settings import Server as Settings

Json = Any
Server = str | Profile


def convert_line(
    line: Json, src: Server | None, dst: Server, *, custom_id: str | None = None, **options: Unpack[Options]
) -> Json:
    """Return the line for a batch of another protocol: parsed JSON for parsed JSON, bytes without a newline for bytes.

    `compile_line` has the parameters.
    """
    return compile_line(line, src, dst, custom_id=custom_id, **options).output


def compile_line(
    line: Json,
    src: Server | None,
    dst: Server,
    *,
    custom_id: str | None = None,
    number: int = 0,
    ids: dict[str, int] | None = None,
    served: Callable[[Request], Server] | None = None,
    **options: Unpack[Options],
) -> Conversion[Any]:
    """Return the conversion of a line, with diagnostics that point into the line.

    src        the protocol of the line's body, or None: the line shows it. A line of another protocol is refused
    custom_id  the id of a line that has none, if the target needs one
    number     of the line in its file
    ids        the ids of earlier lines, as the target gets them, each with the number of the first line that has it; a
               repeated one is reported (BAT-4), any other is added
    served     a function that returns the target of a request, for the model that it names
    options    those of `convert`; `model` is for requests that name none. The tools of a response are those that the
               `state` of its own request names

    `kind` of the result is "request", "response", "error", "canceled" or "expired". `headers` and `route` are for the
    call that creates the batch.

    A line may be, or hold, objects of client SDKs, as a payload may.

    Raises InvalidPayload, Unrepresentable and TypeError as `convert` does.
    """
    about: tuple[Any, ...] = (src, dst, custom_id, number, ids, served, options)
    try:
        return _compiled(line, *about)
    except d.TranslationError:
        known = line if isinstance(line, BINARY) else plain(line)  # only now, as most lines hold no such objects
        if known is line:
            raise
    return _compiled(known, *about)


def _compiled(
    line: Json,
    src: Server | None,
    dst: Server,
    custom_id: str | None,
    number: int,
    ids: dict[str, int] | None,
    served: Callable[[Request], Server] | None,
    options: Mapping[str, Any],
) -> Conversion[Any]:
    source = parsed(line) if isinstance(line, BINARY) else line
    with d.refused_as(d.Unrepresentable, source, quotes(options)):
        with d.refused_as(d.InvalidPayload, source, quotes(options)):
            given, entry, side = _read(source, src)
            form, server = _format(dst), backend(dst).server
        body, status = _converted(given, entry, side, dst, options, served)
        about = (entry.protocol, protocol_of(dst))
        alike = given is form
        own = entry.protocol == about[1] and _same(body, entry) and (not alike or form.fits(source, server))
        if own or (alike and not entry.at):
            found = around(_repeated(source, entry, entry.id, number, ids), source, options)
            found += _moved(body.diagnostics, entry) if entry.at else ()
            return Conversion(line, body.kind, *about, found=found or None, ending=body.told)
        same = alike and (form.keep is not None or entry.protocol == about[1])
        made, accepted, found_around = _written(source, same, entry, body, status, custom_id, server, options)
        found_around += around(_repeated(source, entry, accepted, number, ids), source, options)
        out = dumped(made) if isinstance(line, BINARY) else made
        return body.placed(out, body.kind, (*found_around, *_moved(body.diagnostics, entry)), *about)


def _same(body: Conversion[Json], entry: Entry) -> bool:
    """Return whether the conversion has left a body and its kind as they are, as most servers of its protocol do."""
    return body.kind == entry.kind and (body.output is entry.body or bool(body.output == entry.body))


def accepted_id(custom_id: str, dst: Server) -> str:
    """Return the id that a line gets for this target: the same, or its SHA256 if the target refuses it (BAT-1)."""
    with d.refused_as(d.Unrepresentable, None):
        return fitted_id(custom_id, _format(dst).ids)


def _format(server: Server) -> Format:
    """Return the format of a protocol's lines. Raises Refusal if it has none, and UnknownProtocol."""
    name = backend(server).batch
    if name is None:
        having = [one for one in protocols() if backend(one).batch is not None]
        raise d.Refusal("SHP-9", None, f"{protocol_of(server)} has no batch lines; expected one of {', '.join(having)}")
    return _declared(name)


@cache
def _declared(name: str) -> Format:
    try:
        found: Format = resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise d.UnknownProtocol(f"the batch lines {name!r} cannot be used: {error}") from error
    return found


def _formats() -> dict[Format, tuple[str, ...]]:
    """Return all formats, each with the protocols of its bodies."""
    return _formats_of(tuple(sorted(protocols(), key=is_built_in, reverse=True)))


@cache
def _formats_of(names: tuple[str, ...]) -> dict[Format, tuple[str, ...]]:
    formats: dict[Format, tuple[str, ...]] = {}
    for name in names:
        for form in _read_as(name):
            formats[form] = (*formats.get(form, ()), name)
    return formats


def _read_as(server: Server) -> list[Format]:
    """Return the formats in which bodies of a protocol come, its own first."""
    back = backend(server)
    return [_declared(name) for name in (back.batch, *back.batches) if name is not None]


def _read(line: Json, src: Server | None) -> tuple[Format, Entry, Server]:
    """Return the format of a line, its entry, and the protocol or profile that reads its body."""
    if not isinstance(line, dict):
        raise d.Refusal("SHP-1", None, f"expected an object as a batch line, found {described(line)}")
    if src is not None:
        frontend(src)
        own = _format(src)
        form = next((one for one in _read_as(src) if one.looks(line)), None)
        if form is None:
            seen = next((f"one of {one.name}" for one in _formats() if one.looks(line)), "none that is known")
            raise d.Refusal("SHP-3", None, f"expected a batch line of {own.name}, found {seen}")
        return form, form.read(line, (protocol_of(src),)), src
    for form, names in _formats().items():
        if form.looks(line):
            entry = form.read(line, names)
            return form, entry, entry.protocol
    raise d.Refusal("SHP-3", None, f"expected a batch line of {', '.join(one.name for one in _formats())}")


def _converted(
    form: Format,
    entry: Entry,
    side: Server,
    dst: Server,
    options: Mapping[str, Any],
    served: Callable[[Request], Server] | None,
) -> tuple[Conversion[Json], int | None]:
    """Return the body for the target's line, and the HTTP status of an error."""
    if entry.kind in OUTCOMES:
        bound(side, dst, options)
        return Conversion(None, entry.kind, entry.protocol, protocol_of(dst)), None
    if entry.kind == REQUEST:
        _refuse_streams(form, entry, options)
    elif entry.kind == ERROR and entry.status is not None:
        options = {**options, "status": entry.status}
    try:
        done = converted(entry.body, side, dst, entry.kind, options, served)
    except d.TranslationError as error:
        raise type(error)(_moved(error.diagnostics, entry)) from None
    if type(done.node) is not Error:
        return done, None
    done.kind = ERROR  # also for a response that failed (STS-9)
    http = backend(dst).http
    return done, None if http is None else http.status_of(done.node.category, entry.status)


def _written(
    line: Object,
    same: bool,
    entry: Entry,
    body: Conversion[Json],
    status: int | None,
    custom_id: str | None,
    server: Settings,
    options: Mapping[str, Any],
) -> tuple[Object, str, tuple[d.Diagnostic, ...]]:
    """Return the target's line, its id, and the diagnostics around the body. `same`: what is around it stays."""
    form = _format(body.dst)
    given = entry.id if entry.id is not None else custom_id
    records: list[d.Record] = [] if same else list(entry.unread)
    if given is None and entry.request is not None:
        given = made_id(entry.request)
        records.append(("BAT-3", (line,), f"{quoted(given, 70)} is sent"))
    if given is None:
        missing = d.Refusal("SHP-2", (line,), f"expected {entry.named!r} in the line, or the argument `custom_id`")
        raise d.InvalidPayload(missing.taken(line, quotes(options)))
    accepted = fitted_id(given, form.ids)
    if form.ids is not None and accepted != given:
        what = f"{quoted(accepted, 70)} is sent for an id that does not match {form.ids.pattern}"
        records.append(("BAT-1", (line, entry.named), what))
    about: dict[str, Any] = {"kind": body.kind, "protocol": body.dst, "server": server}
    made, rules = form.write(Result(id=accepted, body=body.output, status=status, **about))
    if same:
        made = {**line, **made} if form.keep is None else form.keep(line, made, body.kind == entry.kind)
    else:
        records += [(rule, (line,), "") for rule in rules]
    return made, accepted, around(records, line, options)


def _repeated(line: Object, entry: Entry, sent: str | None, number: int, ids: dict[str, int] | None) -> list[d.Record]:
    """Return a finding if an earlier line has the same id; else note the id."""
    if sent is None or ids is None:
        return []
    first = ids.setdefault(sent, number)
    place = (line,) if entry.id is None else (line, entry.named)
    return [] if first == number else [("BAT-4", place, same_id(sent, first))]


def same_id(sent: str, first: int) -> str:
    """Return the detail of BAT-4."""
    return f"line {first} has {quoted(sent, 70)}, too"


def _refuse_streams(form: Format, entry: Entry, options: Mapping[str, Any]) -> None:
    if isinstance(entry.body, dict) and entry.body.get(form.streams):
        refusal = d.Refusal("SHP-3", (entry.body, form.streams), "batches do not stream; expected false")
        raise d.InvalidPayload(_moved(refusal.taken(entry.body, quotes(options)), entry))


def _moved(found: tuple[d.Diagnostic, ...], entry: Entry) -> tuple[d.Diagnostic, ...]:
    """Return diagnostics of a body with pointers into its line."""
    before = "".join(f"/{escape(key)}" for key in entry.at)
    return tuple(one._replace(path=before + one.path) for one in found) if before else found
