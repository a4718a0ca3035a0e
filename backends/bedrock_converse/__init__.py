"""AWS Bedrock's Converse out of the IR."""

from proxai_ir.binding.registry import Backend
from proxai_ir.wire import bedrock_converse as wire

from .error import raise_error, reply_headers
from .http import HTTP
from .request import raise_request, route
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
    route=route,
    reply_headers=reply_headers,
)
