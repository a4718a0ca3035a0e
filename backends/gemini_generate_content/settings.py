"""What only some servers of generateContent accept (CAP-1, CAP-2): the newest models of the Gemini API by default."""

from proxai_ir.binding.server import capability
from proxai_ir.rules import models

from .._google import settings as google

MODELS = models.taken(
    "documents forced_choice highest_effort images json_with_tools least_effort logprobs middle_efforts penalties "
    "sampling seed several_candidates stop_sequences structured_output thinking thinking_budgets thinking_off",
    highest_effort="high",
    least_effort="low",
    logprobs=False,
    penalties=False,
    thinking_off=False,
)

SETTINGS = {
    **MODELS.settings,
    **google.SETTINGS,
    "call_ids": capability(True, "ids of function calls and responses; they are left out otherwise"),
    "display_names": capability(False, "names of documents (DOC-1): Vertex AI"),
    "dummy_signatures": capability(True, "a placeholder for the signature of other models' calls (RSN-22): Gemini 3"),
    "effort": capability(True, "`thinkingLevel`; the thinking budget that comes nearest is sent otherwise (RSN-21)"),
    "excluded_domains": capability(False, "domains that a web search leaves out (TUL-9): Vertex AI"),
    "json_schemas": capability(True, "JSON Schema for tools and output, else Google's `Schema` (SCH-7, SCH-12)"),
    "media_resolution": capability(True, "the detail of a single image (IMG-1)"),
    "media_urls": capability(True, "files by their URL (SRC-2)"),
    "mixed_tools": capability(True, "Google's own tools together with functions, else dropped (TUL-6): Gemini 3"),
    "urls_in_results": capability(
        False, "files by their URL in tool results (PLC-7): Vertex AI", {"result_holds": None}
    ),
    "validated": capability(
        True, "calls whose arguments obey the schemas without being required (SCH-10)", {"enforces": "required"}
    ),
}
