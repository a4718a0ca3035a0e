"""An exchange as a file: a payload as it came, a `curl`, or a test of pytest that fails while what was lost is lost.

Rule: what a payload holds is quoted for what reads the file, be it a shell or Python; no key is in it.
"""

from __future__ import annotations

import shlex
from typing import Any

from ...exchange.provider import http_of
from ...reporting.diagnostics import Severity
from ...storage.payloads import kind_of_response
from ...storage.records import PAYLOADS, Record
from ..config import BY_PROTOCOL, UpstreamTable, profile_of


def values(record: Record, form: str, upstream: UpstreamTable | None, gateway: str) -> dict[str, Any] | None:
    """What the template of the form gets; None where there is none, or the payload that it needs is not kept."""
    payload: bytes | None = getattr(record, form if form in PAYLOADS else "request")
    if payload is None or form not in ("curl", "test", *PAYLOADS):
        return None
    known: dict[str, Any] = {"record": record, "text": payload.decode("utf-8", "replace")}
    if form == "curl":
        return known | {"http": http_of(record.client), "quoted": shlex.quote, "gateway": gateway}
    side = profile_of(upstream) if upstream else None
    given = side.given if side and side.protocol == record.provider else {}
    return known | {
        "found": [one for one in record.diagnostics if one["severity"] != Severity.INFO],
        "expected": http_of(record.client).clients,
        "given": given,
        "by": "protocol" if upstream and upstream.profile == BY_PROTOCOL else "model",
        "options": (upstream.options if upstream else {}),
        "kind": kind_of_response(record),
        "lines": lambda data: data.splitlines(keepends=True),
    }
