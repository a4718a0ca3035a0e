"""The registry: what a protocol's frontend and backend are, and how they are found.

Built-in protocols are found by their place, frontends/NAME and backends/NAME, without a scan; those of other packages
by the entry points `proxai_ir.frontends` and `proxai_ir.backends`, each naming a Frontend or Backend object.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Literal

from attrs import field, frozen

from .diagnostics import Refusal
from .ir.error import Error
from .ir.request import Request
from .ir.response import Response
from .rules.constraints import Constraints
from .rules.verdicts import Target
from .streaming.interfaces import Restorer, StreamReader, StreamWriter

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Json = dict[str, Any]


@frozen
class Frontend:
    """One protocol into the IR. A reader raises diagnostics.Refusal for what is not this protocol.

    discriminators
        for each kind ("request", "response", "error") the alternative sets of members that identify it; where one
        kind's set includes another's, the larger one decides
    response
        reads a response, or the error that a failed response is (STS-9)
    vendor_fields
        for each IR class the members that only this protocol has, with the rule that reports their loss
    wire_paths
        for each IR class where its fields stand on the wire, as paths below the node's object
    stream
        makes a reader of one stream; its option `faithful` asks for what only the same protocol needs, event by event.
        None: the protocol has no streams
    options
        the names of the options that its reader understands, with their defaults
    """

    protocol: str
    discriminators: Mapping[str, Sequence[set[str]]]
    request: Callable[[Json], Request]
    response: Callable[[Json], Response | Error]
    error: Callable[..., Error]
    vendor_fields: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    wire_paths: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    stream: Callable[[Mapping[str, Any]], StreamReader] | None = None
    options: Mapping[str, Any] = field(factory=dict)


@frozen
class Backend:
    """The IR into one protocol. A builder gets a legal, placed tree; `home` says that it came from this very protocol.

    options  the names of the options that it understands, with their defaults
    stream   makes a writer of one stream; None: the protocol has no streams
    restore  the event of this very protocol that a reader read as these IR events; None likewise
    named    whether the lines of its server-sent events are named by their `type`
    """

    protocol: str
    target: Target
    constraints: Constraints
    request: Callable[[Request, bool, Mapping[str, Any]], Json]
    response: Callable[[Response, bool, Mapping[str, Any]], Json]
    error: Callable[[Error, bool, Mapping[str, Any]], Json]
    options: Mapping[str, Any] = field(factory=dict)
    stream: Callable[[Mapping[str, Any]], StreamWriter] | None = None
    restore: Callable[[], Restorer] | None = None
    named: bool = False


Side = Literal["frontends", "backends"]


def protocols() -> tuple[str, ...]:
    """The names of all protocols that have a frontend and a backend, sorted."""
    return tuple(sorted(_names("frontends") & _names("backends")))


@cache
def frontend(name: str) -> Frontend:
    """The frontend of a protocol; an unknown name is a Refusal that lists the known ones (SHP-9)."""
    found: Frontend = _find("frontends", name)
    return found


@cache
def backend(name: str) -> Backend:
    found: Backend = _find("backends", name)
    return found


def _find(side: Side, name: str) -> Any:
    package = importlib.import_module(f"proxai_ir.{side}")
    if name.isidentifier() and any(module.name == name and module.ispkg for module in iter_modules(package.__path__)):
        return getattr(importlib.import_module(f"proxai_ir.{side}.{name}"), side[:-1].upper())
    found = [entry for entry in _elsewhere(side) if entry.name == name]
    if len(found) == 1:
        return found[0].load()
    known = ", ".join(sorted(_names(side)))
    why = "is installed more than once" if found else f"is not installed; installed are {known}"
    raise Refusal("SHP-9", None, f"protocol {name!r:.80} {why}")


def _names(side: Side) -> set[str]:
    package = importlib.import_module(f"proxai_ir.{side}")
    built_in = {module.name for module in iter_modules(package.__path__) if module.ispkg and module.name[0] != "_"}
    return built_in | {entry.name for entry in _elsewhere(side)}


def _elsewhere(side: Side) -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points  # a tenth of a first conversion, which built-ins need not wait for

    return entry_points(group=f"proxai_ir.{side}")
