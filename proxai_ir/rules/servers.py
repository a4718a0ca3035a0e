"""Verdicts for some servers only: those that lack a capability, or of which a declared setting is one of some words.

Rule: which servers a table is about is decided when the table is made, once for all that state the same (`having`), so
that judging a node asks nothing of the server. What depends on a node and on a setting's value at once is a Check.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from attrs import evolve, field, frozen

from ..binding.server import Settings
from .catalogue import TableError

Where = tuple[tuple[str, tuple[str, ...]], ...]
"""Settings with the words that they may be; all must fit."""
ANY_WORD = "any word"
"""The value of a setting in a table that shows the verdicts for all of its words."""


@frozen
class Limited:
    """A verdict or check. `without`: only for servers that lack this capability; `where`: only for those of which these
    settings are one of these words."""

    without: str = field(default="", kw_only=True)
    where: Where = field(default=(), kw_only=True)

    @property
    def limited(self) -> bool:
        return bool(self.without or self.where)


V = TypeVar("V", bound=Limited)


def lacking(capability: str, verdict: V) -> V:
    """The verdict, for servers that lack a capability of the target's (CAP-1)."""
    return evolve(verdict, without=capability)


def where(setting: str, words: str, verdict: V) -> V:
    """The verdict, for servers or calls for which a setting of the target's is one of these words:

    where("family", "claude|nova", ok("top_k"))
    """
    limits: Where = (*verdict.where, (setting, tuple(words.split("|"))))
    return evolve(verdict, where=limits)


def facts(table: str, settings: Settings, has: Mapping[str, Any], limited: Iterable[Limited]) -> dict[str, Any]:
    """The capabilities, and the options that verdicts or checks name in `where`. Raises TableError for a capability,
    setting or word that the target does not declare."""
    found = {**has}
    for one in limited:
        if one.without and one.without not in found:
            raise TableError(f"the table of {table} has no capability {one.without!r}: declare it in `settings`")
        for name, words in one.where:
            known = settings[name].choices if name in settings else ()
            if unknown := [word for word in words if word not in known]:
                add = f"it is one of {', '.join(known)}" if known else "declare it in `settings`, with its `choices`"
                raise TableError(f"the table of {table} has no setting {name!r} that is {' or '.join(unknown)}: {add}")
            found.setdefault(name, settings[name].default)
    return found


def fits(one: Limited, capabilities: Mapping[str, Any]) -> bool:
    """Whether a verdict or check is about servers with these capabilities."""
    if one.without and capabilities[one.without]:
        return False
    return all(capabilities[name] in (*words, ANY_WORD) for name, words in one.where)


def all_shown(capabilities: Mapping[str, Any], *, has: bool) -> dict[str, Any]:
    """For a table that shows what applies to servers with every capability or with none, and to all words."""
    return {name: has if isinstance(value, bool) else ANY_WORD for name, value in capabilities.items()}


def described(limits: Where) -> str:
    """In words: "family is claude or nova"."""
    return " and ".join(f"{name} is {' or '.join(words)}" for name, words in limits)
