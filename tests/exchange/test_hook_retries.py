"""A hook and one more attempt: each request that is sent is shown once, and what a hook adds may be what is refused."""

from __future__ import annotations

import json
from typing import Any

from proxai_ir import Exchange, ir
from proxai_ir.exchange import Hook, HookCall
from proxai_ir.exchange.provider import Learned

from ..clients.provider import CHAT, RESPONSES

Json = Any
ASKED: Json = {"model": "m", "input": "Hi"}
COOLED: Json = {**ASKED, "temperature": 0.5}
TOO_COOL = b'{"error": {"message": "Unsupported parameter: \'temperature\' is not supported with this model."}}'


def refused_once(function: Any, error: bytes = TOO_COOL, body: Json = COOLED) -> tuple[Json, Json]:
    """Return the bodies of the first and the second request."""
    made = Exchange(RESPONSES, CHAT, hook=Hook(function), learned=Learned(), profile="protocol")
    first = made.request(body)
    second = made.retry(400, {}, error)
    assert second is not None
    return json.loads(first.body), json.loads(second.body)


def test_a_hook_is_shown_each_request_that_is_sent_once() -> None:
    seen = []

    def counting(tree: Any, _: HookCall) -> Any:
        seen.append(type(tree).__name__)
        return tree

    first, second = refused_once(counting)
    assert (first["temperature"], "temperature" in second) == (0.5, False)
    assert seen == ["Request", "Request"]


def test_what_a_hook_adds_may_be_what_is_refused() -> None:
    def cooling(tree: Any, _: HookCall) -> Any:
        tree.sampling = ir.Sampling(temperature=0.5)
        return tree

    first, second = refused_once(cooling, body=ASKED)
    assert (first["temperature"], "temperature" in second) == (0.5, False)


def test_a_hook_is_shown_nothing_for_an_error_that_names_no_setting() -> None:
    seen = []

    def counting(tree: Any, _: HookCall) -> Any:
        seen.append(1)
        return tree

    made = Exchange(RESPONSES, CHAT, hook=Hook(counting), learned=Learned())
    made.request(COOLED)
    assert made.retry(400, {}, b'{"error": {"message": "Unsupported parameter: \'seed\'."}}') is None
    assert seen == [1]
