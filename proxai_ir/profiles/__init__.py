"""Profiles of well-known servers (CAP-1), and of models by their names (CAP-5): `for_model` and `target`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .models import for_model as for_model
    from .models import target as target
    from .named import ANTHROPIC_2023_06_01 as ANTHROPIC_2023_06_01
    from .named import ANTHROPIC_2026_10_21 as ANTHROPIC_2026_10_21
    from .named import ANTHROPIC_BEFORE_4_6 as ANTHROPIC_BEFORE_4_6
    from .named import COMPATIBLE_CHAT as COMPATIBLE_CHAT
    from .named import DEEPSEEK as DEEPSEEK
    from .named import GEMINI_2_0 as GEMINI_2_0
    from .named import GEMINI_2_5 as GEMINI_2_5
    from .named import GEMINI_API as GEMINI_API
    from .named import MISTRAL as MISTRAL
    from .named import OLLAMA as OLLAMA
    from .named import ONLY_OPENAI as ONLY_OPENAI
    from .named import OPENAI_CHAT as OPENAI_CHAT
    from .named import OPENAI_CHAT_BEFORE_5_6 as OPENAI_CHAT_BEFORE_5_6
    from .named import OPENAI_RESPONSES as OPENAI_RESPONSES
    from .named import OPENAI_RESPONSES_BEFORE_5_6 as OPENAI_RESPONSES_BEFORE_5_6
    from .named import VERTEX_AI as VERTEX_AI
    from .named import VLLM as VLLM


def __getattr__(name: str) -> Any:
    """Return a profile, or a function that makes one; the table that it is in is loaded when it is first asked for."""
    if name.isupper() or name in ("for_model", "target"):
        module = import_module(f".{'named' if name.isupper() else 'models'}", __name__)
        if name in vars(module):
            globals()[name] = made = getattr(module, name)  # so that this is asked once
            return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from . import named

    return sorted({*(name for name in vars(named) if name.isupper()), "for_model", "target"})
