"""Agent frameworks: tool loops, streams, output by schema, refusals and failures, with providers of other protocols."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from .gateway import BASE, PAIRS, Gateway
from .in_process import Upstream
from .provider import ANTHROPIC, CHAT, GEMINI, NO, RESPONSES, SUM, TEXT

each_pair = pytest.mark.parametrize(("provider", "client"), [(src, dst) for dst, src in PAIRS if dst != GEMINI])
"""Gemini's own clients are in `test_google`."""
LOOP = ("call", "text")


def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


def assert_looped(gateway: Gateway | Upstream) -> None:
    """The provider was asked twice, the second time with the tool's result."""
    assert len(gateway.sent) == len(LOOP)
    assert "42" in str(gateway.sent[1])


def asynchronous(package: str, name: str, gateway: Gateway | Upstream) -> Any:
    """An official asynchronous client behind the gateway."""
    make = getattr(pytest.importorskip(package), name)
    http = gateway.async_http(pytest.importorskip("httpx2"))
    return make(api_key="none", base_url=BASE, http_client=http, max_retries=0)


# --- openai-agents: Chat Completions and Responses --------------------------------------------------------------------


def agents_model(agents: Any, client: str, gateway: Gateway | Upstream) -> Any:
    if client == ANTHROPIC:
        pytest.skip("openai-agents has no client of Anthropic Messages")
    agents.set_tracing_disabled(True)
    model = agents.OpenAIChatCompletionsModel if client == CHAT else agents.OpenAIResponsesModel
    return model("m", asynchronous("openai", "AsyncOpenAI", gateway))


@each_pair
def test_openai_agents_run_a_tool(provider: str, client: str) -> None:
    agents = pytest.importorskip("agents")
    gateway = Gateway(client, provider, *LOOP)
    agent = agents.Agent(name="a", model=agents_model(agents, client, gateway), tools=[agents.function_tool(add)])
    assert asyncio.run(agents.Runner.run(agent, "40 and 2?")).final_output == TEXT
    assert_looped(gateway)


@each_pair
def test_openai_agents_stream(provider: str, client: str) -> None:
    agents = pytest.importorskip("agents")
    gateway = Gateway(client, provider, *LOOP)
    agent = agents.Agent(name="a", model=agents_model(agents, client, gateway), tools=[agents.function_tool(add)])

    async def run() -> str:
        result = agents.Runner.run_streamed(agent, "40 and 2?")
        pieces = [event.data.delta async for event in result.stream_events()
                  if getattr(getattr(event, "data", None), "type", "") == "response.output_text.delta"]  # fmt: skip
        assert "".join(pieces) == TEXT
        return str(result.final_output)

    assert asyncio.run(run()) == TEXT
    assert_looped(gateway)


@each_pair
def test_openai_agents_parse(provider: str, client: str) -> None:
    agents = pytest.importorskip("agents")
    city = pytest.importorskip("pydantic").create_model("City", city=(str, ...))
    gateway = Gateway(client, provider, "json")
    agent = agents.Agent(name="a", model=agents_model(agents, client, gateway), output_type=city)
    assert asyncio.run(agents.Runner.run(agent, "Where?")).final_output.city == "Oslo"


@each_pair
def test_openai_agents_see_refusals_and_failures(provider: str, client: str) -> None:
    if provider == GEMINI:
        pytest.skip("Gemini has no refusals")
    agents, errors = pytest.importorskip("agents"), pytest.importorskip("openai")
    gateway = Gateway(client, provider, "refusal", "failure", "broken")
    agent = agents.Agent(name="a", model=agents_model(agents, client, gateway))
    with pytest.raises(agents.exceptions.ModelRefusalError, match=NO):
        asyncio.run(agents.Runner.run(agent, "Hi"))
    with pytest.raises(errors.InternalServerError):
        asyncio.run(agents.Runner.run(agent, "Hi"))

    async def run() -> None:
        async for _ in agents.Runner.run_streamed(agent, "Hi").stream_events():
            pass

    with pytest.raises((errors.APIError, agents.exceptions.AgentsException)):
        asyncio.run(run())


# --- pydantic-ai: all three -------------------------------------------------------------------------------------------


def pydantic_model(client: str, gateway: Gateway | Upstream) -> Any:
    vendor, make, name = ("openai", "AsyncOpenAI", "m")
    if client == ANTHROPIC:  # whose models that write output by schema are known by their names
        vendor, make, name = ("anthropic", "AsyncAnthropic", "claude-opus-4-6")
    models = pytest.importorskip(f"pydantic_ai.models.{vendor}")
    providers = pytest.importorskip(f"pydantic_ai.providers.{vendor}")
    of = {CHAT: ("OpenAIChatModel", "OpenAIProvider"), RESPONSES: ("OpenAIResponsesModel", "OpenAIProvider")}
    model, provider = of.get(client, ("AnthropicModel", "AnthropicProvider"))
    own = {f"{vendor}_client": asynchronous(vendor, make, gateway)}
    return getattr(models, model)(name, provider=getattr(providers, provider)(**own))


@each_pair
def test_pydantic_ai_runs_a_tool(provider: str, client: str) -> None:
    package = pytest.importorskip("pydantic_ai")
    gateway = Gateway(client, provider, *LOOP)
    agent = package.Agent(pydantic_model(client, gateway), tools=[add])
    assert agent.run_sync("40 and 2?").output == TEXT
    assert_looped(gateway)


@each_pair
def test_pydantic_ai_streams(provider: str, client: str) -> None:
    package = pytest.importorskip("pydantic_ai")
    gateway = Gateway(client, provider, *LOOP)
    agent = package.Agent(pydantic_model(client, gateway), tools=[add])

    async def run() -> str:
        async with agent.run_stream("40 and 2?") as result:
            return str([piece async for piece in result.stream_text(debounce_by=None)][-1])

    assert asyncio.run(run()) == TEXT
    assert_looped(gateway)


@each_pair
def test_pydantic_ai_parses(provider: str, client: str) -> None:
    package = pytest.importorskip("pydantic_ai")
    city = pytest.importorskip("pydantic").create_model("City", city=(str, ...))
    agent = package.Agent(
        pydantic_model(client, Gateway(client, provider, "json")), output_type=package.NativeOutput(city)
    )
    assert agent.run_sync("Where?").output.city == "Oslo"


@each_pair
def test_pydantic_ai_sees_refusals_and_failures(provider: str, client: str) -> None:
    package = pytest.importorskip("pydantic_ai")
    errors = package.exceptions
    gateway = Gateway(client, provider, "refusal", "failure")
    agent = package.Agent(pydantic_model(client, gateway))
    try:
        assert NO in agent.run_sync("Hi").output
    except errors.ContentFilterError as refused:
        assert refused
    with pytest.raises(errors.ModelHTTPError) as failed:
        agent.run_sync("Hi")
    assert failed.value.status_code in (500, 503, 529)


# --- LangChain: langchain-openai (both protocols) and langchain-anthropic ---------------------------------------------


def langchain_model(client: str, gateway: Gateway | Upstream) -> Any:
    httpx = pytest.importorskip("httpx2")
    if client == ANTHROPIC:
        package = pytest.importorskip("langchain_anthropic")
        model = package.ChatAnthropic(model="m", api_key="none", base_url=BASE, max_retries=0, max_tokens=99)
        model.__dict__["_client"] = pytest.importorskip("anthropic").Anthropic(
            api_key="none", base_url=BASE, http_client=gateway.http(httpx), max_retries=0
        )
        return model
    package = pytest.importorskip("langchain_openai")
    return package.ChatOpenAI(
        model="m",
        api_key="none",
        base_url=BASE,
        http_client=gateway.http(httpx),
        max_retries=0,
        use_responses_api=client == RESPONSES,
    )


Ask = Callable[[Any, Any], Any]


def invoked(model: Any, messages: Any) -> Any:
    return model.invoke(messages)


def streamed(model: Any, messages: Any) -> Any:
    """The whole message that the chunks add up to."""
    first, *rest = model.stream(messages)
    for chunk in rest:
        first += chunk
    return first


@each_pair
@pytest.mark.parametrize("ask", [invoked, streamed])
def test_langchain_runs_a_tool(provider: str, client: str, ask: Ask) -> None:
    messages = pytest.importorskip("langchain_core.messages")
    gateway = Gateway(client, provider, *LOOP)
    model = langchain_model(client, gateway).bind_tools([add])
    history: Any = [messages.HumanMessage("40 and 2?")]
    called = ask(model, history)
    (call,) = called.tool_calls
    assert (call["name"], call["args"]) == ("add", SUM)
    history += [called, messages.ToolMessage("42", tool_call_id=call["id"])]
    assert ask(model, history).text == TEXT
    assert_looped(gateway)


@each_pair
def test_langchain_parses(provider: str, client: str) -> None:
    city = pytest.importorskip("pydantic").create_model("City", city=(str, ...))
    model = langchain_model(client, Gateway(client, provider, "json"))
    assert model.with_structured_output(city, method="json_schema").invoke("Where?").city == "Oslo"


@each_pair
def test_langchain_sees_refusals_and_failures(provider: str, client: str) -> None:
    errors = pytest.importorskip("anthropic" if client == ANTHROPIC else "openai")
    model = langchain_model(client, Gateway(client, provider, "refusal", "failure", "broken"))
    assert NO in str(model.invoke("Hi"))
    with pytest.raises(errors.APIStatusError):
        model.invoke("Hi")
    with pytest.raises(ValueError if client == RESPONSES else errors.APIError, match="cut off"):
        streamed(model, "Hi")
