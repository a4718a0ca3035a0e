"""What only some servers of Interactions accept (CAP-1, CAP-2): the newest models of the Gemini API by default."""

from proxai_ir.binding.server import capability
from proxai_ir.rules import models

MODELS = models.taken(
    "documents forced_choice highest_effort images json_with_tools least_effort middle_efforts sampling seed "
    "stop_sequences structured_output thinking thinking_off",
    highest_effort="high",
    least_effort="low",
    thinking_off=False,
)
SETTINGS = {
    **MODELS.settings,
    "labels": capability(False, "metadata of a request (USR-3): Vertex AI"),
    "mcp_servers": capability(True, "MCP servers (TUL-6)"),
    "media_in_results": capability(
        True, "media in tool results, else moved to the user's message (PLC-7): Gemini 3", {"media_results": False}
    ),
    "prefill": capability(
        False, "an assistant message at the end, which the response continues (PLC-19)", {"last_turn": "continued"}
    ),
    "service_tiers": capability(True, "service tiers (SVC-1)"),
    "store": capability(True, "`store` (SVC-2)"),
    "url_context": capability(True, "the tool that opens pages (TUL-41)"),
}
