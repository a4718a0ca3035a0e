"""Google's Interactions API, out of the IR."""

from proxai_ir.binding.registry import Backend
from proxai_ir.wire import gemini_interactions as wire

from .error import raise_error
from .http import HTTP
from .request import headers, raise_request
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
    named="event_type",
    headers=headers,
    http=HTTP,
)
