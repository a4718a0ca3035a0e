"""What the official clients show of a response: its text, its calls, how it ended and what it took.

Read as their users read it: by the attributes of the clients' own objects. The clients talk to a transport inside this
process; nothing is sent anywhere.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

import pytest

from ..samples.sample import Events, Json
from ..streams.test_bytes import encoded
from .shared import ANTHROPIC, CHAT, GEMINI, RESPONSES

HELLO: Any = [{"role": "user", "content": "Hi"}]
BASE = "http://none.invalid"
JSON, SSE = "application/json", "text/event-stream"

STOP, CALLS, LENGTH, DECLINED, OTHER = "stop", "calls", "length", "declined", "other"

ENDINGS: dict[str, str] = {
    # Chat Completions
    "stop": STOP,
    "tool_calls": CALLS,
    "function_call": CALLS,
    "length": LENGTH,
    "content_filter": DECLINED,
    # Anthropic Messages
    "end_turn": STOP,
    "stop_sequence": STOP,
    "tool_use": CALLS,
    "max_tokens": LENGTH,
    "model_context_window_exceeded": LENGTH,
    "refusal": DECLINED,
    # Responses, by what makes a response incomplete
    "max_output_tokens": LENGTH,
    # generateContent
    "STOP": STOP,
    "MAX_TOKENS": LENGTH,
    **dict.fromkeys(("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"), DECLINED),
    **dict.fromkeys(("IMAGE_SAFETY", "NO_IMAGE", "MODEL_ARMOR"), DECLINED),
}


class Shown(NamedTuple):
    """`calls` are names and parsed arguments, `usage` the tokens of the prompt and of the response, if the client shows
    any.
    """

    text: str
    calls: list[tuple[str, Any]]
    ending: str
    usage: tuple[int, int] | None


class Transport:
    """The HTTP client of an official one, whose requests all get what was set last."""

    def __init__(self) -> None:
        httpx = pytest.importorskip("httpx2")
        self.status, self.type, self.body = 200, JSON, b""

        def respond(request: Any) -> Any:
            return httpx.Response(self.status, headers={"content-type": self.type}, content=self.body, request=request)

        self.http = httpx.Client(transport=httpx.MockTransport(respond))


@cache
def client(protocol: str) -> tuple[Any, Transport]:
    """The official client of a protocol, which is slow to make, and its transport."""
    transport = Transport()
    if protocol == GEMINI:
        http = {"httpx_client": transport.http, "base_url": BASE}
        return pytest.importorskip("google.genai").Client(api_key="none", http_options=http).models, transport
    package, name = ("anthropic", "Anthropic") if protocol == ANTHROPIC else ("openai", "OpenAI")
    make = getattr(pytest.importorskip(package), name)
    return make(api_key="none", base_url=BASE, http_client=transport.http, max_retries=0), transport


def asked(protocol: str, body: Json, status: int = 200) -> Any:
    """The response that the client makes of a whole body; raises what the client raises."""
    by, transport = client(protocol)
    transport.status, transport.type, transport.body = status, JSON, json.dumps(body).encode()
    if protocol == GEMINI:
        return by.generate_content(model="m", contents="Hi")
    if protocol == ANTHROPIC:
        return by.beta.messages.create(model="m", max_tokens=1, messages=HELLO)
    if protocol == CHAT:
        return by.chat.completions.create(model="m", messages=HELLO)
    return by.responses.create(model="m", input="Hi")


def streamed(protocol: str, events: Events) -> Any:
    """The response that the client puts together from a stream; of Google's, which does not, all chunks."""
    by, transport = client(protocol)
    transport.status, transport.type, transport.body = 200, SSE, encoded(events, protocol)
    if protocol == GEMINI:
        return list(by.generate_content_stream(model="m", contents="Hi"))
    if protocol == ANTHROPIC:
        with by.beta.messages.stream(model="m", max_tokens=1, messages=HELLO) as stream:
            return stream.get_final_message()
    if protocol == CHAT:
        with by.chat.completions.stream(model="m", messages=HELLO) as stream:
            stream.until_done()
            return stream.current_completion_snapshot
    with by.responses.stream(model="m", input="Hi") as stream:
        return [event.response for event in stream if hasattr(event, "response")][-1]


def whole(protocol: str, body: Json) -> Shown:
    made = asked(protocol, body)
    return SHOWN[protocol]([made] if protocol == GEMINI else made)


def of_stream(protocol: str, events: Events) -> Shown:
    return SHOWN[protocol](streamed(protocol, events))


# --- by protocol ------------------------------------------------------------------------------------------------------


def of_chat(made: Any) -> Shown:
    choice = made.choices[0]
    message = choice.message
    calls = [_chat_call(call) for call in message.tool_calls or ()]
    legacy = message.function_call
    if legacy is not None and legacy.name:
        calls.append((legacy.name, parsed(legacy.arguments)))
    usage = made.usage
    spent = (usage.prompt_tokens, usage.completion_tokens) if usage is not None else None
    text = _text(message.content) + (message.refusal or "")
    ending = DECLINED if message.refusal else ENDINGS.get(choice.finish_reason or "stop", OTHER)
    return Shown(text, calls, ending, spent)


def _chat_call(call: Any) -> tuple[str, Any]:
    if call.type == "custom":
        custom = call.custom  # which the client does not know in streams
        return (custom["name"], custom["input"]) if isinstance(custom, dict) else (custom.name, custom.input)
    return call.function.name, parsed(call.function.arguments)


def _text(content: Any) -> str:
    """Some servers have a list of parts as the content."""
    if isinstance(content, list):
        return "".join(one.get("text") or "" for one in content if one.get("type") == "text")
    return content or ""


def of_responses(made: Any) -> Shown:
    calls: list[tuple[str, Any]] = []
    text: list[str] = []
    refused = False
    for item in made.output:
        if item.type == "function_call":
            calls.append((item.name, parsed(item.arguments)))
        elif item.type == "custom_tool_call":
            calls.append((item.name, item.input))
        elif item.type == "message":
            for part in item.content:
                refused = refused or part.type == "refusal"
                text.append(part.refusal if part.type == "refusal" else part.text)
    usage = made.usage
    spent = (usage.input_tokens, usage.output_tokens) if usage is not None else None
    reason = made.incomplete_details.reason if made.status == "incomplete" else "stop"
    ending = DECLINED if refused else ENDINGS.get(reason, OTHER)
    return Shown("".join(text), calls, CALLS if calls and ending == STOP else ending, spent)


def of_anthropic(made: Any) -> Shown:
    text = "".join(block.text for block in made.content if block.type == "text")
    calls = [(block.name, block.input) for block in made.content if block.type == "tool_use"]
    usage = made.usage
    given = (usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens)
    return Shown(
        text, calls, ENDINGS.get(made.stop_reason, OTHER), (sum(one or 0 for one in given), usage.output_tokens)
    )


def of_google(chunks: Iterable[Any]) -> Shown:
    text: list[str] = []
    calls: list[tuple[str, Any]] = []
    reason, usage, blocked = None, None, False
    for chunk in chunks:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            calls += [(call.name, call.args or {}) for call in chunk.function_calls or ()]
        blocked = blocked or bool(chunk.prompt_feedback and chunk.prompt_feedback.block_reason)
        usage = chunk.usage_metadata or usage
        for candidate in (chunk.candidates or ())[:1]:
            reason = candidate.finish_reason or reason
            parts = candidate.content.parts if candidate.content is not None else None
            text += [part.text for part in parts or () if part.text and not part.thought]
    ending = DECLINED if blocked else ENDINGS.get(reason.value if reason else "", OTHER)
    spent = _google_tokens(usage) if usage is not None else None
    return Shown("".join(text), calls, CALLS if calls and ending == STOP else ending, spent)


def _google_tokens(usage: Any) -> tuple[int, int]:
    """Counts of zero are left out; what tools added and what was thought stand apart."""
    read = (usage.prompt_token_count, usage.tool_use_prompt_token_count)
    written = (usage.candidates_token_count, usage.thoughts_token_count)
    return sum(one or 0 for one in read), sum(one or 0 for one in written)


# --- failures ---------------------------------------------------------------------------------------------------------


class Failed(NamedTuple):
    """What a client raises; `status` is None in a stream, which had begun with 200."""

    status: int | None
    message: str


def failure(protocol: str, body: Json, status: int) -> Failed | None:
    """What the client raises for a whole body with a status; None where it returns a response."""
    try:
        asked(protocol, body, status)
    except Exception as error:
        return _failed(error, in_stream=False)
    return None


def failure_of_stream(protocol: str, events: Events) -> Failed | None:
    """The same of a stream; the client of Responses raises nothing, and shows a response that failed."""
    try:
        made = streamed(protocol, events)
    except Exception as error:
        return _failed(error, in_stream=True)
    failed = made.error if protocol == RESPONSES else None
    return Failed(None, failed.message) if failed is not None else None


def _failed(error: Any, *, in_stream: bool) -> Failed:
    """Of the clients' common class of errors; any other is not what their users expect."""
    if "APIError" not in [cls.__name__ for cls in type(error).__mro__]:
        raise error
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else {"message": error.message}
    status = None if in_stream else getattr(error, "status_code", None) or error.code
    return Failed(status, inner["message"])


def parsed(arguments: str) -> Any:
    """As their users parse them: some servers send none at all."""
    try:
        return json.loads(arguments) if arguments.strip() else {}
    except ValueError:
        return arguments


SHOWN: dict[str, Callable[[Any], Shown]] = {
    CHAT: of_chat,
    RESPONSES: of_responses,
    ANTHROPIC: of_anthropic,
    GEMINI: of_google,
}
