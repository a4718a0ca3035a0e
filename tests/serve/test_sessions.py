"""Sessions of the log: which exchanges are turns of one conversation, in every protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("httpx", reason="the extra `serve` is not installed")
pytest.importorskip("sqlalchemy", reason="the extra `serve` is not installed")

import proxai_ir
from proxai_ir.exchange import InMemory
from proxai_ir.serve.gateway import Call
from proxai_ir.storage import Storage
from proxai_ir.storage.sessions import assigned, conversation

from .recorded import ANTHROPIC, CHAT, GEMINI, NOW, RESPONSES
from .storing import kept, record

BEDROCK, COHERE, OLLAMA, INTERACTIONS = "bedrock_converse", "cohere_v2_chat", "ollama_chat", "gemini_interactions"
DEEP = b"[" * 900 + b"]" * 900


@pytest.fixture
def storage(url: str) -> Iterator[Storage]:
    made = Storage(url, clock=lambda: NOW)
    yield made
    made.close()


def turn(name: str, client: str, messages: list[Any], response: Any = None, *, at: float = 0, **others: Any) -> Any:
    """Return a record of a request with these messages, and of its response."""
    member = {GEMINI: "contents", RESPONSES: "input", INTERACTIONS: "input"}.get(client, "messages")
    body = {member: messages, **({"model": "m", "max_tokens": 9} if client == ANTHROPIC else {})}
    request = json.dumps(body).encode()
    answer = response if isinstance(response, bytes | None) else json.dumps(response).encode()
    known: dict[str, Any] = {"client": client, "model": "m", "request": request, "response": answer}
    return record(name, NOW + at, **{**known, **others})


def sessions_of(storage: Storage, *records: Any) -> list[str]:
    kept(storage, *records)
    return [storage.beside(one.id).session for one in records]


def chat(content: Any, **others: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, **others}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}  # fmt: skip


HI = {"role": "user", "content": "Hi"}
HELLO = {"role": "assistant", "content": "Hello!"}
MORE = {"role": "user", "content": "Tell me more."}


def test_calls_that_begin_alike_are_sessions_of_their_own(storage: Storage) -> None:
    """Four independent calls, which are all answered alike."""
    found = sessions_of(storage, *(turn(f"hi-{at}", CHAT, [HI], chat("Hello!"), at=at) for at in range(4)))
    assert len(set(found)) == 4
    assert all(found)


def test_a_turn_continues_the_newest_whose_answer_it_has(storage: Storage) -> None:
    first, second = (turn(name, CHAT, [HI], chat("Hello!"), at=at) for at, name in enumerate(("first", "second")))
    other = turn("other", CHAT, [HI], chat("Good day!"), at=2)
    later = turn("later", CHAT, [HI, HELLO, MORE], chat("No."), at=3)
    last = turn("last", CHAT, [HI, HELLO, MORE, {"role": "assistant", "content": "No."}, MORE], chat("Go."), at=4)
    of_first, of_second, of_other, of_later, of_last = sessions_of(storage, first, second, other, later, last)
    assert of_second == of_later == of_last
    assert len({of_first, of_second, of_other}) == 3


@pytest.mark.parametrize("changed", ["opening", "answer", "owner", "client"])
def test_what_another_began_is_not_continued(storage: Storage, changed: str) -> None:
    messages = [HI, HELLO, MORE]
    client = COHERE if changed == "client" else CHAT
    owner = "another" if changed == "owner" else ""
    if changed == "opening":
        messages = [{"role": "user", "content": "Ho"}, HELLO, MORE]
    elif changed == "answer":
        messages = [HI, {"role": "assistant", "content": "Hello?"}, MORE]
    first, later = sessions_of(
        storage,
        turn("first", CHAT, [HI], chat("Hello!")),
        turn("later", client, messages, chat("No."), at=1, owner=owner),
    )
    assert first
    assert later
    assert first != later


def test_a_turn_that_failed_is_continued_by_none(storage: Storage) -> None:
    broken = turn("broken", CHAT, [HI], chat("Hello!"), error="The stream broke off.")
    again = turn("again", CHAT, [HI], chat("Hello!"), at=1)
    of_broken, of_again, of_later = sessions_of(storage, broken, again, turn("later", CHAT, [HI, HELLO, MORE], at=2))
    assert of_broken != of_again == of_later


CALLED = {"id": "t1", "name": "look"}
CHAT_CALLS = {"tool_calls": [{"id": "t1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]}
GEMINI_CALL = {"functionCall": {"name": "look", "args": {"a": 1}}}
ANSWERS: dict[str, tuple[list[Any], Any, list[Any]]] = {
    CHAT: (
        [{"role": "system", "content": "Be brief."}, HI],
        chat(None, **CHAT_CALLS),
        [
            {"role": "assistant", **CHAT_CALLS},
            {"role": "tool", "tool_call_id": "t1", "content": "42"},
        ],
    ),
    RESPONSES: (
        [HI],
        {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed", "output": [
            {"type": "message", "id": "m1", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "Hello!", "annotations": []}]},
        ]},
        [HELLO, MORE],
    ),
    ANTHROPIC: (
        [{"role": "user", "content": [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]}],
        {"id": "m", "type": "message", "role": "assistant", "model": "m",
         "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
         "content": [{"type": "text", "text": "I look."}, {"type": "tool_use", **CALLED, "input": {"a": 1}}]},
        [
            {"role": "assistant", "content": [{"type": "tool_use", **CALLED, "input": {"a": 1, "b": None}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "42"}]},
        ],
    ),
    GEMINI: (
        [{"role": "user", "parts": [{"text": "Hi"}]}],
        {"candidates": [{"index": 0, "finishReason": "STOP",
                         "content": {"role": "model", "parts": [GEMINI_CALL]}}]},
        [
            {"role": "model", "parts": [GEMINI_CALL]},
            {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"found": 42}}}]},
        ],
    ),
    BEDROCK: (
        [{"role": "user", "content": [{"text": "Hi"}]}],
        {"output": {"message": {"role": "assistant", "content": [{"text": "Hello!"}]}}, "stopReason": "end_turn",
         "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1}},
        [{"role": "assistant", "content": [{"text": "Hello!\n"}]}, {"role": "user", "content": [{"text": "More."}]}],
    ),
    COHERE: (
        [HI],
        {"id": "c", "finish_reason": "COMPLETE",
         "message": {"role": "assistant", "content": [{"type": "text", "text": "Hello!"}]}},
        [HELLO, MORE],
    ),
    OLLAMA: (
        [HI],
        {"model": "m", "created_at": "2026-11-30T00:00:00Z", "message": HELLO, "done": True, "done_reason": "stop"},
        [HELLO, MORE],
    ),
    INTERACTIONS: (
        [{"type": "user_input", "content": [{"type": "text", "text": "Hi"}]}],
        {"id": "i", "object": "interaction", "created": "2026-11-30T00:00:00Z", "updated": "2026-11-30T00:00:00Z",
         "model": "m", "status": "completed",
         "steps": [{"type": "model_output", "content": [{"type": "text", "text": "Hello!"}]}]},
        [
            {"type": "model_output", "content": [{"type": "text", "text": "Hello!"}]},
            {"type": "user_input", "content": [{"type": "text", "text": "More."}]},
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("client", proxai_ir.protocols())
def test_every_protocol_has_sessions(storage: Storage, client: str) -> None:
    messages, response, more = ANSWERS[client]
    first, later, other = sessions_of(
        storage,
        turn("first", client, messages, response),
        turn("later", client, [*messages, *more], at=1),
        turn("other", client, messages, response, at=2),
    )
    assert first == later != other
    assert first


def test_a_streamed_answer_is_one(storage: Storage) -> None:
    pieces = [{"role": "assistant", "content": "Hel"}, {"content": "lo!"}, {}]
    chunks = [
        {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
         "choices": [{"index": 0, "delta": piece, "finish_reason": None if piece else "stop"}]}
        for piece in pieces
    ]  # fmt: skip
    stream = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    first = turn("first", CHAT, [HI], stream.encode(), streamed=True)
    of_first, of_later = sessions_of(storage, first, turn("later", CHAT, [HI, HELLO, MORE], at=1))
    assert of_first == of_later


def test_a_cache_marker_that_moves_makes_no_other_session(storage: Storage) -> None:
    messages, response, more = ANSWERS[ANTHROPIC]
    plain = [{"role": "user", "content": "Hi"}]
    first, later = sessions_of(
        storage, turn("first", ANTHROPIC, messages, response), turn("later", ANTHROPIC, [*plain, *more], at=1)
    )
    assert first == later


def test_a_turn_that_refers_to_the_one_before_is_of_its_session(storage: Storage) -> None:
    messages, response, _ = ANSWERS[RESPONSES]
    known = {"previous": None, "items": messages, "response": response}
    storage.memory.put("me/response/r", known, 60)
    later = {"model": "m", "input": "more", "previous_response_id": "r"}
    first, second = sessions_of(
        storage,
        turn("first", RESPONSES, messages, response, owner="me"),
        turn("later", RESPONSES, [], at=1, owner="me", request=json.dumps(later).encode()),
    )
    assert first == second


def test_in_one_batch_the_earlier_is_found_by_the_later(storage: Storage) -> None:
    batch = [turn("first", CHAT, [HI], chat("Hello!")), turn("later", CHAT, [HI, HELLO, MORE], at=1)]
    found = storage._database.run(lambda connection: assigned(connection, batch, InMemory()), write=True)
    assert found["first"] == found["later"]


def test_what_is_swept_is_continued_no_more(storage: Storage) -> None:
    old, later = turn("old", CHAT, [HI], chat("Hello!"), at=-40 * 86_400), turn("later", CHAT, [HI, HELLO, MORE])
    kept(storage, old)
    was = storage.beside("old").session
    storage.sweep()
    assert sessions_of(storage, later) != [was]


# --- a session that the client names ----------------------------------------------------------------------------------


HEADERS = ("x-claude-code-session-id", "session-id", "session_id", "x-session-id", "x-session-affinity")
"""Of Claude Code, Codex, its older versions, and opencode, which sends two."""


@pytest.mark.parametrize("header", HEADERS)
def test_the_clients_own_session_is_one(storage: Storage, header: str) -> None:
    """Whatever its requests begin with, and where no payload is kept; another client's with this name is another."""
    calls = [Call(CHAT, "/v1/x", {header: named}, None, owner=owner, model="m") for named, owner in
             (("s1", "me"), ("s1", "me"), ("s2", "me"), ("s1", "you"))]  # fmt: skip
    first, again, other, yours = sessions_of(storage, *(call.record() for call in calls))
    assert first == again
    assert len({first, other, yours}) == 3
    assert "s1" not in first


def test_a_list_of_models_is_no_turn(storage: Storage) -> None:
    call = Call(CHAT, "/v1/models", {HEADERS[0]: "s1"}, None)
    assert sessions_of(storage, call.record()) == [""]


# --- whatever is sent -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("client", [ANTHROPIC, CHAT, GEMINI, RESPONSES])
@pytest.mark.parametrize(
    "payload",
    [
        DEEP,
        b'{"messages": [{"role": "user", "content": ' + DEEP + b"}]}",
        b"",
        b"null",
        b"[]",
        b"7",
        b"{",
        b'{"messages": 1, "input": {}, "contents": [[]]}',
    ],
)
def test_whatever_a_payload_is_nothing_is_raised(client: str, payload: bytes) -> None:
    one = record("a", client=client, request=payload, response=payload)
    assert conversation(one, InMemory()) is None
    asked = conversation(turn("b", client, ANSWERS[client][0], payload), InMemory())
    assert asked == ([], "")
