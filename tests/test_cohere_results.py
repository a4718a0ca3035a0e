"""Results of Cohere's tools that stand in documents: what they are elsewhere, and that Cohere gets them back."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import ir
from proxai_ir.ir.json_form import dumps, loads

from .clients.provider import CHAT, GEMINI
from .samples.cohere_v2_chat import building

COHERE = "cohere_v2_chat"


def asked(*blocks: Any) -> Any:
    calls = [building.call("c1", "f", "{}")]
    return building.request(
        building.user("Hi"),
        {"role": "assistant", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": list(blocks)},
    )


def document(data: Any, **members: Any) -> Any:
    return {"type": "document", "document": {"data": data, **members}}


TEXTS = [
    (document("4 m"), "4 m", {"output": "4 m"}),
    (document({"depth": 4}), '{"depth":4}', {"depth": 4}),
    (document({"depth": 4}, id="1"), '{"depth":4}', {"depth": 4}),
    (document({"text": "4 m"}), "4 m", {"output": "4 m"}),
    (document({}), "{}", {}),
    (document('{"depth": 4}'), '{"depth": 4}', {"output": '{"depth": 4}'}),
]


@pytest.mark.parametrize(("block", "text", "response"), TEXTS)
def test_a_result_in_a_document_is_its_text_or_its_json(block: Any, text: str, response: Any) -> None:
    payload = asked(block)
    assert proxai_ir.convert(payload, COHERE, CHAT)["messages"][-1]["content"] == text
    made = proxai_ir.convert(payload, COHERE, GEMINI, kind="request")["contents"][-1]["parts"]
    assert made == [{"functionResponse": {"name": "f", "response": response, "id": "c1"}}]


@pytest.mark.parametrize(
    "block",
    [
        *(one for one, _, _ in TEXTS),
        document({"text": "4 m", "title": "Emden"}),
        document({"depth": 4, "url": "https://example.com"}, id="1"),
        {**document("4 m", id="1", beam=3), "depth": 4},
        {"type": "text", "text": "4 m", "document": {"data": "5 m"}},
    ],
)
def test_cohere_gets_the_document_back(block: Any) -> None:
    payload = asked(block)
    assert proxai_ir.raise_to(proxai_ir.lower(payload, COHERE), COHERE) == payload
    kept = loads(dumps(proxai_ir.lower(payload, COHERE)))
    assert proxai_ir.raise_to(kept, COHERE) == payload


def test_a_text_that_was_changed_stands_in_the_same_document() -> None:
    tree: Any = proxai_ir.lower(asked(document({"depth": 4}, id="1")), COHERE)
    for text, data in (('{"depth":5}', {"depth": 5}), ("5 m", "5 m")):
        tree.turns[-1].parts[0].parts[0].text = text
        made = proxai_ir.raise_to(tree, COHERE)
        assert made["messages"][-1]["content"] == [document(data, id="1")]


@pytest.mark.parametrize("name", ["title", "url"])
def test_what_a_text_would_not_keep_stays_a_document(name: str) -> None:
    data = {"text": "4 m", name: "https://example.com"}
    made = proxai_ir.lower(asked(document(data)), COHERE)
    assert isinstance(made, ir.Request)
    assert isinstance((made.turns or [])[-1].parts[0].parts[0], ir.Document)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("block", "lost"),
    [
        (document("4 m", id="1"), [("DOC-85", "info", "/messages/2/content/0/document/id")]),
        (document("4 m", beam=3), [("UNK-1", "loss", "/messages/2/content/0/document/beam")]),
        (document("4 m"), []),
    ],
)
def test_what_no_other_protocol_has_of_it_is_named(block: Any, lost: list[Any]) -> None:
    found = [(one.rule, one.severity, one.path) for one in proxai_ir.check(asked(block), COHERE, CHAT)]
    assert [one for one in found if one[2].startswith("/messages/2")] == lost
