"""What the first bytes of data say of its media type, for servers that compare it with the one that is stated (IMG-7).

Rule: looks at the first characters of the base64 text alone, and says nothing where they are not known.
"""

from __future__ import annotations

from binascii import Error, a2b_base64

BEGINNINGS = {
    "/9j/": "image/jpeg",
    "iVBORw0KGgo": "image/png",
    "R0lGOD": "image/gif",
    "JVBERi": "application/pdf",
}
"""By how the base64 text of such data begins."""
RIFF = "UklGR"
"""How containers of WebP and of sound begin; which of them it is stands behind their length."""


def type_of(data: str) -> str | None:
    """The media type that base64 data shows."""
    if data.startswith(RIFF):
        return "image/webp" if _inside(data) == b"WEBP" else None
    return next((name for beginning, name in BEGINNINGS.items() if data.startswith(beginning)), None)


def _inside(data: str) -> bytes:
    try:
        return a2b_base64(data[:16])[8:12]
    except Error:
        return b""
