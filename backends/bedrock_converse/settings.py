"""What only some servers and models of Bedrock accept (CAP-1, CAP-2): Claude 4.6 by default."""

from proxai_ir.binding.server import capability
from proxai_ir.rules import models
from proxai_ir.wire import bedrock_converse as wire

MODELS = models.taken(
    "documents forced_choice forced_with_thinking highest_effort images json_with_tools least_effort sampling "
    "sampling_with_thinking stop_sequences strict_tools structured_output thinking thinking_budgets thinking_off "
    "thinks_by_default tool_choice unreasoned_calls xhigh_effort zero_temperature",
    forced_with_thinking=False,
    sampling_with_thinking=False,
    thinks_by_default=False,
)

SETTINGS = {
    **MODELS.settings,
    "adaptive_thinking": capability(True, "adaptive thinking, which an effort then enables (RSN-14)"),
    "audio": capability(False, "audio; it is refused otherwise (AUD-1)"),
    "effort": capability(True, "efforts of thinking (RSN-12)"),
    "family": capability(
        "claude", "the model's family, whose words `additionalModelRequestFields` has", choices=wire.FAMILIES
    ),
    "prefill": capability(
        False, "an assistant message at the end, which the response continues (PLC-19)", {"last_turn": "continued"}
    ),
    "prompt_caching": capability(True, "cache points (CAC-4)"),
    "system_in_place": capability(
        False, "instructions in mid-conversation, before a message of the assistant (PLC-2)", {"later": "after_user"}
    ),
    "temperature_with_top_p": capability(False, "both of them in one request (SMP-8)"),
    "unsigned_thinking": capability(False, "reasoning without a signature in messages of the assistant (RSN-5)"),
    "video": capability(False, "video; it is refused otherwise (VID-1): Nova"),
}
