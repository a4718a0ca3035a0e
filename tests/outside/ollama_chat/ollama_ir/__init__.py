"""Ollama's /api/chat for proxai_ir: what its entry points name."""

from proxai_ir.authoring import NDJSON, Backend, Frontend, Http

from . import wire
from .backend import raise_error, raise_request, raise_response
from .frontend import lower_error, lower_request, lower_response
from .stream import Reader, Writer
from .target import CONSTRAINTS, TARGET

FRONTEND = Frontend(
    protocol=wire.NAME,
    discriminators={"request": ({"messages"},), "response": ({"message", "done"},), "error": ({"error"},)},
    request=lower_request,
    response=lower_response,
    error=lower_error,
    vendor_fields=wire.VENDOR_FIELDS,
    wire_paths=wire.WIRE_PATHS,
    stream=Reader,
)
BACKEND = Backend(
    protocol=wire.NAME,
    target=TARGET,
    constraints=CONSTRAINTS,
    request=raise_request,
    response=raise_response,
    error=raise_error,
    stream=Writer,
    http=Http(path="/api/chat", framing=NDJSON),
)
