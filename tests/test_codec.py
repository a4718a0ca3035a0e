"""The JSON form of the IR: there and back equal, and what comes back can be raised like what was lowered."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import proxai_ir
from proxai_ir.ir import parts, request, turns
from proxai_ir.ir.node import Seal
from proxai_ir.ir_json import dumps, loads

from .properties.equality import canonical
from .properties.samples import SAMPLES, Object
from .properties.specimens import SPECIMENS

each_sample = pytest.mark.parametrize(
    ("protocol", "kind", "make"), SAMPLES, ids=[make.__name__ for _, _, make in SAMPLES]
)


@each_sample
def test_there_and_back(protocol: str, kind: str, make: Callable[[], Object]) -> None:
    node = proxai_ir.lower(make(), protocol, kind=kind)
    back = loads(dumps(node))
    assert back == node
    assert dumps(back) == dumps(node)


@each_sample
def test_it_is_raised_as_it_was_lowered(protocol: str, kind: str, make: Callable[[], Object]) -> None:
    back = loads(dumps(proxai_ir.lower(make(), protocol, kind=kind)))
    assert canonical(proxai_ir.raise_to(back, protocol)) == canonical(make())


@pytest.mark.parametrize("cls", SPECIMENS, ids=[cls.__name__ for cls in SPECIMENS])
def test_every_class(cls: type) -> None:
    root, _ = SPECIMENS[cls]()
    assert loads(dumps(root)) == root


def test_what_it_looks_like() -> None:
    said = turns.Turn(turns.Role.ASSISTANT, [parts.Text("Hi"), parts.Reasoning(None, Seal("p", "redacted", "eA=="))])
    expected = {
        "is": "Request",
        "protocol": None,
        "model": "m",
        "turns": [
            {
                "role": "assistant",
                "parts": [
                    {"is": "Text", "text": "Hi"},
                    {"is": "Reasoning", "text": None, "seal": {"provider": "p", "kind": "redacted", "data": "eA=="}},
                ],
            }
        ],
    }
    assert json.loads(dumps(request.Request(None, "m", [said]))) == expected


def test_references_into_the_source_are_left_out() -> None:
    node = proxai_ir.lower({"model": "m", "messages": [{"role": "user", "content": "Hi"}]}, "openai_chat_completions")
    assert node.src is not None
    assert b'"src"' not in dumps(node)
    assert loads(dumps(node)).src is None


def test_bytes_and_text_are_read_alike() -> None:
    data = dumps(request.Request(None, "m"))
    assert loads(data.decode()) == loads(data) == request.Request(None, "m")


@pytest.mark.parametrize("arguments", ['{"a": 1}', {"a": 1}, "", {}, '{"is": "Text"}', {"is": "Text"}])
def test_arguments_keep_their_form(arguments: Any) -> None:
    call = parts.FunctionCall("c", "f", arguments)
    back = loads(dumps(request.Request(None, "m", [turns.Turn(turns.Role.ASSISTANT, [call])])))
    assert isinstance(back, request.Request) and back.turns is not None
    assert back.turns[0].parts == [call]


def test_what_json_cannot_say_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        dumps(request.Request(None, "m", service=request.Service(metadata={"a": object()})))
