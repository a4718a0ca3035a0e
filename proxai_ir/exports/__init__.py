"""Export forms of a request with its response: training lines and trace attributes (spec/exports.md).

    proxai_ir.exports.compile_export({"request": …, "response": …}, "anthropic_messages", "fine_tuning")

Rule: each form is a module of its own, on the IR that the protocols share; values that a form cannot hold are reported.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..conversion.bytes import BINARY, dumped, parsed
from ..conversion.conversion import Conversion
from ..conversion.profile import Profile
from ..reporting.diagnostics import InvalidPayload, Unrepresentable, refused_as, render
from . import telemetry
from .pairs import with_texts
from .telemetry_reading import from_telemetry
from .training import compile_example, compile_request
from .training_forms import TRAINING

__all__ = ["FORMS", "compile_export"]


Json = Any
TO: dict[str, Callable[..., Conversion[Any]]] = {
    **{name: partial(compile_example, form=name) for name in TRAINING},
    telemetry.NAME: telemetry.to_telemetry,
}
FROM: dict[str, Callable[..., Conversion[Any]]] = {
    **{name: partial(compile_request, form=name) for name in TRAINING},
    telemetry.NAME: from_telemetry,
}
FORMS = tuple(TO)


def compile_export(value: Json, src: str | Profile, dst: str | Profile, **options: Any) -> Conversion[Any]:
    """Return a value in an export form, or converted from one: `src` or `dst` is one of FORMS, the other a protocol.

    A protocol's value is the pair `{"request": …, "response": …}`, or for a training line the request alone. Parsed
    JSON gives parsed JSON, bytes give bytes without a newline. Options and exceptions are those of the form's function.
    """
    source = parsed(value) if isinstance(value, BINARY) else value
    if isinstance(dst, str) and dst in TO:
        done = TO[dst](with_texts(source), src, **options)
    elif isinstance(src, str) and src in FROM:
        done = FROM[src](source, dst, **options)
    else:
        what = f"expected one of {', '.join(FORMS)} as the source or the target"
        raise InvalidPayload(render([("SHP-9", None, what)], None, refused=True))
    if isinstance(value, BINARY):
        with refused_as(Unrepresentable, source):
            done.output = dumped(done.output)
    return done
