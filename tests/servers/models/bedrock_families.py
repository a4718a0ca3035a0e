"""The other families behind Bedrock's Converse: what errors of the service, and documents, say that they refuse.

Written from threads and documents (read 2026-11-29), apart from `proxai_ir.profiles`. What is refused of streams alone
no body shows: tests/exchange/test_whole_for_streams.py has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tests.servers.models.bedrock import OUT_OF_RANGE
from tests.servers.models.judge import (
    CONVERSE,
    Check,
    Json,
    Refuses,
    both,
    forced_choice,
    is_in,
    is_other_than,
    strict_tools,
    structured_output,
    table,
    takes,
    values,
    where,
)

GUIDE = "https://docs.aws.amazon.com/bedrock/latest/userguide/"
FEATURES = f"{GUIDE}conversation-inference-supported-models-features.html"
NOVA_GUIDE = "https://docs.aws.amazon.com/nova/latest/userguide/"
PYDANTIC = "https://github.com/pydantic/pydantic-ai/"
PROFILES = f"{PYDANTIC}blob/main/pydantic_ai_slim/pydantic_ai/providers/bedrock.py"
ADDED = "additionalModelRequestFields"
BLOCKS = "messages/*/content/*"
INSIDE = f"{BLOCKS}/toolResult/content/*"


def refused(found: Refuses, message: str, source: str) -> Check:
    return Check(found, message, source)


def _contents(payload: Json) -> Iterator[tuple[str, Json]]:
    """Each message's role and content, with the pointer to it."""
    for number, message in enumerate(payload.get("messages") or ()):
        yield f"/messages/{number}", message


# --- tools ------------------------------------------------------------------------------------------------------------

NO_TOOLS = refused(
    where("toolConfig"),
    "This model doesn't support tool use.",
    "https://github.com/langchain-ai/langchain-aws/issues/447",
)
NOT_FORCED = refused(
    forced_choice[CONVERSE],
    "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again.",
    "https://github.com/run-llama/llama_index/issues/19886",
)
NOT_NAMED = refused(
    where("toolConfig/toolChoice/tool"),
    "This model doesn't support the toolConfig.toolChoice.tool field. Remove toolConfig.toolChoice.tool and try again.",
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html",
)
NO_STATUS = refused(
    where(f"{BLOCKS}/toolResult/status"),
    "This model doesn't support the status field. Remove status and try again.",
    PROFILES,
)


def _not_alone(payload: Json) -> str | None:
    for pointer, message in _contents(payload):
        kinds = [next(iter(block)) for block in message["content"]]
        others = [at for at, kind in enumerate(kinds) if kind not in ("toolResult", "cachePoint")]
        if "toolResult" in kinds and others:
            return f"{pointer}/content/{others[0]}"
    return None


NOT_ALONE = refused(
    _not_alone,
    "Conversation blocks and tool result blocks cannot be provided in the same turn.",
    "https://github.com/strands-agents/sdk-python/issues/1223",
)
NINE = re.compile(r"[a-zA-Z0-9]{9}")
LONG_IDS = refused(
    where(f"{BLOCKS}/toolUse/toolUseId", lambda given: NINE.fullmatch(given) is None),
    "Tool call id was tooluse_a but must be a-z, A-Z, 0-9, with a length of 9.",
    "https://github.com/vercel/ai/issues/11802",
)


def _more_at_the_top(payload: Json) -> str | None:
    for pointer, schema in values(payload, "toolConfig/tools/*/toolSpec/inputSchema/json"):
        more = [key for key in schema if key not in ("type", "properties", "required")]
        if more:
            return f"{pointer}/{more[0]}"
    return None


def _dangling(payload: Json) -> str | None:
    """A reference to definitions that are not there."""
    for pointer, schema in values(payload, "toolConfig/tools/*/toolSpec/inputSchema/json"):
        if '"$ref"' in str(schema).replace("'", '"') and "$defs" not in schema:
            return pointer
    return None


TOP = refused(
    _more_at_the_top,
    "The model returned the following errors: Malformed input request: #/toolConfig/tools/0/toolSpec/inputSchema/json: "
    "extraneous key [definitions] is not permitted, please reformat your input and try again.",
    "https://github.com/zed-industries/zed/issues/28521",
)
DANGLING = refused(_dangling, "a reference to what the schema does not define", f"{PYDANTIC}issues/1623")

# --- content ----------------------------------------------------------------------------------------------------------


@cache
def no_block(kind: str, inside: bool = False) -> Check:
    holder = "a toolResult's content" if inside else "messages"
    return refused(
        where(f"{INSIDE if inside else BLOCKS}/{kind}"),
        f"This model doesn't support the {kind} content block in {holder}.",
        PROFILES if inside else FEATURES,
    )


def _files_inside(payload: Json) -> str | None:
    found = values(payload, f"{INSIDE}/document/format")
    return next((pointer for pointer, form in found if form in ("pdf", "doc", "docx", "xls", "xlsx")), None)


FILES_INSIDE = refused(_files_inside, "This model doesn't support the document content block", PROFILES)


def _cites(payload: Json) -> str | None:
    at = [f"{BLOCKS}/document/citations/enabled", f"{INSIDE}/document/citations/enabled"]
    asked = (pointer for path in at for pointer, on in values(payload, path) if on is True)
    return next(asked, None) or where(f"{BLOCKS}/citationsContent")(payload)


UNCITED = refused(_cites, "This model doesn't support citations.", PROFILES)
NO_SYSTEM = refused(
    where("system"),
    "This model doesn't support system messages. Try again without a system message or use a model that supports "
    "system messages.",
    "https://github.com/danny-avila/LibreChat/issues/6456",
)
USER_FIRST = refused(
    lambda payload: "/messages/0/role" if payload["messages"][0]["role"] == "assistant" else None,
    "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    f"{PYDANTIC}pull/6255",
)
SIGNED = refused(
    where(f"{BLOCKS}/reasoningContent/reasoningText/signature"),
    "User messages cannot contain reasoning content: a signature is Anthropic's",
    "https://github.com/langchain-ai/langchain-aws/issues/401",
)
REDACTED = refused(
    where(f"{BLOCKS}/reasoningContent/redactedContent"),
    "User messages cannot contain reasoning content: a blob of Claude's",
    "https://github.com/langchain-ai/langchain-aws/issues/401",
)
NO_REASONING = refused(
    where(f"{BLOCKS}/reasoningContent"),
    "User messages cannot contain reasoning content. Please remove the reasoning content and try again.",
    "https://github.com/langchain-ai/langchain-aws/issues/401",
)

# --- cache points -----------------------------------------------------------------------------------------------------

POINTS = ("system/*", BLOCKS, "toolConfig/tools/*")


def _ttl(payload: Json) -> str | None:
    found = (one for path in POINTS for one in values(payload, f"{path}/cachePoint/ttl"))
    return next((pointer for pointer, ttl in found if ttl == "1h"), None)


def _point(payload: Json) -> str | None:
    return next((pointer for path in POINTS for pointer, _ in values(payload, f"{path}/cachePoint")), None)


def _behind_document(payload: Json) -> str | None:
    for pointer, message in _contents(payload):
        blocks = message["content"]
        for at, block in enumerate(blocks[1:], 1):
            if "cachePoint" in block and "document" in blocks[at - 1]:
                return f"{pointer}/content/{at}"
    return None


def _behind_result(payload: Json) -> str | None:
    for pointer, message in _contents(payload):
        blocks = message["content"]
        for at, block in enumerate(blocks[1:], 1):
            if "cachePoint" in block and "toolResult" in blocks[at - 1]:
                return f"{pointer}/content/{at}"
    return None


FIVE_MINUTES = refused(
    _ttl, "ttl: 1h is not supported for this model", "https://github.com/can1357/oh-my-pi/issues/6409"
)
UNCACHED = refused(
    _point,
    "You invoked an unsupported model or your request did not allow prompt caching.",
    f"{GUIDE}prompt-caching.html",
)
BEHIND_DOCUMENT = refused(
    _behind_document,
    "ValidationException: a cachePoint cannot follow a document",
    f"{PYDANTIC}blob/main/pydantic_ai_slim/pydantic_ai/models/bedrock.py",
)
BEHIND_RESULT = refused(
    _behind_result,
    "Malformed input request: #/messages/6/content/0: extraneous key [cachePoint] is not permitted",
    "https://github.com/earendil-works/pi/issues/2053",
)
NO_TOOL_POINTS = refused(
    where("toolConfig/tools/*/cachePoint"),
    "Malformed input request: #/toolConfig/tools/1: extraneous key [cachePoint] is not permitted",
    f"{GUIDE}prompt-caching.html",
)

# --- settings ---------------------------------------------------------------------------------------------------------

NO_STOPS = refused(
    where("inferenceConfig/stopSequences"),
    "This model doesn't support the stopSequences field. Remove stopSequences and try again.",
    "https://github.com/langgenius/dify-official-plugins/issues/1767",
)
NO_FORMAT = refused(
    structured_output[CONVERSE],
    "This model doesn't support the outputConfig.textFormat field. Remove outputConfig.textFormat and try again.",
    f"{GUIDE}structured-output.html",
)
NOT_STRICT = refused(
    strict_tools[CONVERSE],
    "This model doesn't support the toolConfig.tools.0.toolSpec.strict field. Remove it and try again.",
    f"{GUIDE}structured-output.html",
)
UNSAMPLED = (
    refused(
        where("inferenceConfig/temperature"),
        "This model doesn't support the temperature field. Remove temperature and try again.",
        "https://github.com/strands-agents/env/issues/258",
    ),
    refused(
        where("inferenceConfig/topP"),
        "This model doesn't support the topP field. Remove topP and try again.",
        "https://github.com/strands-agents/env/issues/258",
    ),
)


def only(*fields: str) -> Check:
    """Fields of no other name may be added."""

    def more(payload: Json) -> str | None:
        return next((f"/{ADDED}/{key}" for key in payload.get(ADDED) or () if key not in fields), None)

    return refused(
        more,
        "Malformed input request: #: extraneous key [thinking] is not permitted, please reformat your input.",
        f"{GUIDE}model-parameters.html",
    )


NO_EFFORT_OF_CLAUDE = refused(
    where("outputConfig/effort"), "outputConfig.effort: only Claude has it", f"{GUIDE}model-parameters.html"
)


def effort(path: str, *levels: str) -> tuple[Check, ...]:
    """Efforts that stand at a path, and the fields that go with it."""
    return (
        refused(
            where(f"{ADDED}/{path}", is_other_than(*levels)),
            f"Unsupported value: {path} must be one of {', '.join(levels)}",
            PROFILES,
        ),
        only(path.partition("/")[0]),
        NO_EFFORT_OF_CLAUDE,
    )


SILENT = (only(), NO_EFFORT_OF_CLAUDE)
NOVA_2 = (
    refused(
        where(f"{ADDED}/reasoningConfig/maxReasoningEffort", is_other_than("low", "medium", "high")),
        "maxReasoningEffort must be one of low, medium, high",
        "https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html",
    ),
    *(
        refused(
            both(where(f"{ADDED}/reasoningConfig/maxReasoningEffort", is_in("high")), where(f"inferenceConfig/{name}")),
            f"{name} must be unset when maxReasoningEffort is high",
            "https://github.com/promptfoo/promptfoo/pull/6531",
        )
        for name in ("temperature", "topP", "maxTokens")
    ),
    only("reasoningConfig", "inferenceConfig"),
)

# --- the families -----------------------------------------------------------------------------------------------------

EVERY = (OUT_OF_RANGE, UNCITED, SIGNED, REDACTED, NO_EFFORT_OF_CLAUDE, no_block("audio"))
UNMARKED = (*EVERY, UNCACHED)
PLAIN = (NO_FORMAT, NOT_STRICT)
NOVA = (
    *EVERY,
    *PLAIN,
    FIVE_MINUTES,
    BEHIND_DOCUMENT,
    BEHIND_RESULT,
    NO_TOOL_POINTS,
    TOP,
    DANGLING,
    FILES_INSIDE,
    USER_FIRST,
)
NOVA_1 = (*NOVA, only("inferenceConfig"))
LLAMA = (*UNMARKED, *PLAIN, only(), NOT_FORCED, NOT_ALONE, USER_FIRST, NO_REASONING, no_block("video"))
MISTRAL = (
    *(*UNMARKED, only(), NOT_NAMED, NOT_ALONE, USER_FIRST, LONG_IDS),
    *(no_block("image", True), no_block("video")),
)
DEEPSEEK = (*UNMARKED, *PLAIN, NOT_FORCED, no_block("image"), no_block("video"))
QWEN = (*UNMARKED, NOT_FORCED, NO_STOPS, no_block("image", True), no_block("document", True), no_block("video"))
QWEN_EFFORTS = effort("reasoning_config", "none", "low", "medium", "high")
HIGH_ONLY = effort("reasoning_effort", "none", "low", "medium", "high")
KIMI = (*UNMARKED, only(), no_block("image", True), no_block("document", True), no_block("video"))
GPT = (*UNMARKED, *PLAIN, *UNSAMPLED, NO_REASONING, NO_STOPS, NOT_FORCED)

JUDGES = {
    **table(CONVERSE, "us.amazon.nova-pro-v1:0", NOVA_1, (NO_REASONING,)),
    **table(CONVERSE, "us.amazon.nova-micro-v1:0", NOVA_1, (no_block("image"), no_block("document"))),
    **table(CONVERSE, "us.amazon.nova-2-lite-v1:0", NOVA, NOVA_2),
    **table(CONVERSE, "meta.llama3-8b-instruct-v1:0", LLAMA, (NO_TOOLS, no_block("image"))),
    **table(
        CONVERSE, "us.meta.llama3-1-70b-instruct-v1:0 us.meta.llama3-3-70b-instruct-v1:0", LLAMA, (no_block("image"),)
    ),
    **table(CONVERSE, "us.meta.llama4-maverick-17b-instruct-v1:0", LLAMA),
    **table(CONVERSE, "mistral.mistral-large-2407-v1:0", MISTRAL, PLAIN, (NO_REASONING, no_block("image"))),
    **table(CONVERSE, "mistral.mistral-large-3-675b-instruct", MISTRAL, (NO_REASONING,)),
    **table(CONVERSE, "mistral.ministral-3-14b-instruct", MISTRAL, (NO_REASONING,)),
    **table(CONVERSE, "us.mistral.pixtral-large-2502-v1:0", MISTRAL, PLAIN),
    **table(CONVERSE, "mistral.mistral-7b-instruct-v0:2", MISTRAL, PLAIN, (NO_TOOLS, NO_SYSTEM, no_block("image"))),
    **table(CONVERSE, "us.deepseek.r1-v1:0", DEEPSEEK, (NO_TOOLS, NO_REASONING, only())),
    **table(CONVERSE, "deepseek.v3-v1:0", DEEPSEEK, (NO_STOPS, NO_REASONING, only())),
    **table(CONVERSE, "deepseek.v3.2", DEEPSEEK, (NO_STOPS, NO_REASONING), HIGH_ONLY),
    **table(CONVERSE, "qwen.qwen3-32b-v1:0", QWEN, QWEN_EFFORTS, (no_block("image"),)),
    **table(CONVERSE, "qwen.qwen3-235b-a22b-2507-v1:0", QWEN, QWEN_EFFORTS, (no_block("image"), NO_REASONING)),
    **table(CONVERSE, "qwen.qwen3-coder-480b-a35b-v1:0", QWEN, QWEN_EFFORTS, (no_block("image"), NO_REASONING)),
    **table(CONVERSE, "qwen.qwen3-vl-235b-a22b", QWEN, QWEN_EFFORTS),
    **table(CONVERSE, "moonshotai.kimi-k2.5", KIMI),
    **table(CONVERSE, "zai.glm-4.7", UNMARKED, HIGH_ONLY),
    **table(CONVERSE, "zai.glm-5.3", UNMARKED, effort("reasoning_effort", "low", "medium", "high", "xhigh", "max")),
    **table(
        CONVERSE, "cohere.command-r-plus-v1:0", UNMARKED, PLAIN, (only(), NOT_FORCED, USER_FIRST, no_block("image"))
    ),
    **table(
        CONVERSE,
        "openai.gpt-oss-120b-1:0",
        (*UNMARKED, *PLAIN, NOT_FORCED, NO_STOPS, no_block("image")),
        effort("reasoning_effort", "low", "medium", "high"),
    ),
    **table(CONVERSE, "openai.gpt-5.6-sol", GPT, effort("reasoning/effort", "none", "low", "medium", "high", "xhigh")),
    **table(CONVERSE, "openai.gpt-6-astra", GPT, effort("reasoning/effort", "low", "medium", "high", "xhigh")),
    **table(
        CONVERSE,
        "xai.grok-4-6",
        (*UNMARKED, *PLAIN, *UNSAMPLED, NO_REASONING, NO_STOPS),
        effort("reasoning/effort", "low", "medium", "high", "xhigh"),
    ),
    **table(CONVERSE, "google.gemma-3-27b-it", UNMARKED, (only(), NOT_FORCED, NO_REASONING)),
    **table(CONVERSE, "nvidia.nemotron-nano-9b-v2", UNMARKED, (only(), NOT_FORCED, NO_REASONING)),
    **table(
        CONVERSE, "us.writer.palmyra-x5-v1:0", UNMARKED, PLAIN, (only(), NOT_FORCED, NOT_ALONE, NO_STATUS, NO_REASONING)
    ),
    **table(CONVERSE, "minimax.minimax-m2", UNMARKED, (only(), NOT_FORCED)),
    **table(
        CONVERSE, "amazon.titan-text-express-v1", UNMARKED, PLAIN, (only(), NO_TOOLS, NO_SYSTEM, no_block("image"))
    ),
}
IGNORES: dict[tuple[str, str], tuple[Check, ...]] = {}

_USUAL = "temperature top_p max_tokens"
_TAKES = {
    "us.amazon.nova-pro-v1:0 us.amazon.nova-micro-v1:0 us.amazon.nova-2-lite-v1:0": f"{_USUAL} stop forced_choice",
    "us.meta.llama3-3-70b-instruct-v1:0 us.meta.llama4-maverick-17b-instruct-v1:0": f"{_USUAL} stop",
    "mistral.mistral-large-2407-v1:0": f"{_USUAL} stop",
    "mistral.mistral-large-3-675b-instruct mistral.ministral-3-14b-instruct": f"{_USUAL} stop structured_output",
    "deepseek.v3-v1:0 deepseek.v3.2": _USUAL,
    "qwen.qwen3-32b-v1:0 qwen.qwen3-vl-235b-a22b": f"{_USUAL} structured_output",
    "moonshotai.kimi-k2.5 zai.glm-4.7 zai.glm-5.3": f"{_USUAL} stop forced_choice structured_output",
    "openai.gpt-oss-120b-1:0 cohere.command-r-plus-v1:0": _USUAL,
    "openai.gpt-5.6-sol openai.gpt-6-astra": "max_tokens",
    "xai.grok-4-6": "max_tokens forced_choice",
}
TAKES = {
    **{pair: takes("max_tokens") for pair in JUDGES},
    **{(CONVERSE, name): takes(words) for names, words in _TAKES.items() for name in names.split()},
}
