"""The samples of Gemini's generateContent."""

from proxai_ir.ir import request, terminal, tools
from proxai_ir.ir.error import Error

from ..sample import Samples
from . import reading, requests, responses, streams
from .strategies import STRATEGIES

REPEATS: dict[str, str] = {
    r"stream .*/\d+/usageMetadata/\w+": "so far; the last report counts",
    r"(response|stream) .*/candidates/0/finishReason": "of a response with calls, which decide how it ended",
    r"stream .*/candidates/0/index": "the only candidate",
    r"stream .*/\d+/(modelVersion|responseId)": "the first chunk has it",
}
EXEMPT: dict[tuple[type, str], str] = {
    (terminal.Terminal, "reason"): "several values share one value of the wire",
    (Error, "type"): "the category is carried; the raw value is the source's own",
    (tools.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
    (tools.CodeTool, "kind"): "the version of the source's vendor is not the target's",
    (request.Request, "model"): "stands in the URL",
    (request.Streaming, "stream"): "stands in the URL",
}
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
)
