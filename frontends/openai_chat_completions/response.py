"""A whole Chat Completions answer into the IR: choices, how each ended, usage (USE-1)."""

from __future__ import annotations

from collections.abc import Mapping

from proxai_ir.ir import parts
from proxai_ir.ir.logprobs import LogProbs
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import CONTENT_FILTER, END, FUNCTION_CALL, REFUSAL, UNKNOWN, Terminal
from proxai_ir.ir.turns import Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.vendors.openai import vocabulary as openai
from proxai_ir.vendors.openai.reading import scored_tokens
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import (
    Json,
    Object,
    an_object,
    constant,
    each,
    extra_fields,
    keep,
    missing,
    note_form,
    optional,
    reader,
    required,
    wrong,
)
from .parts import answered_audio, assistant_turn

KNOWN = frozenset(
    {"id", "object", "created", "model", "choices", "usage", "service_tier", "system_fingerprint", "metadata"}
)
read_envelope = reader(id=str, model=str, created=int, system_fingerprint=str, metadata=dict, usage=dict, choices=list)


def lower_response(payload: Object) -> Response:
    """The IR of an answer's body; raises Refusal with everything that is wrong with it."""
    if payload.get("object") != "chat.completion":
        constant(payload, "object", "chat.completion")
    identity, model, created, fingerprint, metadata, usage, choices = read_envelope(payload)
    if choices is None:
        raise missing(payload, "choices")
    response = Response(
        wire.NAME,
        identity,
        model,
        [_choice(choices, 0)] if len(choices) == 1 else _choices(choices),
        None if usage is None else read_usage(usage),
        created,
        None,
        None,
        fingerprint,
        metadata,
        payload,
        None if KNOWN.issuperset(payload) else extra_fields(payload, KNOWN),
    )
    if created is None:
        note_form(response, "no time")
    if "service_tier" in payload:
        chosen_tier(response, payload)
    return response


def chosen_tier(response: Response, payload: Object) -> None:
    word = optional(payload, "service_tier", str)
    if word is None:
        return
    response.tier = openai.TIER.get(word)
    if word == openai.FAST:
        response.fast = True
    elif response.tier is None:
        keep(response, "service_tier", word)


CHOICE_KEYS = frozenset({"index", "message", "finish_reason", "logprobs"})


read_choice = reader(message=dict, index=int, logprobs=dict)


def _choices(choices: list[Json]) -> list[Candidate]:
    return each(range(len(choices)), lambda index: _choice(choices, index))


def _choice(choices: list[Json], index: int) -> Candidate:
    choice = an_object(choices, index)
    message, position, logprobs = read_choice(choice)
    if message is None:
        raise missing(choice, "message")
    if message.get("role") != "assistant":
        constant(message, "role", "assistant")
    if position is not None and position != index:
        raise wrong(choice, "index", f"{index}, its position", "SHP-3")
    turn = assistant_turn(message, answered_audio)
    if message.get("annotations"):
        _annotations(turn, message)
    if type(message.get("content")) is list:
        note_form(turn, "parts")
    if "refusal" not in message:
        note_form(turn, "no refusal")
    extra = None if CHOICE_KEYS.issuperset(choice) else extra_fields(choice, CHOICE_KEYS)
    candidate = Candidate([turn], terminal(choice, turn), None, choice, extra)
    if logprobs is not None:
        if any(logprobs.values()):
            candidate.logprobs = read_logprobs(logprobs)
        else:  # of no token
            keep(candidate, "logprobs", logprobs)
    return candidate


def read_logprobs(logprobs: Object) -> LogProbs:
    """What is not as the official types declare it stays with this protocol."""
    found = LogProbs(scored_tokens(logprobs.get("content")), scored_tokens(logprobs.get("refusal")), logprobs)
    known = {key for key, tokens in (("content", found.text), ("refusal", found.refusal)) if tokens is not None}
    found.extra = extra_fields(logprobs, known)
    return found


def terminal(choice: Object, turn: Turn) -> Terminal:
    """How a choice ended; an explicit refusal outranks the word (REF-9)."""
    word = optional(choice, "finish_reason", str)
    reason = wire.FINISH.get(word or "", UNKNOWN)
    if reason is FUNCTION_CALL and not any(isinstance(part, parts.FunctionCall) for part in turn.parts):
        reason = END  # FIN-2
    if reason in (END, CONTENT_FILTER, UNKNOWN):
        for part in turn.parts:
            if type(part) is parts.Refusal:
                reason = REFUSAL
    return Terminal(reason, word, None, None, choice)


def _annotations(turn: Turn, message: Object) -> None:
    """Citations of the answer's text; what is not one, or has no text to stand on, stays with the message (CIT-1)."""
    listed = required(message, "annotations", list)
    texts = [part for part in turn.parts if isinstance(part, parts.Text)]
    citations: list[parts.Citation] = [
        cited(note, note["url_citation"]) for note in listed if isinstance(note, dict) and is_citation(note)
    ]
    if turn.extra is not None and turn.extra.fields is not None and turn.extra.fields.pop("annotations", None):
        turn.extra.fields = turn.extra.fields or None
    if len(texts) == 1 and len(citations) == len(listed):
        texts[0].citations = citations
    else:
        keep(turn, "annotations", listed)


def is_citation(note: Object) -> bool:
    inner = note.get("url_citation")
    return note.get("type") == "url_citation" and isinstance(inner, dict) and isinstance(inner.get("url"), str)


CITED_KEYS = frozenset({"url", "title", "start_index", "end_index"})


def cited(note: Object, cited: Object) -> parts.UrlCitation:
    """The citation that an annotation says."""
    inner = extra_fields(cited, CITED_KEYS)
    wire_forms = () if cited.keys() >= CITED_KEYS else ("sparse",)
    return parts.UrlCitation(
        required(cited, "url", str),
        optional(cited, "title", str),
        None,
        optional(cited, "start_index", int),
        optional(cited, "end_index", int),
        None,
        note,
        extra_fields(note, {"type", "url_citation"}, *wire_forms, nested={"url_citation": inner}),
    )


# --- usage ------------------------------------------------------------------------------------------------------------

read_sums = reader(
    prompt_tokens=int,
    completion_tokens=int,
    total_tokens=int,
    prompt_tokens_details=dict,
    completion_tokens_details=dict,
)
read_input = reader(cached_tokens=int, cache_write_tokens=int)
read_output = reader(reasoning_tokens=int)
USAGE_KEYS = frozenset(
    {"prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details", "completion_tokens_details"}
)
INPUT_KEYS = frozenset({"cached_tokens", "cache_write_tokens", *wire.INPUT_DETAILS})
OUTPUT_KEYS = frozenset({"reasoning_tokens", *wire.OUTPUT_DETAILS})
NO_DETAILS: Object = {}
NO_WORDS: tuple[str, ...] = ()


def read_usage(usage: Object) -> Usage:
    """Sums as this protocol reports them, made disjoint: the prompt includes cached tokens, the completion reasoning.

    A part larger than its sum is clamped, and the sum kept beside it for this protocol (USE-2).
    """
    prompt, completion, total, into, out = read_sums(usage)
    into, out = into or NO_DETAILS, out or NO_DETAILS
    read, write = read_input(into)
    plain, words = USAGE_KEYS.issuperset(usage), NO_WORDS
    if not plain:
        read, words = _cached(usage, read)
    (thought,) = read_output(out)
    details: dict[str, int] = {}
    _counts(into, wire.INPUT_DETAILS, details)
    _counts(out, wire.OUTPUT_DETAILS, details)
    fresh = None if prompt is None else prompt - (read or 0) - (write or 0)
    said = None if completion is None else completion - (thought or 0)
    found = Usage(
        0 if fresh is not None and fresh < 0 else fresh,
        read,
        write,
        0 if said is not None and said < 0 else said,
        thought,
        total,
        details or None,
        usage,
    )
    if not (plain and INPUT_KEYS.issuperset(into) and OUTPUT_KEYS.issuperset(out)):
        inner, outer = extra_fields(into, INPUT_KEYS), extra_fields(out, OUTPUT_KEYS)
        known = USAGE_KEYS.union(words)
        found.extra = extra_fields(
            usage, known, *words, nested={"prompt_tokens_details": inner, "completion_tokens_details": outer}
        )
    if fresh is not None and fresh < 0:
        keep(found, "prompt_tokens", prompt)
    if said is not None and said < 0:
        keep(found, "completion_tokens", completion)
    return found


def _counts(details: Object, keys: Mapping[str, str], counts: dict[str, int]) -> None:
    for name, value in details.items():
        if name in keys and value is not None:
            counts[keys[name]] = value if type(value) is int else required(details, name, int)


def _cached(usage: Object, read: int | None) -> tuple[int | None, tuple[str, ...]]:
    """The cached part of the prompt, and the name by which a server tells it that has no details."""
    if read is None:
        for key in wire.CACHED:
            value = optional(usage, key, int)
            if value is not None:
                return value, (key,)
    return read, NO_WORDS
