"""The IR of an answer as an Anthropic Messages response body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir.response import Response
from proxai_ir.ir.terminal import REFUSAL, RefusalDetails, Terminal, fitted_reason
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import anthropic_messages as wire

from .._lib.objects import Writer
from .._lib.writing import Object, give_back, put
from .parts import BUILD, accepted_call_id, call


def raise_response(response: Response, home: bool, options: Mapping[str, Any]) -> Object:
    candidate = response.candidates[0]
    turn = candidate.turns[0] if candidate.turns else Turn(ASSISTANT, [])
    built: Object = {} if response.id is None else {"id": response.id}
    built["type"], built["role"] = "message", "assistant"
    model = response.model if home or response.model is not None else options.get("model")
    if model is not None:
        built["model"] = model
    built["content"] = _content(turn.parts, response, home)
    if home:
        built.update(own_ending(candidate.terminal))
    else:
        refuses = candidate.terminal.reason is REFUSAL
        wording = "".join(part.text for part in turn.parts if isinstance(part, ir.Refusal)) if refuses else ""
        built.update(ending(candidate.terminal, candidate.calls, wording))
    if response.usage is not None or not home:
        built["usage"] = raise_usage(response.usage or Usage(), home, response)
    return built if response.extra is None else give_back(built, response.extra, home)


def _content(parts: list[ir.Part], response: Response, home: bool) -> list[Object]:
    blocks: list[Object] = []
    for part in parts:
        if type(part) is ir.FunctionCall and part.id is None:
            blocks.append(call(part, home, generated_id(response.id or "", len(blocks))))
        else:
            blocks.append(BUILD[type(part)](part, home))
    return blocks


def generated_id(response_id: str, index: int) -> str:
    """The id of a call that came without one: the answer's own id and the block's position (TUL-17)."""
    return accepted_call_id(f"toolu_{response_id}_{index}")


def ending(terminal: Terminal, calls: bool, wording: str) -> Object:
    """The stop members; `wording` is what the answer itself says of its refusal."""
    built: Object = {"stop_reason": wire.STOP_OF[fitted_reason(terminal.reason, calls)]}
    if terminal.reason is REFUSAL:
        told = terminal.refusal or RefusalDetails()
        explanation = told.explanation if told.explanation is not None else wording or None
        built["stop_details"] = {"type": "refusal", "category": told.category, "explanation": explanation}
    built["stop_sequence"] = terminal.stop_sequence
    return built


def own_ending(terminal: Terminal) -> Object:
    """The stop members as this very protocol had them."""
    built = put({}, stop_reason=terminal.raw)
    if terminal.refusal is not None:
        details = terminal.refusal
        made = put({"type": "refusal"}, category=details.category, explanation=details.explanation)
        built["stop_details"] = give_back(made, details.extra, True)
    built["stop_sequence"] = terminal.stop_sequence
    return give_back(built, terminal.extra, True)


def _served(built: Object, response: Response) -> None:
    """With what urgency the answer was made, which this protocol tells among the usage."""
    if response.tier is not None and response.tier in wire.RESPONSE_TIER_OF:
        built["service_tier"] = wire.RESPONSE_TIER_OF[response.tier]
    if response.fast is not None:
        built["speed"] = wire.SPEED_OF[response.fast]


USAGE = Writer(wire.USAGE)


def raise_usage(usage: Usage, home: bool, response: Response | None = None) -> Object:
    built = USAGE.restore(usage) if home else USAGE.write(usage)
    if response is not None:
        _served(built, response)
    return built
