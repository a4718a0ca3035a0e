"""Specimens for what both of Google's protocols have: runs of its own tools, with what was called and found."""

from __future__ import annotations

from collections.abc import Callable

from proxai_ir import ir
from proxai_ir.testing.specimens import ASSISTANT, Specimen, in_turn

PAGE = "https://example.com/a"
FOUND = {"url_metadata": [{"retrieved_url": PAGE, "url_retrieval_status": "URL_RETRIEVAL_STATUS_SUCCESS"}]}


def opened() -> Specimen:
    """Return a call that opens a page, as generateContent has it."""
    call = {"toolType": "URL_CONTEXT", "args": {"urls": [PAGE]}, "id": "i"}
    return in_turn(ASSISTANT, ir.HostedCall("urlContext", "i", {"toolCall": call}))


def found() -> Specimen:
    """Return the result of that call."""
    response = {"toolType": "URL_CONTEXT", "response": FOUND, "id": "i"}
    return in_turn(ASSISTANT, ir.HostedResult("urlContext", "i", {"toolResponse": response}))


def stored() -> Specimen:
    """Return a document that Google itself stores."""
    file = ir.FileRef("gs://bucket/a.pdf", provider="google", mime="application/pdf")
    turn = ir.Turn(ir.Role.USER, [ir.Document(file)])
    return ir.Request(None, "m", [turn]), file


RUNS: dict[type, Callable[[], Specimen]] = {ir.HostedCall: opened, ir.HostedResult: found}
