"""Requests to a vendor's protocol where a cloud serves it: Azure and its Foundry, Bedrock's InvokeModel, Vertex AI."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..generate_content import inline
from ..support import anthropic, chat
from .row import ABSENT, ANTHROPIC, CHAT, GEMINI, RESPONSES, Asked

Json = Any
HI = chat.user("Hi")
PNG = "iVBORw0KGgoAAAANSUhEUg=="
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
AZURE = {"name": "azure", "resource": "ours"}
BEDROCK = {"name": "bedrock", "region": "us-east-1"}
MANTLE = {"name": "bedrock_mantle", "region": "us-east-1"}
VERTEX = {"name": "vertex", "project": "p", "region": "us-east5"}
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
PUBLISHED = "/v1/projects/p/locations/us-east5/publishers/anthropic/models/"
from_chat, from_messages = partial(Asked, src=CHAT), partial(Asked, src=ANTHROPIC)


def to_model(model: str, *messages: Json, **settings: Any) -> Json:
    return {**chat.request(*(messages or (HI,)), **settings), "model": model}


def as_messages(model: str, *messages: Json, **settings: Any) -> Json:
    return {**anthropic.request(*(messages or (HI,)), **settings), "model": model}


THINKING = {"type": "enabled", "budget_tokens": 2000}
TWO_CALLS = (
    HI,
    chat.assistant(tool_calls=[chat.call("a", call_id="c1"), chat.call("b", call_id="c2")]),
    chat.result("A", "c1"),
    chat.result("B", "c2"),
)
ROWS: tuple[Asked, ...] = (
    from_messages(
        thread="sigoden/aichat#543",
        seen="extraneous key [stream] is not permitted: InvokeModel has a path for streams",
        cloud=BEDROCK,
        sent=as_messages(CLAUDE, stream=True),
        gets={ANTHROPIC: {"/stream": ABSENT, "/model": ABSENT, "/anthropic_version": "bedrock-2023-05-31"}},
        path=f"/model/{CLAUDE}/invoke-with-response-stream",
    ),
    from_chat(
        thread="diffbot/code-gpt-docs#300",
        seen="required key [max_tokens] not found",
        cloud=BEDROCK,
        sent={"model": CLAUDE, "messages": [HI]},
        gets={ANTHROPIC: {"/max_tokens": 32000}},
        rules=("SMP-1",),
    ),
    from_messages(
        thread="agentgateway/agentgateway#869",
        seen="a stream of Claude on Vertex AI is asked for at the path of the vendor's own API",
        cloud=VERTEX,
        sent=as_messages("claude-opus-4-5@20251101", stream=True),
        gets={ANTHROPIC: {"/model": ABSENT, "/stream": True, "/anthropic_version": "vertex-2023-10-16"}},
        path=f"{PUBLISHED}claude-opus-4-5@20251101:streamRawPredict",
    ),
    from_chat(
        thread="owndev/Open-WebUI-Functions#97",
        seen="Claude on Foundry gets OpenAI's body: max_completion_tokens is no member of it",
        cloud=AZURE,
        sent={"model": "claude4", "messages": [HI], "max_completion_tokens": 2048},
        gets={ANTHROPIC: {"/max_tokens": 2048, "/max_completion_tokens": ABSENT}},
    ),
    from_messages(
        thread="windmill-labs/windmill#9908",
        seen="404 api_not_supported: Claude is asked at the path of OpenAI's protocol",
        cloud=AZURE,
        sent=as_messages("claude-sonnet-4-5"),
        gets={ANTHROPIC: {"/model": "claude-sonnet-4-5"}},
        path="/v1/messages",
    ),
    from_chat(
        thread="buhlergroup/buhler-chat#144",
        seen="Opus 4.8 on Foundry refuses any sampling",
        cloud=AZURE,
        sent=to_model("claude-opus-4-8", temperature=0.3),
        gets={ANTHROPIC: {"/temperature": ABSENT}},
        losses=("SMP-3",),
    ),
    from_messages(
        thread="earendil-works/pi#6228",
        seen="Encrypted content is not supported with this model: DeepSeek in Azure's Responses",
        cloud=AZURE,
        sent=as_messages("DeepSeek-V4-Pro", thinking=THINKING),
        gets={RESPONSES: {"/include": ABSENT, "/reasoning": ABSENT, "/store": False}},
        losses=("RSN-34",),
    ),
    from_messages(
        thread="earendil-works/pi#9645",
        seen="DeepSeek's own members are refused in Azure's Chat Completions, which takes an effort",
        cloud=AZURE,
        sent=as_messages("DeepSeek-V4-Pro", thinking=THINKING),
        gets={CHAT: {"/thinking": ABSENT, "/reasoning_effort": "low"}},
        losses=("RSN-3",),
    ),
    from_messages(
        thread="google-gemini/gemini-cli#19436",
        seen="function_response.parts is not supported for this model: Gemini 2.5",
        cloud=VERTEX,
        sent=as_messages(
            "gemini-2.5-flash",
            HI,
            anthropic.assistant([anthropic.tool_use("f")]),
            anthropic.user([anthropic.tool_result([IMAGE])]),
        ),
        gets={GEMINI: {"/contents/2/parts/0/functionResponse/parts": ABSENT, "/contents/2/parts/1": inline(PNG)}},
        losses=("PLC-7",),
    ),
    from_chat(
        thread="langchain-ai/langchain-google#903",
        seen="it must include at least one parts field: empty instructions",
        cloud=VERTEX,
        sent=to_model("gemini-2.5-flash", {"role": "system", "content": ""}, HI),
        gets={GEMINI: {"/systemInstruction": ABSENT, "/contents/#": 1}},
        rules=("PLC-13",),
    ),
    from_chat(
        thread="BerriAI/litellm#20806",
        seen="the content of a function's response has no role",
        cloud=VERTEX,
        sent=to_model("gemini-2.5-pro", HI, chat.assistant(tool_calls=[chat.call("f")]), chat.result("ok")),
        gets={GEMINI: {"/contents/2/role": "user", "/contents/2/parts/0/functionResponse/name": "f"}},
    ),
    from_chat(
        thread="continuedev/continue#9578",
        seen="the number of function response parts must equal that of the call parts",
        cloud=VERTEX,
        sent=to_model("gemini-3-pro-preview", *TWO_CALLS),
        gets={GEMINI: {"/contents/#": 3, "/contents/1/parts/#": 2, "/contents/2/parts/#": 2}},
        rules=("RSN-22",),
    ),
    from_messages(
        thread="vercel/ai#16654",
        seen="only inline image data URLs and S3 URLs are supported: the data stand bare",
        cloud=MANTLE,
        sent=as_messages("google.gemma-3-27b-it", anthropic.user([IMAGE])),
        gets={CHAT: {"/messages/0/content/0/image_url/url": f"data:image/png;base64,{PNG}"}},
    ),
)
