"""Lines of the vendors' batch files, converted one at a time (spec/batch.md).

    proxai_ir.batch.compile_line(line, "openai_chat_completions", "anthropic_messages")

Rule: a line has an id and a body. The body is converted as outside of a batch, and the id stays.
"""

from .convert import accepted_id, compile_line, convert_line

__all__ = ["accepted_id", "compile_line", "convert_line"]
