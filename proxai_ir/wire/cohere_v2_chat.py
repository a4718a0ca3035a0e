"""The wire vocabulary of Cohere's POST /v2/chat (official types: the `cohere` package, `types` and `v2`).

Owns its words, its declared objects, the members that it alone has (VENDOR_FIELDS) and where the IR's fields stand
(WIRE_PATHS). Frontend and backend put messages together.
"""

from __future__ import annotations

from typing import Any

from .. import ir
from ..ir.error import Error, ErrorCategory
from ..ir.node import finds
from ..ir.request import Role, ThinkingMode
from ..ir.response import ScoredToken, StopReason, Usage
from ..ir.tools import ChoiceMode, FunctionTool
from . import ENVELOPE, ERROR_ENVELOPE, filled, unless
from .objects import (
    FUNCTION,
    NO_RULE,
    TaggedUnion,
    WireObject,
    by_hand,
    integer,
    required,
    string,
    total,
    typed_function,
    vendor,
    vendor_fields,
    wire_paths,
)

NAME = "cohere_v2_chat"
PROVIDER = "cohere"

# --- words ------------------------------------------------------------------------------------------------------------

FAILED = "ERROR"
REASON = {
    "COMPLETE": StopReason.END,
    "STOP_SEQUENCE": StopReason.STOP_SEQUENCE,
    "MAX_TOKENS": StopReason.LENGTH,
    "TOOL_CALL": StopReason.TOOL_CALLS,
    FAILED: StopReason.FAILED,
    "TIMEOUT": StopReason.FAILED,
}
"""The one table of stop reasons, for whole responses and streams (STS-7)."""
REASON_OF = dict.fromkeys(StopReason, "COMPLETE") | {reason: word for word, reason in reversed(REASON.items())}
REASON_OF[StopReason.CONTEXT_WINDOW] = "MAX_TOKENS"
REASON |= {"ERROR_TOXIC": StopReason.CONTENT_FILTER, "ERROR_LIMIT": StopReason.CONTEXT_WINDOW}  # of the first version
ROLES = {role.value: role for role in (Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL)}
ROLE_OF = {role: word for word, role in ROLES.items()} | {Role.DEVELOPER: "system"}
CHOICES = {"REQUIRED": ChoiceMode.REQUIRED, "NONE": ChoiceMode.NONE}
THINKING = {"enabled": ThinkingMode.ENABLED, "disabled": ThinkingMode.DISABLED}
UNCITED = frozenset({"OFF", "DISABLED"})
"""The modes of `citation_options` without citations, which are made in all others and by default."""
SAMPLING = {
    "temperature": "temperature",
    "p": "top_p",
    "seed": "seed",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "k": "top_k",
    "logprobs": "logprobs",
}
"""The members of a request that are a field of `Sampling` each; stop sequences are a list."""
DETAILS = ("auto", "low", "high")
TEXT_CITED, PLAN_CITED = "TEXT_CONTENT", "PLAN"
"""What a citation is of, which it need not say of a text; the third are thoughts."""
TOOL_NAME = "[A-Za-z_][A-Za-z0-9_]*"
JSON, PLAIN = "application/json", "text/plain"

# --- objects ----------------------------------------------------------------------------------------------------------

TEXT = WireObject(f"{NAME} text", ir.Text, {"text": required(string("text"))})
THOUGHT = WireObject(f"{NAME} thinking", ir.Reasoning, {"thinking": required(string("text"))})
IMAGE = WireObject(
    f"{NAME} image",
    ir.Image,
    {"image_url": required({"url": required(by_hand("str", "source")), "detail": string("detail")})},
)
IN_DOCUMENT = {"id": vendor("DOC-85"), "data": required(by_hand("", "source"))}
DOCUMENT = WireObject(f"{NAME} document", ir.Document, {**IN_DOCUMENT})
"""A document of a request; one in a result of a tool is inside a block."""
BLOCK = WireObject(f"{NAME} document block", ir.Document, {"document": required({**IN_DOCUMENT})})
CONTENT = TaggedUnion(
    f"{NAME} content", "type", {"text": TEXT, "thinking": THOUGHT, "image_url": IMAGE, "document": BLOCK}
)
_CALLED = {"name": required(string("name")), "arguments": by_hand("str", "arguments")}
CALL = typed_function(f"{NAME} call", ir.FunctionCall, _CALLED, id=required(string("id")))
TOOL = typed_function(f"{NAME} tool", FunctionTool, FUNCTION)
TOOLS = TaggedUnion(f"{NAME} tools", "type", {"function": TOOL}, default="function")
USAGE = WireObject(
    f"{NAME} usage",
    Usage,
    {
        "billed_units": vendor("USE-4"),
        "tokens": {
            "input_tokens": total("input", "cache_read", "cache_write", default=0),
            "output_tokens": total("output", "reasoning", default=0),
        },
        "cached_tokens": integer("cache_read"),
    },
    others={"*": "USE-4"},
)
SCORED = WireObject(
    f"{NAME} score",
    ScoredToken,
    {
        "text": required(string("text")),
        "token_ids": by_hand("list", "id", rule="SMP-85"),
        "logprobs": required(by_hand("list", "logprob", rule="SMP-85")),
    },
)

PROMPT_TOO_LONG = "too many tokens: total number of tokens in the prompt cannot exceed the limit"
BEGINS_TOO_LONG = "too many tokens: "
"""How Cohere writes that error, and by which beginning clients know it (ERR-7)."""
ERROR = WireObject(
    f"{NAME} error",
    Error,
    {"id": string("request_id"), "message": required(string("message"))},
    {"protocol": NAME, "category": ErrorCategory.UNKNOWN},
)

# --- members of this protocol alone -----------------------------------------------------------------------------------


@finds("SMP-6", "DOC-1")
def citing(value: Any) -> str:
    """Return the rule of the mode of citations; no protocol makes citations unless it is asked to."""
    mode = value.get("mode") if isinstance(value, dict) else None
    usual = isinstance(mode, str) and mode.upper() in {*UNCITED, "ENABLED", "ACCURATE"}
    return "SMP-6" if usual and len(value) == 1 else "DOC-1"


@finds("SMP-6", "MOD-1", "MOD-2")
def safety(value: Any) -> str:
    """Return the rule of the mode of the safety filter."""
    known = {"CONTEXTUAL": "SMP-6", "OFF": "MOD-2", "NONE": "MOD-2"}
    return known.get(value if isinstance(value, str) else "", "MOD-1")


@finds("ERR-2")
def generated(message: Any) -> str:
    """Return the rule of the message of a response whose generation failed: none where it has nothing but its role."""
    members = message.items() if isinstance(message, dict) else [("", message)]
    return "ERR-2" if any(value for key, value in members if key != "role") else NO_RULE


VENDOR_FIELDS: dict[str, dict[str, Any]] = {
    "Request": {
        "citation_options": citing,
        "safety_mode": safety,
        "priority": unless(0, "SVC-1"),
        "strict_tools": "TUL-15",
        "tool_choice": "UNK-4",
        "thinking": {"type": "UNK-4"},
        "response_format": "UNK-4",
    },
    "Turn": {"citations": "CIT-1", "tool_plan": NO_RULE},
    "UrlCitation": {"sources": "CIT-4", **dict.fromkeys(("text", "type", "content_index"), "ENV-1")},
    "Response": {"logprobs": "SMP-7", **ENVELOPE},
    "Candidate": {},
    "Terminal": {},
    "Error": {
        **ERROR_ENVELOPE,
        # of a response whose generation failed (FIN-8)
        "id": "ENV-1",
        "finish_reason": NO_RULE,
        "message": generated,
        "logprobs": filled("SMP-7"),
        "usage": "USE-4",
        "*": "ERR-4",
    },
    "Event": {"prompt": "ENV-1", "logprobs": "SMP-7", "index": NO_RULE, "id": NO_RULE},
    "Debug": {"*": "ENV-1"},
    **vendor_fields(CONTENT, DOCUMENT, CALL, TOOLS, USAGE, SCORED),
}
"""Members that only this protocol has, by IR class, each with the rule under which another protocol loses it."""
VENDOR_FIELDS["Text"] |= {
    "type": NO_RULE,
    "document": {"id": "DOC-85", "data": NO_RULE},
}  # of a text that a document held

WIRE_PATHS: dict[str, dict[str, Any]] = {
    "Request": {"turns": "messages"},
    "Sampling": {**{field: member for member, field in SAMPLING.items()}, "stop": "stop_sequences"},
    "Thinking": {"mode": "type", "budget": "token_budget"},
    "Output": {"format": "response_format"},
    "SchemaFormat": {"schema": ("json_schema", "schema")},
    "Choice": {"mode": "tool_choice"},
    "ToolResult": {"call_id": "tool_call_id", "parts": "content"},
    "SourceCitation": {"kind": "type"},
    "Terminal": {"reason": "finish_reason", "raw": "finish_reason"},
    **wire_paths(CONTENT, DOCUMENT, CALL, TOOLS, USAGE, SCORED, ERROR),
}
"""Where the fields of the IR are on the wire, as paths below the object that a node was read from."""
WIRE_PATHS["Error"]["code"] = "finish_reason"
WIRE_PATHS["FunctionTool"]["strict"] = "strict_tools"  # of the request, for all of them
