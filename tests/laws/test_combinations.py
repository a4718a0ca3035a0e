"""Rare combinations, each in a table: neither of two things may change what becomes of the other."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Profile, ir
from proxai_ir.ir.request import Role, Turn
from proxai_ir.ir.response import Candidate, Response, StopReason, Terminal
from proxai_ir.testing.streams import fed

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Json
from .test_substitution import ANTHROPIC, CHAT, GEMINI, RESPONSES, found

SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}

# --- formats of Gemini's, of which there are several ------------------------------------------------------------------

FORMAT = {"text": {"mimeType": "application/json", "schema": SCHEMA}}
JSON_TYPE, PLAIN_TYPE = {"responseMimeType": "application/json"}, {"responseMimeType": "text/plain"}
FORMATS: dict[str, tuple[Json, bool, list[str]]] = {
    "a format": ({"responseFormat": FORMAT}, True, []),
    "a schema and its type": ({**JSON_TYPE, "responseJsonSchema": SCHEMA}, True, []),
    "a schema alone": ({"responseJsonSchema": SCHEMA}, True, []),
    "a format and a type": ({"responseFormat": FORMAT, **PLAIN_TYPE}, False, ["responseFormat", "responseMimeType"]),
    "a format and its type": ({"responseFormat": FORMAT, **JSON_TYPE}, False, ["responseFormat", "responseMimeType"]),
    "a format and a schema": (
        {"responseFormat": FORMAT, "responseJsonSchema": SCHEMA},
        False,
        ["responseFormat", "responseJsonSchema"],
    ),
}
"""Settings, whether the target gets a format, and what is reported as not understood: rivals are, all of them."""


@pytest.mark.parametrize("dst", [ANTHROPIC, CHAT, RESPONSES])
@pytest.mark.parametrize("name", FORMATS)
def test_of_formats_that_exclude_one_another_none_is_guessed(name: str, dst: str) -> None:
    settings, understood, reported = FORMATS[name]
    payload = gemini.request(gemini.user("Hi"), generationConfig=settings)
    made = proxai_ir.compile(payload, GEMINI, dst, kind="request", model="m")
    has = {ANTHROPIC: "output_config", CHAT: "response_format", RESPONSES: "text"}[dst] in made.output
    assert has is understood
    paths = [one.path for one in made.diagnostics if one.code in ("UNK-4", "SCH-8")]
    assert paths == [f"/generationConfig/{key}" for key in reported]


# --- what log probabilities are of ------------------------------------------------------------------------------------

TOKEN = {"token": "Hi", "logprob": -0.5, "bytes": None, "top_logprobs": []}
SCORED: dict[str, tuple[Json, bool]] = {
    "of text": ({"content": [TOKEN], "refusal": None}, True),
    "of no token": ({"content": [], "refusal": []}, True),
    "of a refusal": ({"content": None, "refusal": [TOKEN]}, False),
    "of both": ({"content": [TOKEN], "refusal": [TOKEN]}, False),
    "with members of a vendor": ({"content": [TOKEN], "refusal": None, "ranks": [1]}, True),
    "only members of a vendor": ({"content": None, "refusal": None, "ranks": [1]}, False),
}


@pytest.mark.parametrize("name", SCORED)
def test_log_probabilities_that_a_text_cannot_have(name: str) -> None:
    """Responses has them in a text. What cannot stand there is reported whole; a stream refuses it.

    Members that only a vendor has are reported by themselves, whole and in a stream.
    """
    scores, carried = SCORED[name]
    whole = chat.response(content="Hi")
    whole["choices"][0]["logprobs"] = scores
    made = proxai_ir.compile(whole, CHAT, RESPONSES, kind="response")
    lost = [one.path for one in made.diagnostics if one.code == "SMP-7"]
    assert lost == ([] if carried else ["/choices/0/logprobs"])
    tokens = made.output["output"][0]["content"][0].get("logprobs") or []
    assert len(tokens) == (len(scores["content"] or ()) if carried else 0)
    events = chat.stream({"content": "Hi"})
    events[1]["choices"][0]["logprobs"] = scores
    done = fed(events, CHAT, RESPONSES)
    assert done.rule() == ("" if carried else "STR-5")
    if carried and "ranks" in scores:
        assert [one.path for one in made.diagnostics if one.code == "UNK-1"] == ["/choices/0/logprobs/ranks"]
        assert ("UNK-1", "/1/choices/0/logprobs/ranks") in done.found()


# --- marks on every block ---------------------------------------------------------------------------------------------

MARK = {"cache_control": {"type": "ephemeral"}}
IMAGE = {"type": "image", "source": {"type": "url", "url": "https://e.com/a.png"}}
PDF = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="}}
HIT = {"type": "search_result", "source": "s", "title": "t", "content": [anthropic.text("hit")]}
WIKI = {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "ask", "server_name": "wiki", "input": {}}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"}}
CODE = {"type": "server_tool_use", "id": "srvtoolu_2", "name": "code_execution", "input": {"code": "1"}}
USED = anthropic.tool_use("f", {"a": 1}, "toolu_1")
RAN = {"type": "code_execution_result", "stdout": "1", "stderr": "", "return_code": 0, "content": []}
BLOCKS: dict[str, tuple[list[Json], list[Json]]] = {
    "a text": ([], [anthropic.text("Hello")]),
    "an image": ([], [IMAGE]),
    "a document": ([], [PDF]),
    "a search result": ([], [HIT]),
    "a call": ([USED], [anthropic.tool_result("r", "toolu_1")]),
    "a result": ([USED], [anthropic.tool_result("r", "toolu_1")]),
    "a call of an MCP server": ([WIKI], []),
    "a result of an MCP server": (
        [WIKI, {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False, "content": "r"}],
        [],
    ),
    "a search": ([SEARCH], []),
    "what a search found": (
        [SEARCH, {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}],
        [],
    ),
    "a run of code": ([CODE], []),
    "what code wrote": (
        [CODE, {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_2", "content": RAN}],
        [],
    ),
}
"""Blocks of the assistant and of the user behind it; the last of what the name says has the mark."""
FIRST = ("a call",)


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize("dst", [GEMINI, CHAT, RESPONSES])
def test_a_cache_mark_is_reported_on_every_block(dst: str, name: str) -> None:
    said, given = ([dict(one) for one in side] for side in BLOCKS[name])
    marked = said[-1] if name in FIRST or not given else given[-1]
    marked |= MARK
    turns = [anthropic.user("Hi"), anthropic.assistant(said)] if said else []
    payload = anthropic.request(
        *turns, anthropic.user(given or "Go on."), tools=[anthropic.tool("f")] if marked in given or said else []
    )
    place = (
        f"/messages/{1 if marked in said else len(turns)}/content/{(said if marked in said else given).index(marked)}"
    )
    marks = [path for code, path in found(payload, ANTHROPIC, dst, model="m") if code == "CAC-4"]
    whole = [path for code, path in found(payload, ANTHROPIC, dst, model="m") if path == place]
    assert marks == [f"{place}/cache_control"] or (marks == [] and whole), (marks, whole)
    again = proxai_ir.raise_to(proxai_ir.lower(payload, ANTHROPIC, kind="request"), ANTHROPIC)
    assert again == payload


# --- a signature that comes later than its call -----------------------------------------------------------------------


def piece(signature: str | None = None, **given: Any) -> Json:
    signed = {} if signature is None else {"thoughtSignature": signature}
    return gemini.chunk({"functionCall": given, **signed})


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_signature_may_come_with_any_piece_of_its_call(at: int) -> None:
    """The client gets it once, in front of the call; the first of two is the one."""
    oslo = [{"jsonPath": "$.city", "stringValue": "Oslo"}]
    given: list[Json] = [{"name": "sky", "willContinue": True}, {"partialArgs": oslo, "willContinue": True}, {}]
    pieces = [piece(gemini.SIGNATURE if number == at else None, **one) for number, one in enumerate(given)]
    events = [*pieces, gemini.chunk("", finish="STOP")]
    made = fed(events, GEMINI, ANTHROPIC, seals=proxai_ir.Seals())
    begun = [one["content_block"] for one in made.out if one["type"] == "content_block_start"]
    assert [block["type"] for block in begun] == ["redacted_thinking", "tool_use"]
    whole = gemini.response(gemini.call("sky", {"city": "Oslo"}, None, thoughtSignature=gemini.SIGNATURE))
    envelope, _ = proxai_ir.convert(whole, GEMINI, ANTHROPIC, kind="response", seals=proxai_ir.Seals())["content"]
    assert begun[0] == envelope
    assert proxai_ir.raise_to(proxai_ir.lower(events, GEMINI, kind="stream"), GEMINI) == events


# --- where a passage ends ---------------------------------------------------------------------------------------------

TEXTS = ("Rain. ", "Sun. ", "é.")
PASSAGES: dict[str, tuple[Json, tuple[int, int, int]]] = {
    "all of the first": ({"endIndex": 6}, (0, 0, 6)),
    "one character": ({"endIndex": 1}, (0, 0, 1)),
    "the beginning of the second": ({"startIndex": 6, "endIndex": 7}, (1, 0, 1)),
    "all of the second": ({"startIndex": 6, "endIndex": 11}, (1, 0, 5)),
    "the end of the third, in bytes": ({"startIndex": 11, "endIndex": 14}, (2, 0, 2)),
    "by its part": ({"partIndex": 1, "startIndex": 0, "endIndex": 4}, (1, 0, 4)),
    "by its part, of the whole": ({"partIndex": 1, "startIndex": 6, "endIndex": 9, "text": "Sun"}, (1, 0, 3)),
    "by its wording": ({"startIndex": 11, "endIndex": 13, "text": "é"}, (2, 0, 1)),
}
"""A segment, and the text that it is in, with where it begins and ends there, in characters."""


@pytest.mark.parametrize("name", PASSAGES)
def test_a_passage_belongs_to_the_text_that_it_ends_in(name: str) -> None:
    segment, expected = PASSAGES[name]
    metadata = {
        "groundingChunks": [{"web": {"uri": "https://e.com", "title": "T"}}],
        "groundingSupports": [{"segment": segment, "groundingChunkIndices": [0]}],
    }
    payload = gemini.response(*TEXTS, groundingMetadata=metadata)
    *_, item = proxai_ir.convert(payload, GEMINI, RESPONSES, kind="response")["output"]
    spans = [
        (number, note["start_index"], note["end_index"])
        for number, part in enumerate(item["content"])
        for note in part["annotations"]
    ]
    assert spans == [expected]
    assert proxai_ir.raise_to(proxai_ir.lower(payload, GEMINI, kind="response"), GEMINI) == payload


def test_a_passage_of_one_character_is_in_a_text_of_one() -> None:
    metadata = {
        "groundingChunks": [{"web": {"uri": "https://e.com", "title": "T"}}],
        "groundingSupports": [{"segment": {"endIndex": 1}, "groundingChunkIndices": [0]}],
    }
    payload = gemini.response("x", "yz", groundingMetadata=metadata)
    *_, item = proxai_ir.convert(payload, GEMINI, RESPONSES, kind="response")["output"]
    assert [len(part["annotations"]) for part in item["content"]] == [1, 0]


def test_an_empty_passage_at_the_start_belongs_to_the_first_text() -> None:
    node = proxai_ir.lower(
        gemini.response(
            "",
            "Rain.",
            groundingMetadata={
                "groundingChunks": [{"web": {"uri": "https://e.com", "title": "T"}}],
                "groundingSupports": [{"segment": {"endIndex": 0}, "groundingChunkIndices": [0]}],
            },
        ),
        GEMINI,
        kind="response",
    )
    assert isinstance(node, Response)
    cited = [bool(part.citations) for part in node.candidates[0].turns[0].parts if isinstance(part, ir.Text)]
    assert cited[-1:] == [True]


# --- turns that wait for results --------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 2, 3])
@pytest.mark.parametrize("dst", [CHAT, GEMINI, Profile(CHAT, any_role_order=False)])
def test_whatever_the_assistant_adds_its_results_follow_its_calls(count: int, dst: Any) -> None:
    added = [anthropic.assistant([anthropic.text(f"And {number}.")]) for number in range(count)]
    payload = anthropic.request(
        anthropic.user("Hi"),
        anthropic.assistant([USED]),
        *added,
        anthropic.user([anthropic.tool_result("r", "toolu_1")]),
        tools=[anthropic.tool("f")],
    )
    made = proxai_ir.convert(payload, ANTHROPIC, dst, kind="request")
    roles = [one["role"] for one in made.get("messages") or made["contents"]]
    assert roles == (["user", "model", "user"] if dst == GEMINI else ["user", "assistant", "tool"])


# --- names and ids that are taken -------------------------------------------------------------------------------------

SHELLS: dict[str, tuple[list[Json], list[str]]] = {
    "alone": ([], ["shell"]),
    "beside a function of that name": ([responses.tool("shell")], ["shell", "shell_"]),
    "beside two": ([responses.tool("shell"), responses.tool("shell_")], ["shell", "shell_", "shell__"]),
    "beside one of another name": ([responses.tool("look")], ["look", "shell"]),
    "beside one of a namespace": (
        [{"type": "namespace", "name": "n", "description": "d", "tools": [responses.tool("shell")]}],
        ["n__shell", "shell"],
    ),
    "beside what is no function": ([{"type": "custom", "name": "shell"}], ["shell", "shell"]),
}


@pytest.mark.parametrize("name", SHELLS)
def test_a_tool_of_the_client_takes_a_name_that_no_function_has(name: str) -> None:
    others, expected = SHELLS[name]
    payload = responses.request(responses.user("Hi"), tools=[*others, {"type": "shell"}])
    made = proxai_ir.convert(payload, RESPONSES, Profile(CHAT, custom_tools=True), emulate=("client_tools",))
    assert [tool[tool["type"]]["name"] for tool in made["tools"]] == expected


def test_a_call_of_the_clients_gets_an_id_that_the_target_accepts() -> None:
    call = ir.ClientCall("shell", "c" * 70, {"commands": ["ls"]})
    one = Candidate([Turn(Role.ASSISTANT, [call])], Terminal(StopReason.TOOL_CALLS))
    made = proxai_ir.raise_to(Response(None, "id", "m", [one]), RESPONSES)
    assert len(made["output"][0]["call_id"]) <= 64


# --- results that begin with media ------------------------------------------------------------------------------------


@pytest.mark.parametrize("response", [{"output": "r"}, {"error": "r"}, {"a": 1}, {}])
def test_a_result_of_gemini_with_media_comes_back(response: Json) -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    answered = gemini.user(gemini.result("f", response, parts=[image]))
    payload = gemini.request(
        gemini.user("Hi"),
        gemini.model(gemini.call("f", thoughtSignature=gemini.SIGNATURE)),
        answered,
        tools=gemini.tools(gemini.function("f")),
    )
    assert proxai_ir.raise_to(proxai_ir.lower(payload, GEMINI, kind="request"), GEMINI) == payload
