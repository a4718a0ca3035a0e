"""Items that the requests and the responses of Responses have in common."""

from __future__ import annotations

from ..sample import Json

DEPTH: Json = {
    "type": "function",
    "name": "depth",
    "description": "Depth of a harbour.",
    "parameters": {
        "type": "object",
        "properties": {"harbour": {"type": "string"}},
        "required": ["harbour"],
        "additionalProperties": False,
    },
    "strict": True,
}

MESSAGE: Json = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "I look it up.", "annotations": []}],
}

CALL: Json = {
    "id": "fc_1",
    "type": "function_call",
    "call_id": "call_1",
    "name": "depth",
    "arguments": '{"harbour":"Emden"}',
    "status": "completed",
}

REASONING: Json = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [
        {"type": "summary_text", "text": "The pilot asks for a depth."},
        {"type": "summary_text", "text": "There is a tool for it."},
    ],
    "encrypted_content": "gAAAAABo",
}
