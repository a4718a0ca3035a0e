"""Tools of a Chat Completions request, today's and legacy ones, and the choice among them (TUL-2, TUL-5, TUL-7)."""

from __future__ import annotations

from collections.abc import Callable

from proxai_ir import ir
from proxai_ir.json.types import quoted
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_chat_completions as vocabulary
from proxai_ir.wire import openai_chat_completions_objects as wire

from .._lib.objects import ObjectReader, UnionReader
from .._lib.reading import (
    Json,
    Object,
    an_object,
    extra_fields,
    keep,
    pick,
    required,
    tag,
)
from .._lib.schemas import json_schema
from . import anthropic_blocks
from .parts import cache_control


def read_tool(tool: Object) -> ir.Tool:
    kind = tag(tool, "function")
    read = TOOLS.get(kind)
    return ir.UnknownTool(kind, tool, tool) if read is None else read(tool)


FUNCTION_TOOL, LEGACY_FUNCTION = ObjectReader(wire.FUNCTION_TOOL), ObjectReader(wire.LEGACY_FUNCTION)


def read_legacy(function: Object) -> ir.Tool:
    """One of `functions`."""
    result: ir.FunctionTool = LEGACY_FUNCTION.read(function)
    if result.parameters:
        result.parameters = json_schema(result.parameters)
    return result


FLAT_FUNCTION, BLOCK_TOOL = ObjectReader(wire.FLAT_FUNCTION), ObjectReader(wire.BLOCK_TOOL)


def _function(tool: Object) -> ir.Tool:
    read = FUNCTION_TOOL
    if tool.get("function") is None and "name" in tool:
        read = BLOCK_TOOL if "input_schema" in tool else FLAT_FUNCTION
    result: ir.FunctionTool = read.read(tool)
    if result.parameters:
        result.parameters = json_schema(result.parameters)
    given = tool.get("cache_control")
    if given is not None:
        result.cache = cache_control(given)
        if result.cache is None:
            keep(result, "cache_control", given)
    return result


def _format(custom: Object, key: str) -> ir.InputFormat:
    form = an_object(custom, key)
    try:
        return INPUT_FORMATS.read(form)  # type: ignore[no-any-return]
    except Refusal:
        kind = form.get("type")
        return ir.UnknownFormat(kind if isinstance(kind, str) else "", form, form)


INPUT_FORMATS, FLAT_FORMATS = UnionReader(wire.INPUT_FORMATS), UnionReader(wire.FLAT_FORMATS)


def _flat_format(tool: Object, key: str) -> ir.InputFormat:
    form = an_object(tool, key)
    known = form.get("type") == "grammar" and isinstance(form.get("syntax"), str)
    return FLAT_FORMATS.read(form) if known else _format(tool, key)


CUSTOM_TOOL = ObjectReader(wire.CUSTOM_TOOL, {"custom/format": _format})
FLAT_CUSTOM = ObjectReader(wire.FLAT_CUSTOM, {"format": _flat_format})
FLAT_CHOICES = {kind: ObjectReader(declared) for kind, declared in wire.FLAT_CHOICES.items()}


def _custom(tool: Object) -> ir.Tool:
    if not _is_flat(tool):
        return CUSTOM_TOOL.read(tool)  # type: ignore[no-any-return]
    return _function(tool) if "input_schema" in tool else FLAT_CUSTOM.read(tool)


TOOLS: dict[str, Callable[[Object], ir.Tool]] = {
    "function": _function,
    "custom": _custom,
}


WEB_SEARCH = ObjectReader(wire.WEB_SEARCH_OPTIONS)
"""`web_search_options`: this protocol's one hosted tool."""


def read_choice(holder: Object, key: str) -> ir.ToolChoice | None:
    """`tool_choice`; None where the value is not known."""
    value = holder[key]
    if isinstance(value, str):
        mode = ir.ChoiceMode.REQUIRED if value == vocabulary.ANY_TOOL else pick(openai.CHOICE, holder, key)
        return None if mode is None else ir.Choice(mode, (holder, key))
    choice = an_object(holder, key)
    if (flat := FLAT_CHOICES.get(tag(choice, "function"))) is not None and _is_flat(choice):
        return flat.read(choice)  # type: ignore[no-any-return]
    return anthropic_blocks.read_choice(choice, choice.get("type")) or CHOICES.read(choice)


def _is_flat(holder: Object) -> bool:
    """Whether a tool or a choice has its members where Responses has them, not in an object of their own."""
    return "name" in holder and holder.get(holder.get("type") or "function") is None


def _allowed(choice: Object) -> ir.ToolChoice | None:
    allowed = required(choice, "allowed_tools", dict)
    mode = pick({"auto": ir.ChoiceMode.AUTO, "required": ir.ChoiceMode.REQUIRED}, allowed, "mode")
    if mode is None:
        return None
    listed = required(allowed, "tools", list)
    names = [_listed(listed, index) for index in range(len(listed))]
    plain = [{"type": kind, kind: {"name": name}} for kind, name in names]
    inner = extra_fields(allowed, {"mode", "tools"} if listed == plain else {"mode"})
    return ir.AllowedChoice(
        mode, names, choice, extra_fields(choice, {"type", "allowed_tools"}, nested={"allowed_tools": inner})
    )


def _listed(tools: list[Json], index: int) -> tuple[str, str]:
    tool = an_object(tools, index)
    kind = tag(tool)
    if tool.get(kind) is None:  # named by a value, which messages quote as such
        raise Refusal("SHP-2", tool, f"{quoted(kind)} is missing")
    return kind, required(required(tool, kind, dict), "name", str)


CHOICES = UnionReader(wire.CHOICES, {"allowed_tools": _allowed}, other=lambda _: None)


def legacy_choice(holder: Object, key: str) -> ir.ToolChoice | None:
    """The legacy `function_call` of a request: none, auto, or a function's name."""
    value = holder[key]
    if isinstance(value, str):
        mode = pick({"none": ir.ChoiceMode.NONE, "auto": ir.ChoiceMode.AUTO}, holder, key)
        return None if mode is None else ir.Choice(mode, (holder, key))
    choice = an_object(holder, key)
    return ir.NamedChoice(required(choice, "name", str), choice, extra_fields(choice, {"name"}))
