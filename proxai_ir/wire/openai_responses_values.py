"""The rule under which a member of OpenAI Responses is reported, where that depends on the member's value.

Each function gets the value and returns the rule, "" where the value repeats what the IR holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import ir
from ..ir.node import ByObject, finds
from . import unless

SUMMARY = "auto"  # the summary that `Display.SUMMARIZED` means (RSN-2)
DETAILED = "detailed"  # as detailed as it gets, which is what `auto` gives where a model has several (RSN-2)
SUMMARIES = (SUMMARY, "concise", DETAILED)

ULTRAFAST = "ultrafast"  # a value of the service tier; kept in addition to `fast`

LOGPROBS = "message.output_text.logprobs"  # the member of `include` that asks for log probabilities
SEALS = "reasoning.encrypted_content"  # and the one that asks for encrypted reasoning
MCP_FAILED = "mcp_tool_execution_error"  # the type of the error whose wording is the tool's
CODE_OUTPUTS = "code_interpreter_call.outputs"  # what code wrote, which other protocols always report
CODE_TOOL = "code_interpreter"
CODE_RUN, CODE_ID = "code_interpreter_call", "ci_"  # a run of it, and what its id begins with


@finds("ENV-7", "TUL-22", "ENV-1", "UNK-4")
def item_status(value: Any) -> str:
    if value == "completed":
        return "ENV-7"
    if value == "failed":
        return "TUL-22"
    return "ENV-1" if value in UNFINISHED else "UNK-4"


UNFINISHED = ("in_progress", "incomplete", "searching", "calling", "interpreting", "generating")


@finds("PLC-14", "PLC-18", "UNK-4")
def phase(value: Any) -> str:
    return PHASES.get(value, "UNK-4") if isinstance(value, str) else "UNK-4"


PHASES = {"commentary": "PLC-14", "final_answer": "PLC-18"}


def included(value: Any) -> str:
    """Additional output that is asked for, besides log probabilities."""
    return "ENV-8" if {*(value or ())} - {SEALS, CODE_OUTPUTS} else "ENV-10"


@finds("TUL-18", "TUL-9")
def caller(value: Any) -> str:
    return "TUL-18" if value == {"type": "direct"} else "TUL-9"


AGENT_MESSAGE = "agent_message"


def heading_of(item: Mapping[str, Any]) -> str:
    """What stands before the content of an item that is read as a user's message: what it is, and whose."""
    if item["type"] == AGENT_MESSAGE:
        sides = [f" {word} {item[key]}" for word, key in (("from", "author"), ("to", "recipient")) if item.get(key)]
        return f"Message{''.join(sides)}:" if sides else ""
    return f"Result of the tool {item['name']}:"


def _name_of_result(name: Any, item: Mapping[str, Any]) -> str:
    """A result of no call is headed by the name of its tool (TUL-3)."""
    return "" if unasked(item) else "ENV-1"


def unasked(item: Mapping[str, Any]) -> bool:
    """Whether an item is a result that names a tool and no call."""
    name = item.get("name")
    return item.get("type") in RESULTS and item.get("call_id") is None and isinstance(name, str) and name != ""


RESULTS = ("function_call_output", "custom_tool_call_output")
NAME_OF_RESULT = finds("ENV-1")(ByObject(_name_of_result))


def unexplained(status: Any) -> str:
    """The status of a response that failed without an error; any other repeats how it ended."""
    return "STS-14" if status == "failed" else ""


def summary(value: Any) -> str:
    """How long a summary is: `detailed` asks for what `auto` means (RSN-2)."""
    return "SMP-6" if value == DETAILED else "RSN-2" if value in SUMMARIES else "UNK-4"


STATE = ("prompt", "previous_response_id", "conversation")  # what may hold the input instead


def _is_readable_reasoning(item: Any) -> bool:
    """Whether an item is reasoning that other models can read, too: not only encrypted (RSN-26)."""
    return (
        isinstance(item, dict) and item.get("type") == "reasoning" and bool(item.get("summary") or item.get("content"))
    )


def _earlier_reasoning(value: Any, request: Mapping[str, Any]) -> str:
    """Which reasoning of earlier turns the model sees; the request may have none that another model could read, neither
    here nor stored (CTX-3)."""
    if value == "auto":
        return "SMP-6"
    items = request.get("input")
    sent = isinstance(items, list) and any(map(_is_readable_reasoning, items))
    stored = any(request.get(key) is not None for key in STATE)
    known = value in ("current_turn", "all_turns")
    return "CTX-3" if known and not sent and not stored else "CTX-1"


EARLIER_REASONING = ByObject(_earlier_reasoning)


def tier(value: Any) -> str:
    return "SVC-1" if value == ULTRAFAST else "UNK-4"


def asked_again(value: Any) -> str:
    """The queries of a search besides its first one, which repeat it unless there are more (TUL-22)."""
    return "ENV-7" if isinstance(value, list) and len(value) == 1 else ""


def failure(value: Any) -> str:
    return "" if ir.only_wording(value, MCP_FAILED) else "TUL-23"


def outputs(value: Any) -> str:
    """Several logs of a run of code are joined; what else it made is lost."""
    return "PLC-8" if isinstance(value, list) and all(map(is_log, value)) else "TUL-39"


def is_log(output: Any) -> bool:
    """Whether what a run of code made is text."""
    return isinstance(output, dict) and output.keys() == {"type", "logs"} and isinstance(output["logs"], str)


OF_IMAGES = ("action", "background", "error", "quality", "revised_prompt", "size", "svg_usage")
"""What the item of an image that was generated has besides its data."""

CODE_FIELDS = {
    "CodeTool": {"container": unless({"type": "auto"}, "HST-1"), "allowed_callers": unless(["direct"], "TUL-9")},
    "CodeCall": {"status": "TUL-39", "container_id": "ENV-1"},
    "CodeResult": {"outputs": outputs},
}
"""What runs of code have that only this protocol has."""
