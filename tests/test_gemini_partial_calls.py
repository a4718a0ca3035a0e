"""A call whose arguments come in pieces (`partialArgs`): whole calls, calls in turn, and calls that never end."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.testing.streams import fed

from .samples.gemini_generate_content.building import SIGNATURE, chunk

GEMINI, CHAT = "gemini_generate_content", "openai_chat_completions"
Json = dict[str, Any]


def _calls(sent: Json) -> list[Json]:
    found: list[Json] = sent["choices"][0]["delta"].get("tool_calls", []) if sent["choices"] else []
    return found


def piece(**given: Any) -> Json:
    return chunk({"functionCall": given})


SKY = piece(name="sky", willContinue=True)
OSLO = {"jsonPath": "$.city", "stringValue": "Oslo"}


def test_arguments_in_pieces() -> None:
    events = [
        chunk({"functionCall": {"name": "sky", "willContinue": True}, "thoughtSignature": SIGNATURE}),
        chunk({"functionCall": {"partialArgs": [{"jsonPath": "$.city", "stringValue": "Os"}], "willContinue": True}}),
        chunk(
            {
                "functionCall": {
                    "partialArgs": [
                        {"jsonPath": "$.city", "stringValue": "lo"},
                        {"jsonPath": "$.days[0]['n']", "numberValue": 2},
                        {"jsonPath": "$.now", "boolValue": False},
                        {"jsonPath": "$.then", "nullValue": "NULL_VALUE"},
                    ],
                    "willContinue": True,
                }
            }
        ),
        chunk({"functionCall": {}}),
        chunk("", finish="STOP"),
    ]
    out = proxai_ir.convert(events, GEMINI, CHAT, kind="stream")
    given = "".join(call_["function"].get("arguments", "") for one in out[:-1] for call_ in _calls(one))
    assert given == '{"city":"Oslo","days":[{"n":2}],"now":false,"then":null}'
    assert proxai_ir.raise_to(proxai_ir.lower(events, GEMINI, kind="stream"), GEMINI) == events


def test_pieces_of_arguments_that_do_not_fit_are_refused() -> None:
    odd = {"name": "f", "partialArgs": [{"jsonPath": "$.a", "numberValue": 1}, {"jsonPath": "$.a.b", "numberValue": 1}]}
    done = fed([chunk({"functionCall": {**odd, "willContinue": True}})], GEMINI, CHAT)
    assert done.rule() == "SHP-4"


def test_each_member_of_a_piece_arrives_or_is_named() -> None:
    events = [
        SKY,
        piece(id="", willContinue=True),
        chunk({"functionCall": {"id": "c1", "hue": 1, "willContinue": True}, "partMetadata": {"of": 2}}),
        chunk({"functionCall": {"name": "sky", "partialArgs": [{**OSLO, "hue": 2}]}, "thoughtSignature": SIGNATURE}),
        chunk("", finish="STOP"),
    ]
    done = proxai_ir.compile(events, GEMINI, CHAT, kind="stream")
    (opened,) = [call_ for one in done.output[:-1] for call_ in _calls(one) if "id" in call_]
    assert (opened["id"], opened["function"]["name"]) == ("c1", "sky")
    inside = "/candidates/0/content/parts/0"
    named = {(one.code, one.path) for one in done.diagnostics}
    assert ("UNK-1", f"/2{inside}/functionCall/hue") in named
    assert ("USR-3", f"/2{inside}/partMetadata") in named
    assert ("UNK-1", f"/3{inside}/functionCall/partialArgs/0/hue") in named
    assert not any(path.startswith("/1/") for _, path in named)


def test_arguments_as_a_whole_join_those_in_pieces() -> None:
    events = [SKY, piece(partialArgs=[OSLO], willContinue=True), piece(args={"city": "Oslo", "days": 2})]
    out = proxai_ir.convert([*events, chunk("", finish="STOP")], GEMINI, CHAT, kind="stream")
    given = "".join(call_["function"].get("arguments", "") for one in out[:-1] for call_ in _calls(one))
    assert given == '{"city":"Oslo","days":2}'
    assert fed([*events[:2], piece(args={"city": "Rome"})], GEMINI, CHAT).rule() == "SHP-4"
    assert (
        fed([SKY, piece(args={"city": "Rome"}, willContinue=True), piece(args={"city": "Oslo"})], GEMINI, CHAT).rule()
        == "SHP-4"
    )


@pytest.mark.parametrize("other", [{"name": "sea"}, {"name": "sky", "id": "c2"}])
def test_a_call_begins_after_the_end_of_the_last_one(other: Json) -> None:
    begun = piece(name="sky", id="c1", willContinue=True)
    assert fed([begun, piece(**other)], GEMINI, CHAT).rule() == "STR-9"


def test_a_response_does_not_stop_within_a_call() -> None:
    events = [SKY, piece(partialArgs=[OSLO], willContinue=True), chunk("", finish="STOP")]
    assert fed(events, GEMINI, CHAT).rule() == "STR-9"
    assert proxai_ir.raise_to(proxai_ir.lower(events, GEMINI, kind="stream"), GEMINI) == events


def test_calls_in_pieces_one_after_the_other_return_to_their_own_protocol() -> None:
    deep = {"jsonPath": "$.city.name", "stringValue": "Rome"}
    events = [SKY, piece(partialArgs=[OSLO]), SKY, piece(partialArgs=[deep]), chunk("", finish="STOP")]
    assert proxai_ir.raise_to(proxai_ir.lower(events, GEMINI, kind="stream"), GEMINI) == events
    out = proxai_ir.convert(events, GEMINI, CHAT, kind="stream")
    given = [call_["function"].get("arguments") for one in out[:-1] for call_ in _calls(one)]
    assert [one for one in given if one] == ['{"city":"Oslo"}', '{"city":{"name":"Rome"}}']
