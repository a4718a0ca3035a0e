"""What the way back needs to know of a request's tools and calls: the option `state`, plain JSON.

| member | what it holds |
| --- | --- |
| `custom_tools` | the names of the custom tools, sent as such or as functions (TUL-19) |
| `tool_names` | the source's name of a tool, by the name that was sent (TUL-25, TUL-26) |
| `namespaces` | the source's namespace of a tool, by the name that was sent (TUL-25) |
| `client_tools` | the kind of the client's tool, by the name of the function that it was sent as (TUL-37) |
| `call_ids` | the ids of the calls in the history, as the source has them (TUL-46) |

All names are those that were sent. An empty member is absent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

CUSTOM_TOOLS = "custom_tools"
TOOL_NAMES = "tool_names"
NAMESPACES = "namespaces"
CLIENT_TOOLS = "client_tools"
CALL_IDS = "call_ids"

LISTS = (CUSTOM_TOOLS, CALL_IDS)
MAPPINGS = (TOOL_NAMES, NAMESPACES, CLIENT_TOOLS)


def is_sound(state: Any) -> bool:
    """Whether a value has the shape that is described above."""
    if not isinstance(state, Mapping) or not set(state) <= {*LISTS, *MAPPINGS}:
        return False
    lists = [state[name] for name in LISTS if name in state]
    mappings = [state[name] for name in MAPPINGS if name in state]
    return all(isinstance(one, (list, tuple)) and _texts(one) for one in lists) and all(
        isinstance(one, Mapping) and _texts(one) and _texts(one.values()) for one in mappings
    )


def _texts(values: Collection[Any] | Any) -> bool:
    return all(isinstance(one, str) for one in values)


def names_of(options: Mapping[str, Any], member: str) -> Mapping[str, str]:
    """One of the mappings, empty where the caller has none."""
    found: Mapping[str, str] = (options.get("state") or {}).get(member) or {}
    return found


def ids_of(options: Mapping[str, Any]) -> Collection[str]:
    """The ids of the calls in the history, none where the caller has no state."""
    found: Collection[str] = (options.get("state") or {}).get(CALL_IDS) or ()
    return found
