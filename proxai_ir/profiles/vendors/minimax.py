"""The facts about MiniMax's models (CAP-5)."""

from __future__ import annotations

from ..facts import CHAT, MESSAGES, SPOKEN, best, fact
from ..named import ONLY_OPENAI

LOOKED = "2026-11-24"
OPENAI = "https://platform.minimax.io/docs/api-reference/text-openai-api"
ANTHROPIC = "https://platform.minimax.io/docs/api-reference/text-anthropic-api"

FACTS = (
    fact(
        "minimax",
        CHAT,
        reason=SPOKEN,
        source=f"{OPENAI}: presence_penalty, frequency_penalty and logit_bias are ignored, n is 1",
        looked=LOOKED,
        server="own",
        **{
            **ONLY_OPENAI.given,
            "developer_role": False,
            "documents": False,
            "openai_settings": False,
            "penalties": False,
            "several_candidates": False,
        },
    ),
    fact(
        "minimax",
        source=f"{OPENAI}: the temperature is in (0.0, 1.0], values outside are errors",
        looked=LOOKED,
        server="own",
        zero_temperature=False,
    ),
    fact("minimax", source=OPENAI, looked=LOOKED, server="own", high_temperature=False),
    fact(
        "minimax",
        source='invalid params, invalid thinking.type: "enabled" (allowed: adaptive, disabled) (2013) '
        "(https://github.com/CherryHQ/cherry-studio/issues/16431)",
        looked=LOOKED,
        server="own",
        since="3",
        thinking_budgets=False,
    ),
    fact(
        "minimax",
        source="invalid params, invalid chat setting (2013): of two system messages; chat content has invalid message "
        "role: system (2013) (https://github.com/can1357/oh-my-pi/pull/954, MiniMax-AI/MiniMax-M2#27)",
        looked=LOOKED,
        server="own",
        system_in_place=False,
        content_arrays=False,
    ),
    fact(
        "minimax",
        source="https://java.agentscope.io/v2/en/integration/model/minimax: `thinking` is disabled or adaptive, M2 "
        "always thinks",
        looked=LOOKED,
        server="own",
        efforts=False,
        thinking_off=True,
        thinking_member="thinking",
    ),
    fact(
        "minimax",
        source="https://java.agentscope.io/v2/en/integration/model/minimax",
        looked=LOOKED,
        server="own",
        until="2.7",
        thinking_off=False,
    ),
    fact(
        "minimax",
        source=f"{ANTHROPIC}: image and document input are not supported",
        looked=LOOKED,
        server="own",
        until="2.7",
        images=False,
    ),
    fact(
        "minimax",
        source=f"{ANTHROPIC}: documents are not supported",
        looked=LOOKED,
        server="own",
        documents=False,
        unsigned_thinking=True,
    ),
    fact(
        "minimax",
        MESSAGES,
        reason="its Chat Completions heed them",
        source=f"{ANTHROPIC}: top_k and stop_sequences are ignored",
        looked=LOOKED,
        server="own",
        stop_sequences=False,
    ),
    fact(
        "minimax",
        source="https://github.com/can1357/oh-my-pi/issues/2928: M2 always thinks, and has no adaptive thinking; of M3 "
        f"thinking is off unless it is adaptive ({ANTHROPIC})",
        looked=LOOKED,
        server="own",
        until="2.7",
        thinks_by_default=True,
        adaptive_thinking=False,
    ),
)
BEST = (best("minimax", MESSAGES),)
