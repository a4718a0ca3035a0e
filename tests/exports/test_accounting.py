"""Every leaf of a pair, of a training line and of attributes arrives, is named, or stops the conversion (LOS-1)."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from proxai_ir.exports import compile_export

from ..accounts import silent
from .test_fine_tuning import LINE, PAIRS

ATTRIBUTES: dict[str, Any] = {
    "gen_ai.request.model": "m",
    "gen_ai.request.max_tokens": 9,
    "gen_ai.request.stop_sequences": ["a"],
    "gen_ai.system_instructions": [{"type": "text", "content": "Be brief."}],
    "gen_ai.input.messages": [
        {
            "role": "user",
            "name": "ann",
            "parts": [
                {"type": "text", "content": "Hi"},
                {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "iVBORw0KGgo="},
                {"type": "uri", "modality": "image", "uri": "https://example.com/a.png"},
            ],
        },
        {
            "role": "assistant",
            "parts": [
                {"type": "reasoning", "content": "Hm."},
                {"type": "tool_call", "id": "c1", "name": "f", "arguments": {"a": 1}},
                {
                    "type": "server_tool_call",
                    "id": "s1",
                    "name": "web_search",
                    "server_tool_call": {"type": "web_search", "queries": ["q"]},
                },
            ],
        },
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": {"x": 1}}]},
    ],
    "gen_ai.tool.definitions": [
        {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}},
        {"type": "web_search", "name": "web_search"},
    ],
    "gen_ai.response.id": "r",
    "gen_ai.response.model": "m",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 3,
    "gen_ai.usage.output_tokens": 4,
    "gen_ai.usage.cache_read.input_tokens": 1,
    "gen_ai.output.messages": [
        {"role": "assistant", "parts": [{"type": "text", "content": "Hello"}], "finish_reason": "stop"}
    ],
}


@pytest.mark.parametrize("form", ["fine_tuning", "telemetry"])
@pytest.mark.parametrize("src", PAIRS)
def test_no_leaf_of_a_pair_is_silent(src: str, form: str) -> None:
    assert silent(PAIRS[src], partial(compile_export, src=src, dst=form)) == []


@pytest.mark.parametrize("dst", PAIRS)
def test_no_leaf_of_a_training_line_is_silent(dst: str) -> None:
    assert silent(LINE, partial(compile_export, src="fine_tuning", dst=dst, model="m")) == []


@pytest.mark.parametrize("dst", PAIRS)
def test_no_leaf_of_attributes_is_silent(dst: str) -> None:
    assert silent(ATTRIBUTES, partial(compile_export, src="telemetry", dst=dst)) == []
