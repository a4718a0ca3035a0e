"""Findings: diagnostics for a reader (LOS-5)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Diagnostic, Severity
from proxai_ir.api import Kind
from proxai_ir.reporting.digest import findings, in_order, summary

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi", "annotations": []}]}


def response(**more: Any) -> dict[str, Any]:
    core = {"id": "resp_1", "object": "response", "created_at": 7, "model": "m", "status": "completed"}
    return {**core, "output": [SAID], **more}


def test_an_echo_of_the_request_is_one_finding() -> None:
    echo = {"temperature": 1, "top_p": 1, "tool_choice": "auto", "truncation": "disabled", "store": True}
    found = findings(proxai_ir.check(response(**echo), RESPONSES, CHAT))
    (one,) = [each for each in found if each.code == "ENV-11"]
    assert sorted(one.paths) == sorted(f"/{name}" for name in echo)
    assert str(one).startswith("info ENV-11 /store and 4 more Repeats what the request asked for")


def test_every_place_is_in_a_finding() -> None:
    """Diagnostics have an entry for each place (LOS-1), findings have all of them."""
    diagnostics = proxai_ir.check(response(temperature=1, metadata={"a": "b"}, store=False), RESPONSES, ANTHROPIC)
    places = {(one.code, path) for one in findings(diagnostics) for path in one.paths}
    assert places == {(one.code, one.path) for one in diagnostics}


def test_findings_stand_in_the_order_of_weight_and_of_the_payload() -> None:
    def found(code: str, severity: Severity, path: str) -> Diagnostic:
        return Diagnostic(code, severity, path, "why")

    given = [
        found("SMP-6", Severity.INFO, "/n"),
        found("USR-4", Severity.LOSS, "/messages/10/name"),
        found("USR-4", Severity.LOSS, "/messages/9/name"),
        found("SMP-3", Severity.LOSS, "/messages/2"),
        found("CHO-2", Severity.ERROR, "/n"),
    ]
    made = findings(given)
    assert [(one.code, one.paths) for one in made] == [
        ("CHO-2", ("/n",)),
        ("SMP-3", ("/messages/2",)),
        ("USR-4", ("/messages/9/name", "/messages/10/name")),
        ("SMP-6", ("/n",)),
    ]
    assert summary(made) == "1 reason, 3 values lost, 1 note"
    assert summary(()) == "nothing lost"
    assert sorted(["/b/10", "/b/9/x", "/b/9", "", "/a"], key=in_order) == ["", "/a", "/b/9", "/b/9/x", "/b/10"]


# --- a payload of another protocol ------------------------------------------------------------------------------------

ASKED = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}
CALLED = [{"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": []}]}]
"""In a form that Anthropic Messages alone has."""


def refusal(payload: Any, src: str, kind: Kind | None = None) -> str:
    with pytest.raises(proxai_ir.InvalidPayload) as caught:
        proxai_ir.convert(payload, src, ANTHROPIC if src != ANTHROPIC else CHAT, kind=kind)
    return caught.value.diagnostics[0].message


def test_a_payload_of_another_protocol_is_recognised() -> None:
    assert refusal({**ASKED, "messages": CALLED}, CHAT, "request").endswith(
        "(expected an object, found an array; the payload looks like anthropic_messages)"
    )
    assert refusal(response(), CHAT).endswith("the payload looks like openai_responses)")
    assert refusal({"model": "m", "input": "Hi"}, ANTHROPIC, "request").endswith("looks like openai_responses)")


@pytest.mark.parametrize(
    "payload",
    [
        {**ASKED, "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": 5}]}]},
        {**ASKED, "messages": [{"role": "assistant", "tool_calls": 5}]},
        {**ASKED, "temperature": "hot"},
        {**ASKED, "messages": CALLED, "frequency_penalty": 1},
        [],
    ],
    ids=["part", "calls", "temperature", "two protocols", "no object"],
)
def test_a_payload_that_is_only_broken_resembles_nothing(payload: Any) -> None:
    assert "looks like" not in refusal(payload, CHAT, "request")


def test_the_option_status_is_no_finding() -> None:
    made = proxai_ir.compile({"error": "Slow down."}, CHAT, ANTHROPIC, kind="error", status=429)
    assert made.output["error"]["type"] == "rate_limit_error"
    assert made.diagnostics == ()
