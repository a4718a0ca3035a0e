"""Tools that a request defines, and the choice among them (TUL-2, TUL-6, TUL-7)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from attrs import field

from ..json.classes import define
from .node import Cache, Extra, bookkeeping


@define
class FunctionTool:
    """A tool that the client executes, whose arguments a JSON schema describes.

    `namespace`: the name of its group; names of tools are unique only within a group (TUL-25).
    """

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    namespace: str | None = field(default=None, kw_only=True)


@define
class FreeText:
    """Any text."""

    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Grammar:
    """Text of the language that `definition` describes, in the notation `syntax`: "lark", "regex"."""

    syntax: str
    definition: str
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class UnknownFormat:
    """A format of a type that the official types do not have (UNK-4)."""

    kind: str
    raw: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


InputFormat = FreeText | Grammar | UnknownFormat


@define
class CustomTool:
    """A tool that the client executes, whose input is text of a format; None is the target's default, free text.

    `namespace` as in FunctionTool.
    """

    name: str
    description: str | None = None
    format: InputFormat | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    namespace: str | None = field(default=None, kw_only=True)


@define
class Location:
    """The user's rough location: city, region, ISO country code, IANA time zone."""

    city: str | None = None
    region: str | None = None
    country: str | None = None
    timezone: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class WebSearchTool:
    """Web search that the provider executes. `kind` is the vendor's name of this version of it.

    `searches`: what it searches, as Google calls it: "web_search", "image_search", "enterprise_web_search".
    """

    kind: str
    location: Location | None = None
    context_size: str | None = None
    allowed_domains: list[str] | None = None
    blocked_domains: list[str] | None = None
    max_uses: int | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    searches: list[str] | None = field(default=None, kw_only=True)


@define
class CodeTool:
    """A sandbox in which the provider runs code (TUL-39). `kind` is the vendor's name of this version of it."""

    kind: str
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class McpServer:
    """An MCP server whose tools the provider calls itself, without asking for approval.

    `authorization` is a token for the server, and `http_headers` are its requests' other headers; `allowed_tools` is
    None if all of its tools are.
    """

    name: str
    url: str
    authorization: str | None = None
    allowed_tools: list[str] | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    http_headers: dict[str, Any] | None = field(default=None, kw_only=True)


@define
class McpToolset:
    """A protocol's separate list of the available tools of a server, which its McpServer has as well."""

    server: str
    raw: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class ToolGroup:
    """A vendor's list of tools in a group or in the conversation; the request's tools include them.

    `position`: the number of turns before it, if it is in the conversation.
    """

    kind: str
    raw: dict[str, Any]
    position: int | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class ClientTool:
    """A tool that the client executes, in a form that only its vendor has (TUL-34).

    `function`: the tool as a function, or None if it has no such form. `own_calls`: whether its calls have a form of
    their own, ClientCall; else they are calls of a function.
    """

    kind: str
    raw: dict[str, Any]
    function: FunctionTool | None = None
    own_calls: bool | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class HostedTool:
    """Any other tool that only its vendor has and executes."""

    kind: str
    name: str | None
    raw: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class UnknownTool:
    """A tool of a type that the official types do not have (UNK-3)."""

    kind: str
    raw: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


Tool = (
    FunctionTool
    | CustomTool
    | WebSearchTool
    | CodeTool
    | McpServer
    | McpToolset
    | ToolGroup
    | ClientTool
    | HostedTool
    | UnknownTool
)


@define
class ToolChange:
    """A part of a turn that adds a tool for the turns after it, or removes one (TUL-72).

    `tool`: its definition, if it is here; else `name`, and `server` if it is a tool of an MCP server. A server without
    a name means all its tools. `removed`: the model loses the tool.
    """

    name: str | None
    server: str | None = None
    tool: Tool | None = None
    removed: bool | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


class ChoiceMode(Enum):
    """VALIDATED: the model decides as with AUTO, and the provider enforces the schemas of the calls it makes."""

    AUTO = "auto"
    NONE = "none"
    REQUIRED = "required"
    VALIDATED = "validated"


@define
class Choice:
    """A choice without names: whether the model may or must call tools."""

    mode: ChoiceMode
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class NamedChoice:
    """The one function that the model must call; `namespace` as in FunctionTool, None: any."""

    name: str
    src: Any = bookkeeping()
    extra: Extra | None = None
    namespace: str | None = field(default=None, kw_only=True)


@define
class CustomChoice:
    """The one custom tool that the model must call; `namespace` as in NamedChoice."""

    name: str
    src: Any = bookkeeping()
    extra: Extra | None = None
    namespace: str | None = field(default=None, kw_only=True)


@define
class AllowedChoice:
    """Some of the defined tools, as `called` returns them; `mode` is AUTO, REQUIRED or VALIDATED."""

    mode: ChoiceMode
    tools: list[tuple[str, str]]
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class WebSearchChoice:
    """A choice by which the model must search the web."""

    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class CodeChoice:
    """A choice by which the model must run code."""

    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class HostedChoice:
    """A tool of the provider's own that the model must call."""

    kind: str
    raw: Any
    src: Any = bookkeeping()
    extra: Extra | None = None


KINDS: dict[type, str] = {
    FunctionTool: "function",
    CustomTool: "custom",
    WebSearchTool: "web_search",
    CodeTool: "code_interpreter",
    McpServer: "mcp",
}
"""The kinds of tools in a choice, by class; changes of tools refer to a tool without a name by its kind, too."""


def called(tool: Tool) -> tuple[str, str]:
    """Return the kind and the name of a tool by which a choice refers to it; the name may be ""."""
    kind = KINDS.get(type(tool)) or getattr(tool, "kind", "")
    return str(kind), getattr(tool, "name", None) or ""


def allowed(choice: AllowedChoice, tools: Sequence[Tool]) -> list[Tool]:
    """Return the tools that the choice names."""
    named = set(choice.tools)
    return [tool for tool in tools if called(tool) in named]


def excluded(choice: ToolChoice | None, tools: Sequence[Tool], *classes: type) -> list[Tool]:
    """Return the tools of some classes that a choice of allowed tools excludes (TUL-12)."""
    if not isinstance(choice, AllowedChoice):
        return []
    kept = {id(tool) for tool in allowed(choice, tools)}
    return [tool for tool in tools if isinstance(tool, classes) and id(tool) not in kept]


RUN_BY_CLIENTS = (FunctionTool, CustomTool, ToolGroup, McpToolset)
"""Tools that a provider cannot run itself, and lists of tools that the request has as well."""


def lone_search(tools: Sequence[Tool]) -> WebSearchTool | None:
    """Return the web search of a request if it is the only tool that the provider runs, else None."""
    others = [tool for tool in tools if not isinstance(tool, RUN_BY_CLIENTS)]
    return others[0] if len(others) == 1 and isinstance(others[0], WebSearchTool) else None


ToolChoice = Choice | NamedChoice | CustomChoice | AllowedChoice | WebSearchChoice | CodeChoice | HostedChoice
