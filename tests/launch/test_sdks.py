"""Every official client, in an empty home with no more than `run -- COMMAND` sets: its request comes to the gateway."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')

from proxai_ir import protocols
from proxai_ir.launch.plan import plan_of

from ..clients.provider import CHAT, TEXT
from ..serve.support import sockets
from ..serve.upstreams import Upstream

KEY = "key-of-this-run-0123456789"
ELSEWHERE = {"ANTHROPIC_API_KEY": "a", "GOOGLE_API_KEY": "g", "AWS_BEARER_TOKEN_BEDROCK": "b", "OPENAI_API_KEY": "o"}
MESSAGES = '[{"role": "user", "content": "hi"}]'
PROGRAMS = {
    "anthropic_messages": (
        "anthropic",
        f"anthropic.Anthropic().messages.create(model='m', max_tokens=99, messages={MESSAGES}).content[0].text",
    ),
    "openai_responses": ("openai", "openai.OpenAI().responses.create(model='m', input='hi').output_text"),
    "openai_chat_completions": (
        "openai",
        f"openai.OpenAI().chat.completions.create(model='m', messages={MESSAGES}).choices[0].message.content",
    ),
    "gemini_generate_content": (
        "google.genai",
        "(client := google.genai.Client()).models.generate_content(model='m', contents='hi').text",
    ),
    "gemini_interactions": (
        "google.genai",
        "(client := google.genai.Client()).interactions.create(model='m', input='hi').model_dump_json()",
    ),
    "bedrock_converse": (
        "boto3",
        (
            "boto3.client('bedrock-runtime').converse(modelId='m',"
            " messages=[{'role': 'user', 'content': [{'text': 'hi'}]}])['output']['message']['content'][0]['text']"
        ),
    ),
    "cohere_v2_chat": ("cohere", f"cohere.ClientV2().chat(model='m', messages={MESSAGES}).message.content[0].text"),
    "ollama_chat": ("ollama", f"ollama.chat(model='m', messages={MESSAGES}).message.content"),
}


@pytest.fixture(scope="module")
def gateway() -> Iterator[tuple[str, Upstream]]:
    """The URL of a gateway that serves whoever has the key of the run, and the provider behind it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KEY_OF_THE_RUN", KEY)
        upstream = Upstream(CHAT)
        with sockets(patch, upstream, access={"keys_env": ["KEY_OF_THE_RUN"]}) as url:
            yield url, upstream


def test_there_is_a_client_of_every_protocol() -> None:
    assert {*PROGRAMS} == {*protocols()}


@pytest.mark.parametrize("protocol", PROGRAMS)
def test_its_request_comes_to_the_gateway(protocol: str, gateway: tuple[str, Upstream], tmp_path: Path) -> None:
    package, program = PROGRAMS[protocol]
    pytest.importorskip(package)
    url, upstream = gateway
    upstream.begin("text")
    plan = plan_of((sys.executable, "-c", f"import {package}; print({program})"), url, KEY, "m", "")
    home = {"PATH": "/bin", "HOME": str(tmp_path), "AWS_DEFAULT_REGION": "eu-west-1"}
    environment = plan.applied_to({**home, **ELSEWHERE})
    done = subprocess.run(plan.command, env=environment, capture_output=True, text=True, check=False, timeout=100)
    assert TEXT in done.stdout, done.stderr
    assert upstream.seen[-1].body["model"] == "big"
