"""Google's generateContent, of the Gemini API and of Vertex AI, out of the IR."""

from proxai_ir.binding.registry import Backend
from proxai_ir.wire import gemini_generate_content as wire

from .error import raise_error
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
    batch="proxai_ir.backends.gemini_generate_content.batch:FORMAT",
    route=route,
)
