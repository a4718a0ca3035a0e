"""Calls that are no functions: of tools that the client runs in their vendor's form (TUL-34), runs of code (TUL-39).

ClientTool and CodeTool define the tools. The results of MCP tools have MCP's own shape, which several protocols pass on
unchanged.
"""

from __future__ import annotations

from typing import Any

from attrs import define, field

from .node import Cache, Extra, bookkeeping


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
    """What a ClientTool of this kind returned; `is_error` as a ToolResult's. `text` None: it is not text."""

    kind: str
    call_id: str
    text: str | None
    src: Any = bookkeeping()
    extra: Extra | None = None
    is_error: bool | None = field(default=None, kw_only=True)
    raw: dict[str, Any] | None = field(default=None, kw_only=True)


PYTHON, BASH = "python", "bash"


@define
class CodeCall:
    """A run of code; `language` is PYTHON or BASH. While it streams, its code comes as a whole."""

    id: str
    code: str
    language: str
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class CodeResult:
    """What a run wrote and how it ended. `language`: of its call. `error`: the provider's word for why it did not run.

    `stdout` has all output where the source does not separate the two streams; `stderr` is None then.
    """

    call_id: str
    language: str
    stdout: str
    stderr: str | None = None
    exit_code: int | None = None
    error: str | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


def texts_of(blocks: Any) -> list[str] | None:
    """The texts of text blocks; None where something else is among them."""
    if not isinstance(blocks, list):
        return None
    texts = [one for one in blocks if isinstance(one, dict) and one.get("type") == "text"]
    found = [one["text"] for one in texts if isinstance(one.get("text"), str)]
    return found if len(found) == len(blocks) else None


def only_texts(blocks: Any) -> bool:
    """Whether blocks are texts without other members."""
    return texts_of(blocks) is not None and not any(
        value is not None for one in blocks for key, value in one.items() if key not in ("type", "text")
    )


def wording(error: Any) -> str | None:
    """The wording of an error: a string, a message, or the texts of the tool itself."""
    if not isinstance(error, dict):
        return error if isinstance(error, str) else None
    texts, message = texts_of(error.get("content")), error.get("message")
    if texts is not None:
        return "".join(texts)
    return message if isinstance(message, str) else None


def only_wording(error: Any, kind: str) -> bool:
    """Whether an error holds no more than its wording; `kind` is the type of the error of a tool that failed."""
    if not isinstance(error, dict):
        return isinstance(error, str)
    return error.keys() == {"type", "content"} and error["type"] == kind and only_texts(error["content"])
