"""The samples of Gemini's generateContent."""

from proxai_ir import ir
from proxai_ir.ir.error import Error

from .. import google
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
    (ir.Terminal, "reason"): "several values share one value of the wire",
    (Error, "type"): "the category is carried; the raw value is the source's own",
    (ir.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
    (ir.CodeTool, "kind"): "the version of the source's vendor is not the target's",
    (ir.Request, "prefill"): "shows only where the last turn is the assistant's",
    (ir.CodeResult, "language"): "is that of the call, and there is one",
    (ir.Usage, "total"): "is the sum of the counts",
}


SAMPLES = Samples.of_modules(
    requests,
    responses,
    streams,
    strategies=STRATEGIES,
    reading=reading,
    cumulative=True,  # the last chunk cites passages of the text, by their bytes
    repeats=REPEATS,
    exempt=EXEMPT,
    specimens={**google.RUNS, ir.FileRef: google.stored},
)
