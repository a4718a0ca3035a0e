"""Diagnostics: pointers that resolve and stay short, texts of bounded length, rendering that can wait (LOS-2)."""

from __future__ import annotations

import pickle
from copy import copy, deepcopy
from typing import Any

import orjson
import pytest
from hypothesis import strategies as st

import proxai_ir
from proxai_ir import Conversion, InvalidPayload, StreamError
from proxai_ir.json.pointer import MOST_LENGTH, MOST_PLACES, PointerIndex
from proxai_ir.reporting.diagnostics import MOST_DETAIL, MOST_NAMED, Diagnostic, render

from .trials import hold

Json = Any
ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
REQUEST: dict[str, Any] = {"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": "Hi"}], "seed": 7}
LOST = [("SMP-10", "/seed")]


def resolved(payload: Json, pointer: str) -> Json:
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        payload = payload[int(key)] if isinstance(payload, list) else payload[key]
    return payload


def pointers(payload: Json, *places: Json, tree: bool = False) -> list[list[str]]:
    index = PointerIndex(payload, tree)
    return [index.pointers(place) for place in places]


def containers(value: Json) -> list[Json]:
    """Those of a payload, each as often as it stands in it."""
    found = [value] if isinstance(value, (dict, list)) else []
    for one in found:
        found += [
            inner for inner in (one.values() if isinstance(one, dict) else one) if isinstance(inner, (dict, list))
        ]
    return found


# --- pointers ---------------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(["a", "b c", "~", "/", "~1", "", "ü", "0", "k" * 200, "l" * 600])
PAYLOADS = st.recursive(
    st.none() | st.integers() | st.just(""),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("tree", [True, False])
def test_each_container_is_found_where_it_is(tree: bool) -> None:
    def found(payload: Json) -> None:
        payload = deepcopy(payload)
        every = containers(payload)
        for container, (pointer,) in zip(every, pointers(payload, *every, tree=tree), strict=True):
            assert len(pointer) <= MOST_LENGTH
            there = resolved(payload, pointer)
            assert there is container or any(inner is container for inner in containers(there))
            if len(pointer) < MOST_LENGTH - 600:
                assert there is container

    hold(found, PAYLOADS, 100)


def test_keys_into_a_container_follow_its_path() -> None:
    payload = {"a/b": [{"c": 1}]}
    assert pointers(payload, (payload["a/b"][0], "c"), (payload, "a/b", 0, "c"), payload["a/b"], None) == [
        ["/a~1b/0/c"],
        ["/a~1b/0/c"],
        ["/a~1b"],
        [""],
    ]


def test_an_object_that_is_not_in_the_payload_counts_as_the_payload() -> None:
    assert pointers({"a": [1]}, ["x"], (["x"], 3)) == [[""], ["/3"]]
    assert pointers("text", ["x"]) == [[""]]


def test_all_places_of_a_shared_object() -> None:
    shared: dict[str, Any] = {"x": [1]}
    payload = {"a": [shared, {"b": shared}], "c": shared}
    assert pointers(payload, shared, (shared["x"], 0)) == [
        ["/c", "/a/0", "/a/1/b"],
        ["/c/x/0", "/a/0/x/0", "/a/1/b/x/0"],
    ]
    assert len(pointers([shared] * 1000, shared["x"])[0]) == MOST_PLACES


def test_cycles_end() -> None:
    payload: dict[str, Any] = {"a": {"b": []}}
    payload["a"]["b"] += [payload, payload["a"], payload["a"]["b"]]
    assert pointers(payload, payload, payload["a"], payload["a"]["b"])[1][0] == "/a"


def test_a_pointer_ends_where_it_would_be_too_long() -> None:
    inner: list[Any] = [{"b": number} for number in range(3)]
    payload = {"a": {"k" * MOST_LENGTH: {"x": inner}}}
    assert pointers(payload, *inner, (inner[0], "b"), (payload, "a", "k" * MOST_LENGTH, "x")) == [["/a"]] * 5
    found = pointers([payload, payload], *inner, (inner[0], "b"), (payload, "a", "k" * MOST_LENGTH, "x"))
    assert found == [["/0/a", "/1/a"]] * 5
    assert {type(each) for every in found for each in every} == {str}


def test_depth_and_width_cost_no_more_than_their_size() -> None:
    leaves: list[Json] = [[] for _ in range(20_000)]
    payload = leaves
    for _ in range(20_000):
        payload = [payload]
    assert {pointer for (pointer,) in pointers(payload, *leaves)} == {"/0" * (MOST_LENGTH // 2)}
    assert len(set(map(tuple, pointers([payload, payload], *leaves)))) == 1


# --- texts of bounded length ------------------------------------------------------------------------------------------


def test_a_long_key_is_not_repeated_for_all_that_is_inside() -> None:
    part = {
        "type": "text",
        "text": "Hi",
        "cache_control": {"type": "ephemeral", "k" * 24_000: {}, **{f"k{n}": n for n in range(9)}},
    }
    inner = {f"key {number}": 1 for number in range(1_000)}
    request = {**REQUEST, "messages": [{"role": "user", "content": [part]}], "k" * 24_000: inner, "seed": None}
    found = proxai_ir.check(request, ANTHROPIC, CHAT)
    assert found
    assert sum(len(one.path) + len(one.message) for one in found) < 5_000


def test_a_long_pointer_is_that_of_what_is_around() -> None:
    request = {**REQUEST, "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi", "k" * 600: 1}]}]}
    assert [one.path for one in proxai_ir.check(request, CHAT, ANTHROPIC) if one.code == "UNK-1"] == [
        "/messages/0/content/0"
    ]


@pytest.mark.parametrize(
    "changed",
    [
        {"stop": [5, "x" * 600_000]},
        {"tool_choice": "x" * 600_000},
        {"messages": [{"role": "x" * 600_000, "content": "Hi"}]},
        {"messages": [{"role": "tool", "tool_call_id": "x" * 600_000, "content": "Hi"}]},
        {"x" * 600_000: 1},
    ],
    ids=["stop", "choice", "role", "call id", "key"],
)
def test_messages_quote_no_long_value_whole(changed: dict[str, Any]) -> None:
    found = proxai_ir.check({**REQUEST, **changed}, CHAT, ANTHROPIC)
    assert len(found) > 1 or [one.severity for one in found] == ["error"]
    assert all(len(str(one)) < 2 * MOST_DETAIL + MOST_LENGTH for one in found)


def test_a_detail_of_any_length_is_cut() -> None:
    (one,) = render([("SHP-1", None, "x" * 10_000)], None)
    assert one.message.endswith("x…)")
    assert len(one.message) < 2 * MOST_DETAIL


def test_the_text_of_an_error_names_the_first_refusals_and_counts_the_others() -> None:
    turns = [{"role": "user", "content": [{"type": "x"}]} for _ in range(5_000)]
    with pytest.raises(proxai_ir.TranslationError) as caught:
        proxai_ir.convert({**REQUEST, "messages": turns}, CHAT, ANTHROPIC)
    error = caught.value
    assert len(error.diagnostics) == len(turns)
    assert len(str(error)) < 200 * MOST_NAMED
    assert str(error).count("UNK-") == MOST_NAMED
    assert str(error).endswith(f"; and {len(turns) - MOST_NAMED} more")


@pytest.mark.parametrize("wrong", [10**5_000, {"a": [{}] * 5}], ids=["number", "object"])
def test_values_that_have_no_short_form_are_described(wrong: Json) -> None:
    converter = proxai_ir.StreamConverter(RESPONSES, ANTHROPIC)
    response = {"id": "r", "object": "response", "created_at": 1, "status": "in_progress", "model": "m", "output": []}
    item = {"id": "x", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    part = {"type": "output_text", "text": wrong, "annotations": []}
    place = {"item_id": "x", "output_index": 0, "content_index": 0}
    converter.feed({"type": "response.created", "sequence_number": 0, "response": response})
    converter.feed({"type": "response.output_item.added", "output_index": 0, "sequence_number": 1, "item": item})
    with pytest.raises(proxai_ir.TranslationError):
        converter.feed({"type": "response.content_part.added", "sequence_number": 2, "part": part, **place})


# --- the root ---------------------------------------------------------------------------------------------------------


def test_the_empty_pointer_is_called_the_same_everywhere() -> None:
    (one,) = render([("STR-2", None, "")], None)
    assert str(one).startswith("error STR-2 (the whole payload) ")
    assert str(StreamError([one])).startswith("STR-2 at (the whole payload): ")
    assert one.path == ""


# --- when they are rendered -------------------------------------------------------------------------------------------


def lost(made: Conversion) -> list[tuple[str, str]]:
    return [(one.code, one.path) for one in made.diagnostics]


@pytest.mark.parametrize("binary", [bytes, bytearray, memoryview])
def test_those_of_bytes_wait_until_they_are_read(binary: type, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[Any] = []

    def counted(*given: Any, **more: Any) -> Any:
        rendered.append(given)
        return render(*given, **more)

    monkeypatch.setattr("proxai_ir.conversion.conversion.render", counted)
    made = proxai_ir.compile(binary(orjson.dumps(REQUEST)), CHAT, ANTHROPIC)
    assert not rendered
    assert [lost(made), lost(made)] == [LOST, LOST]
    assert len(rendered) == 1


def test_those_of_objects_stay_when_the_caller_changes_the_payload() -> None:
    request = deepcopy(REQUEST)
    made = proxai_ir.compile(request, CHAT, ANTHROPIC)
    request.clear()
    assert lost(made) == LOST


@pytest.mark.parametrize("payload", [REQUEST, orjson.dumps(REQUEST)], ids=["object", "bytes"])
@pytest.mark.parametrize("twin", [copy, deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
def test_conversions_are_copied_and_pickled_with_them(payload: Json, twin: Any) -> None:
    made = proxai_ir.compile(payload, CHAT, ANTHROPIC)
    again = twin(made)
    assert (again.output, again.kind, again.state, lost(again)) == (made.output, made.kind, made.state, LOST)
    assert again.diagnostics == made.diagnostics
    assert type(again.diagnostics[0]) is Diagnostic


def test_none_is_named_twice() -> None:
    node = {"a": 1}
    found = render([("UNK-1", (node, "a"), "x"), ("UNK-1", (node, "a"), ""), ("UNK-1", (node, "a"), "x")], {"n": node})
    assert [one.message.endswith("(x)") for one in found] == [True, False]


def test_a_refusal_of_bytes_is_a_refusal_of_objects() -> None:
    request = {**REQUEST, "messages": [{"role": "x", "content": "Hi"}]}
    for payload in (request, orjson.dumps(request)):
        with pytest.raises(InvalidPayload) as caught:
            proxai_ir.convert(payload, CHAT, ANTHROPIC, kind="request")
        assert caught.value.path == "/messages/0/role"
