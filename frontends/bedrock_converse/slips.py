"""What servers get wrong beside the content of their responses, and what requests repeat of that (ENV-15)."""

from proxai_ir.binding.slips import ARGUMENTS, ID, Each, Facts, count, counts, role, speaker, text, word
from proxai_ir.wire import bedrock_converse as wire

MESSAGE = {"role": role("assistant"), "content": Each({"toolUse": {"toolUseId": ID, "input": ARGUMENTS}})}
ENVELOPE = {
    "usage": counts(wire.USAGE),
    "metrics": Facts({"latencyMs": count}),
    "serviceTier": Facts({"type": word}),
    "performanceConfig": Facts({"latency": word}),
}
BLOCK = {"contentBlockIndex": count}
EVENT = {
    "messageStart": {"role": role("assistant")},
    "contentBlockStart": {**BLOCK, "start": {"toolUse": {"toolUseId": ID}}},
    "contentBlockDelta": BLOCK,
    "contentBlockStop": BLOCK,
    "messageStop": {"stopReason": word},
    "metadata": ENVELOPE,
}
SLIPS = {"output": {"message": MESSAGE}, "stopReason": word, **ENVELOPE, **EVENT}
CALLED = {"toolUse": {"toolUseId": text, "input": ARGUMENTS}, "toolResult": {"toolUseId": text}}
REPEATED = {"messages": Each({"role": speaker("assistant"), "content": Each(CALLED)})}
