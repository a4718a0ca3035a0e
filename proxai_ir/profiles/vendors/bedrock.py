"""The facts about models that only Bedrock has (CAP-5): whose settings they take, how conversations begin."""

from __future__ import annotations

from ..facts import BEDROCK, CONVERSE, OTHER, best, fact
from .anthropic import CLAUDE

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
OTHERS = f"{USER_FIRST} deepseek gemma glm grok kimi minimax nemotron qwen titan {OTHER}"
LOOKED = "2026-11-28"

FACTS = (
    fact("nova", family="nova", source=NOVA, looked=LOOKED),
    fact("nova", assistant_first=False, source=NOVA_TURNS, looked=LOOKED),
    fact("nova", but="micro", video=True, source=NOVA_MEDIA, looked=LOOKED),
    fact("nova", only="micro", images=False, documents=False, source=FEATURES, looked=LOOKED),
    fact(GPTS, family="openai", source=GPT, looked=LOOKED),
    fact(OTHERS, family="other", source=PARAMETERS, looked=LOOKED),
    fact(USER_FIRST, assistant_first=False, source=TURNS, looked=LOOKED),
)
BEST = (best(f"nova gpt-oss {OTHERS}", CONVERSE, server=BEDROCK),)
"""Of the protocols at Bedrock; elsewhere their vendors' own have more."""
SERVED = f"{CLAUDE} nova {GPTS} {OTHERS}"
"""The families behind Converse."""
