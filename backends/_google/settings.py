"""What only some servers of both protocols accept (CAP-1, CAP-2): the newest models of the Gemini API by default."""

from proxai_ir.binding.server import capability

from .._lib import prefill

SETTINGS = {
    "labels": capability(False, "metadata of a request (USR-3): Vertex AI"),
    "mcp_servers": capability(True, "MCP servers (TUL-6)"),
    "media_in_results": capability(
        True, "media in tool results, else moved to the user's message (PLC-7): Gemini 3", {"media_results": False}
    ),
    "prefill": prefill.SETTING,
    "service_tiers": capability(True, "service tiers (SVC-1)"),
    "store": capability(True, "`store` (SVC-2)"),
    "url_context": capability(True, "the tool that opens pages (TUL-41)"),
}
