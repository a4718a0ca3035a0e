"""Owns how other converters are called. None of them is a dependency: the table names those that are not installed.

Each is called below its network layer, by the classes that do the work, with what can be prepared outside prepared
outside. They are imported by name and have no types here. `usable` checks that one does the work it is timed for.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

import orjson

from .payloads import ANTHROPIC, CHAT, GEMINI, RESPONSES, ROUTES, Json

Converter = Callable[[Any], Any]
"""Payload to payload; events of a stream to an iterator."""
Converters = Mapping[tuple[str, str, str], Converter]
"""By kind, source and target."""
LEAST_SHARE = 0.5
"""Of the size of our output that a peer's must have; with less it has not converted the payload."""


def litellm() -> Converters:
    """LiteLLM's adapters; where it has none between two protocols, it goes through Chat Completions."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else the import asks the network for prices
    return {**_litellm_requests(), **_litellm_responses(), **_litellm_streams()}


def _load(path: str) -> Any:
    module, name = path.rsplit(".", 1)
    return getattr(import_module(f"litellm.{module}"), name)


ADAPTER = "llms.anthropic.pass_through.adapters.transformation.LiteLLMAnthropicMessagesAdapter"
RESPONSES_ADAPTER = (
    "llms.anthropic.pass_through.responses_adapters.transformation.LiteLLMAnthropicToResponsesAPIAdapter"
)
CONFIG = "llms.anthropic.chat.transformation.AnthropicConfig"
BRIDGE = "completion_extras.litellm_responses_transformation.transformation.LiteLLMResponsesTransformationHandler"
COMPLETION = "responses.litellm_completion_transformation.transformation.LiteLLMCompletionResponsesConfig"


def _litellm_requests() -> dict[tuple[str, str, str], Converter]:
    config, handler, completion = _load(CONFIG)(), _load(BRIDGE)(), _load(COMPLETION)
    to_chat, to_responses = _load(ADAPTER)(), _load(RESPONSES_ADAPTER)()
    log, model = SimpleNamespace(), "claude-sonnet-4-5"

    def chat_to_anthropic(request: Json) -> Any:
        offered = {key: value for key, value in request.items() if key not in ("model", "messages")}
        mapped = config.map_openai_params(offered, {}, model, False)
        return config.transform_request(model, request["messages"], mapped, {}, {})

    def chat_to_responses(request: Json) -> Any:
        offered = {key: value for key, value in request.items() if key not in ("model", "messages")}
        made = handler.transform_request(request["model"], request["messages"], offered, {}, {}, log)
        del made["litellm_logging_obj"], made["client"]
        return made

    def responses_to_chat(request: Json) -> Any:
        convert = completion.transform_responses_api_request_to_chat_completion_request
        return convert(request["model"], request.get("input") or "", request)

    return {
        ("request", ANTHROPIC, CHAT): lambda request: to_chat.translate_anthropic_to_openai(request)[0],
        ("request", ANTHROPIC, RESPONSES): to_responses.translate_request,
        ("request", CHAT, ANTHROPIC): chat_to_anthropic,
        ("request", CHAT, RESPONSES): chat_to_responses,
        ("request", RESPONSES, CHAT): responses_to_chat,
        ("request", RESPONSES, ANTHROPIC): lambda request: chat_to_anthropic(responses_to_chat(request)),
    }


def _litellm_responses() -> dict[tuple[str, str, str], Converter]:
    config, handler, completion = _load(CONFIG)(), _load(BRIDGE)(), _load(COMPLETION)
    from_chat, from_responses = _load(ADAPTER)(), _load(RESPONSES_ADAPTER)()
    chat, items = _load("types.utils.ModelResponse"), _load("types.llms.openai.ResponsesAPIResponse")
    reply, log = import_module("httpx").Response(200), SimpleNamespace()

    def dumped(made: Any) -> Any:
        return made if isinstance(made, dict) else made.model_dump()

    def anthropic_to_chat(response: Json) -> Any:
        return config.transform_parsed_response(response, reply, chat())

    def to_responses(response: Any) -> Any:
        return completion.transform_chat_completion_response_to_responses_api_response("", {}, response)

    def responses_to_chat(response: Json) -> Any:
        return handler.transform_response("m", items(**response), chat(), log, {}, [], {}, {}, None)

    return {
        ("response", ANTHROPIC, CHAT): lambda response: dumped(anthropic_to_chat(response)),
        ("response", ANTHROPIC, RESPONSES): lambda response: dumped(to_responses(anthropic_to_chat(response))),
        ("response", CHAT, ANTHROPIC): lambda response: dumped(
            from_chat.translate_openai_response_to_anthropic(chat(**response))
        ),
        ("response", CHAT, RESPONSES): lambda response: dumped(to_responses(response)),
        ("response", RESPONSES, CHAT): lambda response: dumped(responses_to_chat(response)),
        ("response", RESPONSES, ANTHROPIC): lambda response: dumped(
            from_responses.translate_response(items(**response))
        ),
    }


def _litellm_streams() -> dict[tuple[str, str, str], Converter]:
    """The chunks that LiteLLM hands on are objects; it is not made to write them as JSON here."""
    anthropic = _load("llms.anthropic.chat.handler.ModelResponseIterator")
    openai = _load("llms.openai.chat.gpt_transformation.OpenAIChatCompletionStreamingHandler")
    wrapper = _load("llms.anthropic.pass_through.adapters.streaming_iterator.AnthropicStreamWrapper")

    def to_chat(events: Iterable[Json]) -> Iterator[Any]:
        return map(anthropic(iter(()), sync_stream=True).chunk_parser, events)

    def to_anthropic(events: Iterable[Json]) -> Iterator[Any]:
        chunks = map(openai(iter(()), sync_stream=True).chunk_parser, map(_spare, events))
        return iter(wrapper(chunks, model="gpt-4.1"))

    return {("stream", ANTHROPIC, CHAT): to_chat, ("stream", CHAT, ANTHROPIC): to_anthropic}


def _spare(chunk: Json) -> Json:
    """A chunk whose fragments of calls may be written into, as LiteLLM does; copying them costs it next to nothing."""
    if not chunk["choices"] or "tool_calls" not in chunk["choices"][0]["delta"]:
        return chunk
    (choice,) = chunk["choices"]
    fragments = [{**fragment} for fragment in choice["delta"]["tool_calls"]]
    return {**chunk, "choices": [{**choice, "delta": {"tool_calls": fragments}}]}


def rosetta() -> Converters:
    """llm-rosetta's converters, cold: they remember what they have seen, and payloads come again here."""
    package = import_module("llm_rosetta")
    forget = import_module("llm_rosetta.converters.base.helpers.cache").clear_all_caches
    sides: dict[str, Any] = {
        ANTHROPIC: package.AnthropicConverter(),
        CHAT: package.OpenAIChatConverter(),
        RESPONSES: package.OpenAIResponsesConverter(),
        GEMINI: package.GoogleConverter(),
    }

    def request(src: Any, dst: Any, payload: Json) -> Any:
        forget()
        return dst.request_to_provider(src.request_from_provider(payload))[0]

    def response(src: Any, dst: Any, payload: Json) -> Any:
        forget()
        return dst.response_to_provider(src.response_from_provider(payload))

    def stream(src: Any, dst: Any, events: Iterable[Json]) -> Iterator[Json]:
        read, write = src.create_stream_context(), dst.create_stream_context()
        for event in events:
            for one in src.stream_response_from_provider(event, read):
                made = dst.stream_response_to_provider(one, write)
                yield from made if isinstance(made, list) else (made,) if made else ()

    steps: dict[str, Callable[..., Any]] = {"request": request, "response": response, "stream": stream}
    return {
        (kind, route.src, route.dst): partial(steps[kind], sides[route.src], sides[route.dst])
        for kind in steps
        for route in ROUTES
    }


PEERS: Mapping[str, Callable[[], Converters]] = {"litellm": litellm, "llm-rosetta": rosetta}
"""By the name of the distribution."""


@cache
def load(name: str) -> Converters | None:
    """A peer's converters; None if it is not installed. What they log is switched off: it would cost them time."""
    logging.disable(logging.WARNING)
    try:
        return PEERS[name]()
    except ModuleNotFoundError:
        return None


def release(name: str) -> str:
    return f"{name} {version(name)}"


def usable(convert: Converter, payload: Any, ours: Any) -> bool:
    """Whether a peer converts this payload as we do, if only roughly, and leaves it as it is: else its time is void."""
    before = orjson.dumps(payload)
    try:
        made = convert(payload)
        written = orjson.dumps(list(made) if isinstance(made, Iterator) else made, default=_plain)
    except Exception:
        return False
    return orjson.dumps(payload) == before and len(written) >= LEAST_SHARE * len(orjson.dumps(ours))


def _plain(made: Any) -> Any:
    return made.model_dump()
