"""A server that keeps a prompt cache: what a prompt begins with is read from it if an earlier one began with the same.

Evidence: the vendors' pages on prompt caching (OpenAI, Anthropic, Bedrock) and on context caching (Gemini). All match
the longest beginning that is the same exactly; tools and instructions come before the conversation. Where a beginning
ends that is to be kept (`cache_control`, `prompt_cache_breakpoint`) is no part of the prompt.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from .support import Json

Piece = tuple[str, str]


class PrefixCache:
    """`served` has the prompts so far, as pieces: the tools, each part of the instructions, each part of each turn."""

    def __init__(self, protocol: str) -> None:
        self._pieces = PIECES[protocol]
        self.served: list[list[Piece]] = []

    def ask(self, request: Json) -> list[Piece]:
        """Serve a request; returns what is new in it, after the longest beginning that an earlier prompt has."""
        prompt = list(self._pieces(request))
        known = max((_common(prompt, earlier) for earlier in self.served), default=0)
        self.served.append(prompt)
        return prompt[known:]

    def misses(self) -> list[Piece]:
        """What of the prompt before the last one the last one does not begin with."""
        *_, before, last = self.served
        return before[_common(before, last) :]


def _common(one: list[Piece], other: list[Piece]) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _piece(kind: str, value: Json) -> Piece:
    return kind, json.dumps(value, sort_keys=True)


def _parts(role: str, content: Json) -> Iterator[Piece]:
    """Of a string or an array: a text is the same in both."""
    for part in content if isinstance(content, list) else [content] if content is not None else []:
        yield _piece(role, part["text"] if isinstance(part, dict) and "text" in part else _unmarked(part))


def _unmarked(part: Json) -> Json:
    if not isinstance(part, dict):
        return part
    return {name: value for name, value in part.items() if name not in ("cache_control", "prompt_cache_breakpoint")}


REASONING = ("reasoning_content", "thinking", "tool_plan")


def _chat(request: Json) -> Iterator[Piece]:
    """Of Cohere and Ollama as well, whose messages are alike."""
    yield _piece("tools", request.get("tools"))
    for message in request["messages"]:
        role = message["role"]
        yield from (_piece(f"{role} reasoning", message[name]) for name in REASONING if name in message)
        yield from _parts(f"{role} {message.get('tool_call_id', '')}", message.get("content"))
        for call in message.get("tool_calls", ()):
            yield _piece(f"{role} call", call)


def _responses(request: Json) -> Iterator[Piece]:
    yield _piece("tools", request.get("tools"))
    yield from _parts("system", request.get("instructions"))
    for item in request["input"]:
        if item.get("type", "message") == "message":
            yield from _parts(item["role"], item["content"])
        else:
            yield from _parts(f"{item['type']} {item.get('call_id', '')}", item.get("output"))
            yield _piece(item["type"], {name: value for name, value in item.items() if name != "output"})


def _anthropic(request: Json) -> Iterator[Piece]:
    yield _piece("tools", request.get("tools"))
    yield from _parts("system", request.get("system"))
    for message in request["messages"]:
        yield from _parts(message["role"], message["content"])


def _gemini(request: Json) -> Iterator[Piece]:
    yield _piece("tools", request.get("tools"))
    yield from _parts("system", request.get("systemInstruction", {}).get("parts"))
    for content in request["contents"]:
        yield from _parts(content["role"], content["parts"])


def _bedrock(request: Json) -> Iterator[Piece]:
    yield _piece("tools", request.get("toolConfig"))
    for message in [{"role": "system", "content": request.get("system", ())}, *request["messages"]]:
        yield from _parts(message["role"], [part for part in message["content"] if "cachePoint" not in part])


def _interactions(request: Json) -> Iterator[Piece]:
    yield _piece("tools", request.get("tools"))
    yield from _parts("system", request.get("system_instruction"))
    steps = request["input"]
    for step in [{"type": "user_input", "content": steps}] if isinstance(steps, str) else steps:
        yield from _parts(step["type"], step.get("content", [step]))


PIECES: dict[str, Callable[[Json], Iterator[Piece]]] = {
    "openai_chat_completions": _chat,
    "openai_responses": _responses,
    "anthropic_messages": _anthropic,
    "gemini_generate_content": _gemini,
    "bedrock_converse": _bedrock,
    "cohere_v2_chat": _chat,
    "gemini_interactions": _interactions,
    "ollama_chat": _chat,
}
