"""The frameworks, which run the tools of a loop themselves: one adapter for each framework and protocol that it speaks.

An adapter's `say` runs the whole loop and returns what the user gets at its end; the provider has judged each request.
Frameworks show neither how a response ended nor its tokens alike, so that these are not compared.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from ...sessions.answers import NAMES
from .official import OF_OPENAI, URL, Client, Got, note
from .scenarios import ASKED, PNG, Ask

Json = Any
Make = Callable[[str, str], Any]
END, TOKENS = "end", 7


def tools() -> list[Callable[[str], str]]:
    """Return the two functions that are called: each returns the word of the result that belongs to the call's word."""

    def write_note(note: str) -> str:
        """Look the word up in the first list."""
        return returned(note)

    def look_up(note: str) -> str:
        """Look the word up in the second list."""
        return returned(note)

    assert NAMES == ("write_note", "look_up")
    return [write_note, look_up]


def returned(note: str) -> str:
    """Return the result of a call: `zc1x0q` is the word of a call, `zr1x0q` that of its result."""
    return f"It is {note.replace('zc', 'zr')}."


def only_text(text: str) -> Got:
    return Got(text, "", [], END, TOKENS)


@cache
def runner() -> asyncio.Runner:
    """Return the one event loop of all frameworks, whose clients outlive a scenario."""
    return asyncio.Runner()


class Agents:
    """`openai-agents`."""

    def __init__(self, make: Make, url: str, model: str, ask: Ask) -> None:
        agents = import_module("agents")
        agents.set_tracing_disabled(True)
        self._runner, self._ask = agents.Runner, ask
        more: Json = {"tools": [agents.function_tool(one) for one in tools()]} if ask.tools else {}
        more |= {"output_type": note()} if ask.schema else {}
        if ask.thinks:
            reasoning = import_module("openai.types.shared").Reasoning(effort="medium", summary="auto")
            including = ["reasoning.encrypted_content"]
            settings = agents.ModelSettings(reasoning=reasoning, store=False, response_include=including)
            more["model_settings"] = settings
        self._agent = agents.Agent(name="a", model=make(url, model), **more)
        image = [{"type": "input_text", "text": ASKED}, {"type": "input_image", "image_url": URL, "detail": "auto"}]
        self._input: Any = [{"role": "user", "content": image}] if ask.image else ASKED

    def say(self) -> Got:
        return runner().run(self._run())

    async def _run(self) -> Got:
        if self._ask.streamed:
            result = self._runner.run_streamed(self._agent, self._input)
            async for _ in result.stream_events():
                pass
        else:
            result = await self._runner.run(self._agent, self._input)
        found = result.final_output
        return only_text(json.dumps(found.model_dump()) if self._ask.schema else found)


def agents_chat(url: str, model: str) -> Any:
    return import_module("agents").OpenAIChatCompletionsModel(model, asynchronous(url))


def agents_responses(url: str, model: str) -> Any:
    return import_module("agents").OpenAIResponsesModel(model, asynchronous(url))


@cache
def asynchronous(url: str) -> Any:
    return import_module("openai").AsyncOpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)


class Pydantic:
    """`pydantic-ai`."""

    def __init__(self, make: Make, url: str, model: str, ask: Ask) -> None:
        package = import_module("pydantic_ai")
        self._ask = ask
        more: Json = {"tools": tools()} if ask.tools else {}
        more |= {"output_type": package.NativeOutput(note())} if ask.schema else {}
        more |= {"model_settings": {"thinking": "medium", "max_tokens": 16000}} if ask.thinks else {}
        self._agent = package.Agent(make(url, model), **more)
        self._input: Any = ASKED
        if ask.image:
            image = package.BinaryContent(data=import_module("base64").b64decode(PNG), media_type="image/png")
            self._input = [ASKED, image]

    def say(self) -> Got:
        return runner().run(self._run())

    async def _run(self) -> Got:
        if self._ask.streamed:
            async with self._agent.run_stream(self._input) as result:
                return only_text([piece async for piece in result.stream_text(debounce_by=None)][-1])
        found = (await self._agent.run(self._input)).output
        return only_text(json.dumps(found.model_dump()) if self._ask.schema else found)


def pydantic_chat(url: str, model: str) -> Any:
    provider = import_module("pydantic_ai.providers.openai").OpenAIProvider(openai_client=asynchronous(url))
    return import_module("pydantic_ai.models.openai").OpenAIChatModel(model, provider=provider)


def pydantic_responses(url: str, model: str) -> Any:
    provider = import_module("pydantic_ai.providers.openai").OpenAIProvider(openai_client=asynchronous(url))
    return import_module("pydantic_ai.models.openai").OpenAIResponsesModel(model, provider=provider)


def pydantic_messages(url: str, model: str) -> Any:
    client = anthropic_later(url)
    provider = import_module("pydantic_ai.providers.anthropic").AnthropicProvider(anthropic_client=client)
    return import_module("pydantic_ai.models.anthropic").AnthropicModel(model, provider=provider)


@cache
def anthropic_later(url: str) -> Any:
    return import_module("anthropic").AsyncAnthropic(base_url=url, api_key="any", max_retries=0)


class LangChain:
    """`langchain`: its loops are the user's, or those of LangGraph; here the user's."""

    def __init__(self, make: Make, url: str, model: str, ask: Ask) -> None:
        messages = import_module("langchain_core.messages")
        self._ask, self._messages = ask, messages
        self._functions = {one.__name__: one for one in tools()}
        self._model = make(url, model)
        if ask.thinks:
            self._model = thinking(self._model)
        if ask.tools:
            self._model = self._model.bind_tools(tools())
        if ask.schema:
            self._model = self._model.with_structured_output(note(), method="json_schema")
        image = [{"type": "text", "text": ASKED}, {"type": "image_url", "image_url": {"url": URL}}]
        self._history: list[Any] = [messages.HumanMessage(image if ask.image else ASKED)]

    def say(self) -> Got:
        if self._ask.schema:
            return only_text(json.dumps(self._model.invoke(self._history).model_dump()))
        message = self._asked()
        while message.tool_calls:
            self._history.append(message)
            for one in message.tool_calls:
                text = self._functions[one["name"]](one["args"]["note"])
                self._history.append(self._messages.ToolMessage(text, tool_call_id=one["id"]))
            message = self._asked()
        return only_text(message.text)

    def _asked(self) -> Any:
        if not self._ask.streamed:
            return self._model.invoke(self._history)
        first, *rest = self._model.stream(self._history)
        for chunk in rest:
            first += chunk
        return first


def thinking(model: Any) -> Any:
    """Return the model with thinking, as each package states it."""
    if type(model).__name__ == "ChatAnthropic":
        return model.model_copy(update={"thinking": {"type": "enabled", "budget_tokens": 2000}, "max_tokens": 8000})
    if model.use_responses_api:
        reasoning = {"effort": "medium", "summary": "auto"}
        return model.model_copy(update={"reasoning": reasoning, "include": ["reasoning.encrypted_content"]})
    return model.model_copy(update={"reasoning_effort": "medium"})


def langchain_chat(url: str, model: str) -> Any:
    chat = import_module("langchain_openai").ChatOpenAI
    return chat(model=model, api_key="any", base_url=f"{url}/v1", max_retries=0, use_responses_api=False)


def langchain_responses(url: str, model: str) -> Any:
    chat = import_module("langchain_openai").ChatOpenAI
    more = {"use_responses_api": True, "store": False}
    return chat(model=model, api_key="any", base_url=f"{url}/v1", max_retries=0, **more)


def langchain_messages(url: str, model: str) -> Any:
    chat = import_module("langchain_anthropic").ChatAnthropic
    return chat(model=model, api_key="any", base_url=url, max_retries=0, max_tokens=8000)


def by(adapter: Any, make: Make) -> Callable[[str, str, Ask], Any]:
    return lambda url, model, ask: adapter(make, url, model, ask)


ITS_OWN = {**OF_OPENAI, "stream": "Exception"}
"""What frameworks raise that let the exceptions of the client in them through."""
OF_PYDANTIC = {**dict.fromkeys(OF_OPENAI, "ModelHTTPError"), "stream": "Exception"}
GPT, CLAUDE = "gpt-5.4", "claude-sonnet-4-5"

FRAMEWORKS = (
    Client("agents-chat", "agents", by(Agents, agents_chat), ITS_OWN, GPT, loops=True),
    Client("agents-responses", "agents", by(Agents, agents_responses), ITS_OWN, GPT, loops=True),
    Client("pydantic-chat", "pydantic_ai", by(Pydantic, pydantic_chat), OF_PYDANTIC, GPT, loops=True),
    Client("pydantic-responses", "pydantic_ai", by(Pydantic, pydantic_responses), OF_PYDANTIC, GPT, loops=True),
    Client("pydantic-anthropic", "pydantic_ai", by(Pydantic, pydantic_messages), OF_PYDANTIC, CLAUDE, loops=True),
    Client("langchain-chat", "langchain_openai", by(LangChain, langchain_chat), ITS_OWN, GPT, loops=True),
    Client("langchain-responses", "langchain_openai", by(LangChain, langchain_responses), ITS_OWN, GPT, loops=True),
    Client(
        "langchain-anthropic",
        "langchain_anthropic",
        by(LangChain, langchain_messages),
        ITS_OWN,
        CLAUDE,
        loops=True,
    ),
)
