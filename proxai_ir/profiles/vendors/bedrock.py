"""Facts about models behind Bedrock's Converse (CAP-5): the vendor whose settings they have, and what Claude lacks.

The defaults of the protocol are those of Claude 4.6.
"""

from __future__ import annotations

from ..facts import CONVERSE, fact
from .anthropic import CLAUDE, EFFORT, MIGRATION, NEWEST, OLDER, SIGNATURES, THINKING

NOVA = "https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html"
NOVA_TURNS = "https://docs.aws.amazon.com/nova/latest/userguide/invoke.html"
NOVA_MEDIA = "https://docs.aws.amazon.com/nova/latest/userguide/modalities.html"
FEATURES = "https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html"
TURNS = "A conversation must start with a user message (https://github.com/pydantic/pydantic-ai/pull/6255)"
GPT = "pydantic-ai, recorded requests to openai.gpt-oss-120b-1:0"
PARAMETERS = "https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html"
GPTS = "gpt gpt-oss"
COHERE = "c4ai-aya command command-a command-r command-r7b"
MISTRAL = (
    "devstral magistral-medium magistral-small ministral mistral mistral-large mistral-medium mistral-nemo "
    "mistral-small mixtral pixtral voxtral"
)
USER_FIRST = f"{COHERE} {MISTRAL} jamba llama palmyra"
OTHERS = f"{USER_FIRST} deepseek gemma glm grok kimi minimax nemotron qwen titan"
LOOKED = "2026-11-28"

FACTS = (
    fact("nova", CONVERSE, family="nova", source=NOVA, looked=LOOKED),
    fact("nova", CONVERSE, assistant_first=False, source=NOVA_TURNS, looked=LOOKED),
    fact("nova", CONVERSE, but="micro", video=True, source=NOVA_MEDIA, looked=LOOKED),
    fact("nova", CONVERSE, only="micro", images=False, documents=False, source=FEATURES, looked=LOOKED),
    fact(GPTS, CONVERSE, family="openai", source=GPT, looked=LOOKED),
    fact(OTHERS, CONVERSE, family="other", source=PARAMETERS, looked=LOOKED),
    fact(USER_FIRST, CONVERSE, assistant_first=False, source=TURNS, looked=LOOKED),
    fact(OLDER, CONVERSE, until="4.5", adaptive_thinking=False, effort=False, source=THINKING, looked=LOOKED),
    fact("claude-opus", CONVERSE, since="4.5", until="4.5", effort=True, source=EFFORT, looked=LOOKED),
    fact(CLAUDE, CONVERSE, unsigned_thinking=False, source=SIGNATURES, looked="2026-11-29"),
    fact(OLDER, CONVERSE, since="4.7", thinking_budgets=False, sampling=False, source=THINKING, looked=LOOKED),
    fact(NEWEST, CONVERSE, thinking_budgets=False, sampling=False, source=THINKING, looked=LOOKED),
    fact(OLDER, CONVERSE, until="4.5", prefill=True, source=MIGRATION, looked=LOOKED),
)  # fmt: skip
BEST = ()
"""No model is best reached by Converse: the protocols of their vendors have more."""
