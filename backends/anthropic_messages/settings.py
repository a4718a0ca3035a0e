"""What only some servers of Anthropic Messages accept, and the options of conversions to them (CAP-1, CAP-2)."""

from proxai_ir.binding.server import capability, option
from proxai_ir.ir.request import ThinkingMode
from proxai_ir.rules import models

from .._lib import prefill

MAX_TOKENS = (
    32000  # what every current Claude accepts; thinking counts, and a lower limit cuts agents' long files short
)

BETWEEN_TOOLS = ThinkingMode.BETWEEN_TOOLS.value

MODELS = models.taken(
    "documents forced_choice forced_with_thinking highest_effort hosted_tools images json_with_tools many_strict_tools "
    "parallel_tools sampling stop_sequences strict_tools structured_output thinking thinking_budgets thinking_off "
    "thinks_by_default tool_choice unreasoned_calls xhigh_effort zero_temperature",
    many_strict_tools=False,
    thinks_by_default=False,
)

SETTINGS = {
    **MODELS.settings,
    "adaptive_thinking": capability(True, "adaptive thinking, which an effort then enables (RSN-14)"),
    "automatic_caching": capability(
        True, "`cache_control` of the whole request; a breakpoint at the end of the prompt is sent otherwise (SVC-7)"
    ),
    "betas": capability(True, "betas of the vendor's API, which switch on features of requests (CAP-8)"),
    "calls_without_tools": capability(True, "calls in the history of a request that defines no tools (TUL-62)"),
    "end_users": capability(True, "ids of end users (USR-2)"),
    "fast_mode": capability(True, "`speed` (SVC-1)"),
    "effort": capability(True, "`output_config.effort`, and thinking of the type `adaptive` (RSN-12)"),
    "least_thinking": capability(
        "least_effort",
        "what is sent for none where that is impossible: the least effort, or thinking between tool calls (RSN-33)",
        choices=("least_effort", BETWEEN_TOOLS),
    ),
    "other_hosted_tools": capability(
        True, "tools that the provider runs other than web search and tool search (TUL-6)"
    ),
    "prefill": prefill.SETTING,
    "service_tiers": capability(True, "service tiers, the usual one among them (SMP-6)"),
    "system_in_place": capability(
        False, "instructions in mid-conversation, before a message of the assistant (PLC-2)", {"later": "after_user"}
    ),
    "turn_settings": capability(
        False, "messages that set the effort from there on (RSN-45)", {"changeable": ("thinking",)}
    ),
    "temperature_with_top_p": capability(False, "both of them in one request (SMP-8)"),
    "web_search": capability(True, "the provider's web search (TUL-6)"),
    "unsigned_thinking": capability(False, "thinking without a signature in messages of the assistant (RSN-5)"),
    "max_tokens": option(
        MAX_TOKENS,
        f"the output limit of requests that set none; {MAX_TOKENS} by default (SMP-1)",
        of="requests",
    ),
    "allow_empty": option(False, "accept a response without content (CHO-3, CHO-5)", of="responses", proxied=True),
    "input_tokens": option(
        0, "the input tokens of `message_start`, before any is reported; 0 by default", of="streams"
    ),
}

VERSIONS = {
    "2023-06-01": {},
    "2026-10-21": {"sampling": False},
}
"""Of the API, by the header `anthropic-version`, with the capabilities that each changes.

2026-10-21 also rejects documents in assistant messages and citations on the text of user messages; no version gets
either from another protocol (PLC-3, CIT-1).
"""
