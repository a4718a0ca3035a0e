"""Makes objects of a vendor's client of converted payloads: `convert(…, output_type=Message)`.

Rule 1: no client is imported; pydantic, which they all stand on, is, when it is asked for. Rule 2: a class that cannot
hold the output is the caller's mistake, a TypeError that names the first place.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson

from .bytes import BINARY

DONE = "[DONE]"
"""The last event of some streams, which no client hands on."""


def typed(output: Any, output_type: Any) -> Any:
    """The output as an instance of a client's class; of a stream the list of its events as instances.

    output_type  a class of pydantic's, a TypedDict, or a union of them, as clients declare those of events
    """
    from pydantic import ValidationError

    value = orjson.loads(output) if isinstance(output, BINARY) else output
    try:
        adapter = _adapter(output_type)
        if isinstance(value, list):
            return [adapter.validate_python(event) for event in value if event != DONE]
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"/{one}" for one in first["loc"])
        name = getattr(output_type, "__name__", output_type)
        raise TypeError(
            f"output_type: {name} does not hold the output: {first['msg']} at {place or 'the whole of it'}"
        ) from None


@lru_cache(64)
def _adapter(output_type: Any) -> Any:
    from pydantic import PydanticUserError, TypeAdapter

    try:
        return TypeAdapter(output_type)
    except PydanticUserError as error:
        raise TypeError(f"output_type: expected a class of a client's, found {output_type!r}") from error
