"""Reads reasoning of Chat Completions, which only dialects have: settings, text, details and signatures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from proxai_ir import ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.ir.stream import events
from proxai_ir.wire import openai
from proxai_ir.wire import openai_chat_completions as wire
from proxai_ir.wire import openai_chat_completions_objects as objects

from .._lib.reading import NOTHING, Json, Object, extra_fields, keep
from .._lib.settings import THINKING, Read, word

# --- reasoning --------------------------------------------------------------------------------------------------------
# Reasoning in members of its own: as text, as OpenRouter's `reasoning_details`, and its signatures (RSN-4, RSN-15).
#
# Rule: a signature is Anthropic's only where the `format` of its entry is. Any other seal is one of the router's,
# whatever the format is, so that no protocol takes it for its own. Google's servers have theirs in `extra_content`, of
# a call or of the text of a message (Vertex AI has `vertex` in place of `google`; Google's documentation of thought
# signatures, under OpenAI compatibility, and what both servers send):
#
#     {"extra_content": {"google": {"thought_signature": …}}}
#
# LiteLLM has them in a member of its own, of a call alone, of a message those of all its parts in one list:
#
#     {"provider_specific_fields": {"thought_signature": …}}, {"provider_specific_fields": {"thought_signatures": […]}}

OTHER_NAMES = ("reasoning", "reasoning_text")
MEMBERS = ("reasoning_content", *OTHER_NAMES)
DETAILS = "reasoning_details"
BLOCKS = "thinking_blocks"


def texts_of(holder: Object) -> dict[str, str]:
    """Return the reasoning texts of a message or a delta by member: DeepSeek's `reasoning_content`, or another name."""
    return {key: holder[key] for key in MEMBERS if isinstance(holder.get(key), str) and holder[key]}


class Detail(NamedTuple):
    """An entry of `reasoning_details`; entries with the same `key` continue one another, one with None stands alone."""

    text: str
    seal: ir.Seal | None
    summary: bool
    key: tuple[Json, ...] | None
    src: Any


def read_detail(detail: Json) -> Detail | None:
    """Return an entry of `reasoning_details`, or None if its type is unknown."""
    member = wire.DETAILS.get(detail.get("type") or "") if isinstance(detail, dict) and wire.readable(detail) else None
    if member is None:
        return None
    text, label, index = detail.get(member) or "", detail.get("format") or "unknown", detail.get("index")
    maker, signed, sealed = wire.MAKERS.get(label, (f"openrouter/{label}", "signature", "encrypted"))
    seal: ir.Seal | None
    if member == "data":
        seal = read_seal(text, maker, sealed)
        if seal.provider == maker:
            seal.id = detail.get("id")
        return Detail("", seal, False, None, detail)
    signature = detail.get("signature")
    seal = read_seal(signature, maker, signed) if signature else None
    return Detail(text, seal, member == "summary", (member, index if type(index) is int else None), detail)


def read_block(block: Json) -> Detail | None:
    """Return an entry of LiteLLM's `thinking_blocks`, which have Anthropic's form, or None if it is none."""
    if not wire.readable_block(block):
        return None
    if block["type"] == "redacted_thinking":
        return Detail("", read_seal(block["data"], "anthropic", "redacted"), False, None, block)
    signature = block.get("signature")
    seal = read_seal(signature, "anthropic", "signature") if signature else None
    return Detail(block.get("thinking") or "", seal, False, (BLOCKS,), block)


READERS: dict[str, Callable[[Json], Detail | None]] = {DETAILS: read_detail, BLOCKS: read_block}
"""The reader of an entry, by member."""
OPAQUE = "reasoning_opaque"  # Copilot's
DETAILED = frozenset({*READERS, OPAQUE})


def read_details(holder: Object) -> list[Detail]:
    """Return all entries of reasoning of a message or a delta, from whichever members have them."""
    found: list[Detail] = []
    for member, read in READERS.items():
        given = holder.get(member)
        if isinstance(given, list):
            found += [one for one in map(read, given) if one is not None]
    opaque = holder.get(OPAQUE)
    if isinstance(opaque, str) and opaque:
        src = (holder, OPAQUE)
        found.append(Detail("", read_seal(opaque, "copilot", "encrypted"), False, None, src))
    return found


def read_summary(part: Object) -> ir.Part:
    """Return reasoning among the content parts, as Databricks writes it; its signature does not say whose it is."""
    pieces = part.get("summary")
    texts = [one for one in pieces if _is_summary(one)] if isinstance(pieces, list) else []
    signatures = [one["signature"] for one in texts if one.get("signature")]
    if not isinstance(pieces, list) or len(texts) != len(pieces) or len(signatures) > 1:
        return ir.UnknownPart("reasoning", part, part)
    seal = read_seal(signatures[0], "databricks", "signature") if signatures else None
    text = "\n\n".join(one["text"] for one in texts)
    return ir.Reasoning(text or None, seal, part, extra_fields(part, {"type", "summary"}), True)


def _is_summary(piece: Json) -> bool:
    if not isinstance(piece, dict) or piece.get("type") != "summary_text" or set(piece) - {"type", "text", "signature"}:
        return False
    return isinstance(piece.get("text"), str) and isinstance(piece.get("signature"), (str, type(None)))


def read_reasoning(message: Object, known: set[str]) -> list[ir.Part]:
    """Return the reasoning of a whole message, and add to `known` the members that the parts express completely."""
    found: list[ir.Part] = []
    wanted = ""
    if not DETAILED.isdisjoint(message):
        details = _joined(message)
        wanted = "".join(detail.text for detail in details)
        found += (
            ir.Reasoning(one.text or None, one.seal, one.src, None, one.summary or None)
            for one in details
            if one.text or one.seal is not None
        )
    for key in MEMBERS:
        text = message.get(key)
        if isinstance(text, str) and text:
            if not wanted:  # no detail has it
                wanted = text
                found.insert(0, ir.Reasoning(text, None, (message, key)))
            if text == wanted:
                known.add(key)
    return found


def _joined(message: Object) -> list[Detail]:
    """Return the details, with those that continue one another joined."""
    found: list[Detail] = []
    pieces: list[list[str]] = []
    for one in read_details(message):
        if found and one.key not in (None, (BLOCKS,)) and one.key == found[-1].key and found[-1].seal is None:
            found[-1] = found[-1]._replace(seal=one.seal)
            pieces[-1].append(one.text)
        else:
            found.append(one)
            pieces.append([one.text])
    return [one._replace(text="".join(text)) for one, text in zip(found, pieces, strict=True)]


class Signature(NamedTuple):
    """A signature of Google's, the members that have it, and what else is in each of them."""

    seal: ir.Seal
    members: dict[str, ir.Extra | None]


def read_signature(holder: Object) -> Signature | None:
    """Return the signature of a call, a message or a delta, or None if it has none.

    A gateway may state one signature in several places. Where two differ, the first one counts, and the other is kept.
    """
    if wire.SIGNED_MEMBERS.isdisjoint(holder):
        return None
    wanted: str | None = None
    members: dict[str, ir.Extra | None] = {}
    for member, read in READ_SIGNED.items():
        content = holder.get(member)
        text, rest = read(content, holder) if isinstance(content, dict) else (None, None)
        if text is not None and wanted in (None, text):
            wanted, members[member] = text, rest
    return None if wanted is None else Signature(read_seal(wanted, *wire.GOOGLES), members)


Found = tuple[str | None, ir.Extra | None]


def _extra_content(content: Object, _: Object) -> Found:
    """Return the signature in the member of Google's own servers, and the rest of that member."""
    for signer in wire.SIGNERS:
        inner = content.get(signer)
        if isinstance(inner, dict) and isinstance(text := inner.get(wire.SIGNATURE), str) and text:
            return text, extra_fields(content, {signer}, nested={signer: extra_fields(inner, {wire.SIGNATURE})})
    return None, None


def _provider_fields(content: Object, holder: Object) -> Found:
    """Return the signature in LiteLLM's member, and the rest of that member."""
    text = content.get(wire.SIGNATURE)
    if isinstance(text, str) and text:
        return text, extra_fields(content, {wire.SIGNATURE})
    own = objects.own_signatures(content, holder)
    if not own:
        return None, None
    rest = extra_fields(content, {wire.SIGNATURES})
    others = [one for one in own if one != own[0]]
    if others:
        rest = ir.Extra({**((rest and rest.fields) or {}), wire.SIGNATURES: others})
    return own[0], rest


READ_SIGNED: dict[str, Callable[[Object, Object], Found]] = {
    wire.EXTRA_CONTENT: _extra_content,
    wire.PROVIDER_FIELDS: _provider_fields,
}


class SignedParts:
    """The signatures of the parts of a stream, of which each has one: the last that is sent for it (RSN-4)."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[ir.Seal, events.UnmappedFields]] = {}

    def note(self, part: int, seal: ir.Seal, lost: events.UnmappedFields) -> list[events.Event]:
        """Note the signature of a part, with the event of its loss, and return that of another that the part had."""
        before, self._last[part] = self._last.get(part), (seal, lost)
        return [] if before is None or before[0] == seal else [before[1]]


def lost_signature(about: str, where: int, holder: Object) -> events.UnmappedFields:
    """Return the event of the loss of the signature that a delta or a fragment of a call has."""
    members = {member: holder[member] for member in READ_SIGNED if member in holder}
    return events.UnmappedFields(about, ir.Extra(members), where, holder)


def sign(turn: ir.Turn, message: Object, known: set[str]) -> Mapping[str, ir.Extra | None]:
    """Set the signature of a message on its last text; without text it becomes a part of its own.

    Returns the rest of the members that have it, which are then known.
    """
    found = read_signature(message)
    if found is None:
        return NOTHING
    known.update(found.members)
    texts = [part for part in turn.parts if isinstance(part, ir.Text) and part.text]
    if texts:
        texts[-1].seal = found.seal
        if isinstance(texts[-1].src, tuple):  # a place that has no signature
            texts[-1].src = message
    else:
        turn.parts.append(ir.Reasoning(None, found.seal, (message, next(iter(found.members)))))
    return found.members


# --- thinking ---------------------------------------------------------------------------------------------------------
# How a request controls thinking: OpenAI's `reasoning_effort`, and the members of dialects (RSN-1 to RSN-3), which
# spec/dialects.md lists.
#
# Rule 1: thinking that is enabled without a budget is adaptive in the IR: the model decides how much it thinks.
# Rule 2: members are kept as they are for their own protocol; of two that contradict each other the first one counts.

Path = tuple[str, ...]
read_effort_word = word(THINKING, "effort", "reasoning_effort", openai.EFFORT)


def effort(request: ir.Request, payload: Object) -> None:
    if payload["reasoning_effort"] == openai.NO_EFFORT:
        THINKING(request, payload).mode = ir.ThinkingMode.DISABLED
    else:
        read_effort_word(request, payload)
    if not wire.THINKING.keys().isdisjoint(payload):
        keep(request, "reasoning_effort", payload["reasoning_effort"])


def _own(request: ir.Request, payload: Object, key: str) -> tuple[ir.Thinking, Object]:
    """Return the group and the value of a dialect's member, which is also kept as it is."""
    value = payload[key]
    keep(request, key, value)
    return THINKING(request, payload), value if isinstance(value, dict) else {}


def _switch(thinking: ir.Thinking, on: Json, path: Path) -> None:
    if type(on) is bool:
        _set_mode(thinking, ir.ThinkingMode.ADAPTIVE if on else ir.ThinkingMode.DISABLED, path)


def _set_mode(thinking: ir.Thinking, mode: ir.ThinkingMode, path: Path) -> None:
    if thinking.mode is None:
        thinking.mode = mode
    elif (thinking.mode is ir.ThinkingMode.DISABLED) != (mode is ir.ThinkingMode.DISABLED):
        _ignore(thinking, path)


def _budget(thinking: ir.Thinking, tokens: Json, path: Path) -> None:
    """Set the budget, which also requests thinking, unless that is switched off."""
    if type(tokens) is not int:
        return
    if thinking.mode is ir.ThinkingMode.DISABLED or thinking.budget not in (None, tokens):
        _ignore(thinking, path)
    else:
        thinking.budget, thinking.mode = tokens, ir.ThinkingMode.ENABLED


def _ignore(thinking: ir.Thinking, path: Path) -> None:
    """Keep a member that contradicts an earlier one."""
    value: Json = thinking.src
    for key in path:
        value = value[key]
    for key in path[:0:-1]:
        value = {key: value}
    keep(thinking, path[0], value)


def _thinking(request: ir.Request, payload: Object) -> None:
    thinking, given = _own(request, payload, "thinking")
    mode = wire.THINKING_TYPES.get(given["type"]) if isinstance(given.get("type"), str) else None
    if mode is not None:
        _set_mode(thinking, mode, ("thinking", "type"))
    _budget(thinking, given.get("budget_tokens"), ("thinking", "budget_tokens"))


def _reasoning(request: ir.Request, payload: Object) -> None:
    thinking, given = _own(request, payload, "reasoning")
    level = given.get("effort")
    if level == openai.NO_EFFORT:
        _switch(thinking, False, ("reasoning", "effort"))
    elif isinstance(level, str) and level in openai.EFFORT:
        if thinking.effort is None:
            thinking.effort = openai.EFFORT[level]
        elif thinking.effort is not openai.EFFORT[level]:
            _ignore(thinking, ("reasoning", "effort"))
    _switch(thinking, given.get("enabled"), ("reasoning", "enabled"))
    _budget(thinking, given.get("max_tokens"), ("reasoning", "max_tokens"))
    if given.get("exclude") is True:
        thinking.display = ir.Display.OMITTED
    elif given.get("summary") in wire.SUMMARIES and thinking.display is None:
        thinking.display = ir.Display.SUMMARIZED
        if thinking.mode is None and thinking.effort is None:  # as in Responses: what is shown is wanted
            thinking.mode = ir.ThinkingMode.ADAPTIVE


def _enable(request: ir.Request, payload: Object) -> None:
    thinking, _ = _own(request, payload, "enable_thinking")
    _switch(thinking, payload["enable_thinking"], ("enable_thinking",))


def _tokens(request: ir.Request, payload: Object) -> None:
    thinking, _ = _own(request, payload, "thinking_budget")
    _switch(thinking, payload.get("enable_thinking"), ("enable_thinking",))
    _budget(thinking, payload["thinking_budget"], ("thinking_budget",))


def _template(request: ir.Request, payload: Object) -> None:
    """Read the arguments of the template that makes a prompt of the messages."""
    thinking, given = _own(request, payload, "chat_template_kwargs")
    for key in ("enable_thinking", "thinking"):
        _switch(thinking, given.get(key), ("chat_template_kwargs", key))


def _include(request: ir.Request, payload: Object) -> None:
    thinking, _ = _own(request, payload, "include_reasoning")
    if payload["include_reasoning"] is False:
        thinking.display = ir.Display.OMITTED


def _format(request: ir.Request, payload: Object) -> None:
    thinking, _ = _own(request, payload, "reasoning_format")
    if payload["reasoning_format"] == "hidden":
        thinking.display = ir.Display.OMITTED


def _google(request: ir.Request, payload: Object) -> None:
    """Read the settings that only Google's servers of this protocol have."""
    value = payload["extra_body"]
    inner = value.get("google") if isinstance(value, dict) else None
    config = inner.get("thinking_config") if isinstance(inner, dict) else None
    if not isinstance(config, dict):
        keep(request, "extra_body", value)
        return
    thinking, _ = _own(request, payload, "extra_body")
    path = ("extra_body", "google", "thinking_config")
    level, budget, shown = (config.get(key) for key in ("thinking_level", "thinking_budget", "include_thoughts"))
    if isinstance(level, str) and (effort := openai.EFFORT.get(level.lower())) is not None:
        if thinking.effort is None:
            thinking.effort = effort
        elif thinking.effort is not effort:
            _ignore(thinking, (*path, "thinking_level"))
    if budget in wire.SWITCHES:
        _switch(thinking, wire.SWITCHES[budget], (*path, "thinking_budget"))
    else:
        _budget(thinking, budget, (*path, "thinking_budget"))
    if type(shown) is bool:
        thinking.display = ir.Display.SUMMARIZED if shown else ir.Display.OMITTED
        if shown and thinking.mode is None and thinking.effort is None:
            thinking.mode = ir.ThinkingMode.ADAPTIVE


def _prompt(request: ir.Request, payload: Object) -> None:
    """Read Mistral's choice of the prompt with which its models reason."""
    thinking, _ = _own(request, payload, "prompt_mode")
    _switch(thinking, payload["prompt_mode"] == wire.REASONING_PROMPT or None, ("prompt_mode",))


THINKING_READERS: Mapping[str, Read] = {
    "reasoning_effort": effort,
    "thinking": _thinking,
    "reasoning": _reasoning,
    "enable_thinking": _enable,
    "thinking_budget": _tokens,
    "chat_template_kwargs": _template,
    "include_reasoning": _include,
    "reasoning_format": _format,
    "prompt_mode": _prompt,
    "extra_body": _google,
}


# --- dialects ---------------------------------------------------------------------------------------------------------
# Where servers that are compatible with Chat Completions differ from it: spec/dialects.md lists the members that show
# it, with the servers and the rules. No server is identified by name: the members of the payload decide.

CHUNKS = (*"chat.completion.chunk chat.completion chat.completion.done chat.reasoning chat.reasoning.done".split(), "")
"""The `object` of chunks; it is empty in those with the verdict of a filter, which belong to no response. Another word
is an unmapped field (UNK-6), as in whole responses."""


def usage_on_chunk(chunk: Object) -> Object | None:
    """Return the usage that a chunk with choices reports, in whatever member."""
    found = chunk.get("usage") or _inside(chunk.get("x_groq"))
    if not found:
        for choice in chunk["choices"]:
            found = found or _inside(choice)
    return found if isinstance(found, dict) else None


def _inside(holder: Json) -> Json:
    return holder.get("usage") if isinstance(holder, dict) else None


def thinking_text(pieces: list[Json]) -> str | None:
    """Return the text of a thinking part, which consists of pieces, or None if no piece is text."""
    texts = [piece["text"] for piece in pieces if is_text_piece(piece)]
    return "".join(texts) if texts or not pieces else None


def is_text_piece(piece: Json) -> bool:
    return isinstance(piece, dict) and piece.get("type") == "text" and isinstance(piece.get("text"), str)


def plain_thinking(pieces: list[Json]) -> bool:
    """Return whether a thinking part has the form that is written for reasoning: one piece with a text."""
    return len(pieces) == 1 and is_text_piece(pieces[0]) and len(pieces[0]) == 2 and pieces[0]["text"] != ""
