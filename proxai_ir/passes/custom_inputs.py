"""The input of a custom tool that was sent as a function, from the arguments of a call of it (TUL-19, TUL-21).

Rule 1: `{"input": text}` is read as it arrives; other arguments are kept until their end. Rule 2: whatever the
arguments are there is an input, and wherever their text is cut it is the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..ir.parts import FunctionCall
from ..json.types import json_text, quoted
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report

INPUT = "input"
"""The one argument of such a function."""
DEFAULT_LIMIT = 16 * 1024 * 1024
"""Characters that may be buffered until a part is closed; the option `buffer_limit` states another number (STR-15)."""


def buffer_limit(options: Mapping[str, Any]) -> int:
    given: int | None = options.get("buffer_limit")
    return DEFAULT_LIMIT if given is None else given


SPACE = r"\s{0,50}"
HEAD = re.compile(rf'{SPACE}\{{{SPACE}"{INPUT}"{SPACE}:{SPACE}"')
MOST_OF_HEAD = 256  # characters; HEAD takes no more
TAIL = re.compile(r'"\s*\}\s*')
BEGUN_TAIL = re.compile(r'[^"].*|("\s*(\}\s*)?)?', re.DOTALL)  # of a call that was cut off
BLANKS = re.compile(r"\s+")
MOST_OF_TAIL = 256  # characters; a run of whitespace counts as one
MOST_QUOTED = 60
# Whole characters of a JSON string; the first half of a pair of surrogates waits for what follows it. Not possessive:
# nothing comes after them that could fail, and Python 3.11.2 gets such repeats wrong.
BODY = re.compile(
    r"""(?: [^"\\\x00-\x1f]+ | \\["\\/bfnrt] | \\u (?![dD][89abAB]) [0-9a-fA-F]{4}
      | \\u[dD][89abAB][0-9a-fA-F]{2} (?: \\u[0-9a-fA-F]{4} | (?=[^\\]|\\[^u]) ) )*""",
    re.VERBOSE,
)
# What no JSON string has and models write all the same: a control character, or a backslash that begins no escape.
FLAW = re.compile(
    r"""[\x00-\x1f] | \\ (?= [^"\\/bfnrtu] | u[0-9a-fA-F]{0,3}[^0-9a-fA-F]
      | u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{0,3}[^0-9a-fA-F] )""",
    re.VERBOSE,
)


class InputReader:
    """Reads the arguments of one call, in pieces cut anywhere; `limit`: how many characters may be kept, if any number.

    begun  whether the arguments begin as they should; if they do not, all of them are `kept`
    flaw   what they are besides the one text, "" for nothing
    rest   of the text, what waits for more; from its end on, what follows it
    """

    def __init__(self, call: FunctionCall, report: Report, limit: int | None = None) -> None:
        self._call, self._report, self._limit = call, report, limit
        self._begun = False
        self._kept: list[str] = []
        self._size = 0
        self._flaw = ""
        self._rest = ""

    def read(self, text: str) -> str:
        """The part of the input that a further piece of the arguments holds."""
        if self._begun:
            return self._text(text)
        before = self._size
        self._kept.append(text)
        self._size += len(text)
        if before <= MOST_OF_HEAD:
            given = "".join(self._kept)
            head = HEAD.match(given)
            if head is not None:
                self._begun, self._kept = True, []
                return self._text(given[head.end() :])
        if self._limit is not None and self._size > self._limit:
            detail = f"more than {self._limit} characters of a call's arguments; option `buffer_limit`"
            raise Refusal("STR-15", None, detail)
        return ""

    def _text(self, piece: str) -> str:
        rest = self._rest + piece
        if rest.startswith('"'):
            self._rest = BLANKS.sub(" ", rest)[:MOST_OF_TAIL]
            return ""
        found: list[str] = []
        at = 0
        while True:
            body = BODY.match(rest, at)
            assert body is not None  # it may be empty
            found.append(str(json.loads(f'"{body[0]}"')))
            flaw = FLAW.match(rest, body.end())
            if flaw is None:
                break
            found.append(flaw[0])
            self._flaw = "JSON with unescaped characters"
            at = flaw.end()
        self._rest = rest[body.end() :]
        return "".join(found)

    def read_object(self, arguments: Mapping[str, Any]) -> str:
        """The input of arguments that are there as an object."""
        try:
            whole = json_text(arguments)  # deep ones are refused, whichever member they are in
        except ValueError as error:
            raise Refusal("SHP-7", self._report.place(self._call, "arguments"), str(error)) from None
        self._begun, self._rest = True, '"}'
        given = arguments.get(INPUT)
        if not isinstance(given, str) or len(arguments) > 1:
            self._flaw = f"found {quoted(whole[:MOST_QUOTED])}"
        return given if isinstance(given, str) else whole

    @property
    def waits(self) -> bool:
        """Whether only the ending of the response shows what the arguments, which have ended, are: they are no JSON."""
        return not self._begun and _parsed("".join(self._kept)) is None

    @property
    def begun(self) -> bool:
        return self._begun

    def end(self, cut_off: bool) -> str:
        """What is left of the input, where the arguments have ended; reports what they are besides it."""
        left, whole = "", "".join(self._kept)
        arguments = None if self._begun else _parsed(whole)
        if self._begun:
            if not self._flaw and not (BEGUN_TAIL if cut_off else TAIL).fullmatch(self._rest):
                self._flaw = f"found {quoted(self._rest[:MOST_QUOTED])} behind the input"
        elif arguments is None and cut_off:  # nothing of the input has come
            if whole.strip():
                self._report.at("TUL-29", self._call, "arguments")
        else:
            given = arguments.get(INPUT) if isinstance(arguments, dict) else None
            left = given if isinstance(given, str) else whole
            if left is not given or len(arguments or ()) > 1:
                self._flaw = f"found {quoted(whole[:MOST_QUOTED])}"
        if self._flaw:
            self._report.at("TUL-21", self._call, "arguments", self._flaw)
        return left


def _parsed(text: str) -> Any:
    """The value; None where the text is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
