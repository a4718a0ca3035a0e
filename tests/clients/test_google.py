"""The official client of Gemini: what it makes of responses, streams and failures of providers of other protocols."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from .gateway import BASE, CLIENTS, Gateway
from .provider import CITY, GEMINI, NO, SUM, TEXT, THOUGHT

each_provider = pytest.mark.parametrize("provider", CLIENTS)
HELLO = "40 and 2?"


def google() -> Any:
    return pytest.importorskip("google.genai")


def client(gateway: Gateway) -> Any:
    httpx = pytest.importorskip("httpx2")
    http = {"httpx_client": gateway.http(httpx), "httpx_async_client": gateway.async_http(httpx), "base_url": BASE}
    return google().Client(api_key="none", http_options=http)


def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


DECLARED: Any = {
    "function_declarations": [
        {
            "name": "add",
            "parameters": {
                "type": "OBJECT",
                "properties": {"a": {"type": "INTEGER"}, "b": {"type": "INTEGER"}},
                "required": ["a", "b"],
            },
        }
    ]
}


# --- generate_content -------------------------------------------------------------------------------------------------


@each_provider
def test_a_response_is_read(provider: str) -> None:
    made = client(Gateway(GEMINI, provider, "text")).models.generate_content(model="m", contents=HELLO)
    assert (made.text, made.candidates[0].finish_reason.name) == (TEXT, "STOP")
    assert made.model_version == "m"
    usage = made.usage_metadata
    assert 0 < usage.prompt_token_count < usage.total_token_count


@each_provider
def test_thoughts_are_apart_from_the_text(provider: str) -> None:
    config = {"thinking_config": {"include_thoughts": True, "thinking_level": "low"}}
    made = client(Gateway(GEMINI, provider, "thought")).models.generate_content(
        model="m", contents=HELLO, config=config
    )
    thought, text = made.candidates[0].content.parts
    assert (thought.text, thought.thought, text.text, made.text) == (THOUGHT, True, TEXT, TEXT)


@each_provider
def test_a_tool_loop_by_hand(provider: str) -> None:
    types = google().types
    gateway = Gateway(GEMINI, provider, "call", "text")
    by = client(gateway)
    config = types.GenerateContentConfig(tools=[DECLARED])
    first = by.models.generate_content(model="m", contents=HELLO, config=config)
    (call,) = first.function_calls
    assert (call.name, call.args) == ("add", SUM)
    returned = types.Part.from_function_response(name=call.name, response={"output": "42"})
    returned.function_response.id = call.id
    history = [
        types.Content(role="user", parts=[types.Part(text=HELLO)]),
        first.candidates[0].content,
        types.Content(role="user", parts=[returned]),
    ]
    assert by.models.generate_content(model="m", contents=history, config=config).text == TEXT
    assert "42" in str(gateway.sent[1])


@each_provider
def test_functions_are_called_by_the_client(provider: str) -> None:
    """Automatic function calling: the schema is made from the function, and the loop is the client's own."""
    gateway = Gateway(GEMINI, provider, "call", "text")
    made = client(gateway).models.generate_content(model="m", contents=HELLO, config={"tools": [add]})
    assert made.text == TEXT
    history = made.automatic_function_calling_history
    assert [part.function_call.args for turn in history for part in turn.parts if part.function_call] == [SUM]
    assert len(gateway.sent) == 2
    assert "42" in str(gateway.sent[1])


@each_provider
def test_output_by_schema_is_parsed(provider: str) -> None:
    city = pytest.importorskip("pydantic").create_model("City", city=(str, ...))
    gateway = Gateway(GEMINI, provider, "json", "json")
    by = client(gateway)
    config = {"response_mime_type": "application/json", "response_schema": city}
    assert by.models.generate_content(model="m", contents="Where?", config=config).parsed.city == "Oslo"
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    config = {"response_mime_type": "application/json", "response_json_schema": schema}
    assert by.models.generate_content(model="m", contents="Where?", config=config).text == CITY
    assert all("city" in str(sent) for sent in gateway.sent)


@each_provider
def test_what_a_model_declines_has_its_words(provider: str) -> None:
    made = client(Gateway(GEMINI, provider, "refusal")).models.generate_content(model="m", contents=HELLO)
    (part,) = made.candidates[0].content.parts
    assert part.text == NO


# --- streams ----------------------------------------------------------------------------------------------------------


@each_provider
def test_a_stream_is_read(provider: str) -> None:
    chunks = [*client(Gateway(GEMINI, provider, "text")).models.generate_content_stream(model="m", contents=HELLO)]
    assert "".join(chunk.text or "" for chunk in chunks) == TEXT
    assert len(chunks) > 1
    last = chunks[-1]
    assert last.candidates[0].finish_reason.name == "STOP"
    assert last.usage_metadata.candidates_token_count == 7
    assert {chunk.response_id for chunk in chunks} == {chunks[0].response_id}
    assert {chunk.model_version for chunk in chunks} == {"m"}


@each_provider
def test_calls_stream_whole(provider: str) -> None:
    by = client(Gateway(GEMINI, provider, "call"))
    config = {"tools": [DECLARED]}
    chunks = [*by.models.generate_content_stream(model="m", contents=HELLO, config=config)]
    (call,) = [call for chunk in chunks for call in chunk.function_calls or ()]
    assert (call.name, call.args) == ("add", SUM)


@each_provider
def test_functions_are_called_in_streams(provider: str) -> None:
    gateway = Gateway(GEMINI, provider, "call", "text")
    stream = client(gateway).models.generate_content_stream(model="m", contents=HELLO, config={"tools": [add]})
    assert "".join(chunk.text or "" for chunk in stream if chunk.candidates[0].content) == TEXT
    assert "42" in str(gateway.sent[1])


@each_provider
def test_the_asynchronous_client_streams(provider: str) -> None:
    by = client(Gateway(GEMINI, provider, "thought"))

    async def run() -> str:
        stream = await by.aio.models.generate_content_stream(model="m", contents=HELLO)
        return "".join([chunk.text or "" async for chunk in stream])

    assert asyncio.run(run()) == TEXT


# --- a chat with tools ------------------------------------------------------------------------------------------------


@each_provider
def test_a_chat_of_three_turns_with_a_tool(provider: str) -> None:
    gateway = Gateway(GEMINI, provider, "text", "call", "text", "thought")
    chat = client(gateway).chats.create(model="m", config={"tools": [add], "system_instruction": "Add."})
    answers = [chat.send_message(asked).text for asked in ("Hi", HELLO, "Sure?")]
    assert answers == [TEXT, TEXT, TEXT]
    assert len(gateway.sent) == 4
    assert [turn.role for turn in chat.get_history()] == [
        "user",
        "model",
        "user",
        "model",
        "user",
        "model",
        "user",
        "model",
    ]
    assert all("Add." in str(sent) for sent in gateway.sent)
    assert "42" in str(gateway.sent[3])


@each_provider
def test_a_chat_streams(provider: str) -> None:
    gateway = Gateway(GEMINI, provider, "text", "text", "text")
    chat = client(gateway).chats.create(model="m")
    for asked in ("Hi", HELLO, "Sure?"):
        assert "".join(chunk.text or "" for chunk in chat.send_message_stream(asked)) == TEXT
    assert str(gateway.sent[2]).count("42.") == 2  # the client keeps each chunk as a turn of its own


# --- failures ---------------------------------------------------------------------------------------------------------


@each_provider
def test_failures_are_its_own_exceptions(provider: str) -> None:
    errors = google().errors
    with pytest.raises(errors.ServerError, match=r"Come back later\.") as raised:
        client(Gateway(GEMINI, provider, "failure")).models.generate_content(model="m", contents=HELLO)
    assert raised.value.code == 503
    assert raised.value.status == "UNAVAILABLE"
    assert raised.value.message == "Come back later."


@each_provider
def test_a_failure_before_a_stream(provider: str) -> None:
    errors = google().errors
    with pytest.raises(errors.ServerError, match=r"Come back later\."):
        next(client(Gateway(GEMINI, provider, "failure")).models.generate_content_stream(model="m", contents=HELLO))


@each_provider
def test_a_stream_that_breaks_off(provider: str) -> None:
    errors = google().errors
    got: list[str] = []
    by = client(Gateway(GEMINI, provider, "broken"))
    with pytest.raises(errors.APIError):
        got.extend(chunk.text or "" for chunk in by.models.generate_content_stream(model="m", contents=HELLO))
    assert TEXT.startswith("".join(got))


@pytest.mark.parametrize("provider", [one for one in CLIENTS if one != GEMINI])
def test_a_request_that_cannot_be_converted(provider: str) -> None:
    errors = google().errors
    by = client(Gateway(GEMINI, provider))
    with pytest.raises(errors.ClientError, match="R2A-3") as raised:
        by.models.generate_content(model="m", contents=HELLO, config={"cached_content": "cachedContents/1"})
    assert (raised.value.code, raised.value.status) == (400, "INVALID_ARGUMENT")
