"""Translate between LLM wire protocols through one intermediate representation, and say exactly what was lost.

    proxai_ir.convert(payload, "openai_chat_completions", "anthropic_messages")

Public names are those below and no others. Each is loaded when it is first used, so that importing is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str

    from . import httpx as httpx
    from . import profiles, testing
    from .advice.remedies import remedies
    from .api import check, compile, convert, lower, raise_to
    from .conversion.conversion import Conversion
    from .conversion.profile import Profile
    from .exchange import Exchange, InMemory
    from .ir.envelope import Seals
    from .ir.response import Finish, FinishReason, Usage
    from .protocol import sse
    from .protocol.registry import protocols
    from .reporting.diagnostics import (
        Diagnostic,
        InvalidPayload,
        Severity,
        StreamError,
        TranslationError,
        UnknownProtocol,
        Unrepresentable,
    )
    from .reporting.digest import Finding, Remedy, findings
    from .streaming.converter import StreamConverter
    from .streaming.whole import aconvert_stream, convert_stream

__all__ = [
    "Conversion",
    "Diagnostic",
    "Exchange",
    "Finding",
    "Finish",
    "FinishReason",
    "InMemory",
    "InvalidPayload",
    "Profile",
    "Remedy",
    "Seals",
    "Severity",
    "StreamConverter",
    "StreamError",
    "TranslationError",
    "UnknownProtocol",
    "Unrepresentable",
    "Usage",
    "aconvert_stream",
    "check",
    "compile",
    "convert",
    "convert_stream",
    "findings",
    "lower",
    "profiles",
    "protocols",
    "raise_to",
    "remedies",
    "sse",
    "testing",
]

_MODULES = {"sse": ".protocol.sse", "profiles": ".profiles", "testing": ".testing", "httpx": ".httpx"}
"""Of these `httpx` is not in `__all__`: a star import would take the name of the package."""
_NAMES = {
    ".conversion.conversion": "Conversion",
    ".reporting.diagnostics": "Diagnostic InvalidPayload Severity StreamError TranslationError UnknownProtocol "
    "Unrepresentable",
    ".reporting.digest": "Finding Remedy findings",
    ".advice.remedies": "remedies",
    ".exchange": "Exchange InMemory",
    ".ir.envelope": "Seals",
    ".ir.response": "Finish FinishReason Usage",
    ".conversion.profile": "Profile",
    ".protocol.registry": "protocols",
    ".streaming.converter": "StreamConverter",
    ".streaming.whole": "aconvert_stream convert_stream",
}
"""Where those are that are not in `api`."""
_ELSEWHERE = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(_MODULES[name], __name__)
    if name == "__version__":
        value: Any = _version()
    elif name in __all__:
        value = getattr(import_module(_ELSEWHERE.get(name, ".api"), __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _version() -> str:
    """Return the version of what is installed; "0" for a checkout that is not."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(__name__)
    except PackageNotFoundError:
        return "0"


def __dir__() -> list[str]:
    return sorted(__all__)
