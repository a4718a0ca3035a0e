"""Reads responses and errors of generateContent, and lists the members that its servers get wrong (ENV-15)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from proxai_ir import ir
from proxai_ir.ir.error import Error, ErrorCategory, judged
from proxai_ir.ir.response import END, UNKNOWN, fitted_reason
from proxai_ir.protocol import slips
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google
from proxai_ir.wire.gemini_generate_content_values import Repeated

from .._google.reading import UsageReader
from .._lib import reading as r
from .._lib.reading import Json, Object
from .names import canonical_response
from .parts import RUNS, CallIds, key_of, read_turn

# --- error ------------------------------------------------------------------------------------------------------------
# An error body of Google's APIs into the IR (ERR-1): `{"error": {"code", "message", "status", "details"}}`.


def lower_error(payload: Object | list[Json], status: int | None = None) -> Error:
    """Return the error of a body; the category is that of its reason or status, else of the HTTP status or `code`.

    A stream that was requested as JSON has its error as the one element of an array.
    """
    if isinstance(payload, dict):
        known = _code(payload) if status is None else status
        return r.read_or_keep(wire.NAME, payload, known, lambda: _read(payload, known))
    return r.from_array(wire.NAME, payload, status, lambda body: lower_error(body, status))


def _code(payload: Object) -> int | None:
    """Return the HTTP status that a body repeats, or None."""
    error = payload.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    return code if type(code) is int else None


def _read(payload: Object, status: int | None) -> Error:
    error = r.required(payload, "error", dict)
    r.optional(error, "code", int)
    kind = r.optional(error, "status", str)
    known, message = google.STATUS.get(kind or ""), r.required(error, "message", str)
    made = Error(wire.NAME, ErrorCategory.UNKNOWN, message, kind if known else None, status=status, src=payload)
    _read_details(made, r.optional(error, "details", list) or [])
    specific = None if kind in google.GENERIC_STATUS else known
    made.category = judged([wire.REASON.get(str(made.code)), specific], status, known)
    inner = r.extra_fields(error, {"message", "status"} if known else {"message"})
    made.extra = r.extra_fields(payload, {"error"}, nested={"error": inner})
    return made


DELAY = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?s")


def _read_details(made: Error, details: list[Json]) -> None:
    """Read from the details the delay before a retry, the reason, and the first wrong member of the request."""
    for detail in details:
        if not isinstance(detail, dict):
            continue
        kind, delay, reason = detail.get("@type"), detail.get("retryDelay"), detail.get("reason")
        if kind == wire.RETRY_INFO and isinstance(delay, str) and DELAY.fullmatch(delay):
            made.retry_after = float(delay[:-1])
        elif kind == wire.ERROR_INFO and isinstance(reason, str):
            made.code = reason
        elif kind == wire.BAD_REQUEST and made.param is None:
            made.param = _violated(detail.get("fieldViolations"))


def _violated(violations: Json) -> str | None:
    first = violations[0] if isinstance(violations, list) and violations else None
    field = first.get("field") if isinstance(first, dict) else None
    return field if isinstance(field, str) else None


# --- grounding --------------------------------------------------------------------------------------------------------
# The sources of a text, and the search that found them: members of a candidate, as citations and parts of a turn.
#
# Google counts UTF-8 bytes, of one part or of the whole text; the IR counts characters of the part (CIT-1). All of this
# is derived: the candidate keeps the members themselves.

Texts = Sequence[tuple[int, str]]
"""The texts of a turn, each with the number of its part."""


def cite(candidate: Object, texts: Texts) -> list[tuple[int, ir.Citation]]:
    """Return the citations of a candidate, each with the number of the part whose text it is of."""
    grounding = r.optional(candidate, "groundingMetadata", dict)
    quoted = r.optional(candidate, "citationMetadata", dict)
    if not texts or (grounding is None and quoted is None):
        return []
    found: list[tuple[int, ir.Citation]] = []
    spans = _Spans(texts)
    if grounding is not None:
        chunks = r.optional(grounding, "groundingChunks", list) or []
        for support in _objects(grounding, "groundingSupports"):
            found += _of_support(support, chunks, spans)
    for key in ("citations", "citationSources") if quoted is not None else ():
        for cited in _objects(quoted or {}, key):
            if isinstance(cited.get("uri"), str):
                found.append(_of_source(cited, spans))
    return found


def _objects(holder: Object, key: str) -> list[Object]:
    return r.each_object(r.optional(holder, key, list) or [], lambda one: one)


def _of_support(support: Object, chunks: list[Json], spans: _Spans) -> list[tuple[int, ir.Citation]]:
    """Return a citation for each web page that a passage rests on, or one for the support itself if there is none."""
    segment = r.optional(support, "segment", dict) or {}
    indices = r.optional(support, "groundingChunkIndices", list) or []
    part, start, end = spans.find(segment)
    text = r.optional(segment, "text", str) if end is None else None  # else it repeats the text of the span
    pages = [page for index in indices if (page := _source(chunks, index)) is not None]
    if not pages:
        return [(part, ir.SourceCitation("groundingSupport", support, support))]
    placed = {"partIndex", "text", *(("startIndex", "endIndex") if end is not None else ())}
    inner = r.extra_fields(segment, placed)
    extra = r.extra_fields(support, {"segment", "groundingChunkIndices"}, nested={"segment": inner})
    unplaced = text if end is None else None  # elsewhere it is the text's own
    return [(part, ir.UrlCitation(url, title, unplaced, start, end, None, support, extra)) for url, title in pages]


LINKS = {"web": "uri", "maps": "uri", "retrievedContext": "uri", "image": "sourceUri"}
"""The member with the address of a page, by the kind of a chunk."""
SOURCE_KEYS = frozenset({"uri", "title", "startIndex", "endIndex"})


def _source(chunks: list[Json], index: Json) -> tuple[str, str | None] | None:
    """Return the address and the title of a chunk's page, or None."""
    chunk = chunks[index] if type(index) is int and 0 <= index < len(chunks) else None
    for kind, member in LINKS.items():
        found: Json = chunk.get(kind) if isinstance(chunk, dict) else None
        link = found.get(member) if isinstance(found, dict) else None
        if isinstance(link, str) and (kind == "web" or link.startswith(("https://", "http://"))):
            return link, r.optional(found, "title", str)
    return None


def _page(chunk: Object) -> Object | None:
    web = chunk.get("web")
    return web if isinstance(web, dict) and isinstance(web.get("uri"), str) else None


def _of_source(cited: Object, spans: _Spans) -> tuple[int, ir.Citation]:
    part, start, end = spans.find(cited)
    title = r.optional(cited, "title", str)
    return part, ir.UrlCitation(cited["uri"], title, None, start, end, None, cited, r.extra_fields(cited, SOURCE_KEYS))


class _Spans:
    """Finds passages by their bytes.

    _bytes  the number of bytes before each character of the whole text
    _begin  the byte at which the text of a part begins, by the number of the part
    """

    def __init__(self, texts: Texts) -> None:
        self._whole = "".join(text for _, text in texts)
        self._bytes = google.byte_offsets(self._whole)
        self._begin: dict[int, int] = {}
        self._ends: list[int] = []  # of the texts, in characters
        self._numbers = [part for part, _ in texts]
        at = 0
        for part, wording in texts:
            self._begin[part] = self._bytes[at]
            at += len(wording)
            self._ends.append(at)

    def find(self, segment: Object) -> tuple[int, int | None, int | None]:
        """Return the number of the part in which a passage ends, and where in it the passage begins and ends, in
        characters.

        Offsets are those of the part that is named, or of the whole text, whichever has the wording there.
        """
        first, last = r.optional(segment, "startIndex", int) or 0, r.optional(segment, "endIndex", int)
        wording, number = r.optional(segment, "text", str), r.optional(segment, "partIndex", int)
        for begin in dict.fromkeys((self._begin.get(number or 0, 0), 0)) if last is not None else ():
            start, end = self._character(begin + first), self._character(begin + (last or 0))
            if start is None or end is None or start > end:
                continue
            if wording is None or self._whole[start:end] == wording:
                at = min(bisect_left(self._ends, max(end, 1)), len(self._numbers) - 1)
                before = self._ends[at - 1] if at else 0
                return self._numbers[at], start - before, end - before
        return self._numbers[-1] if number not in self._begin else number or 0, None, None

    def _character(self, at: int) -> int | None:
        """Return the character that begins at a byte, or None."""
        index = bisect_left(self._bytes, at)
        return index if index < len(self._bytes) and self._bytes[index] == at else None


# --- the search -------------------------------------------------------------------------------------------------------


def marked(extra: ir.Extra | None, searched: bool) -> ir.Extra | None:
    """Return what a candidate keeps; if its parts have a search too, the reported one and its pages are marked as
    repeated."""
    kept = extra.fields if searched and extra is not None else None
    grounding = kept.get("groundingMetadata") if kept else None
    if kept and isinstance(grounding, dict):
        repeated = {key: Repeated(value) for key in SEARCH if isinstance(value := grounding.get(key), list)}
        kept["groundingMetadata"] = {**grounding, **repeated}
    return extra


SEARCH = ("webSearchQueries", "groundingChunks")


PAGE_KEYS = frozenset({"retrievedUrl", "urlRetrievalStatus"})


def opened(candidate: Object, identity: str) -> list[ir.Part]:
    """Return a search and its result for each page that a candidate reports as opened, without the content."""
    found: list[ir.Part] = []
    for index, page in enumerate(_objects(r.optional(candidate, wire.PAGES, dict) or {}, wire.EACH_PAGE)):
        url, status = r.optional(page, "retrievedUrl", str), r.optional(page, "urlRetrievalStatus", str)
        if url is None:
            continue
        name, error = f"{identity}_page_{index}", None if status in (None, wire.OPENED) else status
        found.append(ir.WebSearchCall(name, [], None, page, r.extra_fields(page, PAGE_KEYS), page=url))
        found.append(ir.WebSearchResult(name, [], error, None, page, page=url))
    return found


def searched(candidate: Object, identity: str) -> list[ir.Part]:
    """Return the web search that a candidate reports apart from its parts, among which it has no place."""
    grounding = r.optional(candidate, "groundingMetadata", dict)
    if grounding is None:
        return []
    queries = [one for one in r.optional(grounding, "webSearchQueries", list) or [] if isinstance(one, str)]
    pages = [web for chunk in _objects(grounding, "groundingChunks") if (web := _page(chunk)) is not None]
    if not queries and not pages:
        return []
    call = ir.WebSearchCall(identity, queries, None, grounding)
    hits = [
        ir.WebHit(web["uri"], r.optional(web, "title", str), None, None, web, r.extra_fields(web, {"uri", "title"}))
        for web in pages
    ]
    result = ir.WebSearchResult(identity, hits, None, None, (grounding, "groundingChunks") if pages else grounding)
    return [call, result]


# --- response ---------------------------------------------------------------------------------------------------------
# A response of generateContent into the IR: candidates, how each ended, usage (USE-1).

ENVELOPE = frozenset({"candidates", "usageMetadata", "modelVersion", "responseId", "promptFeedback"})
ENVELOPE_READER = r.reader(responseId=str, modelVersion=str, usageMetadata=dict, promptFeedback=dict, createTime=str)


def lower_response(payload: Object) -> ir.Response | Error:
    """Return the IR of a response's body; raises Refusal with everything that is wrong with it."""
    if payload.get("error") is not None and payload.get("candidates") is None:
        return lower_error(payload)
    body = canonical_response(payload)
    response = envelope(body)
    candidates, key = r.optional(body, "candidates", list) or [], key_of(body)
    response.candidates = r.by_index(
        candidates, r.each(range(len(candidates)), lambda at: _candidate(candidates, at, key))
    )
    if not candidates:
        blocked = blocked_prompt(body)
        if blocked is None:
            raise r.missing(body, "candidates")
        response.candidates = [blocked]
    usage = body.get("usageMetadata")
    response.usage = None if usage is None else read_usage(usage, tier_of(usage))
    return response


def envelope(body: Object) -> ir.Response:
    """Return a response without candidates."""
    identity, model, usage, feedback, time = ENVELOPE_READER(body)
    response = ir.Response(wire.NAME, identity, model, [], src=body)
    if feedback is None:
        response.extra = r.kept(body, ENVELOPE)
    else:
        blocks = blocked_prompt(body) is not None and not body.get("candidates")
        inner = r.extra_fields(feedback, {"blockReasonMessage"} if blocks else set())
        response.extra = r.extra_fields(body, ENVELOPE, nested={"promptFeedback": inner})
    if model is not None and model.startswith(wire.MODEL_PATHS):
        response.model = wire.model_name(model)
        r.keep(response, "modelVersion", model)
    response.created = None if time is None else r.seconds(body, "createTime", time)
    tier = None if usage is None else tier_of(usage)
    response.tier = None if tier is None else google.TIER[tier]
    return response


def tier_of(usage: Object) -> str | None:
    """Return the word for the capacity that served a request, or None if it is unknown."""
    word = r.optional(usage, "serviceTier", str)
    return word if word in google.TIER else None


def blocked_prompt(body: Object) -> ir.Candidate | None:
    """Return the candidate of a response whose prompt was blocked, or None."""
    feedback = r.optional(body, "promptFeedback", dict)
    word = None if feedback is None else r.optional(feedback, "blockReason", str)
    if feedback is None or word is None or word in wire.NO_BLOCK:
        return None
    message = r.optional(feedback, "blockReasonMessage", str)
    terminal = ir.Terminal(ir.CONTENT_FILTER, word, src=feedback, message=message)
    return ir.Candidate([ir.Turn(ir.ASSISTANT, [], None, feedback)], terminal, None, feedback)


# --- candidates -------------------------------------------------------------------------------------------------------

CANDIDATE_KEYS = frozenset({"index", "content", "finishReason", "finishMessage", "logprobsResult"})
CANDIDATE = r.reader(index=int, content=dict, logprobsResult=dict)
ENDING = r.reader(finishReason=str, finishMessage=str)
NAMED = RUNS | {ir.FunctionCall}


def _candidate(candidates: list[Json], position: int, key: str) -> ir.Candidate:
    candidate = r.an_object(candidates, position)
    _, content, scores = CANDIDATE(candidate)
    turn = (
        ir.Turn(ir.ASSISTANT, [], None, candidate)
        if content is None
        else read_turn(content, wire.MODEL_ROLE, wire.MODEL)
    )
    classes = {type(part) for part in turn.parts}
    ids = CallIds(key, position)
    if not NAMED.isdisjoint(classes):
        for part in turn.parts:
            ids.give(part)
    grounded(candidate, turn, ids)
    made = ir.Candidate([turn], terminal(candidate), src=candidate)
    fit(made.terminal, made.calls)
    nested: dict[str, ir.Extra | None] = {}
    if scores is not None:
        made.logprobs, nested["logprobsResult"] = logprobs(scores)
    made.extra = marked(r.extra_fields(candidate, CANDIDATE_KEYS, nested=nested), ir.WebSearchResult in classes)
    return made


def grounded(candidate: Object, turn: ir.Turn, ids: CallIds) -> None:
    """Add the citations that a candidate reports apart from its content, and the search behind them."""
    if all(candidate.get(key) is None for key in wire.SOURCES):
        return
    texts = {at: part for at, part in enumerate(turn.parts) if isinstance(part, ir.Text)}
    for at, citation in cite(candidate, [(at, part.text) for at, part in texts.items()]):
        texts[at].citations = [*(texts[at].citations or ()), citation]
    found = opened(candidate, ids.search)
    if not any(isinstance(part, ir.WebSearchCall) for part in turn.parts):
        found += searched(candidate, ids.search)
    before = max((at for at, part in enumerate(turn.parts, 1) if not isinstance(part, RESTING)), default=0)
    turn.parts[before:before] = found  # before the text that rests on it


RESTING = (ir.Text, ir.FunctionCall)
"""The parts that may rest on the provider's searches."""


def terminal(candidate: Object) -> ir.Terminal:
    word, message = ENDING(candidate)
    found = ir.Terminal(wire.REASON_OF.get(word, UNKNOWN), word, src=candidate, message=message)
    return r.keep_telling(found, "finishReason", wire.TELLING)


def fit(ending: ir.Terminal, calls: bool) -> None:
    """Change an ending by STOP to one that waits for the results of calls, if there are calls (FIN-4)."""
    if ending.reason is END:
        ending.reason = fitted_reason(END, calls)


# --- log probabilities ------------------------------------------------------------------------------------------------


def logprobs(scores: Object) -> tuple[ir.LogProbs | None, ir.Extra | None]:
    """Return the tokens of a candidate with their alternatives, and its members to keep."""
    chosen, top = r.optional(scores, "chosenCandidates", list) or [], r.optional(scores, "topCandidates", list)
    if not chosen or (top is not None and len(top) != len(chosen)):
        return None, r.extra_fields(scores, set())
    tokens = _tokens(chosen)
    if top is not None:
        for index, token in enumerate(tokens):
            others = r.optional(r.an_object(top, index), "candidates", list) or []
            token.top, token.src = _tokens(others), ir.Several((token.src, top[index]))
    return ir.LogProbs(tokens, None, scores), r.extra_fields(scores, {"chosenCandidates", "topCandidates"})


def _tokens(listed: list[Json]) -> list[ir.ScoredToken]:
    return r.each_object(listed, _token)


def _token(scored: Object) -> ir.ScoredToken:
    """Return a token; proto JSON omits the probability 1, whose logarithm is 0."""
    text, score = r.optional(scored, "token", str), r.number(scored, "logProbability")
    identity, extra = r.optional(scored, "tokenId", int), r.kept(scored, TOKEN_KEYS)
    return ir.ScoredToken(text or "", score or 0.0, None, None, identity, scored, extra)


TOKEN_KEYS = frozenset({"token", "tokenId", "logProbability"})


# --- usage ------------------------------------------------------------------------------------------------------------

USAGE = UsageReader(wire.TOKENS, "serviceTier")


def read_usage(usage: Object, tier: str | None) -> ir.Usage:
    """Return the usage; `tier` is its word for the tier that the response has."""
    return USAGE.read(usage, () if usage.get("serviceTier") == tier else ("serviceTier",))


# --- slips ------------------------------------------------------------------------------------------------------------
# Members outside the content that servers get wrong, in responses and where requests repeat them (ENV-15).

ID = {"id": slips.text}
PART = {
    "functionCall": {**ID, "args": slips.FREE_ARGUMENTS},
    **dict.fromkeys(("functionResponse", "toolCall", "toolResponse"), ID),
}
CONTENT = {"parts": slips.Each(PART)}
CANDIDATE_SLIPS = {
    "index": slips.count,
    "finishReason": slips.Else(slips.word, "OTHER", needed=False),
    "finishMessage": slips.text,
    "content": {"role": slips.role(wire.MODEL, *wire.MODEL_ROLE), **CONTENT},
}
USAGE_SLIPS = slips.Facts(
    {
        "serviceTier": slips.word,
        **dict.fromkeys(wire.TOKENS.counts, slips.count),
        **dict.fromkeys(wire.TOKENS.details, slips.listed),
    }
)
SLIPS = {
    "responseId": slips.text,
    "modelVersion": slips.text,
    "createTime": slips.time,
    "usageMetadata": USAGE_SLIPS,
    "promptFeedback": slips.Facts({"blockReason": slips.word, "blockReasonMessage": slips.text}),
    "candidates": slips.Each(CANDIDATE_SLIPS),
}
REPEATED = {"contents": slips.Each(CONTENT)}
