"""What differs between two JSON values, and where the fields of an IR stand in its source."""

from __future__ import annotations

import json
from typing import Any

import proxai_ir
from proxai_ir.ir import json_form
from proxai_ir.json.merge import ABSENT, Change, changes, differences, equal
from proxai_ir.json.pointer import extended
from proxai_ir.protocol.registry import frontend
from proxai_ir.reporting.report import Places


def test_the_same_json() -> None:
    """Integers may have more digits than Python writes, and keys of a caller's value may be no strings."""
    assert equal({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not equal({"a": 1}, {"a": True})
    assert equal({"a": 10**5000}, {"a": 10**5000})
    assert not equal({"a": 10**5000}, {"a": 10**5000 + 1})
    assert not equal({"a": 10**5000}, {"a": 1})
    assert equal({(1, 2): 3}, {(1, 2): 3})
    assert equal({(1, 2): 10**5000}, {(1, 2): 10**5000})
    assert equal(extended({"a": 10**5000}, {"b": [1]}), {"a": 10**5000, "b": [1]})
    assert changes({"a": 10**5000, "b": 1}, {"a": 10**5000, "b": True}) == 2


def test_changes_by_pointer_in_the_order_of_the_first() -> None:
    was = {"a": [1, {"x": 1}], "b/c": 1, "same": [1, [2]], "kind": {"a": 1}}
    now = {"a": [1, {"x": 2}, 3], "same": [1, [2]], "kind": [1], "new": None}
    assert list(differences(was, now)) == [
        Change("/a/1/x", 1, 2),
        Change("/a/2", ABSENT, 3),
        Change("/b~1c", 1, ABSENT),
        Change("/kind", {"a": 1}, [1]),
        Change("/new", ABSENT, None),
    ]
    assert list(differences(was, was)) == []
    assert list(differences(1, "1")) == [Change("", 1, "1")]


def test_deep_values_need_no_recursion() -> None:
    was: Any = 1
    now: Any = 2
    for _ in range(300):
        was, now = [was], {"a": [now]}
    assert [one.path for one in differences([was, 0], [now, 0])] == ["/0"]


def test_places_of_an_ir_in_its_source() -> None:
    request = {
        "model": "m",
        "max_tokens": 5,
        "top_k": 7,
        "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": "hi"}],
    }
    node = proxai_ir.lower(request, "anthropic_messages", kind="request")
    places = Places(request, frontend("anthropic_messages").vocabulary)
    found = dict(places.in_json(node, json.loads(json_form.dumps(node))))
    assert found["/sampling/top_k"] == "/top_k"
    assert found["/turns/0/parts/0/cache"] == "/system/0/cache_control"
    assert found["/turns/1/parts/0/text"] == "/messages/0/content"
    assert found["/max_tokens"] == "/max_tokens"
