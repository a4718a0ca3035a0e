"""The facts about DeepSeek's models (CAP-5)."""

from __future__ import annotations

from ..facts import CHAT, RESPONSES, SPOKEN, best, fact
from ..named import DEEPSEEK

LOOKED = "2026-11-24"
THINKING = "https://api-docs.deepseek.com/guides/thinking_mode.md"
ANTHROPIC = "https://api-docs.deepseek.com/guides/anthropic_api/"

FACTS = (
    fact(
        "deepseek",
        CHAT,
        reason=SPOKEN,
        source="messages[1]: unknown variant `image_url`, expected `text`: arrays of texts are taken; "
        "https://api-docs.deepseek.com/api/create-chat-completion",
        looked=LOOKED,
        server="own",
        **{**DEEPSEEK.given, "content_arrays": True, "highest_effort": "max", "images": True, "system_in_place": True},
    ),
    fact(
        "deepseek",
        source=f"{THINKING}: thinking is enabled by default; `thinking`, or in Responses the effort `none`, ends it",
        looked=LOOKED,
        server="own",
        thinking_off=True,
        thinking_member="thinking",
        thinks_by_default=True,
    ),
    fact(
        "deepseek",
        source=f"{ANTHROPIC}: thinking without signatures, no documents",
        looked=LOOKED,
        server="own",
        unsigned_thinking=True,
        documents=False,
    ),
    fact(
        "deepseek",
        source="No tool output found for tool call, where an item stands between the call and its output "
        "(https://github.com/deepseek-ai/awesome-deepseek-integration/issues/740, "
        "https://github.com/yetone/alma-releases/issues/81)",
        looked="2026-11-27",
        server="own",
        items_after_calls=False,
    ),
    fact(
        "deepseek",
        source="The `reasoning_content` in the thinking mode must be passed back to the API. The `content[].thinking` "
        f"in the thinking mode must be passed back to the API. ({THINKING})",
        looked=LOOKED,
        server="own",
        unreasoned_calls=False,
    ),
    fact(
        "deepseek",
        source="Thinking mode does not support this tool_choice (https://github.com/tickernelz/opencode-mem/issues/253)",
        looked=LOOKED,
        server="own",
        forced_with_thinking=False,
    ),
    fact(
        "deepseek",
        RESPONSES,
        reason="Azure's Responses refuse for it what its Chat Completions take",
        source="Unsupported parameter: 'reasoning.effort' is not supported with this model. "
        "(https://github.com/earendil-works/pi/issues/9645); Encrypted content is not supported with this model. "
        "(https://github.com/earendil-works/pi/issues/6228)",
        looked="2026-11-29",
        server="azure",
        thinking=False,
        encrypted_reasoning=False,
    ),
    fact(
        "deepseek",
        source="https://api-docs.deepseek.com/quick_start/pricing: image input is of the Flash models; "
        "unknown variant `image_url`, expected `text`",
        looked=LOOKED,
        only="pro",
        images=False,
    ),
    fact(
        "deepseek",
        source="https://api-docs.deepseek.com: deepseek-chat is the non-thinking mode",
        looked=LOOKED,
        only="chat",
        thinks_by_default=False,
        unreasoned_calls=True,
    ),
)
BEST = (best("deepseek", RESPONSES),)
