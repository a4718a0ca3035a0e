"""Tools of a Chat Completions request, today's and legacy ones, and the choice among them (TUL-2, TUL-5, TUL-7)."""

from __future__ import annotations

from collections.abc import Callable

from proxai_ir.ir import tools as ir
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
from .parts import cache_control


def read_tool(tool: Object) -> ir.Tool:
    kind = tag(tool, "function")
    read = TOOLS.get(kind)
    return ir.UnknownTool(kind, tool, tool) if read is None else read(tool)


FUNCTION_TOOL, LEGACY_FUNCTION = ObjectReader(wire.FUNCTION_TOOL), ObjectReader(wire.LEGACY_FUNCTION)


def _function(tool: Object) -> ir.Tool:
    result: ir.FunctionTool = FUNCTION_TOOL.read(tool)
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


INPUT_FORMATS = UnionReader(wire.INPUT_FORMATS)
TOOLS: dict[str, Callable[[Object], ir.Tool]] = {
    "function": _function,
    "custom": ObjectReader(wire.CUSTOM_TOOL, {"custom/format": _format}),
}


WEB_SEARCH = ObjectReader(wire.WEB_SEARCH_OPTIONS)
"""`web_search_options`: this protocol's one hosted tool."""


def read_choice(holder: Object, key: str) -> ir.ToolChoice | None:
    """`tool_choice`; None where the value is not known."""
    value = holder[key]
    if isinstance(value, str):
        mode = ir.ChoiceMode.REQUIRED if value == vocabulary.ANY_TOOL else pick(openai.CHOICE, holder, key)
        return None if mode is None else ir.Choice(mode, (holder, key))
    return CHOICES.read(an_object(holder, key))  # type: ignore[no-any-return]


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
