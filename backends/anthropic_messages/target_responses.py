"""What Anthropic Messages supports: verdicts on responses and errors."""

from __future__ import annotations

from proxai_ir.ir import response, terminal, usage
from proxai_ir.ir.error import Error
from proxai_ir.rules.conditions import overflow_named, overflow_without, repeats_type, worded, wordless
from proxai_ir.rules.verdicts import loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import anthropic_messages as wire

from .conditions import explained

ANSWERS = (
    of(
        response.Response,
        ok("id model fast tier=standard|priority|batch"),
        omits("ENV-3", "tier=auto|flex|scale"),
        notes("ENV-1", "created fingerprint"),  # of which a generated id is made
        omits("ENV-11", "metadata"),
    ),
    of(response.Candidate, loses("SMP-7", "logprobs")),
    of(
        terminal.Terminal,
        ok("message", when=explained),
        omits("ENV-1", "message"),
        weaker("STS-3", "reason=content_filter", elsewhere=True),
        refuses("STS-13", "reason=unfinished|failed"),
        ok("reason raw stop_sequence"),
    ),
    of(terminal.RefusalDetails, ok("explanation category")),
    of(
        usage.Usage,
        ok("input cache_read cache_write output reasoning"),
        notes("USE-3", "total"),
        ok(f"details={'|'.join(wire.USAGE.entries('details'))}"),
        omits("USE-4", "details"),
    ),
    of(
        Error,
        loses("ERR-2", "retry_after"),
        notes("ERR-7", "message", when=overflow_without(wire.PROMPT_TOO_LONG), by=overflow_named(wire.PROMPT_TOO_LONG)),
        notes("ERR-9", "message", when=wordless, by=worded),
        notes("ERR-3", "category=unknown"),
        ok("message type request_id category"),
        omits("ERR-6", "code", when=repeats_type),
        loses("ERR-2", "code param"),
        omits("ERR-5", "verbatim"),
        omits("ENV-1", "status"),
    ),
)
