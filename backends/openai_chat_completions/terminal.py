"""How a response ended, in the words of Chat Completions: the same for whole responses and for streams (STS-7)."""

from __future__ import annotations

from proxai_ir.ir.parts import WORDING
from proxai_ir.ir.response import Candidate
from proxai_ir.ir.terminal import CONTENT_FILTER, REFUSAL, Terminal, fitted_reason
from proxai_ir.wire import openai_chat_completions as wire


def finish_reason(candidate: Candidate) -> str | None:
    """The finish reason; a refusal that shows nothing is a filtered response (STS-5)."""
    reason = candidate.terminal.reason
    if reason is REFUSAL and not explanation(candidate.terminal) and not has_wording(candidate):
        reason = CONTENT_FILTER
    return wire.FINISH_OF.get(fitted_reason(reason, candidate.calls))


def has_wording(candidate: Candidate) -> bool:
    """Whether a response shows any text, its own or a refusal's."""
    return any(part.text for part in candidate.parts if isinstance(part, WORDING))


def explanation(terminal: Terminal) -> str | None:
    """A refusal's explanation: its wording where the response has none (REF-5)."""
    return terminal.refusal.explanation if terminal.refusal is not None else None
