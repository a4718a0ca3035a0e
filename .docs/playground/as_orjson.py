"""The part of orjson that proxai_ir uses, written with Python's json: orjson is not compiled for browsers.

In the playground this module is `orjson`. It returns and refuses what orjson does (tests/docs/test_playground.py).
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

OPT_INDENT_2 = 1
LARGEST, SMALLEST = 2**64 - 1, -(2**63)
NOT_UTF_8 = "str is not valid UTF-8: surrogates not allowed"

JSONEncodeError = TypeError


class JSONDecodeError(json.JSONDecodeError):
    pass


def loads(data: bytes | bytearray | memoryview | str) -> Any:
    try:
        text = data if isinstance(data, str) else bytes(data).decode()
        value = json.loads(text, parse_constant=_refused, parse_int=_integer)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # fails where half a character is left
        return value
    except json.JSONDecodeError as error:
        raise JSONDecodeError(error.msg, error.doc, error.pos) from None
    except (ValueError, RecursionError) as error:
        raise JSONDecodeError(str(error), "", 0) from None


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> int | float:
    number = int(digits)
    return number if SMALLEST <= number <= LARGEST else float(digits)


def dumps(value: Any, default: None = None, option: int | None = None) -> bytes:
    layout: dict[str, Any] = {"indent": 2} if option else {"separators": (",", ":")}
    try:
        return json.dumps(_plain(value), ensure_ascii=False, **layout).encode()
    except UnicodeEncodeError:
        raise TypeError(NOT_UTF_8) from None
    except RecursionError:
        raise TypeError("Recursion limit reached") from None


def _plain(value: Any) -> Any:
    """Return the value that orjson writes: null for NaN and infinities. Raises TypeError where orjson does."""
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("Dict key must be str")
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int) and not SMALLEST <= value <= LARGEST:
        raise TypeError("Integer exceeds 64-bit range")
    if value is None or isinstance(value, (str, int)):
        return value
    raise TypeError(f"Type is not JSON serializable: {type(value).__name__}")
