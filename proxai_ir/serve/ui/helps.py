"""Remedies of the findings of a gateway's conversions, as keys of its configuration.

Rule: for an exchange only settings of its upstream are suggested, not options that an exchange sets by itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from ...advice.remedies import remedied
from ...api import Kind, Server
from ...exchange.exchange import REQUEST_ONLY
from ...profiles.models import tailored
from ...profiles.servers import server_at
from ...reporting.diagnostics import Diagnostic
from ...reporting.digest import Finding, Remedy, findings
from ...storage.records import Record
from ..config import BY_PROTOCOL, OPTIONS, UpstreamTable, profile_of

Json = Any
MOST_TRIED = 1 << 20
"""The most bytes of a payload that is converted again."""
ANYWHERE = ("version", "model")
"""Options that are settings of an upstream, or of a route."""


def of_request(record: Record, upstream: UpstreamTable | None, found: Sequence[Diagnostic]) -> tuple[Finding, ...]:
    """The findings of an exchange's request, with what its upstream may be told."""
    if upstream is None or record.request is None or profile_of(upstream).protocol != record.provider:
        return findings(found)
    options: dict[str, Any] = {"carry_seals": True, **REQUEST_ONLY, **upstream.options, "model": record.sent_model}
    side = profile_of(upstream)
    if record.sent_model and upstream.profile != BY_PROTOCOL:
        side = tailored(side, record.sent_model, upstream.server or server_at(httpx.URL(upstream.base_url).host))
    return with_help(found, record.request, record.client, side, "request", options)


def with_help(
    found: Sequence[Diagnostic], payload: Json, src: str, dst: Server, kind: Kind | None, options: Mapping[str, Any]
) -> tuple[Finding, ...]:
    """What helps is looked for where that takes no time that a reader notices."""
    if isinstance(payload, bytes) and len(payload) > MOST_TRIED:
        return findings(found)
    return remedied(found, payload, src, dst, kind, options)


def in_toml(remedy: Remedy) -> str:
    """The change as keys of an upstream or a route; empty where there is no such key."""
    if remedy.kind in ("profile", "model"):
        return remedy.with_condition(f"{remedy.kind} = {_value(remedy.name.lower())}")
    if remedy.kind == "capability":
        return remedy.with_condition(f"settings.{remedy.name} = {_value(remedy.value)}")
    if remedy.name in OPTIONS:
        return remedy.with_condition(f"options.{remedy.name} = {_value(remedy.value)}")
    return remedy.with_condition(f"{remedy.name} = {_value(remedy.value)}") if remedy.name in ANYWHERE else ""


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
