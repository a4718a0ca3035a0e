"""The options that commands share, each declared once: how it is written, what it means, how it is wrong."""

import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, get_type_hints

import orjson
import typer
from attrs import frozen
from rich.console import Console

from ..conversion.options import SHARED, VERSION, of_json
from ..conversion.settings import ProtocolOptions, Settings
from ..exchange.members import with_members
from ..json.types import described
from ..passes.emulation import AUTO as ALL_TOOLS
from ..reporting.diagnostics import Record
from .outcome import ExitCode, Kind
from .run import is_jsonl
from .servers import AUTO, any_server, any_source, models_from, not_empty, profiles_from, servers_from
from .show import Reporter

BODY = "'--body'"
RESERVED = {
    "kind": "--kind",
    "strict": "--strict",
    "src": "--from",
    "dst": "--to",
    "quote_values": "--hide-values",
}
"""Options of the library that the command line spells its own way."""


CAPABILITIES = frozenset({*Settings.__annotations__, VERSION}).difference(ProtocolOptions.__annotations__)
"""What a server takes, which is no option of a conversion."""


def read_options(pairs: Sequence[str], flag: str = "--option") -> dict[str, Any]:
    """Return the `NAME=VALUE` pairs of a flag as keyword arguments of the library.

    A value that is no JSON is a string, or a list of words where the option takes a list.
    """
    options: dict[str, Any] = {}
    hint = f"'{flag}'"
    for pair in pairs:
        _, equals, value = pair.partition("=")
        name = _name(pair)
        if not equals or not name.isidentifier():
            raise typer.BadParameter(f"{pair!r} is not NAME=VALUE.", param_hint=hint)
        if name in options:
            raise typer.BadParameter(f"{name} is given twice.", param_hint=hint)
        try:
            options[name] = of_json(name, orjson.loads(value))
        except orjson.JSONDecodeError:
            options[name] = value.split(",") if SHARED.get(name) is tuple and value != ALL_TOOLS else value
        except TypeError as error:
            raise typer.BadParameter(str(error), param_hint=hint) from None
    return options


def read_members(texts: Sequence[str] | None) -> dict[str, Any]:
    """Return the members of a request's body that `--body` states: a JSON object, or one member as KEY=VALUE.

    Dots in a key lead into objects; a value that is no JSON is a string.
    """
    members: dict[str, Any] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if text.lstrip().startswith("{") or not (key and equals):
            try:
                stated = orjson.loads(text)
            except orjson.JSONDecodeError:
                raise typer.BadParameter(f"{text!r} is neither KEY=VALUE nor a JSON object.", param_hint=BODY) from None
        else:
            try:
                stated = orjson.loads(value)
            except orjson.JSONDecodeError:
                stated = value
            for name in reversed(key.split(".")):
                stated = {name: stated}
        if not isinstance(stated, dict):
            raise typer.BadParameter(f"{text!r} is {described(stated)}; expected an object.", param_hint=BODY)
        found: list[Record] = []
        members = with_members(members, stated, found)
        if found:
            raise typer.BadParameter(f"{text!r} states a member once more, with another value.", param_hint=BODY)
    return members


def _not_reserved(running: typer.Context, pairs: list[str] | None) -> list[str] | None:
    """Return the pairs. Raises BadParameter for an option that the command line spells another way."""
    flags = {flag for one in running.command.params for flag in one.opts}
    for pair in pairs or ():
        name = _name(pair)
        if name in RESERVED and "=" in pair:
            flag = RESERVED[name]
            what = f"use {flag} instead of the option {name}." if flag in flags else f"{name} means nothing here."
            raise typer.BadParameter(what)
        if name in CAPABILITIES:
            raise typer.BadParameter(f"{name} is a capability of a server: --capability {pair}")
    return pairs


def _name(pair: str) -> str:
    return pair.partition("=")[0].strip().replace("-", "_")


@contextmanager
def naming_wrong_options(options: Mapping[str, Any]) -> Generator[None, None, None]:
    """Turn the library's TypeError about an option into wrong usage; any other TypeError is a bug and stays one."""
    try:
        yield
    except TypeError as error:
        if any(repr(name) in str(error) for name in options):
            raise typer.BadParameter(str(error), param_hint="'--option'") from error
        raise


def side(flag: str, about: str, callback: Callable[..., Any] = any_server, **more: Any) -> Any:
    """Return an option that names one side: a protocol, a vendor, or a profile of a server."""
    return typer.Option(flag, metavar="PROTOCOL", help=about, callback=callback, autocompletion=servers_from, **more)


File = Annotated[str, typer.Argument(metavar="FILE|-", help="The payload; - is standard input.", show_default=False)]
From = Annotated[
    str,
    side(
        "--from",
        "The protocol of the payload, or a server: a vendor or a profile. Default: auto, which each payload shows.",
        any_source,
        show_default=False,
    ),
]
To = Annotated[str, side("--to", "The protocol to convert it to, or a server: VENDOR[:MODEL] or a profile (vllm, …).")]
ToOrModel = Annotated[
    str | None,
    side(
        "--to",
        "The protocol to convert it to, or a server: VENDOR[:MODEL] or a profile; without it the one in which the "
        "vendor of --model takes most.",
    ),
]
KindOption = Annotated[
    Kind | None,
    typer.Option(
        "--kind",
        help="The kind of payload. Default: the payload shows it.",
        show_default=False,
    ),
]
LibraryOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="An option of the library; repeatable. VALUE is JSON, or else a string; a list is a,b.",
        callback=_not_reserved,
    ),
]
Capabilities = Annotated[
    list[str] | None,
    typer.Option(
        "--capability",
        metavar="NAME=VALUE",
        help="What the target's server takes, as in a Profile; repeatable. VALUE is JSON, or else a string.",
    ),
]
JsonLines = Annotated[
    bool | None,
    typer.Option(
        "--jsonl/--no-jsonl",
        help="One payload per line, or one event of a stream per line; each is converted as it arrives. "
        "Default: on for files with the extension .jsonl.",
        show_default=False,
    ),
]
Pretty = Annotated[
    bool | None,
    typer.Option(
        "--pretty/--compact", help="Indented or compact output. Default: indented on a terminal.", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON, for programs.")]
HideValues = Annotated[bool, typer.Option("--hide-values", help="Diagnostics that quote nothing of the payload.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No diagnostics and no progress bar.")]
RemediesWanted = Annotated[
    bool | None,
    typer.Option(
        "--remedies/--no-remedies",
        help="What removes each finding, found by converting again. Default: on a terminal.",
        show_default=False,
    ),
]
JsonDiagnostics = Annotated[bool, typer.Option("--json-diagnostics", "--json", help="Diagnostics as JSON lines.")]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="The model that requests are sent to, in place of the one that they name.",
        callback=not_empty,
        autocompletion=models_from,
        show_default=False,
    ),
]
ProfileName = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="NAME",
        help="What the target takes: a profile (`proxai-ir profiles` lists them), which has the last word, or "
        "`protocol`: nothing by the name of a model.",
        autocompletion=profiles_from,
        show_default=False,
    ),
]
Body = Annotated[
    list[str] | None,
    typer.Option(
        "--body",
        metavar="JSON|KEY=VALUE",
        help="Members of every request's body that it does not have itself, as options.num_ctx=65536; repeatable.",
        show_default=False,
    ),
]
Context = Annotated[
    int | None,
    typer.Option(
        metavar="TOKENS",
        min=1,
        help="The tokens of the model's context: asked for where requests can set it; what will not fit is said once.",
        show_default=False,
    ),
]


# --- options that commands on payloads share --------------------------------------------------------------------------


@frozen(kw_only=True)
class Given:
    """The arguments and options that commands on payloads share; each takes those that it names to `taking`."""

    file: File
    src: From = AUTO
    kind: KindOption = None
    profile: ProfileName = None
    capability: Capabilities = None
    option: LibraryOptions = None
    jsonl: JsonLines = None
    pretty: Pretty = None
    quiet: Quiet = False
    json_diagnostics: JsonDiagnostics = False
    remedies: RemediesWanted = None
    hide_values: HideValues = False

    @property
    def is_jsonl(self) -> bool:
        return is_jsonl(self.file, self.jsonl)

    def options(self, model: str | None = None, *, strict: bool = False) -> dict[str, Any]:
        """Return the options of the conversion."""
        return conversion_options(self.option, model, strict=strict, hide_values=self.hide_values)

    @property
    def capabilities(self) -> dict[str, Any]:
        """The capabilities of the target that are stated."""
        return read_options(self.capability or (), "--capability")

    def reporter(self, console: Console, done: str = "converted") -> Reporter:
        return Reporter(
            console,
            file=self.file,
            as_json=self.json_diagnostics,
            quiet=self.quiet,
            done=done,
            remedies=self.remedies,
        )


def conversion_options(
    pairs: Sequence[str] | None, model: str | None, *, strict: bool, hide_values: bool
) -> dict[str, Any]:
    """Return the options of a conversion: those of --option, and those that have an option of their own."""
    options = read_options(pairs or ())
    if model is not None:
        options["model"] = model
    return options | ({"strict": True} if strict else {}) | ({"quote_values": False} if hide_values else {})


def taking(names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator: the command gets a `Given` first, and its help lists options in the order of `names`.

    A name is one of `Given`, or of the command's own parameters.
    """

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        own = [*inspect.signature(command).parameters.values()][1:]
        known = {one.name: one for one in (*inspect.signature(Given).parameters.values(), *own)}
        hints = get_type_hints(Given, include_extras=True) | get_type_hints(command, include_extras=True)

        def run(**values: Any) -> None:
            mine = {one.name: values.pop(one.name) for one in own}
            command(Given(**values), **mine)

        run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
        run.__annotations__ = {name: hints[name] for name in names.split()}
        chosen = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=known[name].default, annotation=hints[name])
            for name in names.split()
        ]
        run.__signature__ = inspect.Signature(chosen)  # type: ignore[attr-defined]
        return run

    return decorated


@contextmanager
def needing(what: str, extra: str, others: Mapping[str, str] | None = None) -> Generator[None, None, None]:
    """End the command if a module is missing, and name its extra; `others` are the extras of single packages."""
    try:
        yield
    except ModuleNotFoundError as missing:
        name = missing.name or ""
        if name.startswith("proxai_ir"):
            raise
        extra = (others or {}).get(name, extra)
        typer.echo(f'proxai-ir: {what} needs {name}: in the checkout, pip install ".[{extra}]"', err=True)
        raise typer.Exit(ExitCode.USAGE) from None
