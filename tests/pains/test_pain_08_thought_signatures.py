"""Pain 08: Gemini's thought signatures get lost on the way, and the next turn is refused without them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir.testing.payloads import canonical

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


@pytest.mark.parametrize("dst", [ANTHROPIC, RESPONSES])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_signature_on_a_call_is_named_where_it_is_lost(dst: str, streamed: bool) -> None:
    payload: Any = stream([STEP[1]]) if streamed else response(STEP[1], usageMetadata=USAGE)
    made = from_gemini(payload, dst, "stream" if streamed else "response")
    path = "/0" if streamed else ""
    assert ("RSN-4", f"{path}/candidates/0/content/parts/0/thoughtSignature") in losses(made)
    assert SIGNATURE not in json.dumps(made.output)


def test_a_signature_on_a_thought_travels_in_an_envelope() -> None:
    signed = text("Two places.", thought=True, thoughtSignature=SIGNATURE)
    made = from_gemini(response(signed, text("Done.")), ANTHROPIC, "response", seals=proxai_ir.Seals())
    thinking, words = made.output["content"]
    assert (thinking["type"], thinking["thinking"], words["text"]) == ("thinking", "Two places.", "Done.")
    assert thinking["signature"] not in ("", SIGNATURE)
    asked = anthropic.request(said("Look."), assistant([thinking, words]), said("And?"))
    back = to_gemini(asked, ANTHROPIC, seals=proxai_ir.Seals())
    assert back.output["contents"][1] == model(signed, text("Done."))


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    "keys", [{"seals": proxai_ir.Seals()}, {"seals": proxai_ir.Seals({"k": b"a key of 16 bytes"})}], ids=["", "keys"]
)
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
        ids = [item["call_id"] for item in made["output"] if item["type"] == "function_call"]  # type: ignore[index]
        results = [{"type": "function_call_output", "call_id": one, "output": "r"} for one in ids]
        asked |= {"input": [said("Look."), *made["output"], *results]}  # type: ignore[index]
    else:
        ids = [block["id"] for block in made["content"] if block["type"] == "tool_use"]  # type: ignore[index]
        blocks = [{"type": "tool_result", "tool_use_id": one, "content": "r"} for one in ids]
        asked |= {"max_tokens": 99, "messages": [said("Look."), assistant(made["content"]), said(blocks)]}  # type: ignore[index]
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
    options: Json = {"seals": proxai_ir.Seals(), "emulate": "auto"}
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
    assert [item["type"] for item in made["output"]] == ["reasoning", kind]  # type: ignore[index]
    last = made["output"][-1]  # type: ignore[index]
    result: Json = {"type": f"{kind}_output", "call_id": last["call_id"], "output": "done"}
    asked = {"model": "m", "tools": [tool], "input": [said("Look."), *made["output"], result]}  # type: ignore[index]
    assert signatures(to_gemini(asked, RESPONSES, **options)) == [[SIGNATURE]]


def test_a_signature_without_its_call_stays_in_its_envelope() -> None:
    made = from_gemini(response(STEP[1], usageMetadata=USAGE), ANTHROPIC, "response", seals=proxai_ir.Seals())
    envelope = made.output["content"][0]
    asked = anthropic.request(said("Look."), assistant([envelope, {"type": "text", "text": "No."}]), said("Why?"))
    back = to_gemini(asked, ANTHROPIC, seals=proxai_ir.Seals())
    assert SIGNATURE not in json.dumps(back.output)
    assert losses(back) == [("RSN-10", "/messages/1/content/0")]


@pytest.mark.parametrize("options", [{}, {"seals": proxai_ir.Seals()}], ids=["", "carried"])
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
    assert signatures(made) == [[DUMMY]]
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


def test_models_before_gemini_3_get_no_placeholder() -> None:
    assert signatures(to_gemini(history(), CHAT, dummy_signatures=False)) == [[None, None], [None]]
    made = proxai_ir.compile(history(), CHAT, proxai_ir.profiles.GEMINI_2_5)
    assert signatures(made) == [[None, None], [None]]


def test_the_first_call_of_each_step_gets_the_placeholder() -> None:
    made = to_gemini(history(), CHAT)
    assert signatures(made) == [[DUMMY, None], [DUMMY]]
    found = [one for one in notes(made) if one[0] == "RSN-22"]
    assert found == [("RSN-22", "/messages/1/tool_calls/0"), ("RSN-22", "/messages/4/tool_calls/0")]


def test_a_real_signature_is_not_replaced() -> None:
    turns = [user(text("Look.")), model(*STEP), RESULTS, model(call("look", {"at": 3})), user(result("look", {}))]
    through = to_gemini(request(*turns, **LOOK), GEMINI, dummy_signatures=True)
    assert through.output["contents"][1] == model(*STEP)


def test_the_official_server_accepts_the_history_with_the_placeholder() -> None:
    from ..servers import gemini_api, vertex_ai

    bare = to_gemini(history(), CHAT, dummy_signatures=False).output
    assert {one.partition(":")[0] for one in gemini_api.refusals(bare, {})} == {"signature"}
    signed = to_gemini(history(), CHAT).output
    assert gemini_api.refusals(signed, {}) == vertex_ai.refusals(signed, {}) == []


# --- in Google's own spelling, to clients of chat ---------------------------------------------------------------------


def streamed_message(chunks: list[Any]) -> Json:
    """What a client makes of chunks: texts of deltas are added up, as the official client does."""
    message: Json = {"role": "assistant", "content": "", "tool_calls": []}
    for delta in [choice["delta"] for one in chunks if isinstance(one, dict) for choice in one["choices"]]:
        message["content"] += delta.get("content") or ""
        for key in delta.keys() & {"extra_content", "reasoning_content"}:
            assert key == "reasoning_content" or key not in message
            message[key] = delta[key]
        for fragment in delta.get("tool_calls", ()):
            if "id" in fragment:
                message["tool_calls"].append({key: fragment[key] for key in fragment if key != "index"})
            else:
                function = message["tool_calls"][fragment["index"]]["function"]
                function["arguments"] += fragment["function"]["arguments"]
    return message


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_signatures_travel_as_extra_content_and_come_back_where_they_stood(streamed: bool) -> None:
    parts = [text("Two places.", thought=True), text("I look.", thoughtSignature="dGV4dA=="), *STEP[1:]]
    if streamed:
        events = [[parts[0]], [text("I look.")], [text("", thoughtSignature="dGV4dA==")], [STEP[1]], [STEP[2]]]
        found = streamed_message(from_gemini(stream(*events), CHAT, "stream").output)
    else:
        made = from_gemini(response(*parts, usageMetadata=USAGE), CHAT, "response")
        assert losses(made) == []
        found = made.output["choices"][0]["message"]
    assert found["extra_content"] == {"google": {"thought_signature": "dGV4dA=="}}
    signed, unsigned = found["tool_calls"]
    assert signed["extra_content"] == {"google": {"thought_signature": SIGNATURE}}
    assert "extra_content" not in unsigned
    results = [chat.result("r", one["id"]) for one in found["tool_calls"]]
    back = to_gemini(chat.request(said("Look."), found, *results, **CHAT_LOOK), CHAT)
    assert [part.get("thoughtSignature") for part in back.output["contents"][1]["parts"]][1:] == [
        "dGV4dA==",
        SIGNATURE,
        None,
    ]
    assert losses(back) == []


LITELLMS: Json = {"provider_specific_fields": {"thought_signature": SIGNATURE}}
SIGNED_CALL: Json = {**chat.call("look", "{}", "a"), **LITELLMS}


def listing(*signatures: str) -> Json:
    return {"provider_specific_fields": {"thought_signatures": [*signatures]}}


def test_signatures_where_litellm_has_them() -> None:
    """A message lists those of all its parts: the first that no call has is that of the text."""
    said_so = assistant("I look.", tool_calls=[SIGNED_CALL], **listing("dGV4dA==", SIGNATURE))
    asked = chat.request(said("Look."), said_so, chat.result("one", "a"), **CHAT_LOOK)
    made = to_gemini(asked, CHAT)
    assert [part["thoughtSignature"] for part in made.output["contents"][1]["parts"]] == ["dGV4dA==", SIGNATURE]
    assert losses(made) == []
    assert again(asked, CHAT) == asked


def test_a_list_that_repeats_what_calls_have() -> None:
    asked = chat.request(
        said("Look."),
        assistant(None, tool_calls=[SIGNED_CALL], **listing(SIGNATURE)),
        chat.result("one", "a"),
        **CHAT_LOOK,
    )
    made = to_gemini(asked, CHAT)
    (part,) = made.output["contents"][1]["parts"]
    assert part["thoughtSignature"] == SIGNATURE
    assert ("ENV-7", "/messages/1/provider_specific_fields") in notes(made)


def test_further_signatures_of_a_list_are_a_loss() -> None:
    answered = chat.response(content="I look.", **listing("dGV4dA==", "b3RoZXI="))
    made = proxai_ir.compile(answered, CHAT, GEMINI, kind="response")
    (part,) = made.output["candidates"][0]["content"]["parts"]
    assert part["thoughtSignature"] == "dGV4dA=="
    assert ("RSN-4", "/choices/0/message/provider_specific_fields") in losses(made)


def test_signatures_in_chunks_of_litellm() -> None:
    chunks = [
        chat.chunk({"role": "assistant", "content": "I look.", **listing("dGV4dA==")}),
        chat.chunk({"tool_calls": [{"index": 0, **SIGNED_CALL}], **listing(SIGNATURE)}),
        chat.chunk({}, "tool_calls"),
    ]
    made = proxai_ir.compile([*chunks, "[DONE]"], CHAT, GEMINI, kind="stream")
    parts = [part for one in made.output for part in one["candidates"][0]["content"]["parts"]]
    assert [part["thoughtSignature"] for part in parts if "thoughtSignature" in part] == ["dGV4dA==", SIGNATURE]
    assert losses(made) == []


GOOGLES_TEXT: Json = {"extra_content": {"google": {"thought_signature": "dGV4dA=="}}}
IN_DELTA = "/0/choices/0/delta/extra_content/google/thought_signature"
IN_CALL = "/0/choices/0/delta/tool_calls/0/extra_content/google/thought_signature"


@pytest.mark.parametrize(
    ("deltas", "place"),
    [
        ([{"content": "I ", **GOOGLES_TEXT}, {"content": "look.", **listing(SIGNATURE)}], IN_DELTA),
        ([GOOGLES_TEXT, {"content": "I look.", **listing(SIGNATURE)}], IN_DELTA),
        ([GOOGLES_TEXT, listing(SIGNATURE), {"content": "I look."}], IN_DELTA),
        (
            [
                {"tool_calls": [{"index": 0, **chat.call("look", "{", "a"), **GOOGLES_TEXT}]},
                {"tool_calls": [{"index": 0, "function": {"arguments": "}"}, **LITELLMS}]},
            ],
            IN_CALL,
        ),
    ],
    ids=["text", "before it", "twice before it", "call"],
)
def test_a_later_signature_of_the_same_part_takes_the_place_of_the_first(deltas: list[Json], place: str) -> None:
    chunks = [chat.chunk(one) for one in deltas]
    ended = chat.chunk({}, "tool_calls" if "tool_calls" in deltas[0] else "stop")
    made = proxai_ir.compile([*chunks, ended, "[DONE]"], CHAT, GEMINI, kind="stream")
    parts = [part for one in made.output for part in one["candidates"][0]["content"]["parts"]]
    assert [part["thoughtSignature"] for part in parts if "thoughtSignature" in part] == [SIGNATURE]
    assert losses(made) == [("RSN-4", place)]


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_signature_in_a_fragment_of_its_own(at: int) -> None:
    """It may come before the arguments of a call that has its name."""
    begun, *texts = ({"function": {"name": "look"}, "id": "a"}, *({"function": {"arguments": one}} for one in "{}"))
    fragments: list[Json] = [begun, *texts]
    fragments.insert(at, GOOGLES_TEXT)
    chunks = [chat.chunk({"tool_calls": [{"index": 0, **one}]}) for one in fragments]
    made = proxai_ir.compile([*chunks, chat.chunk({}, "tool_calls"), "[DONE]"], CHAT, GEMINI, kind="stream")
    parts = [part for one in made.output for part in one["candidates"][0]["content"]["parts"]]
    assert parts[0] == {"functionCall": {"name": "look", "args": {}, "id": "a"}, "thoughtSignature": "dGV4dA=="}
    assert losses(made) == []


@pytest.mark.parametrize("again", ["Zmlyc3Q=", "bGFzdA=="], ids=["the same", "another"])
def test_a_later_signature_of_the_same_thinking(again: str) -> None:
    def detail(text: str, signature: str) -> Json:
        one = {"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1", "text": text}
        return chat.chunk({"reasoning_details": [{**one, "signature": signature}]})

    chunks = [detail("I ", "Zmlyc3Q="), detail("look.", again), chat.chunk({"content": "Yes."}), chat.chunk({}, "stop")]
    lost = losses(proxai_ir.compile([*chunks, "[DONE]"], CHAT, ANTHROPIC, kind="stream"))
    place = "/0/choices/0/delta/reasoning_details/0/signature"
    assert (("RSN-4", place) in lost) == (again != "Zmlyc3Q=")


VERTEX: Json = {"extra_content": {"vertex": {"thought_signature": SIGNATURE}}}


def test_vertex_has_another_name_for_itself() -> None:
    asked = chat.request(
        said("Look."),
        assistant("I look.", tool_calls=[{**chat.call("look", "{}", "a"), **VERTEX}], **VERTEX),
        chat.result("one", "a"),
        **CHAT_LOOK,
    )
    assert [part["thoughtSignature"] for part in to_gemini(asked, CHAT).output["contents"][1]["parts"]] == [
        SIGNATURE
    ] * 2
    assert again(asked, CHAT) == asked


def test_signatures_in_chunks_of_googles_own_server() -> None:
    """It states no index of calls; a signature may come before its text, or after it in a delta of its own."""
    first: Json = {"role": "assistant", "extra_content": {"google": {"thought_signature": "dGV4dA=="}}}
    called = {**chat.call("look", "{}", "a"), "extra_content": {"google": {"thought_signature": SIGNATURE}}}
    for deltas in (
        [first, {"content": "I look."}],
        [{"role": "assistant", "content": "I look."}, first | {"role": None}],
    ):
        events = [
            *map(chat.chunk, deltas),
            chat.chunk({"tool_calls": [called]}),
            chat.chunk({}, "tool_calls"),
            "[DONE]",
        ]
        made = proxai_ir.convert(events, CHAT, GEMINI, kind="stream")
        sent = [part for one in made for part in one["candidates"][0].get("content", {}).get("parts", ())]
        assert [part["thoughtSignature"] for part in sent if "thoughtSignature" in part] == ["dGV4dA==", SIGNATURE]
        assert not any(part.get("thought") for part in sent)
        assert canonical(again(events, CHAT, "stream")) == canonical(events)


def test_a_server_of_chat_gets_signatures_only_where_it_is_googles() -> None:
    turns = [user(text("Look.")), model(text("I look.", thoughtSignature="dGV4dA=="), *STEP[1:]), RESULTS]
    payload = request(*turns, **LOOK)
    made = proxai_ir.compile(payload, GEMINI, CHAT, model="m")
    assert "extra_content" not in json.dumps(made.output)
    assert losses(made) == []
    assert [path for code, path in notes(made) if code == "RSN-26"] == [
        f"/contents/1/parts/{at}/thoughtSignature" for at in (0, 1)
    ]
    made = proxai_ir.compile(payload, GEMINI, proxai_ir.Profile(CHAT, google_signatures=True), model="m")
    sent = made.output["messages"][1]
    assert sent["extra_content"] == {"google": {"thought_signature": "dGV4dA=="}}
    assert sent["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": SIGNATURE}}
    assert "RSN-26" not in {code for code, _ in notes(made)}


def test_a_signature_of_googles_chat_server_comes_back_to_it_through_another_protocol() -> None:
    called = {**chat.call("look", "{}", "a"), "extra_content": {"google": {"thought_signature": SIGNATURE}}}
    answered = chat.response("tool_calls", content=None, tool_calls=[called])
    shown = proxai_ir.convert(answered, CHAT, ANTHROPIC, seals=proxai_ir.Seals())
    results = [{"type": "tool_result", "tool_use_id": "a", "content": "one"}]
    asked = anthropic.request(said("Look."), assistant(shown["content"]), said(results))
    google = proxai_ir.Profile(CHAT, google_signatures=True)
    sent = proxai_ir.convert(asked, ANTHROPIC, google, seals=proxai_ir.Seals())["messages"][1]
    assert sent["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": SIGNATURE}}
    made = proxai_ir.compile(asked, ANTHROPIC, CHAT, seals=proxai_ir.Seals())
    assert "extra_content" not in json.dumps(made.output)
    assert losses(made) == []


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_message_has_the_first_of_several_signatures(streamed: bool) -> None:
    parts = [text("A.", thoughtSignature="YQ=="), text("B.", thoughtSignature="Yg==")]
    payload: Any = stream(*([part] for part in parts)) if streamed else response(*parts, usageMetadata=USAGE)
    made = from_gemini(payload, CHAT, "stream" if streamed else "response")
    found = streamed_message(made.output) if streamed else made.output["choices"][0]["message"]
    assert found["extra_content"] == {"google": {"thought_signature": "YQ=="}}
    assert [code for code, _ in losses(made)] == ["RSN-4"]


# --- in parts of their own --------------------------------------------------------------------------------------------

ALONE = text("", thoughtSignature=SIGNATURE)
UNSIGNED = call("look", {"at": 1})
APART = [[ALONE, UNSIGNED], [UNSIGNED, ALONE], [{**ALONE, "thought": True}, UNSIGNED]]


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("parts", APART, ids=["before", "after", "as a thought"])
@pytest.mark.parametrize("client", [CHAT, ANTHROPIC, RESPONSES])
def test_a_signature_in_a_part_of_its_own_is_that_of_the_call(client: str, parts: list[Json], streamed: bool) -> None:
    if streamed:
        converter = proxai_ir.StreamConverter(GEMINI, client, keep_response=True, seals=proxai_ir.Seals())
        for event in stream(*([part] for part in parts)):
            converter.feed(event)
        converter.close()
        made: Json = converter.response
    else:
        made = from_gemini(response(*parts, usageMetadata=USAGE), client, "response", seals=proxai_ir.Seals()).output
    asked: Json = {"model": "m", "max_tokens": 99}
    if client == CHAT:
        message = made["choices"][0]["message"]
        asked |= {"messages": [said("Look."), message, chat.result("r", message["tool_calls"][0]["id"])]}
    elif client == ANTHROPIC:
        identity = next(block["id"] for block in made["content"] if block["type"] == "tool_use")
        results = [{"type": "tool_result", "tool_use_id": identity, "content": "r"}]
        asked |= {"messages": [said("Look."), assistant(made["content"]), said(results)]}
    else:
        identity = next(item["call_id"] for item in made["output"] if item["type"] == "function_call")
        result = {"type": "function_call_output", "call_id": identity, "output": "r"}
        asked = {"model": "m", "input": [said("Look."), *made["output"], result]}
    back = to_gemini(asked, client, seals=proxai_ir.Seals())
    assert signatures(back) == [[SIGNATURE]]
    assert "RSN-28" in {code for code, _ in notes(back)}
    assert losses(back) == []


@pytest.mark.parametrize("parts", APART, ids=["before", "after", "as a thought"])
def test_it_stays_where_it_is_in_its_own_protocol(parts: list[Json]) -> None:
    assert again(response(*parts), GEMINI, "response") == response(*parts)
    events = stream(*([part] for part in parts))
    back: Json = again(events, GEMINI, "stream")
    assert back == events
