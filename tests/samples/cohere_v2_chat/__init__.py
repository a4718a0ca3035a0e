"""The samples of Cohere's /v2/chat."""

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.testing.specimens import USER, Specimen, in_turn

from ..sample import Samples
from . import documented, payloads, reading, streams
from .strategies import STRATEGIES

REPEATS: dict[str, str] = {
    r"request .*/strict_tools": "the tools have it",
    r"stream .*/\d+/index": "the position",
}
EXEMPT: dict[tuple[type, str], str] = {
    (ir.Terminal, "reason"): "several values share one value of the wire",
    (Error, "category"): "the HTTP status, which is not in the body",
}


def _document() -> Specimen:
    return in_turn(USER, ir.Document(ir.PlainText("x", "text/plain")))


SAMPLES = Samples(
    examples={"request": payloads.EXAMPLES, "response": payloads.RESPONSES, "error": payloads.ERRORS},
    dense={
        "request": {**payloads.DENSE, **documented.REQUESTS},
        "response": {**payloads.DENSE_RESPONSES, **payloads.FAILURES, **documented.RESPONSES},
        "error": {**payloads.DENSE_ERRORS, **documented.ERRORS},
        "stream": {**streams.STREAMS, **documented.STREAMS},
    },
    strategies=STRATEGIES,
    reading=reading,
    illegal=streams.ILLEGAL,
    endless=streams.ENDLESS,
    growing=streams.GROWING,
    repeats=REPEATS,
    exempt=EXEMPT,
    specimens={ir.Document: _document},
)
