"""The samples of Gemini Interactions."""

from typing import Any

from proxai_ir.ir import calls as code
from proxai_ir.ir import parts, request, terminal, tools, turns, usage
from proxai_ir.ir.error import Error

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
    (terminal.Terminal, "reason"): "several values share one value of the wire",
    (Error, "type"): "the category is carried; the raw value is the source's own",
    (tools.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
    (tools.CodeTool, "kind"): "the version of the source's vendor is not the target's",
    (request.Request, "prefill"): "shows only where the last turn is the assistant's",
    (parts.Reasoning, "summary"): "the thinking of other protocols becomes the summary",
    (code.CodeResult, "language"): "is that of the call, and there is one",
    (usage.Usage, "total"): "is the sum of the counts",
}


def _stored() -> Any:
    """A document that the provider itself stores."""
    file = parts.FileRef("gs://bucket/a.pdf", provider="google", mime="application/pdf")
    turn = turns.Turn(turns.Role.USER, [parts.Document(file)])
    return request.Request(None, "m", [turn]), file


SAMPLES = Samples(
    examples={"request": requests.EXAMPLES, "response": responses.EXAMPLES, "error": responses.ERRORS},
    dense={
        "request": {**requests.DENSE, **documented.REQUESTS},
        "response": {**responses.DENSE, **documented.RESPONSES},
        "error": {**responses.DENSE_ERRORS, **documented.ERRORS},
        "stream": {**streams.STREAMS, **documented.STREAMS},
    },
    strategies=STRATEGIES,
    reading=reading,
    illegal=streams.ILLEGAL,
    endless=streams.ENDLESS,
    growing=streams.GROWING,
    cumulative=True,  # citations count the bytes of the text
    repeats=REPEATS,
    exempt=EXEMPT,
    specimens={parts.FileRef: _stored},
)
