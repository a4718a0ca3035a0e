"""Ollama's official client at the gateway, the gateway at an Ollama server, and what its types say of payloads."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from itertools import chain
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

import proxai_ir

from ..samples import Sample, others, samples
from ..samples.ollama_chat.building import TOOL, assistant, call, chunk, last, response
from ..samples.shared import PNG
from ..serve.support import configured, serving, sockets
from ..serve.upstreams import KEY, PATHS, Upstream, running
from .provider import CHAT, RESPONSES, SUM, TEXT, THOUGHT

OLLAMA = "ollama_chat"
HELLO = [{"role": "user", "content": "40 and 2?"}]
each_provider = pytest.mark.parametrize("provider", PATHS)
"""Those that respond by a script; Bedrock and Cohere have servers of their own in the tests of their clients."""


def ollama() -> Any:
    return pytest.importorskip("ollama")


# --- the client -------------------------------------------------------------------------------------------------------


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with ExitStack() as stack:
        yield lambda *upstreams, **tables: stack.enter_context(sockets(monkeypatch, *upstreams, **tables))


@each_provider
def test_a_response_and_a_stream_are_read(provider: str, host: Any) -> None:
    client = ollama().Client(host(Upstream(provider, "text", "text")))
    made = client.chat("m", HELLO)
    assert (made.message.content, made.done, made.done_reason, made.model) == (TEXT, True, "stop", "m")
    assert made.prompt_eval_count > 0 < made.eval_count
    lines = list(client.chat("m", HELLO, stream=True))
    assert "".join(line.message.content for line in lines) == TEXT
    assert [line.done for line in lines] == [False] * (len(lines) - 1) + [True]
    assert len(lines) > 2


@each_provider
def test_a_tool_loop(provider: str, host: Any) -> None:
    def add(a: int, b: int) -> int:
        """Adds two numbers.

        Args:
            a: one
            b: the other
        """
        return a + b

    upstream = Upstream(provider, "calls", "text", "call")
    client = ollama().Client(host(upstream))
    first = client.chat("m", HELLO, tools=[add])
    assert [(one.function.name, one.function.arguments["b"]) for one in first.message.tool_calls] == [
        ("add", 2),
        ("add", 1),
    ]
    results = [{"role": "tool", "tool_name": "add", "content": text} for text in ("42", "2")]
    assert client.chat("m", [*HELLO, first.message, *results], tools=[add]).message.content == TEXT
    assert upstream.refused == []
    assert "42" in str(upstream.seen[1].body)
    streamed = list(client.chat("m", HELLO, tools=[add], stream=True))
    (called,) = chain.from_iterable(line.message.tool_calls or () for line in streamed)
    assert called.function.arguments == SUM


@each_provider
def test_errors_are_raised(provider: str, host: Any) -> None:
    client = ollama().Client(host(Upstream(provider, "404", "midway")))
    with pytest.raises(ollama().ResponseError, match="as the script wants it") as raised:
        client.chat("m", HELLO)
    assert raised.value.status_code == 404
    read = []
    with pytest.raises(ollama().ResponseError):
        read.extend(client.chat("m", HELLO, stream=True))


def test_thinking_images_schema_and_models(host: Any) -> None:
    upstream = Upstream(CHAT, "thought", "json")
    client = ollama().Client(host(upstream))
    assert client.chat("m", HELLO, think="high", options={"num_predict": 99}).message.thinking == THOUGHT
    png = base64.b64decode(PNG)
    client.chat("m", [{"role": "user", "content": "What?", "images": [png]}], format={"type": "object"})
    sent, pictured = (one.body for one in upstream.seen)
    assert (sent["reasoning_effort"], sent["max_completion_tokens"], sent["stream"]) == ("high", 99, False)
    assert pictured["messages"][0]["content"][1]["image_url"]["url"] == f"data:image/png;base64,{PNG}"
    assert pictured["response_format"]["type"] == "json_schema"


def test_models_are_listed(host: Any) -> None:
    client = ollama().Client(host(Upstream(CHAT), routes=[{"models": ["*"], "upstream": "u0"}]))
    (listed,) = client.list().models
    assert (listed.model, listed.modified_at.year) == ("up-model", 2023)


# --- the server -------------------------------------------------------------------------------------------------------


class Server:
    """`/api/chat` as its documentation has it. `pieces`: the bytes of a stream, in the pieces that are sent."""

    def __init__(self, pieces: list[bytes] | None = None, whole: Any = None, status: int = 200) -> None:
        self.seen: list[Any] = []
        self._pieces, self._whole, self._status = pieces or [], whole, status
        routes = [Route("/api/chat", self._chat, methods=["POST"]), Route("/api/tags", self._tags)]
        self._app = Starlette(routes=routes)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        self.seen.append(body)
        assert request.headers["authorization"] == f"Bearer {KEY}"
        if body.get("stream", True) and self._status == 200:
            return StreamingResponse(self._lines(), media_type="application/x-ndjson")
        return JSONResponse(self._whole, self._status)

    async def _lines(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece

    async def _tags(self, _: Request) -> Response:
        details = {"format": "gguf", "family": "qwen3", "parameter_size": "8B", "quantization_level": "Q4_K_M"}
        one = {"name": "qwen3:8b", "model": "qwen3:8b", "modified_at": "2025-05-04T17:37:44.706015396-07:00"}
        return JSONResponse({"models": [{**one, "size": 5, "digest": "a2af", "details": details}]})


@pytest.fixture
def behind(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The URL of a gateway in front of such a server."""
    with ExitStack() as stack:

        def made(server: Server, **tables: Any) -> str:
            url = stack.enter_context(running(server))
            config = configured(monkeypatch, (OLLAMA, url), **tables)
            return str(stack.enter_context(serving(config))[0])

        yield made


def lines(*events: Any) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def openai(url: str) -> Any:
    return pytest.importorskip("openai").OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)


def test_the_gateway_reads_a_response(behind: Any) -> None:
    server = Server(whole=response(assistant(content=TEXT, tool_calls=[call("add", SUM)]), eval_count=3))
    client = openai(behind(server))
    tool = {"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}
    made = client.chat.completions.create(model="m", messages=HELLO, tools=[tool], max_completion_tokens=9)
    (called,) = made.choices[0].message.tool_calls
    assert (called.function.name, json.loads(called.function.arguments)) == ("add", SUM)
    assert (made.choices[0].finish_reason, made.usage.completion_tokens) == ("tool_calls", 3)
    assert server.seen[0] == {
        "model": "big",
        "messages": HELLO,
        "tools": [tool],
        "options": {"num_predict": 9},
        "stream": False,
    }


def test_the_gateway_asks_for_a_context_that_its_upstream_states(behind: Any) -> None:
    server = Server(whole=response(assistant(content=TEXT)))
    url = behind(server, settings={"settings": {"context_size": 65536}})
    openai(url).chat.completions.create(model="m", messages=HELLO)
    assert server.seen[0]["options"] == {"num_ctx": 65536}


@pytest.mark.parametrize("more", [{}, {"thinking": False}])
def test_a_request_of_its_own_keeps_its_context(more: dict[str, Any]) -> None:
    given = {"model": "m", "messages": HELLO, "options": {"num_ctx": 8192}, "think": True}
    made = proxai_ir.convert(given, OLLAMA, proxai_ir.Profile(OLLAMA, context_size=65536, **more))
    assert made["options"] == {"num_ctx": 8192}


def test_the_gateway_lists_its_models(behind: Any) -> None:
    url = behind(Server(), routes=[{"models": ["*"], "upstream": "u0"}])
    assert [(one.id, one.created) for one in openai(url).models.list()] == [("qwen3:8b", 1746405464)]


EVENTS = (chunk(1, thinking="Hm."), chunk(1, content="It is "), chunk(2, content="42."), last(3, eval_count=3))


@pytest.mark.parametrize("size", [1, 7, 64, 100_000])
def test_lines_may_be_cut_anywhere(size: int, behind: Any) -> None:
    data = lines(*EVENTS)
    server = Server([data[at : at + size] for at in range(0, len(data), size)])
    chunks = list(openai(behind(server)).chat.completions.create(model="m", messages=HELLO, stream=True))
    assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices) == TEXT
    assert [one.choices[0].finish_reason for one in chunks if one.choices][-1] == "stop"


@pytest.mark.parametrize(
    "end",
    [
        b"",
        lines(EVENTS[-1])[:40],
        b'{"error": "model runner has unexpectedly stopped"}\n',
        b"<html>\n",
    ],
    ids=["between lines", "within a line", "by an error", "by what is no JSON"],
)
def test_a_stream_that_breaks_off_is_an_error(end: bytes, behind: Any) -> None:
    text = ""
    with pytest.raises(pytest.importorskip("openai").APIError):
        for one in openai(behind(Server([lines(*EVENTS[:3]), end]))).chat.completions.create(
            model="m", messages=HELLO, stream=True
        ):
            text += one.choices[0].delta.content or ""
    assert text == TEXT


def test_an_error_keeps_its_status_and_words(behind: Any) -> None:
    url = behind(Server(whole={"error": "model 'big' not found"}, status=404))
    with pytest.raises(pytest.importorskip("openai").NotFoundError, match="model 'big' not found"):
        openai(url).chat.completions.create(model="m", messages=HELLO)


def test_its_own_client_is_passed_through(behind: Any) -> None:
    server = Server([lines(*EVENTS)])
    client = ollama().Client(behind(server))
    made = list(client.chat("m", HELLO, stream=True, keep_alive="5m", options={"num_ctx": 4096}))
    assert [line.message.thinking or line.message.content for line in made] == ["Hm.", "It is ", "42.", ""]
    assert (server.seen[0]["keep_alive"], server.seen[0]["options"]) == ("5m", {"num_ctx": 4096})


# --- its types --------------------------------------------------------------------------------------------------------


KINDS = ("request", "response", "error", "stream")


def read(kind: str, payload: Any) -> None:
    """By the types of the official package; members that it does not know are not checked."""
    types = pytest.importorskip("ollama._types")
    if kind == "request":
        types.ChatRequest.model_validate(payload)
        types.Options.model_validate(payload.get("options") or {}, strict=True)
    elif kind == "response":
        types.ChatResponse.model_validate(payload)
    elif kind == "stream":
        for event in payload:
            assert isinstance(event["error"], str) if "error" in event else types.ChatResponse.model_validate(event)
    else:
        assert types.ResponseError(json.dumps(payload)).error == payload["error"]


@pytest.mark.parametrize("sample", [one for one in samples(*KINDS) if one.protocol == OLLAMA], ids=str)
def test_the_types_read_the_samples(sample: Sample) -> None:
    if sample.kind == "request" and sample.own:
        pytest.skip("has members of a wrong value, which the server refuses")
    payload = sample.make()
    if sample.kind == "request" and isinstance((payload.get("options") or {}).get("stop"), str):
        payload["options"]["stop"] = [
            payload["options"]["stop"]
        ]  # which the server reads, and its client has no type for
    read(sample.kind, payload)


@pytest.mark.parametrize("protocol", others(OLLAMA))
def test_the_types_read_what_converts_to_it(protocol: str) -> None:
    count = 0
    for sample in (one for one in samples(*KINDS) if one.protocol == protocol):
        try:
            made = proxai_ir.compile(sample.make(), protocol, OLLAMA, kind=sample.kind, model="m")
        except proxai_ir.TranslationError:
            continue
        read(made.kind, made.output)
        count += 1
    assert count > 10


def test_tools_of_functions_are_read() -> None:
    made = proxai_ir.convert({"model": "m", "messages": HELLO, "tools": [TOOL], "stream": False}, OLLAMA, RESPONSES)
    assert made["tools"][0]["name"] == "weather"
