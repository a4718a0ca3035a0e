"""The samples of Ollama's `/api/chat`."""

from proxai_ir.ir.error import Error
from proxai_ir.ir.parts import Document, PlainText
from proxai_ir.ir.request import Request, Role, Streaming, Turn
from proxai_ir.ir.response import Terminal

from ..sample import Samples
from . import documented, reading, requests, responses, streams
from .strategies import STRATEGIES

REPEATS = {
    r".*/tool_calls/\d+/function/index": "the position",
    r"stream .*/[1-9]\d*/logprobs/.*": "a loss is reported once in a stream",
    r"stream .*/[1-9]\d*/created_at": "the first chunk's time counts",
}
EXEMPT: dict[tuple[type, str], str] = {
    (Streaming, "stream"): "written in any case, since this server streams by default",
    (Request, "prefill"): "shows only where the last turn is the assistant's",
    (Error, "category"): "the HTTP status, which is not in the body",
    (Terminal, "reason"): "two words for all of them",
}


def _document() -> tuple[Request, Document]:
    node = Document(PlainText("Once.", "text/plain"))
    return Request(None, "m", [Turn(Role.USER, [node])]), node


SAMPLES = Samples(
    examples={"request": requests.EXAMPLES, "response": responses.EXAMPLES, "error": responses.ERRORS},
    dense={
        "request": {**requests.DENSE, **documented.REQUESTS, **documented.ALONE},
        "response": {**responses.DENSE, **documented.RESPONSES},
        "error": responses.DENSE_ERRORS,
        "stream": {**streams.STREAMS, **documented.STREAMS},
    },
    strategies=STRATEGIES,
    reading=reading,
    illegal=streams.ILLEGAL,
    endless=streams.ENDLESS,
    growing=streams.GROWING,
    repeats=REPEATS,
    exempt=EXEMPT,
    specimens={Document: _document},
)
