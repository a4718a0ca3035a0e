"""One request of a client and its response, through a proxy, sans I/O: `Exchange`, and what it remembers."""

from .exchange import Exchange, ReplyStream
from .memory import InMemory, Memory, Recollection, Unavailable
from .messages import Reply, Upstream

__all__ = ["Exchange", "InMemory", "Memory", "Recollection", "Reply", "ReplyStream", "Unavailable", "Upstream"]
