"""The samples of Gemini Interactions."""

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Seal

from .. import google
from ..sample import Samples
from . import documented, reading, requests, responses, streams
from .strategies import STRATEGIES

_BEGUN = "the interaction has begun, and it is the one of the first event"
_ENDS = "of a part whose loss is reported where it ends"
REPEATS = {
    r"stream .*/0/interaction/status": _BEGUN,
    r"stream .*/\d+/interaction/(id|model)": "is that of the first event",
    r"stream .*/1/(interaction_id|status)": _BEGUN,
    r"stream own[^/]*/\d+/step/.*": _ENDS,
    r"stream own[^/]*/\d+/delta/(arguments|result|signature|ray|is_error).*": _ENDS,
    r"stream .*/\d+/(event_id|interaction/updated)": "reported once in a stream",
    "vendor output_text": "clients compute it from the texts of the steps",
}
EXEMPT: dict[tuple[type, str], str] = {
    (ir.Terminal, "reason"): "several values share one value of the wire",
    (Error, "type"): "the category is carried; the raw value is the source's own",
    (ir.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
    (ir.CodeTool, "kind"): "the version of the source's vendor is not the target's",
    (ir.Request, "prefill"): "shows only where the last turn is the assistant's",
    (ir.Reasoning, "summary"): "the thinking of other protocols becomes the summary",
    (ir.CodeResult, "language"): "is that of the call, and there is one",
    (ir.Usage, "total"): "is the sum of the counts",
}


def _thought() -> tuple[ir.Request, ir.Reasoning]:
    """A thought that Google signed, as no other is sent (RSN-5)."""
    thought = ir.Reasoning("hm", Seal("google", "signature", "eA=="))
    return ir.Request(None, "m", [ir.Turn(ir.Role.ASSISTANT, [thought])]), thought


SAMPLES = Samples.of_modules(
    requests,
    responses,
    streams,
    documented,
    strategies=STRATEGIES,
    reading=reading,
    cumulative=True,  # citations count the bytes of the text
    repeats=REPEATS,
    exempt=EXEMPT,
    specimens={**google.RUNS, ir.FileRef: google.stored, ir.Reasoning: _thought},
)
