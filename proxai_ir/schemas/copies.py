"""Copies of the schemas in a schema, each made once, which a caller fills one after the other: linear in its size."""

from __future__ import annotations

from typing import Any

Json = Any
Object = dict[str, Any]


class Copies:
    """
    waiting  the given schemas and their copies, which are filled in turn; it grows meanwhile
    """

    def __init__(self) -> None:
        self._copies: dict[int, Object] = {}  # by the id of the given one
        self.waiting: list[tuple[Object, Object]] = []

    def copy(self, schema: Json) -> Json:
        """The copy of a schema, empty as yet; what is no object is itself."""
        if not isinstance(schema, dict):
            return schema
        made = self._copies.get(id(schema))
        if made is None:
            made = self._copies[id(schema)] = {}
            self.waiting.append((schema, made))
        return made
