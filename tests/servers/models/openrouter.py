"""OpenRouter: what its router refuses before, and its providers behind."""

from __future__ import annotations

from tests.servers.models.judge import CHAT, Check, Table, forced_choice, images, table, takes

CHOICE = "https://github.com/onyx-dot-app/onyx/pull/14192"
IMAGES = "https://github.com/nexu-io/nexu/issues/875"

_glm = (
    Check(forced_choice[CHAT], "Tool choice must be auto", CHOICE),
    Check(images[CHAT], "No endpoints found that support image input", IMAGES),
)
JUDGES: Table = table(CHAT, "z-ai/glm-5.3", _glm)
IGNORES: Table = {}
TAKES = {(CHAT, "z-ai/glm-5.3"): takes("temperature top_p max_tokens", "low high max")}
