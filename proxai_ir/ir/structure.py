"""The structure of the IR: which fields hold nodes, in which places; with copies, versions and digests of trees.

All walks over a tree use this description. Target tables speak of places: a class may be legal in one and lost in
another.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin

import attrs

from ..json.codegen import compiled, evaluated
from ..json.merge import text_of
from ..json.types import hashed
from . import error, node, parts, request, response, tools
from .node import Extra

BOOKKEEPING = frozenset({"src", "extra", "protocol", "headers", "failure", "recap", "recaps", "changes", "pending"})

CHILDREN: dict[type, dict[str, str]] = {
    request.Request: {
        "turns": "turns",
        "tools": "tools",
        "tool_choice": "tool choice",
        "sampling": "",
        "thinking": "",
        "output": "",
        "caching": "",
        "service": "",
        "streaming": "",
        "summary": "",
    },
    request.Output: {"format": "format", "audio": "", "picture": ""},
    tools.CustomTool: {"format": "input format"},
    tools.WebSearchTool: {"location": "", "cache": ""},
    request.Turn: {"parts": "role", "settings": ""},
    request.TurnSettings: {"thinking": "", "output": ""},
    parts.ToolChange: {"tool": "tools", "cache": ""},
    parts.Text: {"citations": "citations", "cache": ""},
    parts.Image: {"source": "image source", "cache": ""},
    parts.Audio: {"source": "audio source", "cache": ""},
    parts.Video: {"source": "video source", "cache": ""},
    parts.Document: {"source": "document source", "cache": ""},
    parts.Chunks: {"parts": "nested"},
    parts.SearchResult: {"parts": "nested", "cache": ""},
    parts.WebSearchResult: {"hits": "", "cache": ""},
    parts.ToolResult: {"parts": "tool result", "cache": ""},
    **{cls: {"cache": ""} for cls in (tools.FunctionTool, tools.CodeTool, parts.FunctionCall, parts.WebSearchCall)},
    **{cls: {"cache": ""} for cls in (parts.McpCall, parts.McpResult, parts.CodeCall, parts.CodeResult)},
    response.Response: {"candidates": "", "usage": ""},
    response.Candidate: {"turns": "turns", "terminal": "", "logprobs": ""},
    response.LogProbs: {"text": "", "refusal": ""},
    response.ScoredToken: {"top": ""},
    response.Terminal: {"refusal": ""},
}
"""The fields with nodes by class, each with the place of its nodes ("": none). That of parts depends on their turn."""

GROWING: dict[type, tuple[str, ...]] = {
    parts.Text: ("text",),
    parts.Reasoning: ("text",),
    parts.Refusal: ("text",),
    parts.FunctionCall: ("arguments",),
    parts.CustomCall: ("input",),
    parts.McpCall: ("arguments",),
    parts.Audio: ("transcript",),
}
"""Fields that arrive in deltas on streams."""

KEYED: dict[type, tuple[str, ...]] = {response.Usage: ("details",)}
"""Fields that map keys of an open set to values; tables judge each key."""

PARTS: tuple[type, ...] = get_args(parts.Part)
SOURCES: tuple[type, ...] = get_args(parts.Source)

PLACE_OF = {role: role.value for role in request.Role} | dict.fromkeys(
    (request.SYSTEM, request.DEVELOPER), "instructions"
)
"""The place of a turn's parts, by its role."""

PLACES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(PLACE_OF.values(), PARTS),
    "tool result": PARTS,
    "nested": PARTS,
    "image source": SOURCES,
    "audio source": SOURCES,
    "video source": SOURCES,
    "document source": SOURCES,
    "citations": get_args(parts.Citation),
    "tools": get_args(tools.Tool),
    "tool choice": get_args(tools.ToolChoice),
    "format": get_args(request.Format),
    "input format": get_args(tools.InputFormat),
}
"""The classes that each place can have."""

FEATURES: tuple[type, ...] = (
    request.Request,
    request.Sampling,
    request.Thinking,
    request.Output,
    request.Speech,
    request.Picture,
    *PLACES["format"],
    *PLACES["input format"],
    request.Caching,
    request.Service,
    request.Streaming,
    request.Summary,
    node.Cache,
    *PLACES["tools"],
    tools.Location,
    *PLACES["tool choice"],
    request.Turn,
    request.TurnSettings,
    *PARTS,
    parts.WebHit,
    *SOURCES,
    *PLACES["citations"],
    response.Response,
    response.Candidate,
    response.LogProbs,
    response.ScoredToken,
    response.Terminal,
    response.RefusalDetails,
    response.Usage,
    error.Error,
)
"""Every class that a target table must judge, field by field."""


def nodes(root: Any) -> Iterator[Any]:
    """Yield the nodes of a tree, each before the nodes in it."""
    waiting = [root]
    for one in waiting:  # the list grows meanwhile
        yield one
        for name in CHILDREN.get(type(one), ()):
            value = getattr(one, name)
            if value is not None:
                waiting += value if isinstance(value, list) else [value]


@cache
def hints(cls: type) -> dict[str, Any]:
    """Return the types of a class's fields."""
    return {one.name: _hint(cls.__module__, one.type) for one in attrs.fields(cls)}


@cache
def _hint(module: str, annotation: Any) -> Any:
    """Return the type that an annotation means, which `typing.get_type_hints` takes six times as long for."""
    if not isinstance(annotation, str):  # cattrs has replaced it by its type
        return annotation
    return evaluated(annotation, vars(sys.modules[module]))


def is_list(cls: type, field: str) -> bool:
    """Return whether a field holds a list of nodes, not one."""
    return any(get_origin(option) is list for option in (hints(cls)[field], *get_args(hints(cls)[field])))


def held_class(cls: type, field: str) -> type:
    """Return the class of the node, or of the nodes in a list, in a field that has no place."""
    hint = hints(cls)[field]
    options = [option for option in (get_args(hint) or (hint,)) if option is not NoneType]
    listed = [option for option in (hint, *options) if get_origin(option) is list]
    found: type = get_args(listed[0])[0] if listed else options[0]
    return found


# --- copies -----------------------------------------------------------------------------------------------------------
# Nodes and lists of nodes are copied. Raw values (schemas, tool input, the source payload behind `src`) are shared, as
# no pass changes them.


T = TypeVar("T")


def copy_tree(node: T) -> T:
    """Return a copy of a node and of all nodes below it."""
    cls: type = type(node)
    made: T = copier(cls)(node)
    return made


@cache
def copier(cls: type) -> Callable[[Any], Any]:
    """Return a generated function that copies nodes of one class, without a loop over the fields."""
    children = CHILDREN.get(cls, {})
    lines = ["def copy_node(node):", "    made = new(cls)"]
    for field in attrs.fields(cls):
        name = field.name
        lines.append(f"    made.{name} = node.{name}")
        if name in children:
            copied = "[copy_tree(one) for one in value]" if is_list(cls, name) else "copy_tree(value)"
            lines += [f"    if (value := node.{name}) is not None:", f"        made.{name} = {copied}"]
    scope = {"cls": cls, "new": object.__new__, "copy_tree": copy_tree}
    made: Callable[[Any], Any] = compiled(f"copier of {cls.__name__}", [*lines, "    return made"], scope)
    return made


# --- versions ---------------------------------------------------------------------------------------------------------
# Whoever adds a class, a field, an enum member or a place raises VERSION once for a release and enters it in SINCE.
# Tables that other packages wrote for an earlier version then give it a default verdict (`Target(…, ir=…, newer=…)`).


VERSION = 2
SINCE: dict[Any, int] = {
    **dict.fromkeys((tools.ToolGroup, tools.ClientTool, tools.CodeTool, tools.CodeChoice, tools.WebSearchChoice), 2),
    **dict.fromkeys((parts.ClientCall, parts.ClientResult, parts.CodeCall, parts.CodeResult, parts.ToolChange), 2),
    **dict.fromkeys((parts.DocumentCitation, request.EnumFormat, request.Summary, request.TurnSettings), 2),
    **{(cls, "namespace"): 2 for cls in (tools.FunctionTool, tools.CustomTool, tools.NamedChoice, tools.CustomChoice)},
    **{(cls, "namespace"): 2 for cls in (parts.FunctionCall, parts.CustomCall)},
    **{(cls, "page"): 2 for cls in (parts.WebSearchCall, parts.WebSearchResult)},
    (parts.Reference, "raw"): 2,
    (error.ErrorCategory, "CONTEXT_LENGTH"): 2,
    (request.Service, "moderation"): 2,
    (request.Request, "hosted_calls"): 2,
    (request.Request, "summary"): 2,
    (request.Turn, "settings"): 2,
    (response.StopReason, "FAILED"): 2,
}
"""The version by class, by (class, field or enum member), by place, or by (place, class); 1 for all others."""


def since(*subjects: Any) -> int:
    """Return the version in which the youngest of these appeared."""
    return max(SINCE.get(subject, 1) for subject in subjects)


# --- digests ----------------------------------------------------------------------------------------------------------


HIDDEN = frozenset({"src", "headers"})


def digest_of(facts: Iterable[Any], trees: Iterable[Any]) -> str:
    """Return a hexadecimal digest of plain values and trees, regardless of the order of members in raw objects."""
    text = repr((*(_by_name(fact) if isinstance(fact, int) else fact for fact in facts), [*map(_ordered, trees)]))
    return hashed(text)


def _ordered(tree: Any) -> Any:
    """Return a copy in which the members of raw objects are sorted."""
    tree = copy_tree(tree)
    for inner in nodes(tree):
        for field in attrs.fields(type(inner)):
            value = getattr(inner, field.name)
            if isinstance(value, Extra):
                setattr(inner, field.name, Extra(_by_name(value.fields)))
            elif isinstance(value, (dict, list, int)) and field.name not in HIDDEN:
                setattr(inner, field.name, _by_name(value))
    return tree


def _by_name(value: Any) -> Any:
    """Return a JSON value with sorted members, and any other value unchanged; deep values rule out recursion."""
    try:
        return json.loads(json.dumps(value, sort_keys=True))
    except TypeError:
        return value
    except ValueError:  # what JSON has no text for: long integers, a caller's value that holds itself
        return text_of(value)
