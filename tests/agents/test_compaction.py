"""Claude Code and Codex make room by themselves when a prompt is too long, in whatever words an upstream says so.

Both have a session of two turns; its next request is too long until the agent has had the session summarised. Claude
Code does that at once; Codex ends the turn with its own words for it, and does it before the next one. From a server
of their own protocol they get what it says, unchanged.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from ..exchange.overflow_wordings import Recorded
from ..exchange.test_overflow import RECORDED, sent
from ..samples.sample import Json
from . import provider
from .recording import ANSWER, SUMMARY, summarises
from .server import Handler, Provider, gateway, serving

for module in ("starlette", "uvicorn", "httpx"):
    pytest.importorskip(module, reason="the extra `serve` is not installed")

pytestmark = pytest.mark.slow

LONGEST = 60  # seconds that an agent may take
TURNS = ("How many apples are there?", "And plums?")
TOO_LONG = "And pears?"
NEXT = "And figs?"
OUT_OF_ROOM = "Codex ran out of room in the model's context window"


class Crowded(Handler):
    """A provider for which a session with TOO_LONG in it is too long, until it has the summary."""

    says: Recorded | None = None
    """With which words; nothing is too long while there are none."""

    def answer(self, asked: Json) -> None:
        if summarises(asked):
            self.send_made(self.said(asked, ANSWER), asked)
        elif self.says is not None and too_long(asked):
            self.send(400, "application/json", sent(self.says)[1])
        else:
            self.send_made(self.said(asked, provider.TEXT), asked)

    def said(self, asked: Json, said: str) -> object:
        return provider.BUILDERS[self.provider.protocol](None, None, self.streamed(asked), said)


def too_long(asked: Json) -> bool:
    text = json.dumps(asked)
    return TOO_LONG in text and SUMMARY not in text


def wordings(protocol: str) -> list[Recorded]:
    """One of each server of a protocol."""
    return [*{one.server: one for one in RECORDED if sent(one)[0] == protocol}.values()]


class Session:
    """An agent's session of two turns, in a folder that is its home, and which can be had again from there."""

    def __init__(self, command: list[str], following: list[str], environment: dict[str, str], folder: Path) -> None:
        self.command, self.following, self.environment = command, following, environment
        self.home, self.copy = folder / "home", folder / "copy"
        self.home.mkdir()
        for words in TURNS:
            self.run(words, first=words == TURNS[0])
        shutil.copytree(self.home, self.copy, symlinks=True)

    def again(self) -> None:
        shutil.rmtree(self.home)
        shutil.copytree(self.copy, self.home, symlinks=True)

    def run(self, words: str, first: bool = False) -> str:
        made = subprocess.run(
            [*(self.command if first else self.following), words],
            cwd=self.home,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), **self.environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
        return made.stdout


@contextmanager
def crowded(protocol: str) -> Iterator[tuple[Provider, str]]:
    Crowded.says = None
    with serving(protocol, Crowded) as upstream, gateway(protocol, upstream.url) as url:
        yield upstream, url


@pytest.mark.parametrize("protocol", [CHAT, RESPONSES, GEMINI])
def test_claude_code(packages: Path, protocol: str, tmp_path: Path) -> None:
    program = [str(packages / "node_modules/.bin/claude"), "-p", "--output-format", "json"]
    with crowded(protocol) as (upstream, url):
        own = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
        environment = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", **own}
        session = Session(program, [*program, "--continue"], environment, tmp_path)
        for Crowded.says in wordings(protocol):
            session.again()
            upstream.asked.clear()
            said = json.loads(session.run(TOO_LONG))
            assert (said["result"], said["is_error"]) == (provider.TEXT, False), Crowded.says
            assert [summarises(one) for one in upstream.asked] == [False, True, False], Crowded.says


@pytest.mark.parametrize("protocol", [ANTHROPIC, CHAT, GEMINI])
def test_codex(packages: Path, protocol: str, tmp_path: Path) -> None:
    with crowded(protocol) as (upstream, url):
        settings = {"name": "gateway", "base_url": f"{url}/v1", "wire_api": "responses", "env_key": "KEY"}
        given = [f"model_providers.gateway.{name}={json.dumps(value)}" for name, value in settings.items()]
        options = [word for one in ["model_provider=gateway", *given] for word in ("-c", one)]
        program = [str(packages / "node_modules/.bin/codex"), "exec"]
        last = ["--skip-git-repo-check", "--json", *options]
        session = Session([*program, *last], [*program, "resume", "--last", *last], {"KEY": "none"}, tmp_path)
        for Crowded.says in wordings(protocol):
            session.again()
            upstream.asked.clear()
            assert OUT_OF_ROOM in session.run(TOO_LONG), Crowded.says
            assert provider.TEXT in session.run(NEXT), Crowded.says
            assert [summarises(one) for one in upstream.asked] == [False, True, False], Crowded.says
