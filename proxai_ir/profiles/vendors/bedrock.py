"""What models take behind Bedrock's Converse (CAP-5): whose settings they have, and what Claude takes less of.

The defaults of the protocol are those of Claude 4.6.
"""

from __future__ import annotations

from ..facts import CONVERSE, fact
from .anthropic import CLAUDE, EFFORT, MIGRATION, OLDER, THINKING

NOVA = "https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html"
GPT = "pydantic-ai, recorded requests to openai.gpt-oss-120b-1:0"
PARAMETERS = "https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html"
OTHERS = "command deepseek gemma glm grok jamba kimi llama minimax mistral ministral pixtral palmyra qwen"
LOOKED = "2026-11-28"

FACTS = (
    fact("nova", CONVERSE, family="nova", source=NOVA, looked=LOOKED),
    fact("gpt", CONVERSE, family="openai", source=GPT, looked=LOOKED),
    fact(OTHERS, CONVERSE, family="other", source=PARAMETERS, looked=LOOKED),
    fact(OLDER, CONVERSE, until="4.5", adaptive_thinking=False, effort=False, source=THINKING, looked=LOOKED),
    fact("claude-opus", CONVERSE, since="4.5", until="4.5", effort=True, source=EFFORT, looked=LOOKED),
    fact(CLAUDE, CONVERSE, since="4.7", thinking_budgets=False, sampling=False, source=THINKING, looked=LOOKED),
    fact(OLDER, CONVERSE, until="4.5", prefill=True, source=MIGRATION, looked=LOOKED),
)  # fmt: skip
BEST = ()
"""Their vendors' own protocols have more."""
