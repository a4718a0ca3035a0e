"""What Google's protocols share in writing: signatures, and usage."""

from __future__ import annotations

from base64 import b64encode

from proxai_ir.ir.envelope import TAG, seal_text
from proxai_ir.ir.node import Seal
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import google

from .._lib.writing import Object, with_extra


def signature(seal: Seal) -> str:
    """Signatures are base64, so that an envelope is encoded once more (RSN-9)."""
    text = seal_text(seal, google.PROVIDER)
    return b64encode(text.encode()).decode() if text.startswith(TAG) else text


def raise_usage(usage: Usage, declared: google.Tokens, own: bool) -> Object:
    """Counts that include one another (USE-1); what the provider's own tools gave back is counted apart.

    A total that usage of the `own` protocol does not have is not known.
    """
    details = usage.details or {}
    tool_use = details.get(google.TOOL_USE)
    prompt = None if usage.input is None else usage.all_input - (tool_use or 0)
    total = usage.total
    if total is None and not own and usage.input is not None and usage.output is not None:
        total = usage.all_input + usage.all_output
    counts = (prompt, usage.cache_read, tool_use, usage.output, usage.reasoning, total)
    built: Object = {key: count for key, count in zip(declared.counts, counts, strict=True) if count is not None}
    for member, entries in declared.entries.items() if details else ():
        listed = [
            {"modality": word, declared.count: details[entry]} for entry, word in entries.items() if entry in details
        ]
        if listed:
            built[member] = listed
    return with_extra(built, usage)
