"""Attributes of OpenTelemetry's GenAI conventions, from any request with its response.

Sources: the JSON schemas of `gen_ai.input.messages`, `gen_ai.output.messages`, `gen_ai.system_instructions` and
`gen_ai.tool.definitions` (semantic-conventions-genai 0.1), and the registry of attributes. Rule: a part has the members
that the schema of its type declares and no others; what they cannot hold is reported (EXP-1, EXP-2, EXP-5, EXP-6).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import attrs

from .. import ir
from ..conversion.conversion import Conversion
from ..conversion.options import new_report, quotes
from ..conversion.profile import Profile
from ..ir.error import Error
from ..ir.request import Request, Role, Turn
from ..ir.response import Candidate, FinishReason, Response, StopReason
from ..ir.tools import CustomTool, FunctionTool, WebSearchTool
from ..protocol.registry import backend, frontend
from ..reporting.diagnostics import InvalidPayload, Unrepresentable, refused_as, render
from ..reporting.report import Report
from .pairs import BOOKKEEPING, note_facts, note_fields, note_settings, note_unknown, read_pair

Json = Any
Object = dict[str, Any]

NAME = "telemetry"
INSTRUCTIONS, INPUT, OUTPUT = "gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages"
TOOLS, REASONS = "gen_ai.tool.definitions", "gen_ai.response.finish_reasons"
OPERATION, PROVIDER, ERROR = "gen_ai.operation.name", "gen_ai.provider.name", "error.type"
STREAM, FORM = "gen_ai.request.stream", "gen_ai.output.type"
REQUEST = {
    "model": "gen_ai.request.model",
    "max_tokens": "gen_ai.request.max_tokens",
}
SAMPLING = {
    "temperature": "gen_ai.request.temperature",
    "top_p": "gen_ai.request.top_p",
    "top_k": "gen_ai.request.top_k",
    "stop": "gen_ai.request.stop_sequences",
    "seed": "gen_ai.request.seed",
    "frequency_penalty": "gen_ai.request.frequency_penalty",
    "presence_penalty": "gen_ai.request.presence_penalty",
    "candidates": "gen_ai.request.choice.count",
}
RESPONSE = {"id": "gen_ai.response.id", "model": "gen_ai.response.model"}
USAGE = {
    "all_input": "gen_ai.usage.input_tokens",
    "all_output": "gen_ai.usage.output_tokens",
    "cache_read": "gen_ai.usage.cache_read.input_tokens",
    "cache_write": "gen_ai.usage.cache_creation.input_tokens",
    "reasoning": "gen_ai.usage.reasoning.output_tokens",
}
KNOWN_ATTRIBUTES = {INSTRUCTIONS, INPUT, OUTPUT, TOOLS, REASONS, OPERATION, PROVIDER, ERROR, STREAM, FORM}
KNOWN_ATTRIBUTES.update(*(table.values() for table in (REQUEST, SAMPLING, RESPONSE, USAGE)))
COUNTED = ("input", "cache_read", "cache_write", "output", "reasoning", "total")
FINISH = {
    FinishReason.STOP: "stop",
    FinishReason.LENGTH: "length",
    FinishReason.CONTENT_FILTER: "content_filter",
    FinishReason.TOOL_CALLS: "tool_call",
    FinishReason.REFUSAL: "refusal",
}
"""The schema's words, and one for a refusal: the schema has none, but accepts others."""
EXACT = (StopReason.END, StopReason.LENGTH, StopReason.CONTENT_FILTER, StopReason.TOOL_CALLS, StopReason.REFUSAL)
CHAT = "chat"
"""The operation of every exchange."""
FORMS: dict[type, str] = {ir.PlainFormat: "text", ir.JsonFormat: "json", ir.SchemaFormat: "json"}
MODALITIES: dict[type, str] = {ir.Image: "image", ir.Audio: "audio", ir.Video: "video", ir.Document: "document"}


def to_telemetry(
    pair: Json, src: str | Profile, *, strict: bool = False, accept: tuple[str, ...] = (), quote_values: bool = True
) -> Conversion[Any]:
    """Return the attributes of `{"request": …, "response": …}`, both payloads of `src`, or of a request alone.

    Instructions at the beginning of a conversation become `gen_ai.system_instructions`, later ones messages. The
    options are those of `convert`; diagnostics point into the pair. Raises InvalidPayload, and Unrepresentable in
    strict mode.
    """
    front = frontend(src)
    options = {"strict": strict, "accept": accept, "quote_values": quote_values}
    with refused_as(Unrepresentable, pair, quotes(options)):
        with refused_as(InvalidPayload, pair, quotes(options)):
            request, response = read_pair(pair, front)
        report = new_report(front, backend(src), options)
        note_unknown(report, pair, {"request": request, "response": response})
        provider = None if (http := backend(src).http) is None else http.telemetry
        made = {OPERATION: CHAT, **({} if provider is None else {PROVIDER: provider}), **_request(request, report)}
        if isinstance(response, Error):
            made |= _failure(response, report)
        elif response is not None:
            made |= _response(response, report)
        report.stop()
        diagnostics = render(report.records, pair, quote_values=quote_values)
        return Conversion(made, "telemetry", front.protocol, NAME, found=diagnostics)


def _request(request: Request, report: Report) -> Object:
    form = None if request.output is None else request.output.format
    held: tuple[str, ...] = ("stream", *(("format",) if isinstance(form, (ir.PlainFormat, ir.JsonFormat)) else ()))
    note_settings(report, request, ("turns", "tools", *held, *REQUEST, *SAMPLING))
    made = {name: value for field, name in REQUEST.items() if (value := getattr(request, field)) is not None}
    if request.sampling is not None:
        sampling = request.sampling
        made |= {name: value for field, name in SAMPLING.items() if (value := getattr(sampling, field)) is not None}
    if request.streaming is not None and request.streaming.stream:
        made[STREAM] = True
    if type(form) in FORMS:
        made[FORM] = FORMS[type(form)]
    if form is not None and form.extra is not None:
        report.extra_fields(form)
    turns = list(request.turns or ())
    instructions: list[Object] = []
    while turns and turns[0].role in (Role.SYSTEM, Role.DEVELOPER) and turns[0].name is None and _is_text(turns[0]):
        instructions += _message(turns.pop(0), report)["parts"]
    if instructions:
        made[INSTRUCTIONS] = instructions
    made[INPUT] = [_message(turn, report) for turn in turns]
    if request.tools:
        made[TOOLS] = [tool for one in request.tools if (tool := _tool(one, report)) is not None]
    return made


def _is_text(turn: Turn) -> bool:
    return all(type(part) is ir.Text for part in turn.parts)


def _failure(error: Error, report: Report) -> Object:
    """Return the word for an error: the provider's own, or else its category."""
    note_fields(report, "EXP-1", error, ("category", "type", "verbatim"))
    return {ERROR: error.type or error.category.value}


def _response(response: Response, report: Report) -> Object:
    note_facts(report, response, ("id", "model", "usage", "terminal"))
    made = {name: value for field, name in RESPONSE.items() if (value := getattr(response, field)) is not None}
    usage = response.usage
    if usage is not None:
        note_fields(report, "EXP-1", usage, COUNTED)
        stated = {"all_input": usage.input, "all_output": usage.output}
        for field, name in USAGE.items():
            if stated.get(field, getattr(usage, field)) is not None:
                made[name] = getattr(usage, field)
    messages = made[OUTPUT] = [_output(candidate, report) for candidate in response.candidates]
    reasons = [message["finish_reason"] for message in messages if "finish_reason" in message]
    if reasons:
        made[REASONS] = reasons
    return made


def _output(candidate: Candidate, report: Report) -> Object:
    made: Object = {"role": "assistant", "parts": []}
    for turn in candidate.turns:
        made["parts"] += _message(turn, report)["parts"]
    terminal = candidate.terminal
    note_fields(report, "EXP-1", terminal, ("reason", "raw"))
    reason = FINISH.get(candidate.normalised, terminal.raw)
    if reason is not None:
        made["finish_reason"] = reason
    if candidate.normalised in FINISH and terminal.reason not in EXACT:
        report.at("EXP-6", terminal, "reason")
    return made


def _message(turn: Turn, report: Report) -> Object:
    if turn.extra is not None:
        report.extra_fields(turn)
    made: Object = {"role": turn.role.value, "parts": _parts(turn.parts, report)}
    if turn.name is not None:
        made["name"] = turn.name
    return made


def _parts(parts: list[ir.Part], report: Report) -> list[Object]:
    return [made for part in parts if (made := _part(part, report)) is not None]


# --- parts ------------------------------------------------------------------------------------------------------------

Written = tuple[Object | None, tuple[str, ...]]
"""A part of the schema, or None if it has none, and the fields of the node that it holds."""


def _part(part: Any, report: Report) -> Object | None:
    write = WRITERS.get(type(part))
    made, held = write(part, report) if write is not None else (None, ())
    if made is None:
        report.at("EXP-5", part)
        return None
    if part.extra is not None:
        report.extra_fields(part)
    for one in attrs.fields(type(part)):
        field = one.name
        if field in BOOKKEEPING or field in held or getattr(part, field) is None:
            continue
        if field == "cache":
            report.at("CAC-4", part.cache)
        else:
            report.at("EXP-5", part, field)
    return made


def _text(part: ir.Text, _report: Report) -> Written:
    return {"type": "text", "content": part.text}, ("text",)


def _refusal(part: ir.Refusal, report: Report) -> Written:
    report.at("EXP-6", part)
    return {"type": "text", "content": part.text}, ("text",)


def _reasoning(part: ir.Reasoning, _report: Report) -> Written:
    return (None, ()) if part.text is None else ({"type": "reasoning", "content": part.text}, ("text",))


def _media(part: Any, report: Report) -> Written:
    made: Object = {"type": "", "modality": MODALITIES[type(part)]}
    source = part.source
    mime = getattr(source, "mime", None)
    if mime is not None:
        made["mime_type"] = mime
    if isinstance(source, ir.Inline):
        made |= {"type": "blob", "content": source.data}
    elif isinstance(source, ir.PlainText):
        made |= {"type": "blob", "content": base64.b64encode(source.text.encode("utf-8", "surrogatepass")).decode()}
    elif isinstance(source, ir.Url):
        made |= {"type": "uri", "uri": source.url}
    elif isinstance(source, ir.FileRef):
        made |= {"type": "file", "file_id": source.id}
    else:
        return None, ()
    if source.extra is not None:
        report.extra_fields(source)
    if getattr(part, "transcript", None) is not None:
        made["transcript"] = part.transcript
    return made, ("source", "transcript")


def _call(part: ir.FunctionCall, _report: Report) -> Written:
    made: Object = {"type": "tool_call", "name": part.name, "arguments": _arguments(part.arguments)}
    if part.id is not None:
        made["id"] = part.id
    return made, ("id", "name", "arguments")


def _arguments(given: str | Object) -> Json:
    """Return arguments as an object, as the conventions show them, if the text is one."""
    if isinstance(given, str):
        try:
            parsed = json.loads(given, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            return given
        return parsed if isinstance(parsed, dict) else given
    return given


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _custom_call(part: ir.CustomCall, report: Report) -> Written:
    report.at("EXP-6", part)
    return {"type": "tool_call", "id": part.id, "name": part.name, "arguments": part.input}, ("id", "name", "input")


def _result(part: ir.ToolResult, report: Report) -> Written:
    """Return the part of a result, with one text as it is, or a list of parts."""
    parts = part.parts
    text = parts[0].text if len(parts) == 1 and type(parts[0]) is ir.Text and ir.one_text(parts) else None
    response = text if text is not None else _parts(parts, report)
    if part.name is not None:
        report.at("ENV-1", part, "name")  # its call has it
    held = ("call_id", "parts", "name") if part.is_error is not False else ("call_id", "parts", "name", "is_error")
    return {"type": "tool_call_response", "id": part.call_id, "response": response}, held


def _ran(part: Any, name: str, call: Object, *held: str) -> Written:
    """Return the part of a call that the provider ran itself."""
    return {"type": "server_tool_call", "id": part.id, "name": name, "server_tool_call": call}, ("id", *held)


def _gave(part: Any, response: Object, *held: str) -> Written:
    """Return the part of the result of such a call."""
    made = {"type": "server_tool_call_response", "id": part.call_id, "server_tool_call_response": response}
    return made, ("call_id", *held)


def _search(part: ir.WebSearchCall, _report: Report) -> Written:
    call: Object = {"type": "web_search", "queries": part.queries}
    if part.page is not None:
        call["page"] = part.page
    return _ran(part, "web_search", call, "queries", "page")


def _hits(part: ir.WebSearchResult, report: Report) -> Written:
    for hit in part.hits:
        note_fields(report, "EXP-5", hit, ("url", "title"))
    hits = [{"url": hit.url, **({"title": hit.title} if hit.title is not None else {})} for hit in part.hits]
    error = {} if part.error is None else {"error": part.error}
    return _gave(part, {"type": "web_search", "results": hits, **error}, "hits", "error")


def _mcp_call(part: ir.McpCall, _report: Report) -> Written:
    call = {"type": "mcp", "server": part.server, "arguments": _arguments(part.arguments)}
    return _ran(part, part.name, call, "server", "name", "arguments")


def _mcp_result(part: ir.McpResult, _report: Report) -> Written:
    return _gave(part, {"type": "mcp", "output": part.text}, "text")


def _hosted(part: ir.HostedCall, _report: Report) -> Written:
    return _ran(part, part.kind, {**part.raw, "type": part.kind}, "kind", "raw")


def _hosted_result(part: ir.HostedResult, _report: Report) -> Written:
    return _gave(part, {**part.raw, "type": part.kind}, "kind", "raw")


WRITERS: dict[type, Callable[[Any, Report], Written]] = {
    ir.Text: _text,
    ir.Refusal: _refusal,
    ir.Reasoning: _reasoning,
    ir.Image: _media,
    ir.Audio: _media,
    ir.Video: _media,
    ir.Document: _media,
    ir.FunctionCall: _call,
    ir.CustomCall: _custom_call,
    ir.ToolResult: _result,
    ir.WebSearchCall: _search,
    ir.WebSearchResult: _hits,
    ir.McpCall: _mcp_call,
    ir.McpResult: _mcp_result,
    ir.HostedCall: _hosted,
    ir.HostedResult: _hosted_result,
}


def _tool(tool: Any, report: Report) -> Object | None:
    """Return a function, a custom tool or a web search; report any other tool and return None."""
    if isinstance(tool, FunctionTool):
        made: Object = {"type": "function", "name": tool.name}
        held: tuple[str, ...] = ("name", "description", "parameters")
        made |= {name: getattr(tool, name) for name in held[1:] if getattr(tool, name) is not None}
    elif isinstance(tool, CustomTool):
        made, held = {"type": "custom", "name": tool.name, "description": tool.description}, ("name", "description")
    elif isinstance(tool, WebSearchTool):
        made, held = {"type": "web_search", "name": "web_search"}, ()
    else:
        report.at("EXP-5", tool)
        return None
    note_fields(report, "EXP-5", tool, (*held, "cache"))
    cache = getattr(tool, "cache", None)
    if cache is not None:
        report.at("CAC-4", cache)
    return {name: value for name, value in made.items() if value is not None}
