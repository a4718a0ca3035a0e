"""Official types, walked: one small payload for each field, variant and enum member that they have.

It knows TypedDicts, pydantic models, unions, literals and containers; no protocol. A class is shown whole where it is
met first and in its smallest form everywhere else.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin

import typing_extensions

Json = Any
Feature = tuple[str, Json]
"""A path, as `messages[].content[]<text>.citations`, and a value of the type that has what the path names."""

WRAPPERS = (Required, NotRequired, typing_extensions.Required, typing_extensions.NotRequired)
BY_NAME: dict[str, Json] = {
    "arguments": "{}",
    "created": 1,
    "created_at": 1,
    "data": "AAAA",
    "index": 0,
    "file_data": "data:application/pdf;base64,AAAA",
    "image_url": "https://example.org/a.png",
    "url": "https://example.org/a.png",
    "encrypted_content": "AAAA",
    "signature": "AAAA",
    "input_schema": {"type": "object", "properties": {}},
    "parameters": {"type": "object", "properties": {}},
    "schema": {"type": "object", "properties": {}},
    "budget_tokens": 1024,
    "max_tokens": 2048,
    "mimeType": "application/json",
    "responseMimeType": "text/plain",
    "role": "model",
    "topK": 40,
}
"""Values of members for which any string or number is not enough."""

BY_CLASS: dict[str, dict[str, Json]] = {
    "FileFile": {"file_data": BY_NAME["file_data"]},
    "ResponseInputImageParam": {"image_url": BY_NAME["url"]},
    "ResponseInputImageContentParam": {"image_url": BY_NAME["url"]},
    "ResponseInputFileParam": {"file_url": BY_NAME["url"]},
    "ResponseInputFileContentParam": {"file_url": BY_NAME["url"]},
    "ChatCompletionAllowedToolsParam": {"tools": [{"type": "function", "function": {"name": "x"}}]},
    "ResponseCreateParamsNonStreaming": {"input": "x"},
    "BetaSystemMessageParam": {"content": "x"},
    "ResponseOutputTextAnnotationAddedEvent": {"annotation": {"type": "file_path", "file_id": "x", "index": 0}},
    "ToolChoiceAllowedParam": {"tools": [{"type": "function", "name": "x"}]},
}
"""What the type calls optional and a reader needs all the same."""
GOOGLE: dict[str, dict[str, Json]] = {
    "Blob": {"mimeType": "image/png", "data": "AAAA"},
    "Candidate": {"content": {"parts": [{"text": "x"}], "role": "model"}},
    "CodeExecutionResult": {"outcome": "OUTCOME_OK"},
    "Content": {"parts": [{"text": "x"}]},
    "ExecutableCode": {"code": "x", "language": "PYTHON"},
    "FileData": {"fileUri": "https://example.org/a.png", "mimeType": "image/png"},
    "FunctionCall": {"name": "x"},
    "FunctionDeclaration": {"name": "x"},
    "FunctionResponse": {"name": "x", "response": {}},
    "FunctionResponseBlob": {"mimeType": "image/png", "data": "AAAA"},
    "FunctionResponseFileData": {"fileUri": "https://example.org/a.png", "mimeType": "image/png"},
    "FunctionResponsePart": {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
    "GenerateContentResponse": {
        "candidates": [{"content": {"parts": [{"text": "x"}], "role": "model"}, "finishReason": "STOP"}]
    },
    "McpServer": {"name": "x", "streamableHttpTransport": {"url": "https://example.org/mcp"}},
    "Part": {"text": "x"},
    "StreamableHttpTransport": {"url": "https://example.org/mcp"},
    "TextResponseFormat": {"mimeType": "application/json"},
    "ToolCall": {"toolType": "GOOGLE_SEARCH_WEB"},
    "ToolResponse": {"toolType": "GOOGLE_SEARCH_WEB"},
}
"""The same of Google's types, which call everything optional."""
DATA = frozenset(
    """
    text inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall toolResponse
    audioTranscription
    """.split()
)
"""Members of Google's `Part` of which there is one."""
SOURCES = ("file_data", "file_id", "file_url", "image_url")
"""Members of which there is one."""


def fields(cls: Any) -> dict[str, tuple[Any, bool]] | None:
    """The fields of a class: type and whether it is required; None for what is no such class."""
    if typing_extensions.is_typeddict(cls):
        hints = typing_extensions.get_type_hints(cls, include_extras=True)
        return {name: (hint, _required(cls, name, hint)) for name, hint in hints.items()}
    if hasattr(cls, "model_fields"):
        return {
            field.alias or name: (field.annotation, field.is_required() and not _optional(field.annotation))
            for name, field in cls.model_fields.items()
        }
    return None


def _required(cls: Any, name: str, hint: Any) -> bool:
    return get_origin(hint) in (Required, typing_extensions.Required) or name in getattr(cls, "__required_keys__", ())


def _optional(hint: Any) -> bool:
    return type(None) in get_args(hint)


def arms(hint: Any) -> list[Any]:
    """The variants of a type, without None and wrappers."""
    origin = get_origin(hint)
    if origin in WRAPPERS or origin is Annotated:
        return arms(get_args(hint)[0])
    if isinstance(hint, typing_extensions.TypeAliasType):
        return arms(hint.__value__)
    if origin in (Union, types.UnionType):
        return [arm for one in get_args(hint) for arm in arms(one)]
    return [] if hint is type(None) else [hint]


def words(arm: Any) -> list[Json]:
    """The values of an enum; none of anything else."""
    return [one.value for one in arm] if isinstance(arm, type) and issubclass(arm, Enum) else []


def element(hint: Any) -> Any:
    """What a list holds; None for what is no list."""
    origin = get_origin(hint)
    is_list = isinstance(origin, type) and issubclass(origin, Iterable) and not issubclass(origin, dict)
    return get_args(hint)[0] if is_list or "Sequence" in str(origin) else None


def smallest(hint: Any, name: str = "", above: tuple[Any, ...] = ()) -> Json:
    """A value of a type, with what is required and nothing else."""
    arm = next((one for one in arms(hint) if one not in above), Any)
    if get_origin(arm) is Literal:
        return get_args(arm)[0]
    inner = fields(arm)
    if inner is not None:
        needed = {key: smallest(of, key, (*above, arm)) for key, (of, required) in inner.items() if required}
        return {**needed, **(GOOGLE if arm.__module__ == "google.genai.types" else BY_CLASS).get(arm.__name__, {})}
    if words(arm):
        return words(arm)[0]
    if name in BY_NAME:
        return BY_NAME[name]
    if element(arm) is not None:
        return [smallest(element(arm), name, above)]
    return {str: "x", int: 1, float: 0.5, bool: True, bytes: "AAAA", datetime: "2026-11-22T00:00:00Z"}.get(arm, {})


class Walk:
    """All features below a type. `shown`: the classes that were shown whole."""

    def __init__(self) -> None:
        self.shown: set[Any] = set()

    def features(self, hint: Any, path: str, name: str = "") -> Iterator[Feature]:
        for arm in arms(hint):
            if get_origin(arm) is Literal:
                yield from ((f"{path}={value!r}", value) for value in get_args(arm))
            elif words(arm):
                yield from ((f"{path}={value!r}", value) for value in words(arm))
            elif element(arm) is not None:
                yield from ((where, [value]) for where, value in self.features(element(arm), f"{path}[]", name))
            elif fields(arm) is not None:
                yield from self._members(arm, f"{path}<{label(arm)}>")
            else:
                yield path, BY_NAME.get(name, smallest(arm, name))

    def _members(self, cls: Any, path: str) -> Iterator[Feature]:
        least = smallest(cls)
        yield path, least
        if cls in self.shown:
            return
        self.shown.add(cls)
        for name, (hint, _) in (fields(cls) or {}).items():
            for where, value in self.features(hint, f"{path}.{name}", name):
                yield where, {**_without_rival(least, name), name: value}


def _without_rival(least: dict[str, Any], name: str) -> dict[str, Any]:
    rivals = next((one for one in (SOURCES, DATA) if name in one), ())
    return {key: value for key, value in least.items() if key not in rivals}


def label(cls: Any) -> str:
    """What distinguishes a class from the other variants: its `type` or `role`, else its name."""
    for name in ("type", "role"):
        hint = (fields(cls) or {}).get(name, (None, False))[0]
        values = [value for arm in arms(hint) if get_origin(arm) is Literal for value in get_args(arm)] if hint else []
        if len(values) == 1:
            return str(values[0])
    return str(cls.__name__)
