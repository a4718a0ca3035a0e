"""Cohere's own client, on the gateway before providers of other protocols, and a Cohere upstream behind it.

The upstream is as the vendor's documents have it; its checks are those of the reference: members, roles, types of
content, the first message, the calls that results answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anyio
import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import proxai_ir
from proxai_ir.ir.parts import SourceCitation, Text
from proxai_ir.ir.request import Role, Turn
from proxai_ir.ir.response import Candidate, StopReason, Terminal
from proxai_ir.ir.response import Response as IrResponse
from proxai_ir.serve.access import access_of
from proxai_ir.serve.app import app
from proxai_ir.serve.config import from_mapping

from ..samples import others
from ..samples.cohere_v2_chat import building, streams
from .provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, TEXT, reply

COHERE = "cohere_v2_chat"
PROVIDERS = (CHAT, RESPONSES, ANTHROPIC, GEMINI)
KEY = "co-key"
Json = Any
Work = Callable[[Any], Any]
ADD: Json = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Adds.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
}
HELLO = [{"role": "user", "content": "40 and 2?"}]

# --- the official client ----------------------------------------------------------------------------------------------


class Provider:
    """An upstream of any protocol: it responds by a script and keeps what it got."""

    def __init__(self, protocol: str, *script: Any) -> None:
        self.protocol = protocol
        self.script = [*script]
        self.seen: list[Json] = []
        self.headers: list[Any] = []
        self._app = Starlette(routes=[Route("/{rest:path}", self._respond, methods=["GET", "POST"])])

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        if request.method == "GET":
            return JSONResponse({"models": [{"name": "command-a-03-2025", "endpoints": ["chat"]}]})
        body = await request.json()
        self.seen.append(body)
        self.headers.append(request.headers)
        word = self.script.pop(0)
        if not isinstance(word, str):
            return respond(body, word)
        streamed = body.get("stream") is True or ":stream" in request.url.path
        made = reply(self.protocol, word, streamed, len(self.seen))
        return Response(b"".join(made.chunks), made.status, {**made.headers}, made.type)


def respond(body: Json, word: Any) -> Response:
    """As a server of Cohere's: an error for what it does not take, else the script's response or events."""
    wrong = refusals(body)
    if wrong:
        return JSONResponse({"id": "e0", "message": f"invalid request: {wrong[0]}"}, 400)
    if isinstance(word, tuple):
        status, made = word
        return JSONResponse(made, status)
    if isinstance(word, list):
        data = b"".join(proxai_ir.sse.encode(event, COHERE) for event in word)
        return Response(data, media_type="text/event-stream")
    return JSONResponse(word)


MEMBERS = """
    model messages tools strict_tools documents citation_options response_format safety_mode max_tokens stop_sequences
    temperature seed frequency_penalty presence_penalty k p logprobs tool_choice thinking priority stream
""".split()
CONTENT = {
    "system": ["text"],
    "user": ["text", "image_url"],
    "assistant": ["text", "thinking"],
    "tool": ["text", "document"],
}


def refusals(body: Json) -> list[str]:
    """What a server of Cohere's refuses."""
    wrong = [f"unknown field: {name}" for name in body if name not in MEMBERS]
    wrong += [] if 0 <= body.get("temperature", 0) <= 1 else ["temperature must be between 0 and 1.0 inclusive."]
    if "response_format" in body and (body.get("documents") or body.get("tools")):
        wrong.append("response_format is not supported with RAG.")
    waiting: set[str] = set()
    for index, message in enumerate(body["messages"]):
        role, content = message["role"], message.get("content")
        if role == "system" and index and body["messages"][index - 1]["role"] != "system":
            wrong.append("system turn must be the first in the list")
        if isinstance(content, list):
            wrong += [f"type {one['type']} of {role}" for one in content if one["type"] not in CONTENT[role]]
        if content in ("", [], None) and not message.get("tool_calls"):
            wrong.append("message must not be empty in a turn")
        if role == "tool":
            wrong += [] if message["tool_call_id"] in waiting else ["no such tool call"]
            waiting.discard(message["tool_call_id"])
        elif waiting:
            wrong.append("tool calls without results")
        waiting |= {one["id"] for one in message.get("tool_calls") or ()}
    return wrong


def gateway(monkeypatch: Any, provider: Provider, **settings: Any) -> httpx.ASGITransport:
    monkeypatch.setenv("UPSTREAM_KEY", KEY)
    table = {"protocol": provider.protocol, "base_url": "http://up.invalid", "key_env": "UPSTREAM_KEY", **settings}
    config = from_mapping({"upstreams": {"up": table}, "routes": [{"models": ["*"], "upstream": "up"}]})
    made = app(config, None, access=access_of(config, "t"), transport=lambda _: httpx.ASGITransport(provider))
    return httpx.ASGITransport(made)


def talk(monkeypatch: Any, provider: Provider, work: Work) -> Any:
    """What work with the official client gives."""
    cohere = pytest.importorskip("cohere")
    transport = gateway(monkeypatch, provider)

    async def run() -> Any:
        async with httpx.AsyncClient(transport=transport) as http:
            by = cohere.AsyncClientV2(api_key="any", base_url="http://127.0.0.1", httpx_client=http, max_retries=0)
            return await work(by)

    return anyio.run(run)


each_provider = pytest.mark.parametrize("protocol", PROVIDERS)


@each_provider
def test_a_response_is_read(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = talk(monkeypatch, Provider(protocol, "text"), lambda by: by.chat(model="m", messages=HELLO))
    assert [(one.type, one.text) for one in made.message.content] == [("text", TEXT)]
    assert made.finish_reason == "COMPLETE"
    assert made.usage.tokens.input_tokens > 0
    assert made.id


@each_provider
def test_a_tool_loop(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = Provider(protocol, "call", "text")

    async def work(by: Any) -> Any:
        first = await by.chat(model="m", messages=HELLO, tools=[ADD], tool_choice="REQUIRED", strict_tools=True)
        assert first.finish_reason == "TOOL_CALL"
        (call,) = first.message.tool_calls
        assert (call.function.name, json.loads(call.function.arguments)) == ("add", {"a": 40, "b": 2})
        content = [{"type": "document", "document": {"id": "s", "data": {"text": "42"}}}]
        history = [*HELLO, first.message, {"role": "tool", "tool_call_id": call.id, "content": content}]
        return await by.chat(model="m", messages=history, tools=[ADD])

    assert talk(monkeypatch, provider, work).message.content[0].text == TEXT
    assert "42" in str(provider.seen[1]) or "NDI=" in str(provider.seen[1])


@each_provider
def test_a_stream_is_read(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(by: Any) -> Any:
        return [one async for one in by.chat_stream(model="m", messages=HELLO)]

    made = talk(monkeypatch, Provider(protocol, "text"), work)
    assert (made[0].type, made[-1].type) == ("message-start", "message-end")
    text = "".join(one.delta.message.content.text for one in made if one.type == "content-delta")
    assert (text, made[-1].delta.finish_reason) == (TEXT, "COMPLETE")
    assert made[-1].delta.usage.tokens.output_tokens > 0


@each_provider
def test_calls_of_a_stream_are_read(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(by: Any) -> Any:
        return [one async for one in by.chat_stream(model="m", messages=HELLO, tools=[ADD])]

    made = talk(monkeypatch, Provider(protocol, "calls"), work)
    starts = [one.delta.message.tool_calls for one in made if one.type == "tool-call-start"]
    assert [one.function.name for one in starts] == ["add", "add"]
    text = {0: "", 1: ""}
    for one in made:
        if one.type == "tool-call-delta":
            text[one.index] += one.delta.message.tool_calls.function.arguments
    assert [json.loads(one) for one in text.values()] == [{"a": 40, "b": 2}, {"a": 1, "b": 1}]
    assert made[-1].delta.finish_reason == "TOOL_CALL"


@each_provider
def test_thinking_is_apart_from_the_text(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    thinking = {"type": "enabled", "token_budget": 2048}
    made = talk(
        monkeypatch,
        Provider(protocol, "thought"),
        lambda by: by.chat(model="m", messages=HELLO, thinking=thinking, max_tokens=4096),
    )
    assert [one.type for one in made.message.content] == ["thinking", "text"]


FAILURES = {"denied": "UnauthorizedError", "unknown": "NotFoundError", "limited": "TooManyRequestsError"}


@each_provider
@pytest.mark.parametrize("word", FAILURES)
def test_an_error_is_the_clients_own(protocol: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cohere = pytest.importorskip("cohere")

    async def work(by: Any) -> Any:
        with pytest.raises(getattr(cohere, FAILURES[word])) as caught:
            await by.chat(model="m", messages=HELLO)
        return caught.value.body

    assert talk(monkeypatch, Provider(protocol, word), work)["message"]


@each_provider
@pytest.mark.parametrize(("word", "why"), [("broken", "cut off"), ("midway", "Come back later.")])
def test_a_stream_that_is_cut_off_fails(protocol: str, word: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The official client raises nothing, and shows the failure as the end of the message (ERR-12)."""

    async def work(by: Any) -> Any:
        return [one async for one in by.chat_stream(model="m", messages=HELLO)]

    *before, last = talk(monkeypatch, Provider(protocol, word), work)
    assert [one.type for one in (before[0], last)] == ["message-start", "message-end"]
    assert last.delta.finish_reason == "ERROR"
    assert why in last.delta.error


def test_a_citation_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a Cohere upstream, and of a page that a model behind Chat Completions cites."""
    answer = building.response(
        building.text("At 06:12."),
        message={"citations": [building.cites(3, 8, "06:12", building.OUTPUT, type="TEXT_CONTENT")]},
    )
    provider = Provider(COHERE, answer, streams.STREAMS["thinking"])

    async def work(by: Any) -> Any:
        whole = await by.chat(model="m", messages=HELLO, documents=["x"])
        return whole, [one async for one in by.chat_stream(model="m", messages=HELLO, documents=["x"])]

    whole, events = talk(monkeypatch, provider, work)
    assert [(one.start, one.end, one.sources[0].type) for one in whole.message.citations] == [(3, 8, "tool")]
    (cited,) = [one.delta.message.citations for one in events if one.type == "citation-start"]
    assert (cited.text, cited.sources[0].document["url"]) == ("06:12", "https://tides.example/emden")
    assert provider.seen[0]["documents"] == ["x"]


def test_the_models_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    cohere = pytest.importorskip("cohere")
    transport = gateway(monkeypatch, Provider(COHERE))

    async def run() -> Any:
        async with httpx.AsyncClient(transport=transport) as http:
            by = cohere.AsyncClient(api_key="any", base_url="http://127.0.0.1", httpx_client=http)
            return await by.models.list(), await by.models.get("command-a-03-2025")

    listed, one = anyio.run(run)
    assert "command-a-03-2025" in [model.name for model in listed.models]
    assert one.name == "command-a-03-2025"


# --- a Cohere upstream ------------------------------------------------------------------------------------------------

ASKED: dict[str, tuple[str, Json]] = {
    CHAT: ("/v1/chat/completions", {"model": "m", "messages": HELLO}),
    RESPONSES: ("/v1/responses", {"model": "m", "input": "40 and 2?"}),
    ANTHROPIC: ("/v1/messages", {"model": "m", "max_tokens": 99, "messages": HELLO}),
}
VERSION = {"anthropic-version": "2023-06-01"}


def ask(monkeypatch: Any, provider: Provider, client: str, **more: Any) -> httpx.Response:
    path, body = ASKED[client]

    async def run() -> httpx.Response:
        async with httpx.AsyncClient(transport=gateway(monkeypatch, provider), base_url="http://127.0.0.1") as http:
            return await http.post(path, json={**body, **more}, headers=VERSION if client == ANTHROPIC else {})

    return anyio.run(run)


each_client = pytest.mark.parametrize("client", ASKED)


@each_client
def test_it_answers_other_clients(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = Provider(COHERE, building.response(building.text(TEXT)))
    found = ask(monkeypatch, provider, client, temperature=0.5)
    assert found.status_code == 200
    assert TEXT in found.text
    assert provider.headers[0]["authorization"] == f"Bearer {KEY}"
    assert (provider.seen[0]["messages"], provider.seen[0]["temperature"]) == (HELLO, 0.5)


@each_client
def test_its_stream_is_the_clients(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ask(monkeypatch, Provider(COHERE, streams.STREAMS["calls"]), client, stream=True)
    assert "depth" in found.text
    made = proxai_ir.lower(list(proxai_ir.sse.decode([found.content])), client, kind="stream")
    assert made is not None


@each_client
@pytest.mark.parametrize(("given", "status"), [(401, 401), (498, 498), (429, 429), (404, 404), (400, 400)])
def test_its_errors_have_their_category(client: str, given: int, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ask(monkeypatch, Provider(COHERE, (given, {"id": "e1", "message": "No such thing."})), client)
    assert (found.status_code, "No such thing." in found.text) == (status, True)


FAILED = {"openai_chat_completions": "error", "openai_responses": "response.failed", "anthropic_messages": "error"}
"""What the last event of a stream that failed has, by the clients' protocols."""


@each_client
def test_its_streams_that_fail_are_failures(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for events, why in ((streams.TALK[:3], "cut off"), (streams.STREAMS["own_failed"], "out of memory")):
        found = ask(monkeypatch, Provider(COHERE, events), client, stream=True)
        last = list(proxai_ir.sse.decode([found.content]))[-1]
        assert FAILED[client] in (last.get("type"), *last)
        assert why in str(last)


def test_what_an_upstream_refuses_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instructions within the conversation, a format together with documents or tools, a high temperature."""
    messages = [
        {"role": "system", "content": "Be brief."},
        *HELLO,
        {"role": "assistant", "content": "42"},
        {"role": "system", "content": "In German."},
        {"role": "user", "content": "Again"},
    ]
    provider = Provider(COHERE, building.response(building.text("42")))
    found = ask(
        monkeypatch,
        provider,
        CHAT,
        messages=messages,
        tools=[ADD],
        response_format={"type": "json_object"},
        temperature=1.5,
    )
    assert found.status_code == 200, found.text


def test_others_do_not_list_as_cohere_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """The header of the official client shows whose list is asked for."""
    assert {name for name in others(COHERE) if name == CHAT} == {CHAT}

    async def run() -> Json:
        transport = gateway(monkeypatch, Provider(COHERE))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            return (await http.get("/v1/models")).json(), (
                await http.get("/v1/models", headers={"x-fern-sdk-name": "cohere"})
            ).json()

    plain, own = anyio.run(run)
    assert "data" in plain
    assert "models" in own


def test_a_citation_without_a_place_comes_back_as_it_was() -> None:
    cited = {"text": "Hi", "sources": [{"type": "document", "id": "d"}]}
    response = building.response({"type": "text", "text": "Hi you"}, message={"citations": [cited]})
    tree = proxai_ir.lower(response, COHERE, kind="response")
    assert proxai_ir.raise_to(tree, COHERE)["message"]["citations"] == [cited]


def test_a_citation_by_hand_needs_no_place() -> None:
    cited = SourceCitation("", {"sources": [{"type": "document", "id": "d"}]})
    turn = Turn(Role.ASSISTANT, [Text("Hi you", [cited])])
    tree = IrResponse(COHERE, "gen_1", None, [Candidate([turn], Terminal(StopReason.END, "COMPLETE"))])
    assert proxai_ir.raise_to(tree, COHERE)["message"]["citations"] == [cited.raw]
