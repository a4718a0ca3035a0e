"""What servers get wrong beside the content of their responses, and what requests repeat of that (ENV-15)."""

from proxai_ir.binding.slips import FREE_ARGUMENTS, Each, Else, Facts, count, role, text, time, word
from proxai_ir.wire import gemini_generate_content as wire

PART = {"functionCall": {"id": text, "args": FREE_ARGUMENTS}, "functionResponse": {"id": text}}
CONTENT = {"parts": Each(PART)}
CANDIDATE = {
    "index": count,
    "finishReason": Else(word, "OTHER", needed=False),
    "finishMessage": text,
    "content": {"role": role(wire.MODEL, *wire.MODEL_ROLE), **CONTENT},
}
USAGE = Facts({"serviceTier": word, **dict.fromkeys(wire.TOKENS.counts, count)})
SLIPS = {
    "responseId": text,
    "modelVersion": text,
    "createTime": time,
    "usageMetadata": USAGE,
    "promptFeedback": Facts({"blockReason": word, "blockReasonMessage": text}),
    "candidates": Each(CANDIDATE),
}
REPEATED = {"contents": Each(CONTENT)}
