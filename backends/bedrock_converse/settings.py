"""What only some models behind Converse accept (CAP-1, CAP-2); models' own settings differ by family."""

from proxai_ir.binding.server import capability
from proxai_ir.rules import models

from .._lib import prefill

FAMILIES = ("anthropic", "nova", "openai", "other")

MODELS = models.taken(
    "documents forced_choice forced_with_thinking images many_strict_tools sampling sampling_with_thinking "
    "stop_sequences strict_tools structured_output thinking_budgets thinks_by_default tool_choice xhigh_effort",
    many_strict_tools=False,
    thinks_by_default=False,
)

SETTINGS = {
    **MODELS.settings,
    "adaptive_thinking": capability(True, "adaptive thinking, which an effort then enables (RSN-14)"),
    "assistant_first": capability(
        True,
        "a message of the assistant at the beginning; that is refused otherwise (PLC-81)",
        {"assistant_first": False},
    ),
    "audio": capability(False, "audio in messages of the user (AUD-1)"),
    "betas": capability(True, "betas of the vendor of its models, which switch on features of requests (CAP-8)"),
    "effort": capability(True, "an effort of thinking (RSN-12)"),
    "family": capability("anthropic", "whose own settings the model takes (SMP-80)", choices=FAMILIES),
    "optimized_latency": capability(False, "`performanceConfig` with less latency (SVC-1)"),
    "prefill": prefill.SETTING,
    "system_in_place": capability(
        False, "instructions in mid-conversation, before a message of the assistant (PLC-2)", {"later": "after_user"}
    ),
    "unsigned_thinking": capability(False, "reasoning without a signature in messages of the assistant (RSN-5)"),
    "video": capability(False, "videos in messages of the user and in results (VID-1)"),
}
