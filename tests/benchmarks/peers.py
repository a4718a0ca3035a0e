"""Owns how other converters are called. None of them is a dependency: what is not installed is a row that says so.

Each is called below its network layer, by the classes that do the work, with what can be prepared outside prepared
outside. Peers are loaded by name and have no types here; their output is only looked at for being there at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from importlib.metadata import version
from typing import Any

from .payloads import ANTHROPIC, CHAT, ROUTES
from .transcript import Json

Converter = Callable[[Any], Any]
"""Payload to payload; of streams, events to an iterator of what the peer hands on."""
Converters = Mapping[tuple[str, str, str], Converter]
"""By kind, source and target."""


def litellm() -> Converters:
    """LiteLLM's adapters between the two protocols; they leave what they are given alone."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else the import asks the network for prices
    return _litellm_payloads() | _litellm_streams()


def _litellm_payloads() -> dict[tuple[str, str, str], Converter]:
    transformation = import_module("litellm.llms.anthropic.chat.transformation")
    adapters = import_module("litellm.llms.anthropic.pass_through.adapters.transformation")
    model_response: Any = import_module("litellm.types.utils").ModelResponse
    config: Any = transformation.AnthropicConfig()
    adapter: Any = adapters.LiteLLMAnthropicMessagesAdapter()
    reply: Any = import_module("httpx").Response(200)
    model = "claude-sonnet-4-5"

    def request_to_chat(request: Json) -> Json:
        converted: Json = adapter.translate_anthropic_to_openai(request)[0]
        return converted

    def request_to_anthropic(request: Json) -> Json:
        offered = {key: value for key, value in request.items() if key not in ("model", "messages")}
        mapped = config.map_openai_params(offered, {}, model, False)
        converted: Json = config.transform_request(model, request["messages"], mapped, {}, {})
        return converted

    def response_to_chat(response: Json) -> Json:
        converted: Json = config.transform_parsed_response(response, reply, model_response()).model_dump()
        return converted

    def response_to_anthropic(response: Json) -> Json:
        converted: Json = adapter.translate_openai_response_to_anthropic(model_response(**response))
        return converted

    return {
        ("request", ANTHROPIC, CHAT): request_to_chat,
        ("request", CHAT, ANTHROPIC): request_to_anthropic,
        ("response", ANTHROPIC, CHAT): response_to_chat,
        ("response", CHAT, ANTHROPIC): response_to_anthropic,
    }


def _litellm_streams() -> dict[tuple[str, str, str], Converter]:
    """The chunks that LiteLLM hands on are objects; nobody makes it write them down as JSON here."""
    anthropic: Any = import_module("litellm.llms.anthropic.chat.handler").ModelResponseIterator
    openai: Any = import_module("litellm.llms.openai.chat.gpt_transformation").OpenAIChatCompletionStreamingHandler
    iterator: Any = import_module("litellm.llms.anthropic.pass_through.adapters.streaming_iterator")

    def stream_to_chat(events: Iterable[Json]) -> Iterator[Any]:
        return map(anthropic(iter(()), sync_stream=True).chunk_parser, events)

    def stream_to_anthropic(events: Iterable[Json]) -> Iterator[Any]:
        chunks = map(openai(iter(()), sync_stream=True).chunk_parser, map(_spare, events))
        wrapped: Iterator[Any] = iterator.AnthropicStreamWrapper(chunks, model="gpt-4.1")
        return wrapped

    return {("stream", ANTHROPIC, CHAT): stream_to_chat, ("stream", CHAT, ANTHROPIC): stream_to_anthropic}


def _spare(chunk: Json) -> Json:
    """A chunk whose fragments of calls may be written into, as LiteLLM does; it hardly costs it anything."""
    if not chunk["choices"] or "tool_calls" not in chunk["choices"][0]["delta"]:
        return chunk
    (choice,) = chunk["choices"]
    fragments = [{**fragment} for fragment in choice["delta"]["tool_calls"]]
    return {**chunk, "choices": [{**choice, "delta": {"tool_calls": fragments}}]}


def rosetta() -> Converters:
    """llm-rosetta's converters, cold: they remember what they have seen, and the same payload comes again and again."""
    package: Any = import_module("llm_rosetta")
    forget: Any = import_module("llm_rosetta.converters.base.helpers.cache").clear_all_caches
    sides: dict[str, Any] = {ANTHROPIC: package.AnthropicConverter(), CHAT: package.OpenAIChatConverter()}

    def request(src: Any, dst: Any) -> Converter:
        def convert(payload: Json) -> Json:
            forget()
            converted: Json = dst.request_to_provider(src.request_from_provider(payload))[0]
            return converted

        return convert

    def response(src: Any, dst: Any) -> Converter:
        def convert(payload: Json) -> Json:
            forget()
            converted: Json = dst.response_to_provider(src.response_from_provider(payload))
            return converted

        return convert

    def stream(src: Any, dst: Any) -> Converter:
        def convert(events: Iterable[Json]) -> Iterator[Json]:
            read, write = src.create_stream_context(), dst.create_stream_context()
            for event in events:
                for one in src.stream_response_from_provider(event, read):
                    said = dst.stream_response_to_provider(one, write)
                    yield from said if isinstance(said, list) else (said,) if said else ()

        return convert

    made = {"request": request, "response": response, "stream": stream}
    return {(kind, src, dst): make(sides[src], sides[dst]) for kind, make in made.items() for src, dst in ROUTES}


PEERS: Mapping[str, Callable[[], Converters]] = {"litellm": litellm, "llm-rosetta": rosetta}
"""By the name of the distribution."""


def load(name: str) -> Converters | None:
    """A peer's converters, or nothing where it is not installed."""
    try:
        return PEERS[name]()
    except ModuleNotFoundError:
        return None


def release(name: str) -> str:
    """Name and version of a peer for a note: they change, and so does what is compared."""
    return f"{name} {version(name)}"
