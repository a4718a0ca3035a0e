"""Requests, responses and error bodies of /v2/chat."""

from __future__ import annotations

from ..sample import Json, Payloads
from ..shared import DEPTH_SCHEMA, PNG
from .building import OUTPUT, PAGE, call, cites, request, response, result, text, thinking, tool, usage, user

CHAT: Json = request(
    {"role": "system", "content": "You are a pilot of the Ems."},
    user("When is high water?"),
    {"role": "assistant", "content": "At 06:12."},
    user("And low water?"),
    temperature=0.3,
    max_tokens=200,
    stop_sequences=["OVER"],
    p=0.8,
    k=40,
    seed=7,
    frequency_penalty=0.1,
    presence_penalty=0.2,
    logprobs=True,
    stream=True,
)
LOOKS: Json = {
    "role": "assistant",
    "content": [thinking("The table knows.")],
    "tool_plan": "I look it up.",
    "tool_calls": [call("call_1", "depth", '{"harbour":"Emden","unit":"m"}')],
    "citations": [cites(2, 6, "look", OUTPUT, type="PLAN")],
}
TOOLS: Json = request(
    user("How deep is Emden?"),
    LOOKS,
    result([text("4 m"), {"type": "document", "document": {"id": "d1", "data": {"text": "4 m", "title": "Emden"}}}]),
    tools=[tool("depth", description="Depth of a harbour.", parameters=DEPTH_SCHEMA), tool("clock")],
    tool_choice="NONE",
    strict_tools=True,
)
DOCUMENTS: Json = request(
    user("Which is deeper?"),
    documents=["Emden is 4 m deep.", {"id": "d2", "data": {"text": "Delfzijl is 5 m deep.", "title": "Delfzijl"}}],
    citation_options={"mode": "ACCURATE"},
    safety_mode="CONTEXTUAL",
    thinking={"type": "enabled", "token_budget": 500},
)
IMAGES: Json = request(
    user(
        [
            text("Which chart?"),
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}},
            {"type": "image_url", "image_url": {"url": "https://a.example/chart.webp"}},
        ]
    ),
    response_format={"type": "json_object", "json_schema": DEPTH_SCHEMA},
    thinking={"type": "disabled"},
)
EXAMPLES: Payloads = {"chat": CHAT, "tools": TOOLS, "documents": DOCUMENTS, "images": IMAGES}

OWN: Json = request(
    {"role": "system", "content": [text("Be brief."), {"type": "spell", "beam": 3}], "name": "s"},
    user([text("Look:"), {"type": "hologram", "beam": 3}]),
    {
        "role": "assistant",
        "content": [text("Deep. Very."), {"type": "echo", "beam": 3}],
        "citations": [
            cites(0, 4, "Deep", OUTPUT, content_index=0, type="TEXT_CONTENT"),
            cites(0, 4, "Deep", PAGE, {**PAGE, "beam": 3}, note="x"),
            cites(0, 1, "T", OUTPUT, type="THINKING_CONTENT"),
            cites(0, 1, "T", OUTPUT, content_index=7),
        ],
    },
    user("Again."),
    LOOKS,
    result([{"type": "echo", "beam": 3}, {"type": "document", "document": {"data": "4 m"}, "beam": 3}]),
    documents=[{"data": {"snippet": "4 m", "place": {"name": "Emden"}}}, {"data": "as text", "beam": 3}],
    citation_options={"mode": "OFF"},
    safety_mode="STRICT",
    priority=3,
    tools=[tool("depth", beam=3), {"type": "teleport", "beam": 3}],
    tool_choice="SOMETIMES",
    strict_tools=False,
    response_format={"type": "yaml"},
    thinking={"type": "sideways", "beam": 3},
    beam=3,
)
IDLE: Json = request(
    user("Hi"),
    strict_tools=True,
    response_format={"type": "text"},
    citation_options={"mode": "FAST"},
    safety_mode="OFF",
    priority=0,
    logprobs=False,
)
ALONE: Json = request({"role": "system", "content": "Be brief."}, documents=["Emden is 4 m deep."])
DENSE: Payloads = {
    **EXAMPLES,
    "own": OWN,
    "own_idle": IDLE,
    "own_alone": ALONE,
    "json": request(user("JSON!"), response_format={"type": "json_object"}, temperature=0.5),
}

# --- responses --------------------------------------------------------------------------------------------------------

ANSWER: Json = response(
    thinking("Tides."),
    text("At 06:12 in Emden."),
    message={"citations": [cites(3, 8, "06:12", PAGE, content_index=1, type="TEXT_CONTENT")]},
    usage=usage(cached_tokens=4),
)
CALLS: Json = response(finish="TOOL_CALL", message={key: LOOKS[key] for key in LOOKS if key != "citations"})
SCORED: Json = response(
    text("Hi there"),
    logprobs=[
        {"text": "Hi", "token_ids": [17], "logprobs": [-0.5]},
        {"text": " there", "token_ids": [18], "logprobs": [-0.25]},
    ],
)
RESPONSES: Payloads = {
    "answer": ANSWER,
    "calls": CALLS,
    "length": response(text("At 06"), finish="MAX_TOKENS"),
    "stopped": response(text("At"), finish="STOP_SEQUENCE"),
    "scored": SCORED,
}
DENSE_RESPONSES: Payloads = {
    **RESPONSES,
    "own": response(
        text("Deep."),
        finish="TIRED",
        message={"citations": [cites(0, 4, "Deep", OUTPUT, beam=3), cites(0, 1, "D", PAGE, type="ODD")], "beam": 3},
        usage=usage(cached_tokens=2, beam=3),
        logprobs=[{"text": "Deep.", "token_ids": [17, 18], "logprobs": [-0.5, -0.25], "beam": 3}],
        beam=3,
    ),
}
FAILURES: Payloads = {
    "own_failed": response(text("At"), finish="ERROR"),
    "own_slow": response(text("At"), finish="TIMEOUT"),
}
ERRORS: Payloads = {
    "rate": {"id": "e1", "message": "You are past the limit of this key."},
    "plain": {"message": "invalid api token"},
}
DENSE_ERRORS: Payloads = {
    **ERRORS,
    "own": {"id": "e1", "message": "No.", "beam": 3},
    "own_shape": {"error": {"status": 500}},
}
