"""The facts about Moonshot's models (CAP-5)."""

from __future__ import annotations

from ..facts import CHAT, SPOKEN, best, fact
from ..named import ONLY_OPENAI

LOOKED = "2026-11-24"
OVERVIEW = "https://platform.kimi.ai/docs/api/models-overview"

FACTS = (
    fact(
        "kimi moonshot",
        CHAT,
        reason=SPOKEN,
        source="https://platform.kimi.ai/docs/api/chat",
        looked=LOOKED,
        server="own",
        **{**ONLY_OPENAI.given, "developer_role": False, "documents": False, "openai_settings": False},
    ),
    fact(
        "kimi",
        source="invalid temperature: only 1 is allowed for this model; invalid top_p: only 0.95 is allowed for this "
        f"model; n and the penalties are fixed, too ({OVERVIEW})",
        looked=LOOKED,
        server="own",
        sampling=False,
        penalties=False,
        several_candidates=False,
    ),
    fact(
        "kimi",
        source="thinking is enabled but reasoning_content is missing in assistant tool call message "
        "(https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model)",
        looked=LOOKED,
        server="own",
        unreasoned_calls=False,
    ),
    fact(
        "kimi",
        source="https://platform.kimi.ai/docs/guide/use-reasoning-effort: low, high, max; it always reasons",
        looked=LOOKED,
        server="own",
        least_effort="low",
        medium_effort=False,
        xhigh_effort=False,
        thinking_off=False,
    ),
    fact(
        "kimi",
        source="tool_choice 'specified' is incompatible with thinking enabled: of K3 `required` is taken "
        "(https://github.com/UKGovernmentBEIS/inspect_ai/pull/5152)",
        looked=LOOKED,
        server="own",
        named_choice=False,
    ),
    fact(
        "kimi",
        source="tool_choice 'required' is incompatible with thinking enabled "
        "(https://github.com/UKGovernmentBEIS/inspect_ai/pull/5152)",
        looked=LOOKED,
        server="own",
        until="2.7",
        named_choice=True,
        forced_with_thinking=False,
    ),
    fact(
        "kimi",
        source="https://java.agentscope.io/v2/en/integration/model/kimi: K3 and K2.7 always think, K2.5 and K2.6 "
        "unless that is disabled",
        looked="2026-11-29",
        server="own",
        since="2.5",
        thinks_by_default=True,
    ),
    fact(
        "kimi",
        source="https://platform.kimi.ai/docs/guide/use-thinking-effort: no control of the effort before K3",
        looked=LOOKED,
        server="own",
        until="2.7",
        efforts=False,
        least_effort="unstated",
    ),
    fact(
        "kimi",
        source=f"{OVERVIEW}: `thinking` of K2.5 and K2.6 is enabled or disabled",
        looked=LOOKED,
        server="own",
        since="2.5",
        until="2.6",
        thinking_off=True,
        thinking_member="thinking",
    ),
    fact(
        "kimi moonshot",
        source=f"{OVERVIEW}: models before K2.5 have no such limits, and do not think unless their name says so",
        looked=LOOKED,
        server="own",
        until="2.4",
        but="thinking",
        sampling=True,
        penalties=True,
        several_candidates=True,
        high_temperature=False,
        thinking=False,
        thinks_by_default=False,
        unreasoned_calls=True,
    ),
)
BEST = (best("kimi moonshot", CHAT),)
