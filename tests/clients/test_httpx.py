"""`proxai_ir.httpx`: each official client on each other provider, in one line: whole responses, streams, tools, errors,
and callers that stop; synchronous and asynchronous.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from typing import Any

import pytest

from ..waiting import soon
from .gateway import KEY
from .in_process import OTHERS, SDKS, Upstream, sdk_of
from .provider import ANTHROPIC, CHAT, GEMINI, LATER, MODEL, NO_KEY, RESPONSES, SLOWER, SUM, TEXT
from .test_google import DECLARED
from .test_official import ANTHROPIC_TOOLS, CHAT_TOOLS, HELLO, RESPONSES_TOOLS

each = pytest.mark.parametrize(("sdk", "provider"), OTHERS)
each_sdk = pytest.mark.parametrize("sdk", SDKS)
OTHER = {CHAT: ANTHROPIC, RESPONSES: GEMINI, ANTHROPIC: RESPONSES, GEMINI: CHAT}
"""A provider for tests that need one of another protocol."""
HOSTS = {
    CHAT: "api.openai.com",
    RESPONSES: "api.openai.com",
    ANTHROPIC: "api.anthropic.com",
    GEMINI: "generativelanguage.googleapis.com",
}


def asked(sdk: str, by: Any, *, history: Any = None, tools: bool = False, streamed: bool = False) -> Any:
    """What the SDK returns, or its coroutine."""
    if sdk == CHAT:
        more = {"tools": CHAT_TOOLS} if tools else {}
        return by.chat.completions.create(model="m", messages=history or HELLO, stream=streamed, **more)
    if sdk == RESPONSES:
        more = {"tools": RESPONSES_TOOLS} if tools else {}
        return by.responses.create(model="m", input=history or HELLO, stream=streamed, **more)
    if sdk == ANTHROPIC:
        more = {"tools": ANTHROPIC_TOOLS} if tools else {}
        return by.messages.create(model="m", max_tokens=99, messages=history or HELLO, stream=streamed, **more)
    method = by.models.generate_content_stream if streamed else by.models.generate_content
    return method(model="m", contents=history or "40 and 2?", config={"tools": [DECLARED]} if tools else None)


def text_of(sdk: str, made: Any) -> str:
    if sdk == CHAT:
        return str(made.choices[0].message.content)
    if sdk == RESPONSES:
        return str(made.output_text)
    return str(made.content[0].text if sdk == ANTHROPIC else made.text)


def piece_of(sdk: str, event: Any) -> str:
    """The text of one event of a stream."""
    if sdk == CHAT:
        return "".join(choice.delta.content or "" for choice in event.choices)
    if sdk == RESPONSES:
        return str(event.delta) if event.type == "response.output_text.delta" else ""
    if sdk == ANTHROPIC:
        return str(event.delta.text) if event.type == "content_block_delta" else ""
    return event.text or ""


def called(sdk: str, made: Any) -> tuple[str, Any, list[Any]]:
    """The tool's name and arguments, and what stands for call and result in the next request."""
    if sdk == CHAT:
        message = made.choices[0].message
        (call,) = message.tool_calls
        result = {"role": "tool", "tool_call_id": call.id, "content": "42"}
        return call.function.name, json.loads(call.function.arguments), [*HELLO, message, result]
    if sdk == RESPONSES:
        item = made.output[-1]
        result = {"type": "function_call_output", "call_id": item.call_id, "output": "42"}
        return item.name, json.loads(item.arguments), [*HELLO, *made.output, result]
    if sdk == ANTHROPIC:
        block = made.content[-1]
        answer = [{"type": "tool_result", "tool_use_id": block.id, "content": "42"}]
        more = [{"role": "assistant", "content": made.content}, {"role": "user", "content": answer}]
        return block.name, block.input, [*HELLO, *more]
    types = import_module("google.genai.types")
    (function,) = made.function_calls
    returned = types.Part.from_function_response(name="add", response={"output": "42"})
    returned.function_response.id = function.id
    first = types.Content(role="user", parts=[types.Part(text="40 and 2?")])
    history = [first, made.candidates[0].content, types.Content(role="user", parts=[returned])]
    return function.name, function.args, history


def raised_by(sdk: str) -> Any:
    """The base class of the SDK's exceptions about responses."""
    return {
        CHAT: lambda: pytest.importorskip("openai").APIError,
        RESPONSES: lambda: pytest.importorskip("openai").APIError,
        ANTHROPIC: lambda: pytest.importorskip("anthropic").APIError,
        GEMINI: lambda: pytest.importorskip("google.genai").errors.APIError,
    }[sdk]()


def status_of(error: Any) -> int:
    return int(getattr(error, "status_code", None) or error.code)


# --- responses --------------------------------------------------------------------------------------------------------


@each
def test_a_whole_response(sdk: str, provider: str) -> None:
    upstream = Upstream(provider, "text")
    with upstream.http() as http:
        made = asked(sdk, sdk_of(sdk, http))
    assert text_of(sdk, made) == TEXT
    assert (made.model_version if sdk == GEMINI else made.model) == "m"
    (request,) = upstream.asked
    assert (request.url.scheme, request.url.host) == ("https", HOSTS[provider])
    assert [value for value in request.headers.values() if KEY in value]
    assert not [value for value in request.headers.values() if "any" in value.split()]
    assert upstream.sent[0].get("model", MODEL) == MODEL
    assert upstream.closed == 1


@each
def test_a_stream(sdk: str, provider: str) -> None:
    upstream = Upstream(provider, "text")
    events = [*asked(sdk, sdk_of(sdk, upstream.http()), streamed=True)]
    assert "".join(piece_of(sdk, event) for event in events) == TEXT
    assert len([event for event in events if piece_of(sdk, event)]) > 1 or provider == GEMINI
    assert upstream.closed == 1


@each
def test_a_tool_loop(sdk: str, provider: str) -> None:
    """With the SDK's own objects in the history, as its users send them back."""
    upstream = Upstream(provider, "call", "text")
    by = sdk_of(sdk, upstream.http())
    name, arguments, history = called(sdk, asked(sdk, by, tools=True))
    assert (name, arguments) == ("add", SUM)
    assert text_of(sdk, asked(sdk, by, history=history, tools=True)) == TEXT
    assert "42" in json.dumps(upstream.sent[1])


@each
def test_errors_are_the_sdk_s_own(sdk: str, provider: str) -> None:
    upstream = Upstream(provider, "denied", "limited", "failure", "overflow")
    by, error = sdk_of(sdk, upstream.http()), raised_by(sdk)
    expected = [(401, NO_KEY), (429, SLOWER), (529 if sdk == ANTHROPIC else 503, LATER), (400, "prompt is too long")]
    for streamed, (status, text) in zip((False, False, True, False), expected, strict=True):
        with pytest.raises(error, match=text) as raised:
            list(asked(sdk, by, streamed=streamed))
        assert status_of(raised.value) == status
        if status == 429 and sdk != GEMINI:
            assert raised.value.response.headers["retry-after"] == "7"
    assert upstream.closed == len(expected)


@each
@pytest.mark.parametrize("word", ["broken", "midway"])
def test_a_stream_that_fails_on_its_way(sdk: str, provider: str, word: str) -> None:
    """It breaks off, or the provider ends it with an error."""
    upstream = Upstream(provider, word)
    got, failed = "", False
    try:
        for event in asked(sdk, sdk_of(sdk, upstream.http()), streamed=True):
            got += piece_of(sdk, event)
            failed = sdk == RESPONSES and event.type in ("response.failed", "error")
    except raised_by(sdk):
        failed = True
    assert failed
    assert TEXT.startswith(got)
    assert upstream.closed == 1


@each
@pytest.mark.parametrize("library", ["httpx2", "httpx"])
def test_a_caller_that_stops(sdk: str, provider: str, library: str) -> None:
    """The provider's response is closed, and what it had still to send was not read."""
    if sdk == ANTHROPIC and library == "httpx":
        pytest.skip("Anthropic's client takes none of httpx")
    upstream = Upstream(provider, "text", library=library)
    stream = asked(sdk, sdk_of(sdk, upstream.http()), streamed=True)
    next(iter(stream))
    read = upstream.read
    assert upstream.closed == 0
    assert read < upstream.pieces or provider == GEMINI  # which has one event
    stream.close()
    assert (upstream.closed, upstream.read) == (1, read)


# --- the same, asynchronous -------------------------------------------------------------------------------------------


@each
def test_asynchronous(sdk: str, provider: str) -> None:
    upstream = Upstream(provider, "text", "text", "call", "limited")
    http = upstream.async_http()
    by, error = sdk_of(sdk, http), raised_by(sdk)

    async def run() -> None:
        async with http:
            assert text_of(sdk, await asked(sdk, by)) == TEXT
            events = [event async for event in await asked(sdk, by, streamed=True)]
            assert "".join(piece_of(sdk, event) for event in events) == TEXT
            assert called(sdk, await asked(sdk, by, tools=True))[:2] == ("add", SUM)
            with pytest.raises(error, match=SLOWER) as raised:
                await asked(sdk, by)
            assert status_of(raised.value) == 429

    asyncio.run(run())
    assert upstream.closed == 4


@each
def test_an_asynchronous_caller_that_is_cancelled(sdk: str, provider: str) -> None:
    """While it waits for the next event: the provider's response is closed."""
    upstream = Upstream(provider, "text", waits=True)
    by = sdk_of(sdk, upstream.async_http())

    async def events() -> AsyncIterator[Any]:
        stream = await asked(sdk, by, streamed=True)
        async with contextlib.AsyncExitStack() as stack:
            if hasattr(stream, "__aexit__"):
                await stack.enter_async_context(stream)
            async for event in stream:
                yield event

    async def run() -> None:
        async def take() -> None:
            async for _ in events():
                pass

        task = asyncio.create_task(take())
        await soon(lambda: upstream.read == 2, task)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert upstream.closed == 1

    asyncio.run(run())


def pieces(sdk: str, stream: Iterator[Any]) -> str:
    return "".join(piece_of(sdk, event) for event in stream)


@pytest.mark.parametrize("library", ["httpx2", "httpx"])
@pytest.mark.parametrize("sdk", [CHAT, GEMINI])
def test_of_either_library(sdk: str, library: str) -> None:
    """OpenAI's and Google's clients take both, and Anthropic's `httpx2` alone; earlier ones took `httpx`."""
    upstream = Upstream(OTHER[sdk], "text", "text", library=library)
    http = upstream.http()
    assert isinstance(http, pytest.importorskip(library).Client)
    by = sdk_of(sdk, http)
    assert text_of(sdk, asked(sdk, by)) == TEXT
    assert pieces(sdk, asked(sdk, by, streamed=True)) == TEXT
    by = sdk_of(sdk, Upstream(OTHER[sdk], "text", library=library).async_http())

    async def run() -> str:
        stream = await asked(sdk, by, streamed=True)
        return "".join([piece_of(sdk, event) async for event in stream])

    assert asyncio.run(run()) == TEXT
