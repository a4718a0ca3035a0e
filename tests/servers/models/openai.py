"""OpenAI's models in both of its protocols, as its guides and its servers' errors have it (read 2026-11-24)."""

from __future__ import annotations

from tests.servers.models.judge import (
    CHAT,
    RESPONSES,
    Check,
    Checks,
    Refuses,
    both,
    documents,
    effort_other_than,
    either,
    filled,
    function_tools,
    images,
    is_in,
    is_other_than,
    is_under,
    table,
    takes,
    unless,
    where,
)

GUIDES = "https://developers.openai.com/api/docs/guides/"
CHECKLIST = f"{GUIDES}deployment-checklist"
GPT_5_2 = f"{GUIDES}latest-model?model=gpt-5.2"
GPT_5_4 = f"{GUIDES}latest-model?model=gpt-5.4"
GPT_5_5 = "https://github.com/BerriAI/litellm/pull/34210"
GPT_5_6 = f"{GUIDES}latest-model?model=gpt-5.6"
GPT_6 = f"{GUIDES}latest-model/gpt-6-astra.md"
GPT_6_2 = "https://dev.to/routerbase_com/4-request-validation-gotchas-when-migrating-openai-clients-to-gpt-62-reasoning-models-1aoc"
REASONING = f"{GUIDES}reasoning"
MODELS = "https://developers.openai.com/api/docs/models/"
AZURE = "https://learn.microsoft.com/en-us/azure/ai-foundry/openai/how-to/reasoning#not-supported"
PACKAGE = "https://github.com/openai/openai-python/blob/main/src/openai/types/"
ISSUES = "https://github.com/"

# --- sampling ---------------------------------------------------------------------------------------------------------


def _reasons_unless_none(protocol: str, default: str, found: Refuses) -> Refuses:
    """What is refused while the model reasons: at any effort but `none`, which some have where none is named."""
    path = "reasoning_effort" if protocol == CHAT else "reasoning/effort"
    if default == "none":
        return both(where(path, is_other_than("none")), found)
    return unless(where(path, is_in("none")), found)


def _chat_sampling(source: str, default: str, *, switches: bool = True) -> Checks:
    """In Chat Completions the neutral temperature passes; `switches`: effort `none` makes all of them pass."""

    def when(found: Refuses) -> Refuses:
        return _reasons_unless_none(CHAT, default, found) if switches else found

    unsupported = "Unsupported parameter: '{}' is not supported with this model."
    return (
        Check(
            when(where("temperature", is_other_than(1))),
            "Unsupported value: 'temperature' does not support … with this model."
            " Only the default (1) value is supported.",
            source,
        ),
        Check(when(where("top_p", is_other_than(1))), unsupported.format("top_p"), source),
        Check(when(where("presence_penalty", is_other_than(0))), unsupported.format("presence_penalty"), AZURE),
        Check(when(where("frequency_penalty", is_other_than(0))), unsupported.format("frequency_penalty"), AZURE),
        Check(when(where("logprobs", is_in(True))), unsupported.format("logprobs"), source),
    )


def _responses_sampling(source: str, default: str, *, switches: bool = True) -> Checks:
    """In Responses the parameter itself is refused, whatever its value."""

    def when(found: Refuses) -> Refuses:
        return _reasons_unless_none(RESPONSES, default, found) if switches else found

    logprobs = either(
        where("top_logprobs", filled),
        where("include/*", is_in("message.output_text.logprobs")),
    )
    return (
        Check(
            when(where("temperature")), "Unsupported parameter: 'temperature' is not supported with this model.", source
        ),
        Check(when(where("top_p")), "Unsupported parameter: 'top_p' is not supported with this model.", source),
        Check(when(logprobs), "logprobs are not supported with reasoning models.", source),
    )


# --- what models that reason refuse in Chat Completions ---------------------------------------------------------------

NO_MAX_TOKENS = Check(
    where("max_tokens"),
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    AZURE,
)
NO_LOGIT_BIAS = Check(
    where("logit_bias", filled), "Unsupported parameter: 'logit_bias' is not supported with this model.", AZURE
)
NO_PREDICTION = Check(
    where("prediction"),
    "Unsupported parameter: 'prediction' is not supported with this model.",
    f"{GUIDES}predicted-outputs#limitations",
)


def _no_stop(source: str) -> Check:
    return Check(where("stop"), "Unsupported parameter: 'stop' is not supported with this model.", f"{ISSUES}{source}")


NO_PARALLEL_CALLS = Check(
    where("parallel_tool_calls"),
    "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
    f"{ISSUES}evalstate/fast-agent/issues/279",
)

REASONS_IN_CHAT = (NO_MAX_TOKENS, NO_LOGIT_BIAS, NO_PREDICTION)

# --- function tools beside reasoning, in Chat Completions -------------------------------------------------------------

BESIDE_TOOLS = (
    "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. To use function"
    " tools, use /v1/responses or set reasoning_effort to 'none'."
)


def _no_effort_beside_tools(source: str) -> Check:
    """An effort that is named is refused beside function tools; where none is named they pass."""
    found = both(function_tools[CHAT], where("reasoning_effort", is_other_than("none")))
    return Check(found, BESIDE_TOOLS, f"{ISSUES}{source}")


def _tools_want_none(source: str) -> Check:
    """The default effort counts as one, so that only an explicit `none` lets function tools pass."""
    return Check(unless(where("reasoning_effort", is_in("none")), function_tools[CHAT]), BESIDE_TOOLS, source)


def _no_tools(source: str) -> Check:
    return Check(function_tools[CHAT], "Tool calling requires Responses.", source)


# --- effort -----------------------------------------------------------------------------------------------------------


def _efforts(protocol: str, levels: str, source: str) -> Check:
    quoted = ", ".join(f"'{level}'" for level in levels.split())
    message = f"Unsupported value: … is not supported with this model. Supported values are: {quoted}."
    return Check(effort_other_than(protocol, *levels.split()), message, source)


NO_EFFORT_IN_CHAT = Check(
    where("reasoning_effort"),
    "Unrecognized request argument supplied: reasoning_effort",
    f"{ISSUES}davidmigloz/langchain_dart/issues/712",
)
NO_REASONING = (
    Check(
        where("reasoning/effort"),
        "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
        f"{ISSUES}BoundaryML/baml/pull/2708",
    ),
    Check(
        either(where("reasoning/summary"), where("reasoning/generate_summary")),
        "Unsupported parameter: 'reasoning.summary' is not supported with this model.",
        REASONING,
    ),
    Check(
        where("include/*", is_in("reasoning.encrypted_content")),
        "Encrypted content is not supported with this model.",
        f"{ISSUES}pydantic/pydantic-ai/issues/2865",
    ),
)

# --- the rest ---------------------------------------------------------------------------------------------------------

NO_WEB_SEARCH_OPTIONS = Check(
    where("web_search_options"),
    "Web search options not supported with this model.",
    "recorded: pai-openai_web_search_tool_model_not_supported-dda367-0-err",
)
NO_AUDIO = Check(
    where("messages/*/content/*/type", is_in("input_audio")),
    "Content blocks are expected to be either text or image_url type.",
    "recorded: pai-multimodal_tool_return_matrix_direct_binary_audi-27f597-1-err",
)
LEAST_OUTPUT = Check(
    where("max_output_tokens", is_under(16)),
    "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.",
    f"{ISSUES}vectorize-io/hindsight/issues/58",
)


def _text_only(protocol: str) -> Checks:
    source, message = f"{MODELS}o3-mini", "Invalid content type. This content is only supported by certain models."
    return (Check(images[protocol], message, source), Check(documents[protocol], message, source))


NOT_IN_CHAT = Check(
    where("messages"),
    "This is not a chat model and thus not supported in the v1/chat/completions endpoint.",
    f"{PACKAGE}shared/responses_model.py",
)

# --- the models -------------------------------------------------------------------------------------------------------

PLAIN = "gpt-4o gpt-4o-mini gpt-4.1 gpt-4.1-mini gpt-4.1-nano"
GPT_5 = "gpt-5 gpt-5-mini gpt-5-nano"
GPT_5_4_FAMILY = "gpt-5.4 gpt-5.4-mini gpt-5.4-nano"
GPT_5_6_FAMILY = "gpt-5.6 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna"
WITH_NONE = "gpt-6-sol gpt-6-luna gpt-6.1-terra"
WITHOUT_NONE = "gpt-6-astra gpt-6.1-sol"
ONLY_RESPONSES = "gpt-5-pro gpt-5-codex gpt-5.1-codex-max gpt-5.5-pro o3-pro"

CODEX_TO_XHIGH = "gpt-5.1-codex-max gpt-5.3-codex"

TO_HIGH, TO_XHIGH = "none low medium high", "none low medium high xhigh"
LOW_TO_HIGH, LOW_TO_XHIGH = "low medium high", "low medium high xhigh"
STOP_5, STOP_6 = "huggingface/smolagents/pull/1662", "bolna-ai/bolna/pull/1019"
STOP_5_X = "crewAIInc/crewAI/pull/5144"
EFFORTS_OF_PRO = "https://learn.microsoft.com/en-us/javascript/api/@azure/ai-projects/reasoningeffort"
EFFORTS_5_1 = f"{ISSUES}openai/openai-agents-python/issues/2089"


def _gpt_5_in_chat(sampling: str, stop: str, levels: str, efforts: str, default: str) -> Checks:
    return (
        *REASONS_IN_CHAT,
        *_chat_sampling(sampling, default),
        _no_stop(stop),
        NO_WEB_SEARCH_OPTIONS,
        _efforts(CHAT, levels, efforts),
    )


def _in_responses(sampling: str, levels: str, efforts: str, default: str) -> Checks:
    return (*_responses_sampling(sampling, default), LEAST_OUTPUT, _efforts(RESPONSES, levels, efforts))


O_SERIES_IN_CHAT = (
    *REASONS_IN_CHAT,
    *_chat_sampling(AZURE, "medium", switches=False),
    NO_PARALLEL_CALLS,
    NO_WEB_SEARCH_OPTIONS,
    _efforts(CHAT, LOW_TO_HIGH, REASONING),
)
O_SERIES_IN_RESPONSES = (
    *_responses_sampling(AZURE, "medium", switches=False),
    LEAST_OUTPUT,
    _efforts(RESPONSES, LOW_TO_HIGH, REASONING),
)
NO_ROLE = {
    role: Check(
        where("messages/*/role", is_in(role)),
        f"Unsupported value: 'messages[0].role' does not support '{role}' with this model.",
        f"recorded: pai-openai_o1_mini_system_role_{role}-{record}-0-err",
    )
    for role, record in (("system", "231242"), ("developer", "0094d2"))
}

CODEX = (*_responses_sampling(f"{ISSUES}microsoft/vscode/issues/282170", "medium", switches=False), LEAST_OUTPUT)
"""Models that always reason: of 5.1 and 5.3 no effort is `none`, unlike their siblings'."""

JUDGES = {
    **table(CHAT, PLAIN, (NO_EFFORT_IN_CHAT, NO_WEB_SEARCH_OPTIONS)),
    **table(RESPONSES, PLAIN, NO_REASONING, (LEAST_OUTPUT,)),
    **table(CHAT, "o1-mini", NO_ROLE.values(), (NO_MAX_TOKENS,)),
    **table(CHAT, "o3-mini", O_SERIES_IN_CHAT, _text_only(CHAT)),
    **table(CHAT, "o3", O_SERIES_IN_CHAT, (_no_stop("griptape-ai/griptape/issues/1915"),)),
    **table(CHAT, "o4-mini", O_SERIES_IN_CHAT, (_no_stop("langgenius/dify/issues/18971"),)),
    **table(RESPONSES, "o3-mini", O_SERIES_IN_RESPONSES, _text_only(RESPONSES)),
    **table(RESPONSES, "o3 o4-mini", O_SERIES_IN_RESPONSES),
    **table(CHAT, ONLY_RESPONSES, (NOT_IN_CHAT,)),
    **table(RESPONSES, "gpt-5-pro", _in_responses(GPT_5_2, "high", EFFORTS_OF_PRO, "high")),
    **table(RESPONSES, "gpt-5-codex", CODEX, (_efforts(RESPONSES, LOW_TO_HIGH, f"{MODELS}gpt-5-codex"),)),
    **table(RESPONSES, CODEX_TO_XHIGH, CODEX, (_efforts(RESPONSES, LOW_TO_XHIGH, f"{MODELS}gpt-5.1-codex-max"),)),
    **table(CHAT, GPT_5, _gpt_5_in_chat(GPT_5_2, STOP_5, "minimal low medium high", REASONING, "medium"), (NO_AUDIO,)),
    **table(RESPONSES, GPT_5, _in_responses(GPT_5_2, "minimal low medium high", REASONING, "medium")),
    **table(
        CHAT,
        "gpt-5.1",
        _gpt_5_in_chat(GPT_5_2, "huggingface/smolagents/pull/1868", TO_HIGH, EFFORTS_5_1, "none"),
    ),
    **table(RESPONSES, "gpt-5.1", _in_responses(GPT_5_2, TO_HIGH, EFFORTS_5_1, "none")),
    **table(
        CHAT,
        "gpt-5.2",
        _gpt_5_in_chat(GPT_5_2, STOP_5_X, TO_XHIGH, GPT_5_2, "none"),
        (_no_effort_beside_tools("livekit/agents/pull/7169"),),
    ),
    **table(RESPONSES, "gpt-5.2", _in_responses(GPT_5_2, TO_XHIGH, GPT_5_2, "none")),
    **table(
        CHAT,
        GPT_5_4_FAMILY,
        _gpt_5_in_chat(GPT_5_4, STOP_5_X, TO_XHIGH, GPT_5_4, "none"),
        (_no_effort_beside_tools("openai/openai-openapi/issues/541"),),
    ),
    **table(RESPONSES, GPT_5_4_FAMILY, _in_responses(GPT_5_4, TO_XHIGH, GPT_5_4, "none")),
    **table(
        CHAT,
        "gpt-5.5",
        _gpt_5_in_chat(GPT_5_5, STOP_5_X, TO_XHIGH, REASONING, "medium"),
        (_no_effort_beside_tools("Science-Discovery/Aether/issues/1026"),),
    ),
    **table(RESPONSES, "gpt-5.5", _in_responses(GPT_5_5, TO_XHIGH, REASONING, "medium")),
    **table(
        CHAT,
        GPT_5_6_FAMILY,
        _gpt_5_in_chat(GPT_5_6, STOP_5_X, TO_XHIGH, f"{ISSUES}livekit/agents/pull/7169", "medium"),
        (_tools_want_none(f"{ISSUES}BerriAI/litellm/pull/34569"),),
    ),
    **table(RESPONSES, GPT_5_6_FAMILY, _in_responses(GPT_5_6, f"{TO_XHIGH} max", GPT_5_6, "medium")),
    **table(
        CHAT,
        WITH_NONE,
        _gpt_5_in_chat(CHECKLIST, STOP_6, TO_XHIGH, GPT_6, "medium"),
        (_tools_want_none(CHECKLIST),),
    ),
    **table(RESPONSES, WITH_NONE, _in_responses(CHECKLIST, f"{TO_XHIGH} max", GPT_6, "medium")),
    **table(
        CHAT, WITHOUT_NONE, _gpt_5_in_chat(CHECKLIST, STOP_6, LOW_TO_XHIGH, GPT_6, "medium"), (_no_tools(CHECKLIST),)
    ),
    **table(RESPONSES, WITHOUT_NONE, _in_responses(CHECKLIST, f"{LOW_TO_XHIGH} max", GPT_6, "medium")),
    # Whether function tools pass in Chat Completions is not documented for 6.2, so that nothing is said of it here.
    **table(CHAT, "gpt-6.2-sol gpt-6.2-astra", _gpt_5_in_chat(GPT_6_2, STOP_6, LOW_TO_XHIGH, GPT_6_2, "medium")),
    **table(
        RESPONSES,
        "gpt-6.2-sol gpt-6.2-astra",
        _in_responses(GPT_6_2, f"{LOW_TO_XHIGH} max", GPT_6, "medium"),
    ),
}

IGNORES: dict[tuple[str, str], Checks] = {}

_BOTH = "forced_choice structured_output strict_tools images documents system_in_place max_tokens"
_SAMPLED = "temperature top_p presence_penalty frequency_penalty logprobs"
_PLAIN_CHAT = takes(f"{_BOTH} {_SAMPLED} stop seed n parallel_calls")
_PLAIN_RESPONSES = takes(f"{_BOTH} temperature top_p logprobs parallel_calls")
_REASONS = f"{_BOTH} n seed parallel_calls"
_O_SERIES = "forced_choice structured_output strict_tools system_in_place max_tokens"

TAKES = {
    **{(CHAT, model): frozenset[str]() for model in ONLY_RESPONSES.split()},
    (CHAT, "o1-mini"): frozenset[str](),
    (RESPONSES, "gpt-5-pro"): takes(_BOTH, "high"),
    (RESPONSES, "gpt-5-codex"): takes(f"{_BOTH} parallel_calls", LOW_TO_HIGH),
    **{(RESPONSES, model): takes(f"{_BOTH} parallel_calls", LOW_TO_XHIGH) for model in CODEX_TO_XHIGH.split()},
    **{(CHAT, model): _PLAIN_CHAT for model in PLAIN.split()},
    **{(RESPONSES, model): _PLAIN_RESPONSES for model in PLAIN.split()},
    (CHAT, "o3-mini"): takes(f"{_O_SERIES} n seed stop", LOW_TO_HIGH),
    **{(CHAT, model): takes(f"{_O_SERIES} n seed images documents", LOW_TO_HIGH) for model in ("o3", "o4-mini")},
    (RESPONSES, "o3-mini"): takes(_O_SERIES, LOW_TO_HIGH),
    **{(RESPONSES, model): takes(f"{_O_SERIES} images documents", LOW_TO_HIGH) for model in ("o3", "o4-mini")},
    **{(CHAT, model): takes(_REASONS, "minimal low medium high") for model in GPT_5.split()},
    **{(RESPONSES, model): takes(f"{_BOTH} parallel_calls", "minimal low medium high") for model in GPT_5.split()},
    (CHAT, "gpt-5.1"): takes(f"{_REASONS} {_SAMPLED}", TO_HIGH),
    (RESPONSES, "gpt-5.1"): takes(f"{_BOTH} parallel_calls temperature top_p logprobs", TO_HIGH),
    **{(CHAT, model): takes(f"{_REASONS} {_SAMPLED}", TO_XHIGH) for model in f"gpt-5.2 {GPT_5_4_FAMILY}".split()},
    **{
        (RESPONSES, model): takes(f"{_BOTH} parallel_calls temperature top_p logprobs", TO_XHIGH)
        for model in f"gpt-5.2 {GPT_5_4_FAMILY}".split()
    },
    **{(CHAT, model): takes(_REASONS, TO_XHIGH) for model in f"gpt-5.5 {GPT_5_6_FAMILY} {WITH_NONE}".split()},
    (RESPONSES, "gpt-5.5"): takes(f"{_BOTH} parallel_calls", TO_XHIGH),
    **{
        (RESPONSES, model): takes(f"{_BOTH} parallel_calls", f"{TO_XHIGH} max")
        for model in f"{GPT_5_6_FAMILY} {WITH_NONE}".split()
    },
    **{
        (RESPONSES, model): takes(f"{_BOTH} parallel_calls", f"{LOW_TO_XHIGH} max")
        for model in f"{WITHOUT_NONE} gpt-6.2-sol gpt-6.2-astra".split()
    },
    **{
        (CHAT, model): takes("structured_output images documents system_in_place max_tokens n seed", LOW_TO_XHIGH)
        for model in f"{WITHOUT_NONE} gpt-6.2-sol gpt-6.2-astra".split()
    },
}
