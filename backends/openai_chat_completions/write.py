"""Writes requests, responses and errors as Chat Completions, with members of its dialects."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.envelope import seal_text
from proxai_ir.ir.response import fitted_reason
from proxai_ir.reporting.report import Report
from proxai_ir.targets.settings import Server
from proxai_ir.wire import openai
from proxai_ir.wire import openai_chat_completions as wire
from proxai_ir.wire import openai_chat_completions_objects as objects

from .._lib.objects import ObjectWriter, UnionWriter
from .._lib.writing import Object, filler, put, with_extra
from .._openai.writing import put_caching, put_service, scored_tokens
from .._openai.writing import raise_error as raise_error
from .parts import TURNS, completed, content, put_choice, put_members, put_tools, with_members
from .rows import SEALED_BY, made_by

# --- request ----------------------------------------------------------------------------------------------------------


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
    if server.reasoning_member != REASONING or not server.audio_formats:
        _rename(messages, server)
    return with_extra(built, request)


def _rename(messages: list[Object], server: Server) -> None:
    """Name the member of reasoning as the server does, and write recordings as their data alone if it takes no
    format."""
    for message in messages:
        if REASONING in message:
            message[server.reasoning_member] = message.pop(REASONING)
        if server.audio_formats:
            continue
        for part in message["content"] if isinstance(message.get("content"), list) else ():
            if part.get("type") == "input_audio" and isinstance(part["input_audio"], dict):
                part["input_audio"] = part["input_audio"]["data"]


REASONING = "reasoning_content"
put_sampling = filler(**{key: member.field for key, member in objects.SAMPLING.plain().items()})


def _in_dialect(request: ir.Request) -> bool:
    """Return whether members of a dialect control thinking; they are kept as they are."""
    extra = request.extra
    return extra is not None and extra.fields is not None and not wire.THINKING.keys().isdisjoint(extra.fields)


def _thinking(built: Object, thinking: ir.Thinking, server: Server) -> None:
    if thinking.mode is ir.ThinkingMode.DISABLED:
        built[server.thinking_member] = OFF[server.thinking_member]
    elif thinking.effort is not None:
        built["reasoning_effort"] = thinking.effort.value
    elif thinking.mode is not None:
        built[server.thinking_member] = ON[server.thinking_member]


OFF = {
    "reasoning_effort": openai.NO_EFFORT,
    "thinking": {"type": "disabled"},
    "enable_thinking": False,
}
"""The value for no thinking of each member that may control it."""
ON = {"thinking": {"type": "enabled"}, "enable_thinking": True}
"""The value for thinking of the members that have one for it alone."""


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
        if type(output.format) is ir.EnumFormat:  # between servers of this protocol alone
            built[wire.STRUCTURED] = {"choice": output.format.schema["enum"]}
        else:
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


# --- response ---------------------------------------------------------------------------------------------------------


def raise_response(response: ir.Response, server: Server) -> Object:
    built = envelope(response, "chat.completion", server)
    choices = built["choices"] = []
    for index, candidate in enumerate(response.candidates):
        choices.append(_choice(index, candidate))
        message = choices[-1]["message"]
        if "audio" in message:
            message["audio"] = completed(message["audio"], response.id, index)
    if response.usage is not None:
        built["usage"] = USAGE.write(response.usage)
    if response.metadata is not None:
        built["metadata"] = response.metadata
    return with_extra(built, response)


def envelope(response: ir.Response, kind: str, server: Server) -> Object:
    """Return the members that responses and all chunks of a stream begin with."""
    built: Object = {} if response.id is None else {"id": response.id}
    built["object"] = kind
    built["created"] = wire.NO_TIME if response.created is None else response.created
    model = response.model if response.model is not None else server.model
    if model is not None:
        built["model"] = model
    if response.fast:
        built["service_tier"] = openai.FAST
    elif response.tier is not None:
        built["service_tier"] = openai.TIER_OF[response.tier]
    if response.fingerprint is not None:
        built["system_fingerprint"] = response.fingerprint
    return built


def _choice(index: int, candidate: ir.Candidate) -> Object:
    built: Object = {"index": index, "message": _message(candidate)}
    call = candidate.broken_off
    if call is not None and built["message"].get("tool_calls"):
        built["message"]["tool_calls"][-1]["function"]["arguments"] = call.arguments  # not the completed ones
    if candidate.logprobs is not None:
        built["logprobs"] = logprobs_of(candidate.logprobs)
    built["finish_reason"] = candidate.terminal.raw
    return with_extra(built, candidate)


def logprobs_of(logprobs: ir.LogProbs) -> Object:
    text, refusal = logprobs.text, logprobs.refusal
    built: Object = {
        "content": None if text is None else scored_tokens(text, None),
        "refusal": None if refusal is None else scored_tokens(refusal, None),
    }
    return with_extra(built, logprobs)


def _message(candidate: ir.Candidate) -> Object:
    """Return a message: one string of text, and a refusal in its own member alone (REF-3, REF-5)."""
    turn = candidate.turns[0] if candidate.turns else ir.Turn(ir.ASSISTANT, [])
    message: Object = {"role": "assistant", "content": None, "refusal": None}
    wording = put_members(message, turn)
    if wording:
        message["content"] = _content(wording)
        notes = annotations_of(wording)
        if notes:
            message["annotations"] = notes
    if candidate.terminal.reason is ir.REFUSAL and not message["refusal"] and not message["content"]:
        message["refusal"] = explanation(candidate.terminal)
    return message if turn.extra is None else with_members(message, turn)


def _content(wording: list[Any]) -> str | list[Object]:
    """Return a string, or an array of parts if a part has the form of a dialect."""
    text = ""
    for part in wording:
        if type(part) is not ir.Text or part.extra is not None:
            return content(wording)
        text += part.text
    return text


def annotations_of(wording: list[Any]) -> list[Object]:
    """Return citations with their span in the whole text, in characters (CIT-1)."""
    notes: list[Object] = []
    offset = 0
    for part in wording:
        if type(part) is ir.Text:
            notes += [annotation(citation, offset, len(part.text)) for citation in part.citations or ()]
            offset += len(part.text)
    return notes


def annotation(citation: ir.Citation, offset: int, length: int) -> Object:
    """Return a citation of a text of this length, which begins at `offset` in the whole text."""
    if isinstance(citation, ir.SourceCitation):
        return citation.raw
    assert isinstance(citation, ir.UrlCitation)  # the table lets no others through
    cited = {
        "url": citation.url,
        "title": citation.title or "",
        "start_index": offset + (citation.start or 0),
        "end_index": offset + (length if citation.end is None else citation.end),
    }
    built: Object = {"type": "url_citation", "url_citation": cited}
    return with_extra(built, citation)


USAGE = ObjectWriter(objects.USAGE)


def finish_reason(candidate: ir.Candidate) -> str | None:
    """Return the finish reason; a refusal without any wording is a filtered response (STS-5)."""
    reason = candidate.terminal.reason
    if reason is ir.REFUSAL and not explanation(candidate.terminal) and not has_wording(candidate):
        reason = ir.CONTENT_FILTER
    return wire.FINISH_OF.get(fitted_reason(reason, candidate.calls))


def has_wording(candidate: ir.Candidate) -> bool:
    """Return whether a response shows any text, its own or a refusal's."""
    return any(part.text for part in candidate.parts if isinstance(part, ir.WORDING))


def explanation(terminal: ir.Terminal) -> str | None:
    """Return a refusal's explanation, which is its wording if the response has none (REF-5)."""
    return terminal.refusal.explanation if terminal.refusal is not None else None


# --- dialects ---------------------------------------------------------------------------------------------------------
# Reasoning under a server's own seals, in the server's own members (RSN-15), set by `reasoning_seals`. The table
# lets through the seals that this server can read; the check below gives them the server's form.

FIELDS = wire.PROVIDER_FIELDS
MEMBERS = "members of the message"
"""The kind of a part whose members the builder adds to the message."""


def in_own_members(root: ir.Request, report: Report, server: Server) -> None:
    """Write reasoning under the server's own seals in the server's form.

    Adjacent messages are joined, and have one seal of Copilot's (RSN-26).
    """
    word = server.reasoning_seals
    if word not in SEALED_BY:
        return
    sealed, spell = made_by(SEALED_BY[word]), SPELT[word]
    for is_assistants, turns in groupby(root.turns or (), lambda turn: turn.role is ir.ASSISTANT):
        answer = list(turns) if is_assistants else []
        own = [part for turn in answer for part in turn.parts if type(part) is ir.Reasoning and sealed(part)]
        for part in own[1:] if word == "copilot" else ():
            report.at("RSN-26", part)
            part.seal = None
        for turn in answer if own else ():
            turn.parts = [spell(part) if type(part) is ir.Reasoning else part for part in turn.parts]


def in_litellms_members(root: ir.Request, report: Report, server: Server) -> None:
    """Write Google's signatures where LiteLLM has them, whose servers read them there (RSN-4)."""
    if server.reasoning_seals != "litellm":
        return
    for turn in root.turns or ():
        for part in [*turn.parts]:
            seal: ir.Seal | None = getattr(part, "seal", None)
            if seal is not None and (seal.provider, seal.kind) == wire.GOOGLES:
                _sign_for_litellm(turn, part, seal_text(seal, wire.GOOGLES[0]))


def _sign_for_litellm(turn: ir.Turn, part: Any, text: str) -> None:
    """Move the signature of a call into the call's own member, and that of other parts into the message's."""
    part.seal = None
    if isinstance(part, ir.CALLS):
        part.extra = ir.Extra({FIELDS: {wire.SIGNATURE: text}})
        return
    if type(part) is ir.Reasoning and not part.text:
        turn.parts.remove(part)
    turn.parts.append(ir.VendorPart(MEMBERS, {FIELDS: {wire.SIGNATURES: [text]}}, part.src))


def _copilot(part: ir.Reasoning) -> ir.Part:
    """Return the part for Copilot's members: text without a seal is joined to the text with one."""
    if part.seal is not None and part.seal.provider != "copilot":
        return part
    members = {"reasoning_text": part.text or None, "reasoning_opaque": part.seal and part.seal.data}
    return ir.VendorPart(MEMBERS, {name: value for name, value in members.items() if value is not None}, part.src)


def _databricks(part: ir.Reasoning) -> ir.Part:
    if part.seal is None or part.seal.provider != "databricks":
        return part
    summary = {"type": "summary_text", "text": part.text or "", "signature": part.seal.data}
    return ir.UnknownPart("reasoning", {"type": "reasoning", "summary": [summary]}, part.src)


def _litellm(part: ir.Reasoning) -> ir.Part:
    if part.seal is None or part.seal.provider != "anthropic":
        return part
    block = {"type": "redacted_thinking", "data": part.seal.data}
    if part.seal.kind == "signature":
        block = {"type": "thinking", "thinking": part.text or "", "signature": part.seal.data}
    return ir.VendorPart(MEMBERS, {"thinking_blocks": [block]}, part.src)


def _mistral(part: ir.Reasoning) -> ir.Part:
    if part.seal is None or part.seal.provider != wire.MISTRAL:
        return part
    pieces = [{"type": "text", "text": part.text}] if part.text else []
    thinking = {"type": "thinking", "thinking": pieces, "signature": part.seal.data}
    return ir.UnknownPart("thinking", thinking, part.src)


SPELT: dict[str, Callable[[ir.Reasoning], ir.Part]] = {
    "copilot": _copilot,
    "databricks": _databricks,
    "litellm": _litellm,
    wire.MISTRAL: _mistral,
}
