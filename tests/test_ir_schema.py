"""The schema of the JSON form of the IR: what is written is valid, what no class has is not, and it is checked in."""

from __future__ import annotations

import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import proxai_ir
from proxai_ir.ir.json_form import dumps
from proxai_ir.ir.json_schema import schema
from proxai_ir.ir.structure import SINCE, VERSION
from proxai_ir.testing.specimens import SPECIMENS

from .cases import each
from .samples import Sample, samples

jsonschema = pytest.importorskip("jsonschema", reason="what the tests check JSON Schemas with is not installed")


@pytest.fixture(scope="module")
def validator() -> Any:
    return jsonschema.Draft202012Validator(schema())


def wrong(validator: Any, written: bytes | str) -> list[str]:
    return [f"{one.json_path}: {one.message[:200]}" for one in validator.iter_errors(json.loads(written))]


def replaced(tree: Any, pointer: str, value: Any) -> Any:
    """The tree with another value at a place, which may be a new member."""
    made = deepcopy(tree)
    *path, last = [int(step) if step.isdigit() else step for step in pointer.split("/")[1:]]
    holder = made
    for step in path:
        holder = holder[step]
    holder[last] = value
    return made


def test_it_is_a_schema_and_is_checked_in(root: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    written = json.loads((root / "spec" / "ir.schema.json").read_text(encoding="utf-8"))
    assert written == schema(), "python -m proxai_ir.ir > spec/ir.schema.json"
    assert schema()["$id"] == f"urn:proxai-ir:ir:{VERSION}"
    assert max(SINCE.values()) == VERSION


@each("sample", samples("request", "response", "error", "stream"), ids=str)
def test_what_is_lowered_is_valid(validator: Any, sample: Sample) -> None:
    node = proxai_ir.lower(sample.make(), sample.protocol, kind=sample.kind)
    assert wrong(validator, dumps(node)) == []
    assert wrong(validator, dumps(node, source=True)) == []


@each("cls", SPECIMENS, ids=[cls.__name__ for cls in SPECIMENS])
def test_every_class_is_valid_and_described(validator: Any, cls: type) -> None:
    root, _ = SPECIMENS[cls]()
    assert wrong(validator, dumps(root)) == []
    assert cls.__name__ in schema()["$defs"]


TREE = {
    "is": "Request",
    "protocol": None,
    "model": "m",
    "turns": [{"role": "user", "parts": [{"is": "Text", "text": "Hi"}]}],
}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/is", "Requests"),
        ("/models", "m"),
        ("/model", 1),
        ("/turns", {}),
        ("/turns/0/role", "nobody"),
        ("/turns/0/parts/0/is", "Usage"),
        ("/turns/0/parts/0/text", None),
        ("/turns/0/parts/0/src", {}),
        ("/turns/0/parts/0", {"text": "Hi"}),
        ("/sampling", {"temperature": "hot"}),
        ("/sampling", {"stop": ["a", 1]}),
    ],
)
def test_what_no_class_has_is_not_valid(validator: Any, pointer: str, value: Any) -> None:
    assert wrong(validator, json.dumps(TREE)) == []
    assert wrong(validator, json.dumps(replaced(TREE, pointer, value))) != []


def test_the_command_prints_it() -> None:
    done = subprocess.run([sys.executable, "-m", "proxai_ir.ir"], capture_output=True, check=True, timeout=60)
    assert json.loads(done.stdout) == schema()


def test_the_json_of_a_tree_may_come_before_the_first_conversion() -> None:
    """cattrs replaces the annotations of classes by their types, which nothing else may depend on."""
    code = """
from proxai_ir import convert, ir
from proxai_ir.ir.json_form import dumps, loads
loads(dumps(ir.Error(None, ir.ErrorCategory.SERVER, "No.")))
request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
print(convert(request, "openai_chat_completions", "anthropic_messages", kind="request")["messages"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("[{'role': 'user', 'content': 'Hi'}]\n", "")
