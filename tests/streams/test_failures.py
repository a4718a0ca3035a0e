"""How streams fail, in every protocol: the target's reader takes the event for a failure, with its message (ERR-12).

`tests/clients/test_failing_streams.py` has the same for the official clients.
"""

from __future__ import annotations

import pytest

from proxai_ir import StreamConverter, TranslationError

from ..samples import PAIRS, PROTOCOLS
from ..samples.sample import Events
from .failing import CHAT, CUT_OFF, FAILURES, RELAYED, SAID, error_of, unfinished

GEMINI = "gemini_generate_content"  # which takes all that streams may have


def converted(given: Events, src: str, dst: str) -> tuple[StreamConverter, Events]:
    """As a proxy has it: whatever happens, the client's stream comes to an end."""
    converter, made = StreamConverter(src, dst), []
    try:
        for event in given:
            made += converter.feed(event)
    except TranslationError:
        pass
    return converter, [*made, *converter.close(error_event=True)]


def told(made: Events, protocol: str) -> str:
    """The message of the failure that a stream ends with, by the reader of its own protocol."""
    again, _ = converted(made, protocol, CHAT if protocol == GEMINI else GEMINI)
    assert again.error is None, made
    assert again.failure is not None, made
    return again.failure.message


@pytest.mark.parametrize("dst", PROTOCOLS)
@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_read_as_one_with_its_message(name: str, dst: str) -> None:
    src, given, why = FAILURES[name]
    if dst != src or name not in RELAYED:
        assert why in told(converted(given, src, dst)[1], dst)


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_a_stream_that_fails_anywhere_is_read_as_a_failure(src: str, dst: str) -> None:
    """Wherever its bytes end or an error comes, unless it is complete by then."""
    listed = [*unfinished(src, dst)]
    assert any(begun for _, begun in listed), f"{src} has no sample of a stream that could fail"
    for sample, begun in listed:
        for events in begun:
            cut, made = converted(events, src, dst)
            where = sample.name, len(events)
            assert CUT_OFF in told(made, dst) or cut.error is None or cut.error.rule != "STR-2", where
            assert SAID in told(converted([*events, error_of(src)], src, dst)[1], dst), where
