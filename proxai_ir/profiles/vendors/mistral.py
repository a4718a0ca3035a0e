"""The facts about Mistral's models (CAP-5)."""

from __future__ import annotations

from ..facts import CHAT, SPOKEN, best, fact
from ..named import MISTRAL

LOOKED = "2026-11-24"
OTHERS = "ministral mistral-large mistral-nemo codestral devstral pixtral open-mistral open-mixtral"
ALL = f"mistral mistral-small mistral-medium magistral-small magistral-medium {OTHERS}"

FACTS = (
    fact(
        "",  # whatever else is there: models of others, and those that are tuned
        CHAT,
        reason=SPOKEN,
        source="mistralai 3.7.0, `ChatCompletionRequest` and its messages",
        looked="2026-11-28",
        server="mistral",
        **MISTRAL.given,
    ),
    fact(
        ALL,
        CHAT,
        reason=SPOKEN,
        source="mistralai 3.7.0, `ChatCompletionRequest` and its messages",
        looked=LOOKED,
        server="own mistral",
        **MISTRAL.given,
    ),
    fact(
        ALL,
        source="conversation roles must alternate user/assistant/user/assistant/… "
        "(https://github.com/vllm-project/vllm/issues/6862): the templates of its models, on whose server they are",
        looked="2026-11-27",
        role_neighbours=False,
    ),
    fact(
        ALL,
        source="Unexpected role 'user' after role 'tool', of others' servers, too "
        "(https://github.com/NousResearch/hermes-agent/issues/20154)",
        looked="2026-11-27",
        any_role_order=False,
    ),
    fact(
        "mistral mistral-small mistral-medium magistral-small",
        source="reasoning_effort='medium' is not supported for this model. Must be one of none, high; "
        "https://mistral.ai/news/mistral-small-4; https://github.com/anomalyco/models.dev/pull/1986",
        looked=LOOKED,
        server="own mistral",
        least_effort="high",
        highest_effort="high",
        thinking_off=True,
        thinks_by_default=False,
    ),
    fact(
        "magistral-medium",
        source="https://github.com/NousResearch/hermes-agent/issues/11243: it always reasons, an effort is a 422",
        looked=LOOKED,
        efforts=False,
    ),
    fact(
        OTHERS,
        source="reasoning_effort is not enabled for this model; https://github.com/NousResearch/hermes-agent/issues/"
        "11243, https://github.com/tontinton/maki/pull/396",
        looked=LOOKED,
        thinking=False,
        thinks_by_default=False,
    ),
)
BEST = (best(ALL, CHAT),)
