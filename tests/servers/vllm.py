"""vLLM's server of Chat Completions: unknown members are ignored, its pydantic models check the others.

Evidence: `vllm/entrypoints/openai` (ChatCompletionRequest and its validators) and `vllm/entrypoints/chat_utils.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import chat
from .compatible_chat import choice, custom_tool, first_system
from .support import Headers, Json, collect, words

# MM_PARSER_MAP: the types of parts that are parsed; any other is "Unknown part type".
PARTS = words(
    """
    text thinking input_text output_text input_image image_url image_embeds audio_embeds audio_url input_audio refusal
    video_url
    """
)


def part(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        for one in chat.parts(message):
            if one["type"] not in PARTS:
                yield f"messages[{at}]: {one['type']}"


# ResponseFormat.type: Literal["text", "json_object", "json_schema", "structural_tag"].
def response_format(request: Json, headers: Headers) -> Iterator[str]:
    wanted = (request.get("response_format") or {}).get("type", "text")
    if wanted not in ("text", "json_object", "json_schema", "structural_tag"):
        yield repr(wanted)


CHECKS = (*chat.CHECKS, first_system, part, response_format, custom_tool, choice)


def refusals(request: Json, headers: Headers) -> list[str]:
    return collect(CHECKS, request, headers)
