"""Media types: widespread other names of them, and the types of images and PDFs that the data show (SRC-4)."""

from __future__ import annotations

ALIASES = {
    "application/x-pdf": "application/pdf",
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


RECORDINGS = {
    "UklGR": "audio/wav",
    "SUQz": "audio/mp3",
    "//s": "audio/mp3",
    "//u": "audio/mp3",
    "//p": "audio/mp3",
    "T2dnUw": "audio/ogg",
    "ZkxhQ": "audio/flac",
}
"""The same of recordings, which have no other name where these are looked at; of MP3 by its first frame, too."""


def recorded_type(data: str) -> str | None:
    """Return the type of a recording that the beginning of its data shows, or None if it shows none of these types."""
    return next((mime for beginning, mime in RECORDINGS.items() if data.startswith(beginning)), None)


def shown_type(data: str) -> str | None:
    """Return the type that the beginning of data shows, or None if it shows none of these types."""
    for beginning, mime in BEGINNINGS.items():
        if data.startswith(beginning):
            text, at = CONTAINERS.get(beginning, ("", 0))
            return mime if len(data) < at + len(text) or data.startswith(text, at) else None
    return None


UNTOLD = ("application/octet-stream", "binary/octet-stream")
"""The media types that say nothing about the data."""
PDF = ("JVBER", "application/pdf")
"""The first base64 characters of a PDF, and its type."""


def document_type(mime: str | None, data: str) -> str | None:
    """Return the registered media type of a document; where it says nothing, the type that the data show, if any."""
    name, (beginning, shown) = registered(mime), PDF
    return shown if name in UNTOLD and data.startswith(beginning) else name


def shown_kind(mime: str) -> str:
    """Return the first half of a type, as "image" or "text"."""
    return mime.partition("/")[0].strip().lower()


def registered(mime: str | None) -> str | None:
    """Return the registered name of a type, without parameters."""
    if mime is None:
        return None
    name = mime.partition(";")[0].strip().lower()
    return ALIASES.get(name, name)
