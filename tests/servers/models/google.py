"""Gemini and Gemma in the Gemini API and on Vertex, as Google's pages and its servers' errors have it (2026-11-24).

A model of Vertex stands under its resource name, `publishers/google/models/…`. Requests are read in both spellings
(`thinkingConfig`, `thinking_config`), as the server reads them.
"""

from __future__ import annotations

from itertools import product

from tests.servers.models.judge import (
    GEMINI,
    Check,
    Checks,
    Json,
    Refuses,
    Test,
    both,
    either,
    filled,
    given,
    is_in,
    is_other_than,
    is_over,
    is_under,
    table,
    takes,
    unless,
    where,
)

DOCS = "https://ai.google.dev/gemini-api/docs/"
REFERENCE = "https://ai.google.dev/api/generate-content#ThinkingConfig"
THINKING = f"{DOCS}thinking"
SIGNATURES = f"{DOCS}thought-signatures"
NEW_3_6 = f"{DOCS}generate-content/whats-new-gemini-3.6"
NEW_3_8 = f"{DOCS}latest-model"
NEW_4 = f"{DOCS}generate-content/latest-model"
NEON = "https://dev.to/aihubmix/gemini-4-neon-migration-default-high-thinking-400-errors-and-the-65k-cap-45gj"
VERTEX_THINKING = "https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking"
ISSUES = "https://github.com/"


def at(path: str, test: Test = given) -> Refuses:
    """A value by its path in camel case, each step of which the server takes in snake case as well."""
    spellings = (dict.fromkeys((step, _snake(step))) for step in path.split("/"))
    return either(*(where("/".join(steps), test) for steps in product(*spellings)))


def _snake(step: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in step)


# --- thinking ---------------------------------------------------------------------------------------------------------

LEVEL, BUDGET = "generationConfig/thinkingConfig/thinkingLevel", "generationConfig/thinkingConfig/thinkingBudget"

NO_LEVEL = Check(at(LEVEL), "Thinking level is not supported for this model.", REFERENCE)
LEVEL_OR_BUDGET = Check(
    both(at(LEVEL), at(BUDGET)), "thinking_budget and thinking_level are not supported together.", f"{DOCS}gemini-3"
)


def _no_budget(source: str) -> Check:
    return Check(at(BUDGET), "Thinking budget is not supported for this model. Use thinking level instead.", source)


NO_ZERO = Check(
    at(BUDGET, is_in(0)), "Budget 0 is invalid. This model only works in thinking mode.", f"{THINKING}#set-budget"
)


def _levels(source: str, levels: str) -> Check:
    """The server takes a level in either case."""
    known = frozenset(levels.split())

    def unknown(level: Json) -> bool:
        return isinstance(level, str) and level.lower() not in known and level != "THINKING_LEVEL_UNSPECIFIED"

    return Check(at(LEVEL, unknown), "Thinking level … is not supported for this model.", source)


def _budgets(least: int, most: int) -> Check:
    message = f"The thinking budget … is invalid. Please choose a value between {least} and {most}."
    outside = either(
        at(BUDGET, is_over(most)),
        unless(at(BUDGET, is_in(0)), unless(at(BUDGET, is_in(-1)), at(BUDGET, is_under(least)))),
    )
    return Check(outside, message, f"{THINKING}#set-budget")


# --- sampling ---------------------------------------------------------------------------------------------------------

NO_LOGPROBS = Check(
    either(at("generationConfig/responseLogprobs", is_in(True)), at("generationConfig/logprobs", filled)),
    "Logprobs is not enabled for this model",
    f"{ISSUES}mscraftsman/generative-ai/issues/135",
)
NO_LOGPROBS_ON_VERTEX = Check(
    NO_LOGPROBS.refuses,
    "Unable to submit request because Logprobs is not supported for this model.",
    f"{ISSUES}GoogleCloudPlatform/generative-ai/issues/2947",
)
# Zero passes: it is not looked at.
NO_PENALTIES = tuple(
    Check(
        at(f"generationConfig/{name}Penalty", is_other_than(0)),
        "Penalty is not enabled for this model",
        f"{ISSUES}google-gemini/cookbook/issues/1290",
    )
    for name in ("presence", "frequency")
)
ONE_CANDIDATE = Check(
    at("generationConfig/candidateCount", is_over(1)), "Multiple candidates is not enabled for this model", NEON
)
SAMPLING_IS_IGNORED = tuple(
    Check(at(f"generationConfig/{name}"), f"{name} is deprecated: it is ignored", NEW_3_6)
    for name in ("temperature", "topP", "topK")
)

# --- tools ------------------------------------------------------------------------------------------------------------

functions = at("tools/*/functionDeclarations", filled)
JSON_TYPE = "generationConfig/responseMimeType"
BUILT_IN = "googleSearch googleSearchRetrieval codeExecution urlContext googleMaps fileSearch computerUse".split()
built_in = either(*(at(f"tools/*/{name}") for name in BUILT_IN))
server_side = at("toolConfig/includeServerSideToolInvocations", is_in(True))

NO_JSON_BESIDE_FUNCTIONS = Check(
    both(functions, at(JSON_TYPE, is_in("application/json"))),
    "Function calling with a response mime type: 'application/json' is unsupported",
    f"{ISSUES}googleapis/python-genai/issues/867",
)
NO_JSON_BESIDE_TOOLS = Check(
    both(built_in, at(JSON_TYPE, is_in("application/json"))),
    "Tool use with a response mime type: 'application/json' is unsupported",
    f"{ISSUES}snailyp/gemini-balance/pull/286",
)
NO_MIXED_TOOLS = Check(
    both(functions, built_in), "Tool use with function calling is unsupported", f"{ISSUES}symfony/ai/issues/803"
)
MIXED_WITH_FLAG = Check(
    both(functions, unless(server_side, built_in)),
    "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.",
    f"{ISSUES}ag2ai/ag2/pull/3145",
)
NO_FLAG_ON_VERTEX = Check(
    at("toolConfig/includeServerSideToolInvocations"),
    "Unknown name \"includeServerSideToolInvocations\" at 'tool_config'",
    f"{ISSUES}strands-agents/harness-sdk/pull/3646",
)
NO_MEDIA_IN_RESULTS = Check(
    at("contents/*/parts/*/functionResponse/parts", filled),
    "Unable to submit request because `function_response.parts` is not supported for this model.",
    f"{ISSUES}google-gemini/gemini-cli/issues/19436",
)

# --- turns ------------------------------------------------------------------------------------------------------------


def _field(part: Json, camel: str, snake: str) -> Json:
    return part.get(camel, part.get(snake)) if isinstance(part, dict) else None


def _unsigned(payload: Json) -> str | None:
    """A step's first call without a signature, in the current turn: that after the last words of the user's."""
    contents = payload.get("contents") or []
    start = 0
    for index, content in enumerate(contents):
        parts = content.get("parts") or []
        answers = any(_field(part, "functionResponse", "function_response") for part in parts)
        if content.get("role") != "model" and parts and not answers:
            start = index
    for index, content in enumerate(contents[start:], start):
        calls = [
            (position, part)
            for position, part in enumerate(content.get("parts") or [])
            if _field(part, "functionCall", "function_call")
        ]
        if (
            content.get("role") == "model"
            and calls
            and not _field(calls[0][1], "thoughtSignature", "thought_signature")
        ):
            return f"/contents/{index}/parts/{calls[0][0]}"
    return None


def _model_has_last_word(payload: Json) -> str | None:
    contents = payload.get("contents") or [{}]
    ends = contents[-1].get("role") == "model" and contents[-1].get("parts")
    return f"/contents/{len(contents) - 1}" if ends else None


SIGNED_CALLS = Check(_unsigned, "Function call is missing a thought_signature in functionCall parts.", SIGNATURES)


def _no_prefill(source: str) -> Check:
    return Check(_model_has_last_word, "Requests ending with a model turn are not supported.", source)


NO_PREFILL = _no_prefill(NEW_3_6)

# --- the models -------------------------------------------------------------------------------------------------------

OF_API: Checks = (NO_LOGPROBS, *NO_PENALTIES)
OF_2_5: Checks = (NO_LEVEL, NO_MIXED_TOOLS, NO_MEDIA_IN_RESULTS)
JSON_ALONE: Checks = (NO_JSON_BESIDE_FUNCTIONS, NO_JSON_BESIDE_TOOLS)
SINCE_3: Checks = (LEVEL_OR_BUDGET, SIGNED_CALLS)
SINCE_3_OF_API: Checks = (*OF_API, *SINCE_3, MIXED_WITH_FLAG)
ON_VERTEX: Checks = (*SINCE_3, NO_FLAG_ON_VERTEX)
OF_4: Checks = (*SINCE_3_OF_API, NO_PREFILL, ONE_CANDIDATE)

PRO_BUDGETS, FLASH_BUDGETS, LITE_BUDGETS = _budgets(128, 32_768), _budgets(0, 24_576), _budgets(512, 24_576)
FOUR, THREE = "minimal low medium high", "low medium high"
CARBON = "https://cloud.tencent.com/developer/article/2789036"
ARGON = "https://docs.apiyi.com/ko/api-capabilities/gemini-4-argon/overview.md"
GEMMA = f"{ISSUES}livekit/agents/pull/7095"
VERTEX = "publishers/google/models/"

WITH_FOUR = "gemini-3-flash-preview gemini-3.1-flash-lite gemini-3.5-flash"
NO_LAST_WORD = "gemini-3.5-flash-lite gemini-3.6-flash"
NO_MINIMAL = "gemini-3.7-flash gemini-3.8-flash"
WITH_XHIGH = "gemini-4-hydrogen gemini-4-neon"
GEMMAS = "gemma-4-31b-it gemma-4-26b-a4b-it"

JUDGES = {
    **table(GEMINI, "gemini-2.5-pro", OF_API, OF_2_5, JSON_ALONE, (NO_ZERO, PRO_BUDGETS)),
    **table(GEMINI, "gemini-2.5-flash", OF_API, OF_2_5, JSON_ALONE, (FLASH_BUDGETS,)),
    **table(GEMINI, "gemini-2.5-flash-lite", OF_API, OF_2_5, JSON_ALONE, (LITE_BUDGETS,)),
    **table(GEMINI, WITH_FOUR, SINCE_3_OF_API, (_levels(THINKING, FOUR),)),
    **table(GEMINI, "gemini-3.1-pro-preview", SINCE_3_OF_API, (_levels(THINKING, THREE), NO_ZERO)),
    **table(GEMINI, NO_LAST_WORD, SINCE_3_OF_API, (_levels(THINKING, FOUR), NO_PREFILL)),
    **table(GEMINI, NO_MINIMAL, SINCE_3_OF_API, (_levels(NEW_3_8, THREE), NO_PREFILL, ONE_CANDIDATE)),
    **table(GEMINI, WITH_XHIGH, OF_4, (_levels(NEON, f"{THREE} xhigh"), _no_budget(NEON))),
    **table(GEMINI, "gemini-4-carbon", OF_4, (_levels(CARBON, THREE), _no_budget(NEON))),
    **table(GEMINI, "gemini-4-argon", OF_4, (_levels(NEW_4, THREE), _no_budget(ARGON))),
    **table(GEMINI, GEMMAS, (NO_LOGPROBS, _levels(GEMMA, "minimal high"), _no_budget(GEMMA))),
    **table(GEMINI, f"{VERTEX}gemini-2.5-pro", OF_2_5, (NO_ZERO, PRO_BUDGETS)),
    **table(GEMINI, f"{VERTEX}gemini-2.5-flash", OF_2_5, (FLASH_BUDGETS,)),
    **table(GEMINI, f"{VERTEX}gemini-3-flash-preview", ON_VERTEX, (_levels(VERTEX_THINKING, FOUR),)),
    **table(GEMINI, f"{VERTEX}gemini-3.1-pro-preview", ON_VERTEX, (_levels(VERTEX_THINKING, THREE),)),
    **table(GEMINI, f"{VERTEX}gemini-3.5-flash", ON_VERTEX, (_levels(VERTEX_THINKING, FOUR), NO_LOGPROBS_ON_VERTEX)),
    **table(
        GEMINI,
        f"{VERTEX}gemini-3.6-flash",
        ON_VERTEX,
        (_levels(VERTEX_THINKING, FOUR), _no_prefill(f"{ISSUES}Zoo-Code-Org/Zoo-Code/issues/1052")),
    ),
    **table(GEMINI, f"{VERTEX}gemini-3.8-flash", ON_VERTEX, (_levels(VERTEX_THINKING, THREE), NO_PREFILL)),
}

IGNORES = {
    **table(GEMINI, f"{NO_LAST_WORD} {NO_MINIMAL} {WITH_XHIGH} gemini-4-carbon gemini-4-argon", SAMPLING_IS_IGNORED),
    **table(GEMINI, f"{VERTEX}gemini-3.6-flash {VERTEX}gemini-3.8-flash", SAMPLING_IS_IGNORED),
}

_ALL = "stop seed forced_choice structured_output images documents max_tokens"
_SAMPLED = f"{_ALL} temperature top_p top_k"


def _taking(models: str, settings: str, levels: str = "") -> dict[tuple[str, str], frozenset[str]]:
    return {(GEMINI, model): takes(settings, levels) for model in models.split()}


TAKES = {
    **_taking("gemini-2.5-pro", f"{_SAMPLED} thinking:budget"),
    **_taking("gemini-2.5-flash gemini-2.5-flash-lite", f"{_SAMPLED} thinking:budget thinking:disabled"),
    **_taking(WITH_FOUR, f"{_SAMPLED} thinking:budget", FOUR),
    **_taking("gemini-3.1-pro-preview", f"{_SAMPLED} thinking:budget", THREE),
    **_taking(NO_LAST_WORD, f"{_ALL} thinking:budget", FOUR),
    **_taking(NO_MINIMAL, f"{_ALL} thinking:budget", THREE),
    **_taking(WITH_XHIGH, _ALL, f"{THREE} xhigh"),
    **_taking("gemini-4-carbon gemini-4-argon", _ALL, THREE),
    **_taking(GEMMAS, "stop seed temperature top_p top_k images max_tokens", "minimal high"),
    **_taking(f"{VERTEX}gemini-2.5-pro", f"{_SAMPLED} thinking:budget logprobs"),
    **_taking(f"{VERTEX}gemini-2.5-flash", f"{_SAMPLED} thinking:budget thinking:disabled logprobs"),
    **_taking(f"{VERTEX}gemini-3-flash-preview {VERTEX}gemini-3.5-flash", f"{_SAMPLED} thinking:budget", FOUR),
    **_taking(f"{VERTEX}gemini-3.1-pro-preview", f"{_SAMPLED} thinking:budget", THREE),
    **_taking(f"{VERTEX}gemini-3.6-flash", f"{_ALL} thinking:budget", FOUR),
    **_taking(f"{VERTEX}gemini-3.8-flash", f"{_ALL} thinking:budget", THREE),
}
