"""Bad input of every kind: named, and never another exception."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import profiles
from proxai_ir.batch import convert_line

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.shared import DEPTH_SCHEMA
from .support import ANTHROPIC, CHAT, GEMINI, RESPONSES, Json, made

HI: Json = {"role": "user", "content": "Hi"}


def value_at(payload: Any, pointer: str) -> Any:
    names = (one.replace("~1", "/").replace("~0", "~") for one in pointer.split("/")[1:])
    for name in names:
        payload = payload[int(name)] if isinstance(payload, list) else payload[name]
    return payload


def test_what_is_dropped_of_an_outputs_schema_is_pointed_at() -> None:
    wanted = {"type": "json_schema", "json_schema": {"name": "o", "schema": DEPTH_SCHEMA, "strict": True}}
    request = chat.request(HI, response_format=wanted)
    for one in proxai_ir.compile(request, CHAT, profiles.GEMINI_2_0, model="m").diagnostics:
        value_at(request, one.path)


def test_a_state_of_tools_that_nobody_knows_is_the_callers_mistake() -> None:
    response = anthropic.response(anthropic.tool_use("computer"), stop="tool_use")
    with pytest.raises(TypeError, match="state"):
        made(response, ANTHROPIC, RESPONSES, state={"client_tools": {"computer": "zork"}})


def plain(value: Any) -> bool:
    if isinstance(value, dict):
        return type(value) is dict and all(map(plain, value.values()))
    return all(map(plain, value)) if isinstance(value, list) else True


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_schemas_are_plain_objects(dst: str) -> None:
    schema = {"type": "OBJECT", "properties": {"a": {"type": "STRING", "minLength": 1}}}
    config = {"responseMimeType": "application/json", "responseSchema": schema}
    assert plain(made(gemini.request(gemini.user("Hi"), generationConfig=config), GEMINI, dst, "request").output)


def test_the_array_of_a_stream_is_not_read_as_nothing() -> None:
    with pytest.raises(proxai_ir.StreamError, match="found a JSON array"):
        list(proxai_ir.sse.decode([b'[{"candidates": []}, {"candidates": []}]']))


def test_of_a_name_that_an_object_has_twice_the_last_counts() -> None:
    """As I-JSON leaves open and SHP-6 says: bytes are what every JSON parser makes of them."""
    payload = b'{"model": "a", "model": "b", "messages": [{"role": "user", "content": "Hi"}]}'
    assert proxai_ir.compile(payload, CHAT, GEMINI).route["model"] == "b"


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_a_batch_line_of_vertex_has_no_key(dst: str) -> None:
    line = {"request": gemini.request(gemini.user("Hi"))}
    assert convert_line(line, GEMINI, dst, model="m")["custom_id"]
