"""The table of clients: the settings that lead each to a gateway, their source, and how it is installed.

Rule: a fact stands in one row; another client is one more row, and no code is about one of them. In the texts of a row
`{url}`, `{key}`, `{model}` and `{folder}` are replaced by the gateway's URL, its key, the model, and a folder that the
client uses in place of the user's home.
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

    name         of the client here, and of its program
    protocols    that it speaks
    environment  the variables that it needs; values that are no text are written as JSON
    without      variables that would lead it somewhere else
    arguments    put before its own arguments
    files        files of the user's home to which `folder` adds these members; the rest of their folders is linked
    stronger     settings of the user that take precedence over these
    install      the command that installs it, or where that is described
    source       of these facts, and the version with which they were tried, if they were
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
"""Variables that take precedence over those of GOOGLE."""

CLIENTS = (
    Client(
        name="claude",
        protocols=("anthropic_messages",),
        environment=ANTHROPIC,
        without=("ANTHROPIC_API_KEY", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"),
        stronger="env of ~/.claude/settings.json or of the project's .claude/settings.json",
        install="npm install -g @anthropic-ai/claude-code",
        source="https://code.claude.com/docs/en/env-vars; Claude Code 2.1.332",
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
        install="see https://block.github.io/goose/docs/getting-started/installation",
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
        protocols=("gemini_generate_content", "gemini_interactions"),
        environment=GOOGLE,
        without=TO_VERTEX,
        install="pip install google-genai",
        source="google-genai 3.4.0, `BaseApiClient.__init__`",
    ),
    Client(
        name="boto3",
        protocols=("bedrock_converse",),
        # It sends a bearer token over https alone, and signs with these elsewhere: the name of the key is the key.
        environment={
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "{url}",
            "AWS_ACCESS_KEY_ID": "{key}",
            "AWS_SECRET_ACCESS_KEY": "{key}",
        },
        without=("AWS_BEARER_TOKEN_BEDROCK", "AWS_SESSION_TOKEN", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"),
        install="pip install boto3",
        source="botocore 1.44.5, `configprovider.ConfiguredEndpointProvider`, `auth.BearerAuth`",
    ),
    Client(
        name="cohere",
        protocols=("cohere_v2_chat",),
        environment={"CO_API_URL": "{url}", "CO_API_KEY": "{key}"},
        install="pip install cohere",
        source="cohere 7.3.1, `ClientV2.__init__`",
    ),
    Client(
        name="ollama",
        protocols=("ollama_chat",),
        environment={"OLLAMA_HOST": "{url}", "OLLAMA_API_KEY": "{key}"},
        install="pip install ollama",
        source="ollama 0.6.3, `BaseClient.__init__`",
    ),
)
"""The official clients, which most programs outside the table use."""

COMMAND = Client(
    name="",
    protocols=tuple(protocol for sdk in SDKS for protocol in sdk.protocols),
    # LiteLLM, and programs built on it, have another name for the base URL.
    environment={
        **{name: value for sdk in SDKS for name, value in sdk.environment.items()},
        "OPENAI_API_BASE": "{url}/v1",
    },
    without=tuple(name for sdk in SDKS for name in sdk.without),
    install="",
    source="the rows of the official clients; LiteLLM's documentation of OpenAI: OPENAI_API_BASE",
)
"""Any other command, which gets the variables of all official clients."""
