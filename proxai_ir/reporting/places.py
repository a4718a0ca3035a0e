"""Where the nodes of an IR and their fields stand in the payload that they were read from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from ..json.pointer import PointerIndex
from .report import Report
from .vocabulary import Vocabulary

Json = Any


class Places:
    """The pointers of one payload; the nodes were read from these very objects."""

    def __init__(self, payload: Json, vocabulary: Vocabulary) -> None:
        self._index = PointerIndex(payload, tree=False)
        self._report = Report(vocabulary)

    def __call__(self, node: Any, name: str) -> str:
        """Where a field of a node stands; "" as its name is the node itself."""
        return self._index.pointers(self._report.place(node, name))[0] if node is not None else ""

    def in_json(self, root: Any, written: Json) -> Iterator[tuple[str, str]]:
        """Of each field in the JSON form of a tree its pointer there, and that in the payload."""
        waiting: list[tuple[str, Any, Json]] = [("", root, written)]
        while waiting:
            path, node, members = waiting.pop()
            for name in [one.name for one in attrs.fields(type(node)) if one.name in members]:
                value, inside = getattr(node, name), f"{path}/{name}"
                yield inside, self(node, name)
                nodes = [(inside, value, members[name])]
                if isinstance(value, list):
                    nodes = [(f"{inside}/{at}", one, members[name][at]) for at, one in enumerate(value)]
                waiting += [one for one in nodes if hasattr(one[1], "src")]
