"""The facts about Meta's models (CAP-5)."""

from __future__ import annotations

from ..facts import CHAT, RESPONSES, SPOKEN, best, fact
from ..named import ONLY_OPENAI

LOOKED = "2026-11-24"
RULES = "chatoyant 0.13.0, of Meta's Model API documentation (https://dev.meta.ai/docs)"

FACTS = (
    fact("muse-spark muse", CHAT, reason=SPOKEN, source=RULES, looked=LOOKED, server="own", **ONLY_OPENAI.given),
    fact(
        "muse-spark muse",
        source=f"tool_choice supports only auto (HTTP 400) ({RULES})",
        looked=LOOKED,
        tool_choice=False,
    ),
    fact(
        "muse-spark muse",
        source="https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/partner-models/meta/"
        f"muse-spark-1-3: minimal, low, medium, high, xhigh; none is not supported; {RULES}",
        looked=LOOKED,
        least_effort="minimal",
        highest_effort="xhigh",
    ),
    fact(
        "muse-spark muse",
        source="stop is not supported by muse-spark (HTTP 400); logprobs is not supported by muse-spark (HTTP 400)",
        looked=LOOKED,
        stop_sequences=False,
        logprobs=False,
    ),
    fact(
        "llama",
        source="`reasoning_effort` is not supported with this model; reasoning is not supported with this model",
        looked=LOOKED,
        thinking=False,
        thinks_by_default=False,
        reasoning_content=False,
    ),
    fact(
        "llama",
        source="https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_3/: texts alone but for 3.2 and 4",
        looked=LOOKED,
        since="3.3",
        until="3.3",
        images=False,
    ),
)
BEST = (best("muse-spark muse", RESPONSES),)
