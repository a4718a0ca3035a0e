"""Tools and the choice among them: canonical output, from a legal tree."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import gemini_interactions_objects as objects

from .._lib.objects import ObjectWriter, UnionWriter
from .._lib.writing import Json, Object, raw, with_extra


def _headers(server: ir.McpServer) -> Object | None:
    return None if server.authorization is None else {"Authorization": f"Bearer {server.authorization}"}


def _allowed(server: ir.McpServer) -> list[Object] | None:
    return None if server.allowed_tools is None else [{"tools": server.allowed_tools}]


TOOLS = UnionWriter(
    objects.TOOLS,
    {
        ir.McpServer: ObjectWriter(objects.TOOLS["mcp_server"], {"headers": _headers, "allowed_tools": _allowed}),
        ir.ClientTool: raw,
        ir.HostedTool: raw,
        ir.UnknownTool: raw,
    },
)


def choice_of(choice: ir.ToolChoice) -> Json:
    if isinstance(choice, ir.Choice):
        word = wire.MODE_OF[choice.mode]
        return word if choice.extra is None else with_extra({"allowed_tools": {"mode": word}}, choice)
    allowed: Object = {}
    if isinstance(choice, ir.NamedChoice):
        allowed = {"mode": "any", "tools": [choice.name]}
    elif isinstance(choice, ir.AllowedChoice):
        allowed = {"mode": wire.MODE_OF[choice.mode], "tools": [name for _, name in choice.tools]}
    return with_extra({"allowed_tools": allowed}, choice)
