"""The facts about models that only Bedrock has, and about how Bedrock serves those of others (CAP-5).

What single families refuse is mostly told by clients whose authors asked the service: pydantic-ai, of its recorded
requests, and strands-agents. Names of Nova without a version are Nova 1.
"""

from __future__ import annotations

from ..facts import BEDROCK, CONVERSE, OTHER, best, fact
from .anthropic import CLAUDE, OLDER

NOVA = "https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html"
GROUNDING = (
    "https://docs.aws.amazon.com/nova/latest/userguide/grounding.html (Premier of version 1) and "
    "nova/latest/nova2-userguide/web-grounding.html: the system tool `nova_grounding`, in regions of the US"
)
NOVA_TURNS = "https://docs.aws.amazon.com/nova/latest/userguide/invoke.html"
NOVA_MEDIA = "https://docs.aws.amazon.com/nova/latest/userguide/modalities.html"
TEXT_TO_TEXT = (
    "https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-deepseek.html: R1 and V3.1 are text-to-text "
    "models"
)
V3_2 = "https://docs.aws.amazon.com/bedrock/latest/userguide/model-card-deepseek-deepseek-v3-2.html"
QWEN_CARDS = (
    "https://docs.aws.amazon.com/bedrock/latest/userguide/model-cards-qwen.html: VL alone processes images "
    "(https://github.com/braintrustdata/braintrust-proxy/issues/549, from the cards' tables of modalities)"
)
GPT_OSS = "https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-openai.html"
FEATURES = "https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html"
TURNS = "A conversation must start with a user message (https://github.com/pydantic/pydantic-ai/pull/6255)"
ASKED = "pydantic-ai-slim 2.68.0, `providers/bedrock.py`: asked of the service"
TESTED = "pydantic-ai-slim 2.68.0, `models/bedrock.py`: asked of the service"
REPLAYED = (
    "User messages cannot contain reasoning content (https://github.com/langchain-ai/langchain-aws/issues/401): of "
    "which models is listed in strands-agents 1.62.0, `models/bedrock.py`"
)
BOTOCORE = (
    "This model doesn't support the toolConfig.toolChoice.any field (https://github.com/run-llama/llama_index/issues/"
    "19886); botocore 1.44.5, `ToolChoice.tool`: Claude 3 and Nova; pydantic-ai-slim 2.68.0 forces no other"
)
IN_STREAMS = (
    "This model doesn't support tool use in streaming mode. (https://github.com/earendil-works/pi/issues/3739, "
    "https://github.com/langchain-ai/langchain-aws/pull/466); Converse has them"
)
NO_TOOLS = (
    "This model doesn't support tool use. (https://github.com/danny-avila/LibreChat/issues/6304, "
    "https://github.com/langchain-ai/langchain-aws/issues/447)"
)
NO_STOPS = (
    "This model doesn't support the stopSequences field. Remove stopSequences and try again. "
    "(https://github.com/langgenius/dify-official-plugins/issues/1767, https://github.com/crewAIInc/crewAI/issues/3317)"
)
ALONE = (
    "Conversation blocks and tool result blocks cannot be provided in the same turn. "
    "(https://github.com/strands-agents/sdk-python/issues/1223, https://github.com/pydantic/pydantic-ai/issues/6081)"
)
NO_SYSTEM = (
    "This model doesn't support system messages. Try again without a system message or use a model that supports "
    "system messages. (https://github.com/danny-avila/LibreChat/issues/6456)"
)
TOP_LEVEL = (
    "https://docs.aws.amazon.com/nova/latest/userguide/prompting-tool-troubleshooting.html: only three fields are "
    "supported in the top-level object; extraneous key [definitions] is not permitted "
    "(https://github.com/zed-industries/zed/issues/28521)"
)
LONE = (
    "https://github.com/NousResearch/hermes-agent/issues/105780: Sonnet 5 and Fable 5.1 refuse an assistant message of "
    "reasoning alone, before another message too (This model does not support assistant message prefill); Sonnet 4.6 "
    "takes it"
)
FORCED = (
    "https://github.com/langchain-ai/langchain-aws/pull/1151: models up to Claude 4.7 refuse it (pull/1141: Opus 4.8, "
    "Sonnet 5 and Fable 5 do not); Anthropic's own API takes it, as a recording with Opus 4.6 shows"
)
CACHING = "https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html; https://github.com/can1357/oh-my-pi/issues/6409"
FORMATS = "https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html; pydantic-ai-slim 2.68.0"
PARAMETERS = "https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html"
GPTS = "gpt gpt-oss"
COHERE = "c4ai-aya command command-a command-r command-r7b"
MISTRAL = (
    "devstral magistral-medium magistral-small ministral mistral mistral-large mistral-medium mistral-nemo "
    "mistral-small mixtral pixtral voxtral"
)
USER_FIRST = f"{COHERE} {MISTRAL} jamba llama palmyra"
OTHERS = f"{USER_FIRST} deepseek gemma glm grok kimi minimax nemotron qwen titan {OTHER}"
LOOKED = "2026-11-28"
READ = "2026-11-29"
NOT_ENFORCED = " ".join(one for one in MISTRAL.split() if one not in ("magistral-small", "voxtral"))
NOT_CLAUDE = f"nova gpt-oss {OTHERS}"
UNFORCED = f"{COHERE} gpt-oss deepseek gemma jamba llama minimax nemotron palmyra qwen titan"
UNFORMATTED = f"{COHERE} gpt-oss {NOT_ENFORCED} deepseek gemma grok jamba llama nemotron nova palmyra titan"

FACTS = (
    fact("nova", family="nova", source=NOVA, looked=LOOKED),
    fact("nova", assistant_first=False, source=NOVA_TURNS, looked=LOOKED),
    fact("nova", but="micro", video=True, source=NOVA_MEDIA, looked=LOOKED),
    fact("nova", only="micro", images=False, documents=False, source=FEATURES, looked=LOOKED),
    fact("gpt-oss", family="openai", source=ASKED, looked=READ),
    # "Converse rejects the flat `reasoning_effort` that gpt-oss takes as an unknown parameter."
    fact("gpt", family="responses", server=BEDROCK, source=ASKED, looked=READ),
    fact(OTHERS, family="other", source=PARAMETERS, looked=LOOKED),
    fact(USER_FIRST, assistant_first=False, source=TURNS, looked=LOOKED),
    # --- what all of several families refuse -------------------------------------------------------------------------
    fact(
        NOT_CLAUDE,
        server=BEDROCK,
        citations=False,
        source=f"This model doesn't support citations. ({ASKED})",
        looked=READ,
    ),
    fact("gpt", server=BEDROCK, since="5.6", citations=False, tool_choice=False, source=ASKED, looked=READ),
    fact("gpt", server=BEDROCK, since="5.6", structured_output=False, strict_tools=False, source=FORMATS, looked=READ),
    fact(UNFORCED, server=BEDROCK, tool_choice=False, source=BOTOCORE, looked=READ),
    fact(UNFORMATTED, server=BEDROCK, structured_output=False, strict_tools=False, source=FORMATS, looked=READ),
    # Strands drops only what is certain to fail; the thread about Kimi and GLM (pi#1505) is of signed reasoning.
    fact(
        "glm gpt-oss kimi magistral-small minimax nemotron qwen",
        server=BEDROCK,
        unsigned_thinking=True,
        source=REPLAYED,
        looked=READ,
    ),
    fact("nova", server=BEDROCK, since="2", unsigned_thinking=True, source=REPLAYED, looked=READ),
    fact("nemotron", server=BEDROCK, only="9b super", unsigned_thinking=False, source=REPLAYED, looked=READ),
    fact("qwen", server=BEDROCK, only="235b coder", but="vl", unsigned_thinking=False, source=REPLAYED, looked=READ),
    # --- Claude ------------------------------------------------------------------------------------------------------
    fact(OLDER, server=BEDROCK, until="4.4", long_caching=False, source=CACHING, looked=READ),
    # "Thinking may not be enabled when tool_choice forces tool use", adaptive thinking too; budgets give way (RSN-18).
    fact(OLDER, server=BEDROCK, since="4.6", until="4.7", forced_with_thinking=False, source=FORCED, looked=READ),
    fact(CLAUDE, server=BEDROCK, since="5", lone_reasoning=False, source=LONE, looked=READ),
    # --- Nova --------------------------------------------------------------------------------------------------------
    fact("nova", server=BEDROCK, only="lite micro premier pro", thinking=False, source=NOVA, looked=READ),
    fact("nova", server=BEDROCK, since="2", thinking=True, source=NOVA, looked=READ),
    fact("nova", server=BEDROCK, only="premier", web_search=True, source=GROUNDING, looked=READ),
    fact("nova", server=BEDROCK, since="2", web_search=True, source=GROUNDING, looked=READ),
    fact("nova", server=BEDROCK, long_caching=False, source=CACHING, looked=READ),
    fact("nova", server=BEDROCK, schema_keywords=False, source=TOP_LEVEL, looked=READ),
    # "inside a `toolResult` it accepts images and text-based documents (csv/txt) but rejects binary documents"
    fact("nova", server=BEDROCK, result_media="legible", beside_results="all", source=ASKED, looked=READ),
    # --- Llama -------------------------------------------------------------------------------------------------------
    fact("llama", server=BEDROCK, stream_tools=False, source=IN_STREAMS, looked=READ),
    fact("llama", server=BEDROCK, beside_results="nothing", source=ALONE, looked=READ),
    fact("llama", server=BEDROCK, until="3.0", function_tools=False, source=FEATURES, looked=READ),
    fact("llama", server=BEDROCK, until="3.1", images=False, source=FEATURES, looked=READ),
    fact(
        "llama",
        server=BEDROCK,
        since="3.2",
        until="3.2",
        only="1b 3b",
        function_tools=False,
        images=False,
        source=FEATURES,
        looked=READ,
    ),
    # --- Mistral -----------------------------------------------------------------------------------------------------
    fact(MISTRAL, server=BEDROCK, beside_results="nothing", source=ALONE, looked=READ),
    fact(MISTRAL, server=BEDROCK, result_media="documents", source=ASKED, looked=READ),
    # This follows LiteLLM and langchain-aws, which send `any`; pydantic-ai, which asked nobody, sends none.
    fact(MISTRAL, server=BEDROCK, named_choice=False, source=BOTOCORE, looked=READ),
    fact(
        MISTRAL,
        server=BEDROCK,
        call_ids=False,
        looked=READ,
        source="Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9. (https://github.com/vercel/ai/issues/11802)",
    ),
    fact(
        "ministral mistral-large",
        server=BEDROCK,
        since="3",
        structured_output=True,
        strict_tools=True,
        source=FORMATS,
        looked=READ,
    ),
    fact(
        "mistral",
        server=BEDROCK,
        since="7",
        until="7",
        function_tools=False,
        instruction_roles=False,
        images=False,
        source=FEATURES,
        looked=READ,
    ),
    fact(
        "mixtral",
        server=BEDROCK,
        function_tools=False,
        instruction_roles=False,
        images=False,
        source=FEATURES,
        looked=READ,
    ),
    fact("mistral-large", server=BEDROCK, images=False, source=FEATURES, looked=READ),
    fact("mistral-large", server=BEDROCK, since="3", images=True, source=ASKED, looked=READ),
    # --- DeepSeek ----------------------------------------------------------------------------------------------------
    fact("deepseek", server=BEDROCK, only="r1", images=False, source=TEXT_TO_TEXT, looked=READ),
    fact("deepseek", server=BEDROCK, since="3", until="3.1", images=False, source=TEXT_TO_TEXT, looked=READ),
    fact("deepseek", server=BEDROCK, since="3.2", until="3.2", images=False, source=V3_2, looked=READ),
    fact("deepseek", server=BEDROCK, only="r1", function_tools=False, thinking=False, source=NO_TOOLS, looked=READ),
    # ldayton/Parable#285 says that V3.1 has no tools at all; this follows the milder obot-platform/obot#4101.
    fact(
        "deepseek",
        server=BEDROCK,
        since="3",
        until="3.1",
        stream_tools=False,
        looked=READ,
        source="https://github.com/obot-platform/obot/issues/4101: no tool calls with the streaming API",
    ),
    fact(
        "deepseek",
        server=BEDROCK,
        since="3",
        stop_sequences=False,
        looked=READ,
        source="https://github.com/langchain-ai/langchain-aws/issues/664: R1 supports stop sequences, V3.1 does not",
    ),
    # "Converse accepts `none`, `low`, `medium`, and `high`, but in live checks only `high` produced reasoning"
    fact(
        "deepseek",
        server=BEDROCK,
        since="3.2",
        family="openai",
        least_effort="high",
        highest_effort="high",
        thinking_off=True,
        thinks_by_default=False,
        source=TESTED,
        looked=READ,
    ),
    # --- Qwen --------------------------------------------------------------------------------------------------------
    fact("qwen", server=BEDROCK, stop_sequences=False, source=NO_STOPS, looked=READ),
    fact("qwen", server=BEDROCK, result_media="none", documents=False, source=ASKED, looked=READ),
    # Later versions take images elsewhere, and no card of theirs was found.
    fact("qwen", server=BEDROCK, until="3.0", but="vl", images=False, source=QWEN_CARDS, looked=READ),
    # Of its `reasoning_config` "only `high` produced reasoning in live checks", so `medium` is not what it says.
    fact(
        "qwen",
        server=BEDROCK,
        family="qwen",
        least_effort="low",
        highest_effort="high",
        medium_effort=False,
        thinking_off=True,
        thinks_by_default=False,
        source=TESTED,
        looked=READ,
    ),
    fact("qwen", server=BEDROCK, only="coder", thinking=False, source=ASKED, looked=READ),
    # --- Kimi, GLM ---------------------------------------------------------------------------------------------------
    fact("kimi", server=BEDROCK, result_media="none", source=ASKED, looked=READ),
    # anomalyco/opencode#28143 has GLM-5's efforts in `reasoning_config`; pydantic-ai, later, in `reasoning_effort`.
    fact(
        "glm",
        server=BEDROCK,
        family="openai",
        medium_effort=True,
        xhigh_effort=True,
        thinking_off=False,
        thinks_by_default=True,
        source=TESTED,
        looked=READ,
    ),
    fact(
        "glm",
        server=BEDROCK,
        until="5.2",
        least_effort="high",
        highest_effort="high",
        thinking_off=True,
        thinks_by_default=False,
        source=TESTED,
        looked=READ,
    ),
    # --- GPT and Grok ------------------------------------------------------------------------------------------------
    fact("gpt-oss", server=BEDROCK, stop_sequences=False, source=NO_STOPS, looked=READ),
    fact("gpt-oss", server=BEDROCK, images=False, source=f"{GPT_OSS}: input modalities: text", looked=READ),
    fact(
        "gpt-oss",
        server=BEDROCK,
        thinks_by_default=True,
        source="https://docs.ollama.com/capabilities/thinking",  # as the row about `thinking_off` has it
        looked="2026-11-28",
    ),
    fact(
        "gpt",
        server=BEDROCK,
        since="5.6",
        sampling=False,
        highest_effort="xhigh",
        thinks_by_default=True,
        source=ASKED,
        looked=READ,
    ),
    fact(
        "grok",
        server=BEDROCK,
        family="responses",
        thinking_off=False,
        thinks_by_default=True,
        source=ASKED,
        looked=READ,
    ),
    fact("grok", server=BEDROCK, since="4.6", sampling=False, source=ASKED, looked=READ),
    # --- others ------------------------------------------------------------------------------------------------------
    fact(
        "gemma", server=BEDROCK, only="12b 27b", structured_output=True, strict_tools=True, source=FORMATS, looked=READ
    ),
    fact(
        "nemotron", server=BEDROCK, only="nano", structured_output=True, strict_tools=True, source=FORMATS, looked=READ
    ),
    fact("palmyra", server=BEDROCK, stream_tools=False, source=IN_STREAMS, looked=READ),
    fact("palmyra", server=BEDROCK, beside_results="nothing", source=ALONE, looked=READ),
    fact(
        "palmyra",
        server=BEDROCK,
        result_status=False,
        looked=READ,
        source=f"This model doesn't support the status field. Remove status and try again. ({ASKED})",
    ),
    fact("jamba", server=BEDROCK, images=False, source=FEATURES, looked=READ),
    fact("jamba", server=BEDROCK, only="instruct", documents=False, function_tools=False, source=FEATURES, looked=READ),
    fact("titan", server=BEDROCK, function_tools=False, images=False, source=FEATURES, looked=READ),
    fact("titan", server=BEDROCK, instruction_roles=False, source=NO_SYSTEM, looked=READ),
    fact(
        "command",
        server=BEDROCK,
        only="light text",
        function_tools=False,
        instruction_roles=False,
        source=FEATURES,
        looked=READ,
    ),
)
BEST = (best(f"nova gpt-oss {OTHERS}", CONVERSE, server=BEDROCK),)
"""Of the protocols at Bedrock; elsewhere their vendors' own have more."""
SERVED = f"{CLAUDE} nova {GPTS} {OTHERS}"
"""The families behind Converse."""
