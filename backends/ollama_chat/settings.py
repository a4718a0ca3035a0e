"""What only some servers of `/api/chat`, or their models, accept (CAP-1, CAP-2)."""

from proxai_ir.rules import models

MODELS = models.taken(
    "efforts highest_effort images least_effort logprobs structured_output thinking thinking_off", least_effort="low"
)

SETTINGS = MODELS.settings
