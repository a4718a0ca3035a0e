"""What is broken in responses is reported by name, or arrives as it is; nothing is invented and nothing is refused."""

from __future__ import annotations

from typing import Any

import pytest

from proxai_ir import Seals

from .support import ANTHROPIC, CHAT, GEMINI, RESPONSES, Json, losses, made

TARGETS = (CHAT, RESPONSES, ANTHROPIC)
SUPPORTS = "/candidates/0/groundingMetadata/groundingSupports/0"
CHUNKS = "/candidates/0/groundingMetadata/groundingChunks"


def said(*parts: Json, **more: Json) -> Json:
    candidate = {"content": {"role": "model", "parts": [*parts]}, "finishReason": "STOP", **more}
    return {"candidates": [candidate], "modelVersion": "g", "responseId": "r"}


@pytest.mark.parametrize("dst", TARGETS)
@pytest.mark.parametrize(
    ("grounding", "lost"),
    [
        ({"groundingSupports": [{"groundingChunkIndices": [0]}]}, [("CIT-1", SUPPORTS)]),
        (
            {
                "groundingSupports": [{"segment": {"endIndex": 900}, "groundingChunkIndices": [7]}],
                "groundingChunks": [{"web": {}}],
            },
            [("CIT-1", CHUNKS), ("CIT-1", SUPPORTS)],
        ),
    ],
)
def test_half_a_grounding_block(dst: str, grounding: Json, lost: Any) -> None:
    response = said({"text": "Hi."}, groundingMetadata=grounding)
    assert losses(made(response, GEMINI, dst)) == lost


@pytest.mark.parametrize("dst", TARGETS)
@pytest.mark.parametrize("word", ["NEW_WORD", 99])
def test_an_ending_that_nobody_knows(dst: str, word: Any) -> None:
    response = said({"text": "Hi."}, finishReason=word)
    conversion = made(response, GEMINI, dst)
    assert losses(conversion) == [("FIN-7", "/candidates/0/finishReason")]
    assert conversion.finish is not None
    assert (conversion.finish.reason, conversion.finish.raw) == ("unknown", str(word))


def next_request(client: str, response: Json) -> Json:
    """What a client asks next, with the response in its history and the result of its call."""
    hi: Json = {"role": "user", "content": "Hi"}
    if client == CHAT:
        result = {"role": "tool", "tool_call_id": "c", "content": "ok"}
        return {"model": "m", "messages": [hi, response["choices"][0]["message"], result]}
    if client == RESPONSES:
        result = {"type": "function_call_output", "call_id": "c", "output": "ok"}
        return {"model": "m", "input": [hi, *response["output"], result]}
    results = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "ok"}]}
    answer = {"role": "assistant", "content": response["content"]}
    return {"model": "m", "max_tokens": 9, "messages": [hi, answer, results]}


@pytest.mark.parametrize("dst", TARGETS)
@pytest.mark.parametrize("signature", ["c2ln", "%%%"])
def test_a_signature_that_is_no_base64_does_not_reach_its_provider(dst: str, signature: str) -> None:
    part = {"functionCall": {"name": "f", "args": {}, "id": "c"}, "thoughtSignature": signature}
    conversion = made(said(part), GEMINI, dst, seals=Seals())
    assert losses(conversion) == []
    asked = made(next_request(dst, conversion.output), dst, GEMINI, "request", seals=Seals())
    sent = [one["thoughtSignature"] for one in asked.output["contents"][1]["parts"] if "functionCall" in one]
    if signature == "c2ln":
        assert (sent, losses(asked)) == ([signature], [])
    else:
        assert sent == ["skip_thought_signature_validator"]
        assert [rule for rule, _ in losses(asked)] == ["RSN-31"]


def test_data_that_is_no_image_is_the_providers_to_refuse() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "bm90IGFuIGltYWdl"}}
    request = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": [image]}]}
    (sent,) = made(request, ANTHROPIC, CHAT, "request").output["messages"][0]["content"]
    assert sent == {"type": "image_url", "image_url": {"url": "data:image/png;base64,bm90IGFuIGltYWdl"}}
