"""What an exchange that was kept would lose with another target.

Rule: the request is converted as a gateway converts it, from its client. Of the response there is only what the
provider sent, which is converted to what a client of the target would get.
"""

from __future__ import annotations

from ..api import check
from ..binding.registry import backend
from ..binding.settings import Options
from ..exchange import Exchange, Memory
from ..reporting.diagnostics import Diagnostic, TranslationError
from .payloads import kind_of_response
from .records import Record


def request_again(record: Record, to: str, memory: Memory | None = None) -> tuple[Diagnostic, ...]:
    """What would be reported of the request; with the memory, of what it refers to as well."""
    if record.request is None:
        return ()
    exchange = Exchange(record.client, to, memory=memory, owner=record.owner, now=record.started)
    try:
        return exchange.request(record.request, {}, path=record.path).diagnostics
    except TranslationError as error:
        return error.diagnostics


def response_again(record: Record, to: str) -> tuple[Diagnostic, ...]:
    """What would be reported of the provider's response."""
    if record.upstream_response is None:
        return ()
    options: Options = {"carry_seals": True}
    if "allow_empty" in backend(to).defaults:
        options["allow_empty"] = True
    kind = kind_of_response(record)
    return check(record.upstream_response, record.provider, to, kind=kind, **options)
