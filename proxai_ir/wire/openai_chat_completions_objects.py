"""The dense objects of OpenAI Chat Completions, each declared once for its reader, its writer, and what is reported."""

from __future__ import annotations

from typing import Any

from .. import ir
from ..ir.usage import PARTITION, Usage
from . import ENVELOPE
from . import openai_chat_completions_values as rules
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
WEB_SEARCH_OPTIONS = WireObject(
    f"{NAME} web search options",
    ir.WebSearchTool,
    {
        "search_context_size": string("context_size"),
        "user_location": {"type": constant("approximate"), "approximate": required(node("location", LOCATION))},
    },
    {"kind": NAME},
)

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
    "cache_control": vendor(rules.marker),
}
CONTENT = TaggedUnion(
    f"{NAME} content part",
    "type",
    {
        "text": WireObject(f"{NAME} text", ir.Text, {"text": required(string("text")), **MARKS}),
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
    CUSTOM_TOOL,
    FLAT_CUSTOM,
    CHOICES,
    *FLAT_CHOICES.values(),
    FORMATS,
    OLDER_SCHEMA,
)
"""Those whose IR fields have a path of their own each."""
