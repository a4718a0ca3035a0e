"""The samples of Anthropic Messages."""

from proxai_ir import ir
from proxai_ir.ir.error import Error

from ..sample import Samples
from . import reading, requests, responses, streams
from .strategies import STRATEGIES

REPEATS = {
    r"stream .*/0/message/usage/\w+": "estimates; the last report counts",
    r"stream own/10/delta/content": "of a part whose loss is reported where it begins",
    r"stream own/17/type": "what follows shows that the block is over",
    r"stream own/19/type": "of an unknown event, whose members are reported",
}
EXEMPT: dict[tuple[type, str], str] = {
    (ir.Thinking, "budget"): "the output limit of the specimen is below the least budget of Claude's models",
    (ir.Terminal, "reason"): "several values share one value of the wire",
    (Error, "type"): "the category is carried; the raw value is the source's own",
    (ir.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
    (ir.CodeTool, "kind"): "the version of the source's vendor is not the target's",
    (ir.Request, "prefill"): "shows only where the last turn is the assistant's",
}
SAMPLES = Samples.of_modules(
    requests,
    responses,
    streams,
    strategies=STRATEGIES,
    reading=reading,
    repeats=REPEATS,
    exempt=EXEMPT,
)
