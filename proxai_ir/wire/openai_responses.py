"""The wire vocabulary of OpenAI Responses (official types: the `openai` package, `types/responses`).

Owns the protocol's words for what the IR names, both ways; VENDOR_FIELDS, the members that no other protocol has, each
with the rule that reports its loss (a nested table for a nested object, a function where the value decides); and
WIRE_PATHS, where each field of the IR stands. Dense objects are in `_objects`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .. import ir
from ..ir.node import ByObject, finds
from ..ir.response import StopReason
from . import ENVELOPE, ERROR_ENVELOPE, ERROR_MEMBERS, filled, openai, unless
from . import openai_responses_objects as objects
from .objects import OTHERS, vendor_fields, wire_paths

# --- openai responses values ------------------------------------------------------------------------------------------
# The rule under which a member of OpenAI Responses is reported, where that depends on the member's value.
#
# Each function gets the value and returns the rule, "" where the value repeats what the IR holds.


SUMMARY = "auto"  # the summary that `Display.SUMMARIZED` means (RSN-2)
DETAILED = "detailed"  # as detailed as it gets, which is what `auto` gives where a model has several (RSN-2)
SUMMARIES = (SUMMARY, "concise", DETAILED)

ULTRAFAST = "ultrafast"  # a value of the service tier; kept in addition to `fast`

LOGPROBS = "message.output_text.logprobs"  # the member of `include` that asks for log probabilities
FOUND = "web_search_call.action.sources"  # the member of `include` that asks for the pages that searches found
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


@finds("ENV-8", "ENV-10")
def included(value: Any) -> str:
    """Return the rule of `include`, which asks for more than log probabilities."""
    more = isinstance(value, list) and any(one not in (SEALS, CODE_OUTPUTS) for one in value)
    return "ENV-8" if more else "ENV-10"


def prewarms(request: Mapping[str, Any]) -> bool:
    """Return whether a request only fills the prompt cache, so that the provider generates no output."""
    options = request.get("prompt_cache_options")
    return isinstance(options, dict) and options.get(PREWARM) is True


@finds("TUL-18", "TUL-9")
def caller(value: Any) -> str:
    return "TUL-18" if value == {"type": "direct"} else "TUL-9"


CIPHER = "encrypted_content"  # the part of a message between agents, and its member, that OpenAI encrypts (PLC-61)
CIPHERTEXT = re.compile(r"gAAAA[a-zA-Z0-9_-]+=*")
"""The beginning of a text that OpenAI encrypted: base64 of a version byte and a time."""


def is_clear(part: Any) -> bool:
    """Return whether a part of a message between agents has a text where OpenAI has ciphertext."""
    if not isinstance(part, dict) or part.get("type") != CIPHER:
        return False
    text = part.get(CIPHER)
    return isinstance(text, str) and not CIPHERTEXT.fullmatch(text)


AGENT_MESSAGE = "agent_message"


def heading_of(item: Mapping[str, Any]) -> str:
    """Return the line put before an item that is read as a user's message: what the item is, and whose."""
    if item["type"] == AGENT_MESSAGE:
        sides = [f" {word} {item[key]}" for word, key in (("from", "author"), ("to", "recipient")) if item.get(key)]
        return f"Message{''.join(sides)}:" if sides else ""
    return f"Result of the tool {item['name']}:"


def _name_of_result(name: Any, item: Mapping[str, Any]) -> str:
    """Return the rule of a result's name: a result without a call is headed by the tool's name (TUL-3)."""
    return "" if unasked(item) else "ENV-1"


def unasked(item: Mapping[str, Any]) -> bool:
    """Return whether an item is a result that names a tool but no call."""
    name = item.get("name")
    return item.get("type") in RESULTS and item.get("call_id") is None and isinstance(name, str) and name != ""


RESULTS = ("function_call_output", "custom_tool_call_output")
NAME_OF_RESULT = finds("ENV-1")(ByObject(_name_of_result))


@finds("STS-14")
def unexplained(status: Any) -> str:
    """Return the rule of a response's status: `failed` without an error; any other repeats how the response ended."""
    return "STS-14" if status == "failed" else ""


@finds("SMP-6", "RSN-2", "UNK-4")
def summary(value: Any) -> str:
    """Return the rule of a summary's length; `detailed` asks for the same as `auto` (RSN-2)."""
    return "SMP-6" if value == DETAILED else "RSN-2" if value in SUMMARIES else "UNK-4"


STATE = ("prompt", "previous_response_id", "conversation")  # what may hold the input instead


def _is_readable_reasoning(item: Any) -> bool:
    """Return whether an item is reasoning that other models can read: not encrypted alone (RSN-26)."""
    return (
        isinstance(item, dict) and item.get("type") == "reasoning" and bool(item.get("summary") or item.get("content"))
    )


def _earlier_reasoning(value: Any, request: Mapping[str, Any]) -> str:
    """Return the rule of which earlier reasoning the model sees (CTX-3).

    It asks for nothing if neither the input nor the stored conversation has reasoning that another model could read.
    `all_turns` shows the model what is sent, as targets without the setting do.
    """
    if value in ("auto", "all_turns"):
        return "SMP-6"
    items = request.get("input")
    sent = isinstance(items, list) and any(map(_is_readable_reasoning, items))
    stored = any(request.get(key) is not None for key in STATE)
    return "CTX-3" if value == "current_turn" and not sent and not stored else "CTX-1"


EARLIER_REASONING = finds("SMP-6", "CTX-3", "CTX-1")(ByObject(_earlier_reasoning))


@finds("SVC-1", "UNK-4")
def tier(value: Any) -> str:
    return "SVC-1" if value == ULTRAFAST else "UNK-4"


@finds("ENV-7")
def asked_again(value: Any) -> str:
    """Return the rule of a search's further queries; a list of one repeats the first (TUL-22)."""
    return "ENV-7" if isinstance(value, list) and len(value) == 1 else ""


@finds("TUL-23")
def failure(value: Any) -> str:
    return "" if ir.only_wording(value, MCP_FAILED) else "TUL-23"


@finds("PLC-8", "TUL-39")
def outputs(value: Any) -> str:
    """Return the rule of the outputs of code: logs are joined, all else is lost."""
    return "PLC-8" if isinstance(value, list) and all(map(is_log, value)) else "TUL-39"


def is_log(output: Any) -> bool:
    """Return whether an output of code is text."""
    return isinstance(output, dict) and output.keys() == {"type", "logs"} and isinstance(output["logs"], str)


OF_IMAGES = ("action", "background", "error", "quality", "revised_prompt", "size", "svg_usage")
"""What the item of an image that was generated has besides its data."""

CODE_FIELDS = {
    "CodeTool": {"container": unless({"type": "auto"}, "HST-1"), "allowed_callers": unless(["direct"], "TUL-9")},
    "CodeCall": {"status": "TUL-39", "container_id": "ENV-1"},
    "CodeResult": {"outputs": outputs},
}
"""What runs of code have that only this protocol has."""


# --- openai responses -------------------------------------------------------------------------------------------------


# of values that also decide rules
__all__ = ["CODE_ID", "CODE_RUN", "CODE_TOOL", "LOGPROBS", "MCP_FAILED", "SUMMARIES", "SUMMARY", "ULTRAFAST"]

NAME = objects.NAME
ENCRYPTED = "encrypted"  # the kind of the seal that `encrypted_content` is
IN_CIPHERTEXT = "encrypted"  # of a parameter in a tool's schema: some models write it for other agents alone

# The one table of this protocol's endings, both ways (STS-1, STS-2, STS-7).
COMPLETED, INCOMPLETE, FAILED = "completed", "incomplete", "failed"
STATUS = {
    COMPLETED: StopReason.END,
    INCOMPLETE: StopReason.LENGTH,
    FAILED: StopReason.REFUSAL,
    "queued": StopReason.UNFINISHED,
    "in_progress": StopReason.UNFINISHED,
    "cancelled": StopReason.FAILED,
}
# `incomplete_details.reason` refines `incomplete` (STS-4).
DETAILS = {
    "max_output_tokens": StopReason.LENGTH,
    "max_messages": StopReason.LENGTH,
    "content_filter": StopReason.CONTENT_FILTER,
    "steered": StopReason.PAUSE,
}
DETAILS_OF = {
    StopReason.LENGTH: "max_output_tokens",
    StopReason.CONTEXT_WINDOW: "max_output_tokens",
    StopReason.CONTENT_FILTER: "content_filter",
}
STATUS_OF = (
    dict.fromkeys(StopReason, COMPLETED)
    | {reason: status for status, reason in STATUS.items()}
    | dict.fromkeys(DETAILS_OF, INCOMPLETE)
)


def reason_of(status: str | None, details: dict[str, Any] | None) -> StopReason:
    """Return the stop reason that these members mean; an unknown detail counts as a length limit (STS-2)."""
    word = details.get("reason") if details is not None and status == INCOMPLETE else None
    return STATUS.get(status or "", StopReason.UNKNOWN) if word is None else DETAILS.get(word, StopReason.LENGTH)


OPTIONS_TTL = {"30m": 1800, "12h": 43200}  # seconds; of prompt_cache_options

TOOL_NAME = r"[a-zA-Z0-9_-]{1,128}"
MOST_OF_ID = 64  # characters of the id of an item, or of a call

TOOL_SEARCH = "tool_search"
CLIENT_CALLS = {f"{kind}_call": kind for kind in ("apply_patch", "computer", "local_shell", "shell", TOOL_SEARCH)}
"""The items of the calls of tools that the client runs, but for searches and shells of the provider's."""
CLIENT_CALL_OF = {kind: item for item, kind in CLIENT_CALLS.items()}
CLIENT_RESULTS = {
    f"{item}_output".replace(f"{TOOL_SEARCH}_call", TOOL_SEARCH): kind for item, kind in CLIENT_CALLS.items()
}
CLIENT_TOOLS = {*CLIENT_CALL_OF, "computer_use_preview"}
NAMESPACE = "namespace"
ADDITIONAL_TOOLS, SEARCHED = "additional_tools", "tool_search_output"
LISTINGS = (ADDITIONAL_TOOLS, SEARCHED)
"""Items that define tools."""
MCP_TOOL = "mcp"
WEB_SEARCH_TOOL = "web_search"
WEB_SEARCH_TOOLS = frozenset(
    {WEB_SEARCH_TOOL, "web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11"}
)
HOSTED_TOOLS = CLIENT_TOOLS | {"file_search", "image_generation", MCP_TOOL, "programmatic_tool_calling"}
HOSTED_CHOICES = HOSTED_TOOLS - {"local_shell", TOOL_SEARCH} | {"computer_use"}


def named_by(kind: str) -> str:
    """Return the member that names a tool of this kind in a list of allowed tools."""
    return "server_label" if kind == MCP_TOOL else "name"


def entry(kind: str, name: str) -> dict[str, str]:
    """Return the entry of a tool in a list of allowed tools."""
    return {"type": kind, named_by(kind): name} if name else {"type": kind}


# Items other than messages, reasoning, function and custom calls and their outputs, by what they are to a client.
HOSTED_CALLS = {*CLIENT_CALLS} | {
    *("file_search_call", "mcp_approval_request", "mcp_list_tools", "multi_agent_call", "program"),
    "x_search_call",  # xAI
}
HOSTED_RESULTS = {*CLIENT_RESULTS} | {
    *(ADDITIONAL_TOOLS, AGENT_MESSAGE, "mcp_approval_response", "multi_agent_call_output", "program_output")
}
GENERATED = "image_generation_call"  # whose result is an image
PNG = "image/png"  # what that is where its format is not named
FORMATS_OF_IMAGES = {"svg": "image/svg+xml"}  # those that their media type has not for its name
WEB_SEARCH = "web_search_call"
WEB_ID = "ws_"  # what its id begins with
MCP_CALL, MCP_ID = "mcp_call", "mcp_"
UNATTENDED = "never"  # when a server's tools need approval that others call without asking
CONTEXT_COMPACTION = "context_compaction"  # how Codex has a `compaction` in its history; the API refuses the word
COMPACTION_TRIGGER = "compaction_trigger"  # an item that asks for a summary in place of a response
COMPACTION = "compaction"  # an item that holds a summary, which its maker alone can read
CONFIGURATION_UPDATE = "configuration_update"  # an item that changes settings
VENDOR_ITEMS = frozenset({COMPACTION, COMPACTION_TRIGGER, CONFIGURATION_UPDATE})
PREWARM = "prewarm"  # in `prompt_cache_options`: the prompt cache is filled, and nothing generated

# The id of an item that the source has none for: `<prefix>_<id of the response>_<index of the item>` (R2A-1).
ID_PREFIX = {
    "message": "msg",
    "reasoning": "rs",
    "function_call": "fc",
    "custom_tool_call": "ctc",
    "apply_patch_call": "apc",
    "local_shell_call": "lsh",
    "shell_call": "sh",
    "tool_search_call": "tsc",
    GENERATED: "ig",
    COMPACTION: "cmp",
}

REASONING = "reasoning"
MADE_REASONING = re.compile(rf"{ID_PREFIX[REASONING]}_.+_(\d{{1,6}}|[0-9a-f]{{8}})")
"""The ids of reasoning that are made so, also where they are shortened; OpenAI's have nothing behind a second `_`."""

# --- members that only this protocol has ------------------------------------------------------------------------------


def _detail(value: Any) -> str:
    """Return the rule of the reason why a response is incomplete; an unknown one counts as a length limit (STS-2)."""
    if isinstance(value, str) and value not in DETAILS:
        return "FIN-7"
    return "STS-3" if value == "max_messages" else ""


# What an answer repeats of its request, and what the API adds though no official type knows it.
_ECHOES = """
access_programs background conversation frequency_penalty image instructions max_output_tokens
max_tool_calls parallel_tool_calls presence_penalty previous_response_id prompt prompt_cache_key prompt_cache_options
prompt_cache_retention reasoning safety_identifier store temperature text tool_choice tools top_logprobs top_p
truncation user
""".split()

_ANSWER = dict.fromkeys(_ECHOES, filled("ENV-11")) | {
    **dict.fromkeys(("billing", "completed_at", "created_at"), "ENV-1"),  # of the latter, a fraction of a second
    "input_transformations": filled("DGN-1"),
    "moderation": "MOD-1",
    "prompt_cache_diagnostics": "DGN-1",
    "service_tier": "ENV-3",
    "tool_usage": "USE-4",
}
_EFFORTS = frozenset({openai.NO_EFFORT, *openai.EFFORT})
_EVENT = ENVELOPE | {"obfuscation": "ENV-7", "agent": {"agent_name": "USR-4"}}

_DECLARED = vendor_fields(*objects.DECLARED)
VENDOR_FIELDS: dict[str, Any] = {
    "Request": {
        "access_programs": "MOD-1",
        "betas": "ENV-4",
        "background": unless(False, "SVC-5"),
        "background_options": {"completion_window": unless("soonest", "SVC-1"), "continuation_id": "SVC-1"},
        "context_management": filled("CTX-1"),
        "max_output_tokens": "ENV-7",  # of a request for no output
        # in the spelling of Chat Completions, where the own member stands beside it
        **dict.fromkeys(("max_completion_tokens", "max_tokens"), "SMP-4"),
        "reasoning_effort": lambda word: "RSN-6" if isinstance(word, str) and word in _EFFORTS else "UNK-4",
        "response_format": "UNK-4",
        "conversation": "R2A-3",
        "image": "IMG-3",
        "client_metadata": "ENV-1",  # of Codex
        "include": included,
        "metadata": filled("USR-3"),
        "moderation": "MOD-1",
        "multi_agent": {"enabled": unless(False, "TUL-9"), "max_concurrent_subagents": "TUL-9"},
        "previous_response_id": "R2A-3",
        "prompt": "R2A-3",
        "prompt_cache_options": {
            "ttl": "UNK-4",
            "mode": "UNK-4",
            PREWARM: unless(False, "CAC-8"),
            "comparison_response_id": "DGN-1",
        },
        "reasoning": {
            "context": EARLIER_REASONING,
            "effort": "UNK-4",
            "generate_summary": summary,
            "mode": unless("standard", "RSN-6"),
            "summary": summary,
        },
        "service_tier": tier,
        "text": {"format": "UNK-4"},
        "tool_choice": "UNK-4",
        "truncation": unless("disabled", "CTX-1"),
    },
    "Streaming": {"stream_options": {}},
    "Event": _EVENT,
    "Unknown": {"sequence_number": ""},
    # of what the provider runs; the item that it belongs to repeats these members when it is done
    "Progress": _EVENT | dict.fromkeys(("command", "command_index", "output"), ""),
    "AllowedChoice": {"tools": "TUL-6"},
    "WebSearchChoice": {"type": ""},  # a version of it
    "Item id": {"item_id": "STR-17"},
    "Place": dict.fromkeys(("output_index", "arguments", "input"), "STR-24"),
    "Contradicted": dict.fromkeys(
        ("output", "annotations", "logprobs", "name", "call_id", "error"), "STR-16"
    )  # and what it contradicts
    | {"encrypted_content": "STR-25"},
    "Restated": dict.fromkeys(("id", "status"), "STR-20"),  # of an item, other than when it was done
    # an item
    "Turn": {
        "type": "",  # one that is not known, or that was read as a user's message
        "role": "",  # of a result as Chat Completions has it
        **dict.fromkeys(("author", "recipient"), ""),  # which the heading of that has
        "id": "ENV-1",
        "internal_chat_message_metadata_passthrough": "UNK-7",  # of Codex
        "encrypted_function_args": filled("PLC-61"),  # which arguments of a call are ciphertext
        "status": item_status,
        "phase": phase,
        "caller": caller,
        "namespace": "ENV-1",  # of a result, as its call has it
        "name": NAME_OF_RESULT,
        "agent": {"agent_name": "USR-4"},
        "async": unless(False, "TUL-9"),
        "reasoning": {"effort": "UNK-4"},  # of an item that changes settings
        "text": {"format": "UNK-4"},
        "created_by": "ENV-1",
        "approval_request_id": "TUL-23",
        **dict.fromkeys(OF_IMAGES, "IMG-5"),
        "output_format": "",  # of an image, the media type of its data
    },
    "McpResult": {"error": failure, "output": "TUL-23", "status": "ENV-7"},
    **CODE_FIELDS,
    "WebSearchCall": {"action": {"queries": asked_again}},
    "Reasoning": {"type": ""},
    "Response": ENVELOPE
    | _ANSWER
    | {
        "error": "ERR-4",
        "incomplete_details": "STS-12",  # of an answer that is complete
        "metadata": filled("ENV-11"),
    },
    "Terminal": {"incomplete_details": {"reason": _detail}, "status": unexplained},
    # an error's body, or an answer that failed
    "Error": _ANSWER
    | ERROR_ENVELOPE
    | {
        "error": ERROR_MEMBERS | {"misalignment": "ERR-4"},
        "type": "",
        "object": "",
        "status": lambda status: "" if status == FAILED else "ENV-1",
        **dict.fromkeys(("id", "model", "sequence_number", "incomplete_details"), "ENV-1"),
        "metadata": filled("ENV-1"),
        "output": filled("ERR-2"),
        "usage": "USE-4",
    },
    **_DECLARED,
    **{name: _DECLARED[name] | {objects.BREAKPOINT: {"ttl": "UNK-4"}} for name in ("Text", "Image", "Document")},
    "Refusal": _DECLARED["Refusal"] | {"type": ""},
}
VENDOR_FIELDS["Image"] |= {"type": ""}  # of one in a message of the assistant
VENDOR_FIELDS["FunctionTool"] |= {"parameters": {OTHERS: "SCH-19"}}  # marks in it

_NAMES = ("max_output_tokens", "max_completion_tokens", "max_tokens")
_LIMITS = {"max_tokens": (*_NAMES, f"prompt_cache_options/{PREWARM}"), "hosted_calls": "max_tool_calls"}

WIRE_PATHS: dict[str, dict[str, Any]] = {
    "Request": {"turns": "input", "parallel_tools": "parallel_tool_calls", **_LIMITS},
    "Sampling": {"logprobs": "include"},
    "Thinking": {
        "mode": ("reasoning/summary", "reasoning/generate_summary", "reasoning/effort", "reasoning_effort"),
        "effort": ("reasoning/effort", "reasoning_effort"),
        "display": ("reasoning/summary", "reasoning/generate_summary"),
    },
    "Output": {"format": ("text/format", "response_format"), "verbosity": "text/verbosity"},
    **openai.SETTINGS_PATHS,
    "Streaming": {"obfuscation": "stream_options/include_obfuscation"},
    "FunctionCall": {"id": "call_id"},
    "CustomCall": {"id": "call_id"},
    "WebSearchCall": {"queries": ("action/queries", "action/query"), "page": "action/url"},
    "WebSearchResult": {"call_id": "id", "hits": "action/sources"},
    "McpCall": {"server": "server_label"},
    "CodeResult": {"call_id": "id", "stdout": "outputs", "stderr": "outputs", "error": "status"},
    "McpResult": {"call_id": "id", "text": ("output", "error"), "is_error": "error"},
    "ToolResult": {"parts": "output"},
    "Reasoning": {"seal": "encrypted_content", "summary": "summary", "text": ("content", "summary")},
    "Response": {"created": "created_at", "tier": "service_tier", "fast": "service_tier"},
    "Candidate": {"logprobs": "logprobs", "turns": "output"},  # of the one text that has them
    "Terminal": {"reason": ("incomplete_details/reason", "status"), "raw": "status"},
    "Error": {
        "category": ("error/type", "error/code", "code"),
        "message": ("error/message", "error", "message"),
        "code": ("error/code", "code", "status"),
        "param": ("error/param", "param"),
        "type": "error/type",
        "retry_after": "error/resets_in_seconds",
    },
    **wire_paths(*objects.DECLARED),
}
WIRE_PATHS["Inline"]["mime"] = ("format", "output_format")  # of audio; of an image that was generated

# --- streams ----------------------------------------------------------------------------------------------------------

DONE = "[DONE]"  # which this protocol does not know, and some of its servers send

_GROWING: dict[str, tuple[str, str, str | None]] = {
    "output_text": ("output_text", "text", "content_index"),
    "refusal": ("refusal", "refusal", "content_index"),
    "reasoning_text": ("reasoning_text", "text", "content_index"),
    "summary_text": ("reasoning_summary_text", "text", "summary_index"),
    "function_call": ("function_call_arguments", "arguments", None),
    "custom_tool_call": ("custom_tool_call_input", "input", None),
    MCP_CALL: ("mcp_call_arguments", "arguments", None),
}
"""What grows, by the type of its part or item: the family of its events, the member of the done event that holds all of
it, and the index that addresses it, None for an item."""
FAMILY_OF = {kind: f"response.{family}" for kind, (family, _, _) in _GROWING.items()}
FAMILIES = {f"response.{family}": (member, index) for family, member, index in _GROWING.values()}
FAMILY_OF_PART = {kind: family for kind, family in FAMILY_OF.items() if FAMILIES[family][1]}
FAMILY_OF_ITEM = {kind: family for kind, family in FAMILY_OF.items() if not FAMILIES[family][1]}
WORDINGS = frozenset(FAMILY_OF[kind] for kind in ("output_text", "refusal"))
"""The families of a message's parts."""

_RUN = HOSTED_CALLS | {GENERATED, WEB_SEARCH, MCP_CALL, CODE_RUN, f"{CODE_RUN}_code", "compaction"}
PROGRESSING = tuple(f"response.{kind}" for kind in sorted(_RUN))
"""How the types of events begin that are about the progress of what the provider runs; its item has all of it."""
