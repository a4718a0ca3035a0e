"""Settings that a provider's error names as ones that the model does not take (CAP-5).

Rule 1: one table of phrases, each with the server that uses it. Rule 2: only settings are given up, by the rules of the
target's table: never content, tools or a limit of tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Settings = Mapping[str, Any]

MEMBERS: tuple[tuple[str, Settings], ...] = (
    ("temperature top_p topP top_k topK", {"sampling": False}),
    ("stop stop_sequences stopSequences", {"stop_sequences": False}),
    ("presence_penalty frequency_penalty logit_bias presencePenalty frequencyPenalty", {"penalties": False}),
    ("logprobs top_logprobs responseLogprobs", {"logprobs": False}),
    ("tool_choice function_calling_config", {"forced_choice": False}),
    ("reasoning_effort reasoning reasoning.effort thinking", {"thinking": False}),
    ("effort output_config.effort thinking_level", {"effort": False}),
    ("output_config", {"effort": False, "structured_output": False}),
    ("output_config.format", {"structured_output": False}),
    ("speed", {"fast_mode": False}),
    (
        "compaction container context_management defer_loading diagnostics fallbacks input_examples scope",
        {"betas": False},
    ),
    (
        "store metadata service_tier verbosity prompt_cache_key safety_identifier moderation",
        {"openai_settings": False},
    ),
    ("max_completion_tokens", {"max_completion_tokens": False}),
    ("max_tokens", {"max_completion_tokens": True}),  # the limit under its other name
    ("parallel_tool_calls", {"parallel_tools": False}),
    ("prompt_cache_breakpoint prompt_cache_options", {"cache_breakpoints": False}),
    ("reasoning_content", {"reasoning_content": False}),
    ("response_format", {"json_schema": False}),
    ("seed", {"seed": False}),
    ("stream_options", {"stream_options": False}),
    ("strict", {"strict_tools": False}),
)
OF_MEMBER = {name: settings for names, settings in MEMBERS for name in names.split()}
"""The settings by the name of the member in an error."""


class Phrase(NamedTuple):
    """Words of an error, and the settings without the feature; a function gets the match, and may return None."""

    pattern: re.Pattern[str]
    settings: Settings | Callable[[re.Match[str]], Settings | None]
    source: str


def _phrase(pattern: str, settings: Settings | Callable[[re.Match[str]], Settings | None], source: str) -> Phrase:
    return Phrase(re.compile(pattern, re.IGNORECASE), settings, source)


def _member(found: re.Match[str]) -> Settings | None:
    """Return the settings without the member that an error names, by its path or the end of it."""
    path = re.sub(r"\[\d+\]|\.\d+(?=\.|$)", "", found["name"])
    return OF_MEMBER.get(path) or OF_MEMBER.get(path.rpartition(".")[2])


EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max")


def _effort(found: re.Match[str]) -> Settings | None:
    """Return the settings for the efforts that an error lists."""
    listed = [word for word in EFFORTS if re.search(rf"\b{word}\b", found["listed"])]
    if not listed:
        return {"thinking": False}
    settings: dict[str, Any] = {"xhigh_effort": "xhigh" in listed}
    if listed[0] in EFFORTS[:4]:
        settings["least_effort"] = listed[0]
    if listed[-1] in EFFORTS[2:]:
        settings["highest_effort"] = listed[-1]
    return {**settings, "thinking_off": "none" in found["listed"]}


NAME = r"[`'\"]?(?P<name>[A-Za-z_]\w*(?:(?:\.|\[\d+\])\w*)*)[`'\"]?"

PHRASES = (
    # --- one combination or mode of settings
    _phrase(
        r"`?temperature`? and `?top_p`? cannot (?:both be specified|be used together)",
        {"temperature_with_top_p": False},
        "Anthropic, models since Claude 4.1",
    ),
    _phrase(r"thinking level is not supported for this model", {"effort": False}, "Gemini API, Gemini 2.5"),
    _phrase(r"budget 0 is invalid\. this model only works in thinking mode", {"thinking_off": False}, "Gemini API"),
    _phrase(r"adaptive thinking is not supported", {"adaptive_thinking": False}, "Anthropic, models before Claude 4.6"),
    _phrase(r"thinking\.type\.enabled\W+ is not supported", {"thinking_budgets": False}, "Anthropic, Claude 4.7"),
    _phrase(r"thinking\.type\.disabled\W+ is not supported", {"thinking_off": False}, "Anthropic, Claude 5.5"),
    _phrase(
        r"effort\W.*supported (?:values|levels) are:? ?(?P<listed>.*)|effort level .*supported levels: (?P<levels>.*)",
        lambda found: _effort(found) if found["listed"] else {"xhigh_effort": False},
        "OpenAI, both protocols; Anthropic: This model does not support effort level 'xhigh'. Supported levels: …",
    ),
    _phrase(r"does not support assistant message prefill", {"prefill": False}, "Anthropic, models since Claude 4.6"),
    _phrase(
        r"role '?system'? is not supported on this model|system message must be at the (?:beginning|first)",
        {"system_in_place": False},
        "Anthropic, models before Claude 4.8; vLLM and Ollama, templates of Qwen",
    ),
    _phrase(
        r"role\W+ does not support 'developer'|unknown variant `developer`",
        {"developer_role": False},
        "OpenAI, o1-mini; DeepSeek",
    ),
    _phrase(
        r"function tools with reasoning_effort are not supported",
        {"tools_with_thinking": False},
        "OpenAI, Chat Completions of GPT-5.6",
    ),
    _phrase(
        r"tool_choice .*(?:forces tool use|not (?:supported|compatible))|forced tool (?:use|choice) is not supported"
        r"|function calling config .* is not supported",
        {"forced_choice": False},
        "Anthropic, Claude 5.5; Gemini API",
    ),
    _phrase(
        r"function calling with a response mime type: 'application/json' is unsupported"
        r"|json mode cannot be combined with tool",
        {"json_with_tools": False},
        "Gemini API, Gemini 2.5; Groq",
    ),
    _phrase(r"tool use with function calling is unsupported", {"mixed_tools": False}, "Gemini API, Gemini 2.5"),
    _phrase(r"multimodal function responses? (?:is|are) not supported", {"media_in_results": False}, "Gemini API"),
    _phrase(r"missing a thought_signature in functioncall", {"dummy_signatures": True}, "Gemini API, Gemini 3"),
    _phrase(
        r"reasoning_content.*must be passed back|reasoning_content is missing in assistant tool call",
        {"unreasoned_calls": False},
        "DeepSeek; Moonshot, Kimi K2 Thinking",
    ),
    _phrase(r"this response_format type is unavailable now", {"json_schema": False}, "DeepSeek"),
    _phrase(r"logprobs (?:is|are) not (?:enabled|supported)", {"logprobs": False}, "Gemini API; OpenAI"),
    _phrase(r"penalty is not enabled for", {"penalties": False}, "Gemini API, since Gemini 2.5"),
    _phrase(
        r"invalid beta flag|unexpected value\(s\) .* for the `anthropic-beta` header",
        {"betas": False},
        "Claude on Bedrock; on Vertex AI",
    ),
    _phrase(
        r"too many strict tools|compiled grammar is too large|schema is too complex for compilation",
        {"strict_tools": False},
        "Anthropic, also on Bedrock: limits on the strict schemas of a request",
    ),
    # --- one member, by its name
    _phrase(rf"unsupported (?:parameter|value): {NAME}", _member, "OpenAI, both protocols; Azure"),
    _phrase(rf"unrecognized request arguments? supplied: {NAME}", _member, "OpenAI, Azure"),
    _phrase(rf"property {NAME} is unsupported", _member, "Groq, Cerebras"),
    _phrase(rf"{NAME}: extra inputs are not permitted", _member, "Anthropic, Mistral, vLLM"),
    _phrase(rf"unknown (?:parameter|field|name):? {NAME}", _member, "OpenAI, Gemini API"),
    _phrase(rf"argument not supported on this model: {NAME}", _member, "xAI"),
    _phrase(rf"does not support (?:the )?(?:parameter )?{NAME}(?: parameter)?\b", _member, "xAI, Cerebras, OpenRouter"),
    _phrase(
        rf"{NAME} is (?:deprecated|not supported)(?: for| on| with| by)? this model", _member, "Anthropic, Moonshot"
    ),
)


def without(message: str, known: Mapping[str, Any]) -> Settings | None:
    """Return the settings that an error's message shows; None if it shows none that can be given up.

    known  the settings of the target's protocol
    """
    for phrase in PHRASES:
        found = phrase.pattern.search(message)
        if found is not None:
            settings = phrase.settings(found) if callable(phrase.settings) else phrase.settings
            fitting = {name: value for name, value in (settings or {}).items() if _fits(name, value, known)}
            if fitting:
                return fitting
    return None


def _fits(name: str, value: Any, known: Mapping[str, Any]) -> bool:
    return name in known and (not known[name].choices or value in known[name].choices)
