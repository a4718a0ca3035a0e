"""What only some servers of Responses accept, and the options of conversions to them (CAP-1, CAP-2)."""

from proxai_ir.backends._openai.conditions import COMPOSED_PARAMETERS
from proxai_ir.binding.server import capability, option
from proxai_ir.rules import models
from proxai_ir.wire import openai_responses as wire

REFUSAL = '`"completed"` instead of `"failed"` for a refusal that is the source\'s stop reason (REF-12)'

MODELS = models.taken(
    "documents efforts forced_choice forced_with_thinking function_tools highest_effort hosted_tools images "
    "json_with_tools least_effort logprobs medium_effort named_choice parallel_tools sampling sampling_with_thinking "
    "strict_tools structured_output thinking thinking_off thinks_by_default token_limit tool_choice xhigh_effort",
    thinking_off=False,
)

SETTINGS = {
    **MODELS.settings,
    **COMPOSED_PARAMETERS,
    "bare_reasoning": capability(False, "reasoning items of requests with neither id nor encrypted content (RSN-5)"),
    "cache_breakpoints": capability(False, "cache breakpoints and `prompt_cache_options` (CAC-4): newer models"),
    "generated_images": capability(False, "images that a model made, in requests (IMG-4); responses always have them"),
    "items_after_calls": capability(
        True,
        "other items between a call and its output; otherwise they are moved before or after (PLC-5, PLC-71)",
        {"results": "turns", "calls_last": True},
    ),
    "system_in_place": capability(
        True, "instructions in mid-conversation (PLC-2), and several messages at the beginning", {"later": "nowhere"}
    ),
    "turn_settings": capability(
        False, "items that change settings from there on (RSN-45)", {"changeable": ("thinking", "output")}
    ),
    "refusal_status": option(wire.FAILED, REFUSAL, of="responses", choices=(wire.FAILED, wire.COMPLETED)),
}
