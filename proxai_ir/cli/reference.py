"""The commands about the library itself: `rules`, `explain`, `protocols` and `new-protocol`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

import proxai_ir

from .. import protocols as installed_protocols
from ..json.types import visible
from ..matrix import rulebook
from ..reporting.catalogue import RULES, Rule
from .outcome import ExitCode
from .parameters import AsJson
from .servers import rules_from
from .show import STYLES, as_lines, table

# --- reference --------------------------------------------------------------------------------------------------------
# The commands about the library itself: its rules and protocols.
#
# Rule: what a rule is stands in the catalogue and in the specification; this prints it, for people or as JSON.


Wanted = Annotated[
    str | None,
    typer.Argument(
        metavar="ID", help="A rule (TUL-4) or a family (TUL).", autocompletion=rules_from, show_default=False
    ),
]
RuleId = Annotated[
    str, typer.Argument(metavar="RULE", help="A rule's id: TUL-4.", autocompletion=rules_from, show_default=False)
]
MEANING = {
    "info": "no content and no behaviour of the response changes; the conversion goes on.",
    "loss": "the target does not get what was sent or asked for; the conversion goes on, and is refused with strict.",
    "error": "the conversion is refused.",
    "law": "a property of every conversion; no diagnostic has this severity.",
}
"""What a severity means, as README's table has it."""


def rules(wanted: Wanted = None, as_json: AsJson = False) -> None:
    """List all rules, or a family's; or print one rule's section of the specification."""
    found = [*RULES.values()] if wanted is None else _found(wanted)
    text = None if wanted is None or as_json else rulebook.section(wanted.upper())
    if as_json:
        as_lines(_record(rule) for rule in found)
    elif text is None:
        _print_table(found)
    else:
        _print_text(text)


def explain(rule: RuleId, as_json: AsJson = False) -> None:
    """Explain a rule: its meaning, the effect of its severity, and the examples of the specification."""
    (found, *others) = _found(rule)
    if others:
        raise typer.BadParameter(
            f"{rule.upper()} is a family of {len(others) + 1} rules; `proxai-ir rules {rule.upper()}` lists them.",
            param_hint="'RULE'",
        )
    text = rulebook.section(found.id) or ""
    if as_json:
        more = {"meaning": MEANING[found.severity], "section": text}
        as_lines([{**_record(found), **more, "examples": rulebook.examples(text)}])
        return
    typer.echo(f"{found.id} ({found.severity}): {found.sentence}\n{found.severity}: {MEANING[found.severity]}")
    if text:
        typer.echo()
        _print_text(text)


def protocols(as_json: AsJson = False) -> None:
    """Print the names of the protocols, one per line."""
    if as_json:
        as_lines(_about(name) for name in proxai_ir.protocols())
    else:
        typer.echo("\n".join(proxai_ir.protocols()))


def _about(name: str) -> dict[str, Any]:
    from ..protocol.registry import backend, framing_of, frontend, is_built_in

    back = backend(name)
    streams = frontend(name).stream is not None and back.stream is not None
    return {
        "protocol": name,
        "built_in": is_built_in(name),
        "streams": framing_of(name).name if streams else None,
        "batch": back.batch is not None,
        "versions": [*back.versions],
    }


def _found(wanted: str) -> list[Rule]:
    found = rulebook.find(wanted.upper())
    if not found:
        near = ", ".join(rulebook.near(wanted.upper()))
        raise typer.BadParameter(f"no rule has the id {wanted.upper()!r}. Similar ids: {near}.")
    return [*found]


def _record(rule: Rule) -> dict[str, Any]:
    return {"rule": rule.id, "severity": rule.severity, "sentence": rule.sentence}


def _print_text(section: str) -> None:
    text = rulebook.readable(section)
    if sys.stdout.isatty():
        Console().print(Markdown(text))
    else:
        typer.echo(text)


def _print_table(rules: Iterable[Rule]) -> None:
    """Print wrapped columns on a terminal, elsewhere one rule a line."""
    if not sys.stdout.isatty():
        for rule in rules:
            typer.echo(f"{rule.id:<7} {rule.severity:<5} {rule.sentence}")
        return
    shown = table("rule", "severity", "sentence")
    for rule in rules:
        shown.add_row(rule.id, Text(rule.severity, STYLES.get(rule.severity, "")), Text(rule.sentence))
    Console().print(shown)


# --- new protocol -----------------------------------------------------------------------------------------------------
# `proxai-ir new-protocol`: a package for another protocol, made of its schema.
#
# Rule: nothing is written before everything is made, and nothing that exists is written over.


Name = Annotated[str, typer.Argument(metavar="NAME", help="Its wire name: lower-case letters, digits and `_`.")]
SchemaFile = Annotated[Path, typer.Option("--schema", help="OpenAPI 3.0 or 3.1, or a JSON Schema; JSON or YAML.")]
Folder = Annotated[Path | None, typer.Option("--out", help="The folder to make; ./NAME-ir unless given.")]
Operation = Annotated[str | None, typer.Option("--operation", help="Of several: its operationId, path, or both words.")]


def new_protocol(name: Name, schema: SchemaFile, out: Folder = None, operation: Operation = None) -> None:
    """Write a package for another protocol; its own tests say what is left to decide."""
    from ..scaffold import package
    from ..scaffold import schema as reading

    if not (name.isascii() and name.isidentifier() and name == name.lower()):
        raise typer.BadParameter(f"{name!r} is no name of lower-case letters, digits and `_`.", param_hint="'NAME'")
    if name in installed_protocols():
        raise typer.BadParameter(f"{name} is there already.", param_hint="'NAME'")
    folder = out or Path(f"{name.replace('_', '-')}-ir")
    if folder.exists():
        raise typer.BadParameter(f"{folder} exists, and is not written over.", param_hint="'--out'")
    try:
        described = reading.described(reading.load(schema), operation)
    except reading.SeveralOperations as several:
        raise typer.BadParameter(f"choose one of: {several}", param_hint="'--operation'") from None
    except (reading.SchemaError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        Console(stderr=True).print(
            visible(f"proxai-ir: {schema}: {reason}"), soft_wrap=True, highlight=False, markup=False
        )
        raise typer.Exit(ExitCode.UNREADABLE) from None
    for path, text in package.package(name, described, schema.name).items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    typer.echo(f"{folder}: install it, and run pytest there: each line names one thing to decide.")
