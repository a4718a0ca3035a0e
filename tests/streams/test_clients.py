"""The official clients, fed with converted bytes: what they put together is the answer converted as a whole (STR-11).

They talk to a transport inside this process; nothing is sent anywhere.
"""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.framing import sse

from ..held.shared import PAIRS, RESPONSES, Tools
from .recordings import accumulated, converted, core, off, sample, streams
from .wire import ANTHROPIC, CHAT, DONE, ENDS, Events, Object, chunks, messages, text

HELLO: Any = [{"role": "user", "content": "Hi"}]
SAMPLE = 30
SHORT = 120


def transport(data: bytes) -> Any:
    """An HTTP client that answers with these bytes, in pieces that end anywhere."""
    httpx = pytest.importorskip("httpx2")
    pieces = [data[at : at + 100] for at in range(0, len(data), 100)]
    headers = {"content-type": "text/event-stream"}

    def answer(request: Any) -> Any:
        return httpx.Response(200, headers=headers, content=iter(pieces), request=request)

    return httpx.Client(transport=httpx.MockTransport(answer))


def by_openai(data: bytes) -> Object:
    """The completion that the `openai` client has in the end."""
    openai = pytest.importorskip("openai")
    client = openai.OpenAI(api_key="none", base_url="http://none.invalid", http_client=transport(data), max_retries=0)
    with client.chat.completions.stream(model="m", messages=HELLO) as stream:
        stream.until_done()
        made: Object = stream.current_completion_snapshot.to_dict(mode="json")
    return made


def by_anthropic(data: bytes) -> Object:
    """The message that the `anthropic` client has in the end."""
    anthropic = pytest.importorskip("anthropic")
    client = anthropic.Anthropic(
        api_key="none", base_url="http://none.invalid", http_client=transport(data), max_retries=0
    )
    with client.messages.stream(model="m", max_tokens=1, messages=HELLO) as stream:
        made: Object = stream.get_final_message().to_dict(mode="json")
    return made


def by_openai_responses(data: bytes) -> Object:
    """The response that the `openai` client has in the end."""
    openai = pytest.importorskip("openai")
    client = openai.OpenAI(api_key="none", base_url="http://none.invalid", http_client=transport(data), max_retries=0)
    with client.responses.stream(model="m", input="Hi") as stream:
        last = [event for event in stream if event.type in ENDS][-1]
    made: Object = last.response.to_dict(mode="json")
    return made


CLIENTS = {CHAT: by_openai, ANTHROPIC: by_anthropic, RESPONSES: by_openai_responses}


def written(events: Events, protocol: str) -> bytes:
    return b"".join(sse.encode(event, protocol) for event in events)


def assert_read_alike(tools: Tools, name: str, events: Events, src: str, dst: str) -> bool:
    """Whether there was anything to compare; that it is the same."""
    out = converted(events, src, dst)
    if out is None or off(tools, src, name):
        return False
    answer = accumulated(tools, src, events)
    assert answer is not None
    whole = proxai_ir.convert(answer, src, dst, kind="response")
    assert core(tools, dst, CLIENTS[dst](written(out, dst))) == core(tools, dst, whole), name
    return True


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_recordings(tools: Tools, src: str, dst: str) -> None:
    short = [(name, events) for name, events in streams(tools, src).items() if len(events) <= SHORT]
    compared = [assert_read_alike(tools, name, events, src, dst) for name, events in sample(short, SAMPLE)]
    assert sum(compared) > SAMPLE // 2


@pytest.mark.slow
@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_every_recording(tools: Tools, src: str, dst: str) -> None:
    compared = [assert_read_alike(tools, name, events, src, dst) for name, events in streams(tools, src).items()]
    assert sum(compared) > len(compared) // 2


# --- whole answers ----------------------------------------------------------------------------------------------------


def read_whole(payload: Object, protocol: str) -> Object:
    """What the official client makes of an answer's body."""
    httpx = pytest.importorskip("httpx2")
    answer = httpx.MockTransport(lambda request: httpx.Response(200, json=payload, request=request))
    settings: Any = {
        "api_key": "none",
        "base_url": "http://none.invalid",
        "http_client": httpx.Client(transport=answer),
        "max_retries": 0,
    }
    made: Any
    if protocol == ANTHROPIC:
        client = pytest.importorskip("anthropic").Anthropic(**settings)
        made = client.beta.messages.create(model="m", max_tokens=1, messages=HELLO)
    elif protocol == CHAT:
        made = pytest.importorskip("openai").OpenAI(**settings).chat.completions.create(model="m", messages=HELLO)
    else:
        made = pytest.importorskip("openai").OpenAI(**settings).responses.create(model="m", input="Hi")
    read: Object = made.to_dict(mode="json")
    return read


def answers(tools: Tools, src: str, dst: str) -> list[Object]:
    """Every recorded answer that converts to one, as that."""
    found: list[Object] = []
    for record in tools.records(src, "response"):
        try:
            made = proxai_ir.compile(record.payload, src, dst, kind="response")
        except proxai_ir.TranslationError:
            continue
        if made.kind == "response":
            found.append(made.output)
    return found


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_whole_answers_are_read_as_they_are(tools: Tools, src: str, dst: str) -> None:
    made = answers(tools, src, dst)
    assert len(made) > 100
    for answer in made:
        assert read_whole(answer, dst) == answer


# --- errors: a client raises, and has no answer -----------------------------------------------------------------------


def cut_off(events: Events, src: str, dst: str) -> bytes:
    """All that the target's client gets of a stream that ends too early."""
    converter = proxai_ir.StreamConverter(src, dst)
    out = [one for event in events for one in converter.feed(event)]
    return written([*out, *converter.close(error_event=True)], dst)


def test_openai_raises_where_the_stream_was_cut_off() -> None:
    openai = pytest.importorskip("openai")
    with pytest.raises(openai.APIError, match="cut off"):
        by_openai(cut_off(messages(text("It", " is"))[:-2], ANTHROPIC, CHAT))


def test_anthropic_raises_where_the_stream_was_cut_off() -> None:
    anthropic = pytest.importorskip("anthropic")
    with pytest.raises(anthropic.APIError, match="cut off"):
        by_anthropic(cut_off(chunks({"content": "It"}, {"content": " is"})[:-3], CHAT, ANTHROPIC))


def test_openai_raises_what_the_source_says() -> None:
    openai = pytest.importorskip("openai")
    failure = {"type": "error", "error": {"type": "overloaded_error", "message": "Come back later."}}
    events = [*messages(text("It"))[:3], failure]
    with pytest.raises(openai.APIError, match=r"Come back later\."):
        by_openai(written(proxai_ir.convert(events, ANTHROPIC, CHAT, kind="stream"), CHAT))


def test_anthropic_raises_what_the_source_says() -> None:
    anthropic = pytest.importorskip("anthropic")
    failure = {"error": {"message": "Slow down.", "type": "rate_limit_error", "param": None, "code": None}}
    events = [*chunks({"content": "It"})[:2], failure, DONE]
    with pytest.raises(anthropic.APIError, match=r"Slow down\."):
        by_anthropic(written(proxai_ir.convert(events, CHAT, ANTHROPIC, kind="stream"), ANTHROPIC))
