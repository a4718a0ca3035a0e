"""The official clients: each asks, sends its own objects back, and shows what it got in neutral words.

An adapter has `say`, which asks and keeps the model's turn in its history as the client's documents have it, and
`answer`, which adds the results of the calls. What the client raises goes through; a failure that it shows in an event
is raised as `Shown`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from ...sessions.clients import FUNCTIONS
from .scenarios import ASKED, PNG, SCHEMA, TOOLS, Ask

Json = Any
URL = f"data:image/png;base64,{PNG}"
LIMIT, BUDGET = 8000, 2000


class Got(NamedTuple):
    """The response as a client shows it. `calls`: name and arguments of each; `ended`: "end" or "calls"."""

    text: str
    thought: str
    calls: list[tuple[str, Json]]
    ended: str
    output_tokens: int


class Shown(Exception):
    """A failure that the client raises nothing for: it is in an event that the user reads."""


def note() -> Any:
    """Return the class that official clients parse structured output into; its schema is `SCHEMA`."""
    pydantic = import_module("pydantic")
    return pydantic.create_model("Note", note=(str, ...), __config__=pydantic.ConfigDict(extra="forbid"))


# --- the packages' clients, one of each for a gateway: making them takes longer than most scenarios -------------------


@cache
def openai(url: str) -> Any:
    return import_module("openai").OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)


@cache
def anthropic(url: str) -> Any:
    return import_module("anthropic").Anthropic(base_url=url, api_key="any", max_retries=0)


@cache
def boto3(url: str) -> Any:
    config = import_module("botocore.config").Config(retries={"total_max_attempts": 1})
    keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any", "region_name": "eu-west-1"}
    return import_module("boto3").client("bedrock-runtime", endpoint_url=url, config=config, **keys)


@cache
def cohere(url: str) -> Any:
    return import_module("cohere").ClientV2(api_key="any", base_url=url, max_retries=0)


@cache
def ollama(url: str) -> Any:
    return import_module("ollama").Client(url)


@cache
def google(url: str) -> Any:
    options = {"base_url": url, "retry_options": {"attempts": 1}}
    return import_module("google.genai").Client(api_key="any", http_options=options)


# --- adapters ---------------------------------------------------------------------------------------------------------


def ended(word: str, end: str, calls: str) -> str:
    return {end: "end", calls: "calls"}.get(word, word)


def strict(function: Json) -> Json:
    return {**function, "function": {**function["function"], "strict": True}}


class Chat:
    """`openai`, Chat Completions."""

    def __init__(self, url: str, model: str, ask: Ask) -> None:
        self._by = openai(url).chat.completions
        self._ask, self._calls = ask, list[Any]()
        image = [{"type": "text", "text": ASKED}, {"type": "image_url", "image_url": {"url": URL}}]
        self._history: list[Any] = [{"role": "user", "content": image if ask.image else ASKED}]
        self._more: Json = {"model": model}
        self._more |= {"tools": [strict(one) for one in FUNCTIONS]} if ask.tools else {}
        self._more |= {"reasoning_effort": "medium"} if ask.thinks else {}

    def say(self) -> Got:
        made = self._made()
        message = made.choices[0].message
        # The client's classes for streams have members that its vendor's server refuses in a request.
        arguments = {"index": True, "function": {"parsed_arguments"}}
        own = message.model_dump(exclude_none=True, exclude={"parsed": True, "tool_calls": {"__all__": arguments}})
        self._history.append(own)
        self._calls = message.tool_calls or []
        called = [(one.function.name, json.loads(one.function.arguments)) for one in self._calls]
        thought = getattr(message, "reasoning_content", None) or ""
        text = json.dumps(message.parsed.model_dump()) if self._ask.schema else message.content or ""
        end = ended(made.choices[0].finish_reason, "stop", "tool_calls")
        return Got(text, thought, called, end, made.usage.completion_tokens)

    def _made(self) -> Any:
        if self._ask.streamed:
            options = {"include_usage": True}
            with self._by.stream(messages=self._history, stream_options=options, **self._more) as stream:
                stream.until_done()
                return stream.get_final_completion()
        if self._ask.schema:
            return self._by.parse(messages=self._history, response_format=note(), **self._more)
        return self._by.create(messages=self._history, **self._more)

    def answer(self, results: list[str]) -> None:
        for one, text in zip(self._calls, results, strict=True):
            self._history.append({"role": "tool", "tool_call_id": one.id, "content": text})


class Responses:
    """`openai`, Responses."""

    def __init__(self, url: str, model: str, ask: Ask) -> None:
        self._by = openai(url).responses
        self._ask, self._calls = ask, list[Any]()
        image = [{"type": "input_text", "text": ASKED}, {"type": "input_image", "image_url": URL, "detail": "auto"}]
        self._history: list[Any] = [{"role": "user", "content": image if ask.image else ASKED}]
        self._more: Json = {"model": model, "store": False}
        if ask.tools:
            self._more["tools"] = [{"type": "function", **one, "parameters": SCHEMA, "strict": True} for one in TOOLS]
        if ask.thinks:
            self._more["reasoning"] = {"effort": "medium", "summary": "auto"}
            self._more["include"] = ["reasoning.encrypted_content"]

    def say(self) -> Got:
        made = self._made()
        if made.status == "failed":
            raise Shown(made.error.message)
        self._history += made.output
        self._calls = [one for one in made.output if one.type == "function_call"]
        thoughts = [one for one in made.output if one.type == "reasoning"]
        thought = "".join(part.text for one in thoughts for part in [*one.summary, *(one.content or ())])
        text = json.dumps(made.output_parsed.model_dump()) if self._ask.schema else made.output_text
        called = [(one.name, json.loads(one.arguments)) for one in self._calls]
        end = "calls" if called else ended(made.status, "completed", "")
        return Got(text, thought, called, end, made.usage.output_tokens)

    def _made(self) -> Any:
        if self._ask.streamed:
            with self._by.stream(input=self._history, **self._more) as stream:
                *_, last = stream
                if last.type == "error":
                    raise Shown(last.message)
                return last.response
        if self._ask.schema:
            return self._by.parse(input=self._history, text_format=note(), **self._more)
        return self._by.create(input=self._history, **self._more)

    def answer(self, results: list[str]) -> None:
        for one, text in zip(self._calls, results, strict=True):
            self._history.append({"type": "function_call_output", "call_id": one.call_id, "output": text})


class Messages:
    """`anthropic`, Messages."""

    def __init__(self, url: str, model: str, ask: Ask) -> None:
        self._by = anthropic(url).messages
        self._ask, self._calls = ask, list[Any]()
        source = {"type": "base64", "media_type": "image/png", "data": PNG}
        image = [{"type": "text", "text": ASKED}, {"type": "image", "source": source}]
        self._history: list[Any] = [{"role": "user", "content": image if ask.image else ASKED}]
        self._more: Json = {"model": model, "max_tokens": LIMIT}
        self._more |= {"tools": [{**one, "input_schema": SCHEMA} for one in TOOLS]} if ask.tools else {}
        self._more |= {"thinking": {"type": "enabled", "budget_tokens": BUDGET}} if ask.thinks else {}

    def say(self) -> Got:
        made = self._made()
        self._history.append({"role": "assistant", "content": made.content})
        self._calls = [one for one in made.content if one.type == "tool_use"]
        thought = "".join(one.thinking for one in made.content if one.type == "thinking")
        text = "".join(one.text for one in made.content if one.type == "text")
        if self._ask.schema:
            text = json.dumps(made.parsed_output.model_dump())
        called = [(one.name, one.input) for one in self._calls]
        return Got(text, thought, called, ended(made.stop_reason, "end_turn", "tool_use"), made.usage.output_tokens)

    def _made(self) -> Any:
        if self._ask.streamed:
            with self._by.stream(messages=self._history, **self._more) as stream:
                return stream.get_final_message()
        if self._ask.schema:
            return self._by.parse(messages=self._history, output_format=note(), **self._more)
        return self._by.create(messages=self._history, **self._more)

    def answer(self, results: list[str]) -> None:
        pairs = zip(self._calls, results, strict=True)
        content = [{"type": "tool_result", "tool_use_id": one.id, "content": text} for one, text in pairs]
        self._history.append({"role": "user", "content": content})


class Converse:
    """`boto3`, Converse."""

    def __init__(self, url: str, model: str, ask: Ask) -> None:
        self._by = boto3(url)
        self._ask, self._calls = ask, list[Any]()
        image = [{"image": {"format": "png", "source": {"bytes": base64.b64decode(PNG)}}}] if ask.image else []
        self._history: list[Any] = [{"role": "user", "content": [{"text": ASKED}, *image]}]
        self._more: Json = {"modelId": model, "inferenceConfig": {"maxTokens": LIMIT}}
        if ask.tools:
            tools = [{"toolSpec": {**one, "inputSchema": {"json": SCHEMA}}} for one in TOOLS]
            self._more["toolConfig"] = {"tools": tools}
        if ask.thinks:
            thinking = {"type": "enabled", "budget_tokens": BUDGET}
            self._more["additionalModelRequestFields"] = {"thinking": thinking}
        if ask.schema:
            structure = {"jsonSchema": {"schema": json.dumps(SCHEMA), "name": "note"}}
            self._more["outputConfig"] = {"textFormat": {"type": "json_schema", "structure": structure}}

    def say(self) -> Got:
        if self._ask.streamed:
            message, stop, usage = self._streamed()
        else:
            made = self._by.converse(messages=self._history, **self._more)
            message, stop, usage = made["output"]["message"], made["stopReason"], made["usage"]
        self._history.append(message)
        content = message["content"]
        self._calls = [one["toolUse"] for one in content if "toolUse" in one]
        thoughts = [one["reasoningContent"] for one in content if "reasoningContent" in one]
        thought = "".join(one["reasoningText"]["text"] for one in thoughts if "reasoningText" in one)
        text = "".join(one.get("text", "") for one in content)
        called = [(one["name"], one["input"]) for one in self._calls]
        return Got(text, thought, called, ended(stop, "end_turn", "tool_use"), usage["outputTokens"])

    def _streamed(self) -> tuple[Json, str, Json]:
        blocks: dict[int, Json] = {}
        stop, usage = "", {"outputTokens": 0}
        for event in self._by.converse_stream(messages=self._history, **self._more)["stream"]:
            ((kind, inner),) = event.items()
            if kind == "contentBlockStart":
                blocks[inner["contentBlockIndex"]] = {"toolUse": {**inner["start"]["toolUse"], "input": ""}}
            elif kind == "contentBlockDelta":
                _grow(blocks.setdefault(inner["contentBlockIndex"], {}), inner["delta"])
            elif kind == "messageStop":
                stop = inner["stopReason"]
            elif kind == "metadata":
                usage = inner["usage"]
        content = [blocks[one] for one in sorted(blocks)]
        for one in content:
            if "toolUse" in one:
                one["toolUse"]["input"] = json.loads(one["toolUse"]["input"] or "{}")
        return {"role": "assistant", "content": content}, stop, usage

    def answer(self, results: list[str]) -> None:
        pairs = zip(self._calls, results, strict=True)
        content = [{"toolResult": {"toolUseId": one["toolUseId"], "content": [{"text": text}]}} for one, text in pairs]
        self._history.append({"role": "user", "content": content})


def _grow(block: Json, delta: Json) -> None:
    """Add a delta of Converse to its block, as users of boto3 do by hand."""
    if "text" in delta:
        block["text"] = block.get("text", "") + delta["text"]
    elif "toolUse" in delta:
        block["toolUse"]["input"] += delta["toolUse"]["input"]
    elif "redactedContent" in delta["reasoningContent"]:
        block["reasoningContent"] = delta["reasoningContent"]
    else:
        text = block.setdefault("reasoningContent", {"reasoningText": {"text": ""}})["reasoningText"]
        for name, value in delta["reasoningContent"].items():
            text[name] = text.get(name, "") + value


class Cohere:
    """`cohere`, its second version."""

    def __init__(self, url: str, model: str, ask: Ask) -> None:
        self._by = cohere(url)
        self._ask, self._calls = ask, list[Any]()
        image = [{"type": "text", "text": ASKED}, {"type": "image_url", "image_url": {"url": URL}}]
        self._history: list[Any] = [{"role": "user", "content": image if ask.image else ASKED}]
        self._more: Json = {"model": model}
        self._more |= {"tools": FUNCTIONS} if ask.tools else {}
        self._more |= {"thinking": {"type": "enabled", "token_budget": BUDGET}} if ask.thinks else {}
        self._more |= {"response_format": {"type": "json_object", "json_schema": SCHEMA}} if ask.schema else {}

    def say(self) -> Got:
        message, finish, usage = self._streamed() if self._ask.streamed else self._whole()
        self._history.append(message)
        self._calls = message.get("tool_calls") or []
        content = message.get("content") or []
        text = "".join(one.get("text", "") for one in content)
        thought = "".join(one.get("thinking", "") for one in content) + (message.get("tool_plan") or "")
        called = [(one["function"]["name"], json.loads(one["function"]["arguments"])) for one in self._calls]
        return Got(text, thought, called, ended(finish, "COMPLETE", "TOOL_CALL"), usage.tokens.output_tokens)

    def _whole(self) -> tuple[Json, str, Any]:
        made = self._by.chat(messages=self._history, **self._more)
        return made.message.dict(exclude_none=True), made.finish_reason, made.usage

    def _streamed(self) -> tuple[Json, str, Any]:
        content: dict[int, Json] = {}
        calls: dict[int, Json] = {}
        message: Json = {"role": "assistant"}
        for event in self._by.chat_stream(messages=self._history, **self._more):
            if event.type == "content-start":
                content[event.index] = event.delta.message.content.dict(exclude_none=True)
            elif event.type == "content-delta":
                for name, piece in event.delta.message.content.dict(exclude_none=True).items():
                    content[event.index][name] = content[event.index].get(name, "") + piece
            elif event.type == "tool-plan-delta":
                message["tool_plan"] = message.get("tool_plan", "") + event.delta.message.tool_plan
            elif event.type == "tool-call-start":
                calls[event.index] = event.delta.message.tool_calls.dict(exclude_none=True)
            elif event.type == "tool-call-delta":
                calls[event.index]["function"]["arguments"] += event.delta.message.tool_calls.function.arguments
            elif event.type == "message-end":
                if event.delta.finish_reason == "ERROR":
                    raise Shown(event.delta.error)
                message |= {"content": [*content.values()]} if content else {}
                message |= {"tool_calls": [*calls.values()]} if calls else {}
                return message, event.delta.finish_reason, event.delta.usage
        raise ValueError("the stream has no message-end")

    def answer(self, results: list[str]) -> None:
        for one, text in zip(self._calls, results, strict=True):
            content = [{"type": "document", "document": {"data": json.dumps({"result": text})}}]
            self._history.append({"role": "tool", "tool_call_id": one["id"], "content": content})


class Ollama:
    """`ollama`, its chat."""

    def __init__(self, url: str, model: str, ask: Ask) -> None:
        self._by = ollama(url)
        self._ask, self._calls = ask, list[Any]()
        image = {"images": [base64.b64decode(PNG)]} if ask.image else {}
        self._history: list[Any] = [{"role": "user", "content": ASKED, **image}]
        self._more: Json = {"model": model}
        self._more |= {"tools": FUNCTIONS} if ask.tools else {}
        self._more |= {"think": True} if ask.thinks else {}
        self._more |= {"format": SCHEMA} if ask.schema else {}

    def say(self) -> Got:
        made = self._by.chat(messages=self._history, stream=self._ask.streamed, **self._more)
        message = self._gathered(made) if self._ask.streamed else made.message.model_dump(exclude_none=True)
        last = self._last if self._ask.streamed else made
        self._history.append(message)
        self._calls = message.get("tool_calls") or []
        called = [(one["function"]["name"], dict(one["function"]["arguments"])) for one in self._calls]
        end = "calls" if called else ended(last.done_reason, "stop", "")
        return Got(message.get("content", ""), message.get("thinking", ""), called, end, last.eval_count)

    def _gathered(self, lines: Any) -> Json:
        message: Json = {"role": "assistant", "content": ""}
        for line in lines:
            for name, value in line.message.model_dump(exclude_none=True).items():
                if name != "role":
                    message[name] = message[name] + value if name in message else value
            self._last = line
        return message

    def answer(self, results: list[str]) -> None:
        for one, text in zip(self._calls, results, strict=True):
            self._history.append({"role": "tool", "tool_name": one["function"]["name"], "content": text})


class GenerateContent:
    """`google-genai`, generateContent."""

    def __init__(self, url: str, model: str, ask: Ask) -> None:
        self._types, self._model, self._ask = import_module("google.genai.types"), model, ask
        self._by, self._calls = google(url).models, list[Any]()
        types = self._types
        image = [types.Part.from_bytes(data=base64.b64decode(PNG), mime_type="image/png")] if ask.image else []
        self._history: list[Any] = [types.Content(role="user", parts=[types.Part(text=ASKED), *image])]
        self._config: Json = {"max_output_tokens": LIMIT}
        if ask.tools:
            functions = [{**one, "parameters_json_schema": SCHEMA} for one in TOOLS]
            self._config["tools"] = [{"function_declarations": functions}]
        if ask.thinks:
            self._config["thinking_config"] = {"include_thoughts": True, "thinking_level": "medium"}
        if ask.schema:
            self._config |= {"response_mime_type": "application/json", "response_json_schema": SCHEMA}

    def say(self) -> Got:
        asked: Json = {"model": self._model, "contents": self._history, "config": self._config}
        if self._ask.streamed:
            chunks = list(self._by.generate_content_stream(**asked))
        else:
            chunks = [self._by.generate_content(**asked)]
        parts = [
            part
            for chunk in chunks
            for one in chunk.candidates or ()
            for part in (one.content.parts if one.content else None) or ()
        ]
        self._history.append(self._types.Content(role="model", parts=parts))
        self._calls = [part.function_call for part in parts if part.function_call]
        text = "".join(part.text or "" for part in parts if not part.thought)
        thought = "".join(part.text or "" for part in parts if part.thought)
        reason = chunks[-1].candidates[0].finish_reason.name
        end = "calls" if self._calls else ended(reason, "STOP", "")
        called = [(one.name, one.args) for one in self._calls]
        return Got(text, thought, called, end, chunks[-1].usage_metadata.candidates_token_count)

    def answer(self, results: list[str]) -> None:
        parts = []
        for one, text in zip(self._calls, results, strict=True):
            part = self._types.Part.from_function_response(name=one.name, response={"output": text})
            part.function_response.id = one.id
            parts.append(part)
        self._history.append(self._types.Content(role="user", parts=parts))


class Interactions:
    """`google-genai`, Interactions, without a history that the server keeps."""

    def __init__(self, url: str, model: str, ask: Ask) -> None:
        self._by, self._ask, self._calls = google(url).interactions, ask, list[Json]()
        image = [{"type": "image", "data": PNG, "mime_type": "image/png"}] if ask.image else []
        self._history: list[Json] = [{"type": "user_input", "content": [{"type": "text", "text": ASKED}, *image]}]
        self._more: Json = {"model": model, "store": False}
        if ask.tools:
            self._more["tools"] = [{"type": "function", **one, "parameters": SCHEMA} for one in TOOLS]
        if ask.thinks:
            self._more["generation_config"] = {"thinking_level": "medium", "thinking_summaries": "auto"}
        if ask.schema:
            self._more["response_format"] = {"type": "text", "mime_type": "application/json", "schema": SCHEMA}

    def say(self) -> Got:
        if self._ask.streamed:
            steps, made = self._streamed()
        else:
            made = self._by.create(input=self._history, **self._more)
            steps = [step.model_dump(exclude_none=True) for step in made.steps]
        self._history += steps
        self._calls = [one for one in steps if one["type"] == "function_call"]
        said = [part for one in steps if one["type"] == "model_output" for part in one["content"]]
        thought = "".join(part["text"] for one in steps if one["type"] == "thought" for part in one.get("summary", ()))
        called = [(one["name"], one["arguments"]) for one in self._calls]
        end = ended(made.status, "completed", "requires_action")
        return Got("".join(one["text"] for one in said), thought, called, end, made.usage.total_output_tokens)

    def _streamed(self) -> tuple[list[Json], Any]:
        steps: list[Json] = []
        for event in self._by.create(input=self._history, stream=True, **self._more):
            if event.event_type == "step.start":
                steps.append(event.step.model_dump(exclude_none=True))
                if steps[-1]["type"] == "function_call":
                    steps[-1]["arguments"] = ""
            elif event.event_type == "step.delta":
                _extend(steps[-1], event.delta.model_dump(exclude_none=True))
            elif event.event_type == "step.stop" and steps[-1]["type"] == "function_call":
                steps[-1]["arguments"] = json.loads(steps[-1]["arguments"] or "{}")
            elif event.event_type == "error":
                raise Shown(event.error.message)
            elif event.event_type == "interaction.completed":
                return steps, event.interaction
        raise ValueError("the stream has no end")

    def answer(self, results: list[str]) -> None:
        for one, text in zip(self._calls, results, strict=True):
            made = {"type": "function_result", "call_id": one["id"], "name": one["name"], "result": text}
            self._history.append(made)


def _extend(step: Json, delta: Json) -> None:
    """Add a delta of Interactions to its step, as users of the client do by hand."""
    if delta["type"] == "text":
        content = step.setdefault("content", [])
        if not content:
            content.append({"type": "text", "text": ""})
        content[-1]["text"] += delta["text"]
    elif delta["type"] == "arguments_delta":
        step["arguments"] += delta["arguments"]
    elif delta["type"] == "thought_summary":
        step.setdefault("summary", []).append(delta["content"])
    elif delta["type"] == "thought_signature":
        step["signature"] = delta["signature"]


class Client(NamedTuple):
    """A row of the table.

    package  has to be there
    talks    makes an adapter
    prefix   how the names of its models begin
    loops    whether it runs the functions itself, and shows what came at the end alone
    raises   the class, or AWS's code, of what it raises for each failure
    """

    name: str
    package: str
    talks: Callable[[str, str, Ask], Any]
    raises: dict[str, str]
    prefix: str = "m"
    loops: bool = False


OF_OPENAI = {
    "400": "BadRequestError",
    "401": "AuthenticationError",
    "403": "PermissionDeniedError",
    "429": "RateLimitError",
    "529": "InternalServerError",
    "HTML": "InternalServerError",
    "stream": "APIError",
}
OF_AWS = {
    "400": "ValidationException",
    "401": "UnrecognizedClientException",
    "403": "AccessDeniedException",
    "429": "ThrottlingException",
    "529": "ServiceUnavailableException",
    "HTML": "InternalServerException",
    "stream": "EventStreamError",
}
OF_COHERE = {
    "400": "BadRequestError",
    "401": "UnauthorizedError",
    "403": "ForbiddenError",
    "429": "TooManyRequestsError",
    "529": "ServiceUnavailableError",
    "HTML": "ApiError",
    "stream": "Shown",
}
OF_OLLAMA = dict.fromkeys(OF_OPENAI, "ResponseError")
OF_GOOGLE = {
    **dict.fromkeys(("400", "401", "403", "429"), "ClientError"),
    **dict.fromkeys(("529", "HTML"), "ServerError"),
    "stream": "APIError",
}

CLIENTS = (
    Client("openai-chat", "openai", Chat, OF_OPENAI),
    Client("openai-responses", "openai", Responses, {**OF_OPENAI, "stream": "Shown"}),
    Client("anthropic", "anthropic", Messages, OF_OPENAI),
    Client("boto3", "boto3", Converse, OF_AWS),
    Client("cohere", "cohere", Cohere, OF_COHERE),
    Client("ollama", "ollama", Ollama, OF_OLLAMA),
    Client("genai", "google.genai", GenerateContent, OF_GOOGLE),
    Client("genai-interactions", "google.genai", Interactions, {**OF_OPENAI, "stream": "Shown"}),
)
