"""The samples of Bedrock Converse."""

from typing import Any

from proxai_ir.ir import parts, request, terminal, turns, usage
from proxai_ir.ir.error import Error

from ..sample import Samples
from . import reading, requests, responses, streams
from .strategies import STRATEGIES

REPEATS: dict[str, str] = {
    r"stream .*/p": "padding, which hides how long an event is",
    r"stream .*/contentBlockIndex": "numbers the blocks",
    r"stream own/.*/delta/(toolUse|toolResult|hologram).*": "of a part whose loss is reported where it begins",
}
EXEMPT: dict[tuple[type, str], str] = {
    (terminal.Terminal, "reason"): "several values share one value of the wire",
    (Error, "category"): "stands in a header, or is the name of a stream's event",
    (Error, "type"): "the category is carried; the raw value is the source's own",
    (usage.Usage, "total"): "the sum of the others is sent where there is none",
    (request.Request, "prefill"): "shows only where the last turn is the assistant's",
}


def _stored() -> Any:
    """An image that the provider itself stores."""
    source = parts.Url("s3://b/k.png", mime="image/png")
    turn = turns.Turn(turns.Role.USER, [parts.Image(source)])
    return request.Request(None, "m", [turn]), source


SAMPLES = Samples(
    examples={"request": requests.EXAMPLES, "response": responses.EXAMPLES, "error": responses.ERRORS},
    dense={
        "request": requests.DENSE,
        "response": responses.DENSE,
        "error": responses.DENSE_ERRORS,
        "stream": streams.STREAMS,
    },
    strategies=STRATEGIES,
    reading=reading,
    illegal=streams.ILLEGAL,
    endless=streams.ENDLESS,
    growing=streams.GROWING,
    repeats=REPEATS,
    exempt=EXEMPT,
    specimens={parts.Url: _stored},
)
