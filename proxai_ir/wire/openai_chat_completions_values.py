"""The rule under which a member of Chat Completions is reported, where that depends on the member's value.

Each function gets the value and returns the rule, "" where the value is carried, or repeats what the IR holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.node import finds
from ..ir.request import Effort, ThinkingMode
from . import unless

ANY_TOOL = "any"  # Mistral's word for a required call
ON_DEMAND = "on_demand"  # Groq's word for the standard tier
SUMMARIES = ("auto", "concise", "detailed")
THINKING_TYPES = {
    "enabled": ThinkingMode.ADAPTIVE,
    "adaptive": ThinkingMode.ADAPTIVE,
    "auto": ThinkingMode.ADAPTIVE,
    "disabled": ThinkingMode.DISABLED,
}


def one_of(*words: Any) -> Callable[[Any], str]:
    return lambda value: "" if isinstance(value, (str, bool)) and value in words else "UNK-4"


def count(value: Any) -> str:
    return "" if type(value) is int else "UNK-4"


# --- of requests ------------------------------------------------------------------------------------------------------

_CHOICES = {ANY_TOOL: "", "none": "TUL-15", "auto": "TUL-15", "required": "TUL-11"}


def choice(value: Any) -> str:
    """An unknown choice, or one among no tools."""
    return _CHOICES.get(value, "UNK-4") if isinstance(value, str) else "UNK-4"


def legacy_choice(value: Any) -> str:
    """A legacy choice is dropped where there is a current one, or because it is unknown."""
    return "TUL-7" if value in ("none", "auto") or isinstance(value, dict) else "UNK-4"


HOSTS = frozenset(
    """
    order only ignore allow_fallbacks require_parameters sort max_price preferred_max_latency preferred_min_throughput
    """.split()
)
"""How OpenRouter chooses the host of a model."""


@finds("ENV-7", "SVC-3")
def routing(value: Any) -> str:
    """The choice among the hosts of one model means nothing to a server that is one; what they may keep of it does."""
    return "ENV-7" if isinstance(value, dict) and value.keys() <= HOSTS else "SVC-3"


def _summary(value: Any) -> str:
    return "" if value == "auto" else "SMP-6" if value == "detailed" else "RSN-2" if value in SUMMARIES else "UNK-4"


effort = one_of("none", *(effort.value for effort in Effort))
_on_off = one_of(True, False)
_past_thinking = unless(False, "CTX-1")  # whether thinking of earlier turns is left out of the prompt
SWITCHES = {0: False, -1: True}  # budgets of Google's
THINKING: dict[str, Any] = {
    "thinking": {
        "type": one_of(*THINKING_TYPES),
        "budget_tokens": count,
        "clear_thinking": _past_thinking,
        "keep": unless("all", "CTX-1"),
    },
    "reasoning": {
        "effort": effort,
        "max_tokens": count,
        "enabled": _on_off,
        "exclude": _on_off,
        "summary": _summary,
    },
    "enable_thinking": _on_off,
    "thinking_budget": count,
    "chat_template_kwargs": {"enable_thinking": _on_off, "thinking": _on_off},
    "include_reasoning": _on_off,
    "reasoning_format": lambda value: (
        {"hidden": "", "parsed": "SMP-6"}.get(value, "RSN-2") if isinstance(value, str) else "RSN-2"
    ),
    "clear_thinking": _past_thinking,
    "preserve_thinking": unless(True, "CTX-1"),
    "extra_body": {
        "google": {
            "thinking_config": {
                "thinking_budget": count,
                "thinking_level": lambda value: effort(value.lower()) if isinstance(value, str) else "UNK-4",
                "include_thoughts": _on_off,
            }
        }
    },
}
"""Members that control thinking in dialects. They are kept for their own protocol, whatever was read of them."""
CONTRADICTIONS = {key: {"*": "RSN-6"} if isinstance(rule, dict) else "RSN-6" for key, rule in THINKING.items()}
"""The same where they contradict an earlier member."""


def marker(value: Any) -> str:
    """Of a part with the official cache marker, or with one that nothing can be read of."""
    return "CAC-4" if isinstance(value, dict) and value.get("type") == "ephemeral" else "UNK-1"


# --- of messages ------------------------------------------------------------------------------------------------------


def thought(value: Any) -> str:
    """Empty thinking has no meaning."""
    return "ENV-7" if value == "" else "UNK-1"


def content(value: Any) -> str:
    """Of a delta: an object in place of a text, an empty text, or unknown parts."""
    if isinstance(value, dict):
        return "OUT-9"
    return "UNK-2" if value else "ENV-7"


def pieces(value: Any) -> str:
    """Pieces of a thinking part: texts, which are joined, and others."""
    if not isinstance(value, list) or not all(isinstance(one, dict) and one.get("type") == "text" for one in value):
        return "UNK-2"
    return "" if all(one.keys() <= {"type", "text"} for one in value) else "UNK-1"


# The types of `reasoning_details`, and the member that has the reasoning.
DETAILS = {"reasoning.text": "text", "reasoning.summary": "summary", "reasoning.encrypted": "data"}
ANTHROPIC = "anthropic"
# By format: who made a seal, and the kinds of a signature of text and of reasoning that is sealed as a whole.
MAKERS = {"anthropic-claude-v1": (ANTHROPIC, "signature", "redacted")}
_STRINGS = ("type", "text", "summary", "data", "signature", "format", "id")


def readable(detail: dict[str, Any]) -> bool:
    """Whether a detail of the reasoning is as it is documented."""
    strings = all(isinstance(detail.get(key), (str, type(None))) for key in _STRINGS)
    return strings and (detail.get("type") != "reasoning.encrypted" or bool(detail.get("data")))


def details(value: Any) -> str:
    """Labels of reasoning that is converted, unless some of it is unknown."""
    if not isinstance(value, list):
        return "UNK-1"
    known = all(isinstance(one, dict) and readable(one) and one.get("type") in DETAILS for one in value)
    return "RSN-15" if known else "UNK-1"


# LiteLLM's blocks, which are Anthropic's: the member of each type that has its text or data.
BLOCKS = {"thinking": "thinking", "redacted_thinking": "data"}


def readable_block(block: Any) -> bool:
    member = BLOCKS.get(block.get("type") or "") if isinstance(block, dict) else None
    if member is None or set(block) - {"type", member, "signature"}:
        return False
    strings = isinstance(block.get(member), (str, type(None))) and isinstance(block.get("signature"), (str, type(None)))
    return strings and (member == "thinking" or bool(block.get(member)))


def blocks(value: Any) -> str:
    known = isinstance(value, list) and all(map(readable_block, value))
    return "RSN-15" if known else "UNK-1"


def opaque(value: Any) -> str:
    """Copilot's reasoning that is sealed as a whole."""
    return ("RSN-15" if value else "ENV-7") if isinstance(value, str) else "UNK-1"


def filler(value: Any) -> str:
    """Members that some servers fill with empty values, whatever they are for."""
    return "ENV-7" if isinstance(value, dict) and not any(value.values()) else "UNK-1"


# --- of errors --------------------------------------------------------------------------------------------------------

_CONTENT = ("message", "delta")


def unfinished(choices: Any) -> str:
    """The rule of `choices` next to an error: they are no loss where they have no content."""
    for choice in choices if isinstance(choices, list) else ():
        for member in _CONTENT if isinstance(choice, dict) else ():
            content = choice.get(member)
            if isinstance(content, dict) and any(value for key, value in content.items() if key != "role"):
                return "ERR-2"
    return "ENV-1"
