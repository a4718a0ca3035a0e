"""Sessions of several rounds: what a provider of each protocol says, what a client sends back of it, and what of that a
provider gets. Each text, call and signature is its own in the whole session, so that it shows where it came from."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from itertools import count, groupby
from typing import Any, NamedTuple

import proxai_ir

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Events, Json

CHAT, RESPONSES, ANTHROPIC = "openai_chat_completions", "openai_responses", "anthropic_messages"
GEMINI = "gemini_generate_content"

Part = tuple[str, str, str]
"""What a part of a response is, its text or id, and its signature."""


class Marks:
    """Words and signatures that nothing else in the session has."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def word(self, kind: str) -> str:
        return f"{kind} {next(self._numbers)}."

    def id(self, kind: str) -> str:
        return f"{kind}_{next(self._numbers)}"

    def seal(self) -> str:
        return b64encode(f"signature {next(self._numbers):04}".encode()).decode()


# --- what providers say -----------------------------------------------------------------------------------------------


def _thinking(marks: Marks) -> Json:
    return {"type": "thinking", "thinking": marks.word("Thought"), "signature": marks.seal()}


BLOCKS: dict[str, Callable[[Marks], Json]] = {
    "thought": _thinking,
    "hidden": lambda marks: {"type": "thinking", "thinking": "", "signature": marks.seal()},
    "redacted": lambda marks: {"type": "redacted_thinking", "data": marks.seal()},
    "text": lambda marks: anthropic.text(marks.word("Text")),
    "call": lambda marks: anthropic.tool_use("look", {"at": 1}, marks.id("toolu")),
}


def _reasoning(marks: Marks, *summary: str) -> Json:
    texts = [{"type": "summary_text", "text": one} for one in summary]
    return {"type": "reasoning", "id": marks.id("rs"), "summary": texts, "encrypted_content": marks.seal()}


def _message(marks: Marks) -> Json:
    return responses.message(responses.output_text(marks.word("Text")), id=marks.id("msg"), status="completed")


ITEMS: dict[str, Callable[[Marks], Json]] = {
    "thought": lambda marks: _reasoning(marks, marks.word("Thought")),
    "thoughts": lambda marks: _reasoning(marks, marks.word("Thought"), marks.word("Thought")),
    "redacted": _reasoning,
    "text": _message,
    "call": lambda marks: responses.call("look", '{"at":1}', marks.id("call"), id=marks.id("fc"), status="completed"),
}
PARTS: dict[str, Callable[[Marks], Json]] = {
    "thought": lambda marks: gemini.thought(marks.word("Thought")),
    "signed thought": lambda marks: gemini.thought(marks.word("Thought"), thoughtSignature=marks.seal()),
    "text": lambda marks: gemini.text(marks.word("Text")),
    "signed text": lambda marks: gemini.text(marks.word("Text"), thoughtSignature=marks.seal()),
    "signature": lambda marks: gemini.text("", thoughtSignature=marks.seal()),
    "call": lambda marks: gemini.call("look", {"at": 1}, marks.id("call")),
    "signed call": lambda marks: gemini.call("look", {"at": 1}, marks.id("call"), thoughtSignature=marks.seal()),
}


def _block_events(block: Json) -> Any:
    if block["type"] == "thinking":
        pieces = [block["thinking"]] if block["thinking"] else []
        return anthropic.thinking_block(*pieces, signature=block["signature"])
    if block["type"] == "text":
        return anthropic.text_block(block["text"][:3], block["text"][3:])
    if block["type"] == "tool_use":
        return anthropic.call_block(block["id"], "look", '{"at":', "1}")
    return anthropic.block(block)


def _anthropic(parts: list[Json], streamed: bool) -> Json | Events:
    stop = "tool_use" if any(one["type"] == "tool_use" for one in parts) else "end_turn"
    if streamed:
        return anthropic.stream(*map(_block_events, parts), stop=stop)
    return anthropic.response(*parts, stop=stop)


def _responses(parts: list[Json], streamed: bool) -> Json | Events:
    whole = responses.response(*parts)
    return responses.stream(whole) if streamed else whole


def _gemini(parts: list[Json], streamed: bool) -> Json | Events:
    return gemini.stream(*map(gemini.chunk, parts)) if streamed else gemini.response(*parts)


# --- what clients send ------------------------------------------------------------------------------------------------


def _next_anthropic(asked: Json, response: Json, marks: Marks) -> Json:
    calls = [one["id"] for one in response["content"] if one["type"] == "tool_use"]
    content: Any = [anthropic.tool_result("ok", one) for one in calls] or marks.word("Question")
    answer = [{"role": "assistant", "content": response["content"]}, {"role": "user", "content": content}]
    return {**asked, "messages": [*asked["messages"], *answer]}


def _next_responses(asked: Json, response: Json, marks: Marks) -> Json:
    calls = [one["call_id"] for one in response["output"] if one["type"] == "function_call"]
    question = {"type": "message", "role": "user", "content": marks.word("Question")}
    results = [responses.result("ok", one) for one in calls] or [question]
    return {**asked, "input": [*asked["input"], *response["output"], *results]}


def _next_gemini(asked: Json, response: Json, marks: Marks) -> Json:
    content = response["candidates"][0]["content"]
    calls = [part["functionCall"]["id"] for part in content["parts"] if "functionCall" in part]
    results = [gemini.result("look", {"output": "ok"}, one) for one in calls] or [gemini.text(marks.word("Question"))]
    return {**asked, "contents": [*asked["contents"], content, gemini.user(*results)]}


def _next_chat(asked: Json, response: Json, marks: Marks) -> Json:
    message = response["choices"][0]["message"]
    calls = [one["id"] for one in message.get("tool_calls") or ()]
    results = [chat.result("ok", one) for one in calls] or [{"role": "user", "content": marks.word("Question")}]
    return {**asked, "messages": [*asked["messages"], message, *results]}


def _next_of_ids(asked: Json, response: Json, marks: Marks) -> Json:
    """A client that knows nothing but texts and calls."""
    message = response["choices"][0]["message"]
    calls = [{key: one[key] for key in ("id", "type", "function")} for one in message.get("tool_calls") or ()]
    kept = {"role": "assistant", "content": message.get("content"), **({"tool_calls": calls} if calls else {})}
    return _next_chat(asked, {"choices": [{"message": kept}]}, marks)


# --- what providers get -----------------------------------------------------------------------------------------------


def block_part(block: Json) -> Part:
    kind = block["type"]
    if kind == "thinking":
        return "thinking", block["thinking"], block["signature"]
    if kind == "tool_use":
        return "call", block["id"], ""
    if kind == "redacted_thinking":
        return "redacted", "", block["data"]
    return "text", block["text"], ""


def item_part(item: Json) -> Part:
    if item["type"] == "reasoning":
        summary = "\n\n".join(one["text"] for one in item["summary"])
        return f"reasoning {item.get('id')}", summary, item.get("encrypted_content", "")
    if item["type"] == "function_call":
        return "call", item["call_id"], ""
    content = item["content"]
    return "text", content if isinstance(content, str) else "".join(one["text"] for one in content), ""


def part_part(part: Json) -> Part:
    signature = part.get("thoughtSignature", "")
    if "functionCall" in part:
        return "call", part["functionCall"]["id"], "" if signature == PLACEHOLDER else signature
    return "thought" if part.get("thought") else "text", part["text"], signature


PLACEHOLDER = "skip_thought_signature_validator"


def _in_rounds(listed: list[Json], is_models: Callable[[Json], bool]) -> list[list[Json]]:
    """What the model said, by round; what the client says is between two of them."""
    runs = groupby(listed, is_models)
    return [list(run) for models, run in runs if models]


def _blocks(request: Json) -> list[list[Json]]:
    rounds = _in_rounds(request["messages"], lambda message: message["role"] == "assistant")
    contents = [[message["content"] for message in found] for found in rounds]
    return [
        [block for one in found for block in ([anthropic.text(one)] if isinstance(one, str) else one)]
        for found in contents
    ]


def _items(request: Json) -> list[list[Json]]:
    return _in_rounds(request["input"], lambda item: item.get("role") != "user" and "output" not in item)


def _parts(request: Json) -> list[list[Json]]:
    rounds = _in_rounds(request["contents"], lambda content: content["role"] == "model")
    return [[part for content in found for part in content["parts"]] for found in rounds]


class Provider(NamedTuple):
    """
    makers    of the parts of a response, by name
    response  of parts, whole or as a stream
    part      what a part is
    sent      what the model said in a request, by round
    """

    makers: dict[str, Callable[[Marks], Json]]
    response: Callable[[list[Json], bool], Any]
    part: Callable[[Json], Part]
    sent: Callable[[Json], list[list[Json]]]


PROVIDERS = {
    ANTHROPIC: Provider(BLOCKS, _anthropic, block_part, _blocks),
    RESPONSES: Provider(ITEMS, _responses, item_part, _items),
    GEMINI: Provider(PARTS, _gemini, part_part, _parts),
}


class Client(NamedTuple):
    """`next`: the request after a response. `seals`: as its proxy has them."""

    protocol: str
    asked: Json
    next: Callable[[Json, Json, Marks], Json]
    seals: proxai_ir.Seals = proxai_ir.Seals()


_CHAT = chat.request({"role": "user", "content": "Hi"}, tools=[chat.tool("look")])
CLIENTS = {
    ANTHROPIC: Client(
        ANTHROPIC, anthropic.request({"role": "user", "content": "Hi"}, tools=[anthropic.tool("look")]), _next_anthropic
    ),
    RESPONSES: Client(
        RESPONSES,
        responses.request({"type": "message", "role": "user", "content": "Hi"}, tools=[responses.tool("look")]),
        _next_responses,
    ),
    GEMINI: Client(
        GEMINI, gemini.request(gemini.user("Hi"), tools=gemini.tools(gemini.function("look"))), _next_gemini
    ),
    CHAT: Client(CHAT, _CHAT, _next_chat),
    "ids": Client(CHAT, _CHAT, _next_of_ids, proxai_ir.Seals(ids=True)),
}


def read(payload: Any, src: str, dst: str, streamed: bool, **options: Any) -> tuple[Any, list[Any]]:
    """The response that the client has, and what was found."""
    made = proxai_ir.compile(payload, src, dst, kind="stream" if streamed else "response", **options)
    if not streamed:
        return made.output, list(made.diagnostics)
    converter = proxai_ir.StreamConverter(dst, dst, keep_response=True)
    for event in made.output:
        converter.feed(event)
    converter.close()
    return converter.response or {}, list(made.diagnostics)
