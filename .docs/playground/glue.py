"""What the playground's page calls: text in, JSON of what is shown out."""

from __future__ import annotations

import json
from typing import Any

import proxai_ir

MODEL = "your-model"  # of a request whose protocol has it in the URL


def shown(text: str, src: str, dst: str, kind: str) -> str:
    """The output and the findings of a conversion; `kind` "" is detected."""
    given: dict[str, Any] = {"kind": kind} if kind else {}
    try:
        result = proxai_ir.compile(text.encode(), src, dst, model=MODEL, **given)
        output, found = result.output.decode(), result.diagnostics
    except proxai_ir.TranslationError as error:
        output, found = "", error.diagnostics
    if output and kind != "stream":
        output = json.dumps(json.loads(output), indent=2, ensure_ascii=False)
    findings = [
        {
            "severity": one.severity.value,
            "rule": one.rule,
            "paths": list(one.paths),
            "message": one.message,
        }
        for one in proxai_ir.findings(found)
    ]
    return json.dumps({"output": output, "refused": not output, "findings": findings})
