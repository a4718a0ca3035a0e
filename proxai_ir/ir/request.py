"""A request: the conversation so far, and how the next turn is to be made."""

from __future__ import annotations

from collections.abc import Container, Iterable
from enum import Enum
from typing import Any

from attrs import field

from ..json.classes import define
from .node import Extra, bookkeeping
from .parts import Part
from .tools import Tool, ToolChoice

# --- settings of requests and of turns (TurnSettings) -----------------------------------------------------------------


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
    """The amount of thinking (`budget`: tokens), and how much of it is shown (RSN-1 to RSN-3)."""

    mode: ThinkingMode | None = None
    effort: Effort | None = None
    budget: int | None = None
    display: Display | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class PlainFormat:
    """Plain text, the default of every protocol."""

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
    """Settings of spoken output: the name of a voice, the audio format ("wav", "mp3"), the language (BCP 47).

    `speakers`: the names of voices by those of the speakers, if there are several.
    """

    voice: str | None = None
    format: str | None = None
    language: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    speakers: dict[str, str] | None = field(default=None, kw_only=True)


@define
class Picture:
    """Settings of images in the output: the ratio of width to height ("16:9"), the size ("1K")."""

    aspect_ratio: str | None = None
    size: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Output:
    """The form of the response. `modalities`: "text", "audio", "image"."""

    format: Format | None = None
    verbosity: str | None = None
    modalities: list[str] | None = None
    audio: Speech | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    picture: Picture | None = field(default=None, kw_only=True)


# --- turns ------------------------------------------------------------------------------------------------------------
# Instructions are turns too, and passes decide where they go in a target (PLC-1). Parts have the order of the source;
# results of tools have a turn of their own or are in a user turn (PLC-5).


class Role(Enum):
    __hash__ = object.__hash__  # Enum's own is a Python function, and every turn is looked up by its role

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


SYSTEM, DEVELOPER, USER, ASSISTANT, TOOL = Role
"""Aliases, since looking up a member of the class is slow, and every turn is asked for its role."""


BETWEEN_ITEMS = "\n\n"
"""The separator of the texts of two items that become one string (PLC-8)."""


@define
class TurnSettings:
    """Settings in instructions: how the model responds from there on, until a later turn sets the same (RSN-45).

    `passing`: the text of the instructions ends with the user's next message (PLC-29).
    """

    thinking: Thinking | None = None
    output: Output | None = None
    passing: bool | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    pending: Any = bookkeeping()  # whether the settings wait for a later message of the user's


@define
class Turn:
    """A message. `continues`: it is another item of the same response as the turn before it.

    `recap`: it begins with a summary that replaces all turns before it except instructions (PLC-63).
    """

    role: Role
    parts: list[Part]
    name: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    continues: bool | None = None
    recap: Any = bookkeeping()
    settings: TurnSettings | None = field(
        default=None, kw_only=True, repr=False
    )  # ids of responses are digests of the rest


def without(turns: Iterable[Turn], parts: Container[int]) -> list[Turn]:
    """Return the turns without the parts of these `id()`s; a turn that had no others is left out."""
    kept: list[Turn] = []
    for turn in turns:
        left = [part for part in turn.parts if id(part) not in parts]
        if left or not turn.parts:
            turn.parts = left
            kept.append(turn)
    return kept


# --- requests ---------------------------------------------------------------------------------------------------------
# Settings are in small groups, each present only if the source has one of its fields.


@define
class Sampling:
    """Settings for the choice of tokens, and for reports about the choice."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    stop: list[str] | None = None
    seed: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    logit_bias: dict[str, Any] | None = None
    candidates: int | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Caching:
    """Settings of the prompt cache as a whole.

    `automatic` asks for a breakpoint at the end of the prompt (CAC-1). `lifetime` is in seconds; None is the target's
    default.
    """

    automatic: bool | None = None
    lifetime: int | None = None
    key: str | None = None
    retention: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


class Tier(Enum):
    """The capacity that serves a request, or served it. STANDARD: ordinary; AUTO: the best that the account has."""

    __hash__ = object.__hash__

    AUTO = "auto"
    STANDARD = "standard"
    PRIORITY = "priority"
    FLEX = "flex"
    SCALE = "scale"
    BATCH = "batch"


@define
class Service:
    """The sender, account and urgency of a request. `end_user`: a stable, opaque id of the person who asks.

    `fast`: whether tokens should come faster than usual, at a higher price. `moderation`: the model that checks input
    and output, and what it may do, as `{"model": …, "policy": {"input": {"mode": …}, "output": {"mode": …}}}`.
    """

    tier: Tier | None = None
    fast: bool | None = None
    end_user: str | None = None
    user: str | None = None
    metadata: dict[str, Any] | None = None
    store: bool | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    moderation: dict[str, Any] | None = field(default=None, kw_only=True)


@define
class Streaming:
    """Whether the response comes as a stream, and what the stream includes."""

    stream: bool | None = None
    usage: bool | None = None
    obfuscation: bool | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Summary:
    """Asks for a summary of the conversation instead of a turn (PLC-62). `instructions`: the prompt for it; if None or
    blank, the target's own."""

    instructions: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Request:
    """A request. `protocol`: the source's, to which the `extra` of every node belongs.

    `max_tokens`: 0 asks for no response, only to fill the prompt cache (CAC-8).

    `recaps`: some turn has a `recap`. `changes`: some turn has settings, or changes the tools.
    `prefill`: the response continues the last turn, which is the assistant's, instead of starting a new one.
    `hosted_calls`: how many calls of all its tools the provider may run itself.
    """

    protocol: str | None
    model: str | None = None
    turns: list[Turn] | None = None
    tools: list[Tool] | None = None
    tool_choice: ToolChoice | None = None
    parallel_tools: bool | None = None
    max_tokens: int | None = None
    sampling: Sampling | None = None
    thinking: Thinking | None = None
    output: Output | None = None
    caching: Caching | None = None
    service: Service | None = None
    streaming: Streaming | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    prefill: bool | None = None
    recaps: Any = bookkeeping()
    changes: Any = bookkeeping()
    hosted_calls: int | None = field(default=None, kw_only=True)
    summary: Summary | None = field(default=None, kw_only=True)
