"""Images whose media type is misspelt, missing, or not that of their data: every target gets the right one (SRC-4),
wherever they stand.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir.protocol.registry import protocols

Json = Any
CHAT, MESSAGES = "openai_chat_completions", "anthropic_messages"
PNG, JPEG, WEBP = "iVBORw0KGgoAAAAN", "/9j/4AAQSkZJRgABAQAA", "UklGRiQAAABXRUJQVlA4"
MISSPELT = [
    ("image/jpg", JPEG, "jpeg"),
    ("image/JPEG", JPEG, "jpeg"),
    ("image/pjpeg", JPEG, "jpeg"),
    ("image/x-png", PNG, "png"),
    ("image/png", JPEG, "jpeg"),
    ("image/jpeg", PNG, "png"),
    ("image/png", WEBP, "webp"),
    ("application/octet-stream", PNG, "png"),
    ("image/jpg", "AAAA", "jpeg"),
    ("IMAGE/PNG", "AAAA", "png"),
]
"""A type, data, and the kind of image that it is: that of the data, where they show one."""
UNTYPED = {"ollama_chat"}
"""The protocol has the data alone."""
ADDRESSES = {"cohere_v2_chat"}
"""The protocol takes images by their address alone, which may hold the data, and none in results."""
REQUESTS: Json = {
    "user": (
        CHAT,
        lambda mime, data: {
            "model": "m",
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "image_url", "image_url": {"url": f"data:{mime};base64,{data}"}}],
                }
            ],
        },
    ),
    "tool result": (
        MESSAGES,
        lambda mime, data: {
            "model": "m",
            "max_tokens": 64,
            "tools": [{"name": "look", "input_schema": {"type": "object", "properties": {}}}],
            "messages": [
                {"role": "user", "content": "Look."},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}]},
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "toolu_1",
                            "content": [
                                {
                                    "type": "image",
                                    "source": {"type": "base64", "media_type": mime, "data": data},
                                }
                            ],
                        }
                    ],
                },
            ],
        },
    ),
}


def kinds(value: Json) -> set[str]:
    """What a payload says of its images: media types, in data URLs too, and formats."""
    if isinstance(value, list):
        return set().union(*map(kinds, value))
    if isinstance(value, str):
        return {value[5:].partition(";")[0]} if value.startswith("data:") else set()
    if not isinstance(value, dict):
        return set()
    named = {str(value[name]) for name in ("media_type", "mime_type", "mimeType", "format") if name in value}
    return named.union(*map(kinds, value.values()))


@pytest.mark.parametrize("place", REQUESTS)
@pytest.mark.parametrize("target", sorted(protocols()))
def test_every_target_gets_the_right_type(target: str, place: str) -> None:
    source, made = REQUESTS[place]
    if target == source:
        return  # it comes back as it is (LOS-4)
    for mime, data, kind in MISSPELT:
        done = proxai_ir.compile(made(mime, data), source, target, kind="request")
        assert data in json.dumps(done.output), (mime, data)
        rules = [one.rule for one in done.diagnostics if one.rule.startswith(("SRC", "IMG"))]
        if target in UNTYPED:
            assert kinds(done.output) == set()
            continue
        assert kinds(done.output) <= {kind, f"image/{kind}"}, (mime, data)
        assert "SRC-4" in rules, (mime, data)


@pytest.mark.parametrize("target", sorted(protocols()))
def test_a_right_type_stays(target: str) -> None:
    source, made = REQUESTS["user"]
    if target != source:
        for mime, data in (("image/png", PNG), ("image/jpeg", JPEG), ("image/jpeg", "AAAA")):
            found = proxai_ir.compile(made(mime, data), source, target, kind="request").diagnostics
            assert not [one for one in found if one.rule == "SRC-4"]


@pytest.mark.parametrize("target", sorted(protocols()))
def test_what_no_target_takes_is_refused_still(target: str) -> None:
    """Such as a drawing whose data are of no type that is known by its beginning."""
    source, made = REQUESTS["user"]
    if target in (MESSAGES, "bedrock_converse", "gemini_generate_content", "openai_responses"):
        with pytest.raises(proxai_ir.Unrepresentable) as caught:
            proxai_ir.compile(made("image/svg+xml", "PHN2Zz48L3N2Zz4="), source, target, kind="request")
        assert caught.value.rule == "SRC-3"
