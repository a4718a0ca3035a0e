"""Claude Code, Codex and the Vercel AI SDK with every provider: one command in the shell, then the right text.

They are installed from npm into a temporary folder. With the result the signature comes back to its provider.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from .others import BEDROCK, COHERE, OLLAMA
from .provider import TEXT, THOUGHT, sealed
from .server import Provider, gateway, serving

for module in ("starlette", "uvicorn", "httpx"):
    pytest.importorskip(module, reason="the extra `serve` is not installed")

pytestmark = pytest.mark.slow

PROVIDERS = [ANTHROPIC, CHAT, RESPONSES, GEMINI, BEDROCK, COHERE, OLLAMA]
SIGNING = {ANTHROPIC, RESPONSES, GEMINI, BEDROCK}
"""The others have no signatures."""
LONGEST = 120  # seconds that an agent may take
REPORTED = {BEDROCK: (6, 7), COHERE: (20, 7), OLLAMA: (26, 298)}
"""The tokens of the input and of the output that a provider reports for each response; the others' are USUAL."""
USUAL = (9, 7)
CALLS_ITSELF = {
    "role: messages.1: system": "Claude Code sends instructions in the middle, which a beta allows",
    "extra_inputs: messages.1.output_config": "and settings from there on, likewise",
    "unknown_parameter: request.client_metadata": "Codex sends it to its own server",
    "unknown_parameter: input[8] (custom_tool_call).status": "likewise",
}


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest) -> Iterator[Provider]:
    with serving(request.param) as found:
        yield found


def run(command: list[str], folder: Path, **environment: str) -> str:
    """The standard output of an agent that has nothing but this environment."""
    made = subprocess.run(
        command,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return made.stdout


def shows_tokens(provider: Provider, usage: dict[str, int]) -> None:
    """The agent shows the tokens that the provider reported, of both responses."""
    shown = usage["input_tokens"], usage["output_tokens"]
    assert shown == tuple(2 * count for count in REPORTED.get(provider.protocol, USUAL))


def went_well(provider: Provider, own: str) -> None:
    """The provider refused nothing, and what it signed came back to it with the result."""
    last = provider.asked[-1]
    if provider.protocol in SIGNING:
        assert sealed(provider.protocol, last)
    known = CALLS_ITSELF if provider.protocol == own else {}
    assert [one for one in provider.found if one not in known] == []


def test_claude_code(packages: Path, provider: Provider, tmp_path: Path) -> None:
    program = str(packages / "node_modules/.bin/claude")
    command = [program, "-p", "Count the apples.", "--allowedTools", "Bash", "--output-format", "json"]
    with gateway(provider.protocol, provider.url) as url:
        said = run(
            command,
            tmp_path,
            ANTHROPIC_BASE_URL=url,
            ANTHROPIC_API_KEY="none",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            DISABLE_AUTOUPDATER="1",
        )
    made = json.loads(said)
    assert (made["result"], made["num_turns"], made["is_error"]) == (TEXT, 2, False)
    shows_tokens(provider, made["usage"])
    went_well(provider, ANTHROPIC)


@pytest.mark.parametrize("model", [(), ("--model", "some-model")], ids=["its default model", "an unknown model"])
def test_codex(packages: Path, provider: Provider, tmp_path: Path, model: tuple[str, ...]) -> None:
    with gateway(provider.protocol, provider.url) as url:
        settings = {"name": "gateway", "base_url": f"{url}/v1", "wire_api": "responses", "env_key": "KEY"}
        given = [f"model_providers.gateway.{name}={json.dumps(value)}" for name, value in settings.items()]
        options = [word for one in ["model_provider=gateway", *given] for word in ("-c", one)]
        program = str(packages / "node_modules/.bin/codex")
        command = [program, "exec", "--skip-git-repo-check", "--json", *model, *options]
        command += ["--dangerously-bypass-approvals-and-sandbox", "Count the apples."]
        lines = run(command, tmp_path, KEY="none").splitlines()
    events = [json.loads(line) for line in lines]
    items = [event["item"] for event in events if event["type"] == "item.completed"]
    (usage,) = [event["usage"] for event in events if event["type"] == "turn.completed"]
    assert [item["exit_code"] for item in items if item["type"] == "command_execution"] == [0]
    said = [THOUGHT, TEXT] if provider.protocol == COHERE else [TEXT]  # whose plans are texts
    assert [item["text"] for item in items if item["type"] == "agent_message"] == said
    shows_tokens(provider, usage)
    went_well(provider, RESPONSES)


@pytest.mark.parametrize("client", ["anthropic", "responses", "chat"])
def test_the_ai_sdk(packages: Path, provider: Provider, tmp_path: Path, client: str) -> None:
    script = packages / "ai_sdk.mjs"
    script.write_text((Path(__file__).parent / "ai_sdk.mjs").read_text())
    with gateway(provider.protocol, provider.url) as url:
        said = run(["node", str(script), client, url], tmp_path)
    assert json.loads(said) == {"whole": TEXT, "streamed": TEXT, "steps": 2}
    assert provider.found == []
