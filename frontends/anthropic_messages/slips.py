"""What servers get wrong beside the content of their responses, and what requests repeat of that (ENV-15)."""

from proxai_ir.binding.slips import ARGUMENTS, ID, ByType, Each, Facts, Table, count, counts, role, speaker, text, word
from proxai_ir.wire import anthropic_messages as wire

ENDING = {"stop_reason": word, "stop_sequence": text, "stop_details": Facts({"explanation": text, "category": word})}
BLOCK = ByType({"tool_use": {"id": ID, "input": ARGUMENTS}})
MESSAGE = {
    "id": text,
    "role": role("assistant"),
    "model": text,
    **ENDING,
    "content": Each(BLOCK),
    "usage": counts(wire.USAGE),
}
SLIPS = {**MESSAGE, "message": MESSAGE, "index": count, "content_block": BLOCK, "delta": ENDING}
CALLED: dict[str, Table] = {"tool_use": {"id": text, "input": ARGUMENTS}, "tool_result": {"tool_use_id": text}}
REPEATED = {"messages": Each({"role": speaker("assistant"), "content": Each(ByType(CALLED))})}
