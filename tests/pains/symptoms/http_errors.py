"""Bodies of errors that servers send with their HTTP statuses, and what a client of each protocol gets."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from .symptom import ANTHROPIC, CHAT, Failure, Http, Symptom

Json = Any
row = partial(Symptom, src=CHAT)
INVALID, LIMITED, OVERLOADED = "invalid_request_error", "rate_limit_error", "overloaded_error"


def error(message: str, kind: str | None = None, **members: Any) -> Json:
    return {"error": {"message": message, "type": kind, **members}}


LONG = "This model's maximum context length is 2048 tokens. However, you requested 2723 tokens (1699 in the messages, 1024 in the completion). Please reduce the length of the messages or completion."  # noqa: E501
ENDPOINT = "This endpoint's maximum context length is 65536 tokens. However, you requested about 92208 tokens (60833 of text input, 10042 of tool input, 21333 in the output). Please reduce the length of either one."  # noqa: E501
AT_LEAST = "This model's maximum context length is 196608 tokens. However, you requested 16384 output tokens and your prompt contains at least 180225 input tokens, for a total of at least 196609 tokens."  # noqa: E501
LLAMA = "request (124071 tokens) exceeds the available context size (123904 tokens), try increasing it"
TGI = "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 4091 `max_new_tokens`"  # noqa: E501
NESTED = 'Error from provider: {"error":{"message":"' + ENDPOINT + '","code":400}}'
AZURE = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
TPM = "Request too large for model `llama-3.3-70b-versatile` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again."  # noqa: E501
HTML = "<html><head><title>404 Not Found</title></head></html>"
RAW = json.dumps(error(LONG, "Bad Request", code=400))
OVERFLOWS = (
    row(
        thread="vllm-project/vllm#12886",
        seen="vLLM's older body is flat, and its message does not arrive",
        came=Http(400, {"object": "error", "message": LONG, "type": "BadRequestError", "param": None, "code": 400}),
        expect=Failure(INVALID, LONG, 400, overflow=True),
        rules=("ERR-7",),
    ),
    row(
        thread="foundation-model-stack/fms-guardrails-orchestrator#511",
        seen="the newer body has no code by which an overflow is known",
        came=Http(400, error(LONG, "BadRequestError", param=None, code=400)),
        expect=Failure(INVALID, LONG, 400, overflow=True),
        rules=("ERR-7", "ERR-8"),
    ),
    row(
        thread="OpenHands/OpenHands#8149",
        seen="OpenRouter's words for an overflow are not known",
        came=Http(400, error(ENDPOINT, code=400)),
        expect=Failure(INVALID, ENDPOINT, 400, overflow=True),
        rules=("ERR-7", "ERR-8"),
    ),
    row(
        thread="musistudio/claude-code-router#252",
        seen="an overflow is wrapped in another proxy's message",
        came=Http(400, error(NESTED, "api_error", code="provider_response_error")),
        expect=Failure(INVALID, NESTED, 400, overflow=True),
        rules=("ERR-7",),
        losses=("ERR-2",),
    ),
    row(
        thread="0xku/kon#91",
        seen="vLLM counts the output asked for to the prompt",
        came=Http(400, error(AT_LEAST, "BadRequestError", param="input_tokens", code=400)),
        expect=Failure(INVALID, AT_LEAST, 400, overflow=True),
        rules=("ERR-7", "ERR-8"),
        losses=("ERR-2",),
    ),
    row(
        thread="can1357/oh-my-pi#3752",
        seen="llama.cpp's overflow: the agent does not compact",
        came=Http(400, error(LLAMA, "exceed_context_size_error", code=400)),
        expect=Failure(INVALID, LLAMA, 400, overflow=True),
        rules=("ERR-7", "ERR-8"),
    ),
    row(
        thread="huggingface/huggingface_hub#2514",
        seen="TGI's overflow is a 422 whose error is a string",
        came=Http(422, {"error": TGI, "error_type": "validation"}),
        expect=Failure(INVALID, TGI, 400, overflow=True),
        rules=("ERR-7",),
    ),
    row(
        thread="continuedev/continue#10218",
        seen="Groq's 413 about tokens per minute is no overflow of the model: its client must wait",
        came=Http(413, error(TPM, "tokens", code="rate_limit_exceeded")),
        expect=Failure(LIMITED, TPM, 429),
    ),
    row(
        thread="cline/cline#13194",
        seen="OpenRouter says that the provider returned an error; that it is an overflow stands in metadata.raw",
        came=Http(400, error("Provider returned error", code=400, metadata={"raw": RAW, "provider_name": "Nvidia"})),
        expect=Failure("invalid_request_error", LONG, 400, overflow=True),
    ),
)
SHAPES = (
    row(
        thread="vllm-project/vllm#57997",
        seen="/v1/messages answers a bad request in OpenAI's shape",
        src=ANTHROPIC,
        came=Http(400, error("max_tokens must be positive", "BadRequestError", param=None, code=400)),
        expect=Failure(INVALID, "max_tokens must be positive", 400),
        losses=("UNK-1",),
    ),
    row(
        thread="ResearAI/DeepScientist#48",
        seen="MiniMax's chat API answers in Anthropic's shape, with a type that nobody knows",
        came=Http(400, {"type": "error", **error("invalid params (2013)", "bad_request_error", http_code="400")}),
        expect=Failure(INVALID, "invalid params (2013)", 400),
        losses=("UNK-1",),
    ),
    row(
        thread="huggingface/chat-ui#1343",
        seen="400 status code (no body)",
        came=Http(400, b"", media_type="text/plain"),
        expect=Failure(INVALID, "The provider rejected the request as invalid.", 400),
        rules=("ERR-9",),
    ),
    row(
        thread="continuedev/continue#11752",
        seen="the body is nginx's page",
        came=Http(404, HTML.encode(), media_type="text/html"),
        expect=Failure("not_found_error", HTML, 404),
        rules=("ERR-5",),
    ),
    row(
        thread="theopenco/llmgateway#2163",
        seen="Azure's filter of prompts is taken for the client's mistake, and its code is gone",
        came=Http(
            400,
            error(
                AZURE,
                None,
                param="prompt",
                code="content_filter",
                status=400,
                innererror={"code": "ResponsibleAIPolicyViolation"},
            ),
        ),
        expect=Failure(INVALID, AZURE, 400),
        losses=("ERR-2", "UNK-1"),
    ),
    row(
        thread="edenai/edenai-apis#360",
        seen="MiniMax's errors are 200 with base_resp, whose message is lost",
        came=Http(200, {"id": "", "choices": None, "base_resp": {"status_code": 1004, "status_msg": "login fail"}}),
        expect=Failure("authentication_error", "login fail", 401),
    ),
)
RETRIES = (
    row(
        thread="castari/castari-proxy#2",
        seen="401, 429 and 503 are all 400 to the client, and how long to wait is lost",
        came=Http(429, error("Slow down.", "tokens", code="rate_limit_exceeded"), {"retry-after": "7"}),
        expect=Failure(LIMITED, "Slow down.", 429, headers={"retry-after": "7"}),
    ),
)
ROWS = (*OVERFLOWS, *SHAPES, *RETRIES)
