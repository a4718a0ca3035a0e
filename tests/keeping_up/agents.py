"""What the coding agents send and the library does not account for: `python -m tests.keeping_up.agents`.

It runs Claude Code, Codex, Gemini CLI and opencode, the newest of npm or those of `--packages FOLDER`, through a
session of ten requests each against a provider of their own protocol, and lists members, types of content, tools, betas
and headers that no table names. Exits with 1 if there are any. `--keep` writes the sessions, scrubbed, as the fixtures
that tests replay.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import proxai_ir
from proxai_ir import Exchange, TranslationError
from proxai_ir.exchange.features import listed
from proxai_ir.exchange.provider import http_of
from proxai_ir.wire import bare

from ..agents.install import NEWEST, NotInstalled, install
from ..agents.recording import AGENTS, SCRIPT, record, turns
from ..agents.server import Request
from ..agents.sessions import keep
from ..agents.sessions.scrub import OF_TRANSPORT, Scrubber
from .accounted import AGENT_HEADERS, BETAS
from .findings import Finding

MODEL = "m"
NOT_KNOWN = {
    "UNK-1": "member",
    "UNK-2": "type of content",
    "UNK-3": "tool",
    "UNK-4": "value",
    "UNK-5": "type of content",
    "TUL-6": "tool",
}
"""The rules that a member, block or tool without a name in the vocabulary has, with what it is."""


def findings(agent: str, requests: Iterable[Request]) -> Iterator[Finding]:
    """Yield what is not known of an agent's requests, each once."""
    protocol, requests = AGENTS[agent].protocol, [*requests]
    if len(turns(requests)) < len(SCRIPT):
        why = f"{len(turns(requests))} requests have a shell that `tests.agents.provider` knows; expected {len(SCRIPT)}"
        yield Finding("session", agent, why)
    seen: set[tuple[str, str]] = set()
    for request in requests:
        for one in (*of_body(protocol, request), *of_headers(protocol, request, AGENT_HEADERS, BETAS)):
            if one[:2] not in seen:
                seen.add(one[:2])
                yield Finding(one.kind, f"{agent} {one.name}", one.why)


def of_body(protocol: str, request: Request) -> Iterator[Finding]:
    """Yield the unknown members, blocks and tools that a conversion to any other protocol reports."""
    for target in sorted({*proxai_ir.protocols()} - {protocol}):
        try:
            sent = Exchange(protocol, target, model=MODEL).request(
                json.dumps(request.body).encode(), request.headers, path=request.path
            )
        except TranslationError as error:
            yield Finding(NOT_KNOWN.get(error.rule, "refused"), of_any_item(error.path), f"for {target}: {error}")
            continue
        for one in sent.diagnostics:
            if one.rule in NOT_KNOWN:
                yield Finding(NOT_KNOWN[one.rule], of_any_item(one.path), f"{one.rule} for {target}: {one.message}")


def of_any_item(path: str) -> str:
    return re.sub(r"/\d+", "/*", path)


def of_headers(protocol: str, request: Request, headers: Collection[str], betas: Collection[str]) -> Iterator[Finding]:
    """Yield the headers and betas that no table names."""
    features = http_of(protocol).features
    for name, value in request.headers.items():
        if features is not None and name == features.header:
            known = {*betas, *features.hints, *(one for _, some in features.members.values() for one in some.split())}
            for beta in listed(value):
                if not {beta, bare(beta)} & known:
                    yield Finding("beta", beta, "in no table of betas")
        elif name not in OF_TRANSPORT and name not in headers:
            yield Finding("header", name, f"new, with the value {value!r:.80}")


def version_of(program: Path, home: Path) -> str:
    environment = {**os.environ, "HOME": str(home)}
    made = subprocess.run([program, "--version"], env=environment, capture_output=True, text=True, check=True)
    return made.stdout.strip()


def main(*arguments: str) -> int:
    parser = argparse.ArgumentParser("python -m tests.keeping_up.agents", description=__doc__)
    parser.add_argument("--packages", type=Path, help="a folder with node_modules in which the agents are installed")
    parser.add_argument("--keep", action="store_true", help="write the sessions, scrubbed, as fixtures")
    parser.add_argument("agents", nargs="*", default=[*AGENTS], help="some of them")
    given = parser.parse_args(arguments)
    found: list[Finding] = []
    with TemporaryDirectory(prefix="agents-") as folder:
        try:
            packages = given.packages or install(Path(folder) / "npm", NEWEST)
        except (NotInstalled, FileNotFoundError) as error:
            print(f"the agents cannot be installed: {error}", file=sys.stderr)
            return 2
        for agent in given.agents:
            program = packages / "node_modules/.bin" / agent
            home = Path(folder) / agent
            home.mkdir()
            version = version_of(program, home)
            try:
                requests = record(agent, program.parent, home)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                found.append(Finding("session", agent, str(error)))
                continue
            print(f"{agent} {version}: {len(requests)} requests")
            found += findings(agent, requests)
            if given.keep:
                keep(agent, Scrubber(home).scrubbed(requests))
    print(f"{len(found)} not accounted for", *(f"{one.kind}: {one.name}: {one.why}" for one in found), sep="\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
