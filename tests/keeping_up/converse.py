"""The types of Bedrock Converse as botocore's service model has them: one payload for each member and enum value.

A structure is shown whole where it is met first, and in its smallest form everywhere else, as official types are that
walk.py reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from .walk import Feature, Json

PROTOCOL = "bedrock_converse"
ONE_OF = {
    "CachePointBlock": {"type": "default"},
    "Citation": {"location": {"web": {"url": "https://example.org/"}}},
    "CitationsDelta": {"location": {"web": {"url": "https://example.org/"}}},
    "CitationsContentBlock": {"content": [{"text": "x"}], "citations": []},
    "ContentBlockStart": {"toolUse": {"toolUseId": "x", "name": "x"}},
    "DocumentBlock": {"format": "pdf", "name": "x", "source": {"bytes": "AAAA"}},
    "ReasoningTextBlock": {"text": "x", "signature": "AAAA"},
    "ToolInputSchema": {"json": {"type": "object", "properties": {}}},
}
"""Values of structures for which any value of their members is not enough."""
BY_NAME = {"effort": "low", "role": "assistant", "uri": "s3://bucket/x", "schema": '{"type": "object"}'}

ASKED = {"messages": [{"role": "user", "content": [{"text": "x"}]}]}
ANSWERED = {"message": {"role": "assistant", "content": [{"text": "x"}]}}


def operation(name: str) -> Any:
    """Return the model of an operation, as `Converse`."""
    session = import_module("botocore.session").get_session()
    return session.get_service_model("bedrock-runtime").operation_model(name)


def errors() -> list[str]:
    """Return the names of all errors of both operations."""
    shapes = [*operation("Converse").error_shapes, *operation("ConverseStream").error_shapes]
    return sorted({shape.name for shape in shapes})


def features() -> Iterator[tuple[str, str, Json]]:
    """Yield the kind and the path of every member and enum value of requests and responses, with a payload that has it.

    A block has the same path in messages of every role. The model's id stands in the URL.
    """
    model = operation("Converse")
    request, response = model.input_shape, model.output_shape
    for role in ("user", "assistant"):
        for path, value in _features(request.members["messages"].member, "", set()):
            yield "request", path, {"messages": [{**value, "role": role}]}
    for path, value in _features(request, "", {"Message"}):
        if ".modelId" not in path:
            yield "request", path, {name: one for name, one in {**ASKED, **value}.items() if name != "modelId"}
    for path, value in _features(response, "", {"Message"}):
        yield "response", path, {**value, "output": ANSWERED}


def events() -> Iterator[tuple[str, str, Json]]:
    """Yield the path and the last member of every member of the events of a stream, with an event that has it."""
    (stream,) = operation("ConverseStream").output_shape.members.values()
    for path, event in _features(stream, "", set()):
        if "Exception" not in path:
            yield path, re.split(r"[<=\[]", path.rpartition(".")[2])[0], event


def _features(shape: Any, path: str, shown: set[str]) -> Iterator[Feature]:
    if shape.type_name == "list":
        yield from ((where, [value]) for where, value in _features(shape.member, f"{path}[]", shown))
    elif shape.type_name == "structure" and not shape.is_document_type:
        path = f"{path}<{shape.name}>"
        least = smallest(shape)
        yield path, least
        if shape.name in shown:
            return
        shown.add(shape.name)
        for name, member in shape.members.items():
            base = {} if getattr(shape, "is_tagged_union", False) else least
            yield from ((where, {**base, name: value}) for where, value in _features(member, f"{path}.{name}", shown))
    elif getattr(shape, "enum", None):
        yield from ((f"{path}={value!r}", value) for value in shape.enum)
    else:
        yield path, smallest(shape, path.rpartition(".")[2])


def smallest(shape: Any, name: str = "") -> Json:
    """Return a value of a shape, with what is required and nothing else; of a union its first member."""
    if shape.name in ONE_OF or name in BY_NAME:
        return ONE_OF.get(shape.name) or BY_NAME[name]
    if shape.type_name == "list":
        return [smallest(shape.member)]
    if shape.type_name == "structure" and not shape.is_document_type:
        members = [*shape.members] if not getattr(shape, "is_tagged_union", False) else [*shape.members][:1]
        needed = members if getattr(shape, "is_tagged_union", False) else shape.required_members
        return {one: smallest(shape.members[one], one) for one in needed}
    if getattr(shape, "enum", None):
        return shape.enum[0]
    values = {"string": "x", "integer": 1, "long": 1, "float": 0.5, "double": 0.5, "boolean": True, "blob": "AAAA"}
    return values.get(shape.type_name, {})
