"""Sessions of Codex's agents that move to OpenAI: what another provider's model told its agent is plain text where
OpenAI has ciphertext, and "could not be decrypted or decoded" there (duolahypercho/codex-router#109, PLC-61, RSN-27).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange
from proxai_ir.exchange import Hook

from ..clients.provider import RESPONSES
from .support import NOW

Json = Any

HI = {"role": "user", "content": "Hi"}
CIPHERTEXT = {"type": "encrypted_content", "encrypted_content": "gAAAAABotM3x2Jc_v-9Q=="}
HEAD = {"type": "input_text", "text": "NEW_TASK"}


def told(*parts: Json) -> Json:
    return {"type": "agent_message", "id": "am_1", "author": "/root", "recipient": "/root/a", "content": [*parts]}


def plain(text: str) -> Json:
    return {"type": "encrypted_content", "encrypted_content": text}


def relayed(*items: Json, **options: Any) -> Json:
    """Return the items that OpenAI gets."""
    body = {"model": "m", "store": False, "input": [*items]}
    exchange = Exchange(RESPONSES, RESPONSES, model="gpt-6.2-sol", now=NOW, **options)
    return json.loads(exchange.request(json.dumps(body).encode(), path="/v1/responses").body)["input"]


def test_plain_texts_are_sent_as_texts() -> None:
    assert relayed(HI, told(HEAD, plain("List the files."), CIPHERTEXT)) == [
        HI,
        told(HEAD, {"type": "input_text", "text": "List the files."}, CIPHERTEXT),
    ]


@pytest.mark.parametrize("item", [told(HEAD, CIPHERTEXT), told(CIPHERTEXT), {**told(), "content": "Stop."}])
def test_all_else_stays_as_it_is(item: Json) -> None:
    assert relayed(HI, item) == [HI, item]


def test_a_conversion_that_is_no_relay_changes_nothing() -> None:
    body = {"model": "m", "input": [told(plain("List the files."))]}
    assert proxai_ir.convert(body, RESPONSES, RESPONSES) == body


def test_what_a_hook_made_of_the_request_counts() -> None:
    def louder(tree: Any, _: Any) -> Any:
        tree.turns[0].parts[0].text = "HI"
        return tree

    items = relayed(HI, told(plain("List the files.")), hook=Hook(louder))
    assert items == [{"role": "user", "content": "HI"}, told({"type": "input_text", "text": "List the files."})]
