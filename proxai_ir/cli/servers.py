"""Names of servers, models and rules on the command line: which exist, the nearest to a misspelt one, completion.

A server is named by its protocol or by a profile of proxai_ir.profiles, wherever a protocol is.
"""

from __future__ import annotations

from collections.abc import Sequence

import typer

import proxai_ir

from .. import profiles
from ..conversion.profile import Profile
from ..launch.vendors import VENDORS
from ..reporting.diagnostics import near

AUTO = "auto"
"""In place of the source of files: each row shows its own."""


def named_profiles() -> list[str]:
    return [name.lower() for name in dir(profiles) if isinstance(getattr(profiles, name), Profile)]


def server(name: str) -> str | Profile:
    """Return the profile of that name, or else the name, which is a protocol's."""
    if name in proxai_ir.protocols() or name not in named_profiles():
        return name
    found: Profile = getattr(profiles, name.upper())
    return found


def protocol(name: str | None) -> str | None:
    """Return the name, if it is a protocol's."""
    return known(name, "protocol", proxai_ir.protocols())


def protocol_or_profile(name: str | None) -> str | None:
    """Return the name, if it is a protocol's or a profile's."""
    return known(name, "protocol or profile", proxai_ir.protocols(), named_profiles())


def upstream(name: str | None) -> str | None:
    """Return the name, if it is a protocol's, a profile's or a vendor's."""
    vendors = [one.name for one in VENDORS]
    return known(name, "protocol, profile or vendor", proxai_ir.protocols(), [*named_profiles(), *vendors])


def each_server(names: list[str] | None) -> list[str] | None:
    """Return the names, if each is a protocol's or a profile's."""
    for name in names or ():
        protocol_or_profile(name)
    return names


def protocol_or_form(name: str | None) -> str | None:
    """Return the name, if it is a protocol's, a profile's or that of a form of `proxai_ir.exports`."""
    from ..exports import FORMS

    return known(name, "protocol, profile or form", (*proxai_ir.protocols(), *FORMS), named_profiles())


def source_of_files(name: str | None) -> str | None:
    """Return the name, if it is `auto`, a protocol's, a profile's or a form's."""
    return name if name == AUTO else protocol_or_form(name)


def known(name: str | None, what: str, listed: Sequence[str], others: Sequence[str] = ()) -> str | None:
    """Return the name if it is one of these; `others` are accepted too, and not listed in the error."""
    if name is None or name in listed or name in others:
        return name
    hint = near(name, [*listed, *others]) or "."
    raise typer.BadParameter(f"there is no {what} {name!r}{hint} Available: {', '.join(listed)}.")


# --- completion by the shell ------------------------------------------------------------------------------------------


def protocols_from(incomplete: str) -> list[str]:
    return [name for name in proxai_ir.protocols() if name.startswith(incomplete)]


def servers_from(incomplete: str) -> list[str]:
    return [name for name in (*proxai_ir.protocols(), *named_profiles()) if name.startswith(incomplete)]


def profiles_from(incomplete: str) -> list[str]:
    return [name for name in named_profiles() if name.startswith(incomplete)]


def rules_from(incomplete: str) -> list[str]:
    from ..reporting.catalogue import RULES

    return [name for name in RULES if name.startswith(incomplete.upper())]


def models_from(incomplete: str) -> list[str]:
    """Return the families in the table of models."""
    from ..profiles import vendors

    return sorted(name for name in vendors.FAMILIES if name.startswith(incomplete))
