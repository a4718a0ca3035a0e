"""What a text rests on: pages of the web, and places in what the request holds."""

from __future__ import annotations

from enum import Enum
from typing import Any

from attrs import define

from .node import Extra, Seal, bookkeeping


@define
class UrlCitation:
    """A web page that a text rests on. `start` and `end` count characters of its text; None: all of it."""

    url: str
    title: str | None
    cited_text: str | None = None
    start: int | None = None
    end: int | None = None
    seal: Seal | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class SourceCitation:
    """A place in something that the request holds, in its vendor's own terms."""

    kind: str
    raw: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


class CitationUnit(Enum):
    CHAR = "char"
    PAGE = "page"
    BLOCK = "block"


@define
class DocumentCitation:
    """A place in a document of the request: in characters, pages or blocks, from `start` to before `end`.

    `document`: which one of the request's documents, from 0; `file`: the id of its file. Pages count from 1.
    """

    unit: CitationUnit
    document: int
    start: int
    end: int
    title: str | None = None
    cited_text: str | None = None
    file: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


Citation = UrlCitation | SourceCitation | DocumentCitation
