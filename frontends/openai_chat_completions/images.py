"""The images that a model made: the member `images` of messages and deltas, which routers and gateways have.

One in the content of a message is another thing: it keeps its type, so that it goes back there.
"""

from __future__ import annotations

from proxai_ir.ir.parts import Image, Part
from proxai_ir.wire import openai_chat_completions_objects as objects

from .._lib.objects import ObjectReader
from .._lib.reading import Json, Object, keep
from .parts import address

MEMBER = "images"
GENERATED = ObjectReader(objects.GENERATED, {"image_url/url": address})


def read_images(message: Object, known: set[str]) -> list[Image]:
    """The images of a message or delta; a list with anything else in it is left as it is."""
    listed: Json = message.get(MEMBER)
    if not isinstance(listed, list) or not listed or not all(map(_is_image, listed)):
        return []
    known.add(MEMBER)
    return [GENERATED.read(one) for one in listed]


def streamed_images(delta: Object, known: set[str]) -> list[Image]:
    """The same of a delta, where the index says which of the message's images each is."""
    found = read_images(delta, known)
    for image in found:
        if image.extra is not None and image.extra.fields is not None:
            image.extra.fields.pop("index", None)
            image.extra = image.extra if image.extra.fields else None
    return found


def _is_image(given: Json) -> bool:
    if not isinstance(given, dict) or given.get("type", "image_url") != "image_url":
        return False
    place = given.get("image_url")
    return isinstance(place, dict) and isinstance(place.get("url"), str)


def in_content(parts: list[Part]) -> list[Part]:
    """The parts of an assistant's content, its images marked as such."""
    for part in parts:
        if type(part) is Image:
            keep(part, "type", "image_url")
    return parts
