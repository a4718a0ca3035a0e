"""Sessions of the real agents: five prompts, ten requests with five commands, and then one that is too long.

What the provider answers is fixed by `SCRIPT`, so that a session always ends. Claude Code and Gemini CLI run as one
process whose prompts come as lines of JSON; the others go on where their last process ended.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

from proxai_ir import Exchange
from proxai_ir.launch.plan import Plan, plan_of

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from ..exchange.test_overflow import RECORDED, sent
from ..samples.sample import Json
from . import provider
from .server import KEY, MODEL, Handler, Request, serving

LONGEST = 300  # seconds that a session may take
CALL, TEXT = True, False
SCRIPT = (CALL, TEXT, CALL, CALL, TEXT, CALL, TEXT, TEXT, CALL, TEXT)
"""What the model answers to each request that has the shell: a command in it, or a text, which ends the turn."""
PROMPTS = ("Count the apples.", "And the plums?", "And the pears?", "Thank you.", "And the figs?")
"""One for each text of the script."""
TOO_LONG, NEXT = "And the dates?", "And the limes?"
"""What is asked in a session that is then too long for the provider, until it has a summary, and behind it."""
LOWER = "/effort low"
"""A command of Claude Code's, which a message tells the model from the next prompt on."""
SUMMARY = "They have counted apples, plums, pears and figs."
ANSWER = f"<summary>{SUMMARY}</summary>"
"""What the model says as the summary: Claude Code asks a second time where the tags are missing."""
SUMMARISES = ("create a detailed summary of", "Create a handoff summary")
"""What the agents' own prompts for a summary say."""


class Lines:
    """A process that reads and writes lines of JSON."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, message: Json, is_last: Callable[[Json], bool]) -> Json:
        """Send a message, and return the one that answers it."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            said = json.loads(line) if line.startswith("{") else {}
            if is_last(said):
                return said
        raise AssertionError(f"it ended before it answered {message}")


def stream_json(lines: Lines, home: Path, prompts: Sequence[str]) -> Iterator[str]:
    """Claude Code's own form."""
    for prompt in prompts:
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        yield json.dumps(lines.ask(message, lambda one: one.get("type") == "result"))


def acp(lines: Lines, home: Path, prompts: Sequence[str]) -> Iterator[str]:
    """The Agent Client Protocol."""

    def call(number: int, method: str, **params: Any) -> Json:
        asked = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        return lines.ask(asked, lambda one: one.get("id") == number and "method" not in one)

    call(0, "initialize", protocolVersion=1, clientCapabilities={})
    session = call(1, "session/new", cwd=str(home), mcpServers=[])["result"]["sessionId"]
    for number, prompt in enumerate(prompts, 2):
        yield json.dumps(call(number, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": prompt}]))


class Agent(NamedTuple):
    """The command of an agent; `prompts` has those of its session.

    following  the command that continues the last session; the prompt comes behind either
    talks      how an agent of one process is given its prompts
    """

    protocol: str
    first: tuple[str, ...]
    following: tuple[str, ...] = ()
    talks: Callable[[Lines, Path, Sequence[str]], Iterator[str]] | None = None
    environment: Mapping[str, str] = {}
    prompts: tuple[str, ...] = PROMPTS


_STREAMS = ("--input-format=stream-json", "--output-format=stream-json")
_CODEX = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
AGENTS = {
    "claude": Agent(
        ANTHROPIC,
        ("claude", "-p", "--allowedTools=Bash", "--verbose", *_STREAMS),
        talks=stream_json,
        environment={"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"},
        prompts=(*PROMPTS[:2], LOWER, *PROMPTS[2:], TOO_LONG, NEXT),
    ),
    "codex": Agent(
        RESPONSES,
        ("codex", "exec", *_CODEX),
        ("codex", "exec", "resume", "--last", *_CODEX),
        prompts=(*PROMPTS, TOO_LONG, NEXT),
    ),
    "gemini": Agent(
        GEMINI,
        # Without a model it asks one which model it should ask, and wants JSON, which scripted providers do not have.
        ("gemini", "--acp", "--yolo", "--skip-trust", "--model", "gemini-3-pro-preview"),
        talks=acp,
    ),
    "opencode": Agent(
        ANTHROPIC,
        ("opencode", "run"),
        ("opencode", "run", "--continue"),
        environment={"OPENCODE_DISABLE_MODELS_FETCH": "1"},
    ),
}
"""The agents by the names of their programs, as `proxai_ir.launch.clients` has them."""


class Scripted(Handler):
    """The next line of the script; a text to what an agent asks beside its turns, as a title, and at the end."""

    def answer(self, asked: Json) -> None:
        if TOO_LONG in json.dumps(asked) and not any(one in json.dumps(asked) for one in (*SUMMARISES, SUMMARY)):
            self.send(400, "application/json", too_long(self.provider.protocol))
        else:
            super().answer(asked)

    def made(self, asked: Json) -> Any:
        protocol, streamed = self.provider.protocol, self.streamed(asked)
        if summarises(asked):
            return provider.BUILDERS[protocol](None, None, streamed, ANSWER)
        number = len(turns(self.provider.requests))
        shell = shell_of(asked)
        if shell is None or number > len(SCRIPT) or not SCRIPT[number - 1]:
            return provider.BUILDERS[protocol](None, None, streamed)
        return provider.BUILDERS[protocol](shell, command(shell, number), streamed)


def too_long(protocol: str) -> bytes:
    """Return what a server of a protocol answers to a prompt that is too long, with all that its clients look for."""
    _, body = next(one for one in map(sent, RECORDED) if one[0] == CHAT)
    return Exchange(protocol, CHAT).response(400, {}, body).body


def summarises(asked: Json) -> bool:
    return any(words in json.dumps(asked) for words in SUMMARISES)


def shell_of(request: Json) -> str | None:
    return next((name for name in provider.tools_of(request) if name in provider.SHELLS), None)


def command(shell: str, number: int) -> Json:
    """Return a command for the shell, which no other request has."""
    made: Json = json.loads(json.dumps(provider.SHELLS[shell]).replace("apples", f"apples{number}"))
    return made


def turns(requests: list[Request]) -> list[Request]:
    """The requests of an agent's own turns: those that have its shell."""
    return [one for one in requests if shell_of(one.body) is not None]


def run(agent: str, url: str, programs: Path, home: Path) -> list[str]:
    """Return what an agent prints to each prompt, in a home that has nothing but the settings that lead it to a URL."""
    found = AGENTS[agent]
    inherited = {"PATH": os.pathsep.join((str(programs), os.environ["PATH"])), "HOME": str(home)}

    def plan(*command: str) -> Plan:
        return plan_of(command, url, KEY, MODEL, str(home))

    first = plan(*found.first)
    first.write(home / "of no user")
    environment = {**first.applied_to(inherited), **found.environment}
    if found.talks is not None:
        process = subprocess.Popen(
            first.command,
            cwd=home,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        ending = Timer(LONGEST, process.kill)
        ending.start()
        try:
            return [*found.talks(Lines(process), home, found.prompts)]
        finally:
            ending.cancel()
            process.kill()
            process.communicate()
    said = []
    for number, prompt in enumerate(found.prompts):
        command = [*(found.following if number else found.first), prompt]
        made = subprocess.run(
            plan(*command).command,
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
        said.append(made.stdout)
    return said


def record(agent: str, programs: Path, home: Path) -> list[Request]:
    """The requests of a session of an agent with a provider of its own protocol."""
    with serving(AGENTS[agent].protocol, Scripted) as server:
        run(agent, server.url, programs, home)
        return server.requests
