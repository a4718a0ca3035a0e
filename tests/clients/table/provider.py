"""The provider behind all upstreams: it judges each request as the upstream's own server does, and answers by the
scenario, in the upstream's protocol and framing."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from proxai_ir.framing import AWS_CHUNKS, AWS_EVENT_STREAM, Framing
from proxai_ir.protocol.registry import framing_of

from ...clouds import judge as of_clouds
from ...samples.cohere_v2_chat import building as cohere
from ...samples.gemini_generate_content import building as gemini
from ...samples.openai_responses.building import halves
from ...serve.upstreams import ENVELOPES
from ...servers.models import refusals as of_models
from ...servers.models.judge import structured_output
from ...sessions.answers import BUILDERS, Answer, word
from ...sessions.clients import BEDROCK, CHAT, COHERE, GEMINI, INTERACTIONS, MESSAGES, OLLAMA, RESPONSES
from ..provider import MIDWAY
from ..test_cohere import refusals as of_cohere
from .scenarios import ASKED, BROKEN, IN_STREAM, PNG, SCENARIOS, TOOLS, WANTED, Failure, Scenario, result
from .upstreams import NAMED, Upstream

Json = Any


class Lack(NamedTuple):
    """Part of what a request, or what a client is shown, should have, and a rule may have left out: "image", "schema",
    "thinking", "thought", "tools", or "all" where the gateway refuses the request."""

    what: str
    detail: str


class Provider:
    """`seen`: the bodies of the requests; `wrong`: what was wrong with them; `lacks`: what they lacked."""

    def __init__(self) -> None:
        self.seen: list[Json] = []
        self.wrong: list[str] = []
        self.lacks: list[Lack] = []
        self._scenario, self._given, self._free = SCENARIOS[0], 0, False
        self.app = Starlette(routes=[Route("/{upstream}/{rest:path}", self._respond, methods=["POST"])])

    def begin(self, scenario: Scenario, free: bool) -> None:
        """Begin a scenario. `free`: whether the client decides by itself which responses are streams."""
        self._scenario, self._given, self._free = scenario, 0, free
        self.seen, self.wrong, self.lacks = [], [], []

    async def _respond(self, request: Request) -> Response:
        upstream = NAMED[request.path_params["upstream"]]
        body = await request.json()
        self.seen.append(body)
        path = unquote(request.scope["raw_path"].decode()).removeprefix(f"/{upstream.name}")
        streamed = self._scenario.ask.streamed
        wrong = [*self._misled(upstream, path, request.headers, body)]
        wrong += refusals(upstream, body, request.headers)
        answers = self._answers(upstream)
        wrong += [f"lost: {one}" for one in lost(self._scenario, answers[: self._given], body)]
        self.lacks += lacking(upstream, self._scenario, answers[: self._given], body)
        if wrong:
            self.wrong += wrong
            return failed(upstream, Failure(400, "; ".join(wrong)))
        failure = self._scenario.failure
        if failure is not None and failure.status is not None:
            return failed(upstream, failure)
        answer = answers[min(self._given, len(answers) - 1)]
        self._given += 1
        asked_for_stream = is_stream(upstream, path, body)
        if failure is not None:
            return StreamingResponse(self._failing(upstream, answer), media_type=framing(upstream).content_type)
        made = built(upstream, answer, asked_for_stream, shown=self._scenario.ask.thinks)
        if asked_for_stream != streamed and not self._free:
            self.wrong.append(f"asked for {'a stream' if asked_for_stream else 'a whole response'}")
        if not asked_for_stream:
            return Response(json.dumps(made), media_type="application/json")
        return StreamingResponse(pieces(encoded(upstream, made)), media_type=framing(upstream).content_type)

    def _answers(self, upstream: Upstream) -> list[Answer]:
        """Return the scenario's answers as this upstream gives them: Gemini signs without showing its thoughts."""
        answers = self._scenario.answers
        if upstream.protocol == GEMINI:
            return [one._replace(thought=True) for one in answers]
        return [one if upstream.thinks else one._replace(thought=False) for one in answers]

    def _misled(self, upstream: Upstream, path: str, headers: Mapping[str, str], body: Json) -> Iterator[str]:
        if path not in upstream.paths:
            yield f"path {path} in place of {upstream.paths}"
        name, value = upstream.key
        if headers.get(name) != value:
            yield f"no key in {name}"
        if body.get("model", upstream.model) != upstream.model:
            yield f"model {body['model']}"

    async def _failing(self, upstream: Upstream, answer: Answer) -> AsyncIterator[bytes]:
        """Yield the beginning of a stream, and in its middle what the scenario ends it with."""
        for piece in encoded(upstream, begun(upstream, answer)):
            yield piece
        if self._scenario.name == IN_STREAM:
            yield midway(upstream)
        if self._scenario.name == BROKEN:
            raise ConnectionResetError  # the server closes the connection without an end of the body


def is_stream(upstream: Upstream, path: str, body: Json) -> bool:
    whole, streamed = upstream.paths
    if whole != streamed:
        return path == streamed
    return bool(body.get("stream", upstream.protocol == OLLAMA))


# --- what is asked ----------------------------------------------------------------------------------------------------


def refusals(upstream: Upstream, body: Json, headers: Mapping[str, str]) -> list[str]:
    """Return what the server, the model and the cloud refuse of a request."""
    protocol, found = upstream.protocol, list[str]()
    if upstream.judged:
        found += [f"{at} {check.message}" for at, check in of_models(protocol, upstream.judged, body)]
    cloud = (upstream.cloud or {}).get("name", "")
    plain = body
    if cloud and protocol == MESSAGES:
        betas = body.get("anthropic_beta") or [one for one in headers.get("anthropic-beta", "").split(",") if one]
        asked = {"model": upstream.model, "betas": betas, "body": body}
        found += [f"{at} {check.message}" for at, check in of_clouds.refusals(cloud, asked)]
        plain = {"model": upstream.model, **{name: one for name, one in body.items() if name not in OF_CLOUDS}}
    if upstream.server:
        name = NEWER.get(headers.get("anthropic-version", ""), upstream.server)
        found += import_module(f"tests.servers.{name}").refusals(plain, headers)
    if protocol == COHERE:
        found += of_cohere(body)
    return found


NEWER = {"2026-10-21": "anthropic_2026_10_21"}
"""The server of a version that a client of Anthropic's names."""
OF_CLOUDS = ("anthropic_version", "anthropic_beta")


def lost(scenario: Scenario, given: list[Answer], body: Json) -> Iterator[str]:
    """Yield the words of the conversation so far that a request lacks: every one of them stands once in it."""
    text = json.dumps(body)
    wanted = [ASKED]
    for one in given:
        wanted += [word("c", one.number, at) for at in range(one.calls)]
        wanted += [result(one, at) for at in range(one.calls)]
    yield from (one for one in wanted if one not in text)
    yield from (f"{one} stands twice" for one in wanted if text.count(one) > 1)


def lacking(upstream: Upstream, scenario: Scenario, given: list[Answer], body: Json) -> Iterator[Lack]:
    ask, text = scenario.ask, json.dumps(body)
    if ask.image and PNG not in text:
        yield Lack("image", "the request has no image")
    if ask.schema and SCHEMAS[upstream.protocol](body) is None:
        yield Lack("schema", "the request has no schema")
    if ask.tools and not all(f'"{one["name"]}"' in text for one in TOOLS):
        yield Lack("tools", "the request has no tools")
    if ask.thinks and upstream.thinking and not any(at(body, one) for one in upstream.thinking):
        yield Lack("thinking", "the request asks for no thinking")
    if ask.thinks and upstream.signs:
        for one in given:
            if one.seal not in text:
                yield Lack("thought", f"the signature of answer {one.number} did not come back")


def at(body: Json, path: str) -> Json:
    for name in path.split("/"):
        body = body.get(name) if isinstance(body, dict) else None
    return body


SCHEMAS: dict[str, Callable[[Json], Json]] = {
    **structured_output,
    INTERACTIONS: lambda body: (body.get("response_format") or {}).get("schema"),
    COHERE: lambda body: at(body, "response_format/json_schema"),
    OLLAMA: lambda body: body.get("format"),
}
"""By protocol: where a request has the schema of an answer."""


# --- what is answered -------------------------------------------------------------------------------------------------


def framing(upstream: Upstream) -> Framing:
    return AWS_CHUNKS if upstream.name == "invoke" else framing_of(upstream.protocol)


def built(upstream: Upstream, answer: Answer, streamed: bool, shown: bool) -> Json:
    """Return a payload, or the events of a stream. `shown`: whether Gemini shows the thoughts that it signs."""
    if upstream.protocol == COHERE and answer.thought and answer.calls:
        return thought_calls(answer, streamed)
    made = BUILDERS[upstream.protocol](answer, streamed)
    if upstream.protocol == GEMINI and not shown:
        for one in made if streamed else [made]:
            content = one["candidates"][0]["content"]
            content["parts"] = [part for part in content["parts"] if not part.get("thought")]
    return made


def thought_calls(answer: Answer, streamed: bool) -> Json:
    """Return calls as Cohere's reasoning models make them: with thinking in place of a plan."""
    ids = [(one, name, json.dumps(given)) for one, name, given in answer.called]
    if not streamed:
        called = [cohere.call(*one) for one in ids]
        return cohere.response(cohere.thinking(answer.thinks), finish="TOOL_CALL", message={"tool_calls": called})
    events = [cohere.call_events(at, one, name, *halves(given)) for at, (one, name, given) in enumerate(ids)]
    return cohere.stream(cohere.block(0, "thinking", *halves(answer.thinks)), *events, finish="TOOL_CALL")


def encoded(upstream: Upstream, events: list[Json]) -> list[bytes]:
    encode = framing(upstream).encode
    return [encode(event, upstream.protocol) for event in events]


async def pieces(events: list[bytes]) -> AsyncIterator[bytes]:
    data = b"".join(events)
    for start in range(0, len(data), 64):
        yield data[start : start + 64]


def begun(upstream: Upstream, answer: Answer) -> list[Json]:
    """Return the events of a stream up to the first half of its text."""
    first = halves(answer.said)[0]
    if upstream.protocol == GEMINI:
        return [gemini.chunk(gemini.text(first))]
    events = BUILDERS[upstream.protocol](answer, True)
    last = next(number for number, event in enumerate(events) if first in json.dumps(event))
    return list(events[: last + 1])


def midway(upstream: Upstream) -> bytes:
    """Return the event by which a stream of this upstream says that it has failed."""
    if upstream.name == "invoke":
        return AWS_EVENT_STREAM.encode({"internalServerException": {"message": WANTED}}, BEDROCK)
    event = IN_STREAMS.get(upstream.protocol) or json.loads(
        json.dumps(MIDWAY[upstream.protocol]).replace("Come back later.", WANTED)
    )
    return framing(upstream).encode(event, upstream.protocol)


IN_STREAMS: dict[str, Json] = {
    BEDROCK: {"internalServerException": {"message": WANTED}},
    COHERE: cohere.end("ERROR", error=WANTED),
    OLLAMA: {"error": WANTED},
}
BODIES: dict[str, Json] = {
    **ENVELOPES,
    BEDROCK: {"message": "{message}"},
    COHERE: {"id": "e1", "message": "{message}"},
    OLLAMA: {"error": "{message}"},
}
OVERLOADED = {MESSAGES: 529}
"""By protocol: the status of an overloaded server, where it is not 503."""
GOOGLES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
OPENAIS = {400: "invalid_request_error", 401: "invalid_request_error", 429: "requests", 503: "server_error"}
KINDS: dict[str, dict[int, str]] = {
    CHAT: OPENAIS,
    RESPONSES: OPENAIS,
    MESSAGES: {
        400: "invalid_request_error",
        401: "authentication_error",
        429: "rate_limit_error",
        529: "overloaded_error",
    },
    GEMINI: GOOGLES,
    INTERACTIONS: {400: "invalid_request", 401: "unauthenticated", 429: "resource_exhausted", 503: "unavailable"},
    BEDROCK: {
        400: "ValidationException",
        401: "UnrecognizedClientException",
        429: "ThrottlingException",
        503: "ServiceUnavailableException",
    },
}
"""By protocol and status: the server's word for an error."""


def failed(upstream: Upstream, failure: Failure) -> Response:
    """Return the error of a server, in its own words."""
    if not failure.message:
        return HTMLResponse("<html><h1>502 Bad Gateway</h1></html>", 502)
    on_aws = upstream.name == "invoke" or upstream.protocol == BEDROCK
    protocol = BEDROCK if on_aws else upstream.protocol
    status = OVERLOADED.get(protocol, 503) if failure.overload else failure.status or 500
    kind = KINDS.get(protocol, {}).get(status, "")
    text = json.dumps(BODIES[protocol]).replace("{kind}", kind).replace('"code": 0', f'"code": {status}')
    text = text.replace("{message}", json.dumps(failure.message)[1:-1])
    headers = {"x-amzn-errortype": kind} if on_aws else {}
    if status == 429:
        headers["retry-after"] = "7"
    sent = 403 if on_aws and status == 401 else status  # AWS knows no 401
    return Response(text, sent, headers, "application/json")
