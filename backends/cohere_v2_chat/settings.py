"""What only some servers of /v2/chat accept (CAP-1, CAP-2)."""

from proxai_ir.binding.server import capability
from proxai_ir.rules import models

MODELS = models.taken(
    "forced_choice high_temperature images json_with_tools sampling strict_tools structured_output thinking "
    "thinking_budgets thinking_off tool_choice",
    high_temperature=False,
    json_with_tools=False,
)

SETTINGS = {
    **MODELS.settings,
    "system_in_place": capability(
        False, "instructions in mid-conversation, before a message of the assistant (PLC-2)", {"later": "anywhere"}
    ),
}
