"""The IR of a response as a Chat Completions response body."""

from __future__ import annotations

from typing import Any

from proxai_ir import ir
from proxai_ir.binding.server import Server
from proxai_ir.ir.logprobs import LogProbs
from proxai_ir.ir.parts import WORDING
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import CONTENT_FILTER, REFUSAL, Terminal, fitted_reason
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_chat_completions as wire
from proxai_ir.wire import openai_chat_completions_objects as objects

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, with_extra
from .._openai.writing import scored_tokens
from .audio import completed
from .parts import content, put_members, with_members


def raise_response(response: Response, server: Server) -> Object:
    built = envelope(response, "chat.completion", server)
    choices: list[Object] = []
    for candidate in response.candidates:
        choices.append(_choice(len(choices), candidate))
        message = choices[-1]["message"]
        if "audio" in message:
            message["audio"] = completed(message["audio"], response.id, len(choices) - 1)
    built["choices"] = choices
    if response.usage is not None:
        built["usage"] = USAGE.write(response.usage)
    if response.metadata is not None:
        built["metadata"] = response.metadata
    return with_extra(built, response)


def envelope(response: Response, kind: str, server: Server) -> Object:
    """What whole responses and all chunks of a stream begin with."""
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


def _choice(index: int, candidate: Candidate) -> Object:
    built: Object = {"index": index, "message": _message(candidate)}
    call = candidate.broken_off
    if call is not None and built["message"].get("tool_calls"):
        built["message"]["tool_calls"][-1]["function"]["arguments"] = call.arguments  # and not those of a whole one
    if candidate.logprobs is not None:
        built["logprobs"] = logprobs_of(candidate.logprobs)
    built["finish_reason"] = candidate.terminal.raw
    return with_extra(built, candidate)


def logprobs_of(logprobs: LogProbs) -> Object:
    text, refusal = logprobs.text, logprobs.refusal
    built: Object = {
        "content": None if text is None else scored_tokens(text, None),
        "refusal": None if refusal is None else scored_tokens(refusal, None),
    }
    return with_extra(built, logprobs)


def _message(candidate: Candidate) -> Object:
    """One string of text, and a refusal in its own member alone (REF-3, REF-5)."""
    turn = candidate.turns[0] if candidate.turns else Turn(ASSISTANT, [])
    message: Object = {"role": "assistant", "content": None, "refusal": None}
    wording = put_members(message, turn)
    if wording:
        message["content"] = _content(wording)
        notes = annotations_of(wording)
        if notes:
            message["annotations"] = notes
    if candidate.terminal.reason is REFUSAL and not message["refusal"] and not message["content"]:
        message["refusal"] = explanation(candidate.terminal)
    return message if turn.extra is None else with_members(message, turn)


def _content(wording: list[Any]) -> str | list[Object]:
    """A string, but an array of parts where only dialects can have them."""
    text = ""
    for part in wording:
        if type(part) is not ir.Text or part.extra is not None:
            return content(wording)
        text += part.text
    return text


def annotations_of(wording: list[Any]) -> list[Object]:
    """Citations with their span in the whole text, in characters (CIT-1)."""
    notes: list[Object] = []
    offset = 0
    for part in wording:
        if type(part) is ir.Text:
            for citation in part.citations or ():
                assert isinstance(citation, ir.UrlCitation)
                notes.append(annotation(citation, offset, len(part.text)))
            offset += len(part.text)
    return notes


def annotation(citation: ir.UrlCitation, offset: int, length: int) -> Object:
    """A citation of a text of this length, which begins at `offset` in the whole text."""
    cited = {
        "url": citation.url,
        "title": citation.title or "",
        "start_index": offset + (citation.start or 0),
        "end_index": offset + (length if citation.end is None else citation.end),
    }
    built: Object = {"type": "url_citation", "url_citation": cited}
    return with_extra(built, citation)


USAGE = ObjectWriter(objects.USAGE)


def finish_reason(candidate: Candidate) -> str | None:
    """The finish reason; a refusal that shows nothing is a filtered response (STS-5)."""
    reason = candidate.terminal.reason
    if reason is REFUSAL and not explanation(candidate.terminal) and not has_wording(candidate):
        reason = CONTENT_FILTER
    return wire.FINISH_OF.get(fitted_reason(reason, candidate.calls))


def has_wording(candidate: Candidate) -> bool:
    """Whether a response shows any text, its own or a refusal's."""
    return any(part.text for part in candidate.parts if isinstance(part, WORDING))


def explanation(terminal: Terminal) -> str | None:
    """A refusal's explanation: its wording where the response has none (REF-5)."""
    return terminal.refusal.explanation if terminal.refusal is not None else None
