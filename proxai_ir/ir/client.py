"""Calls of tools that the client runs in a form that only their vendor has (TUL-34); ClientTool defines such a tool."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from .node import Extra, bookkeeping


@define
class ClientCall:
    """A call that the client must execute, of a ClientTool of this kind. `arguments` as a FunctionCall's.

    `raw`: the call in the form of its vendor. `name`: what the tool is called as a function; None: it has no such form.
    """

    kind: str
    id: str
    arguments: str | dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None
    raw: dict[str, Any] | None = field(default=None, kw_only=True)
    name: str | None = field(default=None, kw_only=True)


@define
class ClientResult:
    """What a ClientTool of this kind returned; `is_error` as a ToolResult's."""

    kind: str
    call_id: str
    text: str
    src: Any = bookkeeping()
    extra: Extra | None = None
    is_error: bool | None = field(default=None, kw_only=True)
    raw: dict[str, Any] | None = field(default=None, kw_only=True)
