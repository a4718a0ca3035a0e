"""Server-sent events: the same however they are cut and whatever form the lines have; what goes wrong (STR-15)."""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamError, UnknownProtocol, sse
from proxai_ir.framing import SSE, Framing
from proxai_ir.protocol.registry import framing_of

from ..cases import each
from ..samples import PROTOCOLS, Sample, samples
from ..samples.openai_chat_completions.building import DONE
from ..samples.sample import Events
from ..work import peak

each_sample = each("sample", samples("stream"), ids=str)
each_protocol = each("protocol", PROTOCOLS)


def decoded(chunks: Iterable[bytes], **limit: int) -> Events:
    return list(sse.decode(chunks, **limit))


def bytes_of(data: bytes) -> list[bytes]:
    return [data[index : index + 1] for index in range(len(data))]


def encoded(events: Events, protocol: str) -> bytes:
    return b"".join(sse.encode(event, protocol) for event in events)


def assert_cut_anywhere(data: bytes, events: Events, step: int = 1, framing: Framing = SSE) -> None:
    """In one piece, byte by byte, and in two pieces at every place."""
    assert [*framing.decode([data])] == events
    assert [*framing.decode(bytes_of(data))] == events
    for place in range(0, len(data) + 1, step):
        assert [*framing.decode([data[:place], data[place:]])] == events, data[max(0, place - 20) : place]


# --- by hand ----------------------------------------------------------------------------------------------------------

SMILE = '{"a":"👋🏽"}'.encode()
FORMS: dict[str, tuple[bytes, Events]] = {
    "LF": (b'data: {"a":1}\n\ndata: [DONE]\n\n', [{"a": 1}, DONE]),
    "CRLF": (b'data: {"a":1}\r\n\r\ndata: [DONE]\r\n\r\n', [{"a": 1}, DONE]),
    "CR": (b'data: {"a":1}\r\rdata: [DONE]\r\r', [{"a": 1}, DONE]),
    "all ends mixed": (
        b'id: 1\r\ndata: {"a":1}\r\n\ndata: {"a":2}\n\rdata: {"a":3}\r\r\n',
        [{"a": 1}, {"a": 2}, {"a": 3}],
    ),
    "CR, then LF": (b'id: 1\rdata: {"a":1}\n\nevent: x\rdata: {"a":2}\n\n', [{"a": 1}, {"a": 2}]),
    "BOM": (b'\xef\xbb\xbfdata: {"a":1}\n\n', [{"a": 1}]),
    "BOM before a comment": (b'\xef\xbb\xbf: hi\ndata: {"a":1}\n\n', [{"a": 1}]),
    "no space": (b'data:{"a":1}\n\n', [{"a": 1}]),
    "comments": (b': hi\n\n:\ndata: {"a":1}\n: in the middle\n\n: end\n\n', [{"a": 1}]),
    "several lines": (b'data: {"a":\ndata: 1,\ndata:  "b": 2\ndata: }\n\n', [{"a": 1, "b": 2}]),
    "names": (b'event: ping\ndata: {"type":"ping"}\n\n', [{"type": "ping"}]),
    "a name after the data": (b'data: {"type":"ping"}\nevent: ping\n\n', [{"type": "ping"}]),
    "ids and retry": (b'id: 7\nretry: 10\ndata: {"a":1}\n\nid\n\n', [{"a": 1}]),
    "a name without data": (b'event: ping\n\ndata: {"a":1}\n\n', [{"a": 1}]),
    "empty data": (b'data:\n\ndata\n\ndata: {"a":1}\n\n', [{"a": 1}]),
    "blank data": (b'data:  \n\ndata: \t\ndata:\n\ndata: {"a":1}\n\ndata:  \n\n', [{"a": 1}]),
    "blanks around the word": (b'data: {"a":1}\n\ndata:  [DONE] \n\n', [{"a": 1}, DONE]),
    "blank lines": (b'\n\n\ndata: {"a":1}\n\n\n\n', [{"a": 1}]),
    "an unknown field": (b'datum: {"a":0}\ndata: {"a":1}\n\n', [{"a": 1}]),
    "no blank line in the end": (b'data: {"a":1}\n\ndata: [DONE]\n', [{"a": 1}, DONE]),
    "no line end in the end": (b'data: {"a":1}\n\ndata: [DONE]', [{"a": 1}, DONE]),
    "a BOM and no line end": (b'\xef\xbb\xbfdata: {"a":1}', [{"a": 1}]),
    "characters of four bytes": (b"data: " + SMILE + b"\n\n", [{"a": "👋🏽"}]),
    "line separators that are none": (
        'data: {"a":"\u2028\u0085\x0b"}\n\n'.replace("\x0b", "\\u000b").encode(),
        [{"a": "\u2028\u0085\x0b"}],
    ),
    "colons": (b'data: {"a":"b: c"}\n\n', [{"a": "b: c"}]),
    "an error by its name": (
        b'event: error\ndata: {"code":1}\n\ndata: {"a":1}\n\n',
        [{"error": {"code": 1}}, {"a": 1}],
    ),
    "an error that says so": (b'event: error\ndata: {"message":"No"}\n\n', [{"message": "No"}]),
    "an error that is a text": (b"event:error\ndata: No.\n\n", [{"error": {"message": "No."}}]),
    "an error without data": (b'event: error\n\ndata: {"a":1}\n\n', [{"a": 1}]),
    "no error": (b'event: terror\ndata: {"a":1}\n\nid: error\ndata: {"a":2}\n\n', [{"a": 1}, {"a": 2}]),
    "nothing": (b"", []),
    "no data": (b": hi\n\n", []),
}


@each("form", FORMS)
def test_a_form_cut_anywhere(form: str) -> None:
    assert_cut_anywhere(*FORMS[form])


@each("form", FORMS)
def test_three_pieces(form: str) -> None:
    """Two cuts, next to each other and apart: what is left of a line end counts once."""
    data, events = FORMS[form]
    for first in range(len(data) + 1):
        for second in (first, first + 1, first + 2, first + 7):
            assert decoded([data[:first], data[first:second], b"", data[second:]]) == events


@each_sample
@each("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_a_sample_cut_anywhere(sample: Sample, end: bytes) -> None:
    data = encoded(sample.make(), sample.protocol).replace(b"\n", end)
    assert_cut_anywhere(data, sample.make(), step=1 + len(data) // 400)


@each_sample
def test_a_sample_cut_anywhere_in_the_framing_of_its_protocol(sample: Sample) -> None:
    """What the client has does not depend on it, either."""
    framing = framing_of(sample.protocol)
    data = b"".join(framing.encode(event, sample.protocol) for event in sample.make())
    assert_cut_anywhere(data, [*framing.decode([data])], 1 + len(data) // 100, framing)
    client = next(one for one in PROTOCOLS if one != sample.protocol)
    replies = []
    for pieces in ([data], [data[at : at + 7] for at in range(0, len(data), 7)]):
        stream = proxai_ir.Exchange(client, sample.protocol, model="m", now=7.0).stream(200, {})
        replies.append((b"".join(map(stream.feed, pieces)) + stream.end(), repr(stream.error)))
    assert replies[0] == replies[1]


@each_sample
def test_bytes_that_end_anywhere(sample: Sample) -> None:
    """What is cut off in the middle is no event, and no error: bytes do not show whether the response is complete."""
    events = sample.make()
    data = encoded(events, sample.protocol)
    for place in range(0, len(data), 1 + len(data) // 1000):
        found = decoded([data[:place]])
        assert found == events[: len(found)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_lines_that_end_anywhere(end: bytes) -> None:
    """The same where one event has several lines."""
    events: Events = [{"a": {"b": [1, 2]}}, {"a": 2}]
    lines = [b"data: " + line for event in events for line in (*json.dumps(event, indent=1).encode().split(b"\n"), b"")]
    data = end.join(b"" if line == b"data: " else line for line in lines) + end
    assert decoded([data]) == events
    for place in range(len(data)):
        found = decoded([data[:place]])
        assert found == events[: len(found)], data[:place]


# --- what comes out ---------------------------------------------------------------------------------------------------


def test_events_of_a_protocol_that_names_them() -> None:
    event = {"type": "ping"}
    assert sse.encode(event, "anthropic_messages") == b'event: ping\ndata: {"type":"ping"}\n\n'
    assert sse.encode(event, "openai_chat_completions") == b'data: {"type":"ping"}\n\n'
    assert sse.encode({"error": 1}, "anthropic_messages") == b'data: {"error":1}\n\n'
    assert sse.encode(DONE, "openai_chat_completions") == b"data: [DONE]\n\n"


@each_protocol
@each("kind", ["ping\ndata: {}", "ping\r\rdata: {}", "a\n\n", "\r", " ping", "👋🏽", ""])
def test_a_type_is_no_way_to_write_lines(protocol: str, kind: str) -> None:
    event = {"type": kind, "a": 1}
    assert decoded([sse.encode(event, protocol)]) == [event]


NO_JSON = {
    "foreign": {"a": object()},
    "half a character for an event": "\ud800",
    "odd keys": {1: 2},
    "nan": {"a": math.nan},
    "infinity": {"a": [-math.inf]},
    "nan next to a null": {"a": None, "b": [math.nan]},
    "nan in place of the null that most events have": {"a": {"b": [{"c": math.nan}]}},
    "nan in place of one of two nulls": {"a": None, "b": math.nan},
    "nan and a text about null": {"a": {"b": [{"c": None}]}, "text": "null", "d": math.nan},
}
USUAL = ({"a": {"b": [{"c": None}]}}, {"a": None, "b": None})
"""Before each of those: events with nulls whose places are remembered."""


@pytest.mark.parametrize("kind", NO_JSON)
def test_what_is_no_json(kind: str) -> None:
    for usual in USUAL:
        assert sse.encode(usual, "anthropic_messages").count(b"null") == str(usual).count("None")
    with pytest.raises(StreamError) as caught:
        sse.encode(NO_JSON[kind], "anthropic_messages")
    assert caught.value.rule == "SHP-7"


@pytest.mark.parametrize("kind", [7, None, ["a"], {"a": 1}, "x" * 1000])
def test_types_of_any_kind_and_length(kind: Any) -> None:
    event = {"type": kind}
    named = f"event: {kind}\n".encode() if isinstance(kind, str) else b""
    for _ in range(2):
        assert (
            sse.encode(event, "anthropic_messages")
            == named + b"data: " + json.dumps(event, separators=(",", ":")).encode() + b"\n\n"
        )


def test_what_is_remembered_of_types_is_bounded() -> None:
    for number in range(2 * sse.MOST_HEADS):
        sse.encode({"type": f"type {number}"}, "anthropic_messages")
    assert len(sse.HEADS) <= sse.MOST_HEADS


def test_an_unknown_protocol() -> None:
    with pytest.raises(UnknownProtocol, match="smoke_signals"):
        sse.encode({"type": "ping"}, "smoke_signals")


# --- what goes wrong --------------------------------------------------------------------------------------------------


def failing(chunks: Iterable[bytes], **limit: int) -> tuple[Events, StreamError]:
    """The events before the error, and the error."""
    found: Events = []
    with pytest.raises(StreamError) as caught:
        for event in sse.decode(chunks, **limit):
            found.append(event)
    return found, caught.value


@pytest.mark.parametrize("data", [b"{", b"{'a': 1}", b"NaN", b"[DONE", b"\xff", b'{"a":"\xff"}', b'{"a":1}{"a":2}'])
def test_data_that_is_no_json(data: bytes) -> None:
    whole = b'data: {"a":1}\n\n: hi\n\ndata: ' + data + b'\n\ndata: {"a":3}\n\n'
    for chunks in ([whole], bytes_of(whole)):
        found, error = failing(chunks)
        assert (error.rule, error.path) == ("SHP-6", "/1")
        assert found == [{"a": 1}]


def test_good_events_before_a_bad_one_are_given_first_wherever_the_bytes_are_cut() -> None:
    data = b'data: {"a":1}\n\ndata: {"a":2}\n\ndata: {\n\ndata: {"a":4}\n\n'
    for place in range(len(data) + 1):
        found, error = failing([data[:place], data[place:]])
        assert (found, error.path) == ([{"a": 1}, {"a": 2}], "/2")


def test_a_decoder_that_failed_stays_failed() -> None:
    decoder = sse.Decoder()
    with pytest.raises(StreamError):
        decoder.feed(b"data: {\n\n")
    with pytest.raises(StreamError):
        decoder.feed(b'data: {"a":1}\n\n')
    with pytest.raises(StreamError):
        decoder.close()


LIMIT = 100


def of_length(length: int) -> bytes:
    return b'data: {"a":"' + b"x" * length + b'"}\n\n'


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_an_event_beyond_the_limit(size: int) -> None:
    """However it is cut, and also where all of it comes at once."""
    data = of_length(5) + of_length(LIMIT + 50) + of_length(5)
    found, error = failing([data[at : at + size] for at in range(0, len(data), size)], limit=LIMIT)
    assert (error.rule, error.path) == ("STR-15", "/1")
    assert found == [{"a": "xxxxx"}]


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_an_event_of_many_lines_beyond_the_limit(size: int) -> None:
    data = of_length(5) + b"data: [\n" + b"data: 1,\n" * LIMIT + b"data: 1]\n\n"
    found, error = failing([data[at : at + size] for at in range(0, len(data), size)], limit=LIMIT)
    assert (error.rule, error.path, found) == ("STR-15", "/1", [{"a": "xxxxx"}])


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_events_within_the_limit_however_many(size: int) -> None:
    data = (b": a comment that keeps the connection alive\n\n" + of_length(LIMIT // 2)) * 20
    found = decoded([data[at : at + size] for at in range(0, len(data), size)], limit=LIMIT)
    assert found == [{"a": "x" * (LIMIT // 2)}] * 20


def test_a_line_without_an_end_is_not_kept_for_ever() -> None:
    decoder = sse.Decoder(limit=LIMIT)
    with pytest.raises(StreamError) as caught:
        for _ in range(LIMIT):
            decoder.feed(b"xx")
    assert (caught.value.rule, caught.value.path) == ("STR-15", "/0")


def test_an_unfinished_line_takes_the_memory_of_its_bytes() -> None:
    """However small its pieces are; a list of them would take 29 times as much."""
    size = 400_000
    decoder = sse.Decoder()
    decoder.feed(b"data: ")

    def run() -> None:
        for _ in range(size // 2):
            decoder.feed(b"12")

    assert peak(run) < 2.5 * size  # the bytes, and while they move to a larger place their copy


@pytest.mark.parametrize("binary", [bytearray, memoryview])
def test_bytes_of_other_types(binary: Callable[[bytes], Any]) -> None:
    decoder = sse.Decoder()
    chunk = b'data: {"a":1}\n\n'
    assert [decoder.feed(binary(chunk)) for _ in range(2)] == [[{"a": 1}]] * 2


# --- samples ----------------------------------------------------------------------------------------------------------


@each_protocol
@each_sample
def test_a_stream_in_bytes_comes_out_in_bytes(sample: Sample, protocol: str) -> None:
    framing, other = framing_of(sample.protocol), framing_of(protocol)
    data = b"".join(framing.encode(event, sample.protocol) for event in sample.make())
    try:
        made = proxai_ir.convert(sample.make(), sample.protocol, protocol, kind="stream")
    except proxai_ir.TranslationError as error:
        with pytest.raises(type(error)):
            proxai_ir.convert(data, sample.protocol, protocol, kind="stream")
        return
    assert list(other.decode([proxai_ir.convert(data, sample.protocol, protocol, kind="stream")])) == made


@pytest.mark.parametrize(
    "before", [b"", b"\n", b"\n\n", b"\r\n\r\n\r\n", codecs.BOM_UTF8 + b"\n\n", b"\xbb\n\n"], ids=repr
)
def test_an_array_behind_blank_lines_is_no_event_stream_wherever_it_is_cut(before: bytes) -> None:
    """Its lines would be those of a field without a name that means anything, and the response be lost."""
    data = before + b'[{"a": 1}]\n\n'
    for at in range(len(data)):
        with pytest.raises(StreamError, match="found a JSON array"):
            decoded([data[:at], data[at:]])


def test_only_the_first_byte_order_mark_is_one() -> None:
    data = b"\n\n" + codecs.BOM_UTF8 + b'data: {"a": 1}\n\ndata: {"b": 2}\n\n[\n\n'
    for at in range(len(data)):
        assert decoded([data[:at], data[at:]]) == [{"b": 2}], at
