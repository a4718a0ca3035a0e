"""Meta's Model API: Muse Spark, which always thinks and chooses its tools itself."""

from __future__ import annotations

from tests.servers.models.judge import (
    CHAT,
    RESPONSES,
    Check,
    Table,
    effort_path,
    is_in,
    is_other_than,
    table,
    takes,
    where,
)

REASONING = "https://dev.meta.ai/docs/features/reasoning"
CHOICE = "https://ocaml.org/p/chatoyant/latest/src/chatoyant.provider/meta.ml.html"
QUICKSTART = "https://ai.developer.meta.com/docs/getting-started/cookbook/quickstart-chat-completions"


def _muse(protocol: str) -> tuple[Check, ...]:
    return (
        Check(
            where(effort_path[protocol], is_in("none")),
            "none: not supported by Muse Spark, returns HTTP 400",
            REASONING,
        ),
        Check(where("tool_choice", is_other_than("auto")), "tool_choice supports only auto (HTTP 400)", CHOICE),
    )


_unsupported = tuple(
    Check(where(name), f"{name} is not supported by muse-spark (HTTP 400)", QUICKSTART)
    for name in ("stop", "logprobs", "top_logprobs", "logit_bias")
)
_MODELS = "muse-spark-1.3 muse-spark-1.2 muse-spark-1.1"
JUDGES: Table = {
    **table(CHAT, _MODELS, _muse(CHAT), _unsupported),
    **table(RESPONSES, _MODELS, _muse(RESPONSES)),
}
IGNORES: Table = {}

_EFFORTS = "minimal low medium high xhigh"
TAKES = {
    **{
        (CHAT, model): takes(
            "temperature presence_penalty frequency_penalty seed structured_output images parallel_calls max_tokens",
            _EFFORTS,
        )
        for model in _MODELS.split()
    },
    **{
        (RESPONSES, model): takes("temperature structured_output images documents parallel_calls max_tokens", _EFFORTS)
        for model in _MODELS.split()
    },
}
