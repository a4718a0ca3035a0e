"""The official clients, fed with converted bytes: what they put together is the response converted as a whole (STR-11).

They talk to a transport inside this process; nothing is sent anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.testing.streams import folded

from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses.reading import ENDS
from ..samples.sample import Events, Json
from ..streams.test_bytes import encoded
from .shared import ANTHROPIC, CHAT, GEMINI, RESPONSES, Tools, has_paragraphs, pairs, some

HELLO: Any = [chat.user("Hi")]
SOME = 30
SHORT = 120


def transport_of(response: Callable[[Any], Any]) -> Any:
    """The HTTP client of an official one whose requests all get this response."""
    httpx = pytest.importorskip("httpx2")

    def respond(request: Any) -> Any:
        return httpx.Response(200, request=request, **response(request))

    return httpx.Client(transport=httpx.MockTransport(respond))


def client(package: str, name: str, response: Callable[[Any], Any]) -> Any:
    transport = transport_of(response)
    make = getattr(pytest.importorskip(package), name)
    return make(api_key="none", base_url="http://none.invalid", http_client=transport, max_retries=0)


def of_stream(package: str, name: str, data: bytes) -> Any:
    """A client that gets these bytes, in pieces that end anywhere."""
    headers = {"content-type": "text/event-stream"}
    pieces = [data[at : at + 100] for at in range(0, len(data), 100)]
    return client(package, name, lambda request: {"headers": headers, "content": iter(pieces)})


def by_openai(data: bytes) -> Json:
    with of_stream("openai", "OpenAI", data).chat.completions.stream(model="m", messages=HELLO) as stream:
        stream.until_done()
        made: Json = stream.current_completion_snapshot.to_dict(mode="json")
    return made


def by_anthropic(data: bytes) -> Json:
    with of_stream("anthropic", "Anthropic", data).messages.stream(model="m", max_tokens=1, messages=HELLO) as stream:
        made: Json = stream.get_final_message().to_dict(mode="json")
    return made


def by_openai_responses(data: bytes) -> Json:
    with of_stream("openai", "OpenAI", data).responses.stream(model="m", input="Hi") as stream:
        last = [event for event in stream if event.type in ENDS][-1]
    made: Json = last.response.to_dict(mode="json")
    return made


def google(response: Callable[[Any], Any]) -> Any:
    http = {"httpx_client": transport_of(response), "base_url": "http://none.invalid"}
    return pytest.importorskip("google.genai").Client(api_key="none", http_options=http).models


def plain(response: Any) -> Json:
    """A response of Google's client as it stood on the wire."""
    hidden = {"sdk_http_response", "automatic_function_calling_history", "parsed"}
    made: Json = response.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=hidden)
    return made


def by_google(data: bytes) -> Json:
    """Its chunks, put together as its users do: it does not do so itself."""
    headers = {"content-type": "text/event-stream"}
    by = google(lambda request: {"headers": headers, "content": data})
    chunks = [plain(chunk) for chunk in by.generate_content_stream(model="m", contents="Hi")]
    made: Json = proxai_ir.raise_to(folded(chunks, GEMINI), GEMINI)
    return made


CLIENTS = {CHAT: by_openai, ANTHROPIC: by_anthropic, RESPONSES: by_openai_responses, GEMINI: by_google}
PAIRS = pairs(CLIENTS)


def assert_read_alike(tools: Tools, name: str, events: Events, src: str, dst: str) -> bool:
    """Whether there was anything to compare; that it is the same."""
    try:
        out = proxai_ir.convert(events, src, dst, kind="stream")
    except TranslationError:
        return False
    if tools.is_off(src, name):
        return False
    response: Any = tools.accumulated(src, events)
    whole = proxai_ir.convert(response, src, dst, kind="response")
    read = CLIENTS[dst](encoded(out, dst))
    streamed, at_once = (tools.core_of(src, dst, one) for one in (read, whole))
    if dst == GEMINI and has_paragraphs(src, response):  # which only streams have to show
        for candidate in (*streamed["candidates"], *at_once["candidates"]):
            candidate["text"] = candidate["text"].replace("\n\n", "")
    assert streamed == at_once, name
    return True


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_recordings(tools: Tools, src: str, dst: str) -> None:
    short = [(name, events) for name, events in tools.streams(src).items() if len(events) <= SHORT]
    compared = [assert_read_alike(tools, name, events, src, dst) for name, events in some(short, SOME)]
    assert sum(compared) > len(compared) // 2


@pytest.mark.slow
@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_every_recording(tools: Tools, src: str, dst: str) -> None:
    compared = [assert_read_alike(tools, name, events, src, dst) for name, events in tools.streams(src).items()]
    assert sum(compared) > len(compared) // 2


# --- whole responses --------------------------------------------------------------------------------------------------


def read_whole(payload: Json, protocol: str) -> Json:
    """What the official client makes of a response's body."""

    def response(request: Any) -> Json:
        return {"json": payload}

    made: Any
    if protocol == GEMINI:
        return plain(google(response).generate_content(model="m", contents="Hi"))
    if protocol == ANTHROPIC:
        by = client("anthropic", "Anthropic", response)
        made = by.beta.messages.create(model="m", max_tokens=1, messages=HELLO)
    elif protocol == CHAT:
        made = client("openai", "OpenAI", response).chat.completions.create(model="m", messages=HELLO)
    else:
        made = client("openai", "OpenAI", response).responses.create(model="m", input="Hi")
    read: Json = made.to_dict(mode="json")
    return read


def converted(tools: Tools, src: str, dst: str) -> list[Json]:
    """Every recorded response that converts to one, as that."""
    found: list[Json] = []
    for record in tools.records(src, "response"):
        try:
            made = proxai_ir.compile(record.payload, src, dst, kind="response")
        except TranslationError:
            continue
        if made.kind == "response":
            found.append(made.output)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_whole_responses_are_read_as_they_are(tools: Tools, src: str, dst: str) -> None:
    made = converted(tools, src, dst)
    assert len(made) > 100
    for response in made:
        read = read_whole(response, dst)
        if dst == GEMINI:  # whose client writes times and base64 in its own way
            assert tools.core(dst, read) == tools.core(dst, response)
        else:
            assert read == response


# --- errors: a client raises, and has no response ---------------------------------------------------------------------


def cut_off(events: Events, src: str, dst: str) -> bytes:
    """All that the target's client gets of a stream that ends too early."""
    converter = proxai_ir.StreamConverter(src, dst)
    out = [one for event in events for one in converter.feed(event)]
    return encoded([*out, *converter.close(error_event=True)], dst)


def test_openai_raises_where_the_stream_was_cut_off() -> None:
    openai = pytest.importorskip("openai")
    with pytest.raises(openai.APIError, match="cut off"):
        by_openai(cut_off(anthropic.stream(anthropic.text_block("It", " is"))[:-2], ANTHROPIC, CHAT))


def test_anthropic_raises_where_the_stream_was_cut_off() -> None:
    errors = pytest.importorskip("anthropic")
    with pytest.raises(errors.APIError, match="cut off"):
        by_anthropic(cut_off(chat.stream({"content": "It"}, {"content": " is"})[:-3], CHAT, ANTHROPIC))


def test_openai_raises_the_error_of_the_source() -> None:
    openai = pytest.importorskip("openai")
    events = [
        *anthropic.stream(anthropic.text_block("It"))[:3],
        anthropic.error("overloaded_error", "Come back later."),
    ]
    with pytest.raises(openai.APIError, match=r"Come back later\."):
        by_openai(encoded(proxai_ir.convert(events, ANTHROPIC, CHAT, kind="stream"), CHAT))


def test_anthropic_raises_the_error_of_the_source() -> None:
    errors = pytest.importorskip("anthropic")
    events = [*chat.stream({"content": "It"})[:2], chat.error("rate_limit_error", "Slow down."), chat.DONE]
    with pytest.raises(errors.APIError, match=r"Slow down\."):
        by_anthropic(encoded(proxai_ir.convert(events, CHAT, ANTHROPIC, kind="stream"), ANTHROPIC))


def events_of_responses(events: Events) -> list[Any]:
    """What the official client of Responses makes of a stream of Chat Completions."""
    data = encoded(proxai_ir.convert(events, CHAT, RESPONSES, kind="stream"), RESPONSES)
    with of_stream("openai", "OpenAI", data).responses.stream(model="m", input="Hi") as stream:
        return list(stream)


def test_a_failure_reaches_the_client_as_an_error_and_as_the_response_that_failed() -> None:
    error, failed = events_of_responses([chat.chunk({"content": "Hi"}), chat.error("server_error", "Broken.")])[-2:]
    assert (error.type, error.message) == ("error", "Broken.")
    assert (failed.type, failed.response.error.message) == ("response.failed", "Broken.")
    assert failed.response.output_text == "Hi"


def test_a_refusal_reaches_the_client_in_a_complete_response() -> None:
    last = events_of_responses([chat.chunk({"refusal": "No."}), chat.chunk({}, "stop"), chat.DONE])[-1]
    assert (last.type, last.response.status) == ("response.completed", "completed")
    assert last.response.output[0].content[0].refusal == "No."
