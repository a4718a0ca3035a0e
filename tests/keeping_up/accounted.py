"""What is accounted for outside of the vocabulary: betas, default headers, and features that stay unknown for a reason.

A new entry has the date on which it was decided.
"""

from __future__ import annotations

BETAS = frozenset(
    """
    admin-user-sign-out-2026-10-08 advisor-tool-2026-03-01 agent-memory-2026-07-22 analytics-usage-cost-2026-08-24
    cache-diagnosis-2026-04-07 ce-claude-code-managed-settings-2026-10-06 ce-plugins-2026-09-01
    ce-user-management-2026-07-13 code-execution-2025-05-22 compact-2026-01-12 compact-2026-09-04
    computer-use-2024-10-22 computer-use-2025-01-24 computer-use-2025-11-24 context-1m-2025-08-07
    context-management-2025-06-27 dev-full-thinking-2025-05-14 dreaming-2026-04-21 experimental-claude-tag-2026-10-21
    extended-cache-ttl-2025-04-11 fallback-credit-2026-06-01 fallback-credit-2026-07-01 fast-mode-2026-02-01
    files-api-2025-04-14 inline-tools-2026-09-15 interleaved-thinking-2025-05-14 managed-agents-2026-04-01
    mcp-client-2025-04-04 mcp-client-2025-11-20 mcp-client-2026-09-15 mcp-tunnels-2026-06-22
    message-batches-2024-09-24 message-threads-2026-08-12 mid-conversation-output-config-2026-07-01
    mid-conversation-system-clear-at-2026-08-21 mid-conversation-tool-changes-2026-07-01
    model-context-window-exceeded-2025-08-26 output-128k-2025-02-19 output-300k-2026-03-24 pdfs-2024-09-25
    prompt-caching-2024-07-31 server-side-fallback-2026-06-01 server-side-fallback-2026-07-01 skills-2025-10-02
    spend-limit-reads-2026-09-26 structured-outputs-2025-11-13 task-budgets-2026-03-13
    telemetry-destinations-2026-08-11 thinking-binding-controls-2026-08-01 thinking-display-updates-2026-08-18
    thinking-token-count-2026-05-13 token-counting-2024-11-01 token-efficient-tools-2025-02-19
    user-profiles-2026-03-24 user-profiles-2026-08-18 user-profiles-2026-09-04 user-profiles-billing-2026-10-01
    webhooks-2026-10-07
    """.split()
)
"""Betas of Anthropic's API, read on 2026-11-22: what they add to Messages is in the beta types, which are walked."""

HEADERS = {
    "openai": {
        "accept": "application/json",
        "authorization": "Bearer none",
        "content-type": "application/json",
        "openai-organization": "",
        "openai-project": "",
    },
    "anthropic": {
        "accept": "application/json",
        "anthropic-version": "2026-10-21",
        "authorization": "Bearer none",
        "content-type": "application/json",
    },
}
"""Default headers of the official clients with the key "none"; those of their own telemetry aside (2026-11-22)."""
TELEMETRY = ("user-agent", "x-stainless-")

AGENT_HEADERS = frozenset(
    """
    anthropic-dangerous-direct-browser-access anthropic-version authorization originator session-id thread-id user-agent
    x-api-key x-app x-claude-code-session-id x-client-request-id x-codex-beta-features x-codex-turn-metadata
    x-codex-window-id x-gemini-api-privileged-user-id x-goog-api-client x-goog-api-key
    x-openai-internal-codex-responses-lite x-session-affinity x-session-id x-stainless-arch x-stainless-lang
    x-stainless-os x-stainless-package-version x-stainless-retry-count x-stainless-runtime x-stainless-runtime-version
    x-stainless-timeout
    """.split()
)
"""Headers of the coding agents that say who asks, of which session and by which program (2026-11-29): none changes
what the model is asked."""

_ALLOWED_TOOLS = ".tool_choice<allowed_tools>.allowed_tools<ChatCompletionAllowedToolsParam>.tools[]"
_CITED = (
    "<ConverseStreamOutput>.contentBlockDelta<ContentBlockDeltaEvent>.delta<ContentBlockDelta>"
    ".citation<CitationsDelta>.sourceContent[]<CitationSourceContentDelta>"
)
ALLOWED = {
    f"openai_chat_completions request {_ALLOWED_TOOLS}": (
        "2026-11-22",
        "The type allows any object; the reader wants one that names a tool.",
    ),
    "openai_responses request .tool_choice<allowed_tools>.tools[]": (
        "2026-11-22",
        "The type allows any object; the reader wants one that names a tool.",
    ),
    "openai_responses stream <response.audio.": (
        "2026-11-22",
        "Events of audio that no response of this API holds yet: reported as unknown.",
    ),
    "bedrock_converse request <ConverseRequest>.toolConfig<ToolConfiguration>.tools[]<Tool>.cachePoint": (
        "2026-11-29",
        "A cache point marks the tool before it; alone it marks none.",
    ),
    "bedrock_converse request <Message>.content[]<ContentBlock>.toolResult<ToolResultBlock>.type": (
        "2026-11-29",
        "The type allows any string and names none: reported as unknown.",
    ),
    "bedrock_converse stream <ConverseStreamOutput>.messageStart<MessageStartEvent>": (
        "2026-11-29",
        "The type allows every role; a response is the assistant's.",
    ),
    f"bedrock_converse stream {_CITED}": (
        "2026-11-29",
        "The type allows a piece of a source without text, which quotes nothing.",
    ),
}
"""Features that the vocabulary does not name, by the beginning of their path: since when, and why."""

NEWEST: dict[str, tuple[int, ...]] = {
    "chatgpt": (4,),
    "claude-fable": (5, 2),
    "claude-haiku": (5, 5),
    "claude-mythos": (5, 2),
    "claude-opus": (5, 5),
    "claude-sonnet": (5, 5),
    "codex-mini": (),
    "computer-use": (),
    "gemini": (4,),
    "gemma": (4,),
    "gpt": (6, 2),
    "gpt-audio": (),
    "gpt-daybreak": (),
    "gpt-rosalind": (),
    "o1": (),
    "o3": (),
    "o4": (),
}
"""The newest version of each family of models that the rows of `proxai_ir.profiles.vendors` were held against, of the
families that the official packages list (2026-11-24; Google's: 2026-11-29)."""
NO_CHAT = ("lyria-", "nano-banana-")
"""What begins the names of models that make music or images alone, of which no row says anything."""
