"""Owns the wire shapes of what is measured: requests and responses by protocol, generated, hand-written or recorded.

The generated ones are one conversation in each protocol's own words, valid there: roles in the order it wants, every
tool call answered. A protocol joins the benchmarks with a line in each table at the end.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import orjson

from . import transcript
from .transcript import Json, Turn

ANTHROPIC = "anthropic_messages"
CHAT = "openai_chat_completions"
ITEMS = "openai_responses"
SHORT = {ANTHROPIC: "anthropic", CHAT: "chat", ITEMS: "responses"}


class Route(NamedTuple):
    """From one protocol to another."""

    src: str
    dst: str

    def __str__(self) -> str:
        return f"{SHORT[self.src]} -> {SHORT[self.dst]}"


ROUTES = (Route(ANTHROPIC, CHAT), Route(CHAT, ANTHROPIC))
"""The directions that are measured, and in which peers can be."""
PAIRS = (*ROUTES, *(Route(*pair) for one in (CHAT, ANTHROPIC) for pair in ((ITEMS, one), (one, ITEMS))))
"""Those in which requests and whole answers are measured."""

SMALL = "braintrustdata/lingua"
"""The origin of the recorded requests that the target for small ones was measured on: a feature each, median 290 B."""


def anthropic_request(count: int) -> Json:
    """The conversation as a Messages request: results and questions share the user turn that follows the call."""
    turns = list(transcript.turns(count))
    messages: list[Json] = []
    for before, turn in zip((None, *turns), (*turns, None), strict=True):
        results = [] if before is None else [_anthropic_result(before)]
        questions = [{"type": "text", "text": turn.question}] if turn and turn.question else []
        messages.append({"role": "user", "content": [*results, *questions]})
        if turn:
            messages.append({"role": "assistant", "content": _anthropic_blocks(turn)})
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 8192,
        "system": [{"type": "text", "text": transcript.system()}],
        "messages": messages,
        "tools": [{"name": t.name, "description": t.description, "input_schema": t.schema} for t in transcript.tools()],
        "tool_choice": {"type": "auto"},
        "temperature": 0.2,
        "stop_sequences": ["END_OF_RUN"],
    }


def _anthropic_blocks(turn: Turn) -> list[Json]:
    thought = {"type": "thinking", "thinking": turn.thinking, "signature": turn.signature}
    call = {"type": "tool_use", "id": f"toolu_{turn.number:024}", "name": turn.tool, "input": turn.arguments}
    return [*([thought] if turn.thinking else []), {"type": "text", "text": turn.answer}, call]


def _anthropic_result(turn: Turn) -> Json:
    return {
        "type": "tool_result",
        "tool_use_id": f"toolu_{turn.number:024}",
        "content": [{"type": "text", "text": turn.result}],
    }


def chat_request(count: int) -> Json:
    """The conversation as a Chat Completions request, which has no place for what the assistant thought."""
    messages: list[Json] = [{"role": "system", "content": transcript.system()}]
    for turn in transcript.turns(count):
        if turn.question:
            messages.append({"role": "user", "content": turn.question})
        messages.append({"role": "assistant", "content": turn.answer, "tool_calls": [_chat_call(turn)]})
        messages.append({"role": "tool", "tool_call_id": f"call_{turn.number:024}", "content": turn.result})
    tools = [
        {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.schema}}
        for t in transcript.tools()
    ]
    return {
        "model": "gpt-4.1",
        "max_completion_tokens": 8192,
        "messages": messages,
        "tools": tools,
        "tool_choice": "auto",
        "temperature": 0.2,
        "stop": ["END_OF_RUN"],
    }


def _chat_call(turn: Turn) -> Json:
    arguments = orjson.dumps(turn.arguments).decode()
    function = {"name": turn.tool, "arguments": arguments}
    return {"id": f"call_{turn.number:024}", "type": "function", "function": function}


def items_request(count: int) -> Json:
    """The conversation as a Responses request: an item for everything that is said, called or given back."""
    items: list[Json] = []
    for turn in transcript.turns(count):
        if turn.question:
            items.append({"role": "user", "content": turn.question})
        items.append(_item_said(turn))
        items.append(_item_called(turn))
        items.append(
            {"type": "function_call_output", "call_id": f"call_{turn.number:024}", "output": turn.result},
        )
    tools = [
        {"type": "function", "name": t.name, "description": t.description, "parameters": t.schema, "strict": False}
        for t in transcript.tools()
    ]
    return {
        "model": "gpt-5",
        "max_output_tokens": 8192,
        "instructions": transcript.system(),
        "input": items,
        "tools": tools,
        "tool_choice": "auto",
        "temperature": 0.2,
    }


def _item_said(turn: Turn) -> Json:
    content = [{"type": "output_text", "text": turn.answer, "annotations": []}]
    return {
        "type": "message",
        "id": f"msg_{turn.number:024}",
        "role": "assistant",
        "status": "completed",
        "content": content,
    }


def _item_called(turn: Turn) -> Json:
    return {
        "type": "function_call",
        "id": f"fc_{turn.number:024}",
        "call_id": f"call_{turn.number:024}",
        "name": turn.tool,
        "arguments": orjson.dumps(turn.arguments).decode(),
        "status": "completed",
    }


def anthropic_response() -> Json:
    """About 3 KB: thinking, text and a tool call."""
    *_, turn = transcript.turns(transcript.THINKING_EVERY)
    return {
        "id": "msg_000000000000000000000042",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": _anthropic_blocks(turn),
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 1_204,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 9_216,
            "output_tokens": 655,
        },
    }


def chat_response() -> Json:
    """About 3 KB: text and a tool call; the text is longer, because thinking has no place here."""
    *_, turn = transcript.turns(transcript.THINKING_EVERY)
    text = f"{turn.answer}\n\n{transcript.prose(5, transcript.TEXT + 200, foreign=True)}"
    message = {"role": "assistant", "content": text, "refusal": None, "tool_calls": [_chat_call(turn)]}
    return {
        "id": "chatcmpl-00000000000000000042",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": "gpt-4.1",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls"}],
        "usage": {
            "prompt_tokens": 10_420,
            "completion_tokens": 655,
            "total_tokens": 11_075,
            "prompt_tokens_details": {"cached_tokens": 9_216, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        },
    }


def items_response() -> Json:
    """About 3 KB: a message and a call, and what an answer says again of its request."""
    *_, turn = transcript.turns(transcript.THINKING_EVERY)
    said = _item_said(turn)
    said["content"][0]["text"] += f"\n\n{transcript.prose(5, transcript.TEXT - 250, foreign=True)}"
    return {
        "id": "resp_00000000000000000042",
        "object": "response",
        "created_at": 1_760_000_000,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": "gpt-5",
        "output": [said, _item_called(turn)],
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": {
            "input_tokens": 10_420,
            "input_tokens_details": {"cached_tokens": 9_216},
            "output_tokens": 655,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 11_075,
        },
    }


REQUESTS: dict[str, Callable[[int], Json]] = {
    ANTHROPIC: anthropic_request,
    CHAT: chat_request,
    ITEMS: items_request,
}
RESPONSES: dict[str, Callable[[], Json]] = {
    ANTHROPIC: anthropic_response,
    CHAT: chat_response,
    ITEMS: items_response,
}
TINY: dict[str, Json] = {
    ANTHROPIC: {
        "model": "claude-haiku-4-5",
        "max_tokens": 64,
        "system": "Answer in one word.",
        "messages": [{"role": "user", "content": "Which river flows through Vienna?"}],
    },
    CHAT: {
        "model": "gpt-4.1-mini",
        "max_completion_tokens": 64,
        "messages": [
            {"role": "system", "content": "Answer in one word."},
            {"role": "user", "content": "Which river flows through Vienna?"},
        ],
    },
    ITEMS: {
        "model": "gpt-5-mini",
        "max_output_tokens": 64,
        "instructions": "Answer in one word.",
        "input": "Which river flows through Vienna?",
    },
}


def recorded_small_requests(corpus: Path | None, protocol: str) -> list[bytes]:
    """The small requests among the recorded ones, compact; none where the recordings are not at hand.

    Only what the protocol's own vendor was sent: dialects are tolerances, and their share is no measure of speed.
    """
    file = corpus and corpus / f"{protocol}.request.jsonl.gz"
    if not file or not file.is_file():
        return []
    with gzip.open(file) as lines:
        records = [orjson.loads(line) for line in lines]
    own = (record for record in records if not record.get("dialect") and not record.get("synthetic"))
    return [orjson.dumps(record["payload"]) for record in own if str(record.get("origin")).startswith(SMALL)]
