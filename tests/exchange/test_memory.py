"""Memory: clients that send a reference in place of their history, to providers that keep nothing."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from proxai_ir import Exchange, InMemory, TranslationError
from proxai_ir.exchange import Recollection, Unavailable
from proxai_ir.exchange.memory import OfConnection, digest
from proxai_ir.protocol.registry import frontend

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, INTERACTIONS, RESPONSES
from ..samples.openai_chat_completions import building as chat

PROVIDERS = (CHAT, ANTHROPIC, GEMINI)


class Proxy:
    """A client of one protocol and a provider of Chat Completions that counts: response N has the id cN, text tN."""

    def __init__(self, memory: Any, client: str = RESPONSES, owner: str = "", through_json: bool = True) -> None:
        self.memory, self.client, self.owner, self.through_json = memory, client, owner, through_json
        self.count = 0
        self.sent: list[Any] = []
        self.names: list[str] = []

    def ask(self, content: Any, *, streamed: bool = False, message: Any = None, **more: Any) -> Any:
        """The client's response; raises TranslationError as `request` does."""
        request = {"model": "m", "input": content, **more}
        if self.client == ANTHROPIC:
            request = {"model": "m", "max_tokens": 9, "messages": content, **more}
        request |= {"stream": True} if streamed else {}
        exchange = Exchange(self.client, CHAT, memory=self.memory, owner=self.owner)
        sent = json.loads(exchange.request(json.dumps(request).encode()).body)
        self.sent.append([(one["role"], texts(one.get("content"))) for one in sent["messages"]])
        if self.through_json:
            state = json.loads(json.dumps(exchange.state))
            exchange = Exchange(self.client, CHAT, memory=self.memory, owner=self.owner, state=state)
        self.count += 1
        name = self.names.pop(0) if self.names else f"c{self.count}"
        said: Any = message or {"content": f"t{self.count}"}
        if streamed:
            stream = exchange.stream(200, {})
            for event in (
                chat.chunk({"role": "assistant", **said}, id=name),
                chat.chunk({}, "stop", id=name),
                "[DONE]",
            ):
                stream.feed(f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode())
            stream.end()
            return stream.response
        whole = {**chat.response("tool_calls" if "tool_calls" in said else "stop", **said), "id": name}
        return json.loads(exchange.response(200, {}, json.dumps(whole).encode()).body)


def texts(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())


def refused(proxy: Proxy, content: Any, **more: Any) -> tuple[int, Any]:
    """Status and error of a request that refers to what is not kept."""
    exchange = Exchange(proxy.client, CHAT, memory=proxy.memory, owner=proxy.owner)
    request = {"model": "m", "input": content, **more}
    if proxy.client == ANTHROPIC:
        request = {"model": "m", "max_tokens": 9, "messages": content, **more}
    with pytest.raises(TranslationError) as caught:
        exchange.request(json.dumps(request).encode())
    reply = exchange.refusal(caught.value)
    assert [one.code for one in reply.diagnostics] == [one.code for one in caught.value.diagnostics]
    return reply.status, json.loads(reply.body)["error"]


# --- Responses: previous_response_id ----------------------------------------------------------------------------------


@pytest.mark.parametrize("streamed", [False, True])
def test_a_chain_of_three(streamed: bool) -> None:
    proxy = Proxy(InMemory())
    first = proxy.ask("a", streamed=streamed)
    second = proxy.ask("b", streamed=streamed, previous_response_id=first["id"])
    proxy.ask("c", streamed=streamed, previous_response_id=second["id"])
    assert proxy.sent[2] == [("user", "a"), ("assistant", "t1"), ("user", "b"), ("assistant", "t2"), ("user", "c")]


def test_a_chain_branches() -> None:
    proxy = Proxy(InMemory())
    first = proxy.ask("a")
    proxy.ask("b", previous_response_id=first["id"])
    proxy.ask("c", previous_response_id=first["id"])
    assert proxy.sent[2] == [("user", "a"), ("assistant", "t1"), ("user", "c")]


def test_instructions_are_those_of_each_request() -> None:
    proxy = Proxy(InMemory())
    first = proxy.ask("a", instructions="Be brief.")
    proxy.ask("b", previous_response_id=first["id"])
    assert proxy.sent[1] == [("user", "a"), ("assistant", "t1"), ("user", "b")]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_call_and_its_result(provider: str) -> None:
    """The client sends the result alone; the call comes from memory."""
    memory = InMemory()
    proxy = Proxy(memory)
    called = proxy.ask("40 and 2?", message={"content": None, "tool_calls": [chat.call("add", '{"a": 40}', "call_9")]})
    exchange = Exchange(RESPONSES, provider, memory=memory)
    result = [{"type": "function_call_output", "call_id": "call_9", "output": "42"}]
    sent = exchange.request({"model": "m", "input": result, "previous_response_id": called["id"]})
    assert b"40 and 2?" in sent.body
    assert b"add" in sent.body
    assert b"42" in sent.body


def test_what_is_not_stored_is_not_kept() -> None:
    proxy = Proxy(InMemory())
    first = proxy.ask("a", store=False)
    assert refused(proxy, "b", previous_response_id=first["id"])[0] == 400


def test_what_is_not_stored_is_kept_for_a_connection() -> None:
    """In its own memory alone; what it continues may be in either."""
    lasting, passing = InMemory(), InMemory()
    proxy = Proxy(OfConnection(lasting, passing))
    first = proxy.ask("a")
    second = proxy.ask("b", store=False, previous_response_id=first["id"])
    proxy.ask("c", store=False, previous_response_id=second["id"])
    assert [text for _, text in proxy.sent[2]] == ["a", "t1", "b", "t2", "c"]
    elsewhere = Proxy(OfConnection(lasting, InMemory()))
    assert refused(elsewhere, "c", previous_response_id=second["id"])[0] == 400
    elsewhere.ask("d", previous_response_id=first["id"])
    assert [text for _, text in elsewhere.sent[0]] == ["a", "t1", "d"]


def test_a_reference_to_nothing_said_yet_is_resolved() -> None:
    proxy = Proxy(InMemory())
    Recollection(frontend(RESPONSES).memory, proxy.memory).begin("conv_1")  # type: ignore[arg-type]
    proxy.ask("a", conversation="conv_1", store=False)
    assert proxy.sent == [[("user", "a")]]


@pytest.mark.parametrize("client", [RESPONSES, INTERACTIONS])
def test_a_provider_of_the_same_protocol_stores_no_more_than_the_client_wants(client: str) -> None:
    """The history that replaces an unknown reference is sent without asking the provider to store it."""
    refers = frontend(client).memory
    assert refers is not None
    memory = Recollection(refers, InMemory())
    memory.keep({"id": "r1"}, {"previous": None, "conversation": None, "items": []})
    name = "previous_response_id" if client == RESPONSES else "previous_interaction_id"
    for stored in ({"store": False}, {"store": True}, {}):
        request, _ = memory.recall({"input": "a", name: "r1", **stored}, native=True)
        assert (name in request, request.get("store", True)) == (False, stored.get("store", True))


NOT_FOUND = {
    "message": "Previous response with id 'resp_0' not found.",
    "type": "invalid_request_error",
    "param": "previous_response_id",
    "code": "previous_response_not_found",
}


@pytest.mark.parametrize("memory", [InMemory(), None])
def test_an_unknown_response_is_openai_s_own_error(memory: Any) -> None:
    assert refused(Proxy(memory), "b", previous_response_id="resp_0") == (400, NOT_FOUND)


def test_owners_are_apart() -> None:
    memory = InMemory()
    mine = Proxy(memory, owner="a").ask("secret")
    assert refused(Proxy(memory, owner="b"), "b", previous_response_id=mine["id"])[0] == 400
    assert refused(Proxy(memory), "b", previous_response_id=mine["id"])[0] == 400
    assert refused(Proxy(memory), "b", previous_response_id=f"a/{mine['id']}")[0] == 400
    tricky = Proxy(memory, owner="a/response")
    tricky.ask("also secret")
    assert refused(Proxy(memory, owner="a"), "b", previous_response_id="response/c1")[0] == 400
    Proxy(memory, owner="a").ask("b", previous_response_id=mine["id"])


def test_memory_expires() -> None:
    now = [0.0]
    memory = InMemory(clock=lambda: now[0])
    proxy = Proxy(memory)
    first = proxy.ask("a")
    now[0] = 29 * 24 * 3600.0
    proxy.ask("b", previous_response_id=first["id"])
    now[0] = 31 * 24 * 3600.0
    assert refused(proxy, "c", previous_response_id=first["id"])[0] == 400


def test_an_id_that_was_given_twice_means_neither() -> None:
    """A conversation must never go on in another one."""
    proxy = Proxy(InMemory())
    proxy.names = ["same", "same"]
    proxy.ask("mine")
    proxy.ask("yours")
    assert refused(proxy, "go on", previous_response_id="same")[0] == 400
    assert Recollection(frontend(RESPONSES).memory, proxy.memory).response("same") is None  # type: ignore[arg-type]


def test_a_response_that_continues_itself() -> None:
    proxy = Proxy(InMemory())
    proxy.names = ["c1", "c1"]
    proxy.ask("a")
    proxy.ask("b", previous_response_id="c1")
    assert refused(proxy, "c", previous_response_id="c1")[0] == 400


def test_a_response_without_an_id_is_not_kept() -> None:
    memory = InMemory()
    Recollection(frontend(RESPONSES).memory, memory).keep({"output": []}, {"previous": None, "items": []})  # type: ignore[arg-type]
    assert memory._values == {}


def test_what_failed_or_broke_off_is_not_kept() -> None:
    memory = InMemory()
    exchange = Exchange(RESPONSES, CHAT, memory=memory)
    exchange.request({"model": "m", "input": "a"})
    exchange.response(500, {}, b"{}")
    exchange.response(200, {}, b"{}")
    stream = exchange.stream(200, {})
    stream.feed(b"data: " + json.dumps(chat.chunk({"content": "Hi"})).encode() + b"\n\n")
    assert b"response.failed" in stream.end()
    assert memory._values == {}


def test_from_a_protocol_to_itself_the_provider_remembers() -> None:
    exchange = Exchange(RESPONSES, RESPONSES, memory=InMemory())
    request = {"model": "m", "input": "b", "previous_response_id": "resp_1", "store": True}
    assert json.loads(exchange.request(request).body) == request


# --- Responses: items and conversations -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [{"type": "item_reference"}, {}])
@pytest.mark.parametrize("streamed", [False, True])
def test_an_item_by_its_id(streamed: bool, kind: dict[str, str]) -> None:
    """As the Vercel AI SDK refers to them."""
    proxy = Proxy(InMemory())
    first = proxy.ask("a", streamed=streamed)
    (item,) = first["output"]
    proxy.ask([{"role": "user", "content": "a"}, {**kind, "id": item["id"]}, {"role": "user", "content": "b"}])
    assert proxy.sent[1] == [("user", "a"), ("assistant", "t1"), ("user", "b")]


def test_an_unknown_item_is_openai_s_own_error() -> None:
    proxy = Proxy(InMemory())
    assert refused(proxy, [{"type": "item_reference", "id": "msg_0"}, {"role": "user", "content": "b"}]) == (
        404,
        {"message": "Item with id 'msg_0' not found.", "type": "invalid_request_error", "param": "input", "code": None},
    )


def test_an_item_whose_id_was_given_twice_means_neither() -> None:
    memory = InMemory()
    recollection = Recollection(frontend(RESPONSES).memory, memory)  # type: ignore[arg-type]
    kept: Any = {"previous": None, "conversation": None, "items": []}
    for name in ("r1", "r2"):
        recollection.keep({"id": name, "output": [{"type": "message", "id": "msg_1", "role": "assistant"}]}, kept)
    reference = {"type": "item_reference", "id": "msg_1"}
    assert recollection.recall({"input": [reference], "store": False})[0]["input"] == [reference]


def test_a_conversation_goes_on() -> None:
    proxy = Proxy(InMemory())
    Recollection(frontend(RESPONSES).memory, proxy.memory).begin("conv_1")  # type: ignore[arg-type]
    proxy.ask("a", conversation="conv_1")
    proxy.ask("b", conversation={"id": "conv_1"})
    proxy.ask("c", conversation="conv_1")
    assert [text for _, text in proxy.sent[2]] == ["a", "t1", "b", "t2", "c"]


def test_an_unknown_conversation_is_openai_s_own_error() -> None:
    status, error = refused(Proxy(InMemory()), "a", conversation="conv_0")
    assert (status, error["message"]) == (404, "Conversation with id 'conv_0' not found.")


def test_a_response_can_be_read_and_forgotten() -> None:
    proxy = Proxy(InMemory())
    first = proxy.ask("a")
    kept = Recollection(frontend(RESPONSES).memory, proxy.memory)  # type: ignore[arg-type]
    assert kept.response(first["id"]) == first
    assert (kept.forget(first["id"]), kept.forget(first["id"])) == (True, False)
    assert kept.response(first["id"]) is None
    assert refused(proxy, "b", previous_response_id=first["id"])[0] == 400


# --- Messages: threads ------------------------------------------------------------------------------------------------


def user(text: str) -> list[Any]:
    return [{"role": "user", "content": text}]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_thread_is_created_and_continued(streamed: bool) -> None:
    proxy = Proxy(InMemory(), ANTHROPIC)
    first = proxy.ask(user("a"), thread={"type": "create"}, streamed=streamed)
    then = {"type": "continue", "previous_message_id": first["id"]}
    second = proxy.ask(user("b"), thread=then, streamed=streamed)
    proxy.ask(user("c"), thread={"type": "continue", "previous_message_id": second["id"]}, streamed=streamed)
    assert [text for _, text in proxy.sent[2]] == ["a", "t1", "b", "t2", "c"]


def test_an_unknown_thread_is_anthropic_s_own_error() -> None:
    """Whose client sends the whole conversation again where it reads this code."""
    proxy = Proxy(InMemory(), ANTHROPIC)
    thread = {"type": "continue", "previous_message_id": "msg_0"}
    status, error = refused(proxy, user("b"), thread=thread)
    assert (status, error["type"], error["details"]) == (404, "not_found_error", {"error_code": "thread_not_found"})


def test_without_a_thread_nothing_is_kept() -> None:
    proxy = Proxy(InMemory(), ANTHROPIC)
    first = proxy.ask(user("a"))
    assert proxy.memory._values == {}
    assert refused(proxy, user("b"), thread={"type": "continue", "previous_message_id": first["id"]})[0] == 404


@pytest.mark.parametrize(
    "thread", [5, [], "create", {"type": "continue"}, {"type": "continue", "previous_message_id": 5}]
)
def test_a_malformed_thread_is_refused_or_named(thread: Any) -> None:
    exchange = Exchange(ANTHROPIC, CHAT, memory=InMemory())
    try:
        exchange.request({"model": "m", "max_tokens": 9, "messages": user("a"), "thread": thread})
    except TranslationError as error:
        assert exchange.refusal(error).status in (400, 404)


@pytest.mark.parametrize("client", [CHAT, GEMINI])
def test_protocols_without_references_keep_nothing(client: str) -> None:
    memory = InMemory()
    exchange = Exchange(client, ANTHROPIC, memory=memory)
    content = {"messages": user("a"), "model": "m"} if client == CHAT else {"contents": [{"parts": [{"text": "a"}]}]}
    exchange.request(content, path="/v1beta/models/m:generateContent")
    assert exchange.state["keeps"] is None
    assert memory._values == {}


# --- how much is kept -------------------------------------------------------------------------------------------------


def size(memory: InMemory) -> int:
    return sum(len(data) for _, data in memory._values.values())


def continued(turns: int) -> InMemory:
    proxy = Proxy(InMemory(), through_json=False)
    name = None
    for _ in range(turns):
        name = proxy.ask("x" * 1000, **({"previous_response_id": name} if name else {}))["id"]
    return proxy.memory  # type: ignore[no-any-return]


def repeated(turns: int) -> InMemory:
    """By a client that sends all of its history again, and takes no notice that it is kept."""
    proxy = Proxy(InMemory(), through_json=False)
    history: list[Any] = []
    for _ in range(turns):
        history.append({"role": "user", "content": "x" * 1000})
        history += proxy.ask(history)["output"]
    return proxy.memory  # type: ignore[no-any-return]


@pytest.mark.parametrize("talk", [continued, repeated])
def test_the_memory_of_a_conversation_is_linear(talk: Any) -> None:
    assert size(talk(40)) < 4.4 * size(talk(10))


def test_a_response_of_a_repeated_history_can_be_continued() -> None:
    proxy = Proxy(InMemory())
    history: list[Any] = []
    for text in ("a", "b", "c"):
        history.append({"role": "user", "content": text})
        last = proxy.ask(history)
        history += last["output"]
    proxy.ask("d", previous_response_id=last["id"])
    assert [text for _, text in proxy.sent[3]] == ["a", "t1", "b", "t2", "c", "t3", "d"]


def test_another_history_with_the_same_start_is_kept_apart() -> None:
    proxy = Proxy(InMemory())
    start = {"role": "user", "content": "a"}
    one = proxy.ask([start, {"role": "assistant", "content": "1"}, {"role": "user", "content": "b"}])
    two = proxy.ask([start, {"role": "assistant", "content": "2"}, {"role": "user", "content": "b"}])
    proxy.ask("c", previous_response_id=one["id"])
    proxy.ask("c", previous_response_id=two["id"])
    assert [text for _, text in proxy.sent[2]] == ["a", "1", "b", "t1", "c"]
    assert [text for _, text in proxy.sent[3]] == ["a", "2", "b", "t2", "c"]


def test_items_have_one_digest_however_they_are_split() -> None:
    assert digest(["a", "b"]) != digest(["ab"])
    assert digest([{1, 2}]) is None
    nested: Any = []
    for _ in range(sys.getrecursionlimit() * 100):  # newer Pythons count the stack itself
        nested = [nested]
    assert digest(nested) is None


def test_the_oldest_values_go_first() -> None:
    memory = InMemory(most=2)
    for name in "abc":
        memory.put(name, {"n": name}, 60)
    assert [memory.get(name) for name in "abc"] == [None, {"n": "b"}, {"n": "c"}]
    memory = InMemory(most_bytes=1_000)
    for number in range(100):
        memory.put(str(number), "x" * 100, 60)
    assert size(memory) == memory._bytes <= 1_000
    assert memory.get("99") == "x" * 100
    memory.put("huge", "x" * 2_000, 60)
    assert memory.get("huge") is None
    assert memory._bytes == 0


def test_a_value_is_a_copy() -> None:
    memory = InMemory()
    value: Any = {"items": [1 << 80, 1.5, None, "é"]}
    memory.put("a", value, 60)
    value["items"].clear()
    copy: Any = memory.get("a")
    copy["items"].append(1)
    assert memory.get("a") == {"items": [1 << 80, 1.5, None, "é"]}
    memory.put("a", {"items": []}, 60)
    memory.delete("a")
    memory.delete("a")
    assert (memory.get("a"), memory._bytes) == (None, 0)


class Away:
    """A memory that cannot be read."""

    def get(self, key: str) -> Any:
        raise Unavailable

    def put(self, key: str, value: Any, seconds: float) -> None:
        raise Unavailable

    delete = get


@pytest.mark.parametrize("streamed", [False, True])
def test_without_its_memory_only_references_fail(streamed: bool) -> None:
    proxy = Proxy(Away())
    assert proxy.ask("hi", streamed=streamed)["id"] == "c1"
    assert proxy.ask([{"role": "user", "content": "hi"}], streamed=streamed)["id"] == "c2"
    references: list[dict[str, Any]] = [{"previous_response_id": "c1"}, {"conversation": "conv_1"}]
    for reference in references:
        with pytest.raises(Unavailable):
            proxy.ask("more", **reference)
    with pytest.raises(Unavailable):
        proxy.ask([{"type": "item_reference", "id": "m1"}])


# --- a provider of the client's own protocol --------------------------------------------------------------------------

NATIVE: Any = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "status": "completed",
    "output": [
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "n1", "annotations": []}],
        }
    ],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}


def natively(memory: Any, **request: Any) -> Any:
    """What a provider of Responses gets, who answers with NATIVE."""
    exchange = Exchange(RESPONSES, RESPONSES, memory=memory)
    sent = json.loads(exchange.request(json.dumps({"model": "m", **request}).encode()).body)
    assert json.loads(exchange.response(200, {}, json.dumps(NATIVE).encode()).body) == NATIVE
    return sent


def test_it_gets_the_history_that_another_provider_gave() -> None:
    proxy = Proxy(InMemory())
    first = proxy.ask("a")
    sent = natively(proxy.memory, input="b", previous_response_id=first["id"])
    assert "previous_response_id" not in sent
    assert [texts(item["content"]) for item in sent["input"]] == ["a", "t1", "b"]


def test_it_gets_an_item_that_another_provider_gave() -> None:
    proxy = Proxy(InMemory())
    first = proxy.ask("a")
    sent = natively(proxy.memory, input=[{"type": "item_reference", "id": first["output"][0]["id"]}])
    assert [texts(item["content"]) for item in sent["input"]] == ["t1"]


def test_what_it_gave_itself_is_referred_to_and_known_to_others() -> None:
    proxy = Proxy(InMemory())
    natively(proxy.memory, input="a")
    request = {"input": [{"type": "item_reference", "id": "msg_1"}], "previous_response_id": "resp_1"}
    assert natively(proxy.memory, **request) == {"model": "m", **request}
    assert natively(InMemory(), **request) == {"model": "m", **request}


def test_another_provider_goes_on_from_there() -> None:
    proxy = Proxy(InMemory())
    natively(proxy.memory, input="a")
    proxy.ask("b", previous_response_id="resp_1")
    assert proxy.sent[-1] == [("user", "a"), ("assistant", "n1"), ("user", "b")]


def test_it_needs_no_memory_for_its_own() -> None:
    class Broken(InMemory):
        def get(self, key: str) -> Any:
            raise Unavailable

    request = {"input": "a", "previous_response_id": "resp_1"}
    assert natively(Broken(), **request) == {"model": "m", **request}


def at(place: str, memory: Any, name: str, **request: Any) -> Any:
    """Return the request that a provider of Responses at a place gets; it answers with this id."""
    exchange = Exchange(RESPONSES, RESPONSES, memory=memory, place=place)
    sent = json.loads(exchange.request(json.dumps({"model": "m", **request}).encode()).body)
    exchange.response(200, {}, json.dumps({**NATIVE, "id": name}).encode())
    return sent


def test_it_gets_the_history_that_another_provider_of_its_protocol_gave() -> None:
    memory = InMemory()
    at("east", memory, "resp_1", input="a")
    assert at("east", memory, "resp_2", input="b", previous_response_id="resp_1")["previous_response_id"] == "resp_1"
    sent = at("west", memory, "resp_3", input="c", previous_response_id="resp_2")
    assert "previous_response_id" not in sent
    assert [texts(item["content"]) for item in sent["input"]] == ["a", "n1", "b", "n1", "c"]
    assert at("west", memory, "resp_4", input="d", previous_response_id="resp_3")["previous_response_id"] == "resp_3"


def test_a_cloud_is_a_place() -> None:
    memory = InMemory()
    azure: Any = {"name": "azure", "resource": "r"}
    exchange = Exchange(RESPONSES, RESPONSES, memory=memory, cloud=azure, key="k")
    exchange.request({"model": "m", "input": "a"})
    exchange.response(200, {}, json.dumps(NATIVE).encode())
    request = {"model": "m", "input": "b", "previous_response_id": "resp_1"}
    same = Exchange(RESPONSES, RESPONSES, memory=memory, cloud=azure, key="k").request(request)
    assert json.loads(same.body)["previous_response_id"] == "resp_1"
    other = Exchange(RESPONSES, RESPONSES, memory=memory, cloud={**azure, "resource": "s"}, key="k").request(request)
    assert "previous_response_id" not in json.loads(other.body)
