"""Lines of OpenAI's files for supervised fine-tuning of chat models, from any request with its response, and back.

Sources: OpenAI's API reference, "Training format for chat models using the supervised method": `messages`, `tools` and
`parallel_tool_calls`; messages hold text and images only; there is no developer message; `weight` of an assistant
message is 0 or 1. Rule: the conversation is converted as the history of a Chat Completions request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve

from ..api import compile
from ..conversion.conversion import Conversion
from ..conversion.directions import bound
from ..conversion.options import around, new_report, quotes
from ..conversion.profile import Profile, protocol_of
from ..ir.parts import CALLS, Audio, Document, Reasoning, Text, ToolResult, Video
from ..ir.request import Request, Role, Turn
from ..json.types import found
from ..reporting.diagnostics import InvalidPayload, Record, Refusal, Unrepresentable, refused_as, render
from ..reporting.report import Report
from .pairs import note_facts, note_settings, note_unknown, only_candidate, read_pair

Json = Any
NAME = "fine_tuning"
CHAT = "openai_chat_completions"
MEMBERS = ("messages", "tools", "parallel_tool_calls")
KEPT = ("turns", "tools", "parallel_tools")
MESSAGE = ("role", "content", "name", "refusal", "tool_calls", "function_call", "tool_call_id")
UNNAMED = "none"
"""The model of a request that names none, while it is converted; the line has no model."""
TRAIN = ("response", "all")


def compile_example(pair: Json, src: str | Profile, *, train: str = "response", **options: Any) -> Conversion[Any]:
    """Return the training line of `{"request": …, "response": …}`, both payloads of `src`.

    train    "response": only the response is trained, and earlier assistant messages get `weight` 0; "all": all are
    options  those of `convert` towards Chat Completions

    Diagnostics point into the pair.

    Raises InvalidPayload, Unrepresentable and TypeError as `convert` does.
    """
    if train not in TRAIN:
        raise TypeError(f"argument 'train' is {train!r:.80}; expected one of {', '.join(TRAIN)}")
    way, known = bound(src, CHAT, options)
    front = way.front
    assert front is not None  # as `src` is a protocol
    with refused_as(Unrepresentable, pair, quotes(options)):
        with refused_as(InvalidPayload, pair, quotes(options)):
            request, response = read_pair(pair, front)
        report = new_report(front, way.back, known)
        note_unknown(report, pair, request, response)
        note_settings(report, request, KEPT)
        note_facts(report, response)
        turns = [*(request.turns or ()), *only_candidate(response, pair).turns]
        _check_media(turns)
        _leave_out(turns, report)
        report.stop()
        turns += (placeholders := _missing_results(turns))
        shown = Request(request.protocol, request.model or UNNAMED, turns, request.tools, src=request.src)
        made, inner = way.write(evolve(shown, parallel_tools=request.parallel_tools), known)
        line = {name: made[name] for name in MEMBERS if name in made}
        messages = line["messages"][: len(line["messages"]) - len(placeholders)]
        line["messages"] = [*_trained(messages, train)]
        records = [*report.records, *inner.records]
        diagnostics = render(records, pair, quote_values=quotes(options))
        return Conversion(line, "example", front.protocol, NAME, found=diagnostics, stated=(inner.state, {}, {}))


def _check_media(turns: list[Turn]) -> None:
    """Refuse media that a line cannot hold: without what the response rests on, a line trains nonsense (EXP-3)."""
    for turn in turns:
        for part in turn.parts:
            for one in (part, *part.parts) if isinstance(part, ToolResult) else (part,):
                if isinstance(one, (Audio, Document, Video)):
                    raise Refusal("EXP-3", one.src if isinstance(one.src, tuple) else (one.src,))


def _leave_out(turns: list[Turn], report: Report) -> None:
    """Remove reasoning, and report it with the members that a server adds to messages: no line holds them."""
    for turn in turns:
        if turn.extra is not None:
            report.extra_fields(turn)
        reasoning = [part for part in turn.parts if isinstance(part, Reasoning)]
        if reasoning:
            turn.parts = [part for part in turn.parts if not isinstance(part, Reasoning)]
            for part in reasoning:
                report.at("EXP-5", part)


def _missing_results(turns: list[Turn]) -> list[Turn]:
    """Return results for the calls at the end of a conversation, without which no history converts (TUL-10).

    A training line may lack them, so that the caller cuts them off again.
    """
    done = {part.call_id for turn in turns for part in turn.parts if isinstance(part, ToolResult)}
    last = [part for turn in turns for part in turn.parts if isinstance(part, CALLS) and part.id is not None]
    waiting = [call.id for call in last if call.id not in done]
    return [Turn(Role.TOOL, [ToolResult(call_id, [Text("")])]) for call_id in waiting if call_id]


def _trained(messages: list[Json], train: str) -> Iterator[Json]:
    last = len(messages) - 1
    for index, given in enumerate(messages):
        message = {name: value for name, value in given.items() if name in MESSAGE}
        if message["role"] == "developer":  # the name of system messages for newer models
            message["role"] = "system"
        if message["role"] == "assistant" and index < last and train == "response":
            message["weight"] = 0
        yield message


def compile_request(line: Json, dst: str | Profile, **options: Any) -> Conversion[Any]:
    """Return the request of a training line: all messages before the last one, which is the response that it trains.

    A line names no model, which the option `model` does. Raises as `convert` does; diagnostics point into the line.
    """
    quote = quotes(options)
    if not isinstance(line, dict) or not isinstance(line.get("messages"), list):
        what = "expected an object with a list of `messages`"
        raise InvalidPayload(render([("SHP-1", None, what)], line, refused=True, quote_values=quote))
    messages, records = line["messages"], _unsupported(line)
    if messages and isinstance(messages[-1], dict) and messages[-1].get("role") == "assistant":
        records.append(("EXP-4", (messages, len(messages) - 1), ""))
        messages = messages[:-1]
    kept = {name: line[name] for name in (*MEMBERS, "functions") if name in line}
    found_before = around(records, line, options)
    model = {"model": options["model"]} if options.get("model") is not None else {}
    unweighted = [
        {name: value for name, value in one.items() if name != "weight"} if isinstance(one, dict) else one
        for one in messages
    ]
    payload = {**model, **kept, "messages": unweighted}
    done = compile(payload, CHAT, dst, kind="request", **options)
    return done.placed(done.output, done.kind, (*found_before, *done.diagnostics), NAME, protocol_of(dst))


def _unsupported(line: Mapping[str, Json]) -> list[Record]:
    """Return records of a line's unknown members and weights. Raises InvalidPayload for a wrong weight."""
    known = (*MEMBERS, "functions")
    records: list[Record] = [
        ("UNK-1", (line, name), "") for name in line if name not in known and line[name] is not None
    ]
    for message in line["messages"]:
        if isinstance(message, dict) and message.get("weight") is not None:
            if message["weight"] not in (0, 1) or isinstance(message["weight"], bool):
                what = f"expected 0 or 1, found {found(message['weight'])}"
                refusal = Refusal("SHP-3", (message, "weight"), what)
                raise InvalidPayload(refusal.taken(line))
            records.append(("EXP-1", (message, "weight"), ""))
    return records
