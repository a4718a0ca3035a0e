"""Reasoning and its signatures, whatever the form is in which they come."""

from __future__ import annotations

from typing import Any

import pytest

from proxai_ir import Seals

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from .support import ANTHROPIC, CHAT, GEMINI, RESPONSES, Json, losses, made, whole

SIGNATURE = gemini.SIGNATURE
TOOLS = {ANTHROPIC: [anthropic.tool("look")], RESPONSES: [responses.tool("look")]}


def next_request(client: str, response: Json) -> Json:
    """What a client sends after a response: all that it got, and a question or a result."""
    made_of = response["content"] if client == ANTHROPIC else response["output"]
    calls = [one for one in made_of if one["type"] in ("tool_use", "function_call")]
    if client == ANTHROPIC:
        answer: Any = [anthropic.tool_result("ok", one["id"]) for one in calls] or "Go on."
        turns = ({"role": "user", "content": "Hi"}, {"role": "assistant", "content": response["content"]})
        return anthropic.request(*turns, {"role": "user", "content": answer}, tools=TOOLS[client])
    question = {"type": "message", "role": "user", "content": "Hi"}
    answers = [responses.result("ok", one["call_id"]) for one in calls] or [question]
    return responses.request(question, *response["output"], *answers, tools=TOOLS[client])


def there_and_back(client: str, *parts: Any, streamed: bool) -> list[Json]:
    """The model's parts as Gemini gets them back from a client that returns what it got."""
    if streamed:
        response = whole([gemini.chunk(*parts, usage=gemini.USAGE, finish="STOP")], GEMINI, client, seals=Seals())
    else:
        response = made(gemini.response(*parts), GEMINI, client, seals=Seals()).output
    request = made(next_request(client, response), client, GEMINI, "request", seals=Seals()).output
    found: list[Json] = request["contents"][1]["parts"]
    return found


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("client", [ANTHROPIC, RESPONSES])
@pytest.mark.parametrize(
    "parts",
    [[gemini.text("Hi", thoughtSignature=SIGNATURE)], [gemini.text("Hi"), gemini.text("", thoughtSignature=SIGNATURE)]],
    ids=["on the text", "behind the text"],
)
def test_the_signature_of_a_text_comes_back(parts: list[Json], client: str, streamed: bool) -> None:
    back = there_and_back(client, *parts, streamed=streamed)
    assert [(part["text"], part.get("thoughtSignature")) for part in back if part.get("text")] == [("Hi", SIGNATURE)]


def test_the_signature_of_a_text_is_no_loss_where_it_is_carried() -> None:
    response = gemini.response(gemini.text("Hi", thoughtSignature=SIGNATURE))
    for client in (ANTHROPIC, RESPONSES):
        assert losses(made(response, GEMINI, client)) == [("RSN-4", "/candidates/0/content/parts/0/thoughtSignature")]


@pytest.mark.parametrize("client", [RESPONSES, ANTHROPIC])
def test_a_signature_between_a_thought_and_a_call_is_the_calls(client: str) -> None:
    parts = [gemini.thought("Look."), gemini.text("", thoughtSignature=SIGNATURE), gemini.call("look")]
    thought, call = there_and_back(client, *parts, streamed=False)
    assert ("thoughtSignature" in thought, call.get("thoughtSignature")) == (False, SIGNATURE)


THINKING = {"type": "thinking", "thinking": "Look.", "signature": "U0lH"}
FORMS: dict[str, Json] = {
    "LiteLLM": {"thinking_blocks": [THINKING], "reasoning_content": "Look."},
    "Copilot": {"reasoning_text": "Look.", "reasoning_opaque": "T1BR"},
    "Databricks": {
        "content": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Look.", "signature": "U0lH"}]},
            {"type": "text", "text": "Hi"},
        ]
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_reasoning_of_gateways_is_reasoning(form: str) -> None:
    conversion = made(chat.response(**{"content": "Hi", **FORMS[form]}), CHAT, ANTHROPIC)
    thinking, text = conversion.output["content"]
    assert (thinking["type"], thinking["thinking"], text) == ("thinking", "Look.", {"type": "text", "text": "Hi"})
    assert [one for one in losses(conversion) if one[0].startswith("UNK")] == []


@pytest.mark.parametrize("form", FORMS)
def test_reasoning_of_gateways_in_chunks_is_reasoning(form: str) -> None:
    events = chat.stream({"content": "Hi", **FORMS[form]})
    output = whole(events, CHAT, ANTHROPIC)
    assert [one for one in losses(made(events, CHAT, ANTHROPIC, "stream")) if one[0].startswith("UNK")] == []
    assert [part["type"] for part in output["content"]] == ["thinking", "text"]
    assert output["content"][0]["thinking"] == "Look."


def test_signed_thinking_of_a_gateway_is_anthropics() -> None:
    assert made(chat.response(content="Hi", **FORMS["LiteLLM"]), CHAT, ANTHROPIC).output["content"][0] == THINKING
    turns = ({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hi", **FORMS["LiteLLM"]})
    request = made(chat.request(*turns, {"role": "user", "content": "Go on."}), CHAT, ANTHROPIC, "request")
    assert request.output["messages"][1]["content"] == [THINKING, {"type": "text", "text": "Hi"}]


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("client", [ANTHROPIC, RESPONSES])
@pytest.mark.parametrize("form", FORMS)
def test_it_comes_back_to_its_server_as_the_server_spells_it(form: str, client: str, streamed: bool) -> None:
    """Where the server is known by `reasoning_seals`, and nowhere else (RSN-15)."""
    events = chat.stream({"content": "Hi", **FORMS[form]})
    response = whole(events, CHAT, client, seals=Seals())
    if not streamed:
        response = made(chat.response(**{"content": "Hi", **FORMS[form]}), CHAT, client, seals=Seals()).output
    asked = next_request(client, response)
    back = made(asked, client, CHAT, "request", seals=Seals(), reasoning_seals=form.lower())
    expected = {name: value for name, value in FORMS[form].items() if name != "reasoning_content"}
    assert back.output["messages"][1] == {"role": "assistant", "content": "Hi", **expected}
    plain = made(asked, client, CHAT, "request", seals=Seals()).output["messages"][1]
    assert plain == {"role": "assistant", "content": "Hi", "reasoning_content": "Look."}


def test_an_empty_text_between_signed_thinking_is_named() -> None:
    parts = [THINKING, {"type": "text", "text": ""}, THINKING, {"type": "text", "text": "Hi"}]
    conversion = made(anthropic.response(*parts), ANTHROPIC, RESPONSES, seals=Seals())
    assert ("PLC-10", "/content/1") in [(one.rule, one.path) for one in conversion.diagnostics]


def test_another_encrypted_reasoning_at_the_end_is_named() -> None:
    def reasoning(seal: str) -> Json:
        return {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": seal}

    events = responses.in_sequence(
        [
            responses.created(),
            responses.added(reasoning("")),
            responses.done(reasoning("QQ")),
            responses.ended(reasoning("Qg")),
        ]
    )
    conversion = made(events, RESPONSES, ANTHROPIC, "stream", seals=Seals())
    assert "/3/response/output/0/encrypted_content" in [one.path for one in conversion.diagnostics]
