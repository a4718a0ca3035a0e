"""The IR of a request as a Chat Completions request body."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.backends._openai.writing import put_caching, put_service
from proxai_ir.binding.server import Server
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_chat_completions as wire
from proxai_ir.wire import openai_chat_completions_objects as objects

from .._lib.objects import UnionWriter
from .._lib.writing import Object, filler, put, with_extra
from .parts import TURNS
from .tools import put_choice, put_tools


def raise_request(request: ir.Request, server: Server) -> Object:
    model = request.model if request.model is not None else server.model
    built: Object = {} if model is None else {"model": model}
    messages = built["messages"] = []
    for turn in request.turns or ():
        messages.append(TURNS[turn.role](turn))  # noqa: PERF401 - a comprehension is a call more
    if request.tools:
        put_tools(built, request.tools)
    if request.tool_choice is not None:
        put_choice(built, request.tool_choice)
    if request.parallel_tools is not None:
        built["parallel_tool_calls"] = request.parallel_tools
    if request.max_tokens is not None:
        built["max_completion_tokens" if server.max_completion_tokens else "max_tokens"] = request.max_tokens
    if request.sampling is not None:
        put_sampling(built, request.sampling)
        if request.sampling.top_k is not None:
            built["top_k"] = request.sampling.top_k
        if server.random_seed and "seed" in built:
            built["random_seed"] = built.pop("seed")
    if request.thinking is not None and not _in_dialect(request):
        _thinking(built, request.thinking, server)
    _settings(built, request, server)
    if server.reasoning_member != REASONING:
        _renamed(messages, server.reasoning_member)
    return with_extra(built, request)


REASONING = "reasoning_content"


def _renamed(messages: list[Object], name: str) -> None:
    for message in messages:
        if REASONING in message:
            message[name] = message.pop(REASONING)


put_sampling = filler(**{key: member.field for key, member in objects.SAMPLING.plain().items()})


def _in_dialect(request: ir.Request) -> bool:
    """Whether members of a dialect control thinking, which are kept as they are."""
    extra = request.extra
    return extra is not None and extra.fields is not None and not wire.THINKING.keys().isdisjoint(extra.fields)


def _thinking(built: Object, thinking: ir.Thinking, server: Server) -> None:
    if thinking.mode is ir.ThinkingMode.DISABLED:
        built[server.thinking_member] = OFF[server.thinking_member]
    elif thinking.effort is not None:
        built["reasoning_effort"] = thinking.effort.value


OFF = {
    "reasoning_effort": openai.NO_EFFORT,
    "thinking": {"type": "disabled"},
    "enable_thinking": False,
}
"""No thinking, by the member that says so."""


def _settings(built: Object, request: ir.Request, server: Server) -> None:
    if request.output is not None:
        _output(built, request.output)
    if request.caching is not None:
        put_caching(built, request.caching, wire.OPTIONS_TTL)
    if request.service is not None:
        put_service(built, request.service)
        if not server.safety_identifier and "safety_identifier" in built:
            built["user"] = built.pop("safety_identifier")
    if request.streaming is not None:
        _streaming(built, request.streaming)


def _output(built: Object, output: ir.Output) -> None:
    if output.format is not None:
        built["response_format"] = FORMATS.write(output.format)
    put_output(built, output)
    if output.audio is not None:
        speech = put({}, voice=output.audio.voice, format=output.audio.format)
        built["audio"] = with_extra(speech, output.audio)


FORMATS = UnionWriter(objects.FORMATS)
put_output = filler(verbosity="verbosity", modalities="modalities")
put_stream_options = filler(include_usage="usage", include_obfuscation="obfuscation")


def _streaming(built: Object, streaming: ir.Streaming) -> None:
    if streaming.stream is not None:
        built["stream"] = streaming.stream
    options: Object = {}
    put_stream_options(options, streaming)
    if options:
        built["stream_options"] = options
    if streaming.extra is not None:
        with_extra(built, streaming)
