"""The wire vocabulary of Anthropic Messages (official types: the `anthropic` package, `types` and `types/beta`).

Owns the protocol's words for what the IR names, both ways; VENDOR_FIELDS, the members that no other protocol has, each
with the rule that reports its loss (a nested table for a nested object, a function where the value decides); and
WIRE_PATHS, where each field of the IR stands. Dense objects are in `_objects`, betas in `anthropic.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .. import ir
from ..ir.error import ErrorCategory
from ..ir.node import ByObject, finds
from ..ir.parts import BASH, PYTHON
from ..ir.request import Display, Effort, ThinkingMode, Tier
from ..ir.response import StopReason, Usage
from ..ir.tools import FunctionTool, WebSearchTool
from . import DEFERRED, ENVELOPE, filled, unless
from . import anthropic_messages_objects as objects
from .anthropic import rule_of
from .anthropic_messages_objects import NAME as NAME
from .anthropic_messages_objects import PLAIN as PLAIN
from .anthropic_messages_objects import PROVIDER as PROVIDER
from .anthropic_messages_objects import TTL as TTL
from .objects import (
    WireObject,
    boolean,
    by_hand,
    constant,
    entry,
    integer,
    mapping,
    node,
    required,
    string,
    strings,
    total,
    vendor,
    vendor_fields,
    wire_paths,
)

# --- anthropic messages values ----------------------------------------------------------------------------------------
# Values of Anthropic Messages that decide more than what they are: under which rule a member is reported that depends
# on the rest of the request, which text is none of the prompt's, and how messages change tools and settings.


Json = Any

# What Claude Code writes as the first block of the system prompt, for this vendor's servers to take out again:
# "x-anthropic-billing-header: cc_version=2.1.37.0d9; cc_entrypoint=cli; cch=fa690;", another one in each request.
BILLING = "x-anthropic-billing-header:"
# A tool that no search finds, by which Claude Code keeps deferred loading switched on.
PLACEHOLDER = "DeferredToolPlaceholder"

# --- what messages change from there on -------------------------------------------------------------------------------

TOOL_ADDITION, TOOL_REMOVAL, DEFINITION = "tool_addition", "tool_removal", "tool_definition"
TOOL_CHANGES = frozenset({TOOL_ADDITION, TOOL_REMOVAL})
TOOL_REFERENCES = {
    "tool_reference": ("name",),
    "mcp_tool_reference": ("server_name", "name"),
    "mcp_toolset_reference": ("server_name",),
}
"""How such a block names a tool that is defined elsewhere, and the members that do it."""
NEXT_MESSAGE = "next_user_message"  # when a message of the system is forgotten

CLIENT_TOOLSETS = frozenset({"browser_toolset_20260801", "computer_toolset_20260801"})
"""Tools of several calls that the client runs, which no one function has."""


THINKING_EDIT, TOOLS_EDIT = "clear_thinking_", "clear_tool_uses_"
ALL_TURNS = ("all", {"type": "all"})
"""The turns whose thinking is kept if nothing is cleared."""


def _edits_by_request(value: Json, request: Mapping[str, Json]) -> str:
    """Return the rule of edits that clear parts of the prompt: CTX-3 if the request has none of these parts.

    An edit that keeps all clears nothing, as is the default of every target.
    """
    edits = value.get("edits") if isinstance(value, dict) and value.keys() == {"edits"} else None
    if not isinstance(edits, list):
        return "CTX-1"
    if not edits:
        return "ENV-7"
    clearing = [edit for edit in edits if not (_kind(edit).startswith(THINKING_EDIT) and edit.get("keep") in ALL_TURNS)]
    if not clearing:
        return "SMP-6"
    return "CTX-3" if all(_is_idle(edit, request) for edit in clearing) else "CTX-1"


EDITS = finds("CTX-1", "ENV-7", "SMP-6", "CTX-3")(ByObject(_edits_by_request))

FAILED_MESSAGE: dict[str, Any] = {
    **dict.fromkeys(("type", "role", "stop_reason"), ""),
    **dict.fromkeys(("id", "model", "stop_sequence"), "ENV-1"),
    "content": filled("ERR-2"),
    "usage": "USE-4",
}
"""The members of a message that is an error (FIN-8)."""


def _kind(edit: Json) -> str:
    kind = edit.get("type") if isinstance(edit, dict) else None
    return kind if isinstance(kind, str) else ""


def _is_idle(edit: Json, request: Mapping[str, Json]) -> bool:
    kind = _kind(edit)
    if kind.startswith(THINKING_EDIT):
        return not any(block in ("thinking", "redacted_thinking") for block in _blocks(request))
    if kind.startswith(TOOLS_EDIT):
        return not _runs_tools(request) and not any("tool_" in block for block in _blocks(request))
    return False


def _container(value: Json, request: Mapping[str, Json]) -> str:
    """Return the rule of the machine that the provider's tools run on; without such tools it is not used (HST-1)."""
    return "HST-1" if _runs_tools(request) else "ENV-7"


CONTAINER = finds("HST-1", "ENV-7")(ByObject(_container))


def _blocks(request: Mapping[str, Json]) -> Iterator[str]:
    """Yield the types of all blocks of the conversation."""
    messages = request.get("messages")
    for message in messages if isinstance(messages, list) else ():
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            yield str(block.get("type")) if isinstance(block, dict) else ""


def _runs_tools(request: Mapping[str, Json]) -> bool:
    """Return whether the provider may run tools itself, so that one response holds their results."""
    tools = request.get("tools")
    listed = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    return bool(request.get("mcp_servers")) or any(tool.get("type") not in (None, "custom") for tool in listed)


# --- anthropic messages -----------------------------------------------------------------------------------------------


# The one stop table of this protocol, both ways (STS-7).
STOP = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.STOP_SEQUENCE,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.CONTEXT_WINDOW,
    "tool_use": StopReason.TOOL_CALLS,
    "refusal": StopReason.REFUSAL,
    "pause_turn": StopReason.PAUSE,
}
COMPACTION = "compaction"  # a block with a summary of all that stands before it
SUMMARIZE = "summarize"  # the type of `compaction` in a request: such a block is all that the response holds
OTHER_STOP = {"compaction": StopReason.PAUSE, "sensitive": StopReason.CONTENT_FILTER}  # of this protocol alone
# OpenAI's words, of gateways to its models.
DIALECT_STOP = {
    "stop": StopReason.END,
    "length": StopReason.LENGTH,
    "tool_calls": StopReason.TOOL_CALLS,
    "content_filter": StopReason.CONTENT_FILTER,
}
REASON = {**DIALECT_STOP, **OTHER_STOP, **STOP}
STOP_OF = {reason: word for word, reason in STOP.items()} | {
    StopReason.CONTENT_FILTER: "refusal",
    StopReason.UNKNOWN: "end_turn",
}

THINKING = {mode.value: mode for mode in ThinkingMode}
DISPLAY = {display.value: display for display in Display}
EFFORT = {effort.value: effort for effort in Effort if effort is not Effort.MINIMAL}

REQUEST_TIER = {"auto": Tier.AUTO, "standard_only": Tier.STANDARD}
REQUEST_TIER_OF = {tier: word for word, tier in REQUEST_TIER.items()}
RESPONSE_TIER = {"standard": Tier.STANDARD, "priority": Tier.PRIORITY, "batch": Tier.BATCH}
RESPONSE_TIER_OF = {tier: word for word, tier in RESPONSE_TIER.items()}
SPEED = {"standard": False, "fast": True}
SPEED_OF = {fast: word for word, fast in SPEED.items()}

DEFAULT_TTL = TTL["5m"]
MOST_BREAKPOINTS = 4  # of the cache, in one request
USER_ID = "user_id"  # of `metadata`, which have nothing else
MOST_OF_END_USER = 256  # characters of `metadata.user_id`

OLDER_REFUSAL = "refusal"  # the tool by which older models declined (REF-10)
CALL_ID = r"[a-zA-Z0-9_-]+"
TOOL_NAME = r"[a-zA-Z0-9_-]{1,128}"
IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
PDF = "application/pdf"

WEB_SEARCH_TOOLS = ("web_search_20250305", "web_search_20260209", "web_search_20260318")
WEB_SEARCH_TOOL = WEB_SEARCH_TOOLS[0]  # what every model that searches understands
HOSTED_TOOLS = frozenset(
    """
    advisor_20260301 bash_20241022 bash_20250124 computer_20241022 computer_20250124 computer_20251124 mcp_toolset
    memory_20250818 text_editor_20241022 text_editor_20250124 text_editor_20250429 text_editor_20250728
    tool_search_tool_bm25 tool_search_tool_bm25_20251119 tool_search_tool_regex tool_search_tool_regex_20251119
    web_fetch_20250910 web_fetch_20260209 web_fetch_20260309 web_fetch_20260318
    """.split()
)

SERVER_CALL = "server_tool_use"
HOSTED_RESULTS = frozenset(
    """
    web_fetch_tool_result text_editor_code_execution_tool_result tool_search_tool_result advisor_tool_result
    """.split()
)
VENDOR_BLOCKS = frozenset(
    {"container_upload", "compaction", "fallback", "mcp_tool_listing", "tool_addition", "tool_removal"}
)
VENDOR_RESULT_PARTS = frozenset({"tool_reference", "browser_state"})
WEB_SEARCH = "web_search"  # the tool's name; its results, and what they hold
WEB_FETCH, FETCH_TOOL = "web_fetch", "web_fetch_20250910"  # the tool that opens pages, as most models have it
FETCH_RESULT, FETCHED = "web_fetch_tool_result", "web_fetch_result"
NOT_FETCHED = "url_not_accessible"  # of a page that could not be opened, for whatever reason
FETCH_ERRORS = frozenset(
    """
    content_too_large invalid_tool_input max_uses_exceeded too_many_requests unavailable unsupported_content_type
    url_not_accessible url_not_allowed url_not_in_prior_context url_too_long
    """.split()
)
WEB_RESULT, WEB_HIT, WEB_ERROR = "web_search_tool_result", "web_search_result", "web_search_tool_result_error"
CODE_TOOL = "code_execution_20250825"  # what every model that runs code understands
CODE_TOOLS = frozenset({"code_execution_20250522", CODE_TOOL, "code_execution_20260120", "code_execution_20260521"})
CODE_NAME = "code_execution"  # what the tool is called
CODE_RUNS = {CODE_NAME: (PYTHON, "code"), "bash_code_execution": (BASH, "command")}
"""By the name of a call: its language, and the member of its input that has the code."""
RUN_OF = {language: (name, member) for name, (language, member) in CODE_RUNS.items()}
CODE_RESULT, CODE_ERROR = "_tool_result", "_tool_result_error"  # behind the name of the call
SERVER_ID = "srvtoolu_"  # what the ids of calls that the provider runs begin with
SERVER_CALL_ID = SERVER_ID + "[a-zA-Z0-9_]+"
MCP_CALL, MCP_RESULT, MCP_ID = "mcp_tool_use", "mcp_tool_result", "mcptoolu_"
MCP_TOOLSET = "mcp_toolset"  # which of a server's tools there are
DELTAS = frozenset({"signature_delta", "citations_delta", "compaction_delta"})  # besides those that are text
VENDOR_DELTA = "compaction_delta"
DONE = "[DONE]"  # which this protocol does not know, and some of its servers send
RESULT_CITATION = "search_result_location"  # of a search result that the request holds

ERROR_TYPE = {
    "invalid_request_error": ErrorCategory.INVALID_REQUEST,
    "authentication_error": ErrorCategory.AUTHENTICATION,
    "billing_error": ErrorCategory.BILLING,
    "permission_error": ErrorCategory.PERMISSION,
    "not_found_error": ErrorCategory.NOT_FOUND,
    "request_too_large": ErrorCategory.TOO_LARGE,
    "rate_limit_error": ErrorCategory.RATE_LIMIT,
    "api_error": ErrorCategory.SERVER,
    "timeout_error": ErrorCategory.TIMEOUT,
    "overloaded_error": ErrorCategory.OVERLOADED,
}
ERROR_TYPE_OF = {category: word for word, category in ERROR_TYPE.items()} | {
    ErrorCategory.UNKNOWN: "api_error",
    ErrorCategory.CONTEXT_LENGTH: "invalid_request_error",
}
GENERIC_ERRORS = frozenset({"invalid_request_error", "api_error"})  # of which a status says more (ERR-10)
PROMPT_TOO_LONG = "prompt is too long"  # by which clients know that error (ERR-7)


@finds("TUL-18", "TUL-9")
def _caller(value: Any) -> str:
    return "TUL-18" if value == {"type": "direct"} else "TUL-9"


@finds("RSN-2", "UNK-4")
def _display(value: Any) -> str:
    return "RSN-2" if value in ("updates", "highlights") else "UNK-4"


def _thread(value: Any) -> str:
    """Return the rule of a request to keep the conversation: a new one refers to nothing that is stored."""
    new = isinstance(value, dict) and value.get("type") == "create" and "previous_message_id" not in value
    return "SVC-2" if new else "R2A-3"


@finds("TUL-23", "PLC-8")
def _several(value: Any) -> str:
    """Return the rule of a list of texts: several are joined into one, and anything but texts is lost."""
    return "TUL-23" if not ir.only_texts(value) else "" if len(value) == 1 else "PLC-8"


@finds("ENV-7", "CTX-1")
def _edits(value: Any) -> str:
    """Return the rule of the provider's report on edits of the context, which it also sends if there were none."""
    return "ENV-7" if value == {"applied_edits": []} else "CTX-1"


_STOP = dict.fromkeys(("stop_reason", "stop_sequence", "stop_details"), "ENV-7")  # where nothing ends
_DELTA = {"container": "ENV-1", "estimated_tokens": "USE-4", **_STOP}  # the tokens are those of thinking
_CALL = {"caller": _caller, "toolset_name": "TUL-9"}

USAGE = WireObject(
    f"{NAME} usage",
    Usage,
    {
        "input_tokens": integer("input"),
        "cache_creation_input_tokens": integer("cache_write"),
        "cache_read_input_tokens": integer("cache_read"),
        "output_tokens": total("output", "reasoning"),
        "service_tier": by_hand("str", rule="ENV-3"),
        "speed": by_hand("str", rule="ENV-3"),
        "cache_creation": {
            "ephemeral_5m_input_tokens": entry("details", "cache_write.300"),
            "ephemeral_1h_input_tokens": entry("details", "cache_write.3600"),
        },
        "output_tokens_details": {"thinking_tokens": integer("reasoning")},
        "fallback_credit": vendor("USE-4"),
        "inference_geo": vendor("ENV-3"),
        "iterations": vendor("USE-4"),
        "server_tool_use": vendor("USE-4"),
    },
    others=ENVELOPE,
)

MCP_BETA = "mcp-client-2025-11-20"  # in the header `anthropic-beta`
TURN_SETTINGS_BETA = "mid-conversation-output-config-2026-07-01"  # in the same
CALLERS = unless(["direct"], "TUL-9")

FUNCTION_TOOL = WireObject(
    f"{NAME} function tool",
    FunctionTool,
    {
        "type": by_hand(),
        "name": required(string("name")),
        "description": string("description"),
        "input_schema": required(mapping("parameters")),
        "strict": boolean("strict"),
        **objects.MARKED,
        "allowed_callers": vendor(CALLERS),
        "defer_loading": vendor(DEFERRED),
        "eager_input_streaming": vendor("TUL-28"),
        "input_examples": vendor("TUL-9"),
    },
)
# The same as OpenAI's protocols have it, but for the object around its members in one of them.
FOREIGN_TOOL = WireObject(
    f"{NAME} function tool of OpenAI's",
    FunctionTool,
    {
        "type": constant("function"),
        "name": required(string("name")),
        "description": string("description"),
        "parameters": mapping("parameters"),
        "strict": boolean("strict"),
        **objects.MARKED,
    },
)
# Of the tools that clients run in a form of Anthropic's: members that a function has not (TUL-37).
CLIENT_SETTINGS = dict.fromkeys(("max_characters", "display_number", "enable_zoom"), "TUL-9")
WEB_SEARCH_DEFINITION = WireObject(
    f"{NAME} web search tool",
    WebSearchTool,
    {
        "type": by_hand("", rule=""),
        "name": constant(WEB_SEARCH),
        "allowed_domains": strings("allowed_domains"),
        "blocked_domains": strings("blocked_domains"),
        "max_uses": integer("max_uses"),
        "user_location": node("location", objects.LOCATION),
        **objects.MARKED,
        "allowed_callers": vendor(CALLERS),
        "defer_loading": vendor(DEFERRED),
        "response_inclusion": vendor("TUL-9"),
        "strict": vendor("TUL-9"),
    },
    {"kind": WEB_SEARCH_TOOL},
)

DECLARED = (
    USAGE,
    FUNCTION_TOOL,
    FOREIGN_TOOL,
    WEB_SEARCH_DEFINITION,
    *(objects.IMAGE, objects.DOCUMENT, objects.SEARCH_RESULT, objects.CITATIONS, objects.WEB_HIT),
)

VENDOR_FIELDS: dict[str, Any] = {
    "Request": {
        "anthropic_version": "ENV-4",
        "anthropic_beta": rule_of,
        "betas": rule_of,
        **dict.fromkeys(("context_hint", "safeguards"), "UNK-7"),  # of Claude Code
        "billing_policy": "SVC-3",
        "compaction": "PLC-62",  # of a type that is not known
        "container": CONTAINER,
        "context_management": EDITS,
        "diagnostics": "DGN-1",
        "fallback_credit_token": "SVC-3",
        "fallbacks": "SVC-3",
        "inference_geo": "SVC-4",
        "mcp_servers": lambda value: "" if value == [] else "TUL-6",
        "service_tier": "UNK-4",
        "speed": "UNK-4",
        "output_config": {"effort": "UNK-4", "format": "UNK-4", "task_budget": "CTX-1", "timing": "UNK-7"},
        "thinking": {
            "type": "UNK-4",
            "display": _display,
            "block_binding": {"prefix_mismatch_behavior": unless("error", "CTX-1")},
        },
        "thread": _thread,
        "tool_choice": "UNK-4",
        "user_profile_id": "USR-2",
        "workspace_id": "SVC-4",
        "metadata": {},
    },
    "Turn": {"clear_at": unless("never", "CTX-1"), "output_config": {"effort": "UNK-4", "timing": "UNK-7"}},
    "ToolChange": {"tool": {}},
    "Caching": {"cache_control": {"ttl": "UNK-4"}},
    # of a summary (CTX-2)
    "Text": {"type": "CTX-2", "encrypted_content": "CTX-1", "signature": "CTX-1", "tool_changes": filled("CTX-1")},
    "Reasoning": {"signature": ""},
    "FunctionCall": _CALL,
    "WebSearchCall": {"caller": _caller, "input": lambda _: "TUL-22"},  # what is besides the query
    "WebSearchResult": {"caller": _caller, "content": {}},
    "McpServer": {"tool_configuration": {"enabled": ""}},
    "McpCall": {},
    "CodeTool": {"type": "", "allowed_callers": CALLERS, "strict": "TUL-9", "defer_loading": DEFERRED},
    "CodeCall": {"caller": _caller, "input": lambda _: "TUL-39"},  # what is besides the code
    "CodeResult": {"caller": _caller, "content": {"content": filled("TUL-39")}},  # the files that it made
    "McpResult": {"content": _several},
    "ToolResult": {"toolset_name": "TUL-9"},
    "Refusal": {"cache_control": "CAC-4", "citations": "CIT-1", "tool_use": "REF-10"},
    "Response": ENVELOPE
    | {
        "container": "ENV-1",
        "context_management": _edits,
        "diagnostics": "DGN-1",
        "input_transformations": "DGN-1",
        **_STOP,  # before the content, in `message_start`
    },
    "RefusalDetails": dict.fromkeys(
        ("fallback_credit_token", "fallback_has_prefill_claim", "recommended_model"), "SVC-3"
    ),
    "Event": ENVELOPE | {"context_management": _edits, "delta": _DELTA, "input_transformations": "DGN-1"},
    "Ping": {"type": ""},
    "Repeated": "",  # what comes piece by piece in a stream, and its part has as a whole
    "Error": FAILED_MESSAGE | {"error": {"details": "ERR-4", "type": "ERR-3"}},
    **vendor_fields(*DECLARED),
}
VENDOR_FIELDS["FunctionTool"] |= CLIENT_SETTINGS

_MARKED = {"cache": "cache_control"}
_OUTPUT = {"stdout": "stdout", "stderr": "stderr", "exit_code": "return_code", "error": "error_code"}
_RUN = {name: f"content/{key}" for name, key in _OUTPUT.items()}

WIRE_PATHS: dict[str, dict[str, Any]] = {
    "Text": _MARKED | {"citations": "citations"},
    "ClientCall": {"arguments": "input"},
    "FunctionCall": _MARKED | {"arguments": "input"},
    "WebSearchCall": _MARKED | {"queries": "input/query", "page": "input/url"},
    "WebSearchResult": _MARKED | {"call_id": "tool_use_id", "hits": "content", "error": "content/error_code"},
    "CodeTool": _MARKED | {"kind": "type"},
    "CodeCall": _MARKED | {"code": ("input/code", "input/command"), "language": "name"},
    "CodeResult": _MARKED | {"call_id": "tool_use_id", "language": "type"} | _RUN,
    "McpCall": _MARKED | {"server": "server_name", "arguments": "input"},
    "McpResult": _MARKED | {"call_id": "tool_use_id", "text": "content"},
    "McpServer": {"authorization": "authorization_token", "allowed_tools": "tool_configuration/allowed_tools"},
    "McpToolset": {"server": "mcp_server_name"},
    "ToolResult": _MARKED | {"call_id": "tool_use_id", "parts": "content"},
    "Choice": {"mode": "type"},
    "SchemaFormat": {"strict": "schema"},
    "Reasoning": {"seal": ("signature", "data"), "text": "thinking"},
    "Sampling": {"stop": "stop_sequences"},
    "Thinking": {
        "mode": "thinking/type",
        "budget": "thinking/budget_tokens",
        "display": "thinking/display",
        "effort": "output_config/effort",
    },
    "Output": {"format": ("output_config/format", "output_format")},
    "TurnSettings": {"passing": "clear_at"},
    "ToolChange": _MARKED | {"name": "tool/name", "server": "tool/server_name", "tool": "tool/definition"},
    "Caching": {"automatic": "cache_control", "lifetime": "cache_control/ttl"},
    "Service": {"tier": "service_tier", "fast": "speed", "end_user": "metadata/user_id"},
    "Request": {
        "turns": "messages",
        "summary": "compaction",
        "parallel_tools": "tool_choice/disable_parallel_tool_use",
        "prefill": "messages",
    },
    "Response": {"tier": "usage/service_tier", "fast": "usage/speed"},
    "Terminal": {"reason": "stop_reason", "raw": "stop_reason", "refusal": "stop_details"},
    "Error": {"category": "error/type", "type": "error/type", "message": "error/message", "code": "stop_reason"},
    **wire_paths(*DECLARED),
}
