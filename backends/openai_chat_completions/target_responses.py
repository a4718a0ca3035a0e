"""What Chat Completions supports: verdicts on responses and errors."""

from __future__ import annotations

from proxai_ir.backends._openai.conditions import ROWS_OF_RESPONSES
from proxai_ir.ir import response, terminal, usage
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.rules.conditions import (
    is_,
    overflow_code_but,
    worded,
    wordless,
)
from proxai_ir.rules.verdicts import loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_chat_completions as wire

ANSWERS = (
    of(
        response.Response,
        omits("ENV-3", "tier", when=is_("fast", True)),
        ok("id model created tier=auto|standard|priority|flex|scale fingerprint metadata"),
        notes("ENV-3", "fast", when=is_("fast", False)),
        ok("fast"),
        omits("ENV-3", "tier=batch"),
    ),
    of(
        terminal.Terminal,
        omits("ENV-1", "message"),
        ok("raw reason=end|stop_sequence|length|tool_calls|refusal|content_filter|unknown"),
        weaker("STS-3", "reason=context_window"),
        weaker("STS-5", "reason=pause"),
        refuses("STS-13", "reason=unfinished|failed"),
        loses("STS-8", "stop_sequence"),
    ),
    *ROWS_OF_RESPONSES,
    of(
        usage.Usage,
        ok("input cache_read cache_write output reasoning total"),
        ok(f"details={'|'.join(wire.USAGE.entries('details'))}"),
        omits("USE-4", "details"),
    ),
    of(
        Error,
        loses("ERR-2", "retry_after"),
        notes("ERR-9", "message", when=wordless, by=worded),
        omits("ERR-8", "code", when=overflow_code_but(openai.NEEDED_CODE_OF[ErrorCategory.CONTEXT_LENGTH])),
        notes("ERR-3", "category=unknown"),
        ok("message code param type category"),
        omits("ERR-5", "verbatim"),
        notes("ENV-1", "request_id status"),
    ),
)
