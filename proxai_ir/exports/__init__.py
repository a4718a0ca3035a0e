"""Other forms of a request with its response: training lines, trace attributes (spec/exports.md).

    proxai_ir.exports.compile_export({"request": …, "response": …}, "anthropic_messages", "fine_tuning")

Rule: each form is a module of its own, over the IR that the protocols share; what a form has no member for is named.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..conversion.bytes import BINARY, dumped, parsed
from ..conversion.conversion import Conversion
from ..conversion.profile import Profile
from ..reporting.diagnostics import InvalidPayload, Unrepresentable, refused_as, render
from . import fine_tuning, telemetry
from .telemetry_reading import from_telemetry

__all__ = ["FORMS", "compile_export"]


Json = Any
TO: dict[str, Callable[..., Conversion[Any]]] = {
    fine_tuning.NAME: fine_tuning.compile_example,
    telemetry.NAME: telemetry.to_telemetry,
}
FROM: dict[str, Callable[..., Conversion[Any]]] = {
    fine_tuning.NAME: fine_tuning.compile_request,
    telemetry.NAME: from_telemetry,
}
FORMS = tuple(TO)


def compile_export(value: Json, src: str | Profile, dst: str | Profile, **options: Any) -> Conversion[Any]:
    """Return a value into a form, or out of it: `src` or `dst` is one of FORMS, the other one a protocol.

    A protocol's side is the pair `{"request": …, "response": …}`; of a training line it is the request alone. Parsed
    JSON in, parsed JSON out; bytes in, bytes out, without a newline. Options, and what is raised, are those of the
    form's function.
    """
    source = parsed(value) if isinstance(value, BINARY) else value
    if isinstance(dst, str) and dst in TO:
        done = TO[dst](source, src, **options)
    elif isinstance(src, str) and src in FROM:
        done = FROM[src](source, dst, **options)
    else:
        what = f"expected one of {', '.join(FORMS)} as the source or the target"
        raise InvalidPayload(render([("SHP-9", None, what)], None, refused=True))
    if isinstance(value, BINARY):
        with refused_as(Unrepresentable, source):
            done.output = dumped(done.output)
    return done
