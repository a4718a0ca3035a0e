"""The registry: what a protocol's frontend and backend are, and how they are found.

Built-in protocols are found by their place, frontends/NAME and backends/NAME, without a scan; those of other packages
by the entry points `proxai_ir.frontends` and `proxai_ir.backends`, each naming a Frontend or Backend object.

Rule: installed packages are scanned once in a process, when a name is asked for that is not built in, so that an
unknown name costs a look-up and no memory. `rescan()` makes later calls see what was installed since.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from inspect import signature
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from weakref import WeakSet

from attrs import Factory, evolve, field

from ..framing import SSE, Framing
from ..ir.error import Error
from ..ir.request import Request
from ..ir.response import Response
from ..ir.stream.interfaces import StreamReader, StreamWriter
from ..json.classes import frozen
from ..json.codegen import compiled
from ..json.types import found
from ..reporting.catalogue import TableError
from ..reporting.diagnostics import PACKAGES, Refusal, UnknownProtocol, near
from ..reporting.vocabulary import Vocabulary
from ..targets.constraints import Constraints, unguarded
from ..targets.settings import Server, Settings, defaults
from ..targets.verdicts import Target
from .http import Http, References
from .slips import Table

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Json = dict[str, Any]
Headers = Mapping[str, str]
Discriminators = Mapping[str, Sequence[set[str]]]
Detector = Callable[[Any], str]


def _headed(front: Frontend) -> frozenset[str]:
    readers: dict[str, Any] = {"response": front.response, "error": front.error, "stream": front.stream}
    return frozenset(kind for kind, read in readers.items() if read and "headers" in signature(read).parameters)


@frozen
class Frontend:
    """One protocol into the IR. A reader raises diagnostics.Refusal for what is not this protocol.

    discriminators
        for each kind ("request", "response", "error") the alternative sets of members that identify it; where one
        kind's set includes another's, the larger one decides
    response
        reads a response, or the error that a failed response is (STS-9)
    vendor_fields
        for each IR class the members that only this protocol has, with the rule that reports their loss, a table for a
        nested object, or a function that finds the rule by the value; such a function cites no rule of severity error
    wire_paths
        for each IR class where its fields stand on the wire, as paths below the node's object: one, several of which
        the first that exists counts, or a Joint
    stream
        makes a reader of one stream; its option `kept` asks for what only the response needs that is folded from its
        events (STR-19), `own_response` for what only the response of the same protocol has. None: the protocol has no
        streams
    settings
        the options that its reader understands; `options`: their values
    memory
        how clients refer to what a server keeps of earlier responses; None: they cannot
    stores
        whether providers keep responses for later unless the request sets `store` to false
    error_arrays
        whether the reader of errors takes arrays, too
    shows
        whether a payload of a kind has anything that only this protocol has; if not, detection prefers other protocols
        that can read it. None: it prefers none
    client_only
        members that the vendor's own SDK has in its objects, and that are never sent
    source_only
        what the frontend reads that the protocol's own target table does not carry, as values of other protocols: the
        classes by place, the fields by class
    vocabulary
        vendor fields, wire paths and `stores`, as reports get them
    slips, repeated
        the slips of its servers in responses and events, and those that requests repeat (slips.py)
    headed
        which of `response`, `error` and `stream` have a parameter `headers`: they get the HTTP headers of the payload
        as a mapping by lower-case name, which is empty if the caller has none
    """

    protocol: str
    discriminators: Mapping[str, Sequence[set[str]]]
    request: Callable[[Json], Request]
    response: Callable[..., Response | Error]
    error: Callable[..., Error]
    vendor_fields: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    wire_paths: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    stream: Callable[..., StreamReader] | None = None
    settings: Settings = field(factory=dict)
    memory: References | None = field(default=None, kw_only=True)
    stores: bool = field(default=False, kw_only=True)
    error_arrays: bool = field(default=False, kw_only=True)
    client_only: Collection[str] = field(default=(), kw_only=True)
    source_only: Mapping[str | type, Collection[Any]] = field(factory=dict, kw_only=True)
    shows: Callable[[str, Json], bool] | None = field(default=None, kw_only=True)
    slips: Table = field(factory=dict, kw_only=True)
    repeated: Table = field(factory=dict, kw_only=True)
    detect: Detector = field(
        init=False,
        eq=False,
        repr=False,
        default=Factory(lambda self: detector(self.protocol, self.discriminators), takes_self=True),
    )
    options: Mapping[str, Any] = field(
        default=Factory(lambda self: defaults(self.settings), takes_self=True), kw_only=True
    )
    vocabulary: Vocabulary = field(
        init=False,
        eq=False,
        repr=False,
        default=Factory(lambda self: Vocabulary(self.vendor_fields, self.wire_paths, self.stores), takes_self=True),
    )
    headed: frozenset[str] = field(init=False, default=Factory(_headed, takes_self=True))

    @property
    def always_counts(self) -> bool:
        """Whether its streams always report usage: its requests have no member that asks for it (USE-10)."""
        return "usage" not in self.wire_paths.get("Streaming", ())

    def __attrs_post_init__(self) -> None:
        """Raise TableError for a reader of streams with a name that is none of a reader's."""
        _check_form(self.stream, StreamReader, self.protocol)


@frozen
class Backend:
    """The IR into one protocol. A builder gets a legal, placed tree and writes canonical output.

    batch    where the lines of its batch files are declared (`proxai_ir.protocol.batch`), as entry points name
             an object: "package.module:FORMAT", which is imported when such a line is; None: it has none
    batches  other lines that hold its bodies, as clouds have them, declared alike; they are read
    versions the versions of the protocol's API, each with the settings that it changes; the first is the default
    stream   makes a writer of one stream; None: the protocol has no streams
    named    whether the lines of its server-sent events are named by their `type`, or by the member of this name
    headers  the HTTP headers that a request needs, by its tree and these options; None: never any
    reply_headers
             the same of a response or an error, for the client of a proxy
    route    what stands in the URL of such a request instead of in its body; None: nothing
    cleared  returns a request of the protocol in which texts that other providers left where its vendor has ciphertext
             stand as texts, for relays; None if there are none (RSN-27)
    client_calls
             the kinds of client tools whose calls it can write from function calls (TUL-37)
    http     the protocol's HTTP, for proxies; None: it cannot be a side of an Exchange
    stated   the settings and the version that a profile states
    defaults the defaults of all options: the target's settings, and the version
    server   the same, as builders and checks get them
    """

    protocol: str
    target: Target
    constraints: Constraints
    request: Callable[[Request, Server], Json]
    response: Callable[[Response, Server], Json]
    error: Callable[[Error, Server], Json]
    stream: Callable[[Server], StreamWriter] | None = None
    named: bool | str = False
    headers: Callable[[Any, Server], dict[str, str]] | None = None
    route: Callable[[Any, Server], Json] | None = field(default=None, kw_only=True)
    reply_headers: Callable[[Any, Server], dict[str, str]] | None = field(default=None, kw_only=True)
    cleared: Callable[[Json], Json | None] | None = field(default=None, kw_only=True)
    client_calls: Collection[str] = field(default=(), kw_only=True)
    http: Http | None = field(default=None, kw_only=True)
    batch: str | None = field(default=None, kw_only=True)
    batches: tuple[str, ...] = field(default=(), kw_only=True)
    versions: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    stated: Mapping[str, Any] = field(factory=dict, kw_only=True)
    defaults: Mapping[str, Any] = field(
        init=False,
        default=Factory(
            lambda self: {
                **defaults(self.target.settings),
                **({"version": next(iter(self.versions))} if self.versions else {}),
                **self.stated,
            },
            takes_self=True,
        ),
    )
    server: Server = field(init=False, eq=False, default=Factory(lambda self: Server(self.defaults), takes_self=True))

    def __attrs_post_init__(self) -> None:
        """Raise TableError for a table that would send seals that the target cannot read, and for a writer of streams
        with a name that is none of a writer's."""
        _check_form(self.stream, StreamWriter, self.protocol)
        if classes := unguarded(self.target):
            raise TableError(
                f"{self.protocol} sends the seals of {', '.join(classes)} whoever made them; expected verdicts that "
                "ask for the maker, as in of(Class, *conditions.sealed_by(SealSlot(('acme',), 'signature'))), or "
                "loses('RSN-4', 'seal')"
            )

    def bound(self, options: Mapping[str, Any]) -> Server:
        """Return the server with all options of a call, or with the defaults."""
        return self.server if options is self.defaults else Server(options)

    def around(self, node: Any, options: Mapping[str, Any]) -> tuple[dict[str, str], Json]:
        """Return the headers and the route of the payload of a tree."""
        server, state = self.bound(options), self.headers if isinstance(node, Request) else self.reply_headers
        return {} if state is None else state(node, server), {} if self.route is None else self.route(node, server)


Form = TypeVar("Form", bound=StreamReader | StreamWriter)
_MET: WeakSet[type] = WeakSet()
"""The classes of readers and writers of streams of which one has been made, and was as it has to be."""


def _check_form(cls: Any, form: type, protocol: str, names: Iterable[str] = ()) -> None:
    """Raise TableError for a class of readers or writers whose public names are not those of its form, as one that the
    form does not have is a misspelt method, which nobody would call. `names`: those of one's attributes."""
    if not isinstance(cls, type):  # a function that makes it, whose result is looked at when there is one
        return
    has, known = [[name for name in dir(one) if name[0] != "_"] for one in (cls, form)]
    absent = getattr(cls, "__abstractmethods__", ())
    has += [name for name in names if name[0] != "_"]
    if strange := next((name for name in has if name not in known), ""):
        hint = f"{near(strange, known)}; names of its own begin with an underscore"
        raise TableError(f"{protocol}: {cls.__name__} has {strange!r}, which no {form.__name__} has{hint}")
    if missing := next((name for name in known if name not in has or name in absent), ""):
        raise TableError(f"{protocol}: {cls.__name__} has no {missing!r}, which a {form.__name__} defines or inherits")


def in_form(made: Form, form: type, protocol: str) -> Form:
    """Return a reader or writer that was just made for a stream. Raises UnknownProtocol for a mistake of its author."""
    cls = type(made)
    if cls not in _MET:
        try:
            _check_form(cls, form, protocol, getattr(made, "__dict__", ()))
        except TableError as error:
            raise UnknownProtocol(f"protocol {protocol!r} cannot be used: {error}") from None
        _MET.add(cls)
    return made


class BaseProfile:
    """The base class of `Profile`, which is accepted wherever the name of a protocol is."""

    __slots__ = ()
    protocol: str
    version: str | None
    settings: dict[str, Any]


Side = Literal["frontends", "backends"]


def protocols() -> tuple[str, ...]:
    """Return the names of all protocols that have a frontend and a backend, sorted."""
    return tuple(sorted(_names("frontends") & _names("backends")))


def is_built_in(protocol: str) -> bool:
    """Return whether a protocol is of this package, and not of another."""
    return protocol in _built_in("backends")


def frontend(source: str | BaseProfile) -> Frontend:
    """Return the frontend of a protocol. Raises UnknownProtocol, which lists those that exist, and TypeError."""
    return _frontend(_named(source))


def backend(target: str | BaseProfile) -> Backend:
    """Return the backend of a protocol, with the table and the defaults of the server where that is a profile."""
    return _backend(_named(target))


def framing_of(server: str | BaseProfile) -> Framing:
    """Return the framing of a protocol's streams: server-sent events, unless its backend declares another."""
    try:
        http = backend(server).http
    except UnknownProtocol:  # it may have a frontend alone
        http = None
    return SSE if http is None else http.framing


def _named(server: Any) -> str | BaseProfile:
    if isinstance(server, (str, BaseProfile)):
        return server
    raise TypeError(f"expected the name of a protocol or a Profile, found a {type(server).__name__}")


MOST_PROFILES = 128
"""How many profiles caches hold, each with a table of at most 200 KB: callers may make a profile for each request."""


@lru_cache(MOST_PROFILES)
def _frontend(source: str | BaseProfile) -> Frontend:
    if not isinstance(source, BaseProfile):
        found: Frontend = _find("frontends", source)
        return found
    front = _frontend(source.protocol)
    options = {name: source.settings.get(name, value) for name, value in front.options.items()}
    return front if options == front.options else evolve(front, options=options)


@lru_cache(MOST_PROFILES)
def _backend(target: str | BaseProfile) -> Backend:
    if not isinstance(target, BaseProfile):
        found: Backend = _find("backends", target)
        return found
    back = _backend(target.protocol)
    declared, assumed = back.target.settings, back.target.capabilities
    settings = {name: value for name, value in target.settings.items() if name in declared}
    others: dict[str, Any] = {}
    for name, value in settings.items():
        if value != declared[name].default:
            others.update(declared[name].demanded(value))
    return evolve(
        back,
        target=_table(target.protocol, frozenset((name, settings.get(name, has)) for name, has in assumed.items())),
        constraints=evolve(back.constraints, **others),
        stated={**settings, **({"version": target.version} if target.version else {})},
    )


@lru_cache(MOST_PROFILES)
def _table(protocol: str, capabilities: frozenset[tuple[str, Any]]) -> Target:
    """Return the table for servers with these capabilities."""
    return _backend(protocol).target.having(dict(capabilities))


def rescan() -> None:
    """Scan installed packages again when a protocol is next asked for; those in use stay."""
    _built_in.cache_clear()
    _elsewhere.cache_clear()


def _find(side: Side, name: str) -> Any:
    found = _elsewhere(side).get(name, ()) if name not in _built_in(side) else ()
    try:
        if name in _built_in(side):
            return getattr(importlib.import_module(f"proxai_ir.{side}.{name}"), side[:-1].upper())
        if len(found) == 1:
            PACKAGES.add(found[0].module.rpartition(".")[0] or found[0].module)
            return found[0].load()
    except Exception as error:  # a table with a hole, or any other mistake in the code of a package
        if not found and not isinstance(error, TableError):
            raise
        what = str(error) if isinstance(error, TableError) else f"{type(error).__name__}: {error}"
        raise UnknownProtocol(f"protocol {name!r} cannot be used: {what}") from error
    known = sorted(_names(side))
    listed = f"is not installed; installed are {', '.join(known)}{near(name, known)}"
    raise UnknownProtocol(f"protocol {name!r:.80} {'is installed more than once' if found else listed}")


def _names(side: Side) -> set[str]:
    return {*_built_in(side), *_elsewhere(side)}


@cache
def _built_in(side: Side) -> frozenset[str]:
    package = importlib.import_module(f"proxai_ir.{side}")
    return frozenset(one.name for one in iter_modules(package.__path__) if one.ispkg and one.name[0] != "_")


@cache
def _elsewhere(side: Side) -> dict[str, list[EntryPoint]]:
    """Return the entry points of other packages, by protocol."""
    from importlib.metadata import entry_points  # a tenth of a first conversion, which built-ins need not wait for

    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=f"proxai_ir.{side}"):
        found.setdefault(entry.name, []).append(entry)
    return found


def detector(protocol: str, discriminators: Discriminators) -> Detector:
    """Return a function that detects the kind of a payload by its members.

    It raises Refusal if none or several fit (SHP-8), and then the caller has to pass `kind`: it never guesses.
    """
    lines = ["def detect(payload):", "    if payload.__class__ is dict:", "        get = payload.get"]
    tests = {kind: _test(alternatives) for kind, alternatives in discriminators.items()}
    for kind, test in tests.items():
        others = " or ".join(other for name, other in tests.items() if name != kind)
        lines += [f"        if {test} and not ({others or False}):", f"            return {kind!r}"]
    lines += [f"        if not ({' or '.join(tests.values()) or False}):", "            raise fits_none(protocol)"]
    lines.append("    return most_specific(payload)")

    def most_specific(payload: Any) -> str:
        return _most_specific(payload, protocol, discriminators)

    scope = {"most_specific": most_specific, "fits_none": fits_none, "protocol": protocol}
    found: Detector = compiled(f"detector of {protocol}", lines, scope)
    return found


def _test(alternatives: Sequence[set[str]]) -> str:
    present = [" and ".join(f"get({name!r}) is not None" for name in sorted(members)) for members in alternatives]
    return f"({' or '.join(f'({one})' for one in present)})"


def _most_specific(payload: Any, protocol: str, discriminators: Discriminators) -> str:
    """Return the kind whose members include those of every other kind that fits."""
    fitting: list[tuple[str, set[str]]] = []
    if not isinstance(payload, dict):
        events = "; a list of events is of the kind 'stream'" if isinstance(payload, list) else ""
        raise Refusal("SHP-1", None, f"expected an object as the payload, found {found(payload)}{events}")
    for kind, alternatives in discriminators.items():
        fitting += [(kind, one) for one in alternatives if all(payload.get(name) is not None for name in one)]
    kinds = list(dict.fromkeys(kind for kind, members in fitting if not any(members < other for _, other in fitting)))
    if len(kinds) == 1:
        return kinds[0]
    if kinds:
        raise Refusal("SHP-8", None, f"its members fit more than one kind: {', '.join(kinds)}")
    raise fits_none(protocol)


def fits_none(protocol: str) -> Refusal:
    """Return the refusal of a payload whose members fit no kind of a protocol."""
    return Refusal("SHP-8", None, f"its members fit no kind of {protocol}")
