"""The samples of Gemini's generateContent."""

from typing import Any

from proxai_ir.ir import calls as code
from proxai_ir.ir import parts, request, terminal, tools, turns, usage
from proxai_ir.ir.error import Error

from ..sample import Samples
from . import reading, requests, responses, streams
from .strategies import STRATEGIES

REPEATS: dict[str, str] = {
    r"response .*/groundingSupports/\d+/segment/partIndex": "the text of the segment shows its part, too",
    r"stream .*/\d+/usageMetadata/\w+": "so far; the last report counts",
    r"(response|stream) .*/candidates/0/finishReason": "of a response with calls, which decide how it ended",
    r"stream .*/candidates/0/index": "the only candidate",
    r"stream .*/partialArgs/\d+/willContinue": "the next piece of the text shows it",
    r"stream .*/\d+/(modelVersion|responseId)": "the first chunk has it",
}
EXEMPT: dict[tuple[type, str], str] = {
    (terminal.Terminal, "reason"): "several values share one value of the wire",
    (Error, "type"): "the category is carried; the raw value is the source's own",
    (tools.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
    (tools.CodeTool, "kind"): "the version of the source's vendor is not the target's",
    (request.Request, "prefill"): "shows only where the last turn is the assistant's",
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
    cumulative=True,  # the last chunk cites passages of the text, by their bytes
    repeats=REPEATS,
    exempt=EXEMPT,
    specimens={parts.FileRef: _stored},
)
