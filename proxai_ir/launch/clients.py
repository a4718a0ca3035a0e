"""The table of clients: how each is told where a gateway is, from where that is known, and how it is installed.

Rule: a fact stands in one row; another client is one more row, and this module has no code about any of them.
`{url}`, `{key}`, `{model}` and `{folder}` in the texts of a row stand for the gateway's URL, the key that it takes, the
model, and a folder in place of the user's home.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

Json = Any
LOOKED = "2026-11-28"


@frozen(kw_only=True)
class Client:
    """A program that talks to a model.

    name         what it is called here, and its program
    protocols    those that it speaks
    environment  the variables that it needs; what is no text is written as JSON
    without      variables that would lead it somewhere else
    arguments    what stands before its own arguments
    files        files of the user's home that `folder` has instead, with these members: all else in their folders is
                 the user's own
    stronger     what of the user's own settings comes before all this
    install      how it is installed
    source       where all that is known from, and the version with which it was tried, if it was
    """

    name: str
    protocols: tuple[str, ...]
    environment: Mapping[str, Json]
    without: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    files: Mapping[str, Json] = field(factory=dict)
    stronger: str = ""
    install: str
    source: str
    looked: str = LOOKED


ANTHROPIC = {"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_AUTH_TOKEN": "{key}"}
OPENAI = {"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_KEY": "{key}"}
GOOGLE = {"GOOGLE_GEMINI_BASE_URL": "{url}", "GEMINI_API_KEY": "{key}"}
TO_VERTEX = ("GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE")
"""Variables that come before GOOGLE's."""

CLIENTS = (
    Client(
        name="claude",
        protocols=("anthropic_messages",),
        environment=ANTHROPIC,
        without=("ANTHROPIC_API_KEY", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"),
        stronger="env of ~/.claude/settings.json or of the project's .claude/settings.json",
        install="npm install -g @anthropic-ai/claude-code",
        source="https://code.claude.com/docs/en/env-vars; Claude Code 2.1.197",
    ),
    Client(
        name="codex",
        protocols=("openai_responses",),
        environment={"PROXAI_IR_KEY": "{key}"},
        arguments=(
            *("-c", "model_provider=proxai_ir"),
            *("-c", 'model_providers.proxai_ir.name="proxai_ir"'),
            *("-c", 'model_providers.proxai_ir.base_url="{url}/v1"'),
            *("-c", 'model_providers.proxai_ir.wire_api="responses"'),
            *("-c", 'model_providers.proxai_ir.env_key="PROXAI_IR_KEY"'),
        ),
        install="npm install -g @openai/codex",
        source="https://developers.openai.com/codex/config-reference: model_providers; codex-cli 0.171.0",
    ),
    Client(
        name="gemini",
        protocols=("gemini_generate_content",),
        environment={**GOOGLE, "GEMINI_CLI_HOME": "{folder}"},
        without=(*TO_VERTEX, "GOOGLE_GENAI_USE_GCA"),
        # A login that the user's settings choose would go to Google, and with none it takes no base URL.
        files={".gemini/settings.json": {"security": {"auth": {"selectedType": "gemini-api-key"}}}},
        install="npm install -g @google/gemini-cli",
        source="https://geminicli.com/docs/reference/configuration, and its source: `getAuthTypeFromEnv`; 0.61.0",
    ),
    Client(
        name="opencode",
        protocols=("anthropic_messages",),  # in which it keeps the signatures of reasoning
        environment={
            "OPENCODE_CONFIG_CONTENT": {
                "model": "proxai_ir/{model}",
                "small_model": "proxai_ir/{model}",
                "provider": {
                    "proxai_ir": {
                        "npm": "@ai-sdk/anthropic",
                        "name": "proxai_ir",
                        "options": {"baseURL": "{url}/v1", "apiKey": "{key}"},
                        "models": {"{model}": {"name": "{model}"}},
                    }
                },
            }
        },
        stronger="a model that is named by --model, or by an agent of its configuration",
        install="npm install -g opencode-ai",
        source="https://opencode.ai/docs/config: precedence order, https://opencode.ai/docs/providers; 1.18.33",
    ),
    Client(
        name="aider",
        protocols=("openai_chat_completions",),
        environment={
            "OPENAI_API_BASE": "{url}/v1",
            "OPENAI_API_KEY": "{key}",
            "AIDER_MODEL": "openai/{model}",
            "AIDER_WEAK_MODEL": "openai/{model}",
        },
        stronger="--model and .aider.conf.yml",
        install="python -m pip install aider-install && aider-install",
        source="https://aider.chat/docs/llms/openai-compat.html, https://aider.chat/docs/config/options.html",
    ),
    Client(
        name="goose",
        protocols=("openai_chat_completions",),
        environment={
            "GOOSE_PROVIDER": "openai",
            "GOOSE_MODEL": "{model}",
            "OPENAI_HOST": "{url}",
            "OPENAI_BASE_PATH": "v1/chat/completions",
            "OPENAI_API_KEY": "{key}",
        },
        install="as https://block.github.io/goose/docs/getting-started/installation says",
        source="https://block.github.io/goose/docs/guides/environment-variables",
    ),
)
SDKS = (
    Client(
        name="anthropic",
        protocols=("anthropic_messages",),
        environment=ANTHROPIC,
        without=("ANTHROPIC_API_KEY",),
        install="pip install anthropic",
        source="anthropic 2.11.0, `Anthropic.__init__`",
    ),
    Client(
        name="openai",
        protocols=("openai_responses", "openai_chat_completions"),
        environment=OPENAI,
        install="pip install openai",
        source="openai 3.52.0, `OpenAI.__init__`",
    ),
    Client(
        name="google-genai",
        protocols=("gemini_generate_content",),
        environment=GOOGLE,
        without=TO_VERTEX,
        install="pip install google-genai",
        source="google-genai 3.4.0, `BaseApiClient.__init__`",
    ),
)
"""The official clients, which also programs that are not in the table mostly use."""

COMMAND = Client(
    name="",
    protocols=tuple(protocol for sdk in SDKS for protocol in sdk.protocols),
    # LiteLLM, and what is built on it, has another name for the same.
    environment={**ANTHROPIC, **OPENAI, "OPENAI_API_BASE": "{url}/v1", **GOOGLE},
    without=tuple(name for sdk in SDKS for name in sdk.without),
    install="",
    source="the rows of the official clients; LiteLLM's documentation of OpenAI: OPENAI_API_BASE",
)
"""Any command: it is told what the official clients read."""
