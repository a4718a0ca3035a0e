"""Server-sent events, generated: there and back, in any pieces, and as the standard reads any lines (STR-10)."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from proxai_ir import StreamError
from proxai_ir.framing import BLANK, sse

from ..samples.openai_chat_completions.building import DONE
from ..samples.sample import Events, Strategy
from ..trials import each_count, hold
from .test_bytes import decoded, each_protocol, encoded

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(max_size=3), JSON, max_size=4)
MIXED: Strategy = st.lists(
    OBJECTS | st.just(DONE) | st.builds(lambda kind, more: {**more, "type": kind}, st.text(), OBJECTS), max_size=6
)
LINE_ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
FIELDS = st.sampled_from([b": keep-alive", b":", b"id: 7", b"id", b"retry: 10", b"event: x", b"nonsense", b"dat: 1"])


@st.composite
def written(draw: st.DrawFn, events: Events) -> bytes:
    """The events as lines, in any way that the standard allows: mixed ends, other fields, data in several lines."""
    made = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    for event in events:
        indent = draw(st.sampled_from([None, 1]))
        text = event if isinstance(event, str) else json.dumps(event, indent=indent, ensure_ascii=draw(st.booleans()))
        for line in text.encode().split(b"\n"):
            for field in draw(st.lists(FIELDS, max_size=1)):
                made += field + draw(LINE_ENDS)
            space = b" " if line.startswith(b" ") else draw(st.sampled_from([b" ", b""]))
            made += b"data:" + space + line + draw(LINE_ENDS)
        joins = made.endswith(b"\r")  # with which a line feed would be one line end
        made += draw(st.sampled_from([b"\r\n", b"\r"]) if joins else LINE_ENDS)
    return made


def cut(draw: st.DrawFn, data: bytes) -> list[bytes]:
    places = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Events, list[bytes]]:
    """Events, and their bytes in chunks, of which some may be empty."""
    events = draw(st.lists(OBJECTS | st.just(DONE), max_size=4))
    data = draw(written(events))
    return events, cut(draw, data)


@each_count
@each_protocol
def test_events_there_and_back(protocol: str, count: int) -> None:
    def law(events: Events) -> None:
        assert decoded([encoded(events, protocol)]) == events

    hold(law, MIXED, count)


@each_count
def test_events_in_any_form_in_any_pieces(count: int) -> None:
    def law(case: tuple[Events, list[bytes]]) -> None:
        events, chunks = case
        assert decoded(chunks) == events
        assert decoded([b"".join(chunks)]) == events

    hold(law, cases(), count)


# --- against the standard ---------------------------------------------------------------------------------------------

DATA_LINES = [
    b"data: 1",
    b'data: {"a":"x"}',
    b"data:[2]",
    b"data:",
    b"data",
    b"data: [3,",
    b"data: 4]",
    b"data: data: 5",
]
OTHER_LINES = [
    b"event: x",
    b"event: data: 6",
    b"7]",
    b" ",
    b"id: 8",
    b": 9",
    b":",
    b"\xef\xbb\xbfdata: 10",
    b"datax: 11",
]
LINES = st.sampled_from([b"", b"", b"data: data: 5", b"7]", *DATA_LINES, *OTHER_LINES])
WHOLE_LINES = st.tuples(LINES, st.sampled_from([b"\n"] * 4 + [b"\r\n", b"\r"]))


def by_the_standard(data: bytes) -> Events:
    """The events of whole lines as section 9.2 reads them; in place of the first that is not JSON a string.

    Blank data are none (STR-26).
    """
    found: Events = []
    event: list[bytes] = []
    for line in data.removeprefix(b"\xef\xbb\xbf").splitlines():
        name, _, value = line.partition(b":")
        if name == b"data" and line:
            event.append(value[1:] if value[:1] == b" " else value)
        elif not line and (joined := b"\n".join(event)).strip(BLANK):
            try:
                found.append(json.loads(joined))
            except ValueError:
                return [*found, "not JSON"]
        event = event if line else []
    return found


@st.composite
def any_lines(draw: st.DrawFn) -> list[bytes]:
    """Any lines in any pieces; or a piece for each event, as servers write them."""
    data = b"".join(line + end for line, end in draw(st.lists(WHOLE_LINES, max_size=20)))
    return cut(draw, data) if draw(st.booleans()) else [event + b"\n\n" for event in data.split(b"\n\n")]


@each_count
def test_any_lines_in_any_pieces(count: int) -> None:
    def law(chunks: list[bytes]) -> None:
        found: Events = []
        decoder = sse.Decoder()
        try:
            for chunk in [*chunks, b""]:
                found += decoder.feed(chunk)
        except StreamError:
            found.append("not JSON")
        assert found == by_the_standard(b"".join(chunks))

    hold(law, any_lines(), count)
