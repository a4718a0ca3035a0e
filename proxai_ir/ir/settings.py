"""How a response is made: how much the model thinks, and what the response is made of.

Requests have these settings, and turns that change them (TurnSettings).
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from attrs import define

from .node import Extra, bookkeeping


class ThinkingMode(Enum):
    ENABLED = "enabled"
    ADAPTIVE = "adaptive"
    DISABLED = "disabled"
    BETWEEN_TOOLS = "between_tools"


class Effort(Enum):
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


class Display(Enum):
    SUMMARIZED = "summarized"
    OMITTED = "omitted"


@define
class Thinking:
    """How much the model thinks (`budget`: tokens) and how much of it is shown (RSN-1 to RSN-3)."""

    mode: ThinkingMode | None = None
    effort: Effort | None = None
    budget: int | None = None
    display: Display | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class PlainFormat:
    """Plain text: what every protocol does unasked."""

    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class JsonFormat:
    """JSON of any shape."""

    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class SchemaFormat:
    """JSON that obeys a schema (OUT-1)."""

    schema: dict[str, Any] | None
    name: str | None = None
    description: str | None = None
    strict: bool | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class EnumFormat:
    """One of the words that the schema of a string lists, without quotes (OUT-13)."""

    schema: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


Format = PlainFormat | JsonFormat | SchemaFormat | EnumFormat


@define
class Speech:
    """How the model speaks: the name of a voice, the audio format ("wav", "mp3"), the language (BCP 47)."""

    voice: str | None = None
    format: str | None = None
    language: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Output:
    """What the response is made of. `modalities` by name: "text", "audio", "image"."""

    format: Format | None = None
    verbosity: str | None = None
    modalities: list[str] | None = None
    audio: Speech | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
