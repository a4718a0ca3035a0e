"""A stream that the target refuses names the reason once, also where its error event is asked for."""

from __future__ import annotations

import pytest

import proxai_ir
from proxai_ir import StreamConverter

IMAGE = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
CHUNK = {
    "responseId": "r",
    "modelVersion": "m",
    "candidates": [{"index": 0, "content": {"role": "model", "parts": [IMAGE]}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
}


@pytest.mark.parametrize("target", ["anthropic_messages", "bedrock_converse", "cohere_v2_chat", "ollama_chat"])
def test_an_image_alone_is_refused_once(target: str) -> None:
    converter = StreamConverter("gemini_generate_content", target)
    converter.feed(CHUNK)
    with pytest.raises(proxai_ir.Unrepresentable):
        converter.close()
    converter.close(error_event=True)
    assert [one.rule for one in converter.diagnostics if one.severity != "info"] == ["IMG-4", "PLC-3"]
