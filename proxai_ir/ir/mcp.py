"""What the tools of MCP servers give back, in MCP's own shape, which several protocols hand on as it is."""

from __future__ import annotations

from typing import Any

FAILED = "mcp_tool_execution_error"  # the error that a tool tells in its own words


def texts_of(blocks: Any) -> list[str] | None:
    """The texts of text blocks; None where something else is among them."""
    if not isinstance(blocks, list):
        return None
    said = [one for one in blocks if isinstance(one, dict) and one.get("type") == "text"]
    found = [one["text"] for one in said if isinstance(one.get("text"), str)]
    return found if len(found) == len(blocks) else None


def only_texts(blocks: Any) -> bool:
    """Whether blocks are texts and say nothing besides."""
    return texts_of(blocks) is not None and not any(
        value is not None for one in blocks for key, value in one.items() if key not in ("type", "text")
    )


def wording(error: Any) -> str | None:
    """What an error says: a string, a message, or the texts of the tool itself."""
    if not isinstance(error, dict):
        return error if isinstance(error, str) else None
    texts, message = texts_of(error.get("content")), error.get("message")
    if texts is not None:
        return "".join(texts)
    return message if isinstance(message, str) else None


def only_wording(error: Any) -> bool:
    """Whether an error says nothing besides."""
    if not isinstance(error, dict):
        return isinstance(error, str)
    return error.keys() == {"type", "content"} and error["type"] == FAILED and only_texts(error["content"])
