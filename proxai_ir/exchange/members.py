"""Members that a provider has and no protocol: the caller states them, and every request has them by default (CAP-11).
The size of the model's context, which requests of one protocol set, is stated by itself (CAP-12).

Rule 1: what a request has stays as it is; a stated value that differs from it is named, never sent. Rule 2: what a
request decides by itself, its model and whether its response is a stream, cannot be stated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from ..conversion.profile import Profile, having
from ..json.merge import equal
from ..json.pointer import escape
from ..json.types import described
from ..protocol.http import Http
from ..protocol.registry import backend
from ..reporting.diagnostics import Record

Json = Any
Path = tuple[str | int, ...]
RULE = "CAP-11"
CONTEXT = "context_size"
"""The option with which a protocol's requests set the size of the context."""
PLAIN = (str, int, bool, type(None))
EXPECTED = "expected a string, a finite number, true, false, null, an array or an object"


def with_members(body: Json, stated: Mapping[str, Json], found: list[Record], place: str = "") -> Json:
    """Return a body with the stated members that it lacks, objects inside as well; the body itself if it has all."""
    made = body
    for name, value in stated.items():
        here = f"{place}/{escape(name)}"
        if name not in body:
            made = {**made, name: value}
        elif isinstance(body[name], dict) and isinstance(value, dict):
            inner = with_members(body[name], value, found, here)
            made = made if inner is body[name] else {**made, name: inner}
        elif not equal(body[name], value):
            found.append((RULE, None, f"`{here}` of the provider's request"))
    return made


def wrong_members(stated: Any, http: Http) -> Iterator[tuple[Path, str]]:
    """Yield the places in stated members that no request can have, with what is wrong there."""
    if not isinstance(stated, Mapping):
        yield (), f"found {described(stated)}; expected an object of members of the request's body"
        return
    if http.named in stated:
        yield (http.named,), "each request names its model; expected the option `model` of an Exchange or of a route"
    elif http.streams({**stated}) != http.streams({}):
        yield (), "each request says itself whether its response is a stream; expected members without that"
    yield from _no_json(stated, ())


def _no_json(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the places of values that JSON does not have, such as the dates of TOML."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            if type(name) is str:
                yield from _no_json(one, (*path, name))
            else:
                yield path, f"found {described(name)} as the name of a member; expected a string"
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from _no_json(one, (*path, at))
    elif not (isinstance(value, PLAIN) or (isinstance(value, float) and isfinite(value))):
        yield path, f"found {described(value)}; {EXPECTED}"


def checked_members(stated: Any, http: Http) -> Mapping[str, Json]:
    """Return members that a caller states for every request. Raises TypeError for those that none can have."""
    for path, message in wrong_members(stated, http):
        place = "".join(f"/{escape(str(one))}" for one in path)
        raise TypeError(f"body{place}: {message}")
    members: Mapping[str, Json] = stated
    return members


def with_context(side: str | Profile, context: int | None) -> tuple[str | Profile, int | None]:
    """Return the side, which asks for the stated context if its requests can, and the context that is known.

    Raises TypeError for a context that is no number of tokens.
    """
    if context is not None and (type(context) is not int or context < 1):
        raise TypeError(f"context is {described(context)}; expected a number of tokens")
    if CONTEXT not in backend(side).target.settings:
        return side, context
    if context is not None:
        return having(side, {CONTEXT: context}), context
    return side, (side.given.get(CONTEXT) if isinstance(side, Profile) else None) or None
