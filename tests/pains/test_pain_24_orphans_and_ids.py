"""Pain 24: results without calls, calls without results, ids that do not match: endless loops of an agent."""

from __future__ import annotations

import zlib
from copy import deepcopy

import pytest

import proxai_ir
from proxai_ir import TranslationError, ir
from proxai_ir.ir.request import Role
from proxai_ir.ir.response import Response, StopReason

from . import generate_content as google
from .generate_content import GEMINI
from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    again,
    anthropic,
    assistant,
    calls_of,
    chat,
    from_responses,
    losses,
    message,
    notes,
    refusals,
    responses,
    to_anthropic,
    to_chat,
    to_responses,
    user,
)

LOOK = {"tools": [chat.tool("look")]}


def test_a_result_without_its_call_is_refused_by_both() -> None:
    assert refusals(chat.request(user("Look."), chat.result("one")), CHAT) == [("TUL-3", "/messages/1/tool_call_id")]
    orphan = anthropic.request(user([anthropic.tool_result("one")]), tools=[anthropic.tool("look")])
    assert refusals(orphan, ANTHROPIC) == [("TUL-3", "/messages/0/content/0/tool_use_id")]


def test_a_second_result_of_a_call_is_refused() -> None:
    twice = chat.request(
        user("Look."), assistant(tool_calls=[chat.call("look")]), chat.result("1"), chat.result("2"), **LOOK
    )
    assert refusals(twice, CHAT) == [("TUL-3", "/messages/3/tool_call_id")]


def test_a_result_of_an_earlier_turn_comes_too_late() -> None:
    late = anthropic.request(
        user("Look."),
        assistant([anthropic.tool_use("look")]),
        user([anthropic.tool_result("one")]),
        assistant("Fine."),
        user([anthropic.tool_result("one")]),
        tools=[anthropic.tool("look")],
    )
    assert refusals(late, ANTHROPIC) == [("TUL-3", "/messages/4/content/0/tool_use_id")]


def test_an_id_may_come_again_in_a_later_turn() -> None:
    """Some servers number the calls of each turn from 0."""
    turn = [assistant(None, tool_calls=[chat.call("look")]), chat.result("one")]
    made = to_anthropic(chat.request(user("Look."), *turn, *deepcopy(turn), **LOOK))
    assert calls_and_results(made.output) == ["call_1", "call_1", AGAIN, AGAIN]
    assert losses(made) == []
    assert notes(made) == [("TUL-46", "/messages/3/tool_calls/0/id"), ("TUL-46", "/messages/4/tool_call_id")]


AGAIN = f"call_1_{zlib.crc32(b'1 call_1'):08x}"
THRICE = f"call_1_{zlib.crc32(b'2 call_1'):08x}"


def calls_and_results(request: Json) -> list[str]:
    """The ids of the calls and of their results, in order."""
    blocks = [block for one in request["messages"] if isinstance(one["content"], list) for block in one["content"]]
    return [block.get("id") or block["tool_use_id"] for block in blocks]


def test_a_longer_conversation_begins_with_the_shorter_one() -> None:
    """Or the provider's prompt cache would not find it."""
    turn = [assistant(None, tool_calls=[chat.call("look")]), chat.result("one")]
    taken = [assistant(None, tool_calls=[chat.call("look", call_id=AGAIN)]), chat.result("one", AGAIN)]
    history: list[Json] = [user("Look.")]
    before: list[Json] = []
    for more in (turn, turn, taken, turn):
        history += more
        made = to_anthropic(chat.request(*history, **LOOK)).output
        assert made["messages"][: len(before)] == before
        before = made["messages"]
    identities = calls_and_results(made)
    assert identities[::2] == identities[1::2]
    assert identities[::2] == ["call_1", AGAIN, f"{AGAIN}_{zlib.crc32(f'1 {AGAIN}'.encode()):08x}", THRICE]


def test_results_of_calls_with_one_id_come_in_their_order() -> None:
    """Some servers take the name of the tool for the id."""
    calls = [chat.call("look", '{"at": 1}', "look"), chat.call("look", '{"at": 2}', "look")]
    both = [chat.result("one", "look"), chat.result("two", "look")]
    sent = f"look_{zlib.crc32(b'1 look'):08x}"
    history = chat.request(user("Look."), assistant(tool_calls=calls), *both, **LOOK)
    assert calls_and_results(to_anthropic(history).output) == ["look", sent, "look", sent]
    _, *items = to_responses(history, CHAT).output["input"]
    assert [item["call_id"] for item in items] == ["look", sent, "look", sent]
    _, asked, answered = proxai_ir.convert(history, CHAT, GEMINI)["contents"]
    assert [part["functionCall"]["id"] for part in asked["parts"]] == ["look", sent]
    assert [part["functionResponse"]["id"] for part in answered["parts"]] == ["look", sent]
    lacking = chat.request(user("Look."), assistant(tool_calls=calls), both[0], **LOOK)
    assert refusals(lacking, CHAT) == [("TUL-16", "/messages/1/tool_calls/1/id")]


@pytest.mark.parametrize("dst", [ANTHROPIC, RESPONSES, GEMINI])
def test_a_response_has_no_id_of_the_conversation(dst: str) -> None:
    """Whole and streamed, three rounds: the client and the provider get each id once, and the pairs stay together."""
    history: list[Json] = [user("Look.")]
    for _ in range(3):
        asked = proxai_ir.compile(chat.request(*history, **LOOK), CHAT, dst)
        answered = proxai_ir.convert(chat.response("tool_calls", tool_calls=[chat.call("look")]), CHAT, dst)
        made = proxai_ir.convert(answered, dst, CHAT, kind="response", state=asked.state)
        (call,) = made["choices"][0]["message"]["tool_calls"]
        events = proxai_ir.convert(
            chat.stream(chat.calls(chat.fragment(0, "{}", "call_1", "look")), finish="tool_calls"), CHAT, dst
        )
        streamed = proxai_ir.convert(events, dst, CHAT, kind="stream", state=asked.state)
        assert calls_of(CHAT, streamed) == [(call["id"], "look", {})]
        history += [assistant(tool_calls=[call]), chat.result("one", call["id"])]
    assert [turn["tool_calls"][0]["id"] for turn in history[1::2]] == ["call_1", AGAIN, THRICE]
    assert all(one.code != "TUL-46" for one in proxai_ir.check(chat.request(*history, **LOOK), CHAT, dst))


def test_each_candidate_counts_for_itself() -> None:
    """The client goes on with one of them."""
    response = chat.response("tool_calls", tool_calls=[chat.call("look"), chat.call("look", '{"at": "sea"}')])
    response["choices"].append({**deepcopy(response["choices"][0]), "index": 1})
    made = proxai_ir.convert(response, CHAT, GEMINI, kind="response")
    calls = [[part["functionCall"]["id"] for part in one["content"]["parts"]] for one in made["candidates"]]
    assert calls == [["call_1", AGAIN]] * 2


def test_a_relay_changes_no_id() -> None:
    turn = [assistant(None, tool_calls=[chat.call("look")]), chat.result("one")]
    history = chat.request(user("Look."), *turn, *turn, **LOOK)
    assert proxai_ir.convert(history, CHAT, CHAT) == history
    sent = proxai_ir.convert(history, CHAT, GEMINI)
    assert proxai_ir.convert(sent, GEMINI, CHAT, model="m")["messages"][1:] == [*turn, *turn]


@pytest.mark.parametrize("odd", ["call|1", "call.1", "aufruf-ü", "functions.look:0"])
def test_an_id_in_a_foreign_alphabet_is_rewritten_the_same_on_both_ends(odd: str) -> None:
    made = to_anthropic(
        chat.request(
            user("Look."), assistant(tool_calls=[chat.call("look", call_id=odd)]), chat.result("one", odd), **LOOK
        )
    )
    block: Json = made.output["messages"][1]["content"][0]
    response: Json = made.output["messages"][2]["content"][0]
    assert block["id"] == response["tool_use_id"]
    assert set(block["id"]) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    assert losses(made) == []
    assert notes(made) == [("TUL-13", "/messages/1/tool_calls/0/id"), ("TUL-13", "/messages/2/tool_call_id")]


def test_ids_that_differ_stay_different_when_rewritten() -> None:
    calls = [chat.call("look", call_id="a.1"), chat.call("look", call_id="a:1"), chat.call("look", call_id="a_1")]
    results = [chat.result("one", call["id"]) for call in calls]
    made = to_anthropic(chat.request(user("Look."), assistant(tool_calls=calls), *results, **LOOK))
    assert len({block["id"] for block in made.output["messages"][1]["content"]}) == 3


LONG = "call_" + "0123456789" * 6  # 65 characters, one more than Responses takes


def test_an_id_that_is_long_enough_stays() -> None:
    kept = LONG[:40]
    request = anthropic.request(
        user("Look."), assistant([anthropic.tool_use("look", call_id=kept)]), user([anthropic.tool_result("one", kept)])
    )
    assert to_chat(request).output["messages"][2]["tool_call_id"] == kept


def test_an_id_that_is_too_long_is_cut_in_a_stream() -> None:
    made = proxai_ir.compile(anthropic.stream(anthropic.call_block(LONG, "look", "{}")), ANTHROPIC, CHAT)
    choices = [choice for chunk in made.output if isinstance(chunk, dict) for choice in chunk["choices"]]
    fragments = [one for choice in choices for one in choice["delta"].get("tool_calls", ())]
    assert [one["id"] for one in fragments if "id" in one] == [LONG[:31] + "_" + "4054ed56"]
    assert ("TUL-13", "/1/content_block/id") in notes(made)


def test_the_id_of_an_item_is_never_taken_for_that_of_its_call() -> None:
    called = responses.call("look", id="fc_1")
    made = from_responses(responses.response(called), ANTHROPIC, "response")
    assert made.output["content"] == [anthropic.tool_use("look")]
    made = from_responses(responses.request(user("Look."), called, responses.result("one", id="fco_1")), CHAT)
    assert made.output["messages"][1:] == [assistant(tool_calls=[chat.call("look")]), chat.result("one")]


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_an_output_without_its_call_is_refused(dst: str) -> None:
    orphan = responses.request(user("Look."), responses.result("one"))
    assert refusals(orphan, RESPONSES, dst=dst) == [("TUL-3", "/input/1/call_id")]


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_an_output_that_names_no_call_is_refused(dst: str) -> None:
    """In its own protocol it is up to the provider."""
    unlinked = responses.request(user("Look."), {"type": "function_call_output", "output": "one"})
    assert refusals(unlinked, RESPONSES, dst=dst) == [("TUL-3", "/input/1")]
    assert again(unlinked, RESPONSES) == unlinked


@pytest.mark.parametrize("kind", ["function_call_output", "custom_tool_call_output"])
@pytest.mark.parametrize("output", ["one", [{"type": "input_text", "text": "one"}]])
def test_an_output_that_names_its_tool_alone_is_text(kind: str, output: Json) -> None:
    """Of a tool that ran on while the model did something else: no call waits for it any more."""
    named = responses.request(user("Look."), {"type": kind, "name": "look", "output": output})
    said = [{"type": "text", "text": "Result of the tool look:"}, {"type": "text", "text": "one"}]
    assert from_responses(named, ANTHROPIC).output["messages"] == [user("Look."), user(said)]
    assert again(named, RESPONSES) == named


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_a_call_that_is_passed_over_is_refused(dst: str) -> None:
    skipped = responses.request(user("Look."), responses.call("look"), user("Never mind."))
    assert refusals(skipped, RESPONSES, dst=dst) == [("TUL-10", "/input/1/call_id")]


@pytest.mark.parametrize("dst", [ANTHROPIC, GEMINI, RESPONSES])
def test_a_legacy_result_is_one_that_names_a_tool_and_no_call(dst: str) -> None:
    """It is moved like any turn, and refused where ids link results to calls (TUL-5)."""
    called = {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}}
    result = {"role": "function", "name": "look", "content": "one"}
    given = chat.request(user("Look."), called, result)
    assert refusals(given, CHAT, dst=dst) == [("TUL-5", "/messages/2"), ("TUL-5", "/messages/1/function_call")]
    tree = proxai_ir.lower(given, CHAT, kind="request")
    assert tree.turns is not None
    (part,) = tree.turns[2].parts
    assert isinstance(part, ir.ToolResult)
    assert (tree.turns[2].role, part.call_id, part.name) == (Role.TOOL, None, "look")
    tree.turns += tree.turns[1:]
    assert proxai_ir.raise_to(tree, CHAT)["messages"] == [user("Look."), called, result, called, result]


def test_the_legacy_ending_is_that_of_calls() -> None:
    given = chat.response("function_call", content=None, function_call={"name": "look", "arguments": "{}"})
    response = proxai_ir.lower(given, CHAT, kind="response")
    assert isinstance(response, Response)
    (candidate,) = response.candidates
    assert (candidate.terminal.reason, candidate.terminal.raw) == (StopReason.TOOL_CALLS, "function_call")


# --- Gemini -----------------------------------------------------------------------------------------------------------
# Calls without ids, results that are known by name alone, and ids that come and go.

TOOLS = {"tools": google.functions(google.function("look"), google.function("find"))}


def ids_of(messages: list[Json]) -> tuple[list[str], list[str]]:
    """Of chat's calls, and of its results."""
    calls = [one["id"] for message in messages for one in message.get("tool_calls") or ()]
    return calls, [message["tool_call_id"] for message in messages if message["role"] == "tool"]


def test_parallel_calls_of_one_name_keep_their_order() -> None:
    given = google.request(
        google.user(google.text("Look.")),
        google.model(google.call("look", {"at": 1}), google.call("look", {"at": 2}), google.call("look", {"at": 3})),
        google.user(*(google.result("look", {"output": one}) for one in ("one", "two", "three"))),
        **TOOLS,
    )
    made = google.from_gemini(given, CHAT).output["messages"]
    calls, results = ids_of(made)
    assert len({*calls}) == 3
    assert results == calls
    assert [one["content"] for one in made if one["role"] == "tool"] == ["one", "two", "three"]
    assert again(given, GEMINI) == given


def test_results_are_matched_by_name_before_their_order() -> None:
    given = google.request(
        google.user(google.text("Look.")),
        google.model(google.call("look", {}), google.call("find", {})),
        google.user(google.result("find", {"output": "found"}), google.result("look", {"output": "seen"})),
        **TOOLS,
    )
    made = google.from_gemini(given, CHAT).output["messages"]
    calls, results = ids_of(made)
    assert results == [calls[1], calls[0]]


def test_ids_are_the_same_each_time() -> None:
    """A client's cache, and a provider's, know a conversation by its bytes."""
    turns = [
        google.user(google.text("Look.")),
        google.model(google.call("look", {"at": 1})),
        google.user(google.result("look", {"output": "one"})),
        google.model(google.call("look", {"at": 2})),
        google.user(google.result("look", {"output": "two"})),
    ]
    shorter = google.from_gemini(google.request(*turns[:3], **TOOLS), CHAT).output["messages"]
    longer = google.from_gemini(google.request(*turns, **TOOLS), CHAT).output["messages"]
    assert longer[:3] == shorter
    calls, _ = ids_of(longer)
    assert len({*calls}) == 2


def test_ids_that_there_are_stay() -> None:
    given = google.request(
        google.user(google.text("Look.")),
        google.model(google.call("look", {}, id="x1"), google.call("look", {}, id="x2")),
        google.user(
            google.result("look", {"output": "two"}, id="x2"), google.result("look", {"output": "one"}, id="x1")
        ),
        **TOOLS,
    )
    assert ids_of(google.from_gemini(given, CHAT).output["messages"]) == (["x1", "x2"], ["x2", "x1"])
    assert again(given, GEMINI) == given


def test_the_name_of_a_result_is_that_of_its_call() -> None:
    """And never the id (AstrBot#9876)."""
    given = chat.request(
        user("Look."),
        assistant(None, tool_calls=[chat.call("look", "{}", "call_1073557")]),
        chat.result("seen", "call_1073557"),
        tools=[chat.tool("look")],
    )
    assert google.to_gemini(given, CHAT).output["contents"][2] == google.user(
        google.result("look", {"output": "seen"}, id="call_1073557")
    )
    assert google.to_gemini(given, CHAT, call_ids=False).output["contents"][2] == google.user(
        google.result("look", {"output": "seen"})
    )


def test_a_result_without_its_call_is_refused() -> None:
    with pytest.raises(TranslationError) as caught:
        google.to_gemini(chat.request(user("Look."), chat.result("one")), CHAT)
    assert caught.value.rule == "TUL-3"
    given = google.request(
        google.user(google.text("Look.")), google.user(google.result("look", {"output": "one"})), **TOOLS
    )
    for dst in (CHAT, ANTHROPIC, RESPONSES):
        with pytest.raises(TranslationError) as caught:
            google.from_gemini(given, dst)
        assert caught.value.rule == "TUL-3"


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC, RESPONSES])
def test_calls_of_a_response_get_ids_of_their_own(dst: str) -> None:
    parts = [google.call("look", {"at": 1}), google.call("look", {"at": 2})]
    whole = google.from_gemini(google.response(*parts), dst, "response").output
    if dst == CHAT:
        ids = [one["id"] for one in whole["choices"][0]["message"]["tool_calls"]]
    elif dst == ANTHROPIC:
        ids = [one["id"] for one in whole["content"]]
    else:
        ids = [one["call_id"] for one in whole["output"]]
    assert all(ids)
    assert len({*ids}) == 2
    streamed = [one for one, _, _ in calls_of(dst, google.from_gemini(google.stream(parts), dst, "stream").output)]
    assert len({*streamed}) == 2


def test_a_whole_loop_without_ids() -> None:
    """A client of chat with a model that has no ids: the second request is the first one's words again."""
    called = message(google.from_gemini(google.response(google.call("look", {"at": 1})), CHAT, "response"))
    back = chat.request(
        user("Look."),
        assistant(None, tool_calls=called["tool_calls"]),
        chat.result("one", called["tool_calls"][0]["id"]),
        tools=[chat.tool("look")],
    )
    made = proxai_ir.convert(back, CHAT, proxai_ir.Profile(GEMINI, call_ids=False, dummy_signatures=False))
    assert made["contents"][1:] == [
        google.model(google.call("look", {"at": 1})),
        google.user(google.result("look", {"output": "one"})),
    ]
