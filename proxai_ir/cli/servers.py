"""Names of servers, models and rules on the command line: which exist, the nearest to a misspelt one, completion.

A server is named by a protocol, a vendor or a profile, wherever a protocol is (`proxai_ir.exchange.servers`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import typer

from ..conversion.profile import Profile
from ..exchange.servers import Meant, meant, named_profiles, words
from ..reporting.diagnostics import UnknownProtocol, near

AUTO = "auto"
"""The word for a source whose payloads show their protocols."""


def place(word: str, model: str | None = None) -> Meant | None:
    """Return the meaning of a word that a callback has checked; None for a form of `proxai_ir.exports`."""
    try:
        return meant(word, model)
    except UnknownProtocol:
        return None
    except ValueError as error:
        raise typer.BadParameter(f"{error}.", param_hint="'--model'") from None


def server(word: str) -> str | Profile:
    """Return the protocol or the profile that a word stands for; the name of a form of exports is returned as it is."""
    found = place(word)
    return word if found is None else found.side


def model_of(word: str, model: str | None) -> str | None:
    """Return the model that the word or the caller names."""
    found = place(word, model)
    return model if found is None else found.model


def note_of(words: Iterable[str]) -> Iterator[str]:
    """Yield what words of vendors and profiles stand for."""
    yield from dict.fromkeys(found.note for word in words if (found := place(word)) is not None and found.note)


class NamesNoModel(typer.BadParameter):
    """A word that ends before the name of its model."""


def any_server(name: str | None) -> str | None:
    """Return the name, if it is a protocol's, a profile's or a vendor's, with a model or without."""
    if name is not None:
        if name.endswith(":"):
            raise NamesNoModel(f"{name!r} names no model; expected {name}MODEL, or {name[:-1]} alone.")
        try:
            meant(name)
        except UnknownProtocol as error:
            raise typer.BadParameter(f"{error}.") from None
    return name


def each_server(names: list[str] | None) -> list[str] | None:
    """Return the names, if each is a server's."""
    for name in names or ():
        any_server(name)
    return names


def not_empty(name: str | None) -> str | None:
    """Return the name, unless it is empty, as that of a shell's variable which is not set."""
    if name == "":
        raise typer.BadParameter("expected a name, found an empty one.")
    return name


def server_or_form(name: str | None) -> str | None:
    """Return the name, if it is a server's or that of a form of `proxai_ir.exports`."""
    from ..exports import FORMS

    if name in FORMS:
        return name
    try:
        return any_server(name)
    except NamesNoModel:
        raise
    except typer.BadParameter as error:
        raise typer.BadParameter(f"{error.message[:-1]}; a form ({', '.join(FORMS)}).") from None


def any_source(name: str) -> str:
    """Return the name, if it is `auto` or a server's."""
    return name if name == AUTO else any_server(name) or AUTO


def source_of_files(name: str | None) -> str | None:
    """Return the name, if it is `auto`, a server's or a form's."""
    return name if name == AUTO else server_or_form(name)


def known(name: str | None, what: str, listed: Sequence[str], others: Sequence[str] = ()) -> str | None:
    """Return the name if it is one of these; `others` are accepted too, and not listed in the error."""
    if name is None or name in listed or name in others:
        return name
    hint = near(name, [*listed, *others]) or "."
    raise typer.BadParameter(f"there is no {what} {name!r}{hint} Available: {', '.join(listed)}.")


# --- completion by the shell ------------------------------------------------------------------------------------------


def servers_from(incomplete: str) -> list[str]:
    return [name for name in words() if name.startswith(incomplete)]


def profiles_from(incomplete: str) -> list[str]:
    return [name for name in named_profiles() if name.startswith(incomplete)]


def rules_from(incomplete: str) -> list[str]:
    from ..reporting.catalogue import RULES

    return [name for name in RULES if name.startswith(incomplete.upper())]


def models_from(incomplete: str) -> list[str]:
    """Return the families in the table of models."""
    from ..profiles import vendors

    return sorted(name for name in vendors.FAMILIES if name.startswith(incomplete))
