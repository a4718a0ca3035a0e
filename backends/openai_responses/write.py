"""Writes requests, responses and errors as Responses."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.targets.settings import Server
from proxai_ir.wire import openai
from proxai_ir.wire import openai_responses as wire
from proxai_ir.wire import openai_responses_objects as objects

from .._lib.objects import ObjectWriter
from .._lib.writing import Json, Object, filler, with_extra
from .._openai.writing import put_caching, put_service, scored_tokens
from .._openai.writing import raise_error as raise_error
from . import parts
from .rows import accepted_id

# --- request ----------------------------------------------------------------------------------------------------------


def raise_request(request: ir.Request, server: Server) -> Object:
    model = request.model if request.model is not None else server.model
    built: Object = {} if model is None else {"model": model}
    tools = request.tools or []
    groups = parts.groups_among(tools) if tools else []
    _input(built, request, groups)
    if tools:
        parts.put_tools(built, tools, groups)
    if request.tool_choice is not None:
        built["tool_choice"] = parts.choice_of(request.tool_choice)
    put_numbers(built, request)
    if request.sampling is not None:
        put_sampling(built, request.sampling)
        if request.sampling.logprobs:
            built["include"] = [wire.LOGPROBS]
    if request.thinking is not None and (reasoning := parts.reasoning_of(request.thinking)):
        built["reasoning"] = reasoning
    if request.output is not None and (text := parts.text_of(request.output)):
        built["text"] = text
    if request.caching is not None:
        put_caching(built, request.caching, wire.OPTIONS_TTL)
    if request.max_tokens == 0:
        del built["max_output_tokens"]
        built.setdefault("prompt_cache_options", {})[wire.PREWARM] = True
    if request.service is not None:
        put_service(built, request.service)
    if request.streaming is not None:
        _streaming(built, request.streaming)
    return built if request.extra is None else _with_members(built, request)


put_numbers = filler(
    parallel_tool_calls="parallel_tools", max_output_tokens="max_tokens", max_tool_calls="hosted_calls"
)


def _with_members(built: Object, request: ir.Request) -> Object:
    """Return the request with unmapped members: further output in `include`, and references in place of the input."""
    asked = built.get("include", [])
    built = with_extra(built, request)
    if asked and built["include"] is not asked:
        built["include"] = [*asked, *built["include"]]
    if request.turns is None and any(built.get(key) is not None for key in wire.STATE):
        del built["input"]
    return built


# --- the conversation -------------------------------------------------------------------------------------------------


def _input(built: Object, request: ir.Request, groups: list[ir.ToolGroup]) -> None:
    """Write the items; leading instructions of one text have a member of their own (PLC-1)."""
    hoisted, turns = 0, request.turns or []
    if turns and _is_instructions(turns[0]):
        built["instructions"] = turns[0].parts[0].text  # type: ignore[union-attr]
        turns = turns[1:]
        hoisted = 1
    items: list[Object] = []
    customs: set[str] = set()
    for turn in turns:
        items += parts.input_items(turn, customs)
    if request.summary is not None:
        items.append({"type": wire.COMPACTION_TRIGGER})
    built["input"] = parts.with_listings(items, groups, hoisted) if groups else items


def _is_instructions(turn: ir.Turn) -> bool:
    """Return whether a turn can be `instructions`: a developer's role or unmapped members have no place there."""
    return turn.role is ir.SYSTEM and bool(turn.parts) and turn.extra is None and ir.one_text(turn.parts)


# --- messages between agents ------------------------------------------------------------------------------------------


def cleared(payload: Json) -> Json | None:
    """Return a request whose messages between agents have plain texts as `input_text`, not in the place of ciphertext.

    Models of other vendors write them there, and OpenAI would try to decrypt them (RSN-27, PLC-61). None if there are
    none.
    """
    items = payload.get("input")
    if not isinstance(items, list):
        return None
    made = [_cleared(item) for item in items]
    return None if all(new is old for new, old in zip(made, items, strict=True)) else {**payload, "input": made}


def _cleared(item: Json) -> Json:
    parts = item.get("content") if isinstance(item, dict) and item.get("type") == wire.AGENT_MESSAGE else None
    if not isinstance(parts, list):
        return item
    made = [_as_text(part) if wire.is_clear(part) else part for part in parts]
    return item if all(new is old for new, old in zip(made, parts, strict=True)) else {**item, "content": made}


def _as_text(part: Object) -> Object:
    others = {name: value for name, value in part.items() if name not in ("type", wire.CIPHER)}
    return {"type": "input_text", "text": part[wire.CIPHER], **others}


# --- settings ---------------------------------------------------------------------------------------------------------

put_sampling = filler(temperature="temperature", top_p="top_p", top_logprobs="top_logprobs")


def _streaming(built: Object, streaming: ir.Streaming) -> None:
    if streaming.stream is not None:
        built["stream"] = streaming.stream
    if streaming.obfuscation is not None:
        built["stream_options"] = {"include_obfuscation": streaming.obfuscation}
    if streaming.extra is not None:
        with_extra(built, streaming)


# --- response ---------------------------------------------------------------------------------------------------------

CREATED = 0  # a time is required (ENV-2)


def raise_response(response: ir.Response, server: Server) -> Object:
    (candidate,) = response.candidates
    built = envelope(response)
    built["output"] = _output(response.id or "", candidate)
    built |= ending(candidate.terminal, server)
    if response.usage is not None:
        built["usage"] = USAGE.write(response.usage)
    return built if response.extra is None else with_extra(built, response)


def envelope(response: ir.Response) -> Object:
    """Return the members that are known before there is any output; those of the request have defaults (ENV-2)."""
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


def ending(terminal: ir.Terminal, server: Server) -> Object:
    """Return the members that state how a response ended (STS-1); the caller names the status of refusals (REF-12)."""
    details = wire.DETAILS_OF.get(terminal.reason)
    built: Object = {
        "status": server.refusal_status if terminal.reason is ir.REFUSAL else wire.STATUS_OF[terminal.reason],
        "error": None,
        "incomplete_details": None if details is None else {"reason": details},
    }
    if terminal.extra is None:
        return built
    stated = with_extra({**built}, terminal)
    reason = wire.reason_of(stated["status"], stated["incomplete_details"])
    return stated if wire.STATUS_OF[reason] == wire.STATUS_OF[terminal.reason] else built


# --- items ------------------------------------------------------------------------------------------------------------


def _output(response_id: str, candidate: ir.Candidate) -> list[Object]:
    """Return the items of a response, with the ids that they must have (R2A-1)."""
    made = [item for turn in candidate.turns if turn.parts or turn.extra for item in parts.output_items(turn)]
    if made and wire.STATUS_OF[candidate.terminal.reason] == wire.INCOMPLETE:
        last = made[-1]
        if last["type"] in WITH_STATUS:
            last.setdefault("status", wire.INCOMPLETE)
        if (call := candidate.broken_off) is not None and "arguments" in last:
            last["arguments"] = call.arguments  # not the completed ones
    made = [identified(item, response_id, index) for index, item in enumerate(made)]
    if candidate.logprobs is not None:
        _score(made, candidate, candidate.logprobs)
    return made


WITH_STATUS = (parts.MESSAGE, "function_call")


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


def _score(items: list[Object], candidate: ir.Candidate, logprobs: ir.LogProbs) -> None:
    """Write log probabilities to the text that they are of."""
    tokens = logprobs.text or []
    texts = [part for item in items for part in item.get("content", ()) if part.get("type") == "output_text"]
    wording = "".join(token.text for token in tokens) if len(texts) > 1 else ""
    for part in [part for part in texts if part["text"] == wording] or texts[:1]:
        part["logprobs"] = scored_tokens(tokens, [])
        break


# --- usage ------------------------------------------------------------------------------------------------------------

USAGE = ObjectWriter(objects.USAGE)
