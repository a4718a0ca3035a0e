"""The official clients: what they make of responses, streams, refusals and failures of providers of other protocols."""

from __future__ import annotations

from typing import Any

import pytest

from .gateway import BASE, PAIRS, Gateway
from .provider import ANTHROPIC, CHAT, GEMINI, NO, RESPONSES, SUM, TEXT, THOUGHT, signature

ADD: Any = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}
HELLO: Any = [{"role": "user", "content": "40 and 2?"}]


def through(client: str, script: tuple[str, ...]) -> list[str]:
    """The providers that can respond so: Gemini has no refusals."""
    return [src for dst, src in PAIRS if dst == client and not (src == GEMINI and "refusal" in script)]


def client(package: str, name: str, gateway: Gateway) -> Any:
    make = getattr(pytest.importorskip(package), name)
    http = gateway.http(pytest.importorskip("httpx2"))
    return make(api_key="none", base_url=BASE, http_client=http, max_retries=0)


def openai(gateway: Gateway) -> Any:
    return client("openai", "OpenAI", gateway)


def anthropic(gateway: Gateway) -> Any:
    return client("anthropic", "Anthropic", gateway)


def of_chat(*script: str) -> Any:
    """Each provider with the official client of Chat Completions and its gateway."""
    gateways = [Gateway(CHAT, provider, *script) for provider in through(CHAT, script)]
    return [(openai(gateway), gateway) for gateway in gateways]


def of_responses(*script: str) -> Any:
    gateways = [Gateway(RESPONSES, provider, *script) for provider in through(RESPONSES, script)]
    return [(openai(gateway), gateway) for gateway in gateways]


def of_anthropic(*script: str) -> Any:
    gateways = [Gateway(ANTHROPIC, provider, *script) for provider in through(ANTHROPIC, script)]
    return [(anthropic(gateway), gateway) for gateway in gateways]


def keeps_the_signature(gateway: Gateway) -> bool:
    """Whether a call of Gemini came back to it with its own signature (RSN-24); other providers sign no calls."""
    return "contents" not in gateway.sent[1] or [
        part["thoughtSignature"]
        for content in gateway.sent[1]["contents"]
        for part in content["parts"]
        if "functionCall" in part
    ] == [signature(1)]


# --- Chat Completions -------------------------------------------------------------------------------------------------

CHAT_TOOLS: Any = [{"type": "function", "function": {"name": "add", "parameters": ADD, "strict": True}}]


def test_chat_reads_a_tool_loop() -> None:
    for by, gateway in of_chat("call", "text"):
        first = by.chat.completions.create(model="m", messages=HELLO, tools=CHAT_TOOLS).choices[0]
        (call,) = first.message.tool_calls
        assert (first.finish_reason, call.function.name) == ("tool_calls", "add")
        history = [*HELLO, first.message, {"role": "tool", "tool_call_id": call.id, "content": "42"}]
        last = by.chat.completions.create(model="m", messages=history, tools=CHAT_TOOLS)
        assert (last.choices[0].message.content, last.choices[0].finish_reason, last.model) == (TEXT, "stop", "m")
        assert len(gateway.sent) == 2
        assert keeps_the_signature(gateway)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_chat_keeps_geminis_signatures_over_three_rounds(streamed: bool) -> None:
    """With parallel calls, and messages of the client's own types, which are sent back as they came."""
    gateway = Gateway(CHAT, GEMINI, "calls", "planned", "call", "text")
    by, history = openai(gateway), [*HELLO]
    message: Any = None
    for number in range(4):
        if streamed:
            with by.chat.completions.stream(model="m", messages=history, tools=CHAT_TOOLS) as stream:
                stream.until_done()
                message = stream.get_final_completion().choices[0].message
        else:
            message = by.chat.completions.create(model="m", messages=history, tools=CHAT_TOOLS).choices[0].message
        contents = gateway.sent[number]["contents"]
        calls = [[part for part in turn["parts"] if "functionCall" in part] for turn in contents]
        signed = [[part.get("thoughtSignature") for part in turn] for turn in calls if turn]
        assert signed == [[signature(1), None], [signature(2)], [signature(3)]][:number]
        history.append(message)
        history += [{"role": "tool", "tool_call_id": one.id, "content": "42"} for one in message.tool_calls or ()]
    assert message.content == TEXT


def test_chat_streams() -> None:
    for by, _ in of_chat("thought", "call"):
        usage = {"include_usage": True}
        with by.chat.completions.stream(model="m", messages=HELLO, stream_options=usage) as stream:
            stream.until_done()
            made = stream.get_final_completion()
        assert made.choices[0].message.content == TEXT
        assert made.usage.completion_tokens == 7
        with by.chat.completions.stream(model="m", messages=HELLO, tools=CHAT_TOOLS) as stream:
            stream.until_done()
            called = stream.get_final_completion().choices[0].message.tool_calls[0].function
        assert (called.name, called.parsed_arguments) == ("add", SUM)


def test_chat_parses() -> None:
    pydantic = pytest.importorskip("pydantic")
    city = pydantic.create_model("City", city=(str, ...))
    for by, gateway in of_chat("json", "refusal"):
        made = by.chat.completions.parse(model="m", messages=HELLO, response_format=city).choices[0].message
        assert made.parsed.city == "Oslo"
        no = by.chat.completions.parse(model="m", messages=HELLO, response_format=city).choices[0].message
        assert (no.parsed, no.refusal) == (None, NO)
        assert gateway.sent[0] != gateway.asked[0]


def test_chat_raises() -> None:
    errors = pytest.importorskip("openai")
    for by, _ in of_chat("failure", "broken"):
        with pytest.raises(errors.InternalServerError, match=r"Come back later\.") as raised:
            by.chat.completions.create(model="m", messages=HELLO)
        assert raised.value.status_code == 503
        with pytest.raises(errors.APIError), by.chat.completions.stream(model="m", messages=HELLO) as stream:
            stream.until_done()


# --- Responses --------------------------------------------------------------------------------------------------------

RESPONSES_TOOLS: Any = [{"type": "function", "name": "add", "parameters": ADD, "strict": True}]


def test_responses_reads_a_tool_loop() -> None:
    for by, gateway in of_responses("call", "text"):
        first = by.responses.create(model="m", input=HELLO, tools=RESPONSES_TOOLS)
        call = first.output[-1]  # before it stands the signature of Gemini's call, in an envelope (RSN-24)
        assert (first.status, call.type, call.name) == ("completed", "function_call", "add")
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "42"}
        history = [*HELLO, *first.output, result]
        last = by.responses.create(model="m", input=history, tools=RESPONSES_TOOLS)
        assert (last.output_text, last.status, last.model) == (TEXT, "completed", "m")
        assert len(gateway.sent) == 2
        assert keeps_the_signature(gateway)


def test_responses_streams() -> None:
    for by, _ in of_responses("thought", "call"):
        with by.responses.stream(model="m", input=HELLO, reasoning={"summary": "auto"}) as stream:
            kinds = [event.type for event in stream]
            made = stream.get_final_response()
        assert made.output_text == TEXT
        assert kinds[-1] == "response.completed"
        assert made.usage.output_tokens == 7
        (thought,) = [item for item in made.output if item.type == "reasoning"]
        assert THOUGHT in [part.text for part in [*thought.summary, *(thought.content or ())]]
        with by.responses.stream(model="m", input=HELLO, tools=RESPONSES_TOOLS) as stream:
            made = stream.get_final_response()
        assert (made.output[-1].name, made.output[-1].parsed_arguments) == ("add", SUM)


def test_responses_parses() -> None:
    pydantic = pytest.importorskip("pydantic")
    city = pydantic.create_model("City", city=(str, ...))
    for by, _ in of_responses("json", "refusal"):
        assert by.responses.parse(model="m", input=HELLO, text_format=city).output_parsed.city == "Oslo"
        no = by.responses.parse(model="m", input=HELLO, text_format=city)
        assert no.output_parsed is None
        assert [part.refusal for part in no.output[0].content] == [NO]


def test_responses_raises() -> None:
    errors = pytest.importorskip("openai")
    for by, _ in of_responses("failure", "broken"):
        with pytest.raises(errors.InternalServerError, match=r"Come back later\."):
            by.responses.create(model="m", input=HELLO)
        with by.responses.stream(model="m", input=HELLO) as stream:
            last = list(stream)[-1]
        assert last.type == "response.failed"
        assert last.response.error.message


# --- Messages ---------------------------------------------------------------------------------------------------------

ANTHROPIC_TOOLS: Any = [{"name": "add", "input_schema": ADD}]


def test_messages_reads_a_tool_loop() -> None:
    for by, gateway in of_anthropic("call", "text"):
        first = by.messages.create(model="m", max_tokens=99, messages=HELLO, tools=ANTHROPIC_TOOLS)
        call = first.content[-1]  # before it stands the signature of Gemini's call, in an envelope (RSN-24)
        assert (first.stop_reason, call.name, call.input) == ("tool_use", "add", SUM)
        result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "42"}]}
        history = [*HELLO, {"role": "assistant", "content": first.content}, result]
        last = by.messages.create(model="m", max_tokens=99, messages=history, tools=ANTHROPIC_TOOLS)
        assert (last.content[0].text, last.stop_reason, last.model) == (TEXT, "end_turn", "m")
        assert len(gateway.sent) == 2
        assert keeps_the_signature(gateway)


def test_messages_ends_at_a_stop_sequence_that_responses_does_not_have() -> None:
    """SMP-15."""
    by = anthropic(Gateway(ANTHROPIC, RESPONSES, "text", "text"))
    asked: Any = {"model": "m", "max_tokens": 99, "messages": HELLO, "stop_sequences": ["t is"]}
    with by.messages.stream(**asked) as stream:
        made = [by.messages.create(**asked), stream.get_final_message()]
    for one in made:
        assert (one.content[0].text, one.stop_reason, one.stop_sequence) == ("I", "stop_sequence", "t is")


def test_messages_streams() -> None:
    for by, _ in of_anthropic("thought", "call"):
        with by.messages.stream(model="m", max_tokens=99, messages=HELLO) as stream:
            assert "".join(stream.text_stream) == TEXT
            made = stream.get_final_message()
        assert [block.thinking for block in made.content if block.type == "thinking"] == [THOUGHT]
        assert made.usage.output_tokens == 7
        with by.messages.stream(model="m", max_tokens=99, messages=HELLO, tools=ANTHROPIC_TOOLS) as stream:
            call = stream.get_final_message().content[-1]
        assert (call.name, call.input) == ("add", SUM)


def test_messages_parses() -> None:
    pydantic = pytest.importorskip("pydantic")
    city = pydantic.create_model("City", city=(str, ...))
    for by, _ in of_anthropic("json", "refusal"):
        made = by.messages.parse(model="m", max_tokens=99, messages=HELLO, output_format=city)
        assert made.parsed_output.city == "Oslo"
        no = by.messages.create(model="m", max_tokens=99, messages=HELLO)
        assert no.stop_reason == "refusal"
        assert NO in (no.content[0].text if no.content else no.stop_details.explanation)


def test_messages_runs_tools() -> None:
    package = pytest.importorskip("anthropic")

    @package.beta_tool  # type: ignore[untyped-decorator, unused-ignore]
    def add(a: int, b: int) -> str:
        """Adds."""
        return str(a + b)

    for by, gateway in of_anthropic("call", "text"):
        runner = by.beta.messages.tool_runner(model="m", max_tokens=99, messages=HELLO, tools=[add])
        assert runner.until_done().content[0].text == TEXT
        assert "42" in str(gateway.sent[1])


def test_messages_raises() -> None:
    errors = pytest.importorskip("anthropic")
    for by, _ in of_anthropic("failure", "broken"):
        with pytest.raises(errors.APIStatusError, match=r"Come back later\."):
            by.messages.create(model="m", max_tokens=99, messages=HELLO)
        with pytest.raises(errors.APIError), by.messages.stream(model="m", max_tokens=99, messages=HELLO) as stream:
            stream.until_done()
