"""Responses over a WebSocket: turns, what it keeps, errors, limits, ends; by the official client, and by frames."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("websockets", reason='the gateway needs the extra "serve"')

import httpx
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from ..agents import server as agents
from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, TEXT
from ..waiting import until
from .support import OPERATOR, configured, listening, serving, sockets
from .test_endpoints import Kept
from .test_upgrades import ASKS, raw
from .upstreams import KEY, Upstream

Json = Any
CONVERSE = "bedrock_converse"
SAID = {"type": "response.create", "model": "m", "store": False, "input": "hi"}
LAST = ("response.completed", "response.failed", "error", "response.steer.failed")
STREAM = [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
]


@contextmanager
def opened(url: str, **more: Any) -> Iterator[Connection]:
    address = f"{url.replace('http', 'ws', 1)}/v1/responses"
    with connect(address, proxy=None, max_size=None, **more) as made:
        yield made


def send(made: Connection, event: Json, **more: Json) -> None:
    made.send(json.dumps({**event, **more}))


def received(made: Connection) -> Json:
    return json.loads(made.recv(timeout=10))


def until_last(made: Connection) -> list[Json]:
    """The events of one response, or the one that refuses it."""
    found = [received(made)]
    while found[-1]["type"] not in LAST:
        found.append(received(made))
    return found


def asked(made: Connection, **more: Json) -> list[Json]:
    send(made, SAID, **more)
    return until_last(made)


def texts(request: Json) -> list[str]:
    """The texts of a request of any protocol, in their order."""
    found: list[str] = []

    def look(value: Json) -> None:
        if isinstance(value, dict):
            found.extend(value[name] for name in ("text", "content", "input") if isinstance(value.get(name), str))
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            look(inner)

    look({name: value for name, value in request.items() if name not in ("system", "instructions")})
    return found


# --- turns ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", [CHAT, ANTHROPIC, GEMINI, RESPONSES])
def test_the_official_client(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A warm-up that asks no upstream, and two turns, of which each sends what is new alone."""
    openai = pytest.importorskip("openai")
    upstream, storage = Upstream(protocol), Kept()
    with sockets(monkeypatch, upstream, storage=storage) as url:
        client = openai.OpenAI(base_url=f"{url}/v1", api_key="any")
        with client.responses.connect() as made:
            kinds, previous = list[str](), None
            for said, generate in (("first", False), ("second", True), ("third", True)):
                made.response.create(
                    model="m",
                    store=False,
                    input=said,
                    **({"previous_response_id": previous} if previous else {}),
                    **({} if generate else {"generate": False}),
                )
                for event in made:
                    kinds.append(event.type)
                    if event.type == "response.completed":
                        previous = event.response.id
                        assert event.response.output_text == (TEXT if generate else "")
                        break
    assert kinds == [*STREAM[:2], STREAM[-1], *STREAM, *STREAM]
    assert [texts(one.body) for one in upstream.seen] == [["first", "second"], ["first", "second", TEXT, "third"]]
    assert upstream.refused == []
    assert [(one.status, one.upstream, one.error) for one in storage.records] == [
        (200, "", None),
        (200, "u0", None),
        (200, "u0", None),
    ]
    assert [found for one in storage.records for found in one.diagnostics if found["severity"] == "loss"] == []
    if protocol == RESPONSES:
        last = upstream.seen[-1].body
        assert (last["store"], last["stream"], "previous_response_id" in last) == (False, True, False)
        assert last["include"] == ["reasoning.encrypted_content"]


@pytest.mark.parametrize("protocol", [CHAT, RESPONSES])
def test_a_warm_up_without_input(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Codex has it, which knows only its tools and instructions then."""
    upstream = Upstream(protocol)
    with sockets(monkeypatch, upstream) as url, opened(url) as made:
        warm = asked(made, input=[], generate=False)[-1]["response"]
        assert (warm["status"], warm["output"], warm["usage"]["total_tokens"]) == ("completed", [], 0)
        assert asked(made, previous_response_id=warm["id"])[-1]["type"] == "response.completed"
    assert [texts(one.body) for one in upstream.seen] == [["hi"]]


def test_an_upstream_of_another_cloud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "KEY", KEY)
    with agents.serving(CONVERSE) as upstream:
        config = configured(monkeypatch, (CONVERSE, upstream.url))
        with serving(config) as (url, _), opened(url) as made:
            first = asked(made)
            second = asked(made, input="more", previous_response_id=first[-1]["response"]["id"])
    assert [one[-1]["type"] for one in (first, second)] == ["response.completed"] * 2
    assert upstream.found == []
    said = ["There are 42 apples."]
    assert [texts(one) for one in upstream.asked] == [["hi"], ["hi", *said, "more"]]


def test_what_is_stored_outlives_the_socket_and_what_is_not_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(CHAT)
    with listening(monkeypatch, upstream) as (url, server):
        with opened(url) as made:
            stored = asked(made, store=True)[-1]["response"]["id"]
            passing = asked(made, previous_response_id=stored)[-1]["response"]["id"]
            third = asked(made, previous_response_id=passing)[-1]
        assert third["type"] == "response.completed"
        assert texts(upstream.seen[-1].body) == ["hi", TEXT, "hi", TEXT, "hi"]
        gateway: Any = server.config.app
        until(lambda: not gateway.state.gateway.passing._values)
        assert httpx.get(f"{url}/v1/responses/{stored}").status_code == 200
        assert httpx.get(f"{url}/v1/responses/{passing}").status_code == 404
        with opened(url) as made:
            (missing,) = asked(made, previous_response_id=passing)
            warm = asked(made, previous_response_id=passing, generate=False)
            assert asked(made, previous_response_id=stored)[-1]["type"] == "response.completed"
    for found in (missing, *warm):
        assert (found["type"], found["status"]) == ("error", 400)
        assert {name: found["error"][name] for name in ("type", "code", "param")} == {
            "type": "invalid_request_error",
            "code": "previous_response_not_found",
            "param": "previous_response_id",
        }
        assert passing in found["error"]["message"]


def test_an_upstream_that_knows_its_own_responses(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it stores is referred to; what it does not store is sent to it."""
    upstream = Upstream(RESPONSES)
    with sockets(monkeypatch, upstream) as url, opened(url) as made:
        first = asked(made, store=True)[-1]["response"]["id"]
        second = asked(made, previous_response_id=first)[-1]["response"]["id"]
        asked(made, previous_response_id=second)
    bodies = [one.body for one in upstream.seen]
    assert [one.get("previous_response_id") for one in bodies] == [None, first, None]
    assert [one.get("store") for one in bodies] == [True, False, False]
    assert texts(bodies[2]) == ["hi", TEXT, "hi", TEXT, "hi"]


def test_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests of one lane run one after the other, those of different ones together."""
    upstream = Upstream(CHAT, "slow", "text", "slow")
    with sockets(monkeypatch, upstream) as url, opened(url) as made:
        send(made, SAID, stream_id="a")
        send(made, SAID, stream_id="a", input="after a")
        until(lambda: len(upstream.seen) == 1)
        send(made, SAID, stream_id="b")
        found = [received(made)]
        while sum(one["type"] == "response.completed" for one in found) < 3:
            found.append(received(made))
    lanes = [one["stream_id"] for one in found]
    assert {lane: lanes.count(lane) for lane in ("a", "b")} == {"a": 2 * len(STREAM), "b": len(STREAM)}
    assert [one["type"] for one in found if one["stream_id"] == "a"] == [*STREAM, *STREAM]
    begun = {lane: lanes.index(lane) for lane in ("a", "b")}
    assert max(begun.values()) < min(at for at, one in enumerate(found) if one["type"] == "response.completed")


class Counted(Upstream):
    most = 0

    async def _paced(self, word: str, chunks: list[bytes]) -> AsyncIterator[bytes]:
        self.most = max(self.most, self.running + 1)
        async for chunk in super()._paced(word, chunks):
            yield chunk


def test_the_numbers_of_lanes_and_of_responses(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Counted(CHAT, *["slow"] * 20)
    with sockets(monkeypatch, upstream) as url, opened(url) as made:
        for number in range(20):
            send(made, SAID, stream_id=f"lane.{number}")
        found = [received(made)]
        while sum(one["type"] == "response.completed" for one in found) < 20:
            found.append(received(made))
        assert upstream.most == 16
        for number in range(20, 32):
            assert asked(made, stream_id=f"lane.{number}")[-1]["type"] == "response.completed"
        (crowded,) = asked(made, stream_id="lane.32")
        assert asked(made, stream_id="lane.31")[-1]["type"] == "response.completed"
        assert asked(made)[-1]["type"] == "response.completed"
    assert (crowded["status"], crowded["stream_id"]) == (400, "lane.32")
    assert crowded["error"]["code"] == "websocket_stream_limit_reached"


# --- errors -----------------------------------------------------------------------------------------------------------

UNSERVED: list[tuple[str | bytes, int, str | None, str | None]] = [
    ("garbage", 400, None, None),
    ("", 400, None, None),
    ("[1]", 400, None, "type"),
    ('"response.create"', 400, None, "type"),
    ('{"type": ["response.create"]}', 400, None, "type"),
    ('{"type": "session.update"}', 400, None, "type"),
    (b'{"type": "response.create"}', 400, None, None),
    ('{"type": "response.create", "stream_id": ""}', 400, "invalid_stream_id", "stream_id"),
    ('{"type": "response.create", "stream_id": 7}', 400, "invalid_stream_id", "stream_id"),
    ('{"type": "response.create", "stream_id": "a b"}', 400, "invalid_stream_id", "stream_id"),
    ('{"type": "response.create", "background": true}', 400, None, "background"),
    ('{"type": "response.create", "generate": "no"}', 400, None, "generate"),
    ('{"type": "response.create", "generate": 0}', 400, None, "generate"),
    ('{"type": "response.create", "input": "hi"}', 400, None, None),
    ('{"type": "response.create", "model": 7, "generate": false}', 400, None, None),
    ('{"type": "response.create", "model": "m", "input": 7}', 400, None, "/input"),
    ('{"type": "response.create", "model": "m", "input": 7, "generate": false}', 400, None, "/input"),
    ('{"type": "response.create", "model": "m", "input": [7], "generate": false}', 400, None, "/input/0"),
]


def test_what_is_not_served_gets_an_error_and_the_socket_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(CHAT)
    with sockets(monkeypatch, upstream) as url, opened(url) as made:
        for message, status, code, param in UNSERVED:
            made.send(message)
            found = received(made)
            assert (found["type"], found.get("status")) == ("error", status), message
            error = found["error"]
            assert (error["code"], error["param"], error["type"]) == (code, param, "invalid_request_error"), message
        assert upstream.seen == []
        send(made, {"type": "response.processed", "response_id": "resp_1"})  # is not answered
        assert [one["type"] for one in asked(made)] == STREAM


def test_a_response_is_not_steered(monkeypatch: pytest.MonkeyPatch) -> None:
    with sockets(monkeypatch, Upstream(CHAT)) as url, opened(url) as made:
        send(made, {"type": "response.steer", "input": "no, wait", "previous_response_id": "resp_1"})
        found = received(made)
    assert (found["type"], found["error"]["code"]) == ("response.steer.failed", "steering_not_supported")
    assert found["steer"] == {"input": "no, wait", "previous_response_id": "resp_1"}


@pytest.mark.parametrize("protocol", [CHAT, RESPONSES])
def test_an_upstreams_error_has_its_status_and_headers(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Kept()
    with sockets(monkeypatch, Upstream(protocol, "429"), storage=storage) as url, opened(url) as made:
        (found,) = asked(made, stream_id="a")
        assert [one["type"] for one in asked(made, stream_id="a")] == STREAM
    assert (found["type"], found["status"], found["stream_id"]) == ("error", 429, "a")
    assert found["error"]["message"] == "as the script wants it"
    assert found["error"]["headers"] == found["headers"]
    assert found["headers"]["retry-after"] == "7"
    assert found["headers"]["x-proxai-exchange"] == storage.records[0].id


@pytest.mark.parametrize("protocol", [CHAT, RESPONSES])
@pytest.mark.parametrize("word", ["cut", "midway"])
def test_a_stream_that_fails_has_one_last_event(word: str, protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with sockets(monkeypatch, Upstream(protocol, word)) as url, opened(url) as made:
        found = asked(made)
        assert [one["type"] for one in asked(made)] == STREAM
    assert found[0]["type"] == "response.created"
    last = found[-1]
    assert last["type"] in ("error", "response.failed")
    assert (last if last["type"] == "error" else last["response"])["error"]["message"]


def test_a_model_that_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    routes = [{"models": ["known"], "upstream": "u0"}]
    config = configured(monkeypatch, (CHAT, "http://127.0.0.1:9"))
    config = type(config).model_validate({**config.model_dump(), "routes": routes})
    with serving(config) as (url, _), opened(url) as made:
        for generate in (True, False):
            (found,) = asked(made, generate=generate)
            assert (found["status"], found["error"]["message"]) == (404, "The model 'm' is not known here.")


# --- who, and how much ------------------------------------------------------------------------------------------------


def refused(url: str, **more: Any) -> Any:
    with pytest.raises(InvalidStatus) as found, opened(url, **more):
        pass
    return found.value.response


def test_the_limits_of_a_key_hold_for_each_request(monkeypatch: pytest.MonkeyPatch) -> None:
    access = {"limits": {"*": {"requests_per_minute": 2, "models": ["m"]}}}
    with sockets(monkeypatch, Upstream(CHAT), access=access) as url, opened(url) as made:
        first, other, over = asked(made), asked(made, model="big"), asked(made)
    assert first[-1]["type"] == "response.completed"
    assert [(one[-1]["type"], one[-1]["status"]) for one in (other, over)] == [("error", 403), ("error", 429)]
    assert 50 <= int(over[-1]["headers"]["retry-after"]) <= 60


def test_who_may_not_use_the_gateway_gets_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLIENT_KEY", "sk-of-a-client-of-ours")
    storage = Kept()
    access = {"keys_env": ["CLIENT_KEY"]}
    with sockets(monkeypatch, Upstream(CHAT), storage=storage, access=access) as url:
        for headers in ({}, {"authorization": "Bearer sk-of-somebody-else"}):
            found = refused(url, additional_headers=headers)
            assert found.status_code == 401
            assert json.loads(found.body)["error"]["type"] == "authentication_error"
        with opened(url, additional_headers={"authorization": "Bearer sk-of-a-client-of-ours"}) as made:
            assert asked(made)[-1]["type"] == "response.completed"
        counted = [
            one for one in httpx.get(f"{url}/metrics", headers=OPERATOR).text.splitlines() if 'status="401"' in one
        ]
    assert [one.rsplit(" ", 1)[1] for one in counted if one.startswith("proxai_requests_total{")] == ["2.0"]
    assert [(one.status, one.who) for one in storage.records] == [(200, "CLIENT_KEY")]


def test_without_keys_other_sites_and_other_users_get_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with sockets(monkeypatch, Upstream(CHAT)) as url:
        assert refused(url, origin="https://elsewhere.example").status_code == 403
        monkeypatch.setattr("proxai_ir.serve.upgraded.is_of_others", lambda *_: True)
        assert refused(url).status_code == 403


def test_a_message_that_is_too_long_closes_the_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    with sockets(monkeypatch, Upstream(CHAT), limits={"body": 1000}) as url, opened(url) as made:
        assert asked(made, input="a" * 800)[-1]["type"] == "response.completed"
        with pytest.raises(ConnectionClosed) as found:
            asked(made, input="a" * 1000)
    assert found.value.rcvd is not None
    assert found.value.rcvd.code == 1009


def test_the_memory_of_all_requests_bounds_those_of_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    with sockets(monkeypatch, Upstream(CHAT), limits={"memory": 1000}) as url, opened(url) as made:
        (found,) = asked(made, input="a" * 1000)
        assert found["status"] == 503
        assert asked(made)[-1]["type"] == "response.completed"


def test_no_more_requests_wait_than_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    with sockets(monkeypatch, Upstream(CHAT, "stall")) as url, opened(url) as made:
        for number in range(65):
            send(made, SAID, input=str(number))
        found = until_last(made)[-1]
        assert (found["type"], found["status"]) == ("error", 429)


def test_connections_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    with sockets(monkeypatch, Upstream(CHAT), listen={"connections": 1}) as url, opened(url) as made:
        assert refused(url).status_code == 503
        assert asked(made)[-1]["type"] == "response.completed"


def test_a_head_that_the_package_does_not_take_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    with sockets(monkeypatch, Upstream(CHAT)) as url:
        at = urlsplit(url)
        with socket.create_connection((at.hostname or "", at.port or 0), timeout=5) as made:
            made.sendall(f"GET /v1/responses HTTP/1.1\r\nhost: {at.netloc}\r\nx: {'a' * 9000}\r\n{ASKS}\r\n".encode())
            assert made.recv(65536) == b""


# --- ends -------------------------------------------------------------------------------------------------------------


def test_a_client_that_goes_away_cancels_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream, storage = Upstream(ANTHROPIC, "stall"), Kept()
    with sockets(monkeypatch, upstream, storage=storage) as url:
        with opened(url) as made:
            send(made, SAID)
            send(made, SAID)  # waits for the first, and is not begun any more
            received(made)
        until(lambda: upstream.cancelled == 1)
        until(lambda: bool(storage.records))
    assert len(upstream.seen) == 1
    assert [one.error for one in storage.records] == ["The client went away."]


def test_no_more_is_read_than_the_client_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(ANTHROPIC, "endless")
    with sockets(monkeypatch, upstream) as url:
        with opened(url, max_queue=1) as made:
            send(made, SAID)
            before = -1

            def stands_still() -> bool:  # all buffers are full: of sockets, and of the two servers
                nonlocal before
                before, last = upstream.sent, before
                time.sleep(0.2)
                return 0 < upstream.sent == before == last

            until(stands_still, 5)
            assert before < 64 << 20
            made.socket.close()
        until(lambda: upstream.running == 0, 5)


def closed_with(made: Connection) -> int:
    with pytest.raises(ConnectionClosed) as found:
        made.recv(timeout=10)
    assert found.value.rcvd is not None
    return found.value.rcvd.code


def test_a_socket_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with sockets(monkeypatch, Upstream(CHAT), timeouts={"socket": 0.2}) as url, opened(url) as made:
        found = received(made)
        assert closed_with(made) == 1000
    assert (found["type"], found["status"]) == ("error", 400)
    assert found["error"]["code"] == "websocket_connection_limit_reached"


def test_what_runs_when_the_time_is_over_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(CHAT, "slow")
    with sockets(monkeypatch, upstream, timeouts={"socket": 0.2}) as url, opened(url) as made:
        send(made, SAID)
        until(lambda: bool(upstream.seen))
        over = time.monotonic() + 0.25
        until(lambda: time.monotonic() > over)  # the time of the socket
        send(made, SAID, stream_id="late")
        found = [received(made)]
        while "response.completed" not in found[-1]["type"]:
            found.append(received(made))
        late = [one for one in found if one.get("stream_id") == "late"]
        assert received(made)["error"]["code"] == "websocket_connection_limit_reached"
        assert closed_with(made) == 1000
    assert [one["error"]["code"] for one in late] == ["websocket_connection_limit_reached"]
    assert len(upstream.seen) == 1


def test_what_runs_ends_before_a_server_does(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(CHAT, "slow")
    with listening(monkeypatch, upstream) as (url, server), opened(url) as idle, opened(url) as made:
        send(made, SAID)
        until(lambda: bool(upstream.seen))
        server.should_exit = True
        assert closed_with(idle) == 1012
        assert [one["type"] for one in until_last(made)] == STREAM
        assert closed_with(made) == 1012


def test_what_runs_too_long_when_a_server_ends_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream, storage = Upstream(CHAT, "stall"), Kept()
    settings = {"timeout_graceful_shutdown": 0.2}
    with (
        listening(monkeypatch, upstream, storage=storage, settings=settings) as (url, server),
        opened(url) as made,
    ):
        send(made, SAID)
        received(made)
        server.should_exit = True
        assert until_last(made)[-1]["type"] == "response.failed"
    assert storage.records[0].error == "The gateway was shut down."


# --- other servers ----------------------------------------------------------------------------------------------------


def test_a_server_in_which_the_gateway_is_mounted(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(monkeypatch, Upstream(CHAT), settings={"ws": "auto"}) as (url, _), opened(url) as made:
        first = asked(made)[-1]["response"]["id"]
        assert asked(made, previous_response_id=first)[-1]["type"] == "response.completed"


def test_without_the_package_a_socket_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "proxai_ir.serve.upgraded", None)
    with sockets(monkeypatch, Upstream(CHAT)) as url:
        assert raw(url, "/v1/responses", ASKS)[0] == 426
