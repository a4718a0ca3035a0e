"""The types of Cohere's own client read the samples, and what is converted to its protocol."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError

from ..samples import Sample, samples
from .provider import GEMINI

COHERE = "cohere_v2_chat"
Json = Any


def strictly(cls: Any, value: Json) -> None:
    """The value is of the official type: members that are known, of the right types."""
    pydantic = pytest.importorskip("pydantic")
    made = pydantic.TypeAdapter(cls).validate_python(value, strict=False)
    assert unknown(made) == []


def unknown(made: Any) -> list[str]:
    """Members that no type declares; a union is read as the arm that fits."""
    if isinstance(made, list):
        return [name for one in made for name in unknown(one)]
    fields = type(made).model_fields if hasattr(type(made), "model_fields") else None
    if fields is None:
        return []
    inner = [name for key in fields for name in unknown(getattr(made, key))]
    return [f"{type(made).__name__}.{key}" for key in made.model_extra or {}] + inner


def response_type() -> Any:
    return pytest.importorskip("cohere.v2.types.v2chat_response").V2ChatResponse


def event_type() -> Any:
    return pytest.importorskip("cohere.v2.types.v2chat_stream_response").V2ChatStreamResponse


OWN = [one for one in samples("request", "response", "stream") if one.protocol == COHERE and not one.own]


@pytest.mark.parametrize("sample", OWN, ids=str)
def test_the_samples_are_of_the_official_types(sample: Sample) -> None:
    assert_official(sample.kind, sample.make())


def assert_official(kind: str, payload: Json) -> None:
    if kind == "response":
        strictly(response_type(), payload)
    elif kind == "stream":
        for event in payload:
            if "type" in event and event["type"] != "message-start":  # whose message has empty members, as documented
                strictly(event_type(), event)
    else:
        types: Any = pytest.importorskip("cohere.types")
        for message in payload["messages"]:
            strictly(types.ChatMessageV2, message)
        for tool in payload.get("tools") or ():
            strictly(types.ToolV2, tool)
        for document in payload.get("documents") or ():
            strictly(str if isinstance(document, str) else types.Document, document)
        for member, name in (("response_format", "ResponseFormatV2"), ("thinking", "Thinking")):
            if member in payload:
                strictly(getattr(types, name), payload[member])


CONVERTED = [one for one in samples("request", "response", "stream") if one.protocol != COHERE]


@pytest.mark.parametrize("sample", CONVERTED, ids=str)
def test_what_is_converted_is_of_the_official_types(sample: Sample) -> None:
    options: Any = {"model": "m"} if sample.kind == "request" and sample.protocol == GEMINI else {}
    try:
        if sample.kind == "stream":
            converter = proxai_ir.StreamConverter(sample.protocol, COHERE)
            made = [one for event in sample.make() for one in converter.feed(event)] + converter.close()
        else:
            done = proxai_ir.compile(sample.make(), sample.protocol, COHERE, **options)
            if done.kind != sample.kind:
                pytest.skip("a response that failed")
            made = done.output
    except TranslationError:
        pytest.skip("refused")
    assert_official(sample.kind, made)
