"""A request: the conversation so far and how the next turn is to be made.

Settings are in small groups, each present only if the source has one of its fields.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from attrs import define, field

from .node import Extra, bookkeeping
from .settings import Display as Display
from .settings import Effort as Effort
from .settings import EnumFormat as EnumFormat
from .settings import Format as Format
from .settings import JsonFormat as JsonFormat
from .settings import Output as Output
from .settings import PlainFormat as PlainFormat
from .settings import SchemaFormat as SchemaFormat
from .settings import Speech as Speech
from .settings import Thinking as Thinking
from .settings import ThinkingMode as ThinkingMode
from .tools import Tool, ToolChoice
from .turns import Turn


@define
class Sampling:
    """How tokens are chosen, and what is reported about the choice."""

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
    """The prompt cache as a whole.

    `automatic` asks for a breakpoint at the end of the prompt (CAC-1). `lifetime` is in seconds, None: the target's
    default.
    """

    automatic: bool | None = None
    lifetime: int | None = None
    key: str | None = None
    retention: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


class Tier(Enum):
    """Which capacity serves a request, or served it. STANDARD: ordinary; AUTO: the best that the account has."""

    __hash__ = object.__hash__

    AUTO = "auto"
    STANDARD = "standard"
    PRIORITY = "priority"
    FLEX = "flex"
    SCALE = "scale"
    BATCH = "batch"


@define
class Service:
    """Who asks, for what account, with what urgency. `end_user`: a stable, opaque id of the person who asks.

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
    """The response is to be a summary of the conversation, and no turn of it (PLC-62). `instructions`: the prompt for
    it; None or blank: the target's own."""

    instructions: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Request:
    """`protocol`: the source's; `own` of every node below is meant for it.

    `max_tokens`: 0 asks for no response at all: the prompt cache is to be filled (CAC-8).

    `recaps`: some turn has a `recap`. `changes`: some turn has settings, or changes the tools.
    `prefill`: the response continues the last turn, which is the assistant's, instead of starting a new one.
    `hosted_calls`: how many calls the provider may run itself, of all its tools together.
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
