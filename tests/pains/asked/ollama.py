"""Requests to Ollama's chat, whose members have one type each, and of its clients, which name no calls."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...samples.ollama_chat import building as ollama
from ..support import chat, text
from .row import ABSENT, ANTHROPIC, CHAT, OLLAMA, Asked, Refused

Json = Any
HI = chat.user("Hi")
PNG = "iVBORw0KGgoAAAANSUhEUg=="
DATA_URL = f"data:image/png;base64,{PNG}"
SAID_HI = {"role": "user", "content": "Hi"}


def to_ollama(*messages: Json, gets: Json, settings: Json = None, **more: Any) -> Asked:
    """A request of a client of Chat Completions."""
    sent = {**chat.request(*messages), **(settings or {}), "model": "qwen3"}
    return Asked(src=CHAT, sent=sent, gets={OLLAMA: gets}, **more)


from_ollama = partial(Asked, src=OLLAMA)


def pictured(url: str) -> Json:
    return chat.user([{"type": "image_url", "image_url": {"url": url}}])


ROWS: tuple[Asked, ...] = (
    to_ollama(
        chat.user([text("hi")]),
        thread="BerriAI/litellm#6808",
        seen="cannot unmarshal array into Go struct field ChatRequest.messages of type string",
        gets={"/messages/0/content": "hi"},
    ),
    to_ollama(
        HI,
        chat.assistant([text("hm")], tool_calls=[chat.call("f")]),
        chat.result([text("ok")]),
        thread="BerriAI/litellm#11273",
        seen="the same where an assistant's text stands beside calls, and for results",
        gets={"/messages/1/content": "hm", "/messages/1/tool_calls/#": 1, "/messages/2/content": "ok"},
    ),
    to_ollama(
        pictured(DATA_URL),
        thread="BerriAI/litellm#18338",
        seen="illegal base64 data at input byte 4: the data stand behind the beginning of a data URL",
        gets={"/messages/0/images": [PNG]},
    ),
    to_ollama(
        pictured("https://x.org/a.png"),
        thread="BerriAI/litellm#30313",
        seen="illegal base64 data at input byte 5: an address is sent as data",
        gets=Refused("SRC-2", "/messages/0/content/0/image_url"),
        rules=("SRC-2",),
    ),
    to_ollama(
        HI,
        chat.assistant(tool_calls=[chat.call("f", '{"a":1}')]),
        chat.result("ok"),
        thread="openclaw/openclaw#50749",
        seen="arguments are a text: value looks like object, but can't find closing '}' symbol",
        gets={"/messages/1/tool_calls/0/function/arguments": {"a": 1}},
    ),
    to_ollama(
        HI,
        chat.assistant("", reasoning_content="Hm", tool_calls=[chat.call("f")]),
        chat.result("ok"),
        thread="QuantumNous/new-api#6605",
        seen="results do not say of which tool they are, and thinking is left out",
        gets={"/messages/1/thinking": "Hm", "/messages/2/tool_name": "f", "/messages/2/tool_call_id": "call_1"},
    ),
    to_ollama(
        HI,
        chat.assistant(tool_calls=[chat.call("f", call_id="c1"), chat.call("g", call_id="c2")]),
        chat.result("B", "c2"),
        chat.result("A", "c1"),
        thread="mozilla-ai/any-llm#1278",
        seen="results of parallel calls are given to the wrong tool",
        gets={"/messages/2/tool_name": "g", "/messages/2/content": "B", "/messages/3/tool_name": "f"},
    ),
    to_ollama(
        HI,
        chat.assistant("Yo", reasoning_content="Hm"),
        chat.user("?"),
        thread="bytedance/deer-flow#2062",
        seen="what the model thought is gone in the next turn",
        gets={"/messages/1": {"role": "assistant", "content": "Yo", "thinking": "Hm"}},
    ),
    to_ollama(
        HI,
        settings={"reasoning_effort": "none"},
        thread="nashsu/llm_wiki#348",
        seen="thinking is not switched off, and takes all tokens of the answer",
        gets={"/think": False},
    ),
    to_ollama(
        HI,
        settings={"reasoning_effort": "low"},
        thread="openclaw/openclaw#62712",
        seen="an effort has no effect",
        gets={"/think": "low"},
    ),
    to_ollama(
        HI,
        settings={"max_completion_tokens": 5, "temperature": 0.1, "top_p": 0.5, "seed": 3, "stop": ["x"]},
        thread="gsd-build/gsd-2#3544",
        seen="settings stand at the top, where Ollama does not look for them",
        gets={
            "/options": {"num_predict": 5, "temperature": 0.1, "top_p": 0.5, "seed": 3, "stop": ["x"]},
            "/temperature": ABSENT,
        },
    ),
    to_ollama(
        HI,
        settings={"options": {"num_ctx": 8192}},
        thread="NousResearch/hermes-agent#73285",
        seen="the size of the context, which OpenAI's protocol has no member for, is dropped in silence",
        gets={"/options": {"num_predict": 64}},
        losses=("UNK-1",),
    ),
    from_ollama(
        thread="langchain4j/langchain4j#2210",
        seen="calls and results have no ids",
        sent=ollama.request(
            SAID_HI,
            ollama.assistant(tool_calls=[ollama.call("f", {"a": 1}), ollama.call("g", {})]),
            {"role": "tool", "content": "A"},
            {"role": "tool", "content": "B"},
        ),
        gets={
            ANTHROPIC: {
                "/messages/1/content/0/id": "call_1_0",
                "/messages/1/content/1/id": "call_1_1",
                "/messages/2/content/0/tool_use_id": "call_1_0",
                "/messages/2/content/1/tool_use_id": "call_1_1",
            },
            CHAT: {"/messages/2/tool_call_id": "call_1_0", "/messages/3/tool_call_id": "call_1_1"},
        },
    ),
    from_ollama(
        thread="ollama/ollama-js#68",
        seen="a data URL among the images, which Ollama refuses as well",
        sent=ollama.request({**SAID_HI, "images": [DATA_URL]}),
        gets={CHAT: Refused("SRC-3", "/messages/0/images/0")},
        rules=("SRC-3",),
    ),
    from_ollama(
        thread="labsai/EDDI#717",
        seen="thinking that is not mentioned is not switched off: the model decides",
        sent=ollama.request(SAID_HI),
        gets={ANTHROPIC: {"/thinking": ABSENT}, CHAT: {"/reasoning_effort": ABSENT}},
    ),
)
