"""The roots of the official types, and what else the official packages decide: betas, versions, default headers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple, get_args

from .walk import Feature, Json, Walk, arms, fields, label, smallest

CHAT, RESPONSES, ANTHROPIC = "openai_chat_completions", "openai_responses", "anthropic_messages"
GEMINI = "gemini_generate_content"


class Root(NamedTuple):
    """A type whose values, put where they belong, are payloads of a protocol and kind."""

    protocol: str
    kind: str
    module: str
    name: str
    place: Callable[[Json], Json] = lambda value: value


def _turn(value: Json) -> Json:
    return {"model": "m", "max_tokens": 1, "messages": [value]}


def _asked(member: str) -> Callable[[Json], Json]:
    """Where a value stands in a request to Gemini, whose client's own types are of another shape."""
    return lambda value: {"contents": [{"role": "user", "parts": [{"text": "x"}]}], member: value}


def _said(value: Json) -> Json:
    return {"contents": [{"role": "model", **value}]}


ROOTS = (
    Root(CHAT, "request", "openai.types.chat.completion_create_params", "CompletionCreateParamsNonStreaming"),
    Root(CHAT, "response", "openai.types.chat", "ChatCompletion"),
    Root(RESPONSES, "request", "openai.types.responses.response_create_params", "ResponseCreateParamsNonStreaming"),
    Root(RESPONSES, "response", "openai.types.responses", "Response"),
    Root(ANTHROPIC, "request", "anthropic.types", "AssistantMessageParam", _turn),
    Root(ANTHROPIC, "request", "anthropic.types.message_create_params", "MessageCreateParamsNonStreaming"),
    Root(ANTHROPIC, "response", "anthropic.types", "Message"),
    Root(ANTHROPIC, "request", "anthropic.types.beta", "BetaAssistantMessageParam", _turn),
    Root(ANTHROPIC, "request", "anthropic.types.beta.message_create_params", "MessageCreateParamsNonStreaming"),
    Root(ANTHROPIC, "response", "anthropic.types.beta", "BetaMessage"),
    Root(GEMINI, "request", "google.genai.types", "Content", _said),
    Root(GEMINI, "request", "google.genai.types", "GenerationConfig", _asked("generationConfig")),
    Root(GEMINI, "request", "google.genai.types", "SafetySetting", lambda value: _asked("safetySettings")([value])),
    Root(GEMINI, "request", "google.genai.types", "Tool", lambda value: _asked("tools")([value])),
    Root(GEMINI, "request", "google.genai.types", "ToolConfig", _asked("toolConfig")),
    Root(GEMINI, "response", "google.genai.types", "GenerateContentResponse"),
)
EVENTS = (
    (CHAT, "openai.types.chat", "ChatCompletionChunk"),
    (RESPONSES, "openai.types.responses", "ResponseStreamEvent"),
    (ANTHROPIC, "anthropic.types", "RawMessageStreamEvent"),
    (ANTHROPIC, "anthropic.types.beta", "BetaRawMessageStreamEvent"),
    (GEMINI, "google.genai.types", "GenerateContentResponse"),
)
DELTA = "delta"  # the member of an event that holds what is new of a block
ROLES = re.compile(r"^.*?<(user|assistant)>|^<\w+Params\w*>")


def features(root: Root) -> Iterator[Feature]:
    """Every feature of a root with a payload that has it. A block has the same path in messages of every role."""
    cls = getattr(import_module(root.module), root.name)
    for path, value in Walk().features(cls, ""):
        yield ROLES.sub("", path), root.place(value)


def events(module: str, name: str) -> Iterator[tuple[str, str, Json]]:
    """Every event, and every member that one or its delta has: path, name of the member, and an event that has it."""
    for arm in arms(getattr(import_module(module), name)):
        least = smallest(arm)
        yield f"<{label(arm)}>", "", least
        for member, (hint, _) in (fields(arm) or {}).items():
            yield f"<{label(arm)}>.{member}", member, {**least, member: smallest(hint, member)}
            for part in arms(hint) if member == DELTA else ():
                for inner, (kind, _) in (fields(part) or {}).items():
                    given = {**smallest(part), inner: smallest(kind, inner)}
                    yield f"<{label(arm)}>.{member}<{label(part)}>.{inner}", inner, {**least, member: given}


def betas() -> list[str]:
    """The names of betas that the official types list."""
    module = import_module("anthropic.types.anthropic_beta_param")
    return [str(value) for arm in arms(module.AnthropicBetaParam) for value in getattr(arm, "__args__", ())]


MODELS = (
    ("openai.types.shared.chat_model", "ChatModel"),
    ("openai.types.shared.responses_model", "ResponsesModel"),
    ("anthropic.types.model_param", "ModelParam"),
    ("google.genai.interactions", "ModelParam"),
)


def models() -> list[str]:
    """The names of models that the official packages list."""
    found: dict[str, None] = {}
    for module, name in MODELS:
        found |= dict.fromkeys(_words(getattr(import_module(module), name)))
    return list(found)


def _words(hint: Any) -> Iterator[str]:
    for one in get_args(hint):
        if isinstance(one, str):
            yield one
        else:
            yield from _words(one)


def version() -> str:
    """The API version that Anthropic's client sends."""
    return str(import_module("anthropic._constants").ANTHROPIC_API_VERSION)


def headers(package: str, client: str) -> dict[str, str]:
    """The headers that an official client sends by default, by lower-case name."""
    made = getattr(import_module(package), client)(api_key="none")
    return {name.lower(): str(value) for name, value in {**made.default_headers, **made.auth_headers}.items()}
