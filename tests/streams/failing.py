"""Streams that fail, each with what its client is told: by the provider's error, by a cut, by what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import proxai_ir
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.ir.stream.events import Failed, Stream
from proxai_ir.testing.streams import fed

from ..samples import Sample, samples
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Events

ANTHROPIC, CHAT = "anthropic_messages", "openai_chat_completions"
CUT_OFF = "cut off before the response was complete"
SAID = "The harbour is closed."
ERROR = anthropic.error("overloaded_error", SAID)

TEXT = anthropic.stream(anthropic.text_block("At ", "06:12."))[:4]
CALL = anthropic.stream(anthropic.text_block("I look."), anthropic.call_block("c1", "tide", '{"at":', '"Emden"}'))[:6]
BARE_CALL = CALL[:5]
THOUGHT = anthropic.stream(anthropic.thinking_block("Hm, ", "tides.", signature="EqQB"))[:4]
CHAT_TEXT = [chat.chunk({"role": "assistant", "content": "At "}), chat.chunk({"content": "06:12."})]

OPEN = {"text": TEXT, "a call": CALL, "a call without arguments so far": BARE_CALL, "reasoning": THOUGHT}
ENDING = "an ending that is a failure"
FAILURES: dict[str, tuple[str, Events, str]] = {
    "an error at once": (ANTHROPIC, [ERROR], SAID),
    "an error before any content": (ANTHROPIC, [TEXT[0], ERROR], SAID),
    **{f"an error within {what}": (ANTHROPIC, [*given, ERROR], SAID) for what, given in OPEN.items()},
    **{f"a cut within {what}": (ANTHROPIC, given, CUT_OFF) for what, given in OPEN.items()},
    **{
        f"a broken event within {what}": (ANTHROPIC, [*given, {**TEXT[2], "index": 7}], "STR-9")
        for what, given in OPEN.items()
    },
    "an error of another provider": (CHAT, [*CHAT_TEXT, chat.error("server_error", SAID)], SAID),
    ENDING: (CHAT, [*CHAT_TEXT, chat.chunk({}, "error")], "The generation failed: error."),
    "an event of no shape that is known": (CHAT, [*CHAT_TEXT, 5], "SHP-1"),
}
"""By what happens: the provider's protocol, its events, and what the client has to be told."""
RELAYED = {ENDING, *(f"a broken event within {what}" for what in OPEN)}
"""What its own protocol gets as it is (STR-18)."""


# --- of any protocol --------------------------------------------------------------------------------------------------


def error_of(src: str) -> Any:
    """The event by which a stream of this protocol fails."""
    return proxai_ir.raise_to(Stream(None, [[Failed(Error(None, ErrorCategory.SERVER, SAID))]]), src)[-1]


def unfinished(src: str, dst: str) -> Iterator[tuple[Sample, list[Events]]]:
    """Its samples, each with all of its beginnings that end before the response does, for a target."""
    for sample in samples("stream"):
        if sample.protocol == src and not sample.own:
            begun = [sample.make()[:count] for count in range(len(sample.payload))]
            yield sample, [events for events in begun if _goes_on(events, src, dst)]


def _goes_on(events: Events, src: str, dst: str) -> bool:
    done = fed(events, src, dst).converter
    return done.failure is None and done.finish is None
