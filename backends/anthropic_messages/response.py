"""The IR of a response as an Anthropic Messages response body: canonical output, from a legal tree."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.binding.server import Server
from proxai_ir.ir.response import Response
from proxai_ir.ir.terminal import REFUSAL, UNKNOWN, RefusalDetails, Terminal
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import anthropic_messages as wire

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, with_extra
from .conditions import generated_id
from .parts import BUILD, older_call


def raise_response(response: Response, server: Server) -> Object:
    candidate = response.candidates[0]
    turn = candidate.turns[0] if candidate.turns else Turn(ASSISTANT, [])
    built: Object = {} if response.id is None else {"id": response.id}
    built["type"], built["role"] = "message", "assistant"
    if response.model is not None:
        built["model"] = response.model
    built["content"] = _content(turn.parts, response)
    own = response.protocol == wire.NAME
    built.update(ending(candidate.terminal, None if own else _wording(turn), next(iter(turn.parts), None)))
    if own and any(isinstance(part, ir.Refusal) and older_call(part) for part in turn.parts):
        built["stop_reason"] = candidate.terminal.raw  # as of any other response
    if response.usage is not None:
        built["usage"] = raise_usage(response.usage, response)
    return with_extra(built, response)


def _content(parts: list[ir.Part], response: Response) -> list[Object]:
    blocks: list[Object] = []
    for part in parts:
        block = BUILD[type(part)](part)
        if type(part) is ir.FunctionCall and part.id is None:
            block["id"] = generated_id(response.id or "", len(blocks))
        blocks.append(block)
    return blocks


# --- how it ended -----------------------------------------------------------------------------------------------------

NO_DETAILS = RefusalDetails()


def ending(terminal: Terminal, wording: str | None = None, part: ir.Part | None = None) -> Object:
    """The stop members. `wording`: the text of another protocol's refusal, which explains it where the provider does
    not otherwise; None for an ending of this protocol's own, whose word is written again. `part`: one of the content,
    as a summary ends with a word of its own.
    """
    reason, details = terminal.reason, terminal.refusal
    own = wording is None and wire.REASON.get(terminal.raw or "", UNKNOWN) is reason
    word = wire.COMPACTION if type(part) is ir.VendorPart and part.kind == ir.SUMMARY else wire.STOP_OF[reason]
    built: Object = {"stop_reason": terminal.raw if own else word}
    if details is not None or (wording is not None and (reason is REFUSAL or terminal.message is not None)):
        built["stop_details"] = _stop_details(details or NO_DETAILS, terminal.message or wording)
    built["stop_sequence"] = terminal.stop_sequence
    return with_extra(built, terminal)


def _wording(turn: Turn) -> str:
    return "".join(part.text for part in turn.parts if isinstance(part, ir.Refusal))


def _stop_details(details: RefusalDetails, wording: str | None) -> Object:
    explanation = details.explanation if details.explanation is not None else wording or None
    return with_extra({"type": "refusal", "category": details.category, "explanation": explanation}, details)


# --- usage ------------------------------------------------------------------------------------------------------------


USAGE = ObjectWriter(wire.USAGE)


def raise_usage(usage: Usage, response: Response | None = None) -> Object:
    """What is reported; a legal usage has all that is required (USE-5). How a response was served stands here, too."""
    built = USAGE.write(usage)
    if response is not None:
        if response.tier is not None:
            built["service_tier"] = wire.RESPONSE_TIER_OF[response.tier]
        if response.fast is not None:
            built["speed"] = wire.SPEED_OF[response.fast]
    return built
