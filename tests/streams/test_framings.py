"""Framings of streams: bytes split anywhere give the same events, what is corrupt gives a StreamError that says where.

AWS event streams are held against the reader of Amazon's own SDK, and against frames built by hand here.
"""

from __future__ import annotations

import json
import random
import struct
from base64 import b64encode
from collections.abc import Callable
from typing import Any
from uuid import UUID
from zlib import crc32

import pytest

from proxai_ir import StreamError
from proxai_ir.framing import (
    AWS_EVENT_STREAM,
    JSON_ARRAY,
    NDJSON,
    SSE,
    Framing,
    aws_event_stream,
    json_array,
    ndjson,
    sse,
)

from ..work import operations, peak

Json = Any
CHAT = "openai_chat_completions"
EVENTS: list[Json] = [
    {"messageStart": {"role": "assistant"}},
    {"contentBlockDelta": {"delta": {"text": "größte — ✓"}, "contentBlockIndex": 0}},
    {"contentBlockDelta": {"delta": {"text": None}}},
    {"messageStop": {"stopReason": "end_turn"}},
]
FRAMINGS = (SSE, NDJSON, AWS_EVENT_STREAM, JSON_ARRAY)
SHORT, LONG = 2_000, 100_000
"""Random trials, in every run and in the slow one."""
each_framing = pytest.mark.parametrize("framing", FRAMINGS, ids=lambda framing: framing.name)


def pieces(framing: Framing, events: list[Json] = EVENTS) -> list[bytes]:
    """The bytes of each event, with what stands before it."""
    before, between, _ = framing.around
    return [(between if at else before) + framing.encode(event, CHAT) for at, event in enumerate(events)]


def written(framing: Framing, events: list[Json] = EVENTS) -> bytes:
    return b"".join(pieces(framing, events)) + framing.around[2]


def read(framing: Framing, *chunks: bytes) -> list[Json]:
    return [*framing.decode(chunks)]


@each_framing
def test_there_and_back(framing: Framing) -> None:
    assert read(framing, written(framing)) == EVENTS


@each_framing
def test_split_at_every_byte(framing: Framing) -> None:
    data = written(framing)
    for at in range(len(data) + 1):
        assert read(framing, data[:at], data[at:]) == EVENTS
    assert read(framing, *(data[at : at + 1] for at in range(len(data)))) == EVENTS


@each_framing
def test_an_event_is_given_as_soon_as_it_is_whole(framing: Framing) -> None:
    decoder = framing.decoder()
    for event, data in zip(EVENTS, pieces(framing), strict=True):
        assert decoder.feed(data[:-1]) == []
        assert decoder.feed(data[-1:]) == [event]
    assert decoder.close() == []


@each_framing
def test_the_beginning_shows_the_framing(framing: Framing) -> None:
    data = written(framing)
    assert framing.begins(data) is True
    assert framing.begins(b"") is None
    assert [one.name for one in FRAMINGS if one.begins(data)] == [framing.name]


@each_framing
def test_keep_alives_are_skipped(framing: Framing) -> None:
    data = framing.keep_alive.join(pieces(framing)) + framing.around[2]
    assert read(framing, framing.keep_alive + data) == EVENTS


@each_framing
def test_what_json_lacks_is_refused(framing: Framing) -> None:
    for value in (float("nan"), float("inf"), {1, 2}):
        with pytest.raises(StreamError) as caught:
            framing.encode({"a": {"b": value}}, CHAT)
        assert caught.value.rule == "SHP-7"


@each_framing
def test_half_a_character_is_written_as_it_was_read(framing: Framing) -> None:
    """Some servers split one over two events."""
    halves: list[Json] = [{"a": "\ud83d"}, {"a": {"b": "\ude00"}}, {"a": "\ud83d\ude00"[:1] + "x"}]
    data = b"".join(pieces(framing, halves))
    assert data.isascii() or framing.binary
    assert read(framing, data) == halves


@each_framing
def test_reading_costs_no_more_for_each_of_many(framing: Framing) -> None:
    def reading(count: int) -> Callable[[], object]:
        data = written(framing, EVENTS * count)
        return lambda: read(framing, *(data[at : at + 7] for at in range(0, len(data), 7)))

    small, large = (operations(reading(count)) for count in (50, 500))
    assert large <= 10.5 * small


def _trials(framing: Framing, count: int) -> None:
    rng = random.Random(7)
    data = written(framing)
    for _ in range(count):
        spoilt = bytearray(data)
        for _ in range(rng.choice((0, 0, 1, 1, 3))):
            at = rng.randrange(len(spoilt) or 1)
            what = rng.randrange(4)
            if what == 0:
                spoilt[at : at + 1] = bytes([rng.randrange(256)])
            elif what == 1:
                del spoilt[at : at + rng.randrange(1, 9)]
            elif what == 2:
                spoilt[at:at] = rng.randbytes(rng.randrange(1, 9))
            else:
                del spoilt[at:]
        cuts = sorted(rng.randrange(len(spoilt) + 1) for _ in range(rng.randrange(5)))
        whole = bytes(spoilt)
        chunks = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
        assert _outcome(framing, chunks) == _outcome(framing, [whole]), whole
        if whole == data:
            assert _outcome(framing, chunks) == (EVENTS, None)


def _outcome(framing: Framing, chunks: list[bytes]) -> tuple[list[Json], str | None]:
    """The events, and the error that ends them; any other exception fails the test."""
    found: list[Json] = []
    try:
        for event in framing.decode(chunks):
            found.append(event)  # noqa: PERF402 - those before the error count
    except StreamError as error:
        return found, str(error)
    return found, None


@each_framing
def test_split_and_spoilt_at_random(framing: Framing) -> None:
    _trials(framing, SHORT)


@pytest.mark.slow
@each_framing
def test_split_and_spoilt_at_random_at_length(framing: Framing) -> None:
    _trials(framing, LONG)


# --- NDJSON -----------------------------------------------------------------------------------------------------------


def test_lines() -> None:
    assert read(NDJSON, b'\xef\xbb\xbf{"a": 1}\r\n\r\n \n[2]\n"x"') == [{"a": 1}, [2], "x"]


def test_lines_of_server_sent_events_behind_those_of_json_hold_nothing() -> None:
    """Gateways append them to every stream (STR-26)."""
    data = b'{"a": 1}\ndata: [DONE]\n\n[DONE]\n: keep-alive\ndata: \n'
    assert read(NDJSON, data) == [{"a": 1}, "[DONE]", "[DONE]"]


@pytest.mark.parametrize("character", ["\u0085", "\u2028", "\u2029"])
def test_a_line_of_json_is_one_line_for_clients_that_split_text(character: str) -> None:
    """As Python's HTTP clients do, and with them Ollama's."""
    event = {"a": f"Grüße{character}👋🏽\\u2028"}
    (line,) = ndjson.encode(event).decode().splitlines()
    assert read(NDJSON, line.encode()) == [event]


def test_a_bad_line_is_named_and_those_before_it_are_given() -> None:
    decoder = ndjson.Decoder()
    assert decoder.feed(b'{"a": 1}\n\n{"b": \n{"c": 3}\n') == [{"a": 1}]
    with pytest.raises(StreamError, match="line 3 at byte 10") as caught:
        decoder.feed(b"")
    assert (caught.value.rule, caught.value.path) == ("SHP-6", "/1")


def test_a_line_without_end_is_bounded() -> None:
    decoder = ndjson.Decoder(limit=10)
    assert decoder.feed(b'{"a": 1') == []
    with pytest.raises(StreamError, match="line 1 at byte 0: more than 10 bytes") as caught:
        decoder.feed(b"2345")
    assert caught.value.rule == "STR-15"


# --- JSON arrays ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("framing", [SSE, NDJSON, AWS_EVENT_STREAM], ids=lambda framing: framing.name)
def test_a_stream_may_come_as_the_array_of_its_events(framing: Framing) -> None:
    data = b"\xef\xbb\xbf\n" + written(JSON_ARRAY)
    assert read(framing, data) == read(framing, *(data[at : at + 1] for at in range(len(data)))) == EVENTS


BAD_ARRAYS = {
    b'[{"a": 1} {"b": 2}]': 1,
    b'[{"a": 1},]': 1,
    b'[, {"a": 1}]': 0,
    b'[{"a": 1}]]': 1,
    b'[{"a": 1}] x': 1,
    b'[{"a": 1}}': 1,
    b'[{"a": }]': 0,
    b'{"a": 1}': 0,
    b'"a"': 0,
}


@pytest.mark.parametrize("data", BAD_ARRAYS)
def test_what_is_no_array_of_json_is_named_and_what_is_before_it_is_given(data: bytes) -> None:
    decoder = json_array.Decoder()
    found: list[Json] = []
    with pytest.raises(StreamError) as caught:
        for at in range(len(data)):
            found += decoder.feed(data[at : at + 1])
    assert (caught.value.rule, caught.value.path) == ("SHP-6", f"/{BAD_ARRAYS[data]}")
    assert found == [{"a": 1}] * BAD_ARRAYS[data]


@pytest.mark.parametrize("element", [b'{"a": "1234567"}', b'"1234567890"', b"12345678901"])
def test_an_element_is_bounded(element: bytes) -> None:
    decoder = json_array.Decoder(limit=10)
    assert decoder.feed(b'["a",') == ["a"]
    with pytest.raises(StreamError, match="more than 10 bytes") as caught:
        decoder.feed(element)
        decoder.feed(b"]")
    assert (caught.value.rule, caught.value.path) == ("STR-15", "/1")


def test_an_array_that_is_cut_off_gives_what_is_whole() -> None:
    assert read(JSON_ARRAY, b'[{"a": 1}, {"b"') == [{"a": 1}]
    assert read(JSON_ARRAY, b" [ ] ") == []


@pytest.mark.parametrize("data", [written(JSON_ARRAY), b'[\n\n{"a": 1}\n\n]', b" []"])
def test_an_array_is_not_read_as_server_sent_events_that_hold_nothing(data: bytes) -> None:
    for chunks in ([data], [data[:1], data[1:]]):
        with pytest.raises(StreamError, match="found a JSON array") as caught:
            list(sse.decode(chunks))
        assert (caught.value.rule, caught.value.path) == ("SHP-3", "/0")


# --- AWS event streams ------------------------------------------------------------------------------------------------


def text_header(name: str, value: str) -> bytes:
    named, text = name.encode(), value.encode()
    return bytes([len(named)]) + named + b"\x07" + struct.pack(">H", len(text)) + text


def frame(headers: bytes, payload: bytes) -> bytes:
    """As the specification of the format has it: lengths, their checksum, headers, payload, checksum."""
    lengths = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    begun = lengths + struct.pack(">I", crc32(lengths)) + headers + payload
    return begun + struct.pack(">I", crc32(begun))


def message(kind: str, name: str, payload: bytes, *more: bytes) -> bytes:
    type_header = {"event": ":event-type", "exception": ":exception-type"}[kind]
    headers = (
        text_header(type_header, name),
        text_header(":content-type", "application/json"),
        text_header(":message-type", kind),
        *more,
    )
    return frame(b"".join(headers), payload)


def test_events_and_exceptions_are_members_by_their_type() -> None:
    data = message("event", "messageStart", b'{"role":"assistant"}') + message(
        "exception", "throttlingException", b'{"message":"Too many requests"}'
    )
    assert read(AWS_EVENT_STREAM, data) == [
        {"messageStart": {"role": "assistant"}},
        {"throttlingException": {"message": "Too many requests"}},
    ]


def test_an_event_says_that_it_is_json() -> None:
    data = AWS_EVENT_STREAM.encode({"messageStop": {"stopReason": "end_turn"}}, CHAT)
    assert text_header(":content-type", "application/json") in data


def test_an_error_that_the_service_does_not_model() -> None:
    headers = (
        text_header(":message-type", "error"),
        text_header(":error-code", "InternalFailure"),
        text_header(":error-message", "Oops"),
    )
    (found,) = read(AWS_EVENT_STREAM, frame(b"".join(headers), b""))
    assert found == {"error": {"code": "InternalFailure", "message": "Oops"}}
    assert read(AWS_EVENT_STREAM, AWS_EVENT_STREAM.encode(found, CHAT)) == [found]


HEADERS: list[tuple[bytes, Json]] = [
    (b"\x00", True),
    (b"\x01", False),
    (b"\x02\xff", -1),
    (b"\x03\x01\x00", 256),
    (b"\x04\x00\x00\x00\x05", 5),
    (b"\x05" + struct.pack(">q", -(2**40)), -(2**40)),
    (b"\x06\x00\x02\x00\xff", {"bytes": "AP8="}),
    (b"\x07\x00\x02hi", "hi"),
    (b"\x08" + struct.pack(">q", 1_700_000_000_000), {"timestamp": 1_700_000_000_000}),
    (b"\x09" + bytes(range(16)), {"uuid": "00010203-0405-0607-0809-0a0b0c0d0e0f"}),
]


@pytest.mark.parametrize(("data", "value"), HEADERS, ids=lambda one: repr(one)[:20])
def test_all_types_of_headers(data: bytes, value: Json) -> None:
    (found,) = read(AWS_EVENT_STREAM, message("event", "x", b"{}", b"\x01n" + data))
    assert found == {"x": {}, ":headers": {"n": value}}
    assert read(AWS_EVENT_STREAM, AWS_EVENT_STREAM.encode(found, CHAT)) == [found]


def test_a_wrong_checksum_names_the_place_and_both_values() -> None:
    first, second = (message("event", "x", b"{}") for _ in range(2))
    for at, of in ((3, "the lengths"), (9, "the lengths"), (40, "the frame"), (len(second) - 1, "the frame")):
        spoilt = bytearray(second)
        spoilt[at] ^= 1
        with pytest.raises(StreamError, match=f"the frame at byte {len(first)} is corrupt: for {of}") as caught:
            read(AWS_EVENT_STREAM, first + bytes(spoilt))
        assert (caught.value.rule, caught.value.path) == ("SHP-3", "/1")
        assert str(caught.value).count("0x") == 2


def test_a_frame_that_is_cut_off() -> None:
    data = message("event", "x", b"{}")
    with pytest.raises(StreamError, match=f"at byte 0 is cut off after 20 of {len(data)} bytes") as caught:
        read(AWS_EVENT_STREAM, data[:20])
    assert caught.value.rule == "STR-2"


@pytest.mark.parametrize(("total", "headers"), [(2**31, 10), (30 * 1024 * 1024, 10), (200_000, 150_000)])
def test_an_announced_length_beyond_the_limits_is_refused_at_once(total: int, headers: int) -> None:
    lengths = struct.pack(">II", total, headers)
    with pytest.raises(StreamError, match="the frame at byte 0 has") as caught:
        aws_event_stream.Decoder().feed(lengths + struct.pack(">I", crc32(lengths)))
    assert caught.value.rule == "STR-15"


def test_lengths_that_cannot_be() -> None:
    lengths = struct.pack(">II", 20, 10)
    with pytest.raises(StreamError, match="has 20 bytes, of which 10 would be headers"):
        aws_event_stream.Decoder().feed(lengths + struct.pack(">I", crc32(lengths)))


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"a": 1, "b": 2},
        [],
        "[DONE]",
        {"a": {}, ":headers": {"n": 1.5}},
        {"a": {}, ":headers": {"n" * 300: "x"}},
        {"a": {}, ":headers": {":event-type": "b"}},
        {"a": {}, ":headers": {"n": {"uuid": "no"}}},
        {"a": 1, ":headers": {":content-type": "text/plain"}},
        {"error": "x"},
    ],
    ids=repr,
)
def test_what_is_no_event_is_refused(event: Json) -> None:
    with pytest.raises(StreamError):
        AWS_EVENT_STREAM.encode(event, CHAT)


def test_amazons_reader_reads_what_is_written() -> None:
    eventstream = pytest.importorskip("botocore.eventstream", reason="Amazon's SDK is not installed")
    buffer = eventstream.EventStreamBuffer()
    events: list[Json] = [*EVENTS, {"throttlingException": {"message": "Slow down"}}]
    events += [{"x": {}, ":headers": {"n": value}} for _, value in HEADERS]
    for event in events:
        buffer.add_data(AWS_EVENT_STREAM.encode(event, CHAT))
    found = [one.to_response_dict() for one in buffer]
    assert [one["status_code"] for one in found] == [200] * 4 + [400] + [200] * len(HEADERS)
    kinds = [one["headers"].get(":event-type", one["headers"].get(":exception-type")) for one in found]
    assert kinds == [next(iter(event)) for event in events]
    assert found[1]["body"] == '{"delta":{"text":"größte — ✓"},"contentBlockIndex":0}'.encode()


def _random_frame(rng: random.Random) -> bytes:
    """A message of any headers and payload; of one in three some bytes are wrong, and its checksums right."""
    headers = [
        text_header(":message-type", rng.choice(("event", "event", "exception"))),
        text_header(rng.choice((":event-type", ":exception-type")), rng.choice(("contentBlockDelta", "xException"))),
        *((text_header(":content-type", "application/json"),) if rng.random() < 0.8 else ()),
        *(bytes([1, 97 + at]) + rng.choice(HEADERS)[0] for at in range(rng.randrange(4))),
    ]
    rng.shuffle(headers)
    inside = b"".join(headers)
    payload = rng.choice((b"", b"{}", b'{"delta":{"text":"\xc3\xb6"}}', b"[1]", b"null", b"{", b"\xff"))
    if rng.random() < 0.3:
        spoilt = bytearray(inside + payload)
        for _ in range(rng.randrange(1, 4)):
            spoilt[rng.randrange(len(spoilt))] = rng.randrange(256)
        inside, payload = bytes(spoilt[: len(inside)]), bytes(spoilt[len(inside) :])
    return frame(inside, payload)


def _amazons(data: bytes) -> tuple[dict[str, Any], bytes] | None:
    """What Amazon's reader makes of a frame; None where it fails."""
    eventstream = pytest.importorskip("botocore.eventstream", reason="Amazon's SDK is not installed")
    buffer = eventstream.EventStreamBuffer()
    buffer.add_data(data)
    try:
        found: list[Any] = [*buffer]
    except Exception:  # of many kinds
        return None
    return found[0].headers, found[0].payload


def _against_amazons(count: int) -> tuple[int, int]:
    """How many frames both read alike, and how many this library refuses, which a StreamError names."""
    rng = random.Random(11)
    alike = refused = 0
    for _ in range(count):
        data = _random_frame(rng)
        events, error = _outcome(AWS_EVENT_STREAM, [data])
        theirs = _amazons(data)
        if error is not None:
            assert "the frame at byte 0 is malformed: " in error
            refused += 1
            continue
        assert theirs is not None, data
        headers, payload = theirs
        ((name, found), *_) = events[0].items()
        assert name in (headers.get(":event-type"), headers.get(":exception-type"), "error")
        if "json" in headers.get(":content-type", "json") and name != "error":
            assert found == (json.loads(payload) if payload else {})
        alike += 1
    return alike, refused


def test_what_amazons_reader_reads_is_read_alike() -> None:
    """Whatever the headers are; what only this library refuses has no type or a payload that is no JSON."""
    alike, refused = _against_amazons(SHORT)
    assert alike > SHORT // 5 and refused > SHORT // 10


@pytest.mark.slow
def test_what_amazons_reader_reads_is_read_alike_at_length() -> None:
    alike, refused = _against_amazons(LONG)
    assert alike > LONG // 5 and refused > LONG // 10


def test_what_amazons_writer_writes_is_read() -> None:
    """That of its newer SDK, which has one: `smithy-aws-event-stream`."""
    smithy = pytest.importorskip("smithy_aws_event_stream.events", reason="Amazon's newer SDK is not installed")
    rng = random.Random(5)
    of: dict[str, Callable[[], Any]] = {
        "a": lambda: rng.random() < 0.5,
        "b": lambda: smithy.Byte(rng.randrange(-128, 128)),
        "c": lambda: smithy.Short(rng.randrange(-(2**15), 2**15)),
        "d": lambda: rng.randrange(-(2**31), 2**31),
        "e": lambda: smithy.Long(rng.randrange(-(2**63), 2**63)),
        "f": lambda: rng.randbytes(rng.randrange(5)),
        "g": lambda: "größte — ✓"[: rng.randrange(9)],
        "h": lambda: UUID(bytes=rng.randbytes(16)),
    }
    shown: dict[type, Callable[[Any], Json]] = {
        bytes: lambda value: {"bytes": b64encode(value).decode()},
        UUID: lambda value: {"uuid": str(value)},
    }
    wanted: list[Json] = []
    data = b""
    for _ in range(SHORT):
        headers = {name: make() for name, make in of.items() if rng.random() < 0.3}
        payload = {"n": rng.randrange(99), "text": "ö" * rng.randrange(9)}
        about = {":message-type": "event", ":event-type": "contentBlockDelta", ":content-type": "application/json"}
        data += smithy.EventMessage(headers={**about, **headers}, payload=json.dumps(payload).encode()).encode()
        others = {name: shown[type(value)](value) if type(value) in shown else value for name, value in headers.items()}
        wanted.append({"contentBlockDelta": payload, **({":headers": others} if others else {})})
    assert read(AWS_EVENT_STREAM, data) == wanted


@pytest.mark.parametrize("flipped", range(0, 60, 7))
def test_what_amazons_reader_finds_corrupt_is_corrupt(flipped: int) -> None:
    data = bytearray(message("event", "contentBlockDelta", b'{"delta":{"text":"Hi"}}'))
    assert _amazons(bytes(data)) is not None
    data[flipped] ^= 1
    assert _amazons(bytes(data)) is None
    assert _outcome(AWS_EVENT_STREAM, [bytes(data)])[1] is not None


def test_memory_is_that_of_one_event() -> None:
    for framing in FRAMINGS:
        first, data = pieces(framing, [{"a": {"b": "x" * 1000}}] * 2)
        decoder = framing.decoder()
        decoder.feed(first)

        def run(decoder: Any = decoder, data: bytes = data) -> None:
            for _ in range(2000):
                decoder.feed(data)

        assert peak(run) < 200_000


def test_heads_that_are_remembered_are_few() -> None:
    """Names of events are those of a protocol, but whoever encodes may have any number of others."""
    for number in range(3 * aws_event_stream.MOST_HEADS):
        AWS_EVENT_STREAM.encode({f"event{number}": {}}, "bedrock_converse")
    assert len(aws_event_stream.HEADS) <= aws_event_stream.MOST_HEADS


@pytest.mark.parametrize("limit", ["MOST_HEADERS", "MOST_PAYLOAD"])
def test_a_frame_that_would_be_too_long_is_refused(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aws_event_stream, limit, 20)
    with pytest.raises(StreamError) as caught:
        AWS_EVENT_STREAM.encode(EVENTS[1], "bedrock_converse")
    assert caught.value.rule == "STR-15"
