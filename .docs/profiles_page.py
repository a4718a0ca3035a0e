"""The reference of profiles: a table of all of them, and below it each with what is known of its server.

Rule: which profiles there are is what `proxai_ir.profiles` says; what each is about, the comment where it is made.
"""

from __future__ import annotations

from proxai_ir.conversion.profile import Profile
from proxai_ir.exchange.servers import named_profiles

MARKER = "<!-- profiles -->"
HEAD = (
    "| profile | on the command line | protocol | settings beyond the protocol's defaults |\n| --- | --- | --- | --- |"
)
OPTIONS = (
    "    options: {heading_level: 3, show_root_heading: true, show_root_full_path: false, show_attribute_values: false}"
)


def filled(markdown: str) -> str:
    """Return the page with its table, and a section for each profile."""
    assert MARKER in markdown, "reference/profiles.md has no place for its table"
    found = sorted(named_profiles().items())
    sections = [f"::: proxai_ir.profiles.named.{name.upper()}\n{OPTIONS}" for name, _ in found]
    return markdown.replace(MARKER, "\n\n".join(["\n".join([HEAD, *(row(*one) for one in found)]), *sections]))


def row(name: str, profile: Profile) -> str:
    settings = "<br>".join(f"`{key}={value!r}`" for key, value in profile.given.items())
    anchor = f"#proxai_ir.profiles.named.{name.upper()}"
    return f"| [`{name.upper()}`]({anchor}) | `{name}` | `{profile.protocol}` | {settings or 'none'} |"
