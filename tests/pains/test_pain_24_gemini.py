"""Pain 24, of Gemini: calls without ids, results that are known by name alone, and ids that come and go."""

from __future__ import annotations

import pytest

import proxai_ir
from proxai_ir import TranslationError

from .generate_content import (
    GEMINI,
    Json,
    call,
    from_gemini,
    function,
    functions,
    model,
    request,
    response,
    result,
    stream,
    text,
    to_gemini,
)
from .generate_content import user as asked
from .support import ANTHROPIC, CHAT, RESPONSES, again, assistant, calls_of, chat, message, user

TOOLS = {"tools": functions(function("look"), function("find"))}


def ids_of(messages: list[Json]) -> tuple[list[str], list[str]]:
    """Of chat's calls, and of its results."""
    calls = [one["id"] for message in messages for one in message.get("tool_calls") or ()]
    return calls, [message["tool_call_id"] for message in messages if message["role"] == "tool"]


def test_parallel_calls_of_one_name_keep_their_order() -> None:
    given = request(
        asked(text("Look.")),
        model(call("look", {"at": 1}), call("look", {"at": 2}), call("look", {"at": 3})),
        asked(*(result("look", {"output": one}) for one in ("one", "two", "three"))),
        **TOOLS,
    )
    made = from_gemini(given, CHAT).output["messages"]
    calls, results = ids_of(made)
    assert len({*calls}) == 3
    assert results == calls
    assert [one["content"] for one in made if one["role"] == "tool"] == ["one", "two", "three"]
    assert again(given, GEMINI) == given


def test_results_are_matched_by_name_before_their_order() -> None:
    given = request(
        asked(text("Look.")),
        model(call("look", {}), call("find", {})),
        asked(result("find", {"output": "found"}), result("look", {"output": "seen"})),
        **TOOLS,
    )
    made = from_gemini(given, CHAT).output["messages"]
    calls, results = ids_of(made)
    assert results == [calls[1], calls[0]]


def test_ids_are_the_same_each_time() -> None:
    """A client's cache, and a provider's, know a conversation by its bytes."""
    turns = [
        asked(text("Look.")),
        model(call("look", {"at": 1})),
        asked(result("look", {"output": "one"})),
        model(call("look", {"at": 2})),
        asked(result("look", {"output": "two"})),
    ]
    shorter = from_gemini(request(*turns[:3], **TOOLS), CHAT).output["messages"]
    longer = from_gemini(request(*turns, **TOOLS), CHAT).output["messages"]
    assert longer[:3] == shorter
    calls, _ = ids_of(longer)
    assert len({*calls}) == 2


def test_ids_that_there_are_stay() -> None:
    given = request(
        asked(text("Look.")),
        model(call("look", {}, id="x1"), call("look", {}, id="x2")),
        asked(result("look", {"output": "two"}, id="x2"), result("look", {"output": "one"}, id="x1")),
        **TOOLS,
    )
    assert ids_of(from_gemini(given, CHAT).output["messages"]) == (["x1", "x2"], ["x2", "x1"])
    assert again(given, GEMINI) == given


def test_the_name_of_a_result_is_that_of_its_call() -> None:
    """And never the id (AstrBot#9876)."""
    given = chat.request(
        user("Look."),
        assistant(None, tool_calls=[chat.call("look", "{}", "call_1073557")]),
        chat.result("seen", "call_1073557"),
        tools=[chat.tool("look")],
    )
    assert to_gemini(given, CHAT).output["contents"][2] == asked(result("look", {"output": "seen"}, id="call_1073557"))
    assert to_gemini(given, CHAT, call_ids=False).output["contents"][2] == asked(result("look", {"output": "seen"}))


def test_a_result_without_its_call_is_refused() -> None:
    with pytest.raises(TranslationError) as caught:
        to_gemini(chat.request(user("Look."), chat.result("one")), CHAT)
    assert caught.value.rule == "TUL-3"
    given = request(asked(text("Look.")), asked(result("look", {"output": "one"})), **TOOLS)
    for dst in (CHAT, ANTHROPIC, RESPONSES):
        with pytest.raises(TranslationError) as caught:
            from_gemini(given, dst)
        assert caught.value.rule == "TUL-3"


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC, RESPONSES])
def test_calls_of_a_response_get_ids_of_their_own(dst: str) -> None:
    parts = [call("look", {"at": 1}), call("look", {"at": 2})]
    whole = from_gemini(response(*parts), dst, "response").output
    if dst == CHAT:
        ids = [one["id"] for one in whole["choices"][0]["message"]["tool_calls"]]
    elif dst == ANTHROPIC:
        ids = [one["id"] for one in whole["content"]]
    else:
        ids = [one["call_id"] for one in whole["output"]]
    assert all(ids)
    assert len({*ids}) == 2
    streamed = [one for one, _, _ in calls_of(dst, from_gemini(stream(parts), dst, "stream").output)]
    assert len({*streamed}) == 2


def test_a_whole_loop_without_ids() -> None:
    """A client of chat with a model that has no ids: the second request is the first one's words again."""
    called = message(from_gemini(response(call("look", {"at": 1})), CHAT, "response"))
    back = chat.request(
        user("Look."),
        assistant(None, tool_calls=called["tool_calls"]),
        chat.result("one", called["tool_calls"][0]["id"]),
        tools=[chat.tool("look")],
    )
    made = proxai_ir.convert(back, CHAT, proxai_ir.Profile(GEMINI, call_ids=False, dummy_signatures=False))
    assert made["contents"][1:] == [model(call("look", {"at": 1})), asked(result("look", {"output": "one"}))]
