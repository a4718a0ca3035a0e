"""The functions that the playground's page calls: they take text, and return JSON of what is shown."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import proxai_ir

MODEL = "your-model"  # of a request whose protocol has it in the URL


def shown(text: str, src: str, dst: str, kind: str) -> str:
    """Return the output and the findings of a conversion; `kind` "" is detected."""
    given: dict[str, Any] = {"kind": kind} if kind else {}
    try:
        result = proxai_ir.compile(text.encode(), src, dst, model=MODEL, **given)
        output, found = result.output.decode(), result.diagnostics
    except proxai_ir.TranslationError as error:
        output, found = "", error.diagnostics
    if output and kind != "stream":
        output = json.dumps(json.loads(output), indent=2, ensure_ascii=False)
    return json.dumps({"output": output, "refused": not output, "findings": listed(proxai_ir.findings(found))})


def explained(text: str, src: str, dst: str, kind: str) -> str:
    """Return the findings with what removes each: some twenty conversions."""
    given: dict[str, Any] = {"kind": kind} if kind else {}
    return json.dumps({"findings": listed(proxai_ir.remedies(text.encode(), src, dst, model=MODEL, **given))})


def listed(findings: Iterable[proxai_ir.Finding]) -> list[dict[str, Any]]:
    return [
        {
            "severity": one.severity.value,
            "rule": one.rule,
            "paths": list(one.paths),
            "message": one.message,
            "remedies": [str(remedy) for remedy in one.remedies],
        }
        for one in findings
    ]
