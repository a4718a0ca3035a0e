"""Rich streams by hand: between them every event, block and delta of both protocols. Each call makes a new one."""

from __future__ import annotations

from collections.abc import Callable

from . import wire
from .wire import ANTHROPIC, CHAT, DONE, Events

CITATION = {
    "type": "web_search_result_location",
    "url": "https://example.org/",
    "title": "T",
    "cited_text": "Rain",
    "encrypted_index": "E1",
}
USAGE = {
    "input_tokens": 6,
    "output_tokens": 1,
    "cache_read_input_tokens": 4,
    "cache_creation_input_tokens": 3,
    "cache_creation": {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 2},
    "service_tier": "standard",
}


def anthropic_talk() -> Events:
    """Thinking, text with a citation, calls with and without arguments, a keep-alive."""
    start, *deltas, stop = wire.text("It says: ", "Rain 👋🏽.")
    cited = {"type": "content_block_delta", "delta": {"type": "citations_delta", "citation": dict(CITATION)}}
    events = wire.messages(
        wire.thinking("Two", " calls.", signature="EqQB"),
        [start, *deltas, cited, stop],
        wire.call("toolu_1", "sky", "", '{"city":', '"Oslo"}', caller={"type": "direct"}),
        wire.call("toolu_2", "now"),
        stop="tool_use",
        usage={"input_tokens": 6, "output_tokens": 7, "output_tokens_details": {"thinking_tokens": 2}},
    )
    events[0]["message"]["usage"] = dict(USAGE)
    return [events[0], dict(wire.PING), *events[1:]]


def anthropic_hosted() -> Events:
    """What only its own provider has, and what nobody knows."""
    return [
        *wire.messages(
            wire.block({"type": "redacted_thinking", "data": "eA=="}),
            wire.call("srv_1", "web_search", '{"query":', '"q"}', kind="server_tool_use"),
            wire.block({"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []}),
            wire.block({"type": "compaction", "content": None}, {"type": "compaction_delta", "content": "Earlier."}),
            wire.block({"type": "hologram", "beam": 3}, {"type": "hologram_delta", "beam": 4}),
            wire.text("Done."),
            container={"id": "ctr_1", "expires_at": "2030-01-01T00:00:00Z"},
        )[:-1],
        {"type": "telemetry", "n": {"deep": [1]}},
        dict(wire.MESSAGE_STOP),
    ]


def anthropic_refusal() -> Events:
    events = wire.messages(wire.text("I must", " not."), stop="refusal")
    events[-2]["delta"]["stop_details"] = {"type": "refusal", "category": "cyber", "explanation": "Policy."}
    return events


def anthropic_failure() -> Events:
    error = {"type": "overloaded_error", "message": "Overloaded", "details": {"x": 1}}
    return [*wire.messages(wire.text("It"))[:3], {"type": "error", "error": error, "request_id": "req_1"}]


def chat_talk() -> Events:
    """Reasoning, text, calls in turns, running usage, padding, usage at the end."""
    events = wire.chunks(
        {"reasoning_content": "Two calls."},
        {"content": "Rain"},
        {"content": " 👋🏽."},
        wire.calls(wire.fragment(0, "", "call_1", "sky"), wire.fragment(1, '{"zone":', "call_2", "now")),
        wire.calls(wire.fragment(1, '"CET"}'), wire.fragment(0, '{"city":"Oslo"}')),
        {"tool_calls": [{"index": 2, "id": "call_3", "type": "function", "function": {"name": "noop"}}]},
        finish="tool_calls",
    )
    events[1] |= {"obfuscation": "x1", "trace": {"deep": [1]}, "usage": {"prompt_tokens": 9, "completion_tokens": 1}}
    events[-2]["usage"] |= {
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    return events


def chat_dialects() -> Events:
    """Parts of content, an annotation, a repeated role and ending, a chunk about something else, the other spelling."""
    piece = {"type": "text", "text": "It says: Rain."}
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    cited = {"url": "https://example.org/", "title": "T", "start_index": 9, "end_index": 14}
    events = wire.chunks(
        {"role": "assistant", "reasoning": "Hm."},
        {"content": [thought, piece]},
        {"content": "It says: Rain.", "annotations": [{"type": "url_citation", "url_citation": cited}]},
        usage=False,
        done=False,
    )
    return [*events, wire.chunk({"content": ""}, "stop"), wire.chunk(moderation={"flagged": False}), wire.usage_chunk()]


def chat_refusal() -> Events:
    return [*wire.chunks({"refusal": "I must"}, {"refusal": " not."}, done=False), DONE]


def chat_legacy() -> Events:
    """The single call without an id."""
    given = ({"name": "sky", "arguments": ""}, {"arguments": '{"city":'}, {"arguments": '"Oslo"}'})
    return wire.chunks(*({"function_call": one} for one in given), finish="function_call")


def chat_of_its_own() -> Events:
    """What a stream of blocks cannot hold: a custom call, log probabilities, a spoken answer."""
    scored = {"token": "Hi", "logprob": -0.1, "bytes": [72, 105], "top_logprobs": []}
    custom = {"index": 0, "id": "call_1", "type": "custom", "custom": {"name": "shell", "input": "l"}}
    events = wire.chunks(
        {"content": "Hi"},
        {"tool_calls": [custom]},
        {"tool_calls": [{"index": 0, "custom": {"input": "s"}}]},
        {"audio": {"id": "audio_1", "data": "aGk=", "transcript": "Hi"}},
        {"audio": {"data": "aGk=", "transcript": " you", "expires_at": 1700000100}},
        finish="tool_calls",
    )
    events[1]["choices"][0]["logprobs"] = {"content": [scored], "refusal": None}
    return events


def chat_failure() -> Events:
    error = {"message": "Slow down.", "type": "rate_limit_error", "param": None, "code": 429}
    return [*wire.chunks({"content": "It"})[:2], {"error": error}]


SPECIMENS: tuple[tuple[str, Callable[[], Events]], ...] = (
    (ANTHROPIC, anthropic_talk),
    (ANTHROPIC, anthropic_hosted),
    (ANTHROPIC, anthropic_refusal),
    (ANTHROPIC, anthropic_failure),
    (CHAT, chat_talk),
    (CHAT, chat_dialects),
    (CHAT, chat_refusal),
    (CHAT, chat_legacy),
    (CHAT, chat_of_its_own),
    (CHAT, chat_failure),
)
"""Protocol, and what makes the stream."""
