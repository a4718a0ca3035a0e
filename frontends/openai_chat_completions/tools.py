"""Tools of a Chat Completions request, today's and legacy ones, and the choice among them (TUL-2, TUL-5, TUL-7)."""

from __future__ import annotations

from proxai_ir.ir import tools as ir
from proxai_ir.json.types import quoted
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.objects import ObjectReader
from .._lib.reading import (
    Json,
    Object,
    an_object,
    extra_fields,
    keep,
    optional,
    pick,
    required,
    tag,
)
from .parts import marker


def read_tool(tool: Object) -> ir.Tool:
    kind = tag(tool, "function")
    read = TOOLS.get(kind)
    return ir.UnknownTool(kind, tool, tool) if read is None else read(tool)


FUNCTION_TOOL, LEGACY_FUNCTION = ObjectReader(wire.FUNCTION_TOOL), ObjectReader(wire.LEGACY_FUNCTION)
WEB_SEARCH = ObjectReader(wire.WEB_SEARCH_OPTIONS)


def _function(tool: Object) -> ir.Tool:
    result: ir.FunctionTool = FUNCTION_TOOL.read(tool)
    given = tool.get("cache_control")
    if given is not None:
        result.cache = marker({"cache_control": given})[0]
        if result.cache is None:
            keep(result, "cache_control", given)
    return result


def read_function(function: Object) -> ir.Tool:
    """An entry of the legacy `functions`."""
    return LEGACY_FUNCTION.read(function)  # type: ignore[no-any-return]


def _custom(tool: Object) -> ir.Tool:
    custom = required(tool, "custom", dict)
    given = optional(custom, "format", dict)
    inner = extra_fields(custom, {"name", "description", "format"})
    return ir.CustomTool(
        required(custom, "name", str),
        optional(custom, "description", str),
        None if given is None else _format(given),
        tool,
        extra_fields(tool, {"type", "custom"}, nested={"custom": inner}),
    )


def _format(form: Object) -> ir.InputFormat:
    kind, grammar = form.get("type"), form.get("grammar")
    if kind == "text":
        return ir.FreeText(form, extra_fields(form, {"type"}))
    if kind != "grammar" or not isinstance(grammar, dict):
        return ir.UnknownFormat(kind if isinstance(kind, str) else "", form, form)
    syntax, definition = grammar.get("syntax"), grammar.get("definition")
    if not isinstance(syntax, str) or not isinstance(definition, str):
        return ir.UnknownFormat(kind, form, form)
    inner = extra_fields(grammar, {"syntax", "definition"})
    return ir.Grammar(syntax, definition, form, extra_fields(form, {"type", "grammar"}, nested={"grammar": inner}))


TOOLS = {"function": _function, "custom": _custom}


def read_web_search(options: Object) -> ir.WebSearchTool:
    """`web_search_options`: this protocol's one hosted tool."""
    result: ir.WebSearchTool = WEB_SEARCH.read(options)
    return result


def read_choice(holder: Object, key: str) -> ir.ToolChoice | None:
    """`tool_choice`; None where the value is not known."""
    value = holder[key]
    if isinstance(value, str):
        mode = ir.ChoiceMode.REQUIRED if value == wire.ANY_TOOL else pick(openai.CHOICE, holder, key)
        return None if mode is None else ir.Choice(mode, (holder, key))
    choice = an_object(holder, key)
    kind = tag(choice, "function")
    read = CHOICES.get(kind)
    return None if read is None else read(choice)


def _named(choice: Object) -> ir.ToolChoice:
    function = required(choice, "function", dict)
    inner = extra_fields(function, {"name"})
    extra = extra_fields(choice, {"type", "function"}, nested={"function": inner})
    return ir.NamedChoice(required(function, "name", str), choice, extra)


def _named_custom(choice: Object) -> ir.ToolChoice:
    custom = required(choice, "custom", dict)
    inner = extra_fields(custom, {"name"})
    return ir.CustomChoice(
        required(custom, "name", str), choice, extra_fields(choice, {"type", "custom"}, nested={"custom": inner})
    )


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


CHOICES = {"function": _named, "custom": _named_custom, "allowed_tools": _allowed}


def legacy_choice(holder: Object, key: str) -> ir.ToolChoice | None:
    """The legacy `function_call` of a request: none, auto, or a function's name."""
    value = holder[key]
    if isinstance(value, str):
        mode = pick({"none": ir.ChoiceMode.NONE, "auto": ir.ChoiceMode.AUTO}, holder, key)
        return None if mode is None else ir.Choice(mode, (holder, key))
    choice = an_object(holder, key)
    return ir.NamedChoice(required(choice, "name", str), choice, extra_fields(choice, {"name"}))
