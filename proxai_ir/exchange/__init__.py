"""One request of a client and its response, through a proxy, sans I/O: `Exchange`, and what it remembers."""

from .exchange import Exchange
from .memory import InMemory, Memory, Recollection, Unavailable
from .messages import Reply, Upstream
from .stream import ReplyStream

__all__ = ["Exchange", "InMemory", "Memory", "Recollection", "Reply", "ReplyStream", "Unavailable", "Upstream"]
