"""The application `proxai-ir`: its commands, each with an example and its exit codes.

Rule: the module of a command is loaded when the command is used, and names are looked up when help is asked for.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
import typer.main
from typer.core import TyperCommand

from .outcome import MEANINGS, ExitCode
from .show import Commands

HELP = {"help_option_names": ["--help", "-h"]}
SIDES = "PROTOCOL"
"""The metavar of options that name a server."""


class Command(NamedTuple):
    """The module whose function has the command's name, what may be typed, and the codes that the command ends with."""

    module: str
    example: str
    codes: tuple[ExitCode, ...]


_LOOKED_UP = (ExitCode.OK, ExitCode.USAGE)
_READ = (*_LOOKED_UP, ExitCode.REFUSED, ExitCode.UNREADABLE)
_CONVERTED = (*_LOOKED_UP, ExitCode.LOSS, ExitCode.REFUSED, ExitCode.UNREADABLE)
COMMANDS = {
    "convert": Command("convert", "convert request.json --to anthropic_messages", _CONVERTED),
    "check": Command("convert", "check request.json --to openai_responses --model gpt-5.6-sol", _CONVERTED),
    "lower": Command("convert", "lower request.json --pretty", _READ),
    "detect": Command("inspect", "detect request.json", _READ),
    "diff": Command(
        "inspect",
        "diff request.json converted.json",
        (ExitCode.OK, ExitCode.DIFFERENT, ExitCode.USAGE, ExitCode.UNREADABLE),
    ),
    "fold": Command("inspect", "fold stream.sse --partial", _READ),
    "bulk": Command("bulk", "bulk logs --from auto --to anthropic_messages --out converted", _CONVERTED),
    "serve": Command("serve", "serve --to openai --model gpt-5", (*_LOOKED_UP, ExitCode.ADDRESS)),
    "run": Command(
        "agent",
        "run claude --on gemini:gemini-3-pro",
        (*_LOOKED_UP, ExitCode.ADDRESS, ExitCode.NOT_FOUND),
    ),
    "log": Command("log", "log --limit 20", (*_LOOKED_UP, ExitCode.UNREADABLE)),
    "new-protocol": Command(
        "reference", "new-protocol acme_chat --schema openapi.json", (*_LOOKED_UP, ExitCode.UNREADABLE)
    ),
    "models": Command("models", "models claude-opus-4-6", _LOOKED_UP),
    "profiles": Command("models", "profiles vllm", _LOOKED_UP),
    "rules": Command("reference", "rules TUL", _LOOKED_UP),
    "explain": Command("reference", "explain TUL-4", _LOOKED_UP),
    "protocols": Command("reference", "protocols", _LOOKED_UP),
}
"""All commands, in the order of help."""


def explained(codes: tuple[ExitCode, ...]) -> str:
    """Return exit codes with their meanings."""
    return ", ".join(f"{code.value} {MEANINGS[code]}" for code in (*codes, ExitCode.INTERRUPTED))


class Explained(TyperCommand):
    """A command whose help ends with an example, its exit codes, and the names that its options take."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        one = COMMANDS[str(self.name)]
        parts = [f"Example: proxai-ir {one.example}", f"Exit codes: {explained(one.codes)}."]
        if any(parameter.metavar == SIDES for parameter in self.params):
            from ..exchange.servers import expected

            parts.append(f"{expected().replace('Expected', f'{SIDES} is')}.")
        self.epilog = "\n\n".join(parts)
        super().format_help(ctx, formatter)


class Loaded(Mapping[str, Any]):
    """Commands by their names, in the order of help; each is loaded when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        function = getattr(import_module(f".{COMMANDS[name].module}", __package__), name.replace("-", "_"))
        alone = typer.Typer(add_completion=False)
        alone.command(name, cls=Explained, context_settings=HELP)(function)
        return typer.main.get_command(alone)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a command; a KeyError while its module is loaded is not taken for an unknown name."""
        return self[name] if name in COMMANDS else default

    def __contains__(self, name: object) -> bool:
        return name in COMMANDS

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Application(Commands):
    """Group all commands, each of which is loaded when it is looked up."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": None})
        self.commands: Any = Loaded()


app = typer.Typer(
    help="Translate payloads between LLM wire protocols, and report what is lost.",
    epilog=f"Exit codes: {explained(tuple(MEANINGS)[:-1])}. `proxai-ir COMMAND -h` has an example of each command.",
    cls=Application,
    context_settings=HELP,
    invoke_without_command=True,
    pretty_exceptions_enable=False,  # a traceback is a bug of ours, and shows no payload
)


def _version(wanted: bool) -> None:
    if wanted:
        import proxai_ir

        typer.echo(f"proxai-ir {proxai_ir.__version__}")
        raise typer.Exit


@app.callback()
def everywhere(
    context: typer.Context,
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Translate payloads between LLM wire protocols, and report what is lost."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(ExitCode.USAGE)
