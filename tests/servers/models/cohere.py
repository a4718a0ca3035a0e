"""Cohere's compatibility API: Command models in chat."""

from __future__ import annotations

from tests.servers.models.judge import CHAT, Check, Table, both, filled, table, takes, where

PENALTIES = "https://github.com/LanceMoe/openai-translator/issues/27"

_chat = (
    Check(
        both(where("frequency_penalty", filled), where("presence_penalty", filled)),
        "invalid request: cannot specify both frequency_penalty and presence_penalty.",
        PENALTIES,
    ),
)
_MODELS = "command-a-plus-05-2026 command-a-03-2025 command-a-reasoning-08-2025"
JUDGES: Table = table(CHAT, _MODELS, _chat)
IGNORES: Table = {}
TAKES = {
    (CHAT, model): takes(
        "temperature top_p stop presence_penalty frequency_penalty seed structured_output strict_tools max_tokens"
    )
    for model in _MODELS.split()
}
