"""The command `log`: what passed through a gateway, one exchange in full, or one converted again for another target.

Rule: what the extra `serve` brings is imported when the command runs, and what is missing is named.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import attrs
import typer
from rich.console import Console
from rich.text import Text

from ..api import check
from ..conversion.profile import protocol_of
from ..exchange import Exchange
from ..exchange.servers import meant
from ..ir.envelope import Seals
from ..json.types import visible
from ..protocol.registry import backend
from ..reporting.diagnostics import Diagnostic, Severity, TranslationError
from ..targets.settings import in_proxies
from .outcome import ExitCode, Outcome, worst
from .parameters import needing, side
from .servers import server
from .show import STYLES, Reporter, print_rows, table, unreadable

if TYPE_CHECKING:
    from ..serve.config import UpstreamTable
    from ..storage import Storage
    from ..storage.records import Filter, Record, Summary

PAYLOADS = {
    "request": "request of the client",
    "upstream_request": "request to the provider",
    "upstream_response": "response of the provider",
    "response": "response to the client",
}
KEEPS_THEM = "serve --log-payloads keeps them, or log.payloads = true in its configuration"
MOST = 1000
"""The highest --limit."""
IN_HEADERS = "req_"
"""What the gateway puts before an exchange's id where a response names its request."""
SHORT = 12
"""How much of an id is listed on a terminal; ID can be the beginning of one."""
UNLIMITED = 10_000  # columns

Target = Annotated[str | None, side("--to", "The protocol that --replay converts to.", show_default=False)]


def log(
    exchange: Annotated[
        str | None, typer.Argument(metavar="ID", help="Show this exchange in full.", show_default=False)
    ] = None,
    storage: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="The storage of the gateway. Default: the file in the user's folder.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=MOST, help="How many exchanges are listed, the newest first.")] = 20,
    rule: Annotated[
        str | None,
        typer.Option(help="Only exchanges that report this rule (TUL-4) or family (TUL).", show_default=False),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="Only exchanges with this model, on the client's side or the provider's.", show_default=False
        ),
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only exchanges that failed.")] = False,
    learned: Annotated[
        bool, typer.Option("--learned", help="List the settings that models refused, and until when they get none.")
    ] = False,
    replay: Annotated[
        bool, typer.Option("--replay", help="Convert what ID keeps to --to, and show what would be lost.")
    ] = False,
    to: Target = None,
    remedies: Annotated[
        bool,
        typer.Option(
            "--remedies",
            help="What removes each finding of ID's request, as keys of the upstream's table in the gateway's file.",
        ),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --remedies: the file that the gateway runs with.", show_default=False),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--sum",
            metavar="COLUMNS",
            help="Sums over all exchanges that match, by columns such as who,model,day: exchanges, losses, tokens.",
            show_default=False,
        ),
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="With --sum: as CSV, with a line of names.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Exchanges, diagnostics or sums as JSON lines.")] = False,
) -> None:
    """List what passed through a gateway; or show one exchange in full, or convert it again for another target."""
    if replay != (to is not None) or (replay and exchange is None):
        raise typer.BadParameter("expected ID --replay --to PROTOCOL.", param_hint="'--replay'")
    if (remedies and exchange is None) or (config is not None and (not remedies or replay)):
        raise typer.BadParameter("expected ID --remedies, with --config FILE or --replay.", param_hint="'--remedies'")
    if learned and exchange is not None:
        raise typer.BadParameter("expected no ID.", param_hint="'--learned'")
    if by is not None and (exchange is not None or learned):
        raise typer.BadParameter("expected neither ID nor --learned.", param_hint="'--sum'")
    if as_csv and (by is None or as_json):
        raise typer.BadParameter("expected --sum COLUMNS, without --json.", param_hint="'--csv'")
    with opened(storage) as kept:
        if learned:
            _learned(kept, as_json)
            return
        if exchange is None:
            from ..storage.records import Filter

            wanted = Filter(rule=rule, model=model, failed=failed or None)
            if by is not None:
                _sum(kept, wanted, by, as_csv, as_json)
            else:
                _list(kept.exchanges(wanted, limit), as_json)
            return
        record = _found(kept, exchange)
        if to is not None:
            raise typer.Exit(_replay(record, to, kept, as_json, remedies))
        if remedies:
            _remedies(record, config, as_json)
            return
    _show(record, as_json)


@contextmanager
def opened(url: str | None) -> Iterator[Storage]:
    """Open the storage of a gateway; a storage that does not exist is not created."""
    with needing("the log", "serve"):
        from ..storage import Storage, StorageError
    try:
        storage = Storage(url)
        if storage.file is not None and not storage.file.exists():
            raise unreadable(f"there is no log at {storage.shown}")
        try:
            yield storage
        finally:
            storage.close()
    except StorageError as error:
        raise unreadable(str(error)) from None


# --- many ---


def _list(found: list[Summary], as_json: bool) -> None:
    if not found:
        typer.echo("proxai-ir: there is no such exchange in the log", err=True)
    if as_json:
        for one in found:
            typer.echo(_dumps(attrs.asdict(one)))
    elif not sys.stdout.isatty():
        for one in found:
            typer.echo(_line(one).plain)
    else:
        listed = table("time (UTC)", "status", "client → provider", "model", "reported", "seconds", "id")
        for one in found:
            *cells, name = _cells(one, "\n→ ")
            listed.add_row(*cells, name[:SHORT])
        console = Console()
        natural = console.measure(listed, options=console.options.update(max_width=UNLIMITED)).maximum
        fits = natural <= console.width  # a table that does not would fold ids and rules
        for shown in [listed] if fits else map(_line, found):
            console.print(shown, soft_wrap=not fits)


def _line(one: Summary) -> Text:
    return Text("  ").join(_cells(one))


def _cells(one: Summary, arrow: str = " → ") -> list[Text]:
    reported = [
        Text(f"{rule} ({count})" if count > 1 else rule, STYLES.get(severity, ""))
        for rule, severity, count in one.rules
        if severity != Severity.INFO
    ]
    models = dict.fromkeys((one.model or "-", one.sent_model or one.model or "-"))
    return [
        Text(_moment(one.started)),
        Text(f"{one.status} failed" if one.failed else str(one.status), STYLES["error"] if one.failed else ""),
        Text(f"{one.client}{arrow}{one.provider}"),
        Text(arrow).join(Text(visible(name)) for name in models),
        Text(", ").join(reported) if reported else Text("-"),
        Text("-" if one.duration is None else f"{one.duration:.2f}"),
        Text(visible(one.id)),
    ]


def _learned(storage: Storage, as_json: bool) -> None:
    from ..storage.memory import refused

    found = refused(storage.memory)
    if as_json:
        for one in found:
            typer.echo(_dumps(attrs.asdict(one)))
        return
    rows = [
        (visible(one.model), one.protocol, visible(one.server) or "-", visible(one.stated), _moment(one.until))
        for one in found
    ]
    print_rows(("model", "protocol", "server", "settings", "until (UTC)"), rows, "  ")


def _sum(storage: Storage, wanted: Filter, by: str, as_csv: bool, as_json: bool) -> None:
    from ..storage import records

    try:
        columns = records.columns_of(by)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="'--sum'") from None
    sums = storage.sums(columns, wanted)
    if as_json:
        for one in sums:
            typer.echo(_dumps(one))
    elif as_csv:
        typer.echo(records.as_csv(sums, columns), nl=False)
    else:
        names = (*columns, *records.COUNTS)
        shown = [[visible(str(value)) or "-" for value in one.values()] for one in sums]
        print_rows(names, shown if sys.stdout.isatty() else [names, *shown], "  ")


# --- one ---


def _found(storage: Storage, name: str) -> Record:
    """Return the exchange with this id, the only one whose id begins so, or the one of a response's `request-id`."""
    name = name.removeprefix(IN_HEADERS)
    names = [name] if storage.exchange(name) else storage.named(name, 2)
    if len(names) > 1:
        raise unreadable(f"the ids of several exchanges begin with {name!r}")
    record = storage.exchange(names[0]) if names else None
    if record is None:
        raise unreadable(f"no exchange has the id {name!r} in {storage.shown}")
    return record


def _show(record: Record, as_json: bool) -> None:
    from ..storage.payloads import read, side_of

    kept = {name: data for name in PAYLOADS if (data := getattr(record, name)) is not None}
    if as_json:
        facts = attrs.asdict(record) | dict.fromkeys(PAYLOADS)
        typer.echo(_dumps(facts | {name: read(data, side_of(record, name))[0] for name, data in kept.items()}))
        return
    console = Console()
    lines = [f"{name}: {value}" for name, value in _facts(record) if value not in (None, "")]
    _print(console, lines)
    for name in ("request", "response"):
        if found := record.found(name):
            _report(console, name, found, as_json=False)
    for name, data in kept.items():
        value, note = read(data, side_of(record, name))
        _print(console, ["", f"{PAYLOADS[name]}:" + (f" {note}" if note else "")], "bold")
        _print(console, _laid_out(value, data))
    if not kept:
        _print(console, ["", f"payloads were not kept; {KEEPS_THEM}"])


def _facts(record: Record) -> list[tuple[str, Any]]:
    usage = ", ".join(f"{kind} {count}" for kind, count in (record.usage or {}).items())
    return [
        ("id", record.id),
        ("time", f"{_moment(record.started)} UTC"),
        ("path", record.path),
        ("status", f"{record.status} failed" if record.failed else record.status),
        ("status of the provider", record.upstream_status),
        ("error", record.error),
        ("client", record.client),
        ("key of the client", record.who),
        ("provider", f"{record.provider} ({record.upstream})" if record.upstream else record.provider),
        ("model", record.model),
        ("model sent", record.sent_model),
        ("attempts before", ", ".join(" ".join(one.values()).strip() for one in record.attempts)),
        ("streamed", "yes" if record.streamed else "no"),
        ("seconds", None if record.duration is None else f"{record.duration:.3f}"),
        ("seconds to the first byte", None if record.first_byte is None else f"{record.first_byte:.3f}"),
        ("tokens", usage),
    ]


def _laid_out(value: Any, data: bytes) -> list[str]:
    try:
        return json.dumps(value, ensure_ascii=False, indent=2).splitlines()
    except RecursionError:  # too deep to be indented
        return data.decode("utf-8", "replace").splitlines()


# --- again ---


def _replay(record: Record, to: str, storage: Storage, as_json: bool, remedies: bool) -> ExitCode:
    """Convert the request as a gateway does it, from its client, and of the response what the provider sent, to what a
    client of the target would get."""
    from ..storage.payloads import kind_of_response

    if record.request is None:
        raise unreadable(f"the payloads of {record.id} were not kept; {KEEPS_THEM}")
    console, target, head = Console(), server(to), f"request, {record.client} → {to}"
    exchange = Exchange(record.client, target, memory=storage.memory, owner=record.owner, now=record.started)
    try:
        asked = exchange.request(record.request, {}, path=record.path).diagnostics
    except TranslationError as error:
        asked = error.diagnostics
    if remedies:
        again = attrs.evolve(record, provider=protocol_of(target), sent_model=record.model)
        _explain(console, head, again, _upstream(to), asked, as_json)
    else:
        _report(console, head, asked, as_json)
    if record.upstream_response is None:
        return worst(asked)
    options: Any = {"seals": Seals(), **in_proxies(backend(target).target.settings)}
    got = check(record.upstream_response, record.provider, target, kind=kind_of_response(record), **options)
    _report(console, f"response, {record.provider} → {to}", got, as_json)
    return max(worst(asked), worst(got))


# --- what removes a finding ---


def _remedies(record: Record, config: Path | None, as_json: bool) -> None:
    if record.request is None:
        raise unreadable(f"the payloads of {record.id} were not kept")
    upstream = _upstream(record.provider)
    if config is not None:
        from ..serve.config import ConfigError, from_file

        try:
            upstreams = from_file(config).upstreams
        except ConfigError as error:
            raise unreadable(str(error)) from None
        if record.upstream not in upstreams:
            raise unreadable(f"{config} has no upstream {record.upstream!r}; it has {', '.join(upstreams)}")
        upstream = upstreams[record.upstream]
    _explain(Console(), "request", record, upstream, record.found("request"), as_json)


def _upstream(name: str) -> UpstreamTable:
    """Return the table of an upstream of a protocol or profile, with defaults for all else."""
    from ..serve.config import UpstreamTable

    found = meant(name)
    return UpstreamTable(protocol=found.protocol, base_url="", profile=found.profile)


def _explain(
    console: Console, head: str, record: Record, upstream: UpstreamTable, found: Iterable[Diagnostic], as_json: bool
) -> None:
    """Print the findings of a request, each with the keys of its upstream that remove it."""
    from ..serve.ui.views import in_toml, of_request

    explained = of_request(record, upstream, tuple(found))
    if as_json:
        for one in explained:
            remedies = [{**each._asdict(), "type": text} for each in one.remedies if (text := in_toml(each))]
            typer.echo(_dumps({**one._asdict(), "severity": str(one.severity), "remedies": remedies}))
        return
    _print(console, ["", f"{head}:" + ("" if explained else " nothing is lost")], "bold")
    for one in explained:
        _print(console, [f"{one.severity}  {one.rule}  {one.where}  {one.message}"])
        _print(console, [f"      {text}" for each in one.remedies if (text := in_toml(each))], "italic")


# --- both ---


def _report(console: Console, head: str, found: Iterable[Diagnostic], as_json: bool) -> None:
    """Print the findings on a terminal, elsewhere a line for each diagnostic."""
    found = tuple(found)
    if not as_json:
        _print(console, ["", f"{head}:" + ("" if found else " nothing is lost")], "bold")
    outcome = Outcome(worst(found), diagnostics=found)
    Reporter(console, file=head, as_json=as_json, quiet=False, done="converts").show(outcome, None)


def _print(console: Console, lines: Iterable[str], style: str = "") -> None:
    if console.is_terminal:
        console.print(*(Text(visible(line), style) for line in lines), sep="\n", soft_wrap=True, highlight=False)
    else:
        console.file.write("".join(f"{visible(line)}\n" for line in lines))


def _moment(when: float) -> str:
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _dumps(value: Any) -> str:
    """Return JSON on one line, with everything that is not printable escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if text.isprintable() else json.dumps(value, separators=(",", ":"))
