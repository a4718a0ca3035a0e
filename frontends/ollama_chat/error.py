"""Errors of `/api/chat` into the IR: a text, whose category is that of the HTTP status."""

from __future__ import annotations

from proxai_ir.wire import ollama_chat as wire

from .._lib.errors import error_reader

lower_error = error_reader(wire.NAME, wire.ERROR)
