"""The IR of an error as an error body of Cohere's."""

from __future__ import annotations

from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.objects import error_writer

raise_error = error_writer(wire.ERROR)
