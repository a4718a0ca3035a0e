"""The facts about Alibaba's models (CAP-5)."""

from __future__ import annotations

from ..facts import CHAT, SPOKEN, best, fact
from ..named import ONLY_OPENAI

LOOKED = "2026-11-24"
REFERENCE = "https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-openai-chat-completions"

FACTS = (
    fact(
        "qwen qwq",
        CHAT,
        reason=SPOKEN,
        source=REFERENCE,
        looked=LOOKED,
        server="own",
        **{
            **ONLY_OPENAI.given,
            "developer_role": False,
            "documents": False,
            "max_completion_tokens": False,
            "openai_settings": False,
            "top_k": True,
        },
    ),
    fact(
        "qwen",
        source="System message must be at the beginning. (the model's template; vllm-project/vllm#41114)",
        looked=LOOKED,
        system_in_place=False,
    ),
    fact(
        "qwen",
        source="The tool_choice parameter does not support being set to required or object in thinking mode "
        "(https://github.com/cloudwego/eino/issues/994, https://github.com/agentscope-ai/agentscope/issues/1608)",
        looked=LOOKED,
        server="own",
        forced_with_thinking=False,
    ),
    fact(
        "qwen",
        source="https://docs.apiyi.com/en/api-capabilities/qwen-3-8/chat-completions.md: none, minimal, low, medium, "
        "high, xhigh, max; it thinks by default",
        looked=LOOKED,
        server="own",
        thinking_off=True,
    ),
    fact(
        "qwen",
        source="https://www.alibabacloud.com/help/en/model-studio/deep-thinking: `enable_thinking` switches it",
        looked=LOOKED,
        server="own",
        thinking_member="enable_thinking",
    ),
    fact(
        "qwen",
        source="https://www.alibabacloud.com/help/en/model-studio/deep-thinking: budgets alone before Qwen3.8",
        looked=LOOKED,
        server="own",
        until="3.7",
        efforts=False,
    ),
    fact(
        "qwen",
        source="https://www.alibabacloud.com/help/en/model-studio/deep-thinking: before Qwen3.5 it is off by default",
        looked=LOOKED,
        server="own",
        until="3.4",
        thinks_by_default=False,
    ),
    fact(
        "qwen",
        source="https://www.alibabacloud.com/help/en/model-studio/qwen-omni: `input_audio`",
        looked=LOOKED,
        only="omni",
        audio=True,
    ),
)
BEST = (best("qwen qwq", CHAT),)
