"""Azure: chunks of its filters, errors of its gateway, and the servers of its Foundry."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..support import chat, responses
from .symptom import ANTHROPIC, CHAT, RESPONSES, Answer, Failure, Http, Refused, Sse, Symptom
from .transport import HELLO, written

Json = Any
row = partial(Symptom, src=CHAT)
SAFE = {"hate": {"filtered": False, "severity": "safe"}}
FILTERED = [{"prompt_index": 0, "content_filter_results": SAFE}]
NAMELESS = {"id": "", "object": "", "created": 0, "model": ""}
FIRST = {**NAMELESS, "choices": [], "prompt_filter_results": FILTERED}
OFFSETS = {"check_offset": 1, "start_offset": 1, "end_offset": 2}
LATE = {
    **NAMELESS,
    "choices": [{"finish_reason": None, "index": 0, "content_filter_offsets": OFFSETS, "content_filter_results": SAFE}],
}
CHUNKS = chat.stream({"content": "Hel"}, {"content": "lo"})
POLICY = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
JAILBREAK = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"jailbreak": {"filtered": True}}}
BEGUN = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-5.1", "status": "in_progress"}


def failed(error: Json, *more: Json) -> list[Json]:
    """A stream of Responses that fails with this error, and what comes after it."""
    response = {**BEGUN, "status": "failed", "error": error, "output": []}
    return [
        {"type": "response.created", "response": {**BEGUN, "output": []}},
        {"type": "response.failed", "response": response},
        *more,
    ]


ROWS = (
    row(
        thread="AbanteAI/archive-old-cli-mentat#429",
        seen="the first chunk has the filter's results, and no choice: list index out of range",
        came=[FIRST, *CHUNKS],
        expect=HELLO,
        rules=("UNK-6",),
    ),
    row(
        thread="seratch/ChatGPT-in-Slack#49",
        seen="an older version has another name for them, and a usage of null",
        came=[{**NAMELESS, "prompt_annotations": FILTERED, "choices": [], "usage": None}, *CHUNKS],
        expect=HELLO,
        rules=("UNK-6",),
    ),
    row(
        thread="microsoft/autogen#6465",
        seen="a choice without a delta, before the end",
        came=[*CHUNKS[:-2], LATE, *CHUNKS[-2:]],
        expect=HELLO,
        rules=("UNK-6",),
    ),
    row(
        thread="langchain-ai/langchain#18977",
        seen="a choice without a delta, behind the end",
        came=[*CHUNKS[:-1], LATE, CHUNKS[-1]],
        expect=HELLO,
        rules=("UNK-6",),
    ),
    row(
        thread="waylaidwanderer/node-chatgpt-api#486",
        seen="a chunk without choices in the middle",
        came=[*CHUNKS[:2], {**NAMELESS, "choices": []}, *CHUNKS[2:]],
        expect=HELLO,
    ),
    row(
        thread="xenodium/chatgpt-shell#155",
        seen="a chunk whose delta has a role alone, after one without choices: no answer at all",
        came=[FIRST, {**CHUNKS[0], "choices": [{"index": 0, "delta": {"role": "assistant"}}]}, *CHUNKS[1:]],
        expect=HELLO,
    ),
    row(
        thread="promptfoo/promptfoo#10124",
        seen="a response without any choice",
        came={**chat.response(content="x"), "choices": []},
        expect=Refused("CHO-1", "/choices"),
    ),
    row(
        thread="Azure-Samples/azure-search-openai-demo#2076",
        seen="an answer that was filtered is an empty one",
        came=chat.response("content_filter", content=""),
        expect=Answer("", "filter"),
        losses=("STS-3",),
    ),
    row(
        thread="sigoden/aichat#651",
        seen="a stream without its content type",
        came=Sse(written(CHUNKS), "application/octet-stream"),
        expect=HELLO,
    ),
    row(
        thread="microsoft/TinyTroupe#85",
        seen="a prompt is filtered: an error without a type, with an error in it",
        came=Http(
            400,
            {
                "error": {
                    "message": POLICY,
                    "type": None,
                    "param": "prompt",
                    "code": "content_filter",
                    "status": 400,
                    "innererror": JAILBREAK,
                }
            },
        ),
        expect=Failure("invalid_request_error", POLICY, 400),
        losses=("ERR-2", "UNK-1"),
    ),
    row(
        thread="langgenius/dify#9591",
        seen="the gateway's own errors are a message alone",
        came=Http(403, {"message": "Streaming requests are not yet allowed."}),
        expect=Failure("permission_error", "Streaming requests are not yet allowed.", 403),
    ),
    row(
        thread="maximhq/bifrost#6419",
        seen="a stream fails without a reason, which an event behind it has",
        src=RESPONSES,
        came=failed(None, {"type": "error", "error": {"code": "content_policy_violation", "message": POLICY}}),
        expect=Failure("invalid_request_error", POLICY),
        losses=("ERR-2",),
    ),
    row(
        thread="earendil-works/pi#1458",
        seen="a rate limit in mid-stream is an unknown error, and nobody tries again",
        src=RESPONSES,
        came=failed({"code": "rate_limit_exceeded", "message": "Requests have exceeded the token rate limit."}),
        expect=Failure("rate_limit_error", "Requests have exceeded the token rate limit."),
    ),
    row(
        thread="theopenco/llmgateway#2174",
        seen="events without id and choices are taken for the filter's, and dropped: no content",
        src=RESPONSES,
        came=responses.stream(responses.response(responses.message(responses.output_text("Hello")))),
        expect=HELLO,
    ),
    row(
        thread="anthropics/claude-code#13558",
        seen="Foundry's own error for a path where the model is not served",
        src=ANTHROPIC,
        came=Http(404, {"error": {"code": "api_not_supported", "message": "Requested API is currently not supported"}}),
        expect=Failure("not_found_error", "Requested API is currently not supported", 404),
        losses=("UNK-1",),
    ),
)
