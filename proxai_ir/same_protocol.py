"""A tree back into the protocol that it was read from: the payload that it was read from, with the edits made to it.

The tree refers to that payload (`src`), so no reader has to note in which of several forms the source wrote something.
Rule 1: an unchanged tree gives the payload itself. Rule 2: an edited one gives the payload with the edit and nothing
else: a three-way merge of the payload with the canonical output of the tree as it was and as it is. Rule 3: what comes
out is read again, and has to be the edited tree; else the canonical output is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import orjson

from .diagnostics import Refusal
from .ir.copying import copy_tree
from .ir.error import Error
from .ir.node import Extra
from .ir.structure import CHILDREN, PARTS
from .json.merge import equal, merged, own, regained
from .registry import Backend, Frontend, read_error

Json = Any
Read = Callable[[Json], Any]


def restored(root: Any, front: Frontend, back: Backend, options: Mapping[str, Any]) -> Json:
    """Raises Refusal where the tree holds what the protocol cannot represent."""
    source, read = root.src, _reader(root, front)
    before = _read_safely(read, own(source))
    if before is None:  # a tree that was made
        return _canonical(root, back, options)
    wanted = _formless(copy_tree(root))
    if before == wanted and options is back.defaults:
        return own(source)
    was, now = _canonical(before, back, back.defaults), _canonical(root, back, options)
    candidates = [merged(before.src, was, now), regained(before.src, was, now)]
    found = [(made, _read_safely(read, made)) for made in candidates]
    for made, node in found:
        if _equal(node, wanted, made):
            return made
    for made, node in found:  # with members that the protocol needs, and the tree has not
        if node is not None and _equal(_bare(node), _bare(wanted), made):
            if equal(_canonical(node, back, options), now):
                return made
    meant = _read_safely(read, now)  # less than the tree, where the protocol cannot represent all of it
    return next((made for made, node in found if meant is not None and _equal(node, meant, made)), now)


def folded(root: Any, front: Frontend, back: Backend, options: Mapping[str, Any]) -> Json:
    """The same for a response that was folded from the events of a stream: its source may be a part of it."""
    source = own(root.src)
    if isinstance(source, dict) and _read_safely(front.response, source) == _formless(copy_tree(root)):
        return source
    return _canonical(root, back, options)


def _reader(root: Any, front: Frontend) -> Read:
    """The reader that read a tree; a failed response may have been read as the error that it is (STS-9)."""
    if not isinstance(root, Error):
        return getattr(front, type(root).__name__.lower())  # type: ignore[no-any-return]
    if isinstance(root.src, dict) and _kind(front, root.src) == "response":
        return front.response
    return lambda payload: read_error(front, payload, root.status)


def _kind(front: Frontend, payload: Json) -> str | None:
    try:
        return front.detect(payload)
    except Refusal:
        return None


def _read_safely(read: Read, payload: Json) -> Any:
    """What the payload reads as; None where there is none, or it is refused."""
    try:
        return None if payload is None else _formless(read(payload))
    except Refusal:
        return None


def _canonical(root: Any, back: Backend, options: Mapping[str, Any]) -> Json:
    return getattr(back, type(root).__name__.lower())(_formless(copy_tree(root)), options)


def _equal(found: Any, wanted: Any, payload: Json) -> bool:
    """Whether a payload reads as it has to; ids that the reader generated, as the payload has none, may be others."""
    if found == wanted:
        return True
    if type(found) is not type(wanted):
        return False
    text = orjson.dumps(payload)
    return bool(_numbered(found, text) == _numbered(wanted, text))


def _numbered(root: Any, text: bytes) -> Any:
    """The tree, in which ids that are not in the text are numbered in the order in which they first occur."""
    root = copy_tree(root)
    numbers: dict[str, str] = {}
    for node in _nodes(root):
        for name in ("id", "call_id") if isinstance(node, PARTS) else ():
            value = getattr(node, name, None)
            if isinstance(value, str) and value.encode() not in text:
                setattr(node, name, numbers.setdefault(value, f"#{len(numbers)}"))
    return root


def _formless(root: Any) -> Any:
    """The same tree without notes of the forms that its payload has."""
    for node in _nodes(root):
        extra = getattr(node, "extra", None)
        if extra is not None:
            node.extra = Extra(extra.fields) if extra.fields else None
    return root


def _bare(root: Any) -> Any:
    """A copy of the tree without unmapped members."""
    root = copy_tree(root)
    for node in _nodes(root):
        if getattr(node, "extra", None) is not None:
            node.extra = None
    return root


def _nodes(root: Any) -> Iterator[Any]:
    waiting = [root]
    for node in waiting:  # which grows meanwhile
        yield node
        for name in CHILDREN.get(type(node), ()):
            value = getattr(node, name)
            if value is not None:
                waiting += value if isinstance(value, list) else [value]
