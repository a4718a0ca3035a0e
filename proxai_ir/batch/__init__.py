"""Lines of the vendors' batch files, one at a time, from and to each other (spec/batch.md).

    proxai_ir.batch.compile_line(line, "openai_chat_completions", "anthropic_messages")

Rule: a line is its id and a body. The body converts as it does outside of a batch, and the id stays.
"""

from .convert import accepted_id, compile_line, convert_line

__all__ = ["accepted_id", "compile_line", "convert_line"]
