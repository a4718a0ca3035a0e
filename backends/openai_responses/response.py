"""The IR of a response as a Responses response body."""

from __future__ import annotations

from proxai_ir.backends._openai.writing import scored_tokens
from proxai_ir.binding.server import Server
from proxai_ir.ir.logprobs import LogProbs
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import REFUSAL, Terminal
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_responses as wire
from proxai_ir.wire import openai_responses_objects as objects

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, with_extra
from .conditions import accepted_id
from .parts import MESSAGE, output_items

CREATED = 0  # the wire requires a time (ENV-2)


def raise_response(response: Response, server: Server) -> Object:
    (candidate,) = response.candidates
    built = envelope(response)
    built["output"] = _output(response.id or "", candidate)
    built |= ending(candidate.terminal, server)
    if response.usage is not None:
        built["usage"] = USAGE.write(response.usage)
    return built if response.extra is None else with_extra(built, response)


def envelope(response: Response) -> Object:
    """The members that are known before there is any output; those that repeat the request are defaults (ENV-2)."""
    built: Object = {} if response.id is None else {"id": response.id}
    built["object"] = "response"
    built["created_at"] = response.created or CREATED
    if response.model is not None:
        built["model"] = response.model
    if response.fast:
        built["service_tier"] = openai.FAST
    elif response.tier is not None:
        built["service_tier"] = openai.TIER_OF[response.tier]
    if response.metadata is not None:
        built["metadata"] = response.metadata
    built |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return built


def ending(terminal: Terminal, server: Server) -> Object:
    """The members that state how a response ended (STS-1); `refusal_status` is the caller's for refusals (REF-12)."""
    details = wire.DETAILS_OF.get(terminal.reason)
    built: Object = {
        "status": server.refusal_status if terminal.reason is REFUSAL else wire.STATUS_OF[terminal.reason],
        "error": None,
        "incomplete_details": None if details is None else {"reason": details},
    }
    if terminal.extra is None:
        return built
    stated = with_extra({**built}, terminal)
    reason = wire.reason_of(stated["status"], stated["incomplete_details"])
    return stated if wire.STATUS_OF[reason] == wire.STATUS_OF[terminal.reason] else built


# --- items ------------------------------------------------------------------------------------------------------------


def _output(response_id: str, candidate: Candidate) -> list[Object]:
    """The items of a response, with the ids that they must have (R2A-1)."""
    made = [item for turn in candidate.turns if turn.parts or turn.extra for item in output_items(turn)]
    if made and wire.STATUS_OF[candidate.terminal.reason] == wire.INCOMPLETE:
        last = made[-1]
        if last["type"] in WITH_STATUS:
            last.setdefault("status", wire.INCOMPLETE)
        if (call := candidate.broken_off) is not None and "arguments" in last:
            last["arguments"] = call.arguments  # and not those of a call that is whole
    made = [identified(item, response_id, index) for index, item in enumerate(made)]
    if candidate.logprobs is not None:
        _score(made, candidate, candidate.logprobs)
    return made


WITH_STATUS = (MESSAGE, "function_call")


def identified(item: Object, response_id: str, index: int) -> Object:
    kind = item["type"]
    if kind in wire.ID_PREFIX and "id" not in item:
        item = {"id": accepted_id(f"{wire.ID_PREFIX[kind]}_{response_id}_{index}"), **item}
        if item.get("call_id", "") is None:
            item["call_id"] = accepted_id(f"call_{response_id}_{index}")  # TUL-17
    if kind in WITH_STATUS:
        item.setdefault("status", wire.COMPLETED)
    return item


# --- log probabilities ------------------------------------------------------------------------------------------------


def _score(items: list[Object], candidate: Candidate, logprobs: LogProbs) -> None:
    """Log probabilities stand with the text that they are of."""
    tokens = logprobs.text or []
    texts = [part for item in items for part in item.get("content", ()) if part.get("type") == "output_text"]
    wording = "".join(token.text for token in tokens) if len(texts) > 1 else ""
    for part in [part for part in texts if part["text"] == wording] or texts[:1]:
        part["logprobs"] = scored_tokens(tokens, [])
        break


# --- usage ------------------------------------------------------------------------------------------------------------


USAGE = ObjectWriter(objects.USAGE)
