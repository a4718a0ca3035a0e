"""OpenAI Responses out of the IR."""

from proxai_ir.binding.registry import Backend
from proxai_ir.wire import openai_responses as wire

from .error import raise_error
from .http import HTTP
from .request import raise_request
from .response import raise_response
from .stream import Writer
from .target import CONSTRAINTS, TARGET
from .tools import CALLS

BACKEND = Backend(
    wire.NAME,
    TARGET,
    CONSTRAINTS,
    raise_request,
    raise_response,
    raise_error,
    stream=Writer,
    client_calls=frozenset(CALLS),
    http=HTTP,
    batch="proxai_ir.backends._openai.batch:FORMAT",
    named=True,
)
