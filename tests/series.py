"""Payloads and streams of as many elements as asked for: series whose work must grow no faster than their size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import proxai_ir
from proxai_ir import StreamConverter, TranslationError, sse
from proxai_ir.wire.gemini_interactions import ANNOTATED

from .samples.anthropic_messages import building as anthropic
from .samples.cohere_v2_chat import building as cohere
from .samples.gemini_interactions import building as interactions
from .samples.openai_chat_completions import building as chat
from .samples.openai_responses import building as responses
from .samples.sample import Events, Json

CHAT, ANTHROPIC, RESPONSES = "openai_chat_completions", "anthropic_messages", "openai_responses"
INTERACTIONS, COHERE, CONVERSE = "gemini_interactions", "cohere_v2_chat", "bedrock_converse"
HELLO = chat.user("Hi")
Run = Callable[[], Any]


def compiling(payload: Any, src: str, dst: str, **options: Any) -> Run:
    """Converts, and reads all that was found, as the text of an error too."""

    def run() -> None:
        try:
            assert proxai_ir.compile(payload, src, dst, **options).diagnostics is not None
        except TranslationError as error:
            assert str(error)

    return run


def streaming(events: Events, src: str, dst: str) -> Run:
    def run() -> None:
        converter = StreamConverter(src, dst)
        for event in events:
            converter.feed(event)
        converter.close()
        assert converter.diagnostics is not None

    return run


# --- payloads ---------------------------------------------------------------------------------------------------------


def consecutive_calls(count: int) -> Json:
    """Assistant turns with a call each, one after another, then all results."""
    turns = [chat.assistant(tool_calls=[chat.call("f", "{}", f"c{number}")]) for number in range(count)]
    return chat.request(HELLO, *turns, *(chat.result("r", f"c{number}") for number in range(count)))


def exchanges(count: int) -> Json:
    turns: list[Json] = []
    for number in range(count):
        turns += [chat.assistant(tool_calls=[chat.call("f", "{}", f"c{number}")]), chat.result("r", f"c{number}")]
    return chat.request(HELLO, *turns)


def unknown_members(count: int) -> Json:
    return {f"zz{number}": {"a": number} for number in range(count)}


def long_keys(count: int) -> Json:
    """Unknown members with long names, in messages of which a finding has to tell where they are."""
    return chat.request(*({**HELLO, "z" * 2_000: number} for number in range(count)))


def schema(count: int) -> Json:
    """A long name over many members of a schema that one target cannot enforce."""
    members = {f"p{number}": {"type": "string", "minLength": 3} for number in range(count)}
    whole = {"type": "object", "properties": {"k" * 5_000: {"type": "object", "properties": members}}}
    form = {"type": "json_schema", "json_schema": {"name": "x", "strict": True, "schema": whole}}
    return chat.request(HELLO, response_format=form)


def long_words(count: int) -> Json:
    """Results of calls that there are not, each with a long id."""
    return chat.request(HELLO, *(chat.result("r", f"{number}" + "x" * 200) for number in range(count)))


def cited(count: int) -> Json:
    note = {"type": "web_search_result_location", "url": "https://a.b", "cited_text": "x", "encrypted_index": "e"}
    return anthropic.response(*({**chat.text("x"), "citations": [note | {"title": "t"}]} for _ in range(count)))


PIECE = "\u00e9\u4e16 "
"""Text of several bytes a character, as some citations count bytes."""


def page(number: int) -> Json:
    """A citation of one piece of a text, in the bytes of Interactions."""
    size = len(PIECE.encode())
    span = {"start_index": size * number, "end_index": size * (number + 1)}
    return {"type": "url_citation", "url": "https://a.test", **span}


def cited_pieces(count: int) -> Json:
    pages = [page(number) for number in range(count)]
    return interactions.response(interactions.model({**chat.text(PIECE * count), "annotations": pages}))


def pieces_of_chat(count: int) -> Json:
    spans = [{"start_index": 3 * number, "end_index": 3 * number + 2} for number in range(count)]
    cited = [{"type": "url_citation", "url_citation": {"url": "https://a.test", "title": "A", **one}} for one in spans]
    return chat.response(content=PIECE * count, annotations=cited)


def documents(count: int) -> Json:
    """Documents without a name."""
    return cohere.request(HELLO, documents=[{"data": {"text": "x"}} for _ in range(count)])


def repeated_refusals(count: int) -> Json:
    """Texts that each repeat the wording of the refusal beside them."""
    return responses.response(*(responses.message(responses.output_text("No.")) for _ in range(count)), REFUSED)


REFUSED = responses.message({"type": "refusal", "refusal": "No."})


# --- streams ----------------------------------------------------------------------------------------------------------


def blocks(count: int, **unknown: Any) -> Events:
    message = {**anthropic.response(), "content": [], "stop_reason": None}
    events: Events = [{"type": "message_start", "message": message}]
    for index in range(count):
        events += [
            {"type": "content_block_start", "index": index, "content_block": {**chat.text(""), **unknown}},
            {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": "x"}},
            {"type": "content_block_stop", "index": index},
        ]
    ended = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}
    return [*events, ended, {"type": "message_stop"}]


def open_calls(count: int) -> Events:
    """Calls that are all open before any of them grows."""
    begun = [chat.chunk(chat.calls(chat.fragment(number, "{", f"c{number}", "f"))) for number in range(count)]
    grown = [chat.chunk(chat.calls(chat.fragment(number, "}"))) for number in range(count)]
    return [chat.chunk({"role": "assistant"}), *begun, *grown, chat.chunk({}, "tool_calls"), "[DONE]"]


def candidates(count: int) -> Events:
    events: Events = []
    for delta, finish in (({"role": "assistant", "content": "x"}, None), ({}, "stop")):
        for number in range(count):
            chunk = chat.chunk(delta, finish)
            chunk["choices"][0]["index"] = number
            events.append(chunk)
    return [*events, "[DONE]"]


def cited_as_it_grows(count: int) -> Events:
    """A citation after each piece of a text."""
    deltas: list[Json] = []
    for number in range(count):
        deltas += [chat.text(PIECE), {"type": ANNOTATED, "annotations": [page(number)]}]
    return interactions.stream(interactions.step({"type": "model_output"}, *deltas))


def calls_in_one_event(count: int) -> Events:
    """Each call has a finding of its own."""
    begun = chat.calls(*({**chat.fragment(number, "{}", f"c{number}", "f"), "zz": 1} for number in range(count)))
    return [chat.chunk({"role": "assistant"}), chat.chunk(begun), chat.chunk({}, "tool_calls"), "[DONE]"]


def items(count: int) -> Events:
    begun = {"id": "r", "object": "response", "created_at": 1, "status": "in_progress", "model": "m", "output": []}
    events: Events = [{"type": "response.created", "response": begun}]
    output: list[Json] = []
    for index in range(count):
        where = {"output_index": index, "item_id": f"i{index}"}
        item: Json = {"id": f"i{index}", "type": "function_call", "call_id": f"c{index}", "name": "f", "arguments": ""}
        item["zz"] = 1
        done = {**item, "arguments": "{}", "status": "completed"}
        events += [
            {"type": "response.output_item.added", "output_index": index, "item": item},
            {"type": "response.function_call_arguments.delta", **where, "delta": "{}"},
            {"type": "response.function_call_arguments.done", **where, "arguments": "{}"},
            {"type": "response.output_item.done", "output_index": index, "item": done},
        ]
        output.append(done)
    return [*events, {"type": "response.completed", "response": {**begun, "status": "completed", "output": output}}]


# --- bytes ------------------------------------------------------------------------------------------------------------


def unfinished_line(count: int) -> Run:
    """One event that comes in pieces of two bytes."""

    def run() -> None:
        decoder = sse.Decoder()
        decoder.feed(b'data: "')
        for _ in range(count):
            decoder.feed(b"xx")
        assert decoder.feed(b'"\n\n') == ["xx" * count]

    return run


def one_chunk(count: int) -> Run:
    """Many events at once, with lines of other kinds between them."""
    data = b': a comment\nevent: x\r\ndata: {"a":\ndata: 1}\n\n' * count
    return lambda: len(sse.Decoder().feed(data)) == count


# --- tools ------------------------------------------------------------------------------------------------------------


def named_oddly(count: int) -> Json:
    return chat.request(HELLO, tools=[chat.tool(f"a b{number}") for number in range(count)])


def namespaces(count: int) -> Json:
    """One name in many namespaces, which the choice allows as often."""
    spaces = [{"type": "namespace", "name": f"n{number}", "tools": [responses.tool("f")]} for number in range(count)]
    allowed = {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}] * count}
    return responses.request(HELLO, tools=spaces, tool_choice=allowed)


def late_results(count: int) -> Json:
    called: list[Json] = []
    for number in range(count):
        called += [responses.call("f", "{}", f"c{number}"), HELLO]
    results = [responses.result("r", f"c{number}") for number in range(count)]
    return responses.request(HELLO, *called, responses.message(responses.output_text("Done")), *results)


def broken_calls(count: int) -> Json:
    """Every other call cannot be parsed, all have one id and no result."""
    turns: list[Json] = []
    for number in range(count):
        turns += [chat.assistant(tool_calls=[chat.call("f", "{" if number % 2 else "{}")]), HELLO]
    return chat.request(HELLO, *turns)


def shell_calls(count: int) -> Json:
    ran: list[Json] = []
    for number in range(count):
        ran.append({"type": "shell_call", "call_id": f"c{number}", "action": {"commands": ["ls"]}})
        ran.append({"type": "shell_call_output", "call_id": f"c{number}", "output": []})
    return responses.request(HELLO, *ran, tools=[{"type": "shell"}] * count)


SERIES: dict[str, Callable[[int], Run]] = {
    "odd names": lambda count: compiling(named_oddly(count), CHAT, ANTHROPIC),
    "namespaces": lambda count: compiling(namespaces(count), RESPONSES, CHAT),
    "late results": lambda count: compiling(late_results(count), RESPONSES, CHAT),
    "broken calls": lambda count: compiling(broken_calls(count), CHAT, ANTHROPIC, repair=("calls",)),
    "shell calls": lambda count: compiling(shell_calls(count), RESPONSES, CHAT, emulate="auto"),
    "consecutive calls": lambda count: compiling(consecutive_calls(count), CHAT, ANTHROPIC),
    "exchanges": lambda count: compiling(exchanges(count), CHAT, ANTHROPIC),
    "unknown members of Chat Completions": lambda count: compiling(
        chat.request(HELLO) | unknown_members(count), CHAT, ANTHROPIC
    ),
    "unknown members of Anthropic Messages": lambda count: compiling(
        anthropic.request(HELLO) | unknown_members(count), ANTHROPIC, CHAT
    ),
    "unknown members of Responses": lambda count: compiling(
        responses.request(HELLO) | unknown_members(count), RESPONSES, ANTHROPIC
    ),
    "long keys": lambda count: compiling(long_keys(count), CHAT, ANTHROPIC),
    "a schema": lambda count: compiling(schema(count), CHAT, ANTHROPIC),
    "long words": lambda count: compiling(long_words(count), CHAT, ANTHROPIC),
    "refusals": lambda count: compiling(chat.request(*(chat.user(5) for _ in range(count))), CHAT, ANTHROPIC),
    "citations": lambda count: compiling(cited(count), ANTHROPIC, RESPONSES),
    "cited pieces of Interactions": lambda count: compiling(cited_pieces(count), INTERACTIONS, CHAT),
    "cited pieces to Interactions": lambda count: compiling(pieces_of_chat(count), CHAT, INTERACTIONS),
    "a text that is cited as it grows": lambda count: streaming(cited_as_it_grows(count), INTERACTIONS, CHAT),
    "documents without names": lambda count: compiling(documents(count), COHERE, CONVERSE),
    "repeated refusals": lambda count: compiling(repeated_refusals(count), RESPONSES, CHAT),
    "calls in one event": lambda count: streaming(calls_in_one_event(count), CHAT, ANTHROPIC),
    "blocks to Chat Completions": lambda count: streaming(blocks(count), ANTHROPIC, CHAT),
    "blocks to Responses": lambda count: streaming(blocks(count), ANTHROPIC, RESPONSES),
    "blocks with unknown members to Chat Completions": lambda count: streaming(blocks(count, zz=1), ANTHROPIC, CHAT),
    "blocks with unknown members to Responses": lambda count: streaming(blocks(count, zz=1), ANTHROPIC, RESPONSES),
    "open calls to Anthropic Messages": lambda count: streaming(open_calls(count), CHAT, ANTHROPIC),
    "open calls to Responses": lambda count: streaming(open_calls(count), CHAT, RESPONSES),
    "open calls": lambda count: streaming(open_calls(count), CHAT, CHAT),
    "candidates": lambda count: streaming(candidates(count), CHAT, CHAT),
    "items to Chat Completions": lambda count: streaming(items(count), RESPONSES, CHAT),
    "items to Anthropic Messages": lambda count: streaming(items(count), RESPONSES, ANTHROPIC),
    "an unfinished line": unfinished_line,
    "one chunk of many events": one_chunk,
}
