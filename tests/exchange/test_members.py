"""Members that a server has and no protocol (CAP-11): defaults of every request, which replace nothing."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest

from proxai_ir import Exchange, Profile
from proxai_ir.exchange.provider import Learned

from ..clients.provider import ANTHROPIC, CHAT
from .support import ALL, path_of, request_of

OLLAMA = "ollama_chat"


def sent(client: str, provider: str, body: Any, /, **more: Any) -> tuple[Any, list[str]]:
    """The body that the provider gets, and what is said of it."""
    made = Exchange(client, provider, model="m", body=body).request(request_of(client, **more), path=path_of(client))
    return json.loads(made.body), [f"{one.code} {one.message}" for one in made.diagnostics if one.code == "CAP-11"]


@pytest.mark.parametrize("client", ALL)
def test_a_request_of_every_client_gets_them(client: str) -> None:
    made, found = sent(client, OLLAMA, {"keep_alive": -1, "options": {"num_ctx": 65536}})
    assert (made["keep_alive"], made["options"]["num_ctx"]) == (-1, 65536)
    assert made["messages"]
    assert found == []


def test_the_clients_own_value_is_sent_and_the_difference_named() -> None:
    """Inside an object, too; true is not 1, and an array is one value."""
    stated = {"options": {"num_ctx": 65536, "seed": 1}, "provider": {"order": ["a"]}, "n": True, "same": [1]}
    own: dict[str, Any] = {"options": {"num_ctx": 4096}, "provider": {"order": ["b"]}, "n": 1, "same": [1]}
    made, found = sent(CHAT, CHAT, stated, **own)
    assert made["options"] == {"num_ctx": 4096, "seed": 1}
    assert (made["provider"], made["n"]) == ({"order": ["b"]}, 1)
    assert [one.partition("`")[2].partition("`")[0] for one in found] == ["/options/num_ctx", "/provider/order", "/n"]


def test_a_value_of_the_client_is_not_repeated() -> None:
    _, found = sent(CHAT, CHAT, {"user": "one"}, user="secret-7")
    assert len(found) == 1
    assert "secret-7" not in found[0]


def test_what_has_nothing_to_add_is_sent_byte_for_byte() -> None:
    data = b'{ "model":"m", "n" : 2, "messages": [ ] }'
    assert Exchange(CHAT, CHAT, body={"n": 2}).request(data).body == data


def test_another_attempt_has_them_too() -> None:
    exchange = Exchange(ANTHROPIC, CHAT, model="m", learned=Learned(), body={"top_k": 4})
    exchange.request(request_of(ANTHROPIC, temperature=0.5))
    error = {"error": {"message": "Unsupported parameter: 'temperature' is not supported with this model."}}
    again = exchange.retry(400, {}, json.dumps(error).encode())
    assert again is not None
    made = json.loads(again.body)
    assert "temperature" not in made
    assert made["top_k"] == 4


@pytest.mark.parametrize(
    ("provider", "body", "expected"),
    [
        (CHAT, ["n"], "body: found an array; expected an object"),
        (CHAT, None, "body: found null; expected an object"),
        (CHAT, {"model": "x"}, "body/model: each request names its model"),
        (CHAT, {"stream": True}, "body: each request says itself whether its response is a stream"),
        (OLLAMA, {"stream": False}, "body: each request says itself whether its response is a stream"),
        (CHAT, {"a": [{"b/c": datetime.date(2026, 1, 2)}]}, "body/a/0/b~1c: found a Python date; expected a string"),
        (CHAT, {"a": float("nan")}, "body/a: found a number, nan; expected a string, a finite number"),
        (CHAT, {"a": {1: 2}}, "body/a: found an integer, 1 as the name of a member; expected a string"),
    ],
)
def test_what_no_request_can_have_is_an_error_of_the_caller(provider: str, body: Any, expected: str) -> None:
    with pytest.raises(TypeError, match=expected.replace("/", r"\/")):
        Exchange(CHAT, provider, body=body)


# --- the size of the context ------------------------------------------------------------------------------------------

LONG: dict[str, Any] = {"messages": [{"role": "user", "content": "word " * 4000}]}


def long_one(provider: Any, **options: Any) -> tuple[Any, list[str]]:
    made = Exchange(CHAT, provider, model="m", **options).request(request_of(CHAT, **LONG))
    return json.loads(made.body), [one.message for one in made.diagnostics if one.rule == "CAP-12"]


def test_a_request_that_is_longer_than_the_context_is_named() -> None:
    made, (found,) = long_one(CHAT, context=4096)
    assert "about 5008 tokens, by 4 bytes a token; the context has 4096" in found
    assert long_one(CHAT)[1] == long_one(CHAT, context=5008)[1] == []
    assert "context" not in made


def test_the_context_is_asked_for_where_requests_set_it() -> None:
    made, found = long_one(OLLAMA, context=4096)
    assert made["options"]["num_ctx"] == 4096
    assert len(found) == 1
    profile = Profile(OLLAMA, context_size=4096)
    assert len(long_one(profile)[1]) == 1
    assert long_one(profile, context=65536)[0]["options"]["num_ctx"] == 65536


@pytest.mark.parametrize("context", [0, -1, True, "4096", 4096.0])
def test_a_context_that_is_no_number_of_tokens(context: Any) -> None:
    with pytest.raises(TypeError, match=r"context is .*; expected a number of tokens"):
        Exchange(CHAT, CHAT, context=context)
