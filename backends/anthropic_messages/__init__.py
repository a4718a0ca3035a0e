"""Anthropic Messages out of the IR.

Options: `max_tokens`, the output limit for sources that set none (SMP-1); `allow_empty`, to let a response through that
has no content (CHO-3).
"""

from proxai_ir.binding.registry import Backend
from proxai_ir.wire import anthropic_messages as wire

from .capabilities import VERSIONS
from .error import raise_error
from .http import HTTP
from .request import headers, raise_request
from .response import raise_response
from .stream import Writer
from .target import CONSTRAINTS, LACKING, TARGET

MAX_TOKENS = (
    32000  # what every current Claude accepts; thinking counts, and a lower limit cuts agents' long files short
)

OPTIONS = {"max_tokens": MAX_TOKENS, "allow_empty": False, "input_tokens": 0}

BACKEND = Backend(
    wire.NAME,
    TARGET,
    CONSTRAINTS,
    raise_request,
    raise_response,
    raise_error,
    OPTIONS,
    stream=Writer,
    http=HTTP,
    named=True,
    headers=headers,
    versions=VERSIONS,
    lacking=LACKING,
)
