"""The diagnostics of a StreamConverter: when they are known, and where they point."""

from __future__ import annotations

from collections import Counter

import pytest

import proxai_ir
from proxai_ir import StreamConverter, TranslationError
from proxai_ir.testing.streams import fed

from ..samples import PROTOCOLS, READINGS, samples
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from .test_converter import ANTHROPIC, CHAT


def test_diagnostics_are_there_as_soon_as_they_are_known() -> None:
    events = anthropic.stream(anthropic.thinking_block("Hm.", signature="EqQB"), anthropic.text_block("Hi"))
    converter = StreamConverter(ANTHROPIC, CHAT)
    counts = []
    for event in events:
        converter.feed(event)
        counts.append(len(converter.diagnostics))
    assert counts == [0, 0, 0, 1, 1, 1, 1, 1, 1, 2]
    found = [(one.code, one.severity.value, one.path) for one in converter.diagnostics]
    assert found == [("RSN-4", "loss", "/3/delta/signature"), ("ENV-2", "info", "")]


@pytest.mark.parametrize("dst", PROTOCOLS)
def test_a_stream_has_each_finding_once(dst: str) -> None:
    """Also those about the response itself, which could be found at its beginning and at its end."""
    converted = 0
    for sample in samples("stream"):
        try:
            found = proxai_ir.compile(sample.make(), sample.protocol, dst, kind="stream").diagnostics
        except TranslationError:
            continue
        converted += 1
        repeated = Counter((one.rule, one.path, one.message) for one in found)
        assert [one for one, times in repeated.items() if times > 1] == [], sample
    assert converted > 0


def test_pointers_lead_to_the_event_in_question() -> None:
    """Also where what it costs is known much later."""
    events = anthropic.stream(
        anthropic.text_block("It says: "),
        anthropic.call_block("toolu_1", "sky", "{}", caller={"type": "direct"}),
        anthropic.text_block("Rain."),
        anthropic.block({"type": "redacted_thinking", "data": "eA=="}),
        anthropic.call_block("srv_1", "web_search", "{}", kind="server_tool_use"),
        anthropic.thinking_block("Hm."),
        stop="max_tokens",
    )
    events[0]["message"]["container"] = {"id": "ctr_1"}
    events[0]["x-extra"] = 1
    done = fed(events, ANTHROPIC, CHAT)
    assert done.error is None
    starts = [number for number, event in enumerate(events) if event["type"] == "content_block_start"]
    assert sorted(done.found()) == sorted(
        [
            ("ENV-1", "/0/message/container"),
            ("UNK-6", "/0/x-extra"),
            ("TUL-18", f"/{starts[1]}/content_block/caller"),
            ("PLC-4", f"/{starts[2]}/content_block"),
            ("PLC-8", f"/{starts[2]}/content_block"),
            ("RSN-4", f"/{starts[3]}/content_block"),
            ("TUL-6", f"/{starts[4]}/content_block"),
            ("PLC-4", f"/{starts[5]}/content_block"),
            ("ENV-2", ""),
        ]
    )


def test_pointers_of_what_is_found_when_the_stream_is_closed() -> None:
    """No [DONE] comes and no usage: the last event is still the one with the finish reason."""
    call = chat.calls(chat.fragment(0, "{}", "call_1", "sky"))
    done = fed(chat.stream(call, finish="stop", usage=False, done=False), CHAT, ANTHROPIC)
    assert done.error is None
    assert sorted(done.found()) == [
        ("ENV-1", "/0/created"),
        ("ENV-7", "/0/choices/0/delta/content"),
        ("STS-12", "/2/choices/0/finish_reason"),
        ("USE-5", ""),
    ]


@pytest.mark.parametrize("done", [True, False])
def test_an_empty_response_is_refused_where_it_ends(done: bool) -> None:
    events = chat.stream(usage=False, done=done)
    refused = fed(events, CHAT, ANTHROPIC)
    assert refused.error is not None
    assert (refused.error.rule, refused.error.path) == ("CHO-3", "/1/choices/0")
    ending = refused.converter.close(error_event=True)
    assert READINGS[ANTHROPIC].outcomes(ending) == ["error"]


def test_a_signature_that_had_to_wait_is_named_where_it_stands() -> None:
    start, grown, sealed, stop = anthropic.numbered(1, anthropic.thinking_block("Hm.", signature="EqQB"))
    opened, word, closed = anthropic.numbered(0, anthropic.text_block("Hi"))
    events = [anthropic.message_start(), opened, word, start, grown, sealed, closed, stop, anthropic.message_delta()]
    done = fed([*events, anthropic.MESSAGE_STOP], ANTHROPIC, CHAT)
    assert done.found("loss") == [("RSN-4", "/5/delta/signature"), ("PLC-4", "/3/content_block")]


def test_thinking_that_is_not_shown_is_named_once() -> None:
    """It is sealed as a whole: the block, and with it the signature, does not travel."""
    done = fed(
        anthropic.stream(anthropic.thinking_block(signature="EqQB"), anthropic.text_block("Hi")), ANTHROPIC, CHAT
    )
    assert done.error is None
    assert done.found("loss") == [("RSN-4", "/1/content_block")]
