"""The facts about Cohere's models (CAP-5)."""

from __future__ import annotations

from ..facts import CHAT, SPOKEN, best, fact
from ..named import ONLY_OPENAI

LOOKED = "2026-11-24"
REFERENCE = "https://docs.cohere.com/docs/compatibility-api"
ALL = "command command-a command-r command-r7b c4ai-aya"
OLDER = "command-r command-r7b c4ai-aya"
OWN_CHAT = "cohere_v2_chat"
MODELS = "https://docs.cohere.com/docs/models"
CHAT_REFERENCE = "https://docs.cohere.com/reference/chat"
READ = "2026-11-28"

FACTS = (
    fact(
        ALL,
        CHAT,
        reason=SPOKEN,
        source=f"{REFERENCE}: its lists of supported and unsupported parameters",
        looked=LOOKED,
        server="own",
        **{
            **ONLY_OPENAI.given,
            "documents": False,
            "max_completion_tokens": False,
            "cache_keys": False,
            "cache_retention": False,
            "metadata": False,
            "parallel_tools": False,
            "safety_identifier": False,
            "service_tiers": False,
            "store": False,
            "several_candidates": False,
        },
    ),
    fact(
        ALL,
        source=f"{REFERENCE}: Currently, only none and high are supported for reasoning_effort",
        looked=LOOKED,
        server="own",
        least_effort="high",
        highest_effort="high",
        thinking_off=True,
    ),
    fact(
        ALL,
        source="https://docs.cohere.com/docs/reasoning: of the reasoning models, Command A Reasoning and Command A+",
        looked=READ,
        but="reasoning plus",
        thinking=False,
        thinks_by_default=False,
    ),
    fact(
        OLDER,
        source="https://docs.cohere.com/docs/reasoning",
        looked=READ,
        thinking=False,
        thinks_by_default=False,
    ),
    fact(
        ALL,
        source=f"{MODELS}: of the modality text and images are Command A Vision and Command A+",
        looked=READ,
        but="vision plus",
        images=False,
    ),
    fact("command-r command-r7b", source=f"{MODELS}: text", looked=READ, images=False),
    fact(
        "command-r",
        source=f"{CHAT_REFERENCE}: tool_choice is only compatible with models Command-r7b and newer",
        looked=READ,
        tool_choice=False,
    ),
)
BEST = (best(ALL, OWN_CHAT),)
