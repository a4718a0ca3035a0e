"""Wire vocabularies: one module a protocol, declared once and read by its frontend and its backend alike.

A module holds the protocol's words for what the IR names, its one-vendor members with the rule that names their loss,
and where each IR field stands on the wire. It knows the IR's enums and nothing else of ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from ..ir.node import finds

_OFFICE = "application/vnd.openxmlformats-officedocument"
FILE_TYPES = {
    "pdf": "application/pdf",
    "txt": "text/plain",
    "md": "text/markdown",
    "html": "text/html",
    "htm": "text/html",
    "csv": "text/csv",
    "xml": "text/xml",
    "json": "application/json",
    "docx": f"{_OFFICE}.wordprocessingml.document",
    "pptx": f"{_OFFICE}.presentationml.presentation",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
}
"""Media types of documents by the end of a file's name."""

ENVELOPE = {"*": "UNK-6"}
"""The rule of all other members of an object that describes how a response was made, and has none of its content."""


ERROR_ENVELOPE = {
    **dict.fromkeys(("provider", "request_id", "user_id", "headers"), "ENV-1"),
    **dict.fromkeys(("status", "status_code", "statusCode", "raw_status_code"), "ENV-1"),
    "code": "ERR-6",  # a generic one, where the status says more
    "error_type": "ERR-3",
}
"""Members of an error's body, of several servers, that do not tell what went wrong."""
ERROR_MEMBERS: dict[str, Any] = {
    "type": "ERR-3",
    "code": "ERR-6",
    "error_type": "ERR-3",  # Text Generation Inference
    "message": "ERR-11",
    "metadata": {"provider_name": "ENV-1", "*": "ERR-4"},  # OpenRouter
    "failed_generation": "ERR-4",  # Groq
    "resets_in_seconds": "",
    **dict.fromkeys(("status", "status_code", "statusCode", "raw_status_code", "object"), "ENV-1"),
    **dict.fromkeys(("n_ctx", "n_prompt_tokens"), "ENV-1"),  # llama.cpp, whose message has them
    **dict.fromkeys(("plan_type", "resets_at", "eligible_promo"), "ENV-1"),  # of subscriptions
}
"""Members of an error of OpenAI's protocols that have no IR field."""


BETA_DATE = re.compile(r"[-_](20\d\d-\d\d-\d\d|20\d{6})$")


def bare(beta: str) -> str:
    """Return the name of an API's beta without its date; newer betas of the same name change the same feature."""
    return BETA_DATE.sub("", beta)


def unless(usual: Any, rule: str) -> Callable[[Any], str]:
    """Return a function that finds the rule of a member: SMP-6 for the usual value, which all targets apply anyway."""
    return finds("SMP-6", rule)(lambda value: "SMP-6" if value == usual else rule)


DEFERRED = unless(False, "TUL-28")
"""The rule of the member that keeps a tool out of the prompt until a search for tools finds it (TUL-80)."""


def filled(rule: str) -> Callable[[Any], str]:
    """Return a function that finds the rule of a member: "" for an empty list or object, which means nothing."""
    return finds(rule)(lambda value: rule if value or type(value) not in (list, dict) else "")


def time_of(seconds: int) -> str:
    """Return a time in the format of RFC 3339. Raises ValueError or OverflowError if it has no date."""
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat() + "Z"
