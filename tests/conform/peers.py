"""Other converters as implementations of the vectors: `python -m tests.conform.peers litellm` (or llm-rosetta, lingua).

They are called as the benchmarks call them, and get what the vector has; LiteLLM has further protocols here, which it
reaches through Chat Completions, as it does itself. What they raise is a refusal, which is to their credit; warnings of
Python are findings without a place, since they have none. Lingua is a package of Node: NODE_PATH says where it is.
With `--version` the version is printed; one that is not installed says so and ends with 1.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import partial, reduce
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import orjson

from ..benchmarks import peers
from .lines import as_json, serve

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
GEMINI = "gemini_generate_content"
PROVIDERS = {
    GEMINI: "gemini",
    "bedrock_converse": "bedrock",
    "cohere_v2_chat": "cohere_chat",
    "ollama_chat": "ollama_chat",
}
"""LiteLLM's names of the servers behind further protocols."""
SERVED = {"cohere_chat": "cohere_chat/v2"}
"""How LiteLLM chooses a version of a protocol by the name of a model."""
Converters = dict[tuple[str, str, str], Callable[[Any], Any]]


def litellm() -> Converters:
    """Return LiteLLM's adapters of the benchmarks, and those from and to the protocols of PROVIDERS."""
    known: Converters = {**peers.litellm()}
    adapters = {src: known["request", src, CHAT] for src in (ANTHROPIC, RESPONSES)}
    back = {dst: known["response", CHAT, dst] for dst in (ANTHROPIC, RESPONSES)}
    plain = import_module("litellm.types.utils").ModelResponse
    for protocol, provider in PROVIDERS.items():
        asked, answered = partial(_asked, provider), partial(_answered, provider)
        known["request", CHAT, protocol] = asked
        known["response", protocol, CHAT] = _then(answered, as_json)
        for src, adapter in adapters.items():
            known["request", src, protocol] = _then(adapter, _plain, asked)
        for dst, adapter in back.items():
            known["response", protocol, dst] = _then(answered, as_json, lambda made: plain(**made), adapter)
    for protocol, parser in _parsers().items():
        known["stream", protocol, CHAT] = partial(_chunks, parser)
    return known


def _then(*steps: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda payload: reduce(lambda made, step: step(made), steps, payload)


def _plain(made: Any) -> Any:
    return orjson.loads(orjson.dumps(made, default=as_json))


def _config(provider: str, model: str) -> Any:
    utils = import_module("litellm.utils")
    return utils.ProviderConfigManager.get_provider_chat_config(model, utils.LlmProviders(provider))


def _asked(provider: str, request: Any) -> Any:
    """Return a request of Chat Completions as LiteLLM sends it to a provider; what that cannot have is dropped."""
    offered = {**request}
    model, messages = offered.pop("model"), offered.pop("messages")
    settings = import_module("litellm.utils").get_optional_params(
        model=model, custom_llm_provider=provider, drop_params=True, messages=messages, **offered
    )
    if provider != "gemini":
        return _config(provider, model).transform_request(model, messages, settings, {}, {})
    body = import_module("litellm.llms.vertex_ai.gemini.transformation").transform_request_body
    return body(messages, model, settings, provider, {}, None)


def _answered(provider: str, response: Any) -> Any:
    """Return a provider's response as LiteLLM's object."""
    httpx, empty = import_module("httpx"), import_module("litellm.types.utils").ModelResponse()
    reply = httpx.Response(200, json=response, request=httpx.Request("POST", "http://localhost"))
    log = MagicMock(litellm_params={}, optional_params={})
    return _config(provider, "m").transform_response("m", reply, empty, log, {}, [], {}, {}, None)


def _parsers() -> dict[str, Callable[[], Callable[[Any], Any]]]:
    """Return the function that makes the reader of one stream's events."""
    found = {
        GEMINI: ("vertex_ai.gemini.vertex_and_google_ai_studio_gemini", "ModelResponseIterator"),
        "bedrock_converse": ("bedrock.chat.invoke_handler", "AWSEventStreamDecoder"),
        "ollama_chat": ("ollama.chat.transformation", "OllamaChatCompletionResponseIterator"),
    }
    made = {key: getattr(import_module(f"litellm.llms.{name}"), kind) for key, (name, kind) in found.items()}
    log = MagicMock(litellm_params={}, optional_params={})
    return {
        GEMINI: lambda: made[GEMINI](iter(()), sync_stream=True, logging_obj=log).chunk_parser,
        "bedrock_converse": lambda: _inside(made["bedrock_converse"](model="m").converse_chunk_parser),
        "ollama_chat": lambda: made["ollama_chat"](iter(()), sync_stream=True).chunk_parser,
    }


def _inside(parser: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a parser that gets an event without its name, which Bedrock's event stream has in a header."""
    return lambda event: parser(next(iter(event.values())))


def _chunks(parser: Callable[[], Callable[[Any], Any]], events: Iterable[Any]) -> list[Any]:
    return [one.model_dump(exclude_none=True) for one in map(parser(), events) if one is not None]


FORMATS = {CHAT: "openai", RESPONSES: "responses", ANTHROPIC: "anthropic", GEMINI: "google"}
"""Lingua's names of the protocols that it converts."""
NODE = ("node", str(Path(__file__).parent / "lingua.cjs"))


def lingua() -> Converters:
    """Return Lingua's conversions, each a line to its process and a line back; none if it is not installed."""
    try:
        released("lingua")
    except LookupError:
        return {}
    process = subprocess.Popen(NODE, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    to, back = process.stdin, process.stdout

    def convert(kind: str, dst: str, payload: Any) -> Any:
        to.write(
            orjson.dumps({"kind": kind, "to": FORMATS[dst], "payload": [*payload] if kind == "stream" else payload})
        )
        to.write(b"\n")
        to.flush()
        made = orjson.loads(back.readline())
        if "error" in made:
            raise ValueError(made["error"])
        return made["output"]

    kinds = ("request", "response", "stream")
    return {(kind, src, dst): partial(convert, kind, dst) for kind in kinds for src in FORMATS for dst in FORMATS}


CONVERTERS: dict[str, Callable[[], Any]] = {"litellm": litellm, "llm-rosetta": peers.rosetta, "lingua": lingua}


def released(name: str) -> str:
    """Return the version of a peer. Raises LookupError if it is not installed."""
    if name != "lingua":
        try:
            return peers.release(name)
        except ModuleNotFoundError as error:
            raise LookupError(name) from error
    try:
        made = subprocess.run((*NODE, "version"), capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise LookupError(name) from error
    return f"lingua {made.stdout.strip()}"


def named(output: Any, asked: dict[str, Any]) -> Any:
    """Return a request with the vector's model: LiteLLM's are converted for one whose settings it knows."""
    if asked["kind"] == "request" and isinstance(output, dict) and "model" in output and "model" in asked["source"]:
        return {**output, "model": asked["source"]["model"]}
    return output


def answering(name: str) -> Any:
    converters = CONVERTERS[name]()

    def answer(asked: dict[str, Any]) -> dict[str, Any]:
        convert = converters.get((asked["kind"], asked["from"], asked["to"]))
        if convert is None or asked["options"]:
            return {"unsupported": "no such conversion" if convert is None else "no such options"}
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                source = asked["source"]
                if asked["kind"] == "stream":
                    output: Any = list(convert([event for event in source if event != "[DONE]"]))
                else:
                    output = named(convert(source), asked)
            except Exception as error:
                return {"refused": f"{type(error).__name__}: {error}"[:300]}
        return {"output": output, "findings": [{"severity": "loss", "message": str(one.message)} for one in said]}

    return answer


if __name__ == "__main__":
    if sys.argv[2:] == ["--version"]:
        try:
            print(released(sys.argv[1]))
        except LookupError:
            sys.exit(f"{sys.argv[1]} is not installed")
    else:
        serve(answering(sys.argv[1]))
