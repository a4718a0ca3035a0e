"""Claude behind Bedrock's Converse: what documents, and errors of the service, say that it refuses.

Written from documents and threads (read 2026-11-29), apart from `proxai_ir.profiles` and from the judges of Anthropic's
own protocol, which have the members of another body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from tests.servers.models.judge import (
    CONVERSE,
    Check,
    Json,
    Refuses,
    Test,
    both,
    either,
    forced_choice,
    is_in,
    is_other_than,
    is_over,
    is_under,
    strict_tools,
    structured_output,
    table,
    takes,
    where,
)

GUIDE = "https://docs.aws.amazon.com/bedrock/latest/userguide/"
EXTENDED = f"{GUIDE}claude-messages-extended-thinking.html"
ADAPTIVE = f"{GUIDE}claude-messages-adaptive-thinking.html"
FORMATS = f"{GUIDE}structured-output.html"
FORMATS_OF_CLAUDE = f"{GUIDE}claude-messages-structured-outputs.html"
CLAUDES = "https://platform.claude.com/docs/en/"
ISSUES = "https://github.com/BerriAI/litellm/issues/"
VERCEL = "https://github.com/vercel/ai/issues/"
RECORDED = "https://github.com/vercel/ai/tree/main/packages/amazon-bedrock/src/__fixtures__/amazon-bedrock-opus-5-"
ADDED = "additionalModelRequestFields/"
INFERENCE = "inferenceConfig/"

# --- sampling ---------------------------------------------------------------------------------------------------------

temperature, top_p, top_k = where(f"{INFERENCE}temperature"), where(f"{INFERENCE}topP"), where(f"{ADDED}top_k")
ONE_OF_TWO = Check(
    both(temperature, top_p),
    "The model returned the following errors: `temperature` and `top_p` cannot both be specified for this model.",
    f"{ISSUES}15070",
)
UNSAMPLED = (
    Check(
        where(f"{INFERENCE}temperature", is_other_than(1)),
        "`temperature` is deprecated for this model.",
        f"{RECORDED}deprecated-sampling-parameter.json",
    ),
    Check(
        where(f"{INFERENCE}topP", is_other_than(0.99)),
        "`top_p` is deprecated for this model.",
        f"{RECORDED}deprecated-top-p.json",
    ),
)
"""A top k is taken by Opus 5, by a recorded request, and no document says that it is heeded."""
OUT_OF_RANGE = Check(
    where(f"{INFERENCE}temperature", is_over(1)),
    "Value '1.5' at 'inferenceConfig.temperature' failed to satisfy constraint: less than or equal to 1",
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html",
)

# --- thinking ---------------------------------------------------------------------------------------------------------

KIND = f"{ADDED}thinking/type"
thinks, manual = where(KIND, is_in("enabled", "adaptive")), where(KIND, is_in("enabled"))


def without(word: str, message: str, source: str) -> Check:
    return Check(where(KIND, is_in(word)), message, source)


NO_THINKING = Check(where(f"{ADDED}thinking"), "thinking: Extra inputs are not permitted", EXTENDED)
NO_ADAPTIVE = without("adaptive", "adaptive thinking is not supported on this model", ADAPTIVE)
NO_BUDGETS = without(
    "enabled",
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort"',
    ADAPTIVE,
)
NOT_OFF = without("disabled", '"thinking.type.disabled" is not supported for this model.', ADAPTIVE)
NO_BETWEEN = without(
    "between_tools",
    '"thinking.type.between_tools" is not supported for this model.',
    f"{CLAUDES}build-with-claude/thinking",
)


def _untyped(payload: Json) -> str | None:
    thinking = (payload.get("additionalModelRequestFields") or {}).get("thinking")
    return f"/{ADDED}thinking" if isinstance(thinking, dict) and "type" not in thinking else None


UNTYPED = Check(
    _untyped,
    "thinking.type: Field required",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html",
)


def _budget(payload: Json) -> Json:
    return ((payload.get("additionalModelRequestFields") or {}).get("thinking") or {}).get("budget_tokens")


def _beyond_limit(payload: Json) -> str | None:
    """Without a limit the service has its own, of 4,096 for some models."""
    budget, limit = _budget(payload), (payload.get("inferenceConfig") or {}).get("maxTokens", 4096)
    return f"/{ADDED}thinking/budget_tokens" if isinstance(budget, int) and budget >= limit else None


def _unthought(payload: Json) -> str | None:
    """The response whose calls have their results last begins without thinking."""
    messages = payload.get("messages") or []
    if len(messages) < 2 or not any("toolResult" in block for block in messages[-1].get("content", ())):
        return None
    blocks = messages[-2].get("content") or [{}]
    return None if "reasoningContent" in blocks[0] else f"/messages/{len(messages) - 2}/content/0"


def _unbudgeted(payload: Json) -> str | None:
    return f"/{ADDED}thinking" if manual(payload) and _budget(payload) is None else None


BUDGETS = (
    Check(_unbudgeted, "thinking.enabled.budget_tokens: Field required", EXTENDED),
    Check(
        where(f"{ADDED}thinking/budget_tokens", is_under(1024)),
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        EXTENDED,
    ),
    Check(_beyond_limit, "`max_tokens` must be greater than `thinking.budget_tokens`", EXTENDED),
    Check(
        both(manual, forced_choice[CONVERSE]),
        "Thinking may not be enabled when tool_choice forces tool use.",
        EXTENDED,
    ),
    Check(
        both(manual, _unthought),
        "Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
        EXTENDED,
    ),
    Check(
        both(thinks, where(f"{INFERENCE}temperature", is_other_than(1))),
        "`temperature` may only be set to 1 when thinking is enabled.",
        EXTENDED,
    ),
    Check(both(thinks, top_k), "`top_k` must be unset when thinking is enabled.", EXTENDED),
    Check(
        both(thinks, where(f"{INFERENCE}topP", is_under(0.95))),
        "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
        EXTENDED,
    ),
)
BETWEEN = (
    Check(
        both(where(KIND, is_in("between_tools")), where("outputConfig/effort", is_in("xhigh", "max"))),
        "between_tools is accepted at low, medium, and high effort. At xhigh or max, it returns a 400 error",
        f"{CLAUDES}models/sonnet-5-5/migration-guide",
    ),
    Check(
        both(
            where(KIND, is_in("between_tools")),
            either(where(f"{ADDED}thinking/display"), where(f"{ADDED}thinking/budget_tokens")),
        ),
        "between_tools takes no other field",
        f"{CLAUDES}models/sonnet-5-5/migration-guide",
    ),
)
OFF_AND_HIGH = Check(
    both(where(KIND, is_in("disabled")), where("outputConfig/effort", is_in("xhigh", "max"))),
    "When extended thinking is disabled, the effort level is capped at high (botocore 1.44.5, OutputConfig.effort)",
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_OutputConfig.html",
)

# --- effort -----------------------------------------------------------------------------------------------------------


def efforts(*levels: str) -> Check:
    said = f"Supported levels: {', '.join(levels)}." if levels else "This model does not support the effort parameter."
    return Check(where("outputConfig/effort", is_other_than(*levels)), said, f"{CLAUDES}build-with-claude/effort")


FIVE = ("low", "medium", "high", "xhigh", "max")

# --- tools ------------------------------------------------------------------------------------------------------------


def _fields(payload: Json) -> Json:
    return payload.get("additionalModelRequestFields") or {}


def _untyped_choice(payload: Json) -> str | None:
    choice = _fields(payload).get("tool_choice")
    return f"/{ADDED}tool_choice" if isinstance(choice, dict) and "type" not in choice else None


def _toolless(payload: Json) -> str | None:
    has = (payload.get("toolConfig") or {}).get("tools") or _fields(payload).get("tools")
    return f"/{ADDED}tool_choice" if "tool_choice" in _fields(payload) and not has else None


def _unannounced(payload: Json) -> str | None:
    tools = _fields(payload).get("tools")
    return f"/{ADDED}tools" if tools and not _fields(payload).get("anthropic_beta") else None


def schemas_of_tools(payload: Json) -> Iterator[tuple[str, Json, bool]]:
    for number, tool in enumerate((payload.get("toolConfig") or {}).get("tools") or ()):
        spec = tool.get("toolSpec")
        if spec:
            schema = (spec.get("inputSchema") or {}).get("json") or {}
            yield f"/toolConfig/tools/{number}/toolSpec", schema, spec.get("strict") is True


def _composed(payload: Json) -> str | None:
    found = schemas_of_tools(payload)
    return next((at for at, schema, _ in found if {"anyOf", "oneOf", "allOf"} & schema.keys()), None)


TWO_CHOICES = Check(
    both(where("toolConfig/toolChoice"), where(f"{ADDED}tool_choice/type")),
    "The additional field tool_choice/type conflicts with the existing field toolConfig.toolChoice.tool.",
    f"{ISSUES}36536",
)
UNTYPED_CHOICE = Check(_untyped_choice, "tool_choice.type: Field required", f"{ISSUES}22637")
NO_TOOLS = Check(
    _toolless,
    "tool_choice may only be specified while providing tools",
    f"{ISSUES}34420",
)
UNFORCED_WHILE_THINKING = Check(
    both(thinks, forced_choice[CONVERSE]),
    "Thinking may not be enabled when tool_choice forces tool use.",
    "https://github.com/langchain-ai/langchain-aws/pull/1151",
)
"""Adaptive thinking, too, up to Claude 4.7."""
NOT_FORCED = Check(
    forced_choice[CONVERSE],
    'tool_choice: type "tool" and "any" are not supported for this model.',
    f"{CLAUDES}models/opus-5-5/whats-new-opus-5-5",
)
NOT_ALONE = Check(
    where(f"{ADDED}tool_choice/disable_parallel_tool_use"),
    "tool_choice: extraneous key [disable_parallel_tool_use] is not permitted",
    "https://github.com/anthropics/anthropic-sdk-typescript/issues/592",
)
UNANNOUNCED = Check(
    _unannounced,
    "tools.0: Input tag 'computer_20250124' found using 'type' does not match any of the expected tags",
    f"{GUIDE}computer-use.html",
)
COMPOSED = Check(
    _composed,
    "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
    f"{CLAUDES}agents-and-tools/tool-use/implement-tool-use",
)

# --- schemas that are enforced ----------------------------------------------------------------------------------------

NUMBERS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}


def flaw(schema: Json) -> str:
    """Why Bedrock refuses a schema that it is to enforce; "" if it does not."""
    if isinstance(schema, list):
        return next(filter(None, map(flaw, schema)), "")
    if not isinstance(schema, dict):
        return ""
    kind = schema.get("type")
    if kind == "object" and schema.get("additionalProperties") is not False:
        return "For 'object' type, 'additionalProperties' must be explicitly set to false"
    unsupported = (NUMBERS if kind in ("number", "integer") else {"maxItems", "contains"}) & schema.keys()
    if unsupported and kind in ("number", "integer", "array"):
        return f"For '{kind}' type, properties {', '.join(sorted(unsupported))} are not supported"
    if kind == "array" and schema.get("minItems", 0) > 1:
        return "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
    if isinstance(schema.get("pattern"), str) and re.search(r"\(\?[=!<]|\\[1-9]", schema["pattern"]):
        return "Regex lookaround and backreferences are not supported"
    below = [schema.get("items"), schema.get("anyOf"), schema.get("allOf")]
    named = [one for key in ("properties", "$defs") for one in (schema.get(key) or {}).values()]
    return next(filter(None, map(flaw, [*below, *named])), "")


def _flawed_tool(payload: Json) -> str | None:
    found = schemas_of_tools(payload)
    return next((f"{at}/inputSchema/json" for at, schema, strict in found if strict and flaw(schema)), None)


def _flawed_output(payload: Json) -> str | None:
    wanted = ((payload.get("outputConfig") or {}).get("textFormat") or {}).get("structure") or {}
    text = (wanted.get("jsonSchema") or {}).get("schema")
    return "/outputConfig/textFormat" if text and flaw(json.loads(text)) else None


def _too_many(payload: Json) -> str | None:
    strict = [at for at, _, strict in schemas_of_tools(payload) if strict]
    return f"{strict[20]}/strict" if len(strict) > 20 else None


ENFORCED = (
    Check(_flawed_tool, "For 'object' type, 'additionalProperties' must be explicitly set to false", FORMATS),
    Check(_flawed_output, "For 'object' type, 'additionalProperties' must be explicitly set to false", FORMATS),
    Check(
        _too_many,
        "Too many strict tools (25). The maximum number of strict tools supported is 20.",
        f"{CLAUDES}build-with-claude/structured-outputs",
    ),
)
UNENFORCED = (
    Check(structured_output[CONVERSE], "output_config.format: Extra inputs are not permitted", f"{VERCEL}14773"),
    Check(
        strict_tools[CONVERSE],
        "The model returned the following errors: tools.0.custom.strict: Extra inputs are not permitted",
        f"{VERCEL}18199",
    ),
)

# --- turns and limits -------------------------------------------------------------------------------------------------


def _prefill(payload: Json) -> str | None:
    messages = payload.get("messages") or [{}]
    return f"/messages/{len(messages) - 1}" if messages[-1].get("role") == "assistant" else None


prefill: Refuses = _prefill


def _beside_results(payload: Json) -> str | None:
    messages: list[Json] = payload.get("messages") or []
    for number, message in enumerate(messages):
        kinds = [next(iter(block)) for block in message["content"]]
        files = [at for at, kind in enumerate(kinds) if kind in ("document", "video")]
        if "toolResult" in kinds and files:
            return f"/messages/{number}/content/{files[0]}"
    return None


def _behind_document(payload: Json) -> str | None:
    for number, message in enumerate(payload.get("messages") or ()):
        blocks = message["content"]
        for at, block in enumerate(blocks[1:], 1):
            document = blocks[at - 1].get("document") or {"format": "pdf"}
            cited = (document.get("citations") or {}).get("enabled") is True
            if "cachePoint" in block and document["format"] != "pdf" and not cited:
                return f"/messages/{number}/content/{at}"
    return None


BESIDE_RESULTS = Check(
    _beside_results,
    "Conversation blocks and tool result blocks cannot be provided in the same turn.",
    "https://github.com/pydantic/pydantic-ai/issues/6081",
)
BEHIND_DOCUMENT = Check(
    _behind_document,
    "ValidationException: a cachePoint cannot follow a document of this format",
    "https://github.com/pydantic/pydantic-ai/blob/main/pydantic_ai_slim/pydantic_ai/models/bedrock.py",
)
NO_PREFILL = Check(
    prefill,
    "This model does not support assistant message prefill. The conversation must end with a user message.",
    "https://github.com/NousResearch/hermes-agent/issues/105780",
)
NO_PREFILL_WHILE_THINKING = Check(
    both(manual, prefill), "assistant message prefill cannot be used when thinking is enabled", EXTENDED
)
NO_SYSTEM_ROLE = Check(
    where("messages/*/role", is_in("system")),
    "role 'system' is not supported on this model",
    f"{CLAUDES}build-with-claude/mid-conversation-system-messages",
)
blank: Test = lambda value: isinstance(value, str) and not value.strip()  # noqa: E731
BLANK_STOP = Check(
    where(f"{INFERENCE}stopSequences/*", blank),
    "stop_sequences: each stop sequence must contain non-whitespace",
    f"{CLAUDES}api/messages",
)


def limit(most: int) -> Check:
    message = f"max_tokens: … > {most}, which is the maximum allowed number of output tokens"
    return Check(where(f"{INFERENCE}maxTokens", is_over(most)), message, f"{CLAUDES}about-claude/models/overview")


# --- the models -------------------------------------------------------------------------------------------------------

EVERY = (
    BESIDE_RESULTS,
    BEHIND_DOCUMENT,
    OUT_OF_RANGE,
    UNTYPED,
    TWO_CHOICES,
    UNTYPED_CHOICE,
    NO_TOOLS,
    UNANNOUNCED,
    COMPOSED,
    BLANK_STOP,
)
OLD = (NO_ADAPTIVE, NO_BETWEEN, *BUDGETS, NO_PREFILL_WHILE_THINKING, NO_SYSTEM_ROLE, efforts())
OF_4_6 = (
    *(ONE_OF_TWO, NO_BETWEEN, *BUDGETS, efforts("low", "medium", "high", "max"), NO_PREFILL, NO_SYSTEM_ROLE),
    *ENFORCED,
)
SINCE_4_7 = (*UNSAMPLED, ONE_OF_TWO, NO_BUDGETS, efforts(*FIVE), NO_PREFILL, limit(128_000), *UNENFORCED)
ALWAYS = (NOT_OFF, NO_BETWEEN)
OPUS = "anthropic.claude-opus"
NEVER = "us.anthropic.claude-3-5-sonnet-20241022-v2:0 anthropic.claude-3-haiku-20240307-v1:0"
FIRST = (
    "us.anthropic.claude-3-7-sonnet-20250219-v1:0 us.anthropic.claude-sonnet-4-20250514-v1:0 "
    "us.anthropic.claude-opus-4-20250514-v1:0"
)
OF_4_5 = "us.anthropic.claude-sonnet-4-5-20250929-v1:0 global.anthropic.claude-haiku-4-5-20251001-v1:0"
FABLES = "us.anthropic.claude-fable-5 us.anthropic.claude-mythos-5"
FABLES_5_1 = "us.anthropic.claude-fable-5-1 us.anthropic.claude-mythos-5-1 us.anthropic.claude-fable-5-2"

JUDGES = {
    **table(CONVERSE, NEVER, EVERY, (NO_THINKING, efforts(), NO_SYSTEM_ROLE, NOT_ALONE, *UNENFORCED)),
    **table(CONVERSE, FIRST, EVERY, OLD, (NOT_ALONE, *UNENFORCED)),
    **table(CONVERSE, f"us.{OPUS}-4-1-20250805-v1:0", EVERY, OLD, (ONE_OF_TWO, NOT_ALONE, limit(32_000), *UNENFORCED)),
    **table(CONVERSE, OF_4_5, EVERY, OLD, (ONE_OF_TWO, limit(64_000), *ENFORCED)),
    **table(CONVERSE, f"global.{OPUS}-4-5-20251101-v1:0", EVERY, OLD, (ONE_OF_TWO, limit(64_000), *ENFORCED)),
    **table(CONVERSE, f"us.{OPUS}-4-6-v1 us.anthropic.claude-sonnet-4-6", EVERY, OF_4_6, (UNFORCED_WHILE_THINKING,)),
    **table(CONVERSE, f"us.{OPUS}-4-7", EVERY, SINCE_4_7, (NO_BETWEEN, NO_SYSTEM_ROLE, UNFORCED_WHILE_THINKING)),
    **table(CONVERSE, f"us.{OPUS}-4-8 us.anthropic.claude-sonnet-5", EVERY, SINCE_4_7, (NO_BETWEEN, NO_SYSTEM_ROLE)),
    **table(CONVERSE, f"us.{OPUS}-5", EVERY, SINCE_4_7, (NO_BETWEEN, NO_SYSTEM_ROLE, OFF_AND_HIGH)),
    **table(CONVERSE, FABLES, EVERY, SINCE_4_7, ALWAYS, (NO_SYSTEM_ROLE,)),
    **table(CONVERSE, FABLES_5_1, EVERY, SINCE_4_7, ALWAYS, (NOT_FORCED,)),
    **table(CONVERSE, f"us.{OPUS}-5-5", EVERY, SINCE_4_7, ALWAYS, (NOT_FORCED,)),
    **table(CONVERSE, "anthropic.claude-sonnet-5-5", EVERY, SINCE_4_7, (NOT_OFF, *BETWEEN, NOT_FORCED)),
    **table(CONVERSE, "anthropic.claude-haiku-5-5", EVERY, SINCE_4_7[:-1], (NO_BETWEEN, OFF_AND_HIGH)),
}
IGNORES: dict[tuple[str, str], tuple[Check, ...]] = {}

_ALL = "stop images documents max_tokens"
_SAMPLED = f"{_ALL} temperature top_p top_k forced_choice"
_MANUAL = "thinking:budget thinking:disabled"
_SHAPED = "structured_output strict_tools parallel_calls"
_LATER = f"{_ALL} parallel_calls"
TAKES = {
    **{(CONVERSE, name): takes(_SAMPLED) for name in NEVER.split()},
    **{(CONVERSE, name): takes(f"{_SAMPLED} {_MANUAL}") for name in (*FIRST.split(), f"us.{OPUS}-4-1-20250805-v1:0")},
    **{(CONVERSE, name): takes(f"{_SAMPLED} {_MANUAL} {_SHAPED}") for name in OF_4_5.split()},
    (CONVERSE, f"global.{OPUS}-4-5-20251101-v1:0"): takes(f"{_SAMPLED} {_MANUAL} {_SHAPED}"),
    **{
        (CONVERSE, name): takes(f"{_SAMPLED} {_MANUAL} {_SHAPED}", "low medium high max")
        for name in (f"us.{OPUS}-4-6-v1", "us.anthropic.claude-sonnet-4-6")
    },
    **{
        (CONVERSE, name): takes(f"{_LATER} forced_choice thinking:disabled", " ".join(FIVE))
        for name in (f"us.{OPUS}-4-7", f"us.{OPUS}-4-8", f"us.{OPUS}-5", "us.anthropic.claude-sonnet-5")
    },
    (CONVERSE, "anthropic.claude-haiku-5-5"): takes(
        f"{_LATER} forced_choice thinking:disabled system_in_place", " ".join(FIVE)
    ),
    **{(CONVERSE, name): takes(f"{_LATER} forced_choice", " ".join(FIVE)) for name in FABLES.split()},
    **{
        (CONVERSE, name): takes(f"{_LATER} system_in_place", " ".join(FIVE))
        for name in (*FABLES_5_1.split(), f"us.{OPUS}-5-5", "anthropic.claude-sonnet-5-5")
    },
}
