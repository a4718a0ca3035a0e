"""The facts about xAI's models (CAP-5)."""

from __future__ import annotations

from ..facts import CHAT, RESPONSES, SPOKEN, best, fact
from ..named import ONLY_OPENAI

LOOKED = "2026-11-24"
REASONING = "https://docs.x.ai/developers/model-capabilities/text/reasoning"
PACKAGE = "xai-sdk 1.21.0, `Client.create`"

FACTS = (
    fact(
        "grok grok-build grok-code",
        CHAT,
        reason=SPOKEN,
        source=PACKAGE,
        looked=LOOKED,
        server="own",
        **ONLY_OPENAI.given,
    ),
    fact(
        "grok grok-build grok-code",
        source="Maximum tools limit reached. 219 tools have been provided but the maximum is 200. "
        "(https://github.com/anomalyco/opencode/issues/28911)",
        looked="2026-11-29",
        server="own",
        most_tools=200,
    ),
    fact(
        "grok grok-build grok-code",
        source="a `namespace` tool is invalid-argument (https://github.com/router-for-me/CLIProxyAPI/issues/5257); "
        "`ModelTool` of xai-openapi 0.1.1: function, web_search, x_search, file_search, code_interpreter, mcp",
        looked="2026-11-30",
        server="own",
        openai_tools=False,
    ),
    fact(
        "grok grok-build grok-code",
        source="`XAIResponsesInclude` of @langchain/xai: reasoning.encrypted_content alone; searches tell their "
        "sources in any case (https://github.com/vercel/ai/pull/19796)",
        looked="2026-11-30",
        server="own",
        search_sources=False,
    ),
    fact(
        "grok grok-build grok-code",
        CHAT,
        reason="files are of its Responses",
        source="https://docs.x.ai/docs/guides/chat: chat takes images alone as attachments; files are of Responses",
        looked=LOOKED,
        server="own",
        documents=False,
    ),
    fact(
        "grok grok-build grok-code",
        source="Model grok-4.5 does not support parameter stop. (BerriAI/litellm-docs#817); https://docs.x.ai/guides/"
        "reasoning: presencePenalty, frequencyPenalty and stop are not supported by reasoning models",
        looked=LOOKED,
        stop_sequences=False,
        penalties=False,
    ),
    fact(
        "grok",
        source=f"{PACKAGE}: `xhigh` is `only supported by some models, e.g. grok-4.6`; {REASONING}",
        looked=LOOKED,
        least_effort="low",
        highest_effort="xhigh",
    ),
    fact(
        "grok",
        source="https://github.com/anomalyco/opencode/issues/39448: low, medium, high; reasoning cannot be disabled",
        looked=LOOKED,
        since="4.5",
        until="4.5",
        highest_effort="high",
    ),
    fact(
        "grok",
        source="https://api.x.ai/v1/models, of grok-4.3: reasoning_effort none, low, medium, high, xhigh",
        looked=LOOKED,
        since="4.3",
        until="4.3",
        thinking_off=True,
    ),
    fact(
        "grok",
        source="Model grok-4-1-fast-reasoning does not support parameter reasoningEffort (opencode-oci-provider 0.2.3)",
        looked=LOOKED,
        until="4.2",
        thinking=False,
    ),
    fact(
        "grok",
        source="@ai-sdk/xai 4.0.8: grok-4.20-reasoning and -non-reasoning reject the effort, and so their snapshots do",
        looked=LOOKED,
        since="4.20",
        until="4.20",
        thinking=False,
    ),
    fact(
        "grok-build grok-code",
        source="Model grok-build-0.1 does not support parameter reasoningEffort (mindfork 0.17.0, of 2026-10-01)",
        looked=LOOKED,
        thinking=False,
    ),
    fact(
        "grok",
        source="https://docs.x.ai/guides/reasoning: of reasoning models alone",
        looked=LOOKED,
        only="non",
        stop_sequences=True,
        penalties=True,
    ),
)
BEST = (best("grok grok-build grok-code", RESPONSES),)
