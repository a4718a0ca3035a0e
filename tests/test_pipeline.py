"""The order of the passes: the page that describes it, and what is walked for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import proxai_ir
from proxai_ir.conversion.directions import bound
from proxai_ir.ir import Request, Response
from proxai_ir.passes import calls
from proxai_ir.passes.pipeline import ORDER, Pipeline, Step
from proxai_ir.protocol.registry import backend
from proxai_ir.reporting.diagnostics import LATER

PAGE = Path(__file__).parents[1] / "spec" / "ir.md"
STREAMS = {"parts": "its parts", "end": "its end", "never": ""}


def row(step: Step) -> str:
    """How the page describes a pass."""
    name = f"`{step.run.__module__.rpartition('.')[2]}.{step.run.__name__}`"
    of = ", ".join(f"{cls.__name__.lower()}s" for cls in step.of)
    runs = [" or ".join(f"`{option}`" for option in sorted(step.asked))] if step.asked else []
    runs += ["for targets that need it"] if step.needed else []
    given = f"with {', '.join(runs)}" if step.asked else "".join(runs)
    does = (step.run.__doc__ or "").splitlines()[0].rstrip(".")
    return f"| {name} | {does} | {of} | {STREAMS[step.streams]} | {given or 'always'} |"


def test_the_page_has_the_order_of_the_code() -> None:
    lines = PAGE.read_text().splitlines()
    first = lines.index("| pass | what it does | of | on a stream | runs |") + 2
    assert lines[first : lines.index("", first)] == [row(step) for step in ORDER]


@pytest.mark.parametrize("step", ORDER, ids=row)
def test_what_does_a_pass_on_a_stream(step: Step) -> None:
    assert step.asked or not step.staged
    assert step.streams == "parts" or not step.staged


# --- rounds -----------------------------------------------------------------------------------------------------------


def call(identity: str) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": "f", "arguments": "{}"}}


def chat(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": "Hi"}, *messages], "tools": [TOOL]}


TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
ROUND = ({"role": "assistant", "tool_calls": [call("c")]}, {"role": "tool", "tool_call_id": "c", "content": "r"})


def walks(payload: dict[str, Any], dst: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often the calls of a request are looked for."""
    found: list[Any] = []
    walk = calls._rounds

    def counted(turns: list[Any]) -> calls.Rounds:
        found.append(turns)
        return walk(turns)

    monkeypatch.setattr(calls, "_rounds", counted)
    proxai_ir.compile(payload, "openai_chat_completions", dst)
    return len(found)


@pytest.mark.parametrize("dst", ["anthropic_messages", "openai_responses", "gemini_generate_content"])
def test_calls_are_looked_for_once_and_only_where_there_are_some(dst: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert walks(chat(), dst, monkeypatch) == 0
    assert walks(chat(*ROUND), dst, monkeypatch) == 1


# --- what is decided once for a direction -----------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [Request, Response])
def test_calls_without_options_have_no_pass_that_options_ask_for(cls: type) -> None:
    back = backend("anthropic_messages")
    pipeline = Pipeline(back.target, back.constraints)
    asking = {step.run for step in ORDER if step.asked}
    plain, asked = (vars_of(pipeline.passes(cls, asked=one)) for one in (False, True))
    assert not asking & plain
    assert asking & asked
    assert asked - plain <= asking


def vars_of(run: Any) -> set[Any]:
    """The passes that a generated function may call, but for `legalize`, of which each has one of its own."""
    return {one for name, one in run.__globals__.items() if name.startswith("run_")} & {step.run for step in ORDER}


def test_members_whose_function_notes_its_rules_are_collected_when_findings_are_read() -> None:
    payload = {"model": "models/gemini-3-flash", "contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    direction, known = bound("gemini_generate_content", "openai_chat_completions", {})
    records = direction.convert(payload, "request", known)[5].records  # type: ignore[union-attr]
    assert [record[0] for record in records] == [LATER]
    done = proxai_ir.compile(payload, "gemini_generate_content", "openai_chat_completions")
    assert [(one.code, one.path) for one in done.diagnostics] == [("ENV-14", "/model")]
