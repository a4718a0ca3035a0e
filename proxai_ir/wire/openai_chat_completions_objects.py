"""The dense objects of OpenAI Chat Completions and of its dialects, and the rules that depend on a member's value.

An object is declared once for its reader, its writer, and the rules that report its loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import ir
from ..ir.node import ByObject, finds
from ..ir.request import Effort, ThinkingMode
from ..ir.response import PARTITION, Usage
from . import ENVELOPE, filled, unless
from .objects import (
    Members,
    TaggedUnion,
    WireObject,
    boolean,
    by_hand,
    constant,
    entry,
    integer,
    mapping,
    node,
    number,
    other_name,
    required,
    string,
    strings,
    total,
    vendor,
)
from .openai import ANY_TOOL

# --- openai chat completions values -----------------------------------------------------------------------------------
# The rule under which a member of Chat Completions is reported, where that depends on the member's value.
#
# Each function gets the value and returns the rule, "" where the value is carried, or repeats what the IR holds.


ON_DEMAND = "on_demand"  # Groq's word for the standard tier
SUMMARIES = ("auto", "concise", "detailed")
THINKING_TYPES = {
    "enabled": ThinkingMode.ADAPTIVE,
    "adaptive": ThinkingMode.ADAPTIVE,
    "auto": ThinkingMode.ADAPTIVE,
    "disabled": ThinkingMode.DISABLED,
}


def one_of(*words: Any) -> Callable[[Any], str]:
    return lambda value: "" if isinstance(value, (str, bool)) and value in words else "UNK-4"


def count(value: Any) -> str:
    return "" if type(value) is int else "UNK-4"


# --- of requests ------------------------------------------------------------------------------------------------------

_CHOICES = {ANY_TOOL: "", "none": "TUL-15", "auto": "TUL-15", "required": "TUL-11"}


def choice(value: Any) -> str:
    """Return the rule of a tool choice that is kept: one without tools, or an unknown one."""
    return _CHOICES.get(value, "UNK-4") if isinstance(value, str) else "UNK-4"


def legacy_choice(value: Any) -> str:
    """Return the rule of a legacy choice, dropped because a current one stands beside it or because it is unknown."""
    return "TUL-7" if value in ("none", "auto") or isinstance(value, dict) else "UNK-4"


HOSTS = frozenset(
    """
    order only ignore allow_fallbacks require_parameters sort max_price preferred_max_latency preferred_min_throughput
    """.split()
)
"""How OpenRouter chooses the host of a model."""


@finds("ENV-7", "SVC-3")
def routing(value: Any) -> str:
    """Return the rule of OpenRouter's choice among hosts; only what it says about stored data matters elsewhere."""
    return "ENV-7" if isinstance(value, dict) and value.keys() <= HOSTS else "SVC-3"


def _summary(value: Any) -> str:
    return "" if value == "auto" else "SMP-6" if value == "detailed" else "RSN-2" if value in SUMMARIES else "UNK-4"


effort = one_of("none", *(effort.value for effort in Effort))
_on_off = one_of(True, False)
_past_thinking = unless(False, "CTX-1")  # whether thinking of earlier turns is left out of the prompt
REASONING_PROMPT = "reasoning"  # of `prompt_mode`
SWITCHES = {0: False, -1: True}  # budgets of Google's
THINKING: dict[str, Any] = {
    "thinking": {
        "type": one_of(*THINKING_TYPES),
        "budget_tokens": count,
        "clear_thinking": _past_thinking,
        "keep": unless("all", "CTX-1"),
    },
    "reasoning": {
        "effort": effort,
        "max_tokens": count,
        "enabled": _on_off,
        "exclude": _on_off,
        "summary": _summary,
    },
    "enable_thinking": _on_off,
    "thinking_budget": count,
    "chat_template_kwargs": {"enable_thinking": _on_off, "thinking": _on_off},
    "include_reasoning": _on_off,
    "reasoning_format": lambda value: (
        {"hidden": "", "parsed": "SMP-6"}.get(value, "RSN-2") if isinstance(value, str) else "RSN-2"
    ),
    "prompt_mode": one_of(REASONING_PROMPT),  # Mistral
    "clear_thinking": _past_thinking,
    "preserve_thinking": unless(True, "CTX-1"),
    "extra_body": {
        "google": {
            "thinking_config": {
                "thinking_budget": count,
                "thinking_level": lambda value: effort(value.lower()) if isinstance(value, str) else "UNK-4",
                "include_thoughts": _on_off,
            }
        }
    },
}
"""Members that control thinking in dialects; all are kept for their own protocol, those that were read as well."""
CONTRADICTIONS = {key: {"*": "RSN-6"} if isinstance(rule, dict) else "RSN-6" for key, rule in THINKING.items()}
"""The rules of these members where they contradict an earlier one."""


def marker(value: Any) -> str:
    """Return the rule of an official cache marker on a part; a marker of another form is unknown."""
    return "CAC-4" if isinstance(value, dict) and value.get("type") == "ephemeral" else "UNK-1"


# --- of messages ------------------------------------------------------------------------------------------------------


def thought(value: Any) -> str:
    """Return the rule of thinking that is kept; empty thinking has no meaning."""
    return "ENV-7" if value == "" else "UNK-1"


def content(value: Any) -> str:
    """Return the rule of a delta's content that is kept: an object, an empty text, or unknown parts."""
    if isinstance(value, dict):
        return "OUT-9"
    kinds = [one.get("type") if isinstance(one, dict) else None for one in value] if isinstance(value, list) else []
    if kinds and all(kind == "text" or kind in REFERENCES for kind in kinds):
        return "CIT-1"
    return "UNK-2" if value else "ENV-7"


def pieces(value: Any) -> str:
    """Return the rule of the pieces of a thinking part; texts are joined, and references to sources left out."""
    kinds = [one.get("type") if isinstance(one, dict) else None for one in value] if isinstance(value, list) else [None]
    if not all(kind == "text" or kind in REFERENCES for kind in kinds):
        return "UNK-2"
    if any(kind in REFERENCES for kind in kinds):
        return "CIT-1"
    return "" if all(one.keys() <= {"type", "text"} for one in value) else "UNK-1"


REFERENCES = ("reference", "tool_reference")
"""The types of Mistral's pieces that name the sources of others."""


# The types of `reasoning_details`, and the member that has the reasoning.
DETAILS = {"reasoning.text": "text", "reasoning.summary": "summary", "reasoning.encrypted": "data"}
ANTHROPIC = "anthropic"
# By format: who made a seal, and the kinds of a signature of text and of reasoning that is sealed as a whole.
MAKERS = {"anthropic-claude-v1": (ANTHROPIC, "signature", "redacted")}
_STRINGS = ("type", "text", "summary", "data", "signature", "format", "id")


def readable(detail: dict[str, Any]) -> bool:
    """Return whether a detail of the reasoning has its documented form."""
    strings = all(isinstance(detail.get(key), (str, type(None))) for key in _STRINGS)
    return strings and (detail.get("type") != "reasoning.encrypted" or bool(detail.get("data")))


def details(value: Any) -> str:
    """Return the rule of `reasoning_details`; the reasoning is converted, its labels are not."""
    if not isinstance(value, list):
        return "UNK-1"
    known = all(isinstance(one, dict) and readable(one) and one.get("type") in DETAILS for one in value)
    return "RSN-15" if known else "UNK-1"


# LiteLLM's blocks, which are Anthropic's: the member of each type that has its text or data.
BLOCKS = {"thinking": "thinking", "redacted_thinking": "data"}


def readable_block(block: Any) -> bool:
    member = BLOCKS.get(block.get("type") or "") if isinstance(block, dict) else None
    if member is None or set(block) - {"type", member, "signature"}:
        return False
    strings = isinstance(block.get(member), (str, type(None))) and isinstance(block.get("signature"), (str, type(None)))
    return strings and (member == "thinking" or bool(block.get(member)))


def blocks(value: Any) -> str:
    known = isinstance(value, list) and all(map(readable_block, value))
    return "RSN-15" if known else "UNK-1"


PROVIDER_FIELDS = "provider_specific_fields"  # LiteLLM's, of calls and of messages
SIGNATURE = "thought_signature"
SIGNATURES = "thought_signatures"  # of a message: those of all its parts
_COPIED = ("thinking_blocks", "reasoning_content")


def own_signatures(fields: dict[str, Any], message: Mapping[str, Any]) -> list[str]:
    """Return those of a message's signatures that neither its calls nor its blocks of thinking have; none if it has
    something else in their place."""
    listed: Any = fields.get(SIGNATURES)
    if not _are_texts(listed):
        return []
    elsewhere = {SIGNATURE: [_fields(call) for call in _objects_in(message, "tool_calls")]}
    elsewhere["signature"] = _objects_in(message, "thinking_blocks")
    repeated = [holder.get(name) for name, holders in elsewhere.items() for holder in holders]
    return [one for one in listed if one not in repeated]


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one for one in value)


def _objects_in(holder: Mapping[str, Any], member: str) -> list[dict[str, Any]]:
    listed = holder.get(member)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _fields(call: dict[str, Any]) -> dict[str, Any]:
    fields = call.get(PROVIDER_FIELDS)
    return fields if isinstance(fields, dict) else {}


def _repeated(value: Any, message: Mapping[str, Any]) -> str:
    """Return the rule of LiteLLM's copies of members that stand in the message itself."""
    if not isinstance(value, dict):
        return "UNK-1"
    others = {key: one for key, one in value.items() if one and key not in _COPIED}
    if others.keys() == {SIGNATURES} and _are_texts(others[SIGNATURES]):
        return "RSN-4" if own_signatures(others, message) else "ENV-7"
    return "UNK-1" if others else "ENV-7"


REPEATED = finds("ENV-7", "RSN-4", "UNK-1")(ByObject(_repeated))


def opaque(value: Any) -> str:
    """Return the rule of Copilot's reasoning, which is sealed as a whole."""
    return ("RSN-15" if value else "ENV-7") if isinstance(value, str) else "UNK-1"


def filler(value: Any) -> str:
    """Return the rule of members that some servers fill with empty values."""
    return "ENV-7" if isinstance(value, dict) and not any(value.values()) else "UNK-1"


# --- of errors --------------------------------------------------------------------------------------------------------

_CONTENT = ("message", "delta")


def unfinished(choices: Any) -> str:
    """Return the rule of `choices` beside an error: without content, nothing is lost."""
    for choice in choices if isinstance(choices, list) else ():
        for member in _CONTENT if isinstance(choice, dict) else ():
            content = choice.get(member)
            if isinstance(content, dict) and any(value for key, value in content.items() if key != "role"):
                return "ERR-2"
    return "ENV-1"


# --- openai chat completions objects ----------------------------------------------------------------------------------


NAME = "openai_chat_completions"

# `prompt_cache_hit_tokens` and what follows: how DeepSeek, Mistral and Moonshot report cached tokens of the prompt.
USAGE = WireObject(
    f"{NAME} usage",
    Usage,
    {
        "prompt_tokens": total("input", "cache_read", "cache_write", default=0),
        "completion_tokens": total("output", "reasoning", default=0),
        "total_tokens": integer("total", sum_of=PARTITION),
        "prompt_tokens_details": {
            "cached_tokens": integer("cache_read"),
            "cache_write_tokens": integer("cache_write"),
            "cache_creation_tokens": other_name("cache_write", "USE-6"),
            "cached_creation_tokens": other_name("cache_write", "USE-6"),
            "cache_creation_input_tokens": other_name("cache_write", "USE-6"),  # Qwen
            "text_tokens": entry("details", "input.text"),
            "audio_tokens": entry("details", "input.audio"),
            "image_tokens": entry("details", "input.image"),
        },
        "completion_tokens_details": {
            "reasoning_tokens": integer("reasoning"),
            "thinking_tokens": other_name("reasoning", "USE-6"),
            "text_tokens": entry("details", "output.text"),
            "audio_tokens": entry("details", "output.audio"),
            "accepted_prediction_tokens": entry("details", "output.accepted_prediction"),
            "rejected_prediction_tokens": entry("details", "output.rejected_prediction"),
        },
        "input_tokens": other_name("input", "USE-6"),
        "output_tokens": other_name("output", "USE-6"),
        "thinking_tokens": other_name("reasoning", "USE-6"),
        "reasoning_tokens": other_name("reasoning", "USE-6"),
        "cache_creation_tokens": other_name("cache_write", "USE-6"),
        "cached_creation_tokens": other_name("cache_write", "USE-6"),
        "prompt_cache_hit_tokens": other_name("cache_read", "USE-6"),
        "num_cached_tokens": other_name("cache_read", "USE-6"),
        "cached_tokens": other_name("cache_read", "USE-6"),
        "prompt_cache_miss_tokens": vendor("USE-6"),
        "input_tokens_details": {"cached_tokens": other_name("cache_read", "USE-6")},
        "output_tokens_details": {"reasoning_tokens": other_name("reasoning", "USE-6")},
    },
    others=ENVELOPE,
)

_FUNCTION: Members = {
    "name": required(string("name")),
    "description": string("description"),
    "parameters": mapping("parameters"),
    "strict": boolean("strict"),
}
FUNCTION_TOOL = WireObject(
    f"{NAME} function tool",
    ir.FunctionTool,
    {
        "type": constant("function"),
        "function": required(_FUNCTION),
        "cache_control": by_hand("", "cache"),
        "eager_input_streaming": vendor("TUL-28"),  # OpenRouter
    },
)
LEGACY_FUNCTION = WireObject(f"{NAME} legacy function", ir.FunctionTool, _FUNCTION)
# The same with their members where Responses has them, and as Anthropic has them: what Cursor sends.
FLAT_FUNCTION = WireObject(
    f"{NAME} flat function tool",
    ir.FunctionTool,
    {"type": constant("function"), **_FUNCTION, "cache_control": by_hand("", "cache")},
)
BLOCK_TOOL = WireObject(
    f"{NAME} function tool of Anthropic's",
    ir.FunctionTool,
    {
        "type": vendor(lambda value: "" if value in ("custom", "function") else "UNK-4"),
        "name": required(string("name")),
        "description": string("description"),
        "input_schema": required(mapping("parameters")),
        "cache_control": by_hand("", "cache"),
    },
)
LOCATION = WireObject(
    f"{NAME} location",
    ir.Location,
    {
        "city": string("city"),
        "region": string("region"),
        "country": string("country"),
        "timezone": string("timezone"),
    },
)
ROUTED_LOCATION = WireObject(
    f"{NAME} location for a router", ir.Location, {"type": constant("approximate"), **LOCATION.members}
)
WEB_SEARCH_OPTIONS = WireObject(
    f"{NAME} web search options",
    ir.WebSearchTool,
    {
        "search_context_size": string("context_size"),
        "user_location": {"type": constant("approximate"), "approximate": required(node("location", LOCATION))},
    },
    {"kind": NAME},
)
ROUTED_SEARCH = "openrouter:web_search"
"""The type of OpenRouter's web search, which is one of the tools."""
ROUTED_WEB_SEARCH = WireObject(
    f"{NAME} web search of a router",
    ir.WebSearchTool,
    {
        "type": required(string("kind")),
        "parameters": {
            "search_context_size": string("context_size"),
            "allowed_domains": strings("allowed_domains"),
            "excluded_domains": strings("blocked_domains"),
            "max_uses": integer("max_uses"),
            "user_location": node("location", ROUTED_LOCATION),
            **dict.fromkeys(("engine", "max_results", "max_total_results", "max_characters"), vendor("TUL-9")),
        },
    },
)

LIVE_SOURCE = WireObject(
    f"{NAME} source of a live search",
    ir.WebSearchTool,
    {
        "type": constant("web"),
        "allowed_websites": strings("allowed_domains"),
        "excluded_websites": strings("blocked_domains"),
        "country": by_hand("str", "location"),
        "safe_search": vendor("TUL-9"),
    },
    {"kind": NAME},
)
"""The web among the sources of xAI's live search."""

# --- custom tools, and the choice of a tool ---------------------------------------------------------------------------

INPUT_FORMATS = TaggedUnion(
    f"{NAME} input format",
    "type",
    {
        "text": WireObject(f"{NAME} free text", ir.FreeText, {}),
        "grammar": WireObject(
            f"{NAME} grammar",
            ir.Grammar,
            {"grammar": required({"syntax": required(string("syntax")), "definition": required(string("definition"))})},
        ),
    },
)
CUSTOM_TOOL = WireObject(
    f"{NAME} custom tool",
    ir.CustomTool,
    {
        "type": constant("custom"),
        "custom": required(
            {
                "name": required(string("name")),
                "description": string("description"),
                "format": node("format", INPUT_FORMATS),
            }
        ),
    },
)
FLAT_FORMATS = TaggedUnion(
    f"{NAME} flat input format",
    "type",
    {
        "grammar": WireObject(
            f"{NAME} flat grammar", ir.Grammar, {key: required(string(key)) for key in ("syntax", "definition")}
        )
    },
)
FLAT_CUSTOM = WireObject(
    f"{NAME} flat custom tool",
    ir.CustomTool,
    {
        "type": constant("custom"),
        "name": required(string("name")),
        "description": string("description"),
        "format": node("format", FLAT_FORMATS),
    },
)


def _named(kind: str, cls: type) -> WireObject:
    return WireObject(f"{NAME} {kind} choice", cls, {kind: required({"name": required(string("name"))})})


CHOICES = TaggedUnion(
    f"{NAME} tool choice",
    "type",
    {
        "function": _named("function", ir.NamedChoice),
        "custom": _named("custom", ir.CustomChoice),
        "allowed_tools": None,
    },
    default="function",
)

FLAT_CHOICES = {
    kind: WireObject(f"{NAME} flat {kind} choice", cls, {"type": constant(kind), "name": required(string("name"))})
    for kind, cls in (("function", ir.NamedChoice), ("custom", ir.CustomChoice))
}

# --- settings, and the format of the output ---------------------------------------------------------------------------

SAMPLING = WireObject(
    f"{NAME} sampling",
    ir.Sampling,
    {
        "temperature": number("temperature"),
        "top_p": number("top_p"),
        "top_k": integer("top_k"),
        "stop": strings("stop"),
        "seed": integer("seed"),
        "frequency_penalty": number("frequency_penalty"),
        "presence_penalty": number("presence_penalty"),
        "logit_bias": mapping("logit_bias"),
        "n": integer("candidates"),
        "logprobs": boolean("logprobs"),
        "top_logprobs": integer("top_logprobs"),
    },
)
FORMATS = TaggedUnion(
    f"{NAME} response format",
    "type",
    {
        "text": WireObject(f"{NAME} plain format", ir.PlainFormat, {}),
        "json_object": WireObject(f"{NAME} JSON format", ir.JsonFormat, {}),
        "json_schema": WireObject(
            f"{NAME} schema format",
            ir.SchemaFormat,
            {
                "json_schema": required(
                    {
                        "name": string("name"),
                        "description": string("description"),
                        "schema": mapping("schema"),
                        "strict": boolean("strict"),
                    }
                )
            },
        ),
    },
)
OLDER_SCHEMA = WireObject(
    f"{NAME} schema of json_object",
    ir.SchemaFormat,
    {"type": constant("json_object"), "schema": required(mapping("schema"))},
)

# --- content parts ----------------------------------------------------------------------------------------------------

# A part's cache marker; that of routers counts where the official one is missing.
MARKS: dict[str, Any] = {
    "prompt_cache_breakpoint": by_hand("", "cache", rule={"ttl": "UNK-4"}),
    "cache_control": vendor(marker),
}
CONTENT = TaggedUnion(
    f"{NAME} content part",
    "type",
    {
        "text": WireObject(
            f"{NAME} text",
            ir.Text,
            {
                "text": required(string("text")),
                **MARKS,
                "annotations": vendor(filled("CIT-1")),  # of a text as Responses has it
                "logprobs": vendor(filled("SMP-7")),
            },
        ),
        "refusal": WireObject(f"{NAME} refusal", ir.Refusal, {"refusal": required(string("text"))}),
        "image_url": WireObject(
            f"{NAME} image",
            ir.Image,
            {"image_url": required({"url": required(by_hand("str", "source")), "detail": string("detail")}), **MARKS},
        ),
        "input_audio": WireObject(
            f"{NAME} audio",
            ir.Audio,
            {
                "input_audio": required(
                    {"data": required(by_hand("str", "source")), "format": required(by_hand("str"))}
                ),
                **MARKS,
            },
        ),
        "video_url": WireObject(
            f"{NAME} video", ir.Video, {"video_url": required({"url": required(by_hand("str", "source"))})}
        ),
        "audio_url": WireObject(
            f"{NAME} address of sound",
            ir.Audio,
            {"audio_url": required({"url": required(by_hand("str", "source"))})},
        ),
        "file": WireObject(
            f"{NAME} file",
            ir.Document,
            {
                "file": required(
                    {
                        "file_data": by_hand("str", "source"),
                        "file_id": by_hand("str"),
                        "filename": string("title"),
                    }
                ),
                **MARKS,
            },
        ),
        "document_url": WireObject(  # Mistral
            f"{NAME} address of a document",
            ir.Document,
            {
                "type": vendor("DOC-5"),
                "document_url": required(by_hand("str", "source")),
                "document_name": string("title"),
            },
        ),
        "file_url": WireObject(  # Perplexity, GLM
            f"{NAME} address of a file",
            ir.Document,
            {
                "type": vendor("DOC-5"),
                "file_url": required({"url": required(by_hand("str", "source"))}),
                "file_name": string("title"),
            },
        ),
        "thinking": None,  # of pieces (Mistral)
        "reference": None,  # to sources of the text before it (Mistral)
        "reasoning": None,  # of summaries (Databricks)
    },
)
GENERATED = WireObject(  # of `images`, where routers and gateways have what a model drew
    f"{NAME} generated image",
    ir.Image,
    {
        "type": constant("image_url"),
        "image_url": required({"url": required(by_hand("str", "source")), "detail": string("detail")}),
        "index": vendor("ENV-1"),
    },
)
SPOKEN = WireObject(
    f"{NAME} spoken response",
    ir.Audio,
    {
        "id": required(string("id")),
        "data": required(by_hand("str", "source")),
        "expires_at": integer("expires_at"),
        "transcript": string("transcript"),
    },
)
CITATION = WireObject(
    f"{NAME} citation",
    ir.UrlCitation,
    {
        "type": constant("url_citation"),
        "url_citation": required(
            {
                "url": required(string("url")),
                "title": string("title"),
                "start_index": integer("start"),
                "end_index": integer("end"),
                "content": vendor("CIT-2"),  # OpenRouter
            }
        ),
    },
)
ALL: tuple[WireObject | TaggedUnion, ...] = (
    USAGE,
    FUNCTION_TOOL,
    LEGACY_FUNCTION,
    FLAT_FUNCTION,
    BLOCK_TOOL,
    WEB_SEARCH_OPTIONS,
    ROUTED_WEB_SEARCH,
    LIVE_SOURCE,
    CUSTOM_TOOL,
    FLAT_CUSTOM,
    CHOICES,
    *FLAT_CHOICES.values(),
    FORMATS,
    OLDER_SCHEMA,
)
"""The objects whose members give IR fields their paths."""
