"""What a client gets of a row: the converted payload, read by the readers of the samples."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import orjson
from attrs import evolve, frozen

import proxai_ir
from proxai_ir import Diagnostic, Exchange, StreamConverter, TranslationError

from ...endings import WORDS
from ...samples import READINGS
from ..support import anthropic, chat, responses
from .symptom import ANTHROPIC, CHAT, GEMINI, RESPONSES, Answer, Failure, Http, Refused, Sse, Symptom, Usage

Json = Any
ENDINGS = {**WORDS, "refusal": {ANTHROPIC: "refusal", CHAT: "stop", GEMINI: "STOP", RESPONSES: "completed"}}
ASKED = {
    ANTHROPIC: anthropic.request(anthropic.user("Hi"), stream=True),
    CHAT: chat.request(chat.user("Hi"), stream=True),
    RESPONSES: responses.request(responses.user("Hi"), stream=True),
    GEMINI: {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
}
OVERFLOWS = {
    ANTHROPIC: "prompt is too long: ",
    GEMINI: "The input token count exceeds the maximum number of tokens allowed: ",
}
"""How messages begin by which clients know an overflow; the others have a code for it."""
PATHS = {GEMINI: "/v1beta/models/m:streamGenerateContent?alt=sse"}


@frozen
class Seen:
    """What came out, in the words of the rows, and all that was reported."""

    outcome: Answer | Failure | Refused
    found: tuple[Diagnostic, ...]


def seen(row: Symptom, dst: str) -> Iterator[Seen]:
    """Once for each way in which the row's payload can come."""
    came = row.came
    if isinstance(came, Http):
        yield _http(row, came, dst)
    elif isinstance(came, Sse):
        for size in (len(came.data), 1):
            yield _bytes(row, came, dst, size)
    elif isinstance(came, list):
        yield _stream(row, came, dst)
    else:
        yield _whole(row, came, dst)


def differences(row: Symptom) -> list[str]:
    """What some client of the row does not get as it should."""
    found: list[str] = []
    rules: set[str] = set()
    lost: set[str] = set()
    for dst in row.targets:
        for made in seen(row, dst) if dst != row.src else ():
            if made.outcome != row.expect:
                found.append(f"{dst}: {made.outcome}, expected {row.expect}")
            rules |= {one.rule for one in made.found}
            lost |= {one.rule for one in made.found if one.severity == "loss"}
    if missing := set(row.rules) - rules:
        found.append(f"not reported: {sorted(missing)}")
    if lost != set(row.losses) and not isinstance(row.expect, Refused):
        found.append(f"losses: {sorted(lost)}, expected {sorted(row.losses)}")
    return found


# --- the ways ---------------------------------------------------------------------------------------------------------


def _whole(row: Symptom, came: Json, dst: str) -> Seen:
    try:
        made = proxai_ir.compile(deepcopy(came), row.src, dst, kind="response", **_options(dst))
    except TranslationError as error:
        return Seen(Refused(error.rule, error.path), error.diagnostics)
    if made.kind == "error":
        return Seen(_failure(row, dst, made.output), made.diagnostics)
    return Seen(_answer(row, dst, made.output), made.diagnostics)


def _stream(row: Symptom, came: Json, dst: str) -> Seen:
    converter = StreamConverter(row.src, dst, **_options(dst))
    try:
        events = [made for event in deepcopy(came) for made in converter.feed(event)] + converter.close()
    except TranslationError as error:
        return Seen(Refused(error.rule, error.path), converter.diagnostics)
    return Seen(_of_events(row, dst, events), converter.diagnostics)


def _bytes(row: Symptom, came: Sse, dst: str, size: int) -> Seen:
    stream = _exchange(row, dst).stream(200, {"content-type": came.media_type})
    data = b"".join(stream.feed(came.data[at : at + size]) for at in range(0, len(came.data), size)) + stream.end()
    if stream.error is not None:
        return Seen(Refused(stream.error.rule, stream.error.path), stream.diagnostics)
    decoder = proxai_ir.sse.Decoder()
    return Seen(_of_events(row, dst, decoder.feed(data) + decoder.close()), stream.diagnostics)


def _http(row: Symptom, came: Http, dst: str) -> Seen:
    body = came.body if isinstance(came.body, bytes) else orjson.dumps(came.body)
    headers = {"content-type": came.media_type, **came.headers}
    reply = _exchange(row, dst).response(came.status, headers, body)
    output = orjson.loads(reply.body)
    if reply.status == 200:
        return Seen(_answer(row, dst, output), reply.diagnostics)
    wanted = row.expect.headers if isinstance(row.expect, Failure) else {}
    headers = {name: reply.headers[name] for name in wanted if name in reply.headers}
    return Seen(evolve(_failure(row, dst, output, reply.status), headers=headers), reply.diagnostics)


def _exchange(row: Symptom, dst: str) -> Exchange:
    exchange = Exchange(dst, row.src, model="m")
    exchange.request(deepcopy(ASKED[dst]), path=PATHS.get(dst, ""))
    return exchange


def _options(dst: str) -> dict[str, Any]:
    """As proxies have it: an empty response is a response."""
    return {"allow_empty": True} if dst == ANTHROPIC else {}


# --- what is read -----------------------------------------------------------------------------------------------------


def _of_events(row: Symptom, dst: str, events: list[Json]) -> Answer | Failure:
    outcomes = READINGS[dst].outcomes(events)
    if "error" in outcomes:
        return _failure(row, dst, events[outcomes.index("error")])
    assert READINGS[dst].is_complete(events)
    return _answer(row, dst, READINGS[dst].whole(events))


def _answer(row: Symptom, dst: str, response: Json) -> Answer:
    """What is not looked at, or has no one word in this target, is as expected."""
    read = READINGS[dst].summary(response)
    expected = row.expect if isinstance(row.expect, Answer) else Answer()
    known = ENDINGS[expected.ending][dst]
    return Answer(
        read["text"] + read.get("refusal", ""),
        expected.ending if _ending(dst, response) == known else str(_ending(dst, response)),
        expected.usage and _usage(dst, read["usage"]),
        calls=tuple((name, arguments) for _, name, arguments in read["calls"]),
        thinking=read["thinking"],
        cited=tuple(_url(one) for one in read["citations"]) if dst == RESPONSES else expected.cited,
    )


def _ending(dst: str, response: Json) -> Any:
    if dst == ANTHROPIC:
        return response["stop_reason"]
    if dst == CHAT:
        return response["choices"][0]["finish_reason"]
    if dst == GEMINI:
        return response["candidates"][0]["finishReason"]
    return (response.get("incomplete_details") or {}).get("reason", response["status"])


def _usage(dst: str, counts: Any) -> Usage:
    into, out, cached = counts
    cached = cached.get("cached_tokens") if isinstance(cached, dict) else cached
    into, out, cached = into or 0, out or 0, cached or 0
    return (into + cached, out, cached) if dst == ANTHROPIC else (into, out, cached)


def _url(note: Json) -> str:
    url: str = note["url"]
    return url


def _failure(row: Symptom, dst: str, error: Json, status: int | None = None) -> Failure:
    """Anthropic has one word for each kind; where another protocol has not, it is as expected."""
    expected = row.expect if isinstance(row.expect, Failure) else Failure("", "")
    if dst == RESPONSES and "error" not in error:
        error = {"error": error["response"]["error"] if "response" in error else error}
    inner = error["error"]
    message, known_by = inner["message"], OVERFLOWS.get(dst, "")
    overflow = message.startswith(known_by) if known_by else inner["code"] == "context_length_exceeded"
    if message != expected.message:
        message = message.removeprefix(known_by)
    return Failure(inner["type"] if dst == ANTHROPIC else expected.kind, message, status, overflow=overflow)
