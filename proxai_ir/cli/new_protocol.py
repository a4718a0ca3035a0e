"""`proxai-ir new-protocol`: a package for another protocol, made of its schema.

Rule: nothing is written before everything is made, and nothing that exists is written over.
"""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from .. import protocols
from .exits import ExitCode
from .show import visible

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
    if name in protocols():
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
