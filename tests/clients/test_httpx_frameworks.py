"""`proxai_ir.httpx` under agent frameworks: tool loops, streams, errors, and callers that stop."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from .in_process import OTHERS, Upstream
from .provider import ANTHROPIC, GEMINI, SUM, TEXT
from .test_frameworks import LOOP, add, agents_model, assert_looped, langchain_model, pydantic_model

each = pytest.mark.parametrize(("client", "provider"), [pair for pair in OTHERS if pair[0] != GEMINI])
each_of_openai = pytest.mark.parametrize(
    ("client", "provider"), [pair for pair in OTHERS if pair[0] not in (GEMINI, ANTHROPIC)]
)


@each_of_openai
def test_openai_agents(client: str, provider: str) -> None:
    agents, errors = pytest.importorskip("agents"), pytest.importorskip("openai")
    upstream, other = Upstream(provider, *LOOP, "failure"), Upstream(provider, *LOOP)

    def agent(of: Any) -> Any:
        return agents.Agent(name="a", model=agents_model(agents, client, of), tools=[agents.function_tool(add)])

    first, streaming = agent(upstream), agent(other)

    async def run() -> None:
        assert (await agents.Runner.run(first, "40 and 2?")).final_output == TEXT
        assert_looped(upstream)
        with pytest.raises(errors.InternalServerError):
            await agents.Runner.run(first, "40 and 2?")
        streamed = agents.Runner.run_streamed(streaming, "40 and 2?")
        assert [event async for event in streamed.stream_events()]
        assert streamed.final_output == TEXT
        assert_looped(other)

    asyncio.run(run())


@each
def test_pydantic_ai(client: str, provider: str) -> None:
    package = pytest.importorskip("pydantic_ai")
    upstream, other = Upstream(provider, *LOOP, "limited"), Upstream(provider, *LOOP, "text")
    agent = package.Agent(pydantic_model(client, upstream), tools=[add])
    streaming = package.Agent(pydantic_model(client, other), tools=[add])

    async def run() -> None:
        assert (await agent.run("40 and 2?")).output == TEXT
        assert_looped(upstream)
        with pytest.raises(package.exceptions.ModelHTTPError) as failed:
            await agent.run("40 and 2?")
        assert failed.value.status_code == 429
        async with streaming.run_stream("40 and 2?") as result:
            assert [piece async for piece in result.stream_text(debounce_by=None)][-1] == TEXT
        assert_looped(other)
        async with streaming.run_stream("40 and 2?") as result:
            async for _ in result.stream_text(delta=True, debounce_by=None):
                break
        assert other.closed == len(LOOP) + 1

    asyncio.run(run())


@each
def test_langchain(client: str, provider: str) -> None:
    messages = pytest.importorskip("langchain_core.messages")
    upstream = Upstream(provider, *LOOP, "text", "text", "failure")
    model = langchain_model(client, upstream)
    bound = model.bind_tools([add])
    history: Any = [messages.HumanMessage("40 and 2?")]
    called = bound.invoke(history)
    (call,) = called.tool_calls
    assert (call["name"], call["args"]) == ("add", SUM)
    history += [called, messages.ToolMessage("42", tool_call_id=call["id"])]
    assert bound.invoke(history).text == TEXT
    assert_looped(upstream)
    assert "".join(chunk.text for chunk in model.stream("Hi")) == TEXT
    stream = model.stream("Hi")
    next(stream)
    stream.close()
    assert upstream.closed == len(LOOP) + 2
    errors = pytest.importorskip("anthropic" if client == ANTHROPIC else "openai")
    with pytest.raises(errors.APIStatusError):
        model.invoke("Hi")
