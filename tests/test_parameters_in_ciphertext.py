"""Parameters that the schemas of an agent's tools mark as encrypted (SCH-19)."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir.protocol.registry import protocols

Json = dict[str, Any]
RESPONSES = "openai_responses"
MESSAGE: Json = {"type": "string", "description": "What to say."}
SAID: Json = {"message": {**MESSAGE, "encrypted": True}, "encrypted": {"type": "boolean"}}
TOOL: Json = {
    "type": "function",
    "name": "say",
    "strict": False,
    "parameters": {"type": "object", "properties": SAID, "required": ["message"]},
}
PLACE = "/parameters/properties/message/encrypted"


def asked(*tools: Json) -> Json:
    return {"model": "m", "input": "Hi", "store": False, "tools": [*tools]}


@pytest.mark.parametrize("target", [one for one in protocols() if one != RESPONSES])
@pytest.mark.parametrize("grouped", [False, True], ids=["alone", "in a namespace"])
def test_no_other_protocol_gets_the_mark(target: str, grouped: bool) -> None:
    """A parameter of that name is no mark."""
    group = {"type": "namespace", "name": "agents", "description": "Others.", "tools": [TOOL]}
    made = proxai_ir.compile(asked(group if grouped else TOOL), RESPONSES, target)
    assert '"encrypted": true' not in json.dumps(made.output)
    assert '"encrypted": {"type": "boolean"}' in json.dumps(made.output)
    place = ("/tools/0/tools/0" if grouped else "/tools/0") + PLACE
    assert ("SCH-19", "info", place) in [(one.rule, one.severity, one.path) for one in made.diagnostics]


def test_each_of_several_marks_has_its_place() -> None:
    """Check the place of a mark also where every parameter has one."""
    marked = {"type": "object", "properties": dict.fromkeys(("message", "note"), SAID["message"])}
    found = proxai_ir.check(asked({**TOOL, "parameters": marked}), RESPONSES, "anthropic_messages")
    at = "/tools/0/parameters/properties"
    assert [one.path for one in found if one.rule == "SCH-19"] == [f"{at}/message/encrypted", f"{at}/note/encrypted"]


def test_its_own_protocol_gets_it() -> None:
    given = asked(TOOL)
    assert proxai_ir.convert(given, RESPONSES, RESPONSES) == given


def test_a_strict_tool_stays_strict() -> None:
    tool = {**TOOL, "strict": True, "parameters": {**TOOL["parameters"], "properties": {"message": SAID["message"]}}}
    tool["parameters"]["additionalProperties"] = False
    made = proxai_ir.compile(asked(tool), RESPONSES, "anthropic_messages")
    assert made.output["tools"][0]["strict"] is True
    assert made.output["tools"][0]["input_schema"]["properties"] == {"message": MESSAGE}


@pytest.mark.parametrize("properties", [[], {"message": []}, {"message": {"encrypted": None}}, None])
def test_schemas_of_another_form(properties: Any) -> None:
    tool = {**TOOL, "parameters": {"type": "object", "properties": properties}}
    try:
        proxai_ir.compile(asked(tool), RESPONSES, "openai_chat_completions")
    except proxai_ir.TranslationError as error:
        assert error.rule.startswith("SCH-")
