"""Pain 08: Gemini's thought signatures get lost on the way, and the next turn is refused without them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir

from .generate_content import (
    GEMINI,
    USAGE,
    Json,
    call,
    from_gemini,
    function,
    functions,
    inline,
    model,
    request,
    response,
    result,
    stream,
    text,
    to_gemini,
    user,
)
from .support import ANTHROPIC, CHAT, RESPONSES, again, anthropic, assistant, chat, losses, notes
from .support import user as said

SIGNATURE = "CiIBVKhc7l5mzkoZSRQfFeCS44vjuGk3o7tGrA=="
DUMMY = "skip_thought_signature_validator"
LOOK = {"tools": functions(function("look"))}
CHAT_LOOK: Json = {"tools": [chat.tool("look")]}
OTHERS = [CHAT, ANTHROPIC, RESPONSES]

STEP = [
    text("Two places.", thought=True),
    call("look", {"at": 1}, SIGNATURE),
    call("look", {"at": 2}),
]
RESULTS = user(result("look", {"output": "one"}), result("look", {"output": "two"}))


# --- Gemini to itself -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parts",
    [
        STEP,
        [text("It is", thoughtSignature=SIGNATURE), text(" 42.")],
        [text("42."), text("", thoughtSignature=SIGNATURE)],
        [text("A sky.", thought=True, thoughtSignature=SIGNATURE), {**inline(), "thoughtSignature": SIGNATURE}],
    ],
    ids=["a call", "a text", "an empty text at the end", "a thought and an image"],
)
def test_a_signature_stays_where_it_stood(parts: list[Json]) -> None:
    assert again(response(*parts), GEMINI, "response") == response(*parts)
    turns = [user(text("Look.")), model(*parts)]
    turns += [RESULTS] if parts is STEP else [user(text("And?"))]
    assert again(request(*turns, **LOOK), GEMINI) == request(*turns, **LOOK)


def test_a_signature_in_a_stream_stays_in_its_chunk() -> None:
    events = stream([STEP[0]], [STEP[1]], [STEP[2]], [text("", thoughtSignature=SIGNATURE)])
    back: Json = again(events, GEMINI, "stream")
    assert back == events


# --- to targets that cannot hold it -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dst", OTHERS)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_signature_on_a_call_is_named_where_it_is_lost(dst: str, streamed: bool) -> None:
    payload: Any = stream([STEP[1]]) if streamed else response(STEP[1], usageMetadata=USAGE)
    made = from_gemini(payload, dst, "stream" if streamed else "response")
    path = "/0" if streamed else ""
    assert ("RSN-4", f"{path}/candidates/0/content/parts/0/thoughtSignature") in losses(made)
    assert SIGNATURE not in json.dumps(made.output)


def test_a_signature_on_a_thought_travels_in_an_envelope() -> None:
    signed = text("Two places.", thought=True, thoughtSignature=SIGNATURE)
    made = from_gemini(response(signed, text("Done.")), ANTHROPIC, "response", carry_seals=True)
    thinking, words = made.output["content"]
    assert (thinking["type"], thinking["thinking"], words["text"]) == ("thinking", "Two places.", "Done.")
    assert thinking["signature"] not in ("", SIGNATURE)
    asked = anthropic.request(said("Look."), assistant([thinking, words]), said("And?"))
    back = to_gemini(asked, ANTHROPIC, carry_seals=True)
    assert back.output["contents"][1] == model(signed, text("Done."))


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("keys", [{"carry_seals": True}, {"seal_keys": {"k": b"a key of 16 bytes"}}], ids=["", "keys"])
@pytest.mark.parametrize("dst", [ANTHROPIC, RESPONSES])
def test_the_signature_of_a_call_comes_back_on_it(dst: str, keys: dict[str, Any], streamed: bool) -> None:
    """RSN-24: the client sends all of the response back, and its results."""
    if streamed:
        converter = proxai_ir.StreamConverter(GEMINI, dst, keep_response=True, **keys)
        for event in stream([STEP[0]], [STEP[1]], [STEP[2]]):
            converter.feed(event)
        converter.close()
        made = converter.response
    else:
        made = from_gemini(response(*STEP, usageMetadata=USAGE), dst, "response", **keys).output
    assert SIGNATURE not in json.dumps(made)
    asked: Json = {"model": "m", "tools": [] if dst == RESPONSES else [anthropic.tool("look")]}
    if dst == RESPONSES:
        ids = [item["call_id"] for item in made["output"] if item["type"] == "function_call"]
        results = [{"type": "function_call_output", "call_id": one, "output": "r"} for one in ids]
        asked |= {"input": [said("Look."), *made["output"], *results]}
    else:
        ids = [block["id"] for block in made["content"] if block["type"] == "tool_use"]
        blocks = [{"type": "tool_result", "tool_use_id": one, "content": "r"} for one in ids]
        asked |= {"max_tokens": 99, "messages": [said("Look."), assistant(made["content"]), said(blocks)]}
    back = to_gemini(asked, dst, **keys)
    assert signatures(back) == [[SIGNATURE, None]]
    assert [part["text"] for part in back.output["contents"][1]["parts"] if part.get("thought")] == ["Two places."]
    assert losses(back) == []


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ({"type": "custom", "name": "run"}, {"input": "ls"}, "custom_tool_call"),
        ({"type": "local_shell"}, {"command": ["ls"]}, "local_shell_call"),
    ],
)
def test_it_comes_back_where_the_tool_was_sent_as_a_function(
    tool: Json, arguments: Json, kind: str, streamed: bool
) -> None:
    """TUL-19, TUL-34: the call is one of the client's own tools again."""
    options: Json = {"carry_seals": True, "emulate": "auto"}
    sent = proxai_ir.compile({"model": "m", "input": "Look.", "tools": [tool]}, RESPONSES, GEMINI, **options)
    (declared,) = sent.output["tools"][0]["functionDeclarations"]
    called = call(declared["name"], arguments, SIGNATURE)
    if streamed:
        converter = proxai_ir.StreamConverter(GEMINI, RESPONSES, keep_response=True, state=sent.state, **options)
        for event in stream([called]):
            converter.feed(event)
        converter.close()
        made = converter.response
    else:
        whole = response(called, usageMetadata=USAGE)
        made = proxai_ir.convert(whole, GEMINI, RESPONSES, kind="response", state=sent.state, **options)
    assert [item["type"] for item in made["output"]] == ["reasoning", kind]
    last = made["output"][-1]
    result: Json = {"type": f"{kind}_output", "call_id": last["call_id"], "output": "done"}
    asked = {"model": "m", "tools": [tool], "input": [said("Look."), *made["output"], result]}
    assert signatures(to_gemini(asked, RESPONSES, **options)) == [[SIGNATURE]]


def test_a_signature_without_its_call_stays_in_its_envelope() -> None:
    made = from_gemini(response(STEP[1], usageMetadata=USAGE), ANTHROPIC, "response", carry_seals=True)
    envelope = made.output["content"][0]
    asked = anthropic.request(said("Look."), assistant([envelope, {"type": "text", "text": "No."}]), said("Why?"))
    back = to_gemini(asked, ANTHROPIC, carry_seals=True)
    assert SIGNATURE not in json.dumps(back.output)
    assert losses(back) == [("RSN-10", "/messages/1/content/0")]


@pytest.mark.parametrize("options", [{}, {"carry_seals": True}], ids=["", "carried"])
def test_the_signature_of_another_provider_is_never_that_of_a_call(options: dict[str, Any]) -> None:
    """Gemini: "Corrupted thought signature." """
    thinking: Json = {"type": "thinking", "thinking": "Look there.", "signature": "EqQBCkYIBxgCKkB8="}
    asked = anthropic.request(
        said("Look."),
        assistant([thinking, anthropic.tool_use("look", {"at": 1})]),
        said([anthropic.tool_result("one")]),
        tools=[anthropic.tool("look")],
    )
    made = to_gemini(asked, ANTHROPIC, **options)
    (called,) = [part for part in made.output["contents"][1]["parts"] if "functionCall" in part]
    assert "thoughtSignature" not in called
    assert "EqQBCkYIBxgCKkB8=" not in json.dumps(made.output)


# --- histories that another model made --------------------------------------------------------------------------------


def history(*behind: Json) -> Json:
    """Two steps of one turn; the first has two calls."""
    first = [chat.call("look", '{"at":1}', "a"), chat.call("look", '{"at":2}', "b")]
    return chat.request(
        said("Look."),
        assistant(None, tool_calls=first),
        chat.result("one", "a"),
        chat.result("two", "b"),
        assistant(None, tool_calls=[chat.call("look", '{"at":3}', "c")]),
        chat.result("three", "c"),
        *behind,
        **CHAT_LOOK,
    )


def signatures(made: proxai_ir.Conversion) -> list[list[str | None]]:
    """Of the calls of each turn."""
    turns = [[part for part in turn["parts"] if "functionCall" in part] for turn in made.output["contents"]]
    return [[part.get("thoughtSignature") for part in turn] for turn in turns if turn]


def test_without_the_option_no_signature_is_made_up() -> None:
    assert signatures(to_gemini(history(), CHAT)) == [[None, None], [None]]


def test_the_first_call_of_each_step_gets_the_placeholder() -> None:
    made = to_gemini(history(), CHAT, dummy_signatures=True)
    assert signatures(made) == [[DUMMY, None], [DUMMY]]
    found = [one for one in notes(made) if one[0] == "RSN-22"]
    assert found == [("RSN-22", "/messages/1/tool_calls/0"), ("RSN-22", "/messages/4/tool_calls/0")]


def test_a_real_signature_is_not_replaced() -> None:
    turns = [user(text("Look.")), model(*STEP), RESULTS, model(call("look", {"at": 3})), user(result("look", {}))]
    through = proxai_ir.convert(request(*turns, **LOOK), GEMINI, GEMINI, dummy_signatures=True)
    assert through["contents"][1] == model(*STEP)


def test_the_official_server_accepts_the_history_with_the_option() -> None:
    from ..servers import gemini_api, vertex_ai

    bare = to_gemini(history(), CHAT).output
    assert {one.partition(":")[0] for one in gemini_api.refusals(bare, {})} == {"signature"}
    signed = to_gemini(history(), CHAT, dummy_signatures=True).output
    assert gemini_api.refusals(signed, {}) == vertex_ai.refusals(signed, {}) == []
