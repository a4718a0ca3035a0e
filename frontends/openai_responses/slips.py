"""What servers get wrong beside the content of their responses, and what requests repeat of that (ENV-15)."""

from proxai_ir.binding.slips import (
    ARGUMENTS_TEXT,
    ID,
    ByType,
    Each,
    Facts,
    Table,
    count,
    counts,
    role,
    seconds,
    text,
    word,
)
from proxai_ir.wire import openai_responses_objects as objects

ITEM = ByType(
    {
        "message": {"role": role("assistant"), "id": text, "status": word},
        "function_call": {"call_id": ID, "arguments": ARGUMENTS_TEXT, "id": text, "status": word},
        "custom_tool_call": {"call_id": ID, "id": text, "status": word},
        "reasoning": {"id": text, "status": word},
    }
)
RESPONSE = {
    "id": text,
    "object": word,
    "created_at": seconds,
    "model": text,
    "service_tier": word,
    "status": word,
    "usage": counts(objects.USAGE),
    "metadata": Facts({}),
    "incomplete_details": Facts({"reason": word}),
    "output": Each(ITEM),
}
EVENT = {
    "response": RESPONSE,
    "item": ITEM,
    "item_id": text,
    "sequence_number": count,
    **dict.fromkeys(("output_index", "content_index", "summary_index", "annotation_index"), count),
}
SLIPS = {**RESPONSE, **EVENT}
CALLED: dict[str, Table] = {
    "function_call": {"call_id": text, "arguments": ARGUMENTS_TEXT},
    **{kind: {"call_id": text} for kind in ("custom_tool_call", "function_call_output", "custom_tool_call_output")},
}
REPEATED = {"input": Each(ByType(CALLED))}
