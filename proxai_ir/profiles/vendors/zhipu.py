"""The facts about Zhipu's models (CAP-5)."""

from __future__ import annotations

from ..facts import CHAT, SPOKEN, best, fact
from ..named import ONLY_OPENAI

LOOKED = "2026-11-24"
REFERENCE = "https://docs.z.ai/api-reference/llm/chat-completion"
PACKAGE = "zai-sdk 0.2.3, `Completions.create`"

FACTS = (
    fact(
        "glm",
        CHAT,
        reason=SPOKEN,
        source=REFERENCE,
        looked=LOOKED,
        server="own",
        **{
            **ONLY_OPENAI.given,
            "developer_role": False,
            "documents": False,
            "json_schema": False,
            "logprobs": False,
            "max_completion_tokens": False,
            "openai_settings": False,
            "parallel_tools": False,
            "penalties": False,
            "several_candidates": False,
            "strict_tools": False,
        },
    ),
    fact(
        "glm",
        source=f"{PACKAGE}: the temperature is from 0 to 1",
        looked=LOOKED,
        server="own",
        high_temperature=False,
    ),
    fact(
        "glm",
        source=f"Tool choice must be auto ({REFERENCE})",
        looked=LOOKED,
        server="own openrouter",
        tool_choice=False,
    ),
    fact("glm", source="No endpoints found that support image input", looked=LOOKED, images=False),
    fact("glm", source="https://docs.z.ai/guides/vlm/glm-4.6v", looked=LOOKED, only="v", images=True),
    fact(
        "glm",
        source="GLM-5.3: low, high, max, always on; thinking.type disabled returns HTTP 400 "
        "(https://openrouter.ai/z-ai/glm-5.3/api, https://docs.z.ai/guides/llm/glm-5.3), behind its Messages, too "
        "(https://github.com/farion1231/cc-switch/issues/6737)",
        looked="2026-11-29",
        least_effort="low",
        medium_effort=False,
        xhigh_effort=False,
        thinking_off=False,
    ),
    fact(
        "glm",
        source=f"{PACKAGE}: none, minimal, low, medium, high, xhigh, max, from glm-5.2 on",
        looked=LOOKED,
        until="5.2",
        least_effort="unstated",
        medium_effort=True,
        xhigh_effort=True,
        thinking_off=True,
        thinking_member="thinking",
    ),
    fact(
        "glm",
        source=f"{PACKAGE}: the effort is effective for glm-5.2 and above; `thinking` is enabled or disabled",
        looked=LOOKED,
        until="5.1",
        efforts=False,
    ),
)
BEST = (best("glm", CHAT),)
