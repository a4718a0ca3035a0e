"""The official client of Gemini Interactions: what it makes of responses, streams and failures of providers of other
protocols, and what its types make of everything that converts to the protocol.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.exchange.provider import asked, clients
from proxai_ir.protocol.detection import detected
from proxai_ir.testing.streams import fed

from ..samples import Sample, samples
from .gateway import BASE, CLIENTS, Gateway
from .provider import ANTHROPIC, CHAT, INTERACTIONS, RESPONSES, SUM, TEXT, THOUGHT
from .test_exchanges import ask_chat, ask_messages, ask_responses
from .test_official import ANTHROPIC_TOOLS, CHAT_TOOLS, RESPONSES_TOOLS

each_provider = pytest.mark.parametrize("provider", CLIENTS)
HELLO = "40 and 2?"
TOOL: Any = {
    "type": "function",
    "name": "add",
    "parameters": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    },
}


def types() -> Any:
    pytest.importorskip("google.genai")
    return pytest.importorskip("google.genai._gaos.types.interactions")


def client(gateway: Gateway) -> Any:
    httpx = pytest.importorskip("httpx2")
    http = {"httpx_client": gateway.http(httpx), "httpx_async_client": gateway.async_http(httpx), "base_url": BASE}
    by = pytest.importorskip("google.genai").Client(api_key="none", http_options=http)
    return by.interactions


# --- the client -------------------------------------------------------------------------------------------------------


@each_provider
def test_a_response_is_read(provider: str) -> None:
    gateway = Gateway(INTERACTIONS, provider, "text")
    made = client(gateway).create(model="m", input=HELLO)
    assert (made.output_text, made.status, made.model) == (TEXT, "completed", "m")
    assert 0 < made.usage.total_input_tokens < made.usage.total_tokens
    assert made.id


@each_provider
def test_thoughts_are_steps(provider: str) -> None:
    made = client(Gateway(INTERACTIONS, provider, "thought")).create(
        model="m", input=HELLO, generation_config={"thinking_level": "low", "thinking_summaries": "auto"}
    )
    thought, shown = (step for step in made.steps if step.type != "thought" or step.summary)
    assert (thought.summary[0].text, shown.content[0].text) == (THOUGHT, TEXT)


@each_provider
def test_a_tool_loop(provider: str) -> None:
    gateway = Gateway(INTERACTIONS, provider, "call", "text")
    by = client(gateway)
    first = by.create(model="m", input=HELLO, tools=[TOOL], store=False)
    assert first.status == "requires_action"
    (call,) = (step for step in first.steps if step.type == "function_call")
    assert (call.name, call.arguments) == ("add", SUM)
    history = [
        {"type": "user_input", "content": [{"type": "text", "text": HELLO}]},
        *(step.model_dump(exclude_none=True) for step in first.steps),
        {"type": "function_result", "call_id": call.id, "name": "add", "result": "42"},
    ]
    second = by.create(model="m", input=history, tools=[TOOL], store=False)
    assert (second.output_text, len(gateway.sent)) == (TEXT, 2)


@each_provider
def test_a_conversation_goes_on_by_the_id_of_the_last_interaction(provider: str) -> None:
    gateway = Gateway(INTERACTIONS, provider, "call", "text", memory=proxai_ir.InMemory())
    by = client(gateway)
    first = by.create(model="m", input=HELLO, tools=[TOOL])
    (call,) = (step for step in first.steps if step.type == "function_call")
    result = {"type": "function_result", "call_id": call.id, "name": "add", "result": "42"}
    second = by.create(model="m", previous_interaction_id=first.id, input=[result], tools=[TOOL])
    assert second.output_text == TEXT
    assert HELLO in str(gateway.sent[-1])


@each_provider
def test_a_stream_is_read_event_by_event(provider: str) -> None:
    events = list(client(Gateway(INTERACTIONS, provider, "text")).create(model="m", input=HELLO, stream=True))
    kinds = [event.event_type for event in events]
    assert (kinds[0], kinds[-1]) == ("interaction.created", "interaction.completed")
    assert set(kinds) - {"interaction.status_update"} == {
        *kinds[:1],
        *kinds[-1:],
        "step.start",
        "step.delta",
        "step.stop",
    }
    deltas = [event.delta for event in events if event.event_type == "step.delta"]
    assert "".join(delta.text for delta in deltas if delta.type == "text") == TEXT
    assert events[-1].interaction.status == "completed"


@each_provider
def test_the_arguments_of_a_call_arrive_in_pieces(provider: str) -> None:
    stream = client(Gateway(INTERACTIONS, provider, "call")).create(model="m", input=HELLO, tools=[TOOL], stream=True)
    events = list(stream)
    (start,) = (event for event in events if event.event_type == "step.start" and event.step.type == "function_call")
    pieces = [event.delta.arguments for event in events if getattr(getattr(event, "delta", None), "type", "") == ARGS]
    assert (start.step.name, "".join(pieces).replace(" ", "")) == ("add", '{"a":40,"b":2}')
    assert events[-1].interaction.status == "requires_action"


ARGS = "arguments_delta"


@each_provider
@pytest.mark.parametrize(("word", "error"), [("denied", "AuthenticationError"), ("unknown", "NotFoundError")])
def test_a_failure_is_of_its_class(provider: str, word: str, error: str) -> None:
    errors = pytest.importorskip("google.genai._gaos.lib.compat_errors")
    with pytest.raises(getattr(errors, error)) as raised:
        client(Gateway(INTERACTIONS, provider, *[word] * 9)).create(model="m", input=HELLO)
    assert raised.value.status_code in (401, 404)


@each_provider
def test_an_error_in_mid_stream_is_an_event(provider: str) -> None:
    events = list(client(Gateway(INTERACTIONS, provider, "midway")).create(model="m", input=HELLO, stream=True))
    assert events[-1].event_type == "error"
    assert events[-1].error.message


# --- as a provider ----------------------------------------------------------------------------------------------------

streamed = pytest.mark.parametrize("streamed", [False, True])


@streamed
def test_chat_runs_a_tool(streamed: bool) -> None:
    gateway = Gateway(CHAT, INTERACTIONS, "planned", "text")
    message = ask_chat(gateway, tools=CHAT_TOOLS, streamed=streamed).choices[0].message
    (call,) = message.tool_calls
    assert json.loads(call.function.arguments) == SUM
    history = [{"role": "user", "content": HELLO}, message, {"role": "tool", "tool_call_id": call.id, "content": "42"}]
    assert ask_chat(gateway, history, tools=CHAT_TOOLS, streamed=streamed).choices[0].message.content == TEXT
    assert gateway.sent[1]["input"][-1] == {
        "type": "function_result",
        "call_id": call.id,
        "name": "add",
        "result": "42",
    }


@streamed
def test_responses_runs_a_tool(streamed: bool) -> None:
    gateway = Gateway(RESPONSES, INTERACTIONS, "call", "text")
    (call,) = ask_responses(gateway, tools=RESPONSES_TOOLS, streamed=streamed).output
    assert json.loads(call.arguments) == SUM
    own = call.model_dump(exclude_none=True, exclude={"parsed_arguments"})
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "42"}
    history = [{"role": "user", "content": HELLO}, own, result]
    assert ask_responses(gateway, history, tools=RESPONSES_TOOLS, streamed=streamed).output_text == TEXT


@streamed
def test_messages_runs_a_tool(streamed: bool) -> None:
    gateway = Gateway(ANTHROPIC, INTERACTIONS, "call", "text")
    (call,) = ask_messages(gateway, tools=ANTHROPIC_TOOLS, streamed=streamed).content
    assert call.input == SUM
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "42"}
    history = [
        {"role": "user", "content": HELLO},
        {"role": "assistant", "content": [call.model_dump(exclude_none=True)]},
        {"role": "user", "content": [result]},
    ]
    assert ask_messages(gateway, history, tools=ANTHROPIC_TOOLS, streamed=streamed).content[0].text == TEXT


def test_the_revision_with_steps_is_asked_for() -> None:
    exchange = proxai_ir.Exchange(CHAT, INTERACTIONS, model="m", key="k")
    sent = exchange.request({"model": "m", "messages": [{"role": "user", "content": "Hi"}]})
    assert (sent.path, sent.headers["x-goog-api-key"], sent.headers["api-revision"]) == (
        "/v1beta/interactions",
        "k",
        "2026-05-20",
    )


@pytest.mark.parametrize("version", ["v1beta", "v1", "v1alpha", "v1beta1"])
def test_clients_of_every_version_of_the_api_are_known(version: str) -> None:
    found = asked(clients(), f"/{version}/interactions")
    assert found is not None
    assert (found.protocol, found.path) == (INTERACTIONS, "/v1beta/interactions")


# --- the types --------------------------------------------------------------------------------------------------------


def converted(kind: str) -> list[Sample]:
    return [one for one in samples(kind) if one.protocol != INTERACTIONS]


def known(value: Any) -> None:
    """Fails where the package met a type that it does not know."""
    left = [value]
    while left:
        one = left.pop()
        assert not getattr(one, "is_unknown", False), one
        if isinstance(one, list):
            left += one
        elif hasattr(type(one), "model_fields"):
            left += [getattr(one, name) for name in type(one).model_fields]


@pytest.mark.parametrize("sample", converted("request"), ids=str)
def test_the_package_takes_requests(sample: Sample) -> None:
    try:
        made = proxai_ir.convert(sample.make(), sample.protocol, INTERACTIONS, model="m", emulate="auto")
    except TranslationError:
        pytest.skip("it is refused")
    read = types().CreateModelInteraction.model_validate(made)
    known(read)
    assert not read.model_extra


@pytest.mark.parametrize("sample", converted("response"), ids=str)
def test_the_package_reads_responses(sample: Sample) -> None:
    try:
        made = proxai_ir.compile(sample.make(), sample.protocol, INTERACTIONS)
    except TranslationError:
        pytest.skip("it is refused")
    if made.kind == "error":
        assert isinstance(made.output["error"]["message"], str)
        return
    read = types().Interaction.model_validate(made.output)
    known(read)
    assert set(read.model_extra or {}) <= {"object"}


@pytest.mark.parametrize("sample", converted("stream"), ids=str)
def test_the_package_reads_streams(sample: Sample) -> None:
    read = types().InteractionSSEStreamEvent
    for event in fed(sample.make(), sample.protocol, INTERACTIONS).out:
        if event != "[DONE]":
            known(read.model_validate({"data": event}))


@pytest.mark.parametrize("sample", samples("request", "response"), ids=str)
def test_the_package_reads_the_samples(sample: Sample) -> None:
    if sample.protocol == INTERACTIONS and not sample.own:
        cls = types().CreateModelInteraction if sample.kind == "request" else types().Interaction
        read = cls.model_validate(sample.make())
        known(read)
        assert set(read.model_extra or {}) <= {"object", "x_new"}


# --- detection --------------------------------------------------------------------------------------------------------

USER = {"type": "user_input", "content": [{"type": "text", "text": "Hi"}]}


@pytest.mark.parametrize(
    ("payload", "protocol"),
    [
        ({"model": "m", "input": "Hi"}, RESPONSES),
        ({"model": "m", "input": "Hi", "store": False, "stream": True, "tools": [TOOL]}, RESPONSES),
        ({"model": "m", "input": "Hi", "background": True, "service_tier": "flex"}, RESPONSES),
        ({"model": "m", "input": [{"type": "message", "role": "user", "content": "Hi"}]}, RESPONSES),
        ({"model": "m", "input": "Hi", "generation_config": {"temperature": 1}}, INTERACTIONS),
        ({"model": "m", "input": "Hi", "system_instruction": "Be brief."}, INTERACTIONS),
        ({"model": "m", "input": [USER]}, INTERACTIONS),
        ({"model": "m", "input": USER["content"]}, INTERACTIONS),
        ({"agent": "a", "input": "Hi"}, INTERACTIONS),
        ({"id": "v1_1", "status": "completed", "steps": []}, INTERACTIONS),
    ],
)
def test_only_what_is_its_own_shows_the_protocol(payload: Any, protocol: str) -> None:
    assert [one.protocol for one in detected(payload)] == [protocol]
