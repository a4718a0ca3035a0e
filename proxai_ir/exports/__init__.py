"""Other forms of a request with its response: training lines, trace attributes (spec/exports.md).

    proxai_ir.exports.compile_export({"request": …, "response": …}, "anthropic_messages", "fine_tuning")

Rule: each form is a module of its own, over the IR that the protocols share; what a form has no member for is named.
"""

from .convert import FORMS, compile_export

__all__ = ["FORMS", "compile_export"]
