"""Where servers that are compatible with Chat Completions differ from it, each with the member that shows it.

No server is identified by name: the members of the payload decide. spec/dialects.md describes how they are read, with
the rules. Rows without a module are read here.

| member | servers | module |
| --- | --- | --- |
| `usage` of a chunk with choices | Mistral, DeepSeek, GLM, OpenRouter | |
| `x_groq.usage`, `choices[].usage` of a chunk | Groq, Kimi | |
| reasoning on top of `completion_tokens` | xAI | response |
| content parts of type `thinking`, `closed` | Mistral | |
| `reasoning_content`, `reasoning`, `reasoning_details` | DeepSeek, GLM, Kimi, Qwen, Groq, OpenRouter | reasoning |
| `thinking_blocks`, `reasoning_text`, `reasoning_opaque`, a part `reasoning` | LiteLLM, Copilot, Databricks | same |
| `citations`, `search_results` of the envelope | Perplexity | sources |
| `object: "chat.completion.done"`, `message` and `delta` in one choice | Perplexity | |
| an `id` that changes in a stream | Cerebras, Groq | stream |
| `[DONE]` without a `finish_reason` | gateways to Gemini | stream |
| `content` that is an object | Cloudflare | |
| `error` of a choice or next to the choices, `object: "error"` | OpenRouter, vLLM | error |
| another `object` | Text Generation Inference, Azure | response, stream |
| `arguments` that are an object | Text Generation Inference | parts |
| `file_data` that is an address | OpenRouter | parts |
| `finish_reason: "content_filter"` without `message` | Azure | response |
| `choices: []` without `usage` in a chunk | Azure, Copilot | stream |
| `id: ""` of tool calls | LM Studio | parts, messages |
| `thinking`, `reasoning`, `enable_thinking` and others of requests | DeepSeek, OpenRouter, Qwen, vLLM | thinking |
| `random_seed`, `tool_choice: "any"`, `prefix` | Mistral | request |
| `service_tier: "on_demand"` | Groq | request |
| `audio_url`, `image_url` of a PDF | vLLM, gateways | parts |
| `image_url` that is a string, `document_url`, `file_url`, `video_url` | Mistral, Perplexity, GLM, OpenRouter | parts |
| `cache_control` | OpenRouter, LiteLLM | parts |
| tools and choices without an object of their own | Cursor | tools |
| blocks, tools and choices of Anthropic's | Cursor | anthropic_blocks |
| `extra_body` | Google | thinking |
"""

from __future__ import annotations

from .._lib.reading import Json, Object

CHUNKS = (
    "chat.completion.chunk",
    "chat.completion",
    "chat.completion.done",
    "chat.reasoning",
    "chat.reasoning.done",
    "",
)
"""The `object` of chunks; it is empty in those that have the verdict of a filter, and belong to no response. Another
word is an unmapped field (UNK-6), as of whole responses."""


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
