"""What servers get wrong beside the content of their responses, and what requests repeat of that (ENV-15)."""

from proxai_ir.binding.slips import Each, Facts, count, counts, role, seconds, speaker, text, word
from proxai_ir.wire import openai_chat_completions_objects as objects

CALLS = Each({"id": text, "index": count})
MESSAGE = {"role": role("assistant"), "tool_calls": CALLS}
CHOICE = {"index": count, "finish_reason": word, "logprobs": Facts({}), "message": MESSAGE, "delta": MESSAGE}
SLIPS = {
    "id": text,
    "object": word,
    "created": seconds,
    "model": text,
    "system_fingerprint": text,
    "service_tier": word,
    "metadata": Facts({}),
    "usage": counts(objects.USAGE),
    "choices": Each(CHOICE),
}
REPEATED = {"messages": Each({"role": speaker("assistant"), "tool_calls": CALLS, "tool_call_id": text})}
