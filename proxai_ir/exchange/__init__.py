"""One request of a client and its response, through a proxy, sans I/O: `Exchange`, and what it remembers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..streaming.hook import Denied, Hook, HookCall
    from .exchange import Exchange
    from .memory import InMemory, Memory, Recollection, Unavailable
    from .messages import Reply, Upstream
    from .reply_stream import ReplyStream

__all__ = [
    "Denied",
    "Exchange",
    "Hook",
    "HookCall",
    "InMemory",
    "Memory",
    "Recollection",
    "Reply",
    "ReplyStream",
    "Unavailable",
    "Upstream",
]

_MODULES = {
    **dict.fromkeys(("Denied", "Hook", "HookCall"), "..streaming.hook"),
    "Exchange": ".exchange",
    **dict.fromkeys(("Reply", "Upstream"), ".messages"),
    "ReplyStream": ".reply_stream",
}
"""Where those are that are not in `memory`."""


def __getattr__(name: str) -> Any:
    """Return a public name; its module is loaded when it is first used, since not all who use this package need it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, ".memory"), __name__), name)
