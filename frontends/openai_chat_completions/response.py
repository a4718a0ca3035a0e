"""A whole Chat Completions answer into the IR: choices, how each ended, usage (USE-1)."""

from __future__ import annotations

from proxai_ir.ir import parts
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import StopReason, Terminal
from proxai_ir.ir.turns import Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import openai_chat_completions as wire

from ..reading import Json, Object, an_object, constant, counts, each, keep, missing, optional, own, required, wrong
from .parts import answered_audio, assistant_turn

KNOWN = frozenset(
    {"id", "object", "created", "model", "choices", "usage", "service_tier", "system_fingerprint", "metadata"}
)


def lower_response(payload: Object) -> Response:
    """The IR of an answer's body; raises Refusal with everything that is wrong with it."""
    constant(payload, "object", "chat.completion")
    choices = payload.get("choices")
    if not isinstance(choices, list):
        raise missing(payload, "choices") if choices is None else wrong(payload, "choices", "an array")
    response = Response(
        wire.NAME,
        optional(payload, "id", str),
        optional(payload, "model", str),
        each(range(len(choices)), lambda index: _choice(choices, index)),
        _usage_of(payload),
        optional(payload, "created", int),
    )
    response.src = payload
    response.fingerprint = optional(payload, "system_fingerprint", str)
    response.metadata = optional(payload, "metadata", dict)
    response.own = None if payload.keys() <= KNOWN else own(payload, KNOWN)
    _tier(response, payload)
    return response


def _tier(response: Response, payload: Object) -> None:
    word = optional(payload, "service_tier", str)
    if word is None:
        return
    response.tier = wire.TIER.get(word)
    if word == wire.FAST:
        response.fast = True
    elif response.tier is None:
        keep(response, "service_tier", word)


CHOICE_KEYS = frozenset({"index", "message", "finish_reason", "logprobs"})


def _choice(choices: list[Json], index: int) -> Candidate:
    choice = an_object(choices, index)
    message = required(choice, "message", dict)
    constant(message, "role", "assistant")
    turn = assistant_turn(message, answered_audio)
    _annotations(turn, message)
    if optional(choice, "index", int) not in (None, index):
        raise wrong(choice, "index", f"{index}, its position", "SHP-3")
    candidate = Candidate([turn], terminal(choice, turn), optional(choice, "logprobs", dict), choice)
    if not choice.keys() <= CHOICE_KEYS:
        candidate.own = own(choice, CHOICE_KEYS)
    return candidate


def terminal(choice: Object, turn: Turn) -> Terminal:
    """How a choice ended; an explicit refusal outranks the word (REF-9)."""
    word = optional(choice, "finish_reason", str)
    reason = wire.FINISH.get(word or "", StopReason.UNKNOWN)
    if reason is StopReason.FUNCTION_CALL and not any(isinstance(part, parts.FunctionCall) for part in turn.parts):
        reason = StopReason.END  # FIN-2
    if reason in (StopReason.END, StopReason.CONTENT_FILTER, StopReason.UNKNOWN):
        for part in turn.parts:
            if type(part) is parts.Refusal:
                reason = StopReason.REFUSAL
    return Terminal(reason, word, None, None, choice)


def _annotations(turn: Turn, message: Object) -> None:
    """Citations of the answer's text; what is not one, or has no text to stand on, stays with the message (CIT-1)."""
    listed = optional(message, "annotations", list)
    if not listed:
        return
    texts = [part for part in turn.parts if isinstance(part, parts.Text)]
    citations: list[parts.Citation] = [
        _citation(note, note["url_citation"]) for note in listed if isinstance(note, dict) and _is_citation(note)
    ]
    if turn.own is not None and turn.own.patch is not None and turn.own.patch.pop("annotations", None):
        turn.own.patch = turn.own.patch or None
    if len(texts) == 1 and len(citations) == len(listed):
        texts[0].citations = citations
    else:
        keep(turn, "annotations", listed)


def _is_citation(note: Object) -> bool:
    cited = note.get("url_citation")
    return note.get("type") == "url_citation" and isinstance(cited, dict) and isinstance(cited.get("url"), str)


def _citation(note: Object, cited: Object) -> parts.UrlCitation:
    inner = own(cited, {"url", "title", "start_index", "end_index"})
    return parts.UrlCitation(
        required(cited, "url", str),
        optional(cited, "title", str),
        None,
        optional(cited, "start_index", int),
        optional(cited, "end_index", int),
        None,
        note,
        own(note, {"type", "url_citation"}, url_citation=inner),
    )


# --- usage ------------------------------------------------------------------------------------------------------------

USAGE_KEYS = dict.fromkeys(
    ("prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details", "completion_tokens_details")
).keys()
INPUT_KEYS = dict.fromkeys(
    ("cached_tokens", "cache_write_tokens", "text_tokens", "audio_tokens", "image_tokens")
).keys()
OUTPUT_KEYS = dict.fromkeys(
    ("reasoning_tokens", "text_tokens", "audio_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens")
).keys()
NO_DETAILS: Object = {}


def _usage_of(payload: Object) -> Usage | None:
    usage = optional(payload, "usage", dict)
    return None if usage is None else read_usage(usage)


def read_usage(usage: Object) -> Usage:
    """Sums as this protocol reports them, made disjoint: the prompt includes cached tokens, the completion reasoning.

    A part larger than its sum is clamped, and the sum kept beside it for this protocol (USE-2).
    """
    into = optional(usage, "prompt_tokens_details", dict) or NO_DETAILS
    out = optional(usage, "completion_tokens_details", dict) or NO_DETAILS
    prompt, completion, total = counts(usage, "prompt_tokens", "completion_tokens", "total_tokens")
    read, write, input_text, input_audio, input_image = counts(into, *INPUT_KEYS)
    thought, output_text, output_audio, accepted, rejected = counts(out, *OUTPUT_KEYS)
    fresh = None if prompt is None else prompt - (read or 0) - (write or 0)
    said = None if completion is None else completion - (thought or 0)
    found = Usage(
        None if fresh is None else max(fresh, 0),
        read,
        write,
        None if said is None else max(said, 0),
        thought,
        total,
        None,
        None,
        input_text,
        input_audio,
        input_image,
        output_text,
        output_audio,
        accepted,
        rejected,
        usage,
    )
    if not (usage.keys() <= USAGE_KEYS and into.keys() <= INPUT_KEYS and out.keys() <= OUTPUT_KEYS):
        inner, outer = own(into, INPUT_KEYS), own(out, OUTPUT_KEYS)
        found.own = own(usage, USAGE_KEYS, prompt_tokens_details=inner, completion_tokens_details=outer)
    for key, sum_of_all, difference in (("prompt_tokens", prompt, fresh), ("completion_tokens", completion, said)):
        if difference is not None and difference < 0:
            keep(found, key, sum_of_all)
    return found
