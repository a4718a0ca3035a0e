"""Streams of Gemini's generateContent, illegal orders, and streams that go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..sample import Events, Json, Streams
from .building import HEAD, SIGNATURE, USAGE, call, chunk, error, stream, thought

GROUNDING = {
    "webSearchQueries": ["rain"],
    "groundingChunks": [{"web": {"uri": "https://example.org/", "title": "T"}}],
    "groundingSupports": [{"segment": {"startIndex": 9, "endIndex": 13, "text": "Rain"}, "groundingChunkIndices": [0]}],
}
RUNNING = {"promptTokenCount": 6, "totalTokenCount": 6}


def _talk() -> Events:
    """Thoughts, text, calls with and without arguments."""
    return [
        chunk(thought("Two"), usage=RUNNING),
        chunk(thought(" calls.")),
        chunk("It says: ", usage=RUNNING),
        chunk("Rain 👋🏽."),
        chunk("", call("sky", {"city": "Oslo"}, "call_a", thoughtSignature=SIGNATURE)),
        chunk(call("now", {}, "call_b")),
        chunk("", usage=USAGE, finish="STOP"),
    ]


def _search() -> Events:
    """A text that rests on what a search found."""
    return [
        chunk("It says: ", usage=RUNNING, groundingMetadata={}),
        chunk("Rain 👋🏽.", usage=USAGE, finish="STOP", groundingMetadata=GROUNDING),
    ]


def _own() -> Events:
    """What only this protocol can express, and unknown parts and members."""
    return [
        chunk({"toolCall": {"id": "f", "toolType": "FILE_SEARCH"}}, createTime=None),
        chunk({"hologram": {"beam": 3}}),
        chunk({"text": "Done.", "partMetadata": {"n": 1}}),
        {**chunk("", finish="STOP", safetyRatings=[], tokenCount=3), "telemetry": {"deep": [1]}},
        {"usageMetadata": USAGE, **HEAD},
    ]


def _own_pieces() -> Events:
    """A call whose arguments come in pieces."""
    return [
        chunk(_piece(name="sky", id="call_a", willContinue=True) | {"thoughtSignature": SIGNATURE}),
        chunk(_piece({"jsonPath": "$.city", "stringValue": "Os", "willContinue": True}, willContinue=True)),
        chunk(_piece({"jsonPath": "$.city", "stringValue": "lo"}, {"jsonPath": "$.days[0].n", "numberValue": 2})),
        chunk("", usage=USAGE, finish="STOP"),
    ]


def _piece(*arguments: Json, **members: Any) -> Json:
    return {"functionCall": members | ({"partialArgs": list(arguments)} if arguments else {})}


STREAMS: Streams = {
    "talk": _talk(),
    "search": _search(),
    "own": _own(),
    "own pieces": _own_pieces(),
    "filtered": stream(chunk("I must"), chunk(" not."), finish="SAFETY"),
    "blocked": [{"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": RUNNING, **HEAD}],
    "failure": [chunk("It"), error("UNAVAILABLE", "Overloaded", 503)],
}

# --- illegal ----------------------------------------------------------------------------------------------------------

TEXT, END = chunk("Hi"), chunk("", usage=USAGE, finish="STOP")

ILLEGAL: dict[str, tuple[Events, str]] = {
    "content after an error": ([TEXT, error("INTERNAL"), TEXT], "/2"),
    "a second error": ([error("INTERNAL"), error("INTERNAL")], "/1"),
}

# --- that go on -------------------------------------------------------------------------------------------------------


def _repeating(*events: Json) -> Iterator[Any]:
    while True:
        yield from events


ENDLESS = {
    "text": lambda: _repeating(chunk("word ", usage=USAGE)),
    "thoughts": lambda: _repeating(chunk(thought("hm "), usage=USAGE)),
    "chunks without content": lambda: _repeating({"usageMetadata": USAGE, **HEAD}),
}


def _calls(count: int) -> Events:
    """Parts of which each has something to report."""
    made = [chunk(thought("hm"), call("sky", {}, f"call_{number}", partMetadata={"n": 1})) for number in range(count)]
    return stream(*made)


GROWING = {"calls": _calls}
