"""What only some servers of Interactions accept (CAP-1, CAP-2): the newest models of the Gemini API by default."""

from proxai_ir.rules import models

from .._google import settings as google

MODELS = models.taken(
    "documents forced_choice highest_effort images json_with_tools least_effort middle_efforts sampling seed "
    "stop_sequences structured_output thinking thinking_off",
    highest_effort="high",
    least_effort="low",
    thinking_off=False,
)
SETTINGS = {**MODELS.settings, **google.SETTINGS}
