"""The samples of Chat Completions."""

from ..sample import Samples
from . import reading, requests, responses, streams
from .strategies import STRATEGIES

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
)
