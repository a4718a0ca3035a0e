"""Every leaf of a pair, of a training line and of attributes arrives, is named, or stops the conversion (LOS-1)."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from proxai_ir.exports import compile_export

from ..accounts import silent
from .test_fine_tuning import ANTHROPIC, LINE, PAIRS

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


def test_no_leaf_of_a_failed_request_is_silent() -> None:
    failed = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}, "request_id": "req_1"}
    for pair in ({**PAIRS[ANTHROPIC], "response": failed}, {"request": PAIRS[ANTHROPIC]["request"]}):
        assert silent(pair, partial(compile_export, src=ANTHROPIC, dst="telemetry")) == []


OTHERS: dict[str, Any] = {
    "gen_ai.system": "openai",
    "gen_ai.request.model": "m",
    "gen_ai.request.max_tokens": "9",
    "gen_ai.request.stream": True,
    "gen_ai.output.type": "json",
    "gen_ai.usage.prompt_tokens": 3.0,
    "gen_ai.usage.cache_write.input_tokens": 1,
    "gen_ai.prompt.0.content": "Hi",
    "error.type": "timeout",
    "gen_ai.tool.definitions": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    "gen_ai.input.messages": [
        {
            "role": "user",
            "parts": [
                {"type": "image-url", "url": "https://example.com/a.png"},
                {"type": "binary", "media_type": "image/png", "content": "iVBORw0KGgo="},
            ],
        },
        {
            "role": "model",
            "parts": [
                {"type": "thinking", "content": "Hm."},
                {"type": "tool_call", "id": "c1", "name": "f", "arguments": {"a": 1}, "code_arg_name": "a"},
                {"type": "tool_call", "id": "c2", "name": "search", "arguments": {"q": 1}, "builtin": True},
            ],
        },
        {"role": "user", "parts": [{"type": "tool_call_response", "id": "c1", "name": "f", "result": {"x": 1}}]},
    ],
    "gen_ai.output.messages": [
        {"role": "assistant", "parts": [{"type": "text", "content": "Hello"}], "finish_reason": "end_turn"}
    ],
}
"""As instrumentations write what the conventions say otherwise, or said before."""


@pytest.mark.parametrize("dst", PAIRS)
def test_no_leaf_of_other_attributes_is_silent(dst: str) -> None:
    assert silent(OTHERS, partial(compile_export, src="telemetry", dst=dst)) == []


@pytest.mark.parametrize("dst", PAIRS)
def test_no_leaf_of_a_training_line_is_silent(dst: str) -> None:
    for pair in (False, True):
        assert silent(LINE, partial(compile_export, src="fine_tuning", dst=dst, model="m", pair=pair)) == []


@pytest.mark.parametrize("dst", PAIRS)
def test_no_leaf_of_attributes_is_silent(dst: str) -> None:
    assert silent(ATTRIBUTES, partial(compile_export, src="telemetry", dst=dst)) == []
