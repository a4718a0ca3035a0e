"""Which HTTP library a client is of: `httpx2`, which current SDKs use, or `httpx`, which earlier ones do.

They have the same interface, but SDKs take a client of their own library alone. Rule: neither is imported before it is
needed, and the classes here become the library's own where it asks for that.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

NAMES = ("httpx2", "httpx")
MISSING = "proxai_ir.httpx needs httpx2, or httpx for SDKs that use it; install one: pip install 'proxai_ir[httpx]'"

T = TypeVar("T")


def chosen(transport: Any) -> ModuleType:
    """That of the transport; else the one that an SDK has imported; else the first one that is there."""
    for one in type(transport).__mro__:
        if (name := one.__module__.partition(".")[0]) in NAMES:
            return import_module(name)
    loaded = next((module for name in NAMES if (module := sys.modules.get(name))), None)
    return loaded or _first()


def _first() -> ModuleType:
    for name in NAMES:
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
    raise ImportError(MISSING)


@cache
def made(own: type[T], library: ModuleType, base: str) -> type[T]:
    """The class as one of the library's."""
    return type(own.__name__, (own, getattr(library, base)), {"__module__": own.__module__})
