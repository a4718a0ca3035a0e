"""The IR of errors as bodies of `/api/chat`, and as lines of its streams."""

from __future__ import annotations

from proxai_ir.wire import ollama_chat as wire

from .._lib.objects import error_writer

raise_error = error_writer(wire.ERROR)
