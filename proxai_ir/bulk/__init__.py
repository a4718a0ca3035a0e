"""Files of payloads, converted by all cores: JSON Lines and Parquet, local or in an object store (extra `bulk`).

    from proxai_ir.bulk import run

    report = run(["logs/"], "converted/", "openai_chat_completions", "anthropic_messages")

Rule 1: a file appears under its final name when it is complete. Rule 2: refused rows are kept, with rule and pointer.
Rule 3: the output depends on the input and the settings alone, not on the number of processes or on interruptions.
"""

try:
    from .job import BulkError, Job
    from .report import Report
    from .run import check, run
except ModuleNotFoundError as missing:
    if (missing.name or "").startswith("proxai_ir"):
        raise
    what = f'proxai_ir.bulk needs {missing.name}: in the checkout, pip install ".[bulk]"'
    raise ModuleNotFoundError(what, name=missing.name) from None

__all__ = ["BulkError", "Job", "Report", "check", "run"]
