"""Where servers that are compatible with OpenAI differ from it in responses and streams, each with what shows it.

Nothing here asks for a server's name: a member that is there is the evidence, whoever sends it.

| evidence | servers | read as |
| --- | --- | --- |
| `usage` of a chunk with choices | Mistral, DeepSeek, GLM, OpenRouter | usage, with or after the end (STR-4) |
| `x_groq.usage` of a chunk | Groq | the same |
| `choices[].usage` of a chunk | Kimi | the same |
"""

from __future__ import annotations

from .._lib.reading import Json, Object


def usage_on_chunk(chunk: Object) -> Object | None:
    """The usage that a chunk with choices reports, in whatever member."""
    found = chunk.get("usage") or _inside(chunk.get("x_groq"))
    if not found:
        for choice in chunk["choices"]:
            found = found or _inside(choice)
    return found if isinstance(found, dict) else None


def _inside(holder: Json) -> Json:
    return holder.get("usage") if isinstance(holder, dict) else None
