"""How IR nodes contain one another: which fields hold nodes, and the name of the place that they stand in.

The one description of the tree that walks over it share. Places are what target tables speak of: a class may be legal
in one place and lost in another.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from . import error, logprobs, node, parts, request, response, terminal, tools, turns, usage

BOOKKEEPING = frozenset({"src", "extra", "protocol", "headers", "failure", "recap", "recaps", "changes", "pending"})

# field -> place of the nodes in it. A turn's place is that of its role and is found when the turn is visited.
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
    request.Output: {"format": "format", "audio": ""},
    tools.CustomTool: {"format": "input format"},
    tools.FunctionTool: {"cache": ""},
    tools.WebSearchTool: {"location": "", "cache": ""},
    tools.CodeTool: {"cache": ""},
    turns.Turn: {"parts": "role", "settings": ""},
    turns.TurnSettings: {"thinking": "", "output": ""},
    parts.ToolChange: {"tool": "tools", "cache": ""},
    parts.Text: {"citations": "citations", "cache": ""},
    parts.Image: {"source": "image source", "cache": ""},
    parts.Audio: {"source": "audio source", "cache": ""},
    parts.Video: {"source": "video source", "cache": ""},
    parts.Document: {"source": "document source", "cache": ""},
    parts.Chunks: {"parts": "nested"},
    parts.SearchResult: {"parts": "nested", "cache": ""},
    parts.FunctionCall: {"cache": ""},
    parts.WebSearchCall: {"cache": ""},
    parts.WebSearchResult: {"hits": "", "cache": ""},
    parts.McpCall: {"cache": ""},
    parts.McpResult: {"cache": ""},
    parts.CodeCall: {"cache": ""},
    parts.CodeResult: {"cache": ""},
    parts.ToolResult: {"parts": "tool result", "cache": ""},
    response.Response: {"candidates": "", "usage": ""},
    response.Candidate: {"turns": "turns", "terminal": "", "logprobs": ""},
    logprobs.LogProbs: {"text": "", "refusal": ""},
    logprobs.ScoredToken: {"top": ""},
    terminal.Terminal: {"refusal": ""},
}

GROWING: dict[type, tuple[str, ...]] = {
    parts.Text: ("text",),
    parts.Reasoning: ("text",),
    parts.Refusal: ("text",),
    parts.FunctionCall: ("arguments",),
    parts.CustomCall: ("input",),
    parts.McpCall: ("arguments",),
    parts.Audio: ("transcript",),
}
"""Fields that arrive piece by piece in streams."""

KEYED: dict[type, tuple[str, ...]] = {usage.Usage: ("details",)}
"""Fields that map keys of an open set to values; tables judge each key."""

PARTS: tuple[type, ...] = get_args(parts.Part)
SOURCES: tuple[type, ...] = get_args(parts.Source)

PLACE_OF = {role: role.value for role in turns.Role} | dict.fromkeys((turns.SYSTEM, turns.DEVELOPER), "instructions")
"""By role: the place of what stands in its turns."""

# place -> the classes that can stand there
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

FEATURES: tuple[type, ...] = (
    request.Request,
    request.Sampling,
    request.Thinking,
    request.Output,
    request.Speech,
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
    turns.Turn,
    turns.TurnSettings,
    *PARTS,
    parts.WebHit,
    *SOURCES,
    *PLACES["citations"],
    response.Response,
    response.Candidate,
    logprobs.LogProbs,
    logprobs.ScoredToken,
    terminal.Terminal,
    terminal.RefusalDetails,
    usage.Usage,
    error.Error,
)
"""Every class that a target table must judge, field by field."""


def nodes(root: Any) -> Iterator[Any]:
    """A tree's nodes, those that hold others before these."""
    waiting = [root]
    for one in waiting:  # which grows meanwhile
        yield one
        for name in CHILDREN.get(type(one), ()):
            value = getattr(one, name)
            if value is not None:
                waiting += value if isinstance(value, list) else [value]


@cache
def hints(cls: type) -> dict[str, Any]:
    """The types of a class's fields; to find them out takes a while."""
    return get_type_hints(cls)


def is_list(cls: type, field: str) -> bool:
    """Whether a field holds a list of nodes, not one."""
    return any(get_origin(option) is list for option in (hints(cls)[field], *get_args(hints(cls)[field])))


def held_class(cls: type, field: str) -> type:
    """The class of the node, or of the nodes in the list, that a field outside of all places holds."""
    hint = hints(cls)[field]
    options = [option for option in (get_args(hint) or (hint,)) if option is not NoneType]
    listed = [option for option in (hint, *options) if get_origin(option) is list]
    found: type = get_args(listed[0])[0] if listed else options[0]
    return found
