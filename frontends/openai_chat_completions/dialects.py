"""Where servers that are compatible with OpenAI differ from it in responses and streams, each with what shows it.

Nothing here asks for a server's name: a member that is there is the evidence, whoever sends it.

| evidence | servers | read as |
| --- | --- | --- |
| `usage` of a chunk with choices | Mistral, DeepSeek, GLM, OpenRouter | usage, with or after the end (STR-4) |
| `x_groq.usage` of a chunk | Groq | the same |
| `choices[].usage` of a chunk | Kimi | the same |
| content parts of type `thinking`, `closed` | Mistral | reasoning; the last piece may be empty |
| `object: "chat.completion.done"` or `"chat.completion"` of a chunk, `message` beside `delta` | Perplexity | a chunk |
| `id` that is another in each chunk | Cerebras, Groq | the first one (STR-17) |
| `[DONE]` without a `finish_reason` | Gemini's gateways | an ending without a reason (STS-10) |
| `content` that is an object | Cloudflare | its JSON text (OUT-9) |
| `finish_reason: "content_filter"` without `message` | Azure | an empty, filtered choice |
| chunks with `choices: []` and no usage | Azure, Copilot | nothing but facts about the response (UNK-6) |
| tool calls with `id: ""` | LM Studio and other local servers | calls without an id |
"""

from __future__ import annotations

import orjson

from proxai_ir.diagnostics import Refusal

from .._lib.reading import Json, Object

CHUNKS = ("chat.completion.chunk", "chat.completion", "chat.completion.done", "")
"""The `object` of chunks; it is empty in those that have the verdict of a filter, and belong to no response."""


def usage_on_chunk(chunk: Object) -> Object | None:
    """The usage that a chunk with choices reports, in whatever member."""
    found = chunk.get("usage") or _inside(chunk.get("x_groq"))
    if not found:
        for choice in chunk["choices"]:
            found = found or _inside(choice)
    return found if isinstance(found, dict) else None


def _inside(holder: Json) -> Json:
    return holder.get("usage") if isinstance(holder, dict) else None


def thinking_text(pieces: list[Json]) -> str | None:
    """The text of a thinking part, which comes in pieces; None where no piece is text."""
    texts = [piece["text"] for piece in pieces if is_text_piece(piece)]
    return "".join(texts) if texts or not pieces else None


def is_text_piece(piece: Json) -> bool:
    return isinstance(piece, dict) and piece.get("type") == "text" and isinstance(piece.get("text"), str)


def plain_thinking(pieces: list[Json]) -> bool:
    """Whether a thinking part is as it is written for reasoning: one piece with a text."""
    return len(pieces) == 1 and is_text_piece(pieces[0]) and len(pieces[0]) == 2 and pieces[0]["text"] != ""


def json_text(holder: Object, key: str) -> str:
    """Structured output in place of its text."""
    try:
        return orjson.dumps(holder[key]).decode()
    except TypeError as error:
        raise Refusal("SHP-7", (holder, key), str(error)) from None
