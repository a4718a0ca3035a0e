"""Ids that carry the signatures of their calls, as clients send them back: whole, cut off, or forged (RSN-29)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Seals
from proxai_ir.ir.envelope import LONGEST, enveloped
from proxai_ir.ir.node import Seal
from proxai_ir.passes.seals import MARK, divided

from .samples.gemini_generate_content import building as gemini
from .samples.openai_chat_completions import building as chat
from .samples.openai_responses import building as responses
from .samples.sample import Json

CHAT, RESPONSES, ANTHROPIC = "openai_chat_completions", "openai_responses", "anthropic_messages"
GEMINI = "gemini_generate_content"
SIGNATURE = "c2lnbmVkX19f"
KEYS = {"k-1": b"a key of 16 bytes", "old": b"an older key: 16"}
Found = list[tuple[str, str]]


def signed(call_id: str = "c1", seal: str = SIGNATURE, client: str = CHAT, **seals: Any) -> str:
    """The id that a client gets for a call of Gemini's."""
    payload = gemini.response(gemini.call("look", call_id=call_id, thoughtSignature=seal))
    made: Any = proxai_ir.convert(payload, GEMINI, client, kind="response", seals=Seals(**{"ids": True, **seals}))
    if client == CHAT:
        return str(made["choices"][0]["message"]["tool_calls"][0]["id"])
    (item,) = made["output"]
    return str(item["call_id"])


def asked(identity: str, result: str | None = None, dst: str = GEMINI, **seals: Any) -> tuple[Json, Found]:
    """What a provider gets for a call with such an id and its result; what was found, without infos."""
    turns = (
        {"role": "assistant", "tool_calls": [chat.call("look", "{}", identity)]},
        chat.result("ok", result or identity),
    )
    payload = chat.request(chat.user("Hi"), *turns, tools=[chat.tool("look")])
    made = proxai_ir.compile(payload, CHAT, dst, kind="request", seals=Seals(**{"ids": True, **seals}))
    return made.output, [(one.rule, one.path) for one in made.diagnostics if one.severity != "info"]


def parts(payload: Json) -> tuple[str, str, str | None]:
    """The ids of the call and of its result, and the call's signature."""
    (call,), (result,) = [content["parts"] for content in payload["contents"][1:]]
    return call["functionCall"]["id"], result["functionResponse"]["id"], call.get("thoughtSignature")


PLACEHOLDER = "skip_thought_signature_validator"
PLACE = "/messages/1/tool_calls/0/id"


@pytest.mark.parametrize("keys", [{}, {"keys": KEYS}], ids=["plain", "keys"])
@pytest.mark.parametrize("call_id", ["c1", "call-1.2", "x" * 40, "a" + MARK[:-1]])
@pytest.mark.parametrize("seal", [SIGNATURE, "_-8=", "+/8=", "A" * 5000])
def test_an_id_and_its_signature_come_back(seal: str, call_id: str, keys: dict[str, Any]) -> None:
    identity = signed(call_id, seal, **keys)
    assert identity.startswith(f"{call_id}{MARK}")
    assert set(identity.removeprefix(call_id)) <= set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
    )
    payload, losses = asked(identity, **keys)
    assert (parts(payload), losses) == ((call_id, call_id, seal), [])


def test_an_id_is_opened_wherever_envelopes_are() -> None:
    for ids in (False, True):
        payload, losses = asked(signed(), ids=ids)
        assert (parts(payload), losses) == (("c1", "c1", SIGNATURE), [])


@pytest.mark.parametrize("keys", [{}, {"keys": KEYS}], ids=["plain", "keys"])
def test_of_an_id_that_was_cut_off_the_id_is_left(keys: dict[str, Any]) -> None:
    """Wherever it was cut behind the mark; nothing is made up, and the provider sees nothing of it."""
    whole = signed(**keys)
    for length in range(len("c1" + MARK), len(whole)):
        payload, losses = asked(whole[:length], **keys)
        assert parts(payload) == ("c1", "c1", PLACEHOLDER)
        assert losses == [("RSN-11" if keys and whole[:length].count("2-1") else "RSN-10", PLACE)]


def in_id(envelope: str) -> str:
    text = envelope.removeprefix("proxai_ir.seal.").replace("-", "-0").replace(".", "-1").replace("=", "-2")
    return f"c1{MARK}{text}"


@pytest.mark.parametrize(
    "identity",
    [
        f"c1{MARK}",
        f"c1{MARK}1",
        f"c1{MARK}{'x' * 300}",
        f"c1{MARK}1-1-1-1",
        f"c1{MARK}\u00e9",
        in_id(enveloped(Seal("google", "signature", SIGNATURE))),
        in_id(enveloped(Seal("google", "text", SIGNATURE))),
        in_id(enveloped(Seal("google", "closed", SIGNATURE))),
        in_id(enveloped(Seal("google", "call", "A" * LONGEST))),
        in_id(enveloped(Seal("google", "call", SIGNATURE)))[:-1] + "x",
    ],
    ids=lambda text: text[2 + len(MARK) :][:24],
)
def test_what_is_no_signature_of_a_call_is_dropped_by_name(identity: str) -> None:
    payload, losses = asked(identity)
    assert (parts(payload), losses) == (("c1", "c1", PLACEHOLDER), [("RSN-10", PLACE)])


@pytest.mark.parametrize(
    "options",
    [
        {"keys": {"k-1": b"another key, long"}},
        {"keys": KEYS, "audience": "another"},
        {"keys": KEYS, "now": 2000},
    ],
    ids=["key", "audience", "time"],
)
def test_an_envelope_that_is_not_authentic_is_not_opened(options: dict[str, Any]) -> None:
    identity = signed(keys=KEYS, audience="", expires=2000)
    payload, losses = asked(identity, **options)
    assert (parts(payload), losses) == (("c1", "c1", PLACEHOLDER), [("RSN-11", PLACE)])


def test_a_plain_envelope_is_worth_nothing_to_who_has_keys() -> None:
    payload, losses = asked(signed(), keys=KEYS)
    assert (parts(payload), losses) == (("c1", "c1", PLACEHOLDER), [("RSN-11", PLACE)])


@pytest.mark.parametrize("dst", [ANTHROPIC, RESPONSES, CHAT])
def test_no_other_provider_gets_it(dst: str) -> None:
    payload, losses = asked(signed(), dst=dst)
    assert losses == []
    assert "c1" in str(payload) and MARK not in str(payload) and SIGNATURE not in str(payload)


def test_an_envelope_of_another_provider_is_not_put_on_a_call() -> None:
    payload, losses = asked(in_id(enveloped(Seal("other", "call", SIGNATURE))))
    assert (parts(payload), losses) == (("c1", "c1", PLACEHOLDER), [])


def test_an_id_that_is_nothing_but_the_mark_is_an_id() -> None:
    identity = in_id(enveloped(Seal("google", "call", SIGNATURE))).removeprefix("c1")
    payload, losses = asked(identity)
    assert (parts(payload), losses) == ((identity, identity, PLACEHOLDER), [])
    assert divided(identity) == (identity, "")


def test_a_call_and_a_result_are_paired_by_the_id_itself() -> None:
    """Clients that keep ids of a fixed length may have cut off one of them."""
    whole = signed()
    payload, losses = asked(whole, whole[:40])
    assert (parts(payload), losses) == (("c1", "c1", SIGNATURE), [])


def test_the_ids_of_one_response_differ_before_their_signatures() -> None:
    """TUL-46: two calls with the same id, one of them signed; and an id that the conversation has."""
    calls = [gemini.call("look", call_id="c1", thoughtSignature=SIGNATURE), gemini.call("look", call_id="c1")]
    state = {"call_ids": ["c1"]}
    made: Any = proxai_ir.convert(
        gemini.response(*calls), GEMINI, CHAT, kind="response", seals=Seals(ids=True), state=state
    )
    ids = [divided(one["id"])[0] for one in made["choices"][0]["message"]["tool_calls"]]
    assert len({*ids, "c1"}) == 3


def test_a_long_id_is_not_shortened_for_a_client() -> None:
    """TUL-13 is about what a server accepts; the id without its signature is one that it does."""
    identity = signed("x" * 100, client=RESPONSES)
    plain, carried = divided(identity)
    assert len(plain) <= 64 and carried
    item = responses.call("look", "{}", identity)
    payload = responses.request({"role": "user", "content": "Hi"}, item, responses.result("ok", identity))
    back: Any = proxai_ir.convert(payload, RESPONSES, GEMINI, kind="request", model="m", seals=Seals(ids=True))
    assert parts(back) == (plain, plain, SIGNATURE)


def test_a_signature_that_is_too_long_is_a_loss() -> None:
    """RSN-4 as for every envelope; in Chat Completions it stays where Google's servers have it."""
    seal = "A" * LONGEST
    made: Any = proxai_ir.convert(
        gemini.response(gemini.call("look", thoughtSignature=seal)),
        GEMINI,
        CHAT,
        kind="response",
        seals=Seals(ids=True),
    )
    (call,) = made["choices"][0]["message"]["tool_calls"]
    assert call["id"] == "call_1"
    assert call["extra_content"] == {"google": {"thought_signature": seal}}


@pytest.mark.parametrize("value", ["id", "", 1, ["ids"]])
def test_another_value_is_the_callers_mistake(value: Any) -> None:
    with pytest.raises(TypeError, match=r"'seals'.*expected a Seals, or False"):
        proxai_ir.convert(chat.request(chat.user("Hi")), CHAT, ANTHROPIC, seals=value)
    with pytest.raises(TypeError, match=r"'ids' of Seals.*expected True or False"):
        Seals(ids=value)


def test_keys_are_those_of_every_envelope() -> None:
    seal = Seal("google", "call", SIGNATURE)
    assert signed(keys=KEYS) == in_id(enveloped(seal, Seals(KEYS)))
