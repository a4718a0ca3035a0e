"""What a client of each protocol sends after a response: its history, the response as its SDK has it, a result for each
call that is the client's to run, and else a further word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import NamedTuple

import proxai_ir

from .openai_chat_completions import building as chat
from .sample import Json

ASKED = "What is it?"
DONE = "It is done."
FURTHER = "And then?"


def opening(protocol: str, *tools: str) -> Json:
    """A request of the protocol with functions of these names, as the client declared them."""
    declared = [{"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in tools]
    asked = chat.request(chat.user(ASKED), max_completion_tokens=64, **({"tools": declared} if declared else {}))
    if protocol == "openai_chat_completions":
        return asked
    return proxai_ir.convert(asked, "openai_chat_completions", protocol, kind="request")


SCHEMA: Json = {"type": "object", "properties": {}}


class Told(NamedTuple):
    """Hold what the client says next: a text for each result, or its own words where there is no call."""

    results: Iterator[str]
    words: str


def after(protocol: str, asked: Json, response: Json, told: Told | None = None) -> Json:
    """The client's next request."""
    return NEXT[protocol](asked, response, told or Told(repeat(DONE), FURTHER))


def called(protocol: str, response: Json) -> list[str]:
    """The names of the functions that a response calls."""
    return [*dict.fromkeys(NAMES[protocol](response))]


# --- by protocol ------------------------------------------------------------------------------------------------------


def _chat(asked: Json, response: Json, told: Told) -> Json:
    message = {"role": "assistant", **response["choices"][0]["message"]}
    results = [chat.result(next(told.results), one["id"]) for one in message.get("tool_calls") or ()]
    return {**asked, "messages": [*asked["messages"], message, *(results or [chat.user(told.words)])]}


RESULTS: dict[str, Callable[[Told], Json]] = {
    "function_call": lambda told: {"type": "function_call_output", "output": next(told.results)},
    "custom_tool_call": lambda told: {"type": "custom_tool_call_output", "output": next(told.results)},
    "shell_call": lambda told: {"type": "shell_call_output", "output": []},
}


def _responses(asked: Json, response: Json, told: Told) -> Json:
    given = asked["input"] if isinstance(asked["input"], list) else [{"role": "user", "content": asked["input"]}]
    had = {item.get("call_id") for item in response["output"] if item["type"].endswith("_output")}
    waiting = [one for one in response["output"] if one["type"] in RESULTS and one["call_id"] not in had]
    results = [{**RESULTS[one["type"]](told), "call_id": one["call_id"]} for one in waiting]
    return {**asked, "input": [*given, *response["output"], *(results or [chat.user(told.words)])]}


def _anthropic(asked: Json, response: Json, told: Told) -> Json:
    calls = [one["id"] for one in response["content"] or () if one["type"] == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": one, "content": next(told.results)} for one in calls]
    turns = [{"role": "assistant", "content": response["content"]}] if response["content"] else []
    return {**asked, "messages": [*asked["messages"], *turns, {"role": "user", "content": results or told.words}]}


def _content(response: Json) -> Json:
    """What the model says; a prompt that was blocked has no candidate."""
    return (response.get("candidates") or [{}])[0].get("content") or {}


def _gemini(asked: Json, response: Json, told: Told) -> Json:
    content = _content(response)
    calls = [part["functionCall"] for part in content.get("parts") or () if "functionCall" in part]
    named = [{key: one[key] for key in ("id", "name") if key in one} for one in calls]
    parts: list[Json] = [{"functionResponse": {**one, "response": {"r": next(told.results)}}} for one in named]
    parts = parts or [{"text": told.words}]
    said = [{"role": "model", **content}] if content.get("parts") else []
    return {**asked, "contents": [*asked["contents"], *said, {"role": "user", "parts": parts}]}


def _interactions(asked: Json, response: Json, told: Told) -> Json:
    given = asked["input"]
    user = {"type": "user_input", "content": [{"type": "text", "text": told.words}]}
    steps = given if isinstance(given, list) else [{**user, "content": [{"type": "text", "text": given}]}]
    calls = [one for one in response.get("steps") or () if one["type"] == "function_call"]
    results = [
        {"type": "function_result", "call_id": one["id"], "name": one["name"], "result": next(told.results)}
        for one in calls
    ]
    return {**asked, "input": [*steps, *(response.get("steps") or ()), *(results or [user])]}


def _converse(asked: Json, response: Json, told: Told) -> Json:
    message = response["output"]["message"]
    calls = [one["toolUseId"] for one in _uses(message)]
    results: list[Json] = [
        {"toolResult": {"toolUseId": one, "content": [{"text": next(told.results)}]}} for one in calls
    ]
    said = [message] if message["content"] else []
    user = {"role": "user", "content": results or [{"text": told.words}]}
    return {**asked, "messages": [*asked["messages"], *said, user]}


def _uses(message: Json) -> list[Json]:
    """The calls of a message, but for those that the provider ran itself: it gives their results, too."""
    had = {block["toolResult"]["toolUseId"] for block in message["content"] if "toolResult" in block}
    calls = [one for block in message["content"] if (one := block.get("toolUse"))]
    return [one for one in calls if one.get("type") != "server_tool_use" and one["toolUseId"] not in had]


def _cohere(asked: Json, response: Json, told: Told) -> Json:
    message = response["message"]
    results = [
        {"role": "tool", "tool_call_id": one["id"], "content": next(told.results)}
        for one in message.get("tool_calls") or ()
    ]
    return {**asked, "messages": [*asked["messages"], message, *(results or [{"role": "user", "content": told.words}])]}


def _ollama(asked: Json, response: Json, told: Told) -> Json:
    message = response["message"]
    names = [one["function"]["name"] for one in message.get("tool_calls") or ()]
    results = [{"role": "tool", "tool_name": one, "content": next(told.results)} for one in names]
    return {**asked, "messages": [*asked["messages"], message, *(results or [{"role": "user", "content": told.words}])]}


NEXT: dict[str, Callable[[Json, Json, Told], Json]] = {
    "openai_chat_completions": _chat,
    "openai_responses": _responses,
    "anthropic_messages": _anthropic,
    "gemini_generate_content": _gemini,
    "gemini_interactions": _interactions,
    "bedrock_converse": _converse,
    "cohere_v2_chat": _cohere,
    "ollama_chat": _ollama,
}


def _of_functions(calls: list[Json] | None) -> list[str]:
    return [one["function"]["name"] for one in calls or () if "function" in one]


NAMES: dict[str, Callable[[Json], list[str]]] = {
    "openai_chat_completions": lambda made: _of_functions(made["choices"][0]["message"].get("tool_calls")),
    "openai_responses": lambda made: [one["name"] for one in made["output"] if one["type"] == "function_call"],
    "anthropic_messages": lambda made: [one["name"] for one in made["content"] or () if one["type"] == "tool_use"],
    "gemini_generate_content": lambda made: [
        part["functionCall"]["name"] for part in _content(made).get("parts") or () if "functionCall" in part
    ],
    "gemini_interactions": lambda made: [
        one["name"] for one in made.get("steps") or () if one["type"] == "function_call"
    ],
    "bedrock_converse": lambda made: [one["name"] for one in _uses(made["output"]["message"])],
    "cohere_v2_chat": lambda made: _of_functions(made["message"].get("tool_calls")),
    "ollama_chat": lambda made: _of_functions(made["message"].get("tool_calls")),
}
