"""The official server of each protocol that has a model here, by which tests judge the requests that they make."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from .support import Headers, Json

OFFICIAL = {
    "openai_chat_completions": ("openai_chat", "openai_chat_before_5_6"),
    "openai_responses": ("openai_responses", "openai_responses_before_5_6"),
    "anthropic_messages": ("anthropic_2023_06_01",),
    "gemini_generate_content": ("gemini_api",),
    "bedrock_converse": ("bedrock",),
    "gemini_interactions": ("interactions_api",),
}
"""The servers that accept what a target gets by default, by protocol; the first is the newest."""


def server(name: str) -> ModuleType:
    """Return the model of a server: a module of this package with the function `refusals`."""
    return import_module(f"{__package__}.{name}")


def official_refusals(protocol: str, request: Json, headers: Headers) -> list[str]:
    """Return what the newest official server refuses of a request: nothing where there is no model of it."""
    if protocol not in OFFICIAL:
        return []
    found: list[str] = server(OFFICIAL[protocol][0]).refusals(request, headers)
    return found
