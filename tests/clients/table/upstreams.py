"""The thirteen upstreams: each one's part of the gateway's configuration, its path, its key, and where it is asked for
what. Data alone."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...serve.upstreams import KEY
from ...sessions.clients import BEDROCK, CHAT, COHERE, GEMINI, INTERACTIONS, MESSAGES, OLLAMA, RESPONSES

Json = Any
KEY_NAME = "UPSTREAM_KEY"
BEARER = ("authorization", f"Bearer {KEY}")
GOOGLE_KEY = ("x-goog-api-key", KEY)


class Upstream(NamedTuple):
    """A row.

    server    the module of `tests.servers` that knows what it refuses; "" for none
    judged    the model's name among the judges of models (`tests.servers.models`); "" for none
    paths     of requests for a whole response, and for a stream
    thinking  where a request asks for thinking: members of the body, of which one has to be there
    cloud     as the gateway's configuration has it
    thinks    whether its answers have thoughts; `signs`: whether these have to come back with their signatures
    """

    name: str
    protocol: str
    model: str
    server: str
    paths: tuple[str, str]
    key: tuple[str, str]
    thinking: tuple[str, ...]
    judged: str = ""
    cloud: Json = None
    thinks: bool = True
    signs: bool = True

    @property
    def table(self) -> Json:
        """The upstream's table in the configuration, without its URL."""
        return {"protocol": self.protocol, "key_env": KEY_NAME, **({"cloud": self.cloud} if self.cloud else {})}


def twice(path: str) -> tuple[str, str]:
    return path, path


SONNET, ON_AWS = "claude-sonnet-4-5", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
OPUS_ON_AWS, ON_VERTEX = "us.anthropic.claude-opus-4-6-v1", "claude-sonnet-4-5@20250929"
FLASH = "gemini-3.8-flash"
PLACE = "projects/p/locations/us-east5/publishers"
VERTEX: Json = {"name": "vertex", "project": "p", "region": "us-east5"}
AZURE: Json = {"name": "azure_deployments", "resource": "r", "api_version": "2025-04-01-preview"}
OF_GOOGLE = ("generateContent", "streamGenerateContent")

UPSTREAMS = (
    Upstream(
        "chat", CHAT, "provider-model", "openai_chat", twice("/v1/chat/completions"), BEARER, ("reasoning_effort",),
        signs=False,
    ),
    Upstream("responses", RESPONSES, "gpt-5.4", "openai_responses", twice("/v1/responses"), BEARER, ("reasoning",),
        "gpt-5.4"),
    Upstream(
        "messages", MESSAGES, SONNET, "anthropic_2023_06_01", twice("/v1/messages"), ("x-api-key", KEY), ("thinking",),
        SONNET,
    ),
    Upstream(
        "gemini", GEMINI, FLASH, "gemini_api", (f"/v1beta/models/{FLASH}:{OF_GOOGLE[0]}",
        f"/v1beta/models/{FLASH}:{OF_GOOGLE[1]}"), GOOGLE_KEY, ("generationConfig/thinkingConfig",), FLASH,
    ),
    Upstream(
        "interactions", INTERACTIONS, FLASH, "interactions_api", twice("/v1beta/interactions"), GOOGLE_KEY,
        ("generation_config/thinking_level", "generation_config/thinking_summaries"),
    ),
    Upstream(
        "bedrock", BEDROCK, ON_AWS, "bedrock", (f"/model/{ON_AWS}/converse", f"/model/{ON_AWS}/converse-stream"),
        BEARER, ("additionalModelRequestFields/thinking",), ON_AWS,
    ),
    Upstream(
        "cohere", COHERE, "command-a-reasoning-08-2025", "", twice("/v2/chat"), BEARER, ("thinking",), signs=False
    ),
    Upstream("ollama", OLLAMA, "qwen3", "", twice("/api/chat"), BEARER, ("think",), signs=False),
    Upstream(
        "azure", CHAT, "gpt-5.4", "openai_chat", twice("/openai/v1/chat/completions"), ("api-key", KEY),
        ("reasoning_effort",), "gpt-5.4", {"name": "azure", "resource": "r"}, thinks=False, signs=False,
    ),
    Upstream(
        "azuredep", CHAT, "gpt-4.1", "openai_chat", twice("/openai/deployments/gpt-4.1/chat/completions"),
        ("api-key", KEY), (), "gpt-4.1", AZURE, thinks=False, signs=False,
    ),
    Upstream(
        "vertexc", MESSAGES, ON_VERTEX, "anthropic_2023_06_01",
        (f"/v1/{PLACE}/anthropic/models/{ON_VERTEX}:rawPredict",
        f"/v1/{PLACE}/anthropic/models/{ON_VERTEX}:streamRawPredict"), BEARER, ("thinking",), SONNET,
        {**VERTEX, "auth": "bearer"},
    ),
    Upstream(
        "vertexg", GEMINI, FLASH, "vertex_ai", (f"/v1beta1/{PLACE}/google/models/{FLASH}:{OF_GOOGLE[0]}",
        f"/v1beta1/{PLACE}/google/models/{FLASH}:{OF_GOOGLE[1]}"), BEARER, ("generationConfig/thinkingConfig",),
        FLASH, {**VERTEX, "auth": "bearer"},
    ),
    Upstream(
        "invoke", MESSAGES, OPUS_ON_AWS, "anthropic_2023_06_01",
        (f"/model/{OPUS_ON_AWS}/invoke", f"/model/{OPUS_ON_AWS}/invoke-with-response-stream"), BEARER, ("thinking",),
        "claude-opus-4-6", {"name": "bedrock", "region": "us-east-1"},
    ),
)  # fmt: skip
"""In the order of the table's columns."""
NAMED = {one.name: one for one in UPSTREAMS}


def model(prefix: str, upstream: str) -> str:
    """Return the name of a model that leads to an upstream: clients know some models by how their names begin."""
    return f"{prefix}-via-{upstream}"


def configuration(url: str) -> Json:
    """Return the gateway's configuration, before the provider at this URL."""
    tables = {one.name: {**one.table, "base_url": f"{url}/{one.name}"} for one in UPSTREAMS}
    routes = [{"models": [model("*", one.name)], "upstream": one.name, "model": one.model} for one in UPSTREAMS]
    return {"upstreams": tables, "routes": routes, "timeouts": {"rest": 0}, "log": {"payloads": True}}
