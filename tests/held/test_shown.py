"""The official clients show a converted response as the source's own client shows the response itself: the same text,
calls, ending and tokens, whole and streamed; and where that one raises, they raise with the same message.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError

from ..clients.provider import BUILDERS, CUTS, LATER, MIDWAY, NO, SUM, TEXT
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Json
from .shared import ANTHROPIC, CHAT, GEMINI, RESPONSES, Tools, has_paragraphs, pairs, some
from .shown import (
    CALLS,
    DECLINED,
    LENGTH,
    SHOWN,
    STOP,
    Failed,
    Shown,
    failure,
    failure_of_stream,
    of_stream,
    whole,
)
from .test_errors import statuses

READ: dict[str, Callable[[str, Any], Shown]] = {"response": whole, "stream": of_stream}
FAILURE: dict[str, Callable[[str, Any], Failed | None]] = {
    "response": lambda protocol, body: failure(protocol, body, 200),
    "stream": failure_of_stream,
}
SOME = 25
PAIRS = pairs(SHOWN)
SHORT = 120

DIFFERS = {
    "TUL-25": ("calls", "a tool of a namespace, by its whole name"),
    "USE-2": ("usage", "counts that contradict one another"),
    "FIN-7": ("ending", "an unknown word, which the source's client shows as it is"),
    "STS-5": ("ending", "a pause, which other protocols do not have"),
}
"""By the rule that names it: what the clients show differently, and why."""


@pytest.fixture(autouse=True)
def calm() -> Iterator[None]:
    """The clients' models warn about what servers send beyond their types."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# --- the readers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("protocol", SHOWN)
def test_the_readers_show_what_stands_there(protocol: str, kind: str) -> None:
    def shown(script: str) -> Shown:
        return READ[kind](protocol, BUILDERS[protocol](script, kind == "stream"))

    assert shown("text")[:3] == (TEXT, [], STOP)
    assert shown("call")[:3] == ("", [("add", SUM)], CALLS)
    assert shown("refusal")[:3] == (NO, [], DECLINED)
    assert shown("thought").text == TEXT


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        (CHAT, chat.response("length", content="It")),
        (ANTHROPIC, anthropic.response(anthropic.text("It"), stop="max_tokens")),
        (
            GEMINI,
            {
                "candidates": [
                    {"index": 0, "content": {"role": "model", "parts": [{"text": "It"}]}, "finishReason": "MAX_TOKENS"}
                ]
            },
        ),
        (
            RESPONSES,
            {
                **BUILDERS[RESPONSES]("text", False),
                "status": "incomplete",
                "incomplete_details": {"reason": "max_output_tokens"},
            },
        ),
    ],
)
def test_the_readers_show_a_limit(protocol: str, body: Json) -> None:
    assert whole(protocol, body).ending == LENGTH


@pytest.mark.parametrize(
    ("protocol", "usage", "body"),
    [
        (CHAT, {"usage": {"prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16}}, chat.response("stop")),
        (
            ANTHROPIC,
            {"usage": {"input_tokens": 2, "cache_read_input_tokens": 7, "output_tokens": 7}},
            anthropic.response(anthropic.text("It")),
        ),
        (RESPONSES, {}, BUILDERS[RESPONSES]("text", False)),
        (
            GEMINI,
            {"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 3, "thoughtsTokenCount": 4}},
            BUILDERS[GEMINI]("text", False),
        ),
    ],
)
def test_the_readers_show_the_tokens(protocol: str, usage: Json, body: Json) -> None:
    assert whole(protocol, {**body, **usage}).usage == (9, 7)


# --- recordings -------------------------------------------------------------------------------------------------------


@cache
def own(tools: Tools, kind: str, src: str, name: str) -> Shown | Failed | None:
    """What the source's own client shows of a recording; None where it stumbles over it."""
    payload = next(record.payload for record in tools.records(src, kind) if record.id == name)
    try:
        return READ[kind](src, payload)
    except Exception:
        try:
            return FAILURE[kind](src, payload)
        except Exception:  # a server's own form, which the client does not know
            return None


def awaited(shown: Shown) -> Shown:
    """A natural end with calls waits for them, whatever its name (STS-8)."""
    return shown._replace(ending=CALLS) if shown.calls and shown.ending == STOP else shown


def assert_shown_alike(tools: Tools, kind: str, src: str, dst: str, record: Any) -> bool:
    """Whether there was anything to compare; that it is the same, but for what a finding names."""
    options = {"model": record.model} if record.model and kind == "response" else {}
    try:
        made: Any = proxai_ir.compile(record.payload, src, dst, kind=kind, **options)  # type: ignore[call-overload]
    except TranslationError:
        return False
    expected = own(tools, kind, src, record.id)
    if expected is None:
        return False
    if isinstance(expected, Failed):
        assert FAILURE[kind](dst, made.output) == expected, record.id
        return True
    if made.kind == "error":
        raised = failure(dst, made.output, 500)
        assert raised is not None, record.id
        assert raised.message, record.id
        return True
    excused = {DIFFERS[one.code][0] for one in made.diagnostics if one.code in DIFFERS}
    if expected.usage is None:
        excused.add("usage")
    kept = {name: getattr(expected, name) for name in excused}
    there, here = READ[kind](dst, made.output)._replace(**kept), awaited(expected)._replace(**kept)
    if has_paragraphs(src, record.payload):
        there, here = (one._replace(text=one.text.replace("\n\n", "")) for one in (there, here))
    assert there == here, record.id
    return True


ROUTES = [(kind, src, dst) for kind in READ for src, dst in PAIRS]


def short(records: list[Any], kind: str) -> list[Any]:
    return [one for one in records if kind == "response" or len(one.payload) <= SHORT]


@pytest.mark.parametrize(("kind", "src", "dst"), ROUTES)
def test_recordings(tools: Tools, kind: str, src: str, dst: str) -> None:
    records = some(short(tools.records(src, kind), kind), SOME)
    assert sum(assert_shown_alike(tools, kind, src, dst, one) for one in records) > len(records) // 2


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "src", "dst"), ROUTES)
def test_every_recording(tools: Tools, kind: str, src: str, dst: str) -> None:
    records = tools.records(src, kind)
    compared = sum(assert_shown_alike(tools, kind, src, dst, one) for one in records)
    assert compared > 0.85 * len(records)


# --- errors -----------------------------------------------------------------------------------------------------------

BETTER = {400: 404}
"""By a recorded status: that of the code beside it, which is more exact (`model_not_found`)."""


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_every_error_is_raised_as_it_is_at_its_source(tools: Tools, src: str, dst: str) -> None:
    """By a proxy, which chooses the status."""
    for payload, status in statuses(tools, src):
        expected = failure(src, payload, status)
        assert expected is not None
        made = proxai_ir.Exchange(dst, src).response(status, {}, json.dumps(payload).encode())
        raised = failure(dst, json.loads(made.body), made.status)
        assert raised is not None
        assert raised.status in (expected.status, BETTER.get(status))
        raw = str((payload["error"].get("metadata") or {}).get("raw") or "")
        assert raised.message == expected.message or raised.message in raw


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_an_error_in_the_middle_of_a_stream_is_raised(src: str, dst: str) -> None:
    events = [*BUILDERS[src]("text", True)[: CUTS[src]], MIDWAY[src]]
    assert failure_of_stream(dst, proxai_ir.convert(events, src, dst, kind="stream")) == Failed(None, LATER)


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_the_end_of_a_stream_that_was_cut_off_is_raised(src: str, dst: str) -> None:
    converter = proxai_ir.StreamConverter(src, dst)
    out = [one for event in BUILDERS[src]("text", True)[: CUTS[src]] for one in converter.feed(event)]
    raised = failure_of_stream(dst, [*out, *converter.close(error_event=True)])
    assert raised is not None
    assert "cut off" in raised.message
