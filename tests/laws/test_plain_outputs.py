"""Outputs are plain JSON in every pair: exactly dict, list, str, int, float, bool and None, so that a caller can
pickle, compare and serialise them by any means."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError

from ..cases import each
from ..samples import PROTOCOLS, Sample, of, samples
from ..samples.sample import Json
from ..trials import each_count, hold

PLAIN = {dict, list, str, int, float, bool, type(None)}


def others_than_plain(value: Any) -> set[type]:
    """The classes in a value that JSON has no types for."""
    found, waiting = set(), [value]
    while waiting:
        one = waiting.pop()
        found |= {type(one)} - PLAIN
        if isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
    return found


def is_plain(payload: Any, kind: Any, src: str) -> None:
    for dst in PROTOCOLS:
        try:
            made = proxai_ir.compile(payload, src, dst, kind=kind, emulate="auto" if kind == "request" else ())
        except TranslationError:
            continue
        for one in (made.output, made.state, made.headers, made.route):
            assert others_than_plain(one) == set(), (src, dst)


@each("sample", samples("request", "response", "error", "stream"), ids=str)
def test_of_samples(sample: Sample) -> None:
    is_plain(sample.make(), sample.kind, sample.protocol)


@each_count
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", ["request", "response"])
def test_of_generated_payloads(kind: str, protocol: str, count: int) -> None:
    hold(lambda payload: is_plain(payload, kind, protocol), of(protocol).strategies[kind], count)


SCHEMAS = (
    {"type": "object", "properties": {"a": True, "b": {"type": "array", "items": {"type": "object"}}}},
    {"type": "object", "properties": {}, "$defs": {"x": {"type": "object"}}, "anyOf": [{"type": "object"}]},
    {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "string"}}}},
)


@pytest.mark.parametrize("schema", SCHEMAS, ids=["a boolean first", "no properties", "a list"])
def test_of_schemas_that_converse_has_as_text(schema: Json) -> None:
    """Its `textFormat` holds the JSON text of a schema, whose places are remembered where it is an object."""
    described = {"name": "n", "description": "d", "schema": json.dumps(schema)}
    wanted = {"type": "json_schema", "structure": {"jsonSchema": described}}
    given = {"messages": [{"role": "user", "content": [{"text": "Hi"}]}], "outputConfig": {"textFormat": wanted}}
    is_plain(given, "request", "bedrock_converse")


CHAT = "openai_chat_completions"
CHANGED = (
    {"properties": {"a": {"type": "string"}}},
    {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "string"}}},
)
"""Schemas that a server of the same protocol may need in another form."""


def asked(schema: Json) -> Json:
    function = {"name": "f", "parameters": schema}
    tools = [{"type": "function", "function": function}, {"type": "custom", "custom": {"name": "run"}}]
    return {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": tools}


@pytest.mark.parametrize("schema", CHANGED, ids=["without a type", "with a reference"])
def test_of_schemas_in_another_form_for_a_server_of_the_same_protocol(schema: Json) -> None:
    """As its tools are restated for a server without some of them, and as a tree is written."""
    server = proxai_ir.Profile(CHAT, custom_tools=False, schema_references=False)
    restated: Any = proxai_ir.convert(asked(schema), CHAT, server, emulate="auto")
    assert [one["type"] for one in restated["tools"]] == ["function", "function"]
    assert others_than_plain(restated) == set()
    assert restated["tools"][0]["function"]["parameters"] != schema
    tree: Any = proxai_ir.lower(asked(schema), CHAT)
    for description in (None, "Edited."):
        tree.tools[0].description = description
        made: Any = proxai_ir.raise_to(tree, server)
        assert made["tools"][0]["function"].get("description") == description
        assert others_than_plain(made) == set()
