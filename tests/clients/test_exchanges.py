"""What the official clients of each protocol meet through a proxy: parallel tools, signatures over three turns, images,
errors as their own exceptions, and memory; with every provider.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir

from .gateway import CLIENTS, Gateway
from .provider import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    LATER,
    LONG,
    MORE,
    NO_KEY,
    NO_MODEL,
    RESPONSES,
    SLOWER,
    SUM,
    TEXT,
    signature,
)
from .test_google import DECLARED
from .test_google import client as google
from .test_official import ANTHROPIC_TOOLS, CHAT_TOOLS, HELLO, RESPONSES_TOOLS, anthropic, openai

each_provider = pytest.mark.parametrize("provider", CLIENTS)
SEALING = (RESPONSES, ANTHROPIC, GEMINI)  # Chat Completions has no signatures
each_sealing = pytest.mark.parametrize("provider", SEALING)
STREAMED = pytest.mark.parametrize("streamed", [False, True])


def ask_chat(gateway: Gateway, messages: Any = HELLO, *, streamed: bool = False, **more: Any) -> Any:
    by = openai(gateway).chat.completions
    if not streamed:
        return by.create(model="m", messages=messages, **more)
    with by.stream(model="m", messages=messages, **more) as stream:
        stream.until_done()
        return stream.get_final_completion()


def ask_responses(gateway: Gateway, items: Any = HELLO, *, streamed: bool = False, **more: Any) -> Any:
    by = openai(gateway).responses
    if not streamed:
        return by.create(model="m", input=items, **more)
    with by.stream(model="m", input=items, **more) as stream:
        return stream.get_final_response()


def ask_messages(gateway: Gateway, messages: Any = HELLO, *, streamed: bool = False, **more: Any) -> Any:
    by = anthropic(gateway).messages
    if not streamed:
        return by.create(model="m", max_tokens=4096, messages=messages, **more)
    with by.stream(model="m", max_tokens=4096, messages=messages, **more) as stream:
        return stream.get_final_message()


# --- parallel tools ---------------------------------------------------------------------------------------------------


@STREAMED
@each_provider
def test_chat_runs_two_tools_at_once(provider: str, streamed: bool) -> None:
    gateway = Gateway(CHAT, provider, "calls", "text")
    message = ask_chat(gateway, tools=CHAT_TOOLS, streamed=streamed).choices[0].message
    assert [json.loads(call.function.arguments) for call in message.tool_calls] == [SUM, MORE]
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": f"r{at}"} for at, call in enumerate(message.tool_calls)
    ]
    last = ask_chat(gateway, [*HELLO, message, *results], tools=CHAT_TOOLS, streamed=streamed)
    assert last.choices[0].message.content == TEXT
    assert all(word in json.dumps(gateway.sent[1]) for word in ("r0", "r1"))


@STREAMED
@each_provider
def test_responses_runs_two_tools_at_once(provider: str, streamed: bool) -> None:
    gateway = Gateway(RESPONSES, provider, "calls", "text")
    output = ask_responses(gateway, tools=RESPONSES_TOOLS, streamed=streamed).output
    calls = [item for item in output if item.type == "function_call"]
    assert [json.loads(call.arguments) for call in calls] == [SUM, MORE]
    results = [
        {"type": "function_call_output", "call_id": call.call_id, "output": f"r{at}"} for at, call in enumerate(calls)
    ]
    own = [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in output]
    assert (
        ask_responses(gateway, [*HELLO, *own, *results], tools=RESPONSES_TOOLS, streamed=streamed).output_text == TEXT
    )
    assert all(word in json.dumps(gateway.sent[1]) for word in ("r0", "r1"))


@STREAMED
@each_provider
def test_messages_runs_two_tools_at_once(provider: str, streamed: bool) -> None:
    gateway = Gateway(ANTHROPIC, provider, "calls", "text")
    content = ask_messages(gateway, tools=ANTHROPIC_TOOLS, streamed=streamed).content
    calls = [block for block in content if block.type == "tool_use"]
    assert [call.input for call in calls] == [SUM, MORE]
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": f"r{at}"} for at, call in enumerate(calls)]
    own = [block.model_dump(exclude_none=True) for block in content]
    history = [*HELLO, {"role": "assistant", "content": own}, {"role": "user", "content": results}]
    assert ask_messages(gateway, history, tools=ANTHROPIC_TOOLS, streamed=streamed).content[0].text == TEXT
    assert all(word in json.dumps(gateway.sent[1]) for word in ("r0", "r1"))


# --- signatures over three turns --------------------------------------------------------------------------------------


def signatures(sent: Any) -> list[str]:
    """What a provider gets of its own signatures, in order."""
    found: list[str] = []
    if isinstance(sent, dict):
        found += [str(sent[name]) for name in ("signature", "encrypted_content", "thoughtSignature") if sent.get(name)]
    values = sent.values() if isinstance(sent, dict) else sent if isinstance(sent, list) else ()
    for value in values:
        found += signatures(value)
    return found


def assert_signed(gateway: Gateway, provider: str) -> None:
    """Turn 2 has the signature of response 1, turn 3 those of 1 and 2, unchanged."""
    assert [signatures(sent) for sent in gateway.sent] == [[], [signature(1)], [signature(1), signature(2)]]
    asked = [sent.get("include") for sent in gateway.sent]
    assert asked == ([["reasoning.encrypted_content"]] * 3 if provider == RESPONSES else [None] * 3)


@STREAMED
@each_sealing
def test_responses_returns_signatures(provider: str, streamed: bool) -> None:
    gateway = Gateway(RESPONSES, provider, "planned", "planned", "text")
    settings: Any = {"tools": RESPONSES_TOOLS, "reasoning": {"effort": "low"}, "store": False}
    history: list[Any] = [*HELLO]
    for _ in range(2):
        output = ask_responses(
            gateway, history, streamed=streamed, include=["reasoning.encrypted_content"], **settings
        ).output
        call = output[-1]
        history += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in output]
        history.append({"type": "function_call_output", "call_id": call.call_id, "output": "42"})
    last = ask_responses(gateway, history, streamed=streamed, include=["reasoning.encrypted_content"], **settings)
    assert last.output_text == TEXT
    assert_signed(gateway, provider)


@STREAMED
@each_sealing
def test_messages_returns_signatures(provider: str, streamed: bool) -> None:
    gateway = Gateway(ANTHROPIC, provider, "planned", "planned", "text")
    settings: Any = {"tools": ANTHROPIC_TOOLS, "thinking": {"type": "enabled", "budget_tokens": 2048}}
    history: list[Any] = [*HELLO]
    for _ in range(2):
        content = ask_messages(gateway, history, streamed=streamed, **settings).content
        own = [block.model_dump(exclude_none=True) for block in content]
        result = {"type": "tool_result", "tool_use_id": content[-1].id, "content": "42"}
        history += [{"role": "assistant", "content": own}, {"role": "user", "content": [result]}]
    assert ask_messages(gateway, history, streamed=streamed, **settings).content[-1].text == TEXT
    assert_signed(gateway, provider)


@each_sealing
def test_gemini_s_client_returns_signatures(provider: str) -> None:
    gateway = Gateway(GEMINI, provider, "planned", "planned", "text")
    types = pytest.importorskip("google.genai").types
    settings = types.GenerateContentConfig(
        tools=[DECLARED], thinking_config={"include_thoughts": True, "thinking_level": "low"}
    )
    by = google(gateway).models
    history: list[Any] = [types.Content(role="user", parts=[types.Part(text="40 and 2?")])]
    for _ in range(2):
        made = by.generate_content(model="m", contents=history, config=settings)
        (call,) = made.function_calls
        result = types.Part.from_function_response(name="add", response={"output": "42"})
        result.function_response.id = call.id
        history += [made.candidates[0].content, types.Content(role="user", parts=[result])]
    assert by.generate_content(model="m", contents=history, config=settings).text == TEXT
    assert_signed(gateway, provider)


# --- images -----------------------------------------------------------------------------------------------------------

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
URL = f"data:image/png;base64,{PIXEL}"


@each_provider
def test_images_arrive(provider: str) -> None:
    of_chat, of_responses, of_messages = (Gateway(client, provider, "text") for client in CLIENTS[:3])
    ask_chat(of_chat, [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": URL}}]}])
    ask_responses(
        of_responses, [{"role": "user", "content": [{"type": "input_image", "image_url": URL, "detail": "auto"}]}]
    )
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    ask_messages(of_messages, [{"role": "user", "content": [{"type": "image", "source": source}]}])
    for gateway in (of_chat, of_responses, of_messages):
        assert PIXEL in json.dumps(gateway.sent[0])


# --- errors -----------------------------------------------------------------------------------------------------------

RAISED = {
    "denied": ("AuthenticationError", NO_KEY, {401}),
    "unknown": ("NotFoundError", NO_MODEL, {404}),
    "limited": ("RateLimitError", SLOWER, {429}),
    "overflow": ("BadRequestError", LONG, {400}),
    "failure": ("InternalServerError", LATER, {500, 503, 529}),
}
each_error = pytest.mark.parametrize("kind", RAISED)


@each_error
@STREAMED
@each_provider
def test_errors_are_the_clients_own_exceptions(provider: str, kind: str, streamed: bool) -> None:
    name, words, statuses = RAISED[kind]
    for client, ask in ((CHAT, ask_chat), (RESPONSES, ask_responses), (ANTHROPIC, ask_messages)):
        package = pytest.importorskip("anthropic" if client == ANTHROPIC else "openai")
        expected = package.APIStatusError if kind == "failure" else getattr(package, name)
        with pytest.raises(expected) as raised:
            ask(Gateway(client, provider, kind), streamed=streamed)
        assert raised.value.status_code in statuses
        assert words in str(raised.value)
        assert raised.value.response.headers.get("retry-after") == ("7" if kind == "limited" else None)
        if kind == "overflow" and client != ANTHROPIC and client != provider:
            assert raised.value.code == "context_length_exceeded"


@each_error
@each_provider
def test_errors_are_gemini_s_own_exceptions(provider: str, kind: str) -> None:
    _, words, statuses = RAISED[kind]
    errors = pytest.importorskip("google.genai").errors
    expected = errors.ServerError if kind == "failure" else errors.ClientError
    with pytest.raises(expected) as raised:
        google(Gateway(GEMINI, provider, kind)).models.generate_content(model="m", contents="Hi")
    assert raised.value.code in statuses
    assert words in str(raised.value)


@pytest.mark.parametrize("kind", ["instead", "named"])
@each_provider
def test_errors_in_place_of_a_stream(provider: str, kind: str) -> None:
    """Whatever their form, clients of other protocols raise with the provider's words."""
    for client, ask in ((CHAT, ask_chat), (ANTHROPIC, ask_messages)):
        package = pytest.importorskip("anthropic" if client == ANTHROPIC else "openai")
        if client != provider:
            with pytest.raises(package.APIError, match=LATER):
                ask(Gateway(client, provider, kind), streamed=True)
    if provider != RESPONSES:
        with openai(Gateway(RESPONSES, provider, kind)).responses.stream(model="m", input=HELLO) as stream:
            assert LATER in str(list(stream)[-1])
    if provider != GEMINI:
        gemini = google(Gateway(GEMINI, provider, kind)).models
        with pytest.raises(pytest.importorskip("google.genai").errors.APIError, match=LATER):
            list(gemini.generate_content_stream(model="m", contents="Hi"))


@pytest.mark.parametrize("kind", ["midway", "broken"])
@each_provider
def test_errors_in_mid_stream(provider: str, kind: str) -> None:
    words = LATER if kind == "midway" else "cut off"
    for client, ask in ((CHAT, ask_chat), (ANTHROPIC, ask_messages)):
        package = pytest.importorskip("anthropic" if client == ANTHROPIC else "openai")
        with pytest.raises(package.APIError, match=words):
            ask(Gateway(client, provider, kind), streamed=True)
    by = openai(Gateway(RESPONSES, provider, kind)).responses
    try:
        with by.stream(model="m", input=HELLO) as stream:
            last = list(stream)[-1]
    except pytest.importorskip("openai").APIError as error:  # an error event of the provider's own protocol
        assert words in str(error)
    else:
        assert words in str(last)
    gemini = google(Gateway(GEMINI, provider, kind)).models
    with pytest.raises(pytest.importorskip("google.genai").errors.APIError, match=words):
        list(gemini.generate_content_stream(model="m", contents="Hi"))


# --- memory -----------------------------------------------------------------------------------------------------------


def texts(sent: Any) -> str:
    return json.dumps(sent)


@STREAMED
@pytest.mark.parametrize("provider", [CHAT, ANTHROPIC, GEMINI])
def test_responses_goes_on_from_the_previous_response(provider: str, streamed: bool) -> None:
    gateway = Gateway(RESPONSES, provider, "thought", "call", "text", memory=proxai_ir.InMemory())
    first = ask_responses(gateway, "One.", streamed=streamed)
    second = ask_responses(gateway, "Two.", previous_response_id=first.id, tools=RESPONSES_TOOLS, streamed=streamed)
    call = second.output[-1]
    result = [{"type": "function_call_output", "call_id": call.call_id, "output": "42"}]
    last = ask_responses(gateway, result, previous_response_id=second.id, tools=RESPONSES_TOOLS, streamed=streamed)
    assert last.output_text == TEXT
    assert all(word in texts(gateway.sent[2]) for word in ("One.", "It is 42.", "Two.", "add", "42"))
    references: Any = [{"type": "item_reference", "id": item.id} for item in first.output]
    gateway._script.append("text")
    ask_responses(gateway, [{"role": "user", "content": "One."}, *references, {"role": "user", "content": "Three."}])
    assert all(word in texts(gateway.sent[3]) for word in ("One.", "It is 42.", "Three."))


@pytest.mark.parametrize("provider", [CHAT, ANTHROPIC, GEMINI])
def test_responses_learns_that_nothing_is_kept(provider: str) -> None:
    errors = pytest.importorskip("openai")
    for memory in (None, proxai_ir.InMemory()):
        with pytest.raises(errors.BadRequestError) as raised:
            ask_responses(Gateway(RESPONSES, provider, memory=memory), "Hi", previous_response_id="resp_0")
        assert raised.value.code == "previous_response_not_found"


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("provider", [CHAT, RESPONSES, GEMINI])
def test_a_tool_runner_of_messages(provider: str, kept: bool) -> None:
    """It asks for a thread; where none is kept it sends the whole conversation."""
    package = pytest.importorskip("anthropic")

    @package.beta_tool  # type: ignore[untyped-decorator, unused-ignore]
    def add(a: int, b: int) -> str:
        """Adds."""
        return str(a + b)

    memory = proxai_ir.InMemory() if kept else None
    gateway = Gateway(ANTHROPIC, provider, "call", "calls", "text", memory=memory)
    runner = anthropic(gateway).beta.messages.tool_runner(model="m", max_tokens=99, messages=HELLO, tools=[add])
    assert runner.until_done().content[0].text == TEXT
    assert len(gateway.sent) == 3
    assert texts(gateway.sent[2]).count("40 and 2?") == 1
    assert "42" in texts(gateway.sent[1])
    if any(isinstance(asked.get("thread"), dict) for asked in gateway.asked):
        assert len(gateway.asked) == (3 if kept else 5)
