"""Betas of Anthropic's API: which members of a request need one, and which of them change no response (CAP-8).

Betas stand here without the date at their end. Source: `types/beta` of anthropic 2.11.0 and the pages of each feature
on https://platform.claude.com/docs, read on 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from ..ir.node import finds
from . import bare

LISTS = ("anthropic_beta", "betas")
"""Members of the body that list betas at some clouds and in some clients."""
PLAIN = frozenset(
    """
    anthropic_version cache_control max_tokens messages metadata model output_config service_tier stop_sequences stream
    system temperature thinking tool_choice tools top_k top_p
    """.split()
)
"""The members of a request that need none."""
MEMBERS = {
    "billing_policy": ("SVC-3", ""),
    "compaction": ("CTX-1", "compact"),
    "container": ("HST-1", "code-execution skills"),
    "context_management": ("CTX-1", "compact context-management"),
    "diagnostics": ("DGN-1", "cache-diagnosis"),
    "fallback_credit_token": ("SVC-3", "fallback-credit"),
    "fallbacks": ("SVC-3", "server-side-fallback"),
    "inference_geo": ("SVC-4", ""),
    "mcp_servers": ("TUL-6", "mcp-client"),
    "messages/*/clear_at": ("CTX-1", "mid-conversation-system-clear-at"),
    "messages/*/output_config": ("RSN-6", "mid-conversation-output-config per-turn-control"),
    "output_config/task_budget": ("CTX-1", "task-budgets"),
    "output_format": ("OUT-15", "structured-outputs"),
    "speed": ("SVC-1", "fast-mode"),
    "thinking/block_binding": ("CTX-1", "thinking-binding-controls"),
    "thread": ("SVC-2", "message-threads"),
    "tools/*/defer_loading": ("TUL-28", "advanced-tool-use tool-search-tool"),
    "tools/*/input_examples": ("TUL-9", "advanced-tool-use tool-examples"),
    "user_profile_id": ("USR-2", "user-profiles"),
    "workspace_id": ("SVC-4", ""),
    "**/cache_control/scope": ("CAC-5", "prompt-caching-scope"),
}
"""The others: the rule that reports one which a server does not take, and the betas any of which it needs; where there
are none, the vendor's own servers take it without."""
JUDGED = frozenset(
    """
    advisor-tool computer-use files-api inline-tools mid-conversation-tool-changes thinking-display-updates
    """.split()
)
"""Betas of tools, blocks and values that are judged by themselves wherever they stand."""
HINTS = JUDGED | frozenset(
    """
    claude-code effort extended-cache-ttl fine-grained-tool-streaming interleaved-thinking
    message-batches mid-conversation-system oauth pdfs prompt-caching thinking-token-count
    token-counting token-efficient-tools
    """.split()
)
"""Betas that change neither content nor behaviour of a response by themselves; with those that clients make up, and
those of features that need none any more."""
OF_MEMBERS = frozenset(beta for _, betas in MEMBERS.values() for beta in betas.split())


@finds("ENV-4", "SVC-6")
def rule_of(betas: Any) -> str:
    """Return the rule that reports betas in a body; betas of members that are reported themselves need none."""
    listed = betas if isinstance(betas, list) else [betas]
    return "ENV-4" if all(isinstance(one, str) and bare(one) in HINTS | OF_MEMBERS for one in listed) else "SVC-6"
