"""Makes the table of what was played, and the list of what was wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from .playing import Outcome
from .upstreams import UPSTREAMS


def printed(outcomes: Iterable[Outcome], absent: Iterable[str]) -> str:
    """Return the table `passed/asked` by client and upstream; what a rule decided is passed, and listed apart."""
    cells: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for one in outcomes:
        cells[one.client, one.upstream].append(one)
    clients = list(dict.fromkeys(client for client, _ in cells))
    names = [one.name for one in UPSTREAMS if any((client, one.name) in cells for client in clients)]
    lines = [f"| client | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    rows = {client: [cell(cells.get((client, name), [])) for name in names] for client in clients}
    lines += [f"| {client} | {' | '.join(row)} |" for client, row in rows.items()]
    every = [one for found in cells.values() for one in found]
    wrong = [one for one in every if one.wrong]
    ruled: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for one in every:
        if one.rule:
            ruled[one.rule, one.scenario, one.client].append(one.upstream)
    lines += [
        "",
        f"{len(every)} asked, {len(every) - len(wrong)} passed, of these {sum(map(len, ruled.values()))} by rule",
    ]
    lines += ["", "by rule:"] if ruled else []
    lines += [
        f"  {rule}: {scenario}, {client} to {', '.join(found)}" for (rule, scenario, client), found in ruled.items()
    ]
    lines += ["", "wrong:"] if wrong else []
    lines += [f"  {one.client} to {one.upstream}, {one.scenario}: {one.wrong}" for one in wrong]
    lines += [f"not run: {one}" for one in absent]
    return "\n".join(lines)


def cell(outcomes: list[Outcome]) -> str:
    """Return what one client made of one upstream: `r` counts what a rule decided."""
    if not outcomes:
        return ""
    passed = sum(not one.wrong for one in outcomes)
    ruled = sum(bool(one.rule) for one in outcomes)
    return f"{passed}/{len(outcomes)}{f' ({ruled} r)' if ruled else ''}"
