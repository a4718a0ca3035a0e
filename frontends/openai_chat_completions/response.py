"""Reads responses and errors of Chat Completions, and lists the members that its servers get wrong (ENV-15)."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.error import Error, ErrorCategory, judged, stands_for_error
from proxai_ir.ir.response import END, STOP_SEQUENCE, UNKNOWN
from proxai_ir.protocol import slips
from proxai_ir.wire import openai
from proxai_ir.wire import openai_chat_completions as wire
from proxai_ir.wire import openai_chat_completions_objects as objects

from .._lib import reading as r
from .._lib.objects import ObjectReader, read_counts
from .._lib.reading import Json, Object
from .._openai import reading as openai_reading
from .._openai.reading import scored_tokens, whole_seconds
from .parts import References, citations_of, converted, sources_of
from .request import answered_audio, assistant_turn

# --- error ------------------------------------------------------------------------------------------------------------
# An error of OpenAI Chat Completions into the IR: an HTTP body, or what stands in place of a response or a chunk.


def lower_error(payload: Object | list[Json], status: int | None = None) -> Error:
    if isinstance(payload, dict) and _apart(payload) is not None:
        return r.read_or_keep(wire.NAME, payload, status, lambda: _read_apart(payload, status))
    return openai_reading.lower_error(wire.NAME, payload, status)


def _apart(payload: Object) -> Object | None:
    """Return MiniMax's outcome, which stands next to the response, if it is an error."""
    outcome = payload.get(wire.OUTCOME)
    failed = isinstance(outcome, dict) and outcome.get("status_code") and not payload.get("choices")
    return outcome if failed and payload.get("error") is None else None


def _read_apart(payload: Object, status: int | None) -> Error:
    outcome = r.required(payload, wire.OUTCOME, dict)
    message, code = r.required(outcome, "status_msg", str), r.required(outcome, "status_code", int)
    named = wire.OUTCOME_CODE.get(code)
    category = judged([named], status, ErrorCategory.SERVER)
    inner = r.extra_fields(outcome, {"status_msg"} if named else {"status_msg", "status_code"})
    extra = r.extra_fields(payload, {wire.OUTCOME}, nested={wire.OUTCOME: inner})
    stated = None if named else str(code)
    return Error(wire.NAME, category, message, None, stated, status=status, src=payload, extra=extra)


def failure(payload: Object) -> Error | None:
    """Return the error of a response or a chunk that has one: in its envelope, or in its only choice (STS-9)."""
    choices, error = payload.get("choices"), payload.get("error")
    if error or (error is not None and not choices) or payload.get("object") == wire.ERROR:
        return lower_error(payload)
    if choices is None and (stands_for_error(payload) or _apart(payload) is not None):
        return lower_error(payload)
    if isinstance(choices, list) and len(choices) == 1 and isinstance(choices[0], dict):
        inner = choices[0].get("error")
        if inner and isinstance(inner, dict):
            return openai_reading.error_of_choice(wire.NAME, payload, inner)
    return None


# --- response ---------------------------------------------------------------------------------------------------------
# A whole Chat Completions answer into the IR: choices, how each ended, usage (USE-1).

KNOWN = frozenset(
    {"id", "object", "created", "model", "choices", "usage", "service_tier", "system_fingerprint", "metadata"}
)
read_envelope = r.reader(model=str, system_fingerprint=str, metadata=dict, usage=dict, choices=list)


def other_object(response: ir.Response, payload: Object, usual: str) -> None:
    """Keep another word of the same family, or none, as some servers write it (UNK-6); refuse other APIs' (SHP-3)."""
    word = r.optional(payload, "object", str)
    if word and not word.startswith((wire.OBJECT, "text_completion", "list")):
        raise r.wrong(payload, "object", f"'{usual}'", "SHP-3")
    r.keep(response, "object", word)


def lower_response(payload: Object) -> ir.Response | Error:
    """Return the IR of an answer's body; raises Refusal with everything that is wrong with it."""
    failed = failure(payload) if "choices" in payload else None  # without them it is the body of an error
    if failed is not None:
        return failed
    model, fingerprint, metadata, usage, choices = read_envelope(payload)
    created = payload.get("created")
    if choices is None:
        raise r.missing(payload, "choices")
    response = ir.Response(
        wire.NAME,
        r.identifier(payload),
        model,
        _choices(choices),
        None if usage is None else read_usage(usage),
        created if type(created) is int else None,
        None,
        None,
        fingerprint,
        metadata,
        payload,
        None if KNOWN.issuperset(payload) else r.extra_fields(payload, KNOWN),
    )
    if "citations" in payload or "search_results" in payload:
        _cite_sources(response, payload)
    if type(created) is not int:
        odd_time(response, payload)
    if payload.get("object", wire.OBJECT) != wire.OBJECT:
        other_object(response, payload, wire.OBJECT)
    if "service_tier" in payload:
        chosen_tier(response, payload)
    return response


def _cite_sources(response: ir.Response, payload: Object) -> None:
    """Make citations of Perplexity's sources if there is one text without citations; else they are kept (CIT-1)."""
    found = response.candidates[0].parts if len(response.candidates) == 1 else []
    texts = [part for part in found if isinstance(part, ir.Text)]
    sources = sources_of(payload)
    if len(texts) == 1 and texts[0].citations is None and sources:
        references = References()
        references.add(texts[0].text)
        texts[0].citations = [*citations_of(sources, references.found)]
        response.extra = r.extra_fields(payload, KNOWN | converted(payload))


def odd_time(response: ir.Response, payload: Object) -> None:
    """Read a time that is missing or no integer; a fraction of a second is kept for this protocol (LiteLLM)."""
    response.created = whole_seconds(payload, "created")
    if response.created is not None and response.created != payload["created"]:
        r.keep(response, "created", payload["created"])


def chosen_tier(response: ir.Response, payload: Object) -> None:
    word = r.optional(payload, "service_tier", str)
    if word is None:
        return
    response.tier = openai.TIER.get(word)
    if word == openai.FAST:
        response.fast = True
    elif response.tier is None:
        r.keep(response, "service_tier", word)


CHOICE_KEYS = frozenset({"index", "message", "finish_reason", "logprobs"})


read_choice = r.reader(message=dict, index=int, logprobs=dict)


def _choices(choices: list[Json]) -> list[ir.Candidate]:
    if len(choices) == 1:
        return r.by_index(choices, [_choice(choices, 0)])
    return r.by_index(choices, r.each(range(len(choices)), lambda at: _choice(choices, at)))


def _choice(choices: list[Json], at: int) -> ir.Candidate:
    choice = r.an_object(choices, at)
    message, _, logprobs = read_choice(choice)
    if message is None:
        if choice.get("finish_reason") != "content_filter":  # Azure
            raise r.missing(choice, "message")
        message = {}
    if message.get("role") != "assistant":
        r.constant(message, "role", "assistant")
    turn = assistant_turn(message, answered_audio)
    if turn.name is not None:  # the server's own (MiniMax), and no participant's
        r.keep(turn, "name", turn.name)
        turn.name = None
    if message.get("annotations"):
        _annotations(turn, message)
    extra = None if CHOICE_KEYS.issuperset(choice) else r.extra_fields(choice, CHOICE_KEYS | matched(choice))
    candidate = ir.Candidate([turn], terminal(choice, turn), None, choice, extra)
    if logprobs is not None:
        if any(logprobs.values()):
            candidate.logprobs = read_logprobs(logprobs)
        else:  # of no token
            r.keep(candidate, "logprobs", logprobs)
    return candidate


def read_logprobs(logprobs: Object) -> ir.LogProbs:
    """Return the log probabilities; values that are not as the official types declare them are kept."""
    found = ir.LogProbs(scored_tokens(logprobs.get("content")), scored_tokens(logprobs.get("refusal")), logprobs)
    known = {key for key, tokens in (("content", found.text), ("refusal", found.refusal)) if tokens is not None}
    if found.text is None and (listed := _listed_tokens(logprobs)) is not None:
        found.text, ids = listed
        known |= {TOKENS, SCORES} | ({IDS} if ids else set())
    found.extra = r.extra_fields(logprobs, known)
    return found


TOKENS, SCORES, IDS = "tokens", "token_logprobs", "token_ids"


def _listed_tokens(logprobs: Object) -> tuple[list[ir.ScoredToken], bool] | None:
    """Return the tokens of Together's lists, and whether they have their ids; None if the lists have another form."""
    tokens, scores, ids = logprobs.get(TOKENS), logprobs.get(SCORES), logprobs.get(IDS)
    if not isinstance(tokens, list) or not isinstance(scores, list) or len(tokens) != len(scores):
        return None
    if not all(isinstance(one, str) for one in tokens) or not NUMBERS.issuperset(map(type, scores)):
        return None
    pairs = enumerate(zip(tokens, scores, strict=True))
    found = [ir.ScoredToken(text, score, src=(scores, at)) for at, (text, score) in pairs]
    if not isinstance(ids, list) or len(ids) != len(tokens) or not {int}.issuperset(map(type, ids)):
        return found, False
    for token, number in zip(found, ids, strict=True):
        token.id = number
    return found, True


NUMBERS = frozenset({int, float})


def terminal(choice: Object, turn: ir.Turn) -> ir.Terminal:
    """Return how a choice ended; a refusal in it is content, and no ending (REF-12)."""
    word = r.optional(choice, "finish_reason", str)
    if word in wire.NO_FINISH:
        word = None
    reason = wire.FINISH.get(word or "", UNKNOWN)
    if word == wire.LEGACY_CALL and not any(isinstance(part, ir.FunctionCall) for part in turn.parts):
        reason = END  # FIN-2
    for member in matched(choice):
        return ir.Terminal(STOP_SEQUENCE, word, choice[member], None, choice)
    return ir.Terminal(reason, word, None, None, choice)


def matched(choice: Object) -> frozenset[str]:
    """Return the member with the stop sequence that ended a choice, which may also hold a token id or an ending's
    word."""
    for member in wire.MATCHED:
        value = choice.get(member)
        if type(value) is str and value and value not in wire.FINISH and choice.get("finish_reason") == "stop":
            return frozenset({member})
    return frozenset()


def _annotations(turn: ir.Turn, message: Object) -> None:
    """Set the citations of the answer's text; if one is none, or the text is not one, they are kept (CIT-1)."""
    listed = r.required(message, "annotations", list)
    texts = [part for part in turn.parts if isinstance(part, ir.Text)]
    citations = read_citations(listed)
    if turn.extra is not None and turn.extra.fields is not None and turn.extra.fields.pop("annotations", None):
        turn.extra.fields = turn.extra.fields or None
    if len(texts) == 1 and len(citations) == len(listed):
        texts[0].citations = citations
    else:
        r.keep(turn, "annotations", listed)


def read_citations(notes: list[Json]) -> list[ir.Citation]:
    """Return the citations among annotations; those of another type than OpenAI's are in their server's own terms."""
    found: list[ir.Citation] = []
    for note in notes:
        kind = note.get("type") if isinstance(note, dict) else None
        if kind == WEB_PAGE:
            inner = note.get(WEB_PAGE)
            if isinstance(inner, dict) and isinstance(inner.get("url"), str):
                found.append(CITATION.read(note))
        elif isinstance(kind, str):
            found.append(ir.SourceCitation(kind, note, note))
    return found


WEB_PAGE = "url_citation"


CITATION = ObjectReader(objects.CITATION)

# --- usage ------------------------------------------------------------------------------------------------------------

USAGE = ObjectReader(objects.USAGE)


def read_usage(usage: Object) -> ir.Usage:
    """Return the usage; xAI counts reasoning on top of `completion_tokens`, which the total proves (USE-7)."""
    found = read_counts(USAGE, usage)
    if found.reasoning and found.total is not None:
        sent, received = usage.get("prompt_tokens") or 0, usage.get("completion_tokens")
        if received is not None and found.total == sent + received + found.reasoning:
            found.output = received
            if found.extra is not None and found.extra.fields:  # where reasoning is more than all output
                found.extra.fields.pop("completion_tokens", None)
    return found


# --- slips ------------------------------------------------------------------------------------------------------------
# Members outside the content that servers get wrong, in responses and where requests repeat them (ENV-15).

CALLS = slips.Each({"id": slips.text, "index": slips.count, "type": slips.word})
AUDIO = {"id": slips.text, "expires_at": slips.seconds}
MESSAGE = {"role": slips.role("assistant"), "tool_calls": CALLS, "audio": AUDIO}
CHOICE = {
    "index": slips.count,
    "finish_reason": slips.word,
    "logprobs": slips.Facts({}),
    "message": MESSAGE,
    "delta": MESSAGE,
}
SLIPS = {
    "id": slips.text,
    "object": slips.word,
    "created": slips.seconds,
    "model": slips.text,
    "system_fingerprint": slips.text,
    "service_tier": slips.word,
    "metadata": slips.Facts({}),
    "usage": slips.counts(objects.USAGE),
    "choices": slips.Each(CHOICE),
}
REPEATED = {
    "messages": slips.Each({"role": slips.speaker("assistant"), "tool_calls": CALLS, "tool_call_id": slips.text})
}
