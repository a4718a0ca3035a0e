"""Extra fields: members without an IR field, collected from the wire object when they are read (LOS-3)."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from typing import Any

import pytest

import proxai_ir
from proxai_ir.frontends._lib.reading import extra_fields, keep, kept
from proxai_ir.ir.node import FINDS, Extra
from proxai_ir.ir.parts import Text
from proxai_ir.protocol.registry import frontend
from proxai_ir.reporting.catalogue import ERRORS
from proxai_ir.wire.openai_responses import NAME_OF_RESULT, caller, item_status, phase

KNOWN = frozenset({"type"})
HOLDER = {"type": "text", "seed": 1, "note": None, "known": 2, "holder": 3}


def test_members_without_a_field_are_kept_and_nulls_are_not() -> None:
    assert kept(HOLDER, KNOWN) == Extra({"seed": 1, "known": 2, "holder": 3})
    assert kept({"type": "text", "note": None}, KNOWN) is None
    assert kept({"type": "text"}, KNOWN) is None


ENVELOPES: dict[str, dict[str, Any]] = {
    "anthropic_messages": {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "Hi"}],
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
    "openai_chat_completions": {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1},
    },
    "openai_responses": {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}],
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
}


@pytest.mark.parametrize(("src", "dst"), [(src, dst) for src in ENVELOPES for dst in ENVELOPES if src != dst])
def test_no_client_depends_on_unknown_fields_of_an_envelope(src: str, dst: str) -> None:
    payload = copy.deepcopy(ENVELOPES[src])
    payload["served_by"] = {"region": "north"}
    payload["usage"]["price"] = 1
    made = proxai_ir.compile(payload, src, dst, strict=True)
    found = [(one.code, one.path) for one in made.diagnostics if one.code.startswith("UNK")]
    assert found == [("UNK-6", "/served_by"), ("UNK-6", "/usage/price")]


def test_nothing_is_collected_before_it_is_read() -> None:
    extra = kept(HOLDER, KNOWN)
    assert extra is not None
    assert extra.members() == (HOLDER, KNOWN)
    assert extra.unread is not None
    first = extra.fields
    assert extra.unread is None
    assert extra.members() == ({"seed": 1, "known": 2, "holder": 3}, ())
    assert extra.fields is first


def test_nested_objects_may_have_any_name() -> None:
    """A wire member may be called like a parameter of the function that keeps it."""
    inner = Extra({"x": 1})
    found = extra_fields({"type": "text"}, KNOWN, nested={"known": inner, "holder": inner, "nested": None})
    assert found == Extra({"known": {"x": 1}, "holder": {"x": 1}})
    assert extra_fields({"type": "text"}, KNOWN, nested={"known": None}) is None


def test_a_member_that_is_kept_later() -> None:
    node = Text("Hi", None, None, HOLDER, kept(HOLDER, KNOWN))
    keep(node, "type", "text")
    assert node.extra == Extra({"seed": 1, "known": 2, "holder": 3, "type": "text"})


def test_copies_and_pickles_hold_the_fields() -> None:
    assert copy.copy(kept(HOLDER, KNOWN)) == kept(HOLDER, KNOWN)
    assert copy.deepcopy(kept(HOLDER, KNOWN)) == kept(HOLDER, KNOWN)
    assert pickle.loads(pickle.dumps(kept(HOLDER, KNOWN))) == kept(HOLDER, KNOWN)
    with pytest.raises(AttributeError):
        _ = kept(HOLDER, KNOWN).feilds  # type: ignore[union-attr]


def test_which_extra_fields_may_end_a_conversion_is_known_beforehand() -> None:
    """The rules of the others are looked up after the conversion; so is what functions decide that note theirs."""
    for name in proxai_ir.protocols():
        front = frontend(name)
        for cls, table in front.vendor_fields.items():
            for key, entry in table.items() if isinstance(table, Mapping) else ():
                assert may_end(entry) == (key in front.vocabulary.refused.get(cls, ())), (name, cls, key)


def may_end(entry: Any) -> bool:
    if isinstance(entry, Mapping):
        return any(may_end(inner) for inner in entry.values())
    return not ERRORS.isdisjoint(FINDS.get(entry, ERRORS)) if callable(entry) else entry in ERRORS


WORDS = ("completed", "failed", "in_progress", "commentary", "final_answer", "auto", "disabled", "standard", "x", "")
VALUES: tuple[Any, ...] = (
    *WORDS,
    True,
    False,
    0,
    1,
    [],
    {},
    ["direct"],
    {"type": "direct"},
    {"type": "auto"},
    [1],
    {"x": 1},
)


def test_functions_find_no_other_rules_than_those_that_they_note() -> None:
    for name in proxai_ir.protocols():
        frontend(name)  # whose vocabulary notes them
    assert {item_status, phase, caller, NAME_OF_RESULT} <= FINDS.keys()
    for find, rules in FINDS.items():
        assert {find(value) for value in VALUES} <= {*rules, ""}, (find, rules)


def test_a_vendor_field_without_which_nothing_is_converted() -> None:
    payload = {"model": "m", "input": "Hi", "conversation": "conv_1"}
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        proxai_ir.convert(payload, "openai_responses", "anthropic_messages", kind="request")
    assert [(found.code, found.path) for found in caught.value.diagnostics] == [("R2A-3", "/conversation")]


def test_strict_mode_stops_at_extra_fields() -> None:
    payload = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "moderation": {"level": "x"}}
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        proxai_ir.convert(payload, "openai_chat_completions", "openai_responses", kind="request", strict=True)
    assert [(found.code, found.path) for found in caught.value.diagnostics] == [("MOD-1", "/moderation")]


def test_an_unknown_lifetime_is_reported_where_its_breakpoint_is_dropped_too() -> None:
    text = {"type": "input_text", "text": "Hi", "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "99m"}}
    request = {"model": "m", "input": [{"type": "message", "role": "user", "content": [text]}]}
    found = proxai_ir.compile(request, "openai_responses", "gemini_generate_content", kind="request").diagnostics
    place = "/input/0/content/0/prompt_cache_breakpoint"
    assert {("UNK-4", f"{place}/ttl"), ("CAC-4", place)} <= {(one.rule, one.path) for one in found}


@pytest.mark.parametrize("user", [{}, {"user_id": "u"}], ids=["alone", "beside a known one"])
def test_each_member_of_metadata_that_no_protocol_has_is_named(user: dict[str, str]) -> None:
    request = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
    given = {**request, "metadata": {**user, "team": "a", "more": {"b": 1}}}
    found = proxai_ir.check(given, "anthropic_messages", "openai_chat_completions")
    assert [one.path for one in found if one.rule == "UNK-1"] == ["/metadata/team", "/metadata/more"]


@pytest.mark.parametrize(("edits", "rule"), [([], "ENV-7"), ([{"type": "clear_thinking_20251015"}], "CTX-1")])
def test_edits_of_the_context_are_a_loss_where_there_were_any(edits: list[Any], rule: str) -> None:
    response = {**ENVELOPES["anthropic_messages"], "context_management": {"applied_edits": edits}}
    found = proxai_ir.check(response, "anthropic_messages", "openai_chat_completions", kind="response")
    assert (rule, "/context_management") in [(one.rule, one.path) for one in found]
