"""The results of MCP tools, in MCP's own shape, which several protocols pass on unchanged."""

from __future__ import annotations

from typing import Any


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
