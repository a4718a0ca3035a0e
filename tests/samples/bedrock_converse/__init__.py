"""The samples of AWS Bedrock's Converse."""

from typing import Any

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Cache

from ..sample import Samples
from . import reading, requests, responses, streams
from .strategies import STRATEGIES

REPEATS = {
    r"stream .*/contentBlockIndex": "the position, which the order of the blocks has",
    r"stream .*/p": "padding, which hides how long an event is",
    r"stream .*/delta/toolResult.*": "of a part whose loss is reported where it ends",
    r"stream .*/start/tool(Use|Result)/.*": "of a part whose loss is reported where it ends",
    r"stream .*/delta/toolUse/input": "of a part whose loss is reported where it ends",
    r"response .*/additionalModelResponseFields/stop_sequence": "null: there was none",
}
EXEMPT: dict[tuple[type, str], str] = {
    (ir.Terminal, "reason"): "several values share one value of the wire",
    (Error, "type"): "the category is carried; the raw value is the source's own",
    (ir.Request, "prefill"): "shows only where the last turn is the assistant's",
    (ir.Thinking, "budget"): "the output limit of the specimen is below the least budget of Claude's models",
    (ir.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
    (Cache, "ttl"): "goes with the mark that it is of, which models without a cache do not get",
    (ir.Usage, "total"): "is the sum of the counts",
}


def _in_s3() -> Any:
    """An image by an address that this protocol takes."""
    place = ir.Url("s3://bucket/a.png", mime="image/png")
    turn = ir.Turn(ir.Role.USER, [ir.Image(place)])
    return ir.Request(None, "m", [turn]), place


SAMPLES = Samples.of_modules(
    requests,
    responses,
    streams,
    strategies=STRATEGIES,
    reading=reading,
    repeats=REPEATS,
    exempt=EXEMPT,
    specimens={ir.Url: _in_s3},
)
