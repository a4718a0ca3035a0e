"""What servers get wrong beside the content of their responses, and what requests repeat of that (ENV-15)."""

from proxai_ir.binding.slips import ARGUMENTS, Each, count, role, speaker, text, time, word
from proxai_ir.wire import ollama_chat as wire

CALLED = {"tool_calls": Each({"id": text, "function": {"arguments": ARGUMENTS}}), "tool_call_id": text}
SLIPS = {
    "model": text,
    "created_at": time,
    "done_reason": word,
    **dict.fromkeys(wire.COUNTS, count),
    "message": {"role": role("assistant"), **CALLED},
}
REPEATED = {"messages": Each({"role": speaker("assistant"), **CALLED})}
