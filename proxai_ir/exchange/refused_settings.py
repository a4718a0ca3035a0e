"""Settings that a provider's error names as ones that the model does not take (CAP-5, CAP-9).

Rule 1: one table of phrases, each with the server that uses it. Rule 2: only settings are given up, by the rules of the
target's table: never content, tools or a limit of tokens. Rule 3: what an error may mean is a guess; whoever asks tries
which of the settings the request has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Settings = Mapping[str, Any]
Known = Mapping[str, Any]

# --- members ----------------------------------------------------------------------------------------------------------
# The members of requests in all protocols, as errors name them, with the settings without them. A name is the end of a
# path. Of several rows with one name that counts whose setting the protocol has; the settings of one row are separate.

MEMBERS: tuple[tuple[str, *tuple[Settings, ...]], ...] = (
    ("temperature top_p topP top_k topK p k", {"sampling": False}),
    ("stop stop_sequences stopSequences", {"stop_sequences": False}),
    ("presence_penalty frequency_penalty logit_bias presencePenalty frequencyPenalty", {"penalties": False}),
    ("logprobs top_logprobs responseLogprobs", {"logprobs": False}),
    ("seed", {"seed": False}),
    # --- tools
    ("tool_choice toolChoice", {"forced_choice": False}, {"tool_choice": False}),
    ("toolChoice.auto", {"tool_choice": False}),
    ("toolChoice.any toolChoice.tool", {"forced_choice": False}),
    ("function_calling_config functionCallingConfig", {"forced_choice": False}),
    ("parallel_tool_calls disable_parallel_tool_use", {"parallel_tools": False}),
    ("namespace", {"openai_tools": False}),  # of a call in the history
    ("strict strict_tools", {"strict_tools": False}),
    ("function_response.id function_call.id", {"call_ids": False}),
    ("function_response.parts", {"media_in_results": False}),
    # --- thinking
    ("reasoning_effort reasoning reasoning.effort thinking", {"thinking": False}),
    ("reasoning_config reasoningConfig thinking_config thinkingConfig think", {"thinking": False}),
    ("effort output_config.effort thinking_level thinkingLevel", {"effort": False}),
    ("thinking_level", {"thinking": False}),
    ("budget_tokens thinking_budget thinkingBudget token_budget", {"thinking_budgets": False}),
    ("reasoning_content", {"reasoning_content": False}),
    ("include", {"encrypted_reasoning": False}, {"search_sources": False}),
    # --- the output
    ("output_config", {"effort": False}, {"structured_output": False}),
    ("output_config.format outputConfig textFormat responseSchema", {"structured_output": False}),
    ("response_format.type response_format.json_schema json_schema", {"json_schema": False}),
    ("response_format", {"structured_output": False}),
    ("responseJsonSchema parametersJsonSchema", {"json_schemas": False}),
    ("max_completion_tokens", {"max_completion_tokens": False}),
    ("max_tokens", {"max_completion_tokens": True}),  # the limit under its other name
    ("stream_options", {"stream_options": False}),
    # --- service
    ("speed", {"fast_mode": False}),
    ("performanceConfig", {"optimized_latency": False}),
    ("cache_control", {"automatic_caching": False}),
    ("prompt_cache_breakpoint prompt_cache_options", {"cache_breakpoints": False}),
    (
        """
        anthropic_beta betas block_binding clear_at compaction container context_management defer_loading diagnostics
        fallbacks input_examples scope task_budget thread user_profile_id
        """,
        {"betas": False},
    ),
    (
        "store metadata service_tier verbosity prompt_cache_key safety_identifier moderation",
        {"openai_settings": False},
    ),
    ("prompt_cache_retention", {"cache_retention": False}),
    ("store", {"store": False}),
    ("service_tier serviceTier", {"service_tiers": False}),
    ("metadata metadata.user_id user", {"end_users": False}),
    ("labels", {"labels": False}),
    ("mediaResolution media_resolution", {"media_resolution": False}),
    ("displayName display_name", {"display_names": False}),
    ("enterpriseWebSearch enterprise_web_search", {"enterprise_search": False}),
    ("excludeDomains exclude_domains", {"excluded_domains": False}),
)
OF_MEMBER: dict[str, list[tuple[Settings, ...]]] = {}
"""The rows by the name of the member in an error."""
for _names, *_settings in MEMBERS:
    for _name in _names.split():
        OF_MEMBER.setdefault(_name, []).append(tuple(_settings))

OF_SCHEMAS = re.compile(r"(?:^|\.)(?:input_?schema|parameters|properties|schema|json)\.", re.IGNORECASE)
"""A path into a schema, whose members are of whoever wrote it, whatever they are called."""


def _of_path(path: str, known: Known) -> tuple[Settings, ...]:
    """Return the settings without the member at a path: of the longest end of it that is known."""
    parts = [part for part in re.sub(r"\[\d+\]", "", path).split(".") if part and not part.isdigit()]
    if OF_SCHEMAS.search(".".join(parts)):
        return ()
    rows = (row for at in range(len(parts)) for row in OF_MEMBER.get(".".join(parts[at:]), ()))
    return next((row for row in rows if any(_fits(*one, known) for each in row for one in each.items())), ())


def _fits(name: str, value: Any, known: Known) -> bool:
    return name in known and (not known[name].choices or value in known[name].choices)


# --- phrases ----------------------------------------------------------------------------------------------------------

Read = Callable[[re.Match[str], Known], Sequence[Settings]]


class Phrase(NamedTuple):
    """Words of an error, and the settings without the feature, each by itself; a function reads them from the match."""

    pattern: re.Pattern[str]
    settings: Settings | Read
    source: str


def _phrase(pattern: str, settings: Settings | Read, source: str) -> Phrase:
    return Phrase(re.compile(pattern, re.IGNORECASE), settings, source)


def _member(found: re.Match[str], known: Known) -> Sequence[Settings]:
    """Return the settings without the member that an error names, by its path or the end of it."""
    below = found.groupdict().get("below")
    return _of_path(f"{below}.{found['name']}" if below else found["name"], known)


def _members(found: re.Match[str], known: Known) -> Sequence[Settings]:
    """Return the settings without the members that an error lists."""
    return [one for path in re.findall(r"[A-Za-z_][\w.]*", found["listed"]) for one in _of_path(path, known)]


def _located(found: re.Match[str], known: Known) -> Sequence[Settings]:
    """Return the settings without the member whose place an error states as a list."""
    return _of_path(".".join(re.findall(r"[A-Za-z_]\w*", found["listed"])), known)


EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max")


def _efforts(found: re.Match[str], _: Known) -> Sequence[Settings]:
    """Return the settings for the efforts that an error lists."""
    listed = [word for word in EFFORTS if re.search(rf"\b{word}\b", found["listed"])]
    if not listed:
        return [{"thinking": False}]
    settings: dict[str, Any] = {"xhigh_effort": "xhigh" in listed}
    if listed[0] in EFFORTS[:4]:
        settings["least_effort"] = listed[0]
    if listed[-1] in EFFORTS[2:]:
        settings["highest_effort"] = listed[-1]
    return [{**settings, "thinking_off": "none" in found["listed"]}]


NAME = r"[`'\"]?(?P<name>[A-Za-z_]\w*(?:(?:\.|\[\d+\])\w*)*)[`'\"]?"
NOT = r"(?:is|are) (?:deprecated|unsupported|not (?:currently )?(?:supported|allowed|permitted))"
GITHUB = "https://github.com/"

GRAMMARS = (
    (r"too many strict tools", "Anthropic: Too many strict tools (25). …"),
    (r"too many optional parameters", f"Anthropic: … (87) … (limit: 24) ({GITHUB}elie222/inbox-zero/issues/2323)"),
    (
        r"too many parameters with union types",
        "Anthropic: https://platform.claude.com/docs/en/build-with-claude/structured-outputs",
    ),
    (r"compiled grammar is too large", f"Anthropic, Bedrock ({GITHUB}anthropics/anthropic-sdk-python/issues/1185)"),
    (r"schema is too complex for compilation", f"Anthropic ({GITHUB}genkit-ai/genkit/issues/5230)"),
)
"""Words about schemas that are enforced, of strict tools or of the output."""

RESTATED = frozenset({"openai_tools", "custom_tools"})
"""The settings without which a request says the same in another form."""
OTHER_FORMS = r"(?:custom|namespace|tool_search)"
FORMS = (
    (
        rf"tool type:? [`'\"]?{OTHER_FORMS}[`'\"]? (?:is )?not supported",
        f"vLLM, gpt-oss: tool type namespace not supported ({GITHUB}vllm-project/vllm/issues/49493)",
    ),
    (
        rf"unsupported (?:\w+ )?tool type:? [`'\"]?{OTHER_FORMS}",
        f"Unsupported Responses tool type: 'custom' ({GITHUB}Alishahryar1/free-claude-code/issues/859)",
    ),
    (r"'type' of tool must be 'function'", f"llama.cpp ({GITHUB}ggml-org/llama.cpp/issues/20156)"),
    (rf"'input': '{OTHER_FORMS}'", f"vLLM before namespaces ({GITHUB}vllm-project/vllm/issues/42475)"),
    (
        rf"tools\[\d+\]\.type: unknown variant `{OTHER_FORMS}`",
        f"xAI, of another type of tool: … expected `function` or … ({GITHUB}makecindy/cindy/issues/2927)",
    ),
)
"""Words about tools that are no functions, which are functions for servers without them (TUL-19, TUL-25)."""

PHRASES = (
    # --- one combination or mode of settings
    _phrase(
        r"`?temperature`? and `?top_p`? cannot (?:both be specified|be used together)",
        {"temperature_with_top_p": False},
        "Anthropic and Bedrock, models since Claude 4.1",
    ),
    _phrase(
        r"`?(?:temperature|top_p|top_k)`? (?:may only|must) be .{0,40}when thinking is enabled",
        {"sampling_with_thinking": False},
        f"Anthropic, Bedrock: temperature may only be set to 1 when … ({GITHUB}Aider-AI/aider/issues/3720)",
    ),
    _phrase(r"thinking level is not supported for this model", {"effort": False}, "Gemini API, Gemini 2.5"),
    _phrase(r"budget 0 is invalid\. this model only works in thinking mode", {"thinking_off": False}, "Gemini API"),
    _phrase(
        r"thinking can't be disabled for this model",
        {"thinking_off": False},
        f"Vertex AI, Gemini 2.5 Pro ({GITHUB}pydantic/pydantic-ai/issues/1967)",
    ),
    _phrase(r"adaptive thinking is not supported", {"adaptive_thinking": False}, "Anthropic, models before Claude 4.6"),
    _phrase(r"thinking\.type\.enabled\W+ is not supported", {"thinking_budgets": False}, "Anthropic, Claude 4.7"),
    _phrase(r"thinking\.type\.disabled\W+ is not supported", {"thinking_off": False}, "Anthropic, Claude 5.5"),
    _phrase(
        r"the provided reasoning config value is invalid",
        {"thinking": False},
        f"Bedrock, Nova Pro ({GITHUB}UKGovernmentBEIS/inspect_ai/issues/5301)",
    ),
    _phrase(r"think value .{0,20}is not supported for this model", {"efforts": False}, "Ollama, `server/routes.go`"),
    _phrase(
        r"effort\W.*supported (?:values|levels) are:? ?(?P<listed>.*)",
        _efforts,
        "OpenAI, both protocols",
    ),
    _phrase(
        r"effort level .*supported levels: ",
        {"xhigh_effort": False},
        "Anthropic: This model does not support effort level 'xhigh'. Supported levels: …",
    ),
    _phrase(
        r"does(?:n't| not) support tool use in streaming mode",
        {"stream_tools": False},
        f"Bedrock, Llama ({GITHUB}n8n-io/n8n/issues/14206)",
    ),
    _phrase(r"does(?:n't| not) support assistant message prefill", {"prefill": False}, "Anthropic, since Claude 4.6"),
    _phrase(
        r"role '?system'? is not supported on this model",
        {"system_in_place": False},
        "Anthropic, models before Claude 4.8",
    ),
    _phrase(
        r"system message must be at the (?:beginning|first)",
        {"system_in_place": False},
        "vLLM and Ollama, templates of Qwen",
    ),
    _phrase(r"role\W+ does not support 'developer'", {"developer_role": False}, "OpenAI, o1-mini"),
    _phrase(r"unknown variant `developer`", {"developer_role": False}, "DeepSeek"),
    _phrase(
        r"function tools with reasoning_effort are not supported",
        {"tools_with_thinking": False},
        "OpenAI, Chat Completions of GPT-5.6",
    ),
    _phrase(
        r"thinking may not be enabled when tool_choice forces",
        {"forced_with_thinking": False},
        f"Anthropic, Bedrock: … when tool_choice forces tool use. ({GITHUB}can1357/oh-my-pi/issues/341)",
    ),
    _phrase(
        r"tool_choice\W.*does not support being set to required or object in thinking mode",
        {"forced_with_thinking": False},
        f"Alibaba, Qwen 3.5 and later ({GITHUB}cloudwego/eino/issues/994)",
    ),
    _phrase(
        r"thinking mode does not support this tool_choice",
        {"forced_with_thinking": False},
        f"DeepSeek V4 ({GITHUB}XiaomiMiMo/MiMo-Code/issues/2068)",
    ),
    _phrase(
        r"tool_choice\W.*does(?:n't| not) support \W?(?:required|any|function)",
        {"forced_choice": False},
        "OpenAI: Unsupported value: 'tool_choice' does not support 'required' with this model.",
    ),
    _phrase(
        r"tool_choice\W.*(?:forces tool use|not (?:supported|compatible))|forced tool (?:use|choice) is not supported",
        {"forced_choice": False},
        'Anthropic, Bedrock, Claude 5.5: tool_choice: type "tool" and "any" are not supported for this model.',
    ),
    _phrase(r"function calling config .* is not supported", {"forced_choice": False}, "Gemini API"),
    _phrase(
        r"function calling with a response mime type: 'application/json' is unsupported",
        {"json_with_tools": False},
        "Gemini API, Gemini 2.5",
    ),
    _phrase(r"json mode cannot be combined with tool", {"json_with_tools": False}, "Groq"),
    _phrase(r"tool use with function calling is unsupported", {"mixed_tools": False}, "Gemini API, Gemini 2.5"),
    _phrase(r"multimodal function responses? (?:is|are) not supported", {"media_in_results": False}, "Gemini API"),
    _phrase(r"missing a thought_signature in functioncall", {"dummy_signatures": True}, "Gemini API, Gemini 3"),
    _phrase(r"reasoning_content.*must be passed back", {"unreasoned_calls": False}, "DeepSeek"),
    _phrase(
        r"reasoning_content is missing in assistant tool call",
        {"unreasoned_calls": False},
        "Moonshot, Kimi K2 Thinking",
    ),
    _phrase(
        r"encrypted content is not supported",
        {"encrypted_reasoning": False},
        f"Azure, DeepSeek V4 in Responses ({GITHUB}earendil-works/pi/issues/6228)",
    ),
    _phrase(r"this response_format type is unavailable now", {"json_schema": False}, "DeepSeek"),
    _phrase(
        r"response_format\W.*of type \W?json_schema\W? is not supported",
        {"json_schema": False},
        "OpenAI: Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    ),
    _phrase(r"json mode is not enabled for", {"structured_output": False}, "Gemini API, Gemma 3"),
    _phrase(r"logprobs (?:is|are) not (?:enabled|supported)", {"logprobs": False}, "Gemini API; OpenAI"),
    _phrase(r"penalty is not enabled for", {"penalties": False}, "Gemini API, since Gemini 2.5"),
    _phrase(
        r"invalid temperature: only [\d.]+ is allowed",
        {"sampling": False},
        f"Moonshot, Kimi K2.5 and later ({GITHUB}countbot-ai/CountBot/issues/61)",
    ),
    # --- forms of tools
    *(
        _phrase(pattern, settings, source)
        for pattern, source in FORMS
        for settings in ({"openai_tools": False}, {"custom_tools": False})
    ),
    # --- betas
    _phrase(r"invalid beta flag", {"betas": False}, f"Claude on Bedrock ({GITHUB}BerriAI/litellm/issues/16561)"),
    _phrase(
        r"unexpected value\(s\) .* for the `anthropic-beta` header",
        {"betas": False},
        f"Claude on Vertex AI ({GITHUB}anthropics/claude-code/issues/21625)",
    ),
    _phrase(
        r"`?maxTokens`? must be unset when .* is 'high'",
        {"highest_effort": "medium"},
        "Bedrock, Nova 2, in a fixture of @ai-sdk/amazon-bedrock; as limits are not given up, less effort is asked for",
    ),
    # --- strict schemas: of tools first, then of the output, which may be all that is left
    *(
        _phrase(pattern, settings, source)
        for pattern, source in GRAMMARS
        for settings in ({"strict_tools": False}, {"structured_output": False})
    ),
    _phrase(
        r"tools\.\d+\.custom: for '\w+' type, ",
        {"strict_tools": False},
        f"Anthropic, Bedrock: … properties maximum, minimum are not supported ({GITHUB}earendil-works/pi/issues/9953)",
    ),
    _phrase(
        r"output_config\.format\.schema: for '\w+' type, ",
        {"structured_output": False},
        f"Anthropic, Bedrock: … property 'maxItems' is not supported ({GITHUB}vercel/ai/issues/17197)",
    ),
    # --- members, by their names
    _phrase(
        rf"extraneous key \[{NAME}\] is not permitted",
        _member,
        f"Bedrock: #: extraneous key [top_p] is not permitted ({GITHUB}rollwagen/bods/issues/51)",
    ),
    _phrase(
        rf"does(?:n't| not) support the {NAME} field",
        _member,
        f"Bedrock: This model doesn't support the toolConfig.toolChoice.any field. Remove … "
        f"({GITHUB}strands-agents/harness-sdk/issues/1241)",
    ),
    _phrase(
        rf"unknown name {NAME}(?: at [`'\"](?P<below>[\w.\[\]]+)[`'\"])?",
        _member,
        f"Gemini API, Vertex AI ({GITHUB}google-gemini/gemini-cli/issues/13972)",
    ),
    _phrase(
        rf"parameter {NAME} is not a valid field",
        _member,
        f"Cohere: unknown field: parameter 'strict' is not a valid field. "
        f"({GITHUB}OpenRouterTeam/openrouter-examples/issues/71)",
    ),
    _phrase(
        r"does not support parameters: [\[{](?P<listed>[^\]}]*)",
        _members,
        f"LiteLLM: openai does not support parameters: ['reasoning_effort'], for model=gpt-5. "
        f"({GITHUB}BerriAI/litellm/issues/13699)",
    ),
    _phrase(
        r"extra parameters \[(?P<listed>[^\]]*)\] are not allowed",
        _members,
        f"Azure AI, models of other vendors ({GITHUB}langchain-ai/langchain/issues/29679)",
    ),
    _phrase(
        r"extra_forbidden[`'\"\\]+, ?[`'\"\\]+loc[`'\"\\]+: ?[\[(](?P<listed>[^\])]*)[\])]",
        _located,
        f"Mistral, vLLM ({GITHUB}editor-code-assistant/eca/issues/231)",
    ),
    _phrase(
        r"additional properties are not allowed \((?P<listed>.*?) (?:was|were) unexpected\)",
        _members,
        "the package jsonschema: Additional properties are not allowed ('store' was unexpected)",
    ),
    _phrase(r"unrecognized request arguments? supplied: (?P<listed>[\w., ]+)", _members, "OpenAI, Azure"),
    _phrase(rf"unsupported (?:parameter|value): {NAME}", _member, "OpenAI, both protocols; Azure"),
    _phrase(rf"property {NAME} is unsupported", _member, "Groq, Cerebras"),
    _phrase(
        rf"{NAME}: extra inputs are not permitted",
        _member,
        f"Anthropic and its clouds: tools.0.custom.defer_loading: … ({GITHUB}anthropics/claude-code/issues/82549); "
        f"Azure: Validation error at #/stream_options: … ({GITHUB}microsoft/semantic-kernel/issues/10510)",
    ),
    _phrase(rf"unknown (?:parameter|field):? {NAME}", _member, "OpenAI; servers written in Go and Rust"),
    _phrase(rf"argument not supported on this model: {NAME}", _member, "xAI"),
    _phrase(
        rf"does(?:n't| not) support (?:the )?(?:parameter )?{NAME}\b", _member, "xAI, Cerebras, OpenRouter; Ollama"
    ),
    _phrase(
        rf"{NAME}(?: parameter| field)? {NOT}",
        _member,
        "Anthropic: `top_k` is deprecated for this model; Moonshot; Vertex AI: thinking_level is not supported by this "
        f"model ({GITHUB}google-gemini/gemini-cli/issues/14025)",
    ),
)


LONGEST = 10_000
"""The characters of a message that are read: searching takes time by their square."""


def shown(message: str, known: Known) -> Iterator[list[dict[str, Any]]]:
    """Yield what an error's message may mean, the likeliest first: the settings to give up, each by itself.

    known  the settings of the target's protocol
    """
    for phrase in PHRASES:
        settings: list[dict[str, Any]] = []
        for found in phrase.pattern.finditer(message, 0, LONGEST):
            read = phrase.settings(found, known) if callable(phrase.settings) else [phrase.settings]
            fitting = ({name: value for name, value in one.items() if _fits(name, value, known)} for one in read)
            settings += [one for one in fitting if one and one not in settings]
        if settings:
            yield settings
