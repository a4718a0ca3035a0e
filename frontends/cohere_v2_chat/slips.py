"""What servers get wrong beside the content of their responses, and what requests repeat of that (ENV-15)."""

from proxai_ir.binding.slips import ID, Each, count, counts, role, speaker, text, word
from proxai_ir.wire import cohere_v2_chat as wire

CALL = {"id": ID}
MESSAGE = {"role": role("assistant")}
ENDING = {"finish_reason": word, "usage": counts(wire.USAGE), "error": text}
SLIPS = {
    "id": text,
    **ENDING,
    "index": count,
    "message": {**MESSAGE, "tool_calls": Each(CALL)},
    "delta": {**ENDING, "message": {**MESSAGE, "tool_calls": CALL}},
}
REPEATED = {"messages": Each({"role": speaker("assistant"), "tool_calls": Each({"id": text}), "tool_call_id": text})}
