"""Media types: widespread other names of them, and the types of images that the data show (SRC-4)."""

from __future__ import annotations

ALIASES = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "image/x-webp": "image/webp",
    "image/x-bmp": "image/bmp",
    "image/x-ms-bmp": "image/bmp",
}
"""The registered names of types by their other names."""
AUDIO = {
    "audio/mpeg": "audio/mp3",
    "audio/x-mp3": "audio/mp3",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    **{f"audio/x-{name}": f"audio/{name}" for name in ("aac", "aiff", "flac", "m4a")},
}
"""The types of recordings that are named after a format, by other names of the same format."""
BEGINNINGS = {"iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp"}
"""Types by the first base64 characters of the data."""
CONTAINERS = {"UklGR": ("RUJQ", 12)}
"""The text, and its position, that shows an image after a beginning that other types have as well."""


def shown_type(data: str) -> str | None:
    """Return the type that the beginning of data shows, or None if it shows none of these types."""
    for beginning, mime in BEGINNINGS.items():
        if data.startswith(beginning):
            text, at = CONTAINERS.get(beginning, ("", 0))
            return mime if len(data) < at + len(text) or data.startswith(text, at) else None
    return None


def shown_kind(mime: str) -> str:
    """Return the first half of a type, as "image" or "text"."""
    return mime.partition("/")[0].strip().lower()


def registered(mime: str | None) -> str | None:
    """Return the registered name of a type, without parameters."""
    if mime is None:
        return None
    name = mime.partition(";")[0].strip().lower()
    return ALIASES.get(name, name)
