"""Tools of Converse, and the choice among them (TUL-2, TUL-6, TUL-7)."""

from __future__ import annotations

from proxai_ir.ir import request as ir
from proxai_ir.ir import tools
from proxai_ir.ir.node import Extra
from proxai_ir.wire import bedrock_converse_objects as objects

from .._lib.objects import ObjectReader
from .._lib.reading import Json, Object, an_object, each, extra_fields, missing, required, wrong
from .parts import CACHE_POINT, read_cache


def keep_at(request: ir.Request, path: tuple[str, ...], value: Json) -> None:
    """Keep a member for this protocol, at its path in the request."""
    request.extra = request.extra or Extra()
    fields = request.extra.fields = request.extra.fields or {}
    for name in path[:-1]:
        fields = fields.setdefault(name, {})
    fields[path[-1]] = value


TOOL = ObjectReader(objects.TOOL)


def read_tools(request: ir.Request, config: Object) -> None:
    """Tools; a cache point marks the one before it, and is nothing where none can have it."""
    listed = required(config, "tools", list)
    found: list[tools.Tool] = []

    def add(index: int) -> None:
        one = an_object(listed, index)
        last = next((tool for tool in reversed(found) if isinstance(tool, tools.FunctionTool)), None)
        if one.get("toolSpec") is not None:
            found.append(TOOL(one))
        elif one.get("systemTool") is not None:
            name = required(required(one, "systemTool", dict), "name", str)
            found.append(tools.HostedTool(name, name, one, one))
        elif one.get(CACHE_POINT) is not None and last is not None and last.cache is None:
            last.cache = read_cache(one)
        elif one.get(CACHE_POINT) is not None:
            raise wrong(one, CACHE_POINT, "a tool before it that has no cache point yet", "SHP-5")
        else:
            kind = next((name for name in one if one[name] is not None), None)
            if kind is None:
                raise missing(one, "toolSpec")
            found.append(tools.UnknownTool(kind, one, one))

    each(range(len(listed)), add)
    request.tools = found


def read_choice(request: ir.Request, config: Object) -> None:
    choice = required(config, "toolChoice", dict)
    kind = next((name for name in choice if choice[name] is not None), None)
    if kind not in ("auto", "any", "tool") or len(choice) > 1:
        keep_at(request, ("toolConfig", "toolChoice"), choice)
        return
    inner = required(choice, kind, dict)
    if kind == "tool":
        extra = extra_fields(choice, {"tool"}, nested={"tool": extra_fields(inner, {"name"})})
        request.tool_choice = tools.NamedChoice(required(inner, "name", str), choice, extra)
    else:
        mode = tools.ChoiceMode.AUTO if kind == "auto" else tools.ChoiceMode.REQUIRED
        extra = extra_fields(choice, {kind}, nested={kind: extra_fields(inner, set())})
        request.tool_choice = tools.Choice(mode, choice, extra)
