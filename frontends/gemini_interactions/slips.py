"""What servers get wrong beside the content of their responses, and what requests repeat of that (ENV-15)."""

from proxai_ir.binding.slips import ARGUMENTS, ID, ByType, Each, Facts, Table, count, text, time, word
from proxai_ir.wire import gemini_interactions as wire

STEP = ByType({"function_call": {"id": ID, "arguments": ARGUMENTS}})
INTERACTION = {
    "id": text,
    "model": text,
    "status": word,
    "created": time,
    "service_tier": word,
    "usage": Facts(dict.fromkeys(wire.TOKENS.counts, count)),
    "steps": Each(STEP),
}
SLIPS = {**INTERACTION, "interaction": INTERACTION, "interaction_id": text, "index": count, "step": STEP}
CALLED: dict[str, Table] = {"function_call": {"id": text, "arguments": ARGUMENTS}, "function_result": {"call_id": text}}
REPEATED = {"input": Each(ByType(CALLED))}
