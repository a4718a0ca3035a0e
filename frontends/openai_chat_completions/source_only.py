"""What OpenAI Chat Completions has and its own target table does not carry, as that judges other protocols' values.

Much of it is of dialects (spec/dialects.md).
"""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import error, parts, request, tools

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "instructions": (parts.Image,),
    "user": (parts.UnknownPart, parts.Video),
    "audio source": (parts.FileRef,),
    "video source": (parts.Url,),
    request.Sampling: ("top_k",),
    request.Thinking: ("budget", "display"),
    tools.FunctionTool: ("cache",),
    error.Error: ("verbatim",),
}
