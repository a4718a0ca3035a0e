"""What generateContent supports: verdicts on responses and errors."""

from __future__ import annotations

from proxai_ir.ir import logprobs, response, terminal, usage
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.rules.conditions import holds, overflow_named, overflow_without, repeats_type, worded, wordless
from proxai_ir.rules.verdicts import loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import gemini_generate_content as wire

USAGE_DETAILS = (*(f"{what}.{kind}" for what in wire.DETAILS.values() for kind in wire.MEDIA), wire.TOOL_USE)


def repeats_status(error: Error) -> bool:
    """Whether a code adds nothing to the status; a word for a prompt that is too long does, as no status says so."""
    named = error.category is ErrorCategory.CONTEXT_LENGTH and isinstance(error.code, str)
    return not named and repeats_type(error)


ANSWERS = (
    of(
        response.Response,
        ok("id model tier=standard|priority|flex"),
        omits("ENV-3", "tier=auto|scale|batch fast"),
        omits("ENV-1", "created fingerprint"),
        omits("ENV-11", "metadata"),
    ),
    of(logprobs.LogProbs, loses("SMP-7", "refusal")),
    of(logprobs.ScoredToken, ok("text logprob id"), omits("ENV-1", "bytes")),
    of(
        terminal.Terminal,
        ok("raw message reason=end|stop_sequence|length|tool_calls|content_filter|unknown"),
        weaker("STS-3", "reason=context_window|refusal"),
        weaker("STS-5", "reason=pause"),
        refuses("STS-13", "reason=unfinished|failed"),
        loses("STS-8", "stop_sequence"),
    ),
    of(terminal.RefusalDetails, ok("explanation"), loses("REF-5", "category")),
    of(
        usage.Usage,
        ok("input cache_read output reasoning total"),
        notes("USE-4", "cache_write"),
        ok(f"details={'|'.join(USAGE_DETAILS)}"),
        omits("USE-4", "details"),
    ),
    of(
        Error,
        notes(
            "ERR-7",
            "message",
            when=overflow_without(wire.BEGINS_TOO_LONG),
            by=overflow_named(wire.INPUT_TOO_LONG),
        ),
        notes("ERR-9", "message", when=wordless, by=worded),
        notes("ERR-3", "category=unknown"),
        ok("message type retry_after param category"),
        omits("ERR-6", "code", when=repeats_status),
        loses("ERR-2", "code", when=holds("code", int)),
        ok("code status"),
        omits("ERR-5", "verbatim"),
        omits("ENV-1", "request_id"),
    ),
)
