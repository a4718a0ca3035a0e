"""The settings of a protocol's servers, declared once, and one server as a conversion sees it.

    SETTINGS = {
        "prefill": capability(False, "an assistant message at the end (PLC-19)", {"last_turn": "continued"}),
        "family": capability("other", "the model's family", choices=("claude", "nova", "other")),
        "max_tokens": option(4096, "the output limit of requests that set none", of="requests"),
    }

Rule: a setting's name, default and meaning stand here and nowhere else. Tables name a capability in `lacking` and
`Check(without=…)`, and a setting with a choice of words in `where`; builders and checks read settings as attributes of
a Server, and passes ask constraints alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from attrs import Factory, field

from ..ir.envelope import Seals
from ..json.classes import frozen

NO_CONSTRAINTS: Mapping[str, Any] = {}


@frozen
class Setting:
    """A capability, which only some servers have (CAP-1), or an option of calls.

    default      what applies if the caller states nothing: of a capability, what every current server has (CAP-2)
    meaning      for users: what a server with the capability accepts, or what the option does
    constraints  those that differ for servers whose capability is not the default; of a setting with choices, by word
    of           the conversions that the option is about; "": it is a capability
    choices      the words that it may be, if it is one of a few
    renames      whether it decides only under which name a member is sent; of a request's own member, its names
                 without and with the capability
    proxied      the value of an option for responses in a proxy, whose client needs some answer, if the caller states
                 nothing and is not strict; None: `default`
    """

    default: Any
    meaning: str
    constraints: Mapping[str, Any] = field(factory=dict)
    of: str = ""
    choices: tuple[str, ...] = ()
    renames: bool | tuple[str, str] = False
    proxied: Any = None

    def demanded(self, value: Any) -> Mapping[str, Any]:
        """Return the constraints that differ for servers with a value, which is not the default."""
        found: Mapping[str, Any] = self.constraints.get(value, NO_CONSTRAINTS) if self.choices else self.constraints
        return found


Settings = Mapping[str, Setting]


def capability(
    default: Any,
    meaning: str,
    constraints: Mapping[str, Any] = NO_CONSTRAINTS,
    *,
    choices: tuple[str, ...] = (),
    renames: bool | tuple[str, str] = False,
) -> Setting:
    """Return the setting for something that only some servers take (CAP-1).

    Tables limit verdicts by `lacking(name, verdict)`, and checks by `without=name`.

    `default`: what every current server has. `constraints`: those that differ for servers without it. `choices`: the
    words that it may be, if it is one of a few; tables say `where(name, words, verdict)`, and `constraints` are by
    word. `renames`: it decides only under which name a member is sent; of a request's own member, its names without
    and with the capability.
    """
    return Setting(default, meaning, constraints, choices=choices, renames=renames)


def option(default: Any, meaning: str, *, of: str, choices: tuple[str, ...] = (), proxied: Any = None) -> Setting:
    """Return an option of calls, which builders and checks read as an attribute of a Server.

    `of`: the conversions that it is about, "requests", "responses" or "streams".
    """
    return Setting(default, meaning, {}, of, choices, proxied=proxied)


def in_proxies(settings: Settings) -> dict[str, Any]:
    """Return the options that proxies set if the caller states nothing."""
    return {name: one.proxied for name, one in settings.items() if one.proxied is not None}


def defaults(settings: Settings) -> dict[str, Any]:
    return {name: one.default for name, one in settings.items()}


ASSUMED: Any = Factory(lambda table: {name: one.default for name, one in table.settings.items() if not one.of}, True)
"""A default: the capabilities that every current server has, by the settings of the table."""


class Server:
    """The settings and options of a call as attributes: those of every protocol, its own, and the API's `version`."""

    model: str | None = None
    response_id: str | None = None
    created: int | None = None
    status: int | None = None
    seals: Seals | Literal[False] | None = None

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.__dict__ = options  # type: ignore[assignment] # a dict, which is never changed

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
