"""What a provider gets of a row: the request as a proxy sends it, held against what the row says."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import orjson

from proxai_ir import Exchange, TranslationError

from .row import ABSENT, BEDROCK, GEMINI, Asked, Refused

Json = Any
PATHS = {GEMINI: "/v1beta/models/m:generateContent", BEDROCK: "/model/m/converse"}


def differences(row: Asked) -> list[str]:
    """What some provider of the row does not get as it should."""
    found: list[str] = []
    rules: set[str] = set()
    lost: set[str] = set()
    for dst, wanted in row.gets.items():
        try:
            server = row.server if row.server and row.server.protocol == dst else dst
            exchange = Exchange(row.src, server, cloud=row.cloud, key="k")
            sent = exchange.request(deepcopy(row.sent), path=PATHS.get(row.src, ""))
        except TranslationError as error:
            if Refused(error.rule, error.path) != wanted:
                found.append(f"{dst}: refused by {error.rule} at {error.path}: {error}")
            rules |= {one.rule for one in error.diagnostics}
            continue
        rules |= {one.rule for one in sent.diagnostics}
        lost |= {one.rule for one in sent.diagnostics if one.severity == "loss"}
        found += [f"{dst}{found}" for found in _against(row, wanted, sent.body)]
        if row.path and sent.path != row.path:
            found.append(f"{dst}: asked {sent.path}, expected {row.path}")
    if missing := set(row.rules) - rules:
        found.append(f"not reported: {sorted(missing)}")
    if lost != set(row.losses):
        found.append(f"losses: {sorted(lost)}, expected {sorted(row.losses)}")
    return found


def at(body: Json, pointer: str) -> Json:
    """What stands there. `-` is the last of an array, `#` the number of its items."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if name == "#" and isinstance(body, list):
            return len(body)
        try:
            body = body[(-1 if name == "-" else int(name)) if isinstance(body, list) else name]
        except (KeyError, IndexError, TypeError, ValueError):
            return ABSENT
    return body


def _against(row: Asked, wanted: dict[str, Json] | Refused, data: bytes) -> list[str]:
    if isinstance(wanted, Refused):
        return [f": not refused: {data.decode()}"]
    body, text = orjson.loads(data), data.decode()
    found = [
        f" {pointer}: {at(body, pointer)!r}, expected {value!r}"
        for pointer, value in wanted.items()
        if at(body, pointer) != value
    ]
    return found + [f": {hidden!r} stands in the body" for hidden in row.hides if hidden in text]
