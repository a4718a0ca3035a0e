"""The IR of an error as a body of OpenAI Chat Completions: as every protocol of its vendor writes it."""

from __future__ import annotations

from proxai_ir.backends._openai.writing import raise_error as raise_error
