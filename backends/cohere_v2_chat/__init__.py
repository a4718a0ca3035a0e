"""Cohere's POST /v2/chat out of the IR."""

from proxai_ir.binding.registry import Backend
from proxai_ir.wire import cohere_v2_chat as wire

from .error import raise_error
from .http import HTTP
from .request import raise_request
from .response import raise_response
from .stream import Writer
from .target import CONSTRAINTS, TARGET

BACKEND = Backend(
    wire.NAME,
    TARGET,
    CONSTRAINTS,
    raise_request,
    raise_response,
    raise_error,
    stream=Writer,
    http=HTTP,
    named=True,
)
