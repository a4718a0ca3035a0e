"""What a response rests on: searches, pages, and which spans of the text cite them (CIT-1, TUL-22).

The IR counts the characters of a part, this wire the bytes of its UTF-8.
"""

from __future__ import annotations

from collections.abc import Sequence

from proxai_ir import ir
from proxai_ir.wire import google

from .._lib.writing import Object, put

MOST_QUOTED = 2000  # characters of a span that repeats its text


class Grounding:
    """Collects what a candidate rests on, in the order of its parts.

    Of the written parts that are text: _indexes of the parts, their pieces in _texts, their _numbers by id.

    _citations   each with the number of its text
    _numbers_of  by the address of a page, by its title: the page's index in _pages
    """

    def __init__(self) -> None:
        self._indexes: list[int] = []
        self._texts: list[list[str]] = []
        self._numbers: dict[int, int] = {}
        self._citations: list[tuple[ir.UrlCitation, int]] = []
        self._supports_of_own: list[Object] = []
        self._queries: list[str] = []
        self._pages: list[tuple[str, str | None]] = []
        self._numbers_of: dict[str, dict[str | None, int]] = {}

    def search(self, part: ir.WebSearchCall | ir.WebSearchResult) -> None:
        if isinstance(part, ir.WebSearchCall):
            self._queries += part.queries
        else:
            for hit in part.hits:
                self._page(hit.url, hit.title)

    def begin(self, text: ir.Text, index: int) -> None:
        """A text begins, as part number `index`."""
        self._numbers[id(text)] = len(self._texts)
        self._indexes.append(index)
        self._texts.append([])

    def add(self, text: str) -> None:
        self._texts[-1].append(text)

    def cite(self, citation: ir.Citation, text: ir.Text) -> None:
        if isinstance(citation, ir.UrlCitation):
            self._citations.append((citation, self._numbers[id(text)]))
        elif isinstance(citation, ir.SourceCitation):
            self._supports_of_own.append(citation.raw)

    def written(self) -> Object:
        """`groundingMetadata`; empty where there is nothing to write."""
        built: Object = {}
        if self._queries:
            built["webSearchQueries"] = self._queries
        supports = self._supports() + self._supports_of_own
        if self._pages:
            pages = [put({"uri": url}, title=title) for url, title in self._pages]
            built["groundingChunks"] = [{"web": page} for page in pages]
        if supports:
            built["groundingSupports"] = supports
        return built

    def _page(self, url: str, title: str | None) -> int:
        """The number of a page: one for each address and title, as a search and a citation may both have it."""
        known = self._numbers_of.setdefault(url, {})
        if title in known:
            return known[title]
        if known and not title:
            return next(iter(known.values()))
        number = known[title] = known.pop(None, len(self._pages))
        self._pages[number : number + 1] = [(url, title)]
        return number

    def _supports(self) -> list[Object]:
        """One for each span, with all pages that are cited there."""
        found: dict[tuple[int, int, int], list[int]] = {}
        wordings = ["".join(pieces) for pieces in self._texts] if self._citations else []
        for citation, at in self._citations:
            pages = found.setdefault(_span(citation, at, wordings), [])
            page = self._page(citation.url, citation.title)
            if page not in pages[-1:]:
                pages.append(page)
        bytes_of: dict[int, Sequence[int]] = {}  # before each character of a text
        begins = self._begins(wordings)
        supports: list[Object] = []
        for (at, start, end), pages in found.items():
            text = wordings[at]
            if at not in bytes_of:
                bytes_of[at] = google.byte_offsets(text)
            offsets = bytes_of[at]
            first, last = (offsets[min(one, len(text))] + max(one - len(text), 0) for one in (start, end))
            segment = put({}, partIndex=self._indexes[at] or None)
            segment |= {"startIndex": begins[at] + first, "endIndex": begins[at] + last}
            if end - start <= MOST_QUOTED:
                segment["text"] = text[start:end]
            supports.append({"segment": segment, "groundingChunkIndices": pages})
        return supports

    def _begins(self, wordings: list[str]) -> list[int]:
        """Where each text begins in its part, in bytes: clients of a stream put neighbouring texts together."""
        begins = list[int]()
        for at, index in enumerate(self._indexes[: len(wordings)]):
            goes_on = at > 0 and index == self._indexes[at - 1]
            begins.append(begins[-1] + google.byte_offsets(wordings[at - 1])[-1] if goes_on else 0)
        return begins


def _span(citation: ir.UrlCitation, at: int, texts: list[str]) -> tuple[int, int, int]:
    """The number of the text in which a passage begins, and its span there; without one it is all of its text."""
    start = citation.start or 0
    end = len(texts[at]) if citation.end is None else citation.end
    while start < 0 < at:
        at -= 1
        start, end = start + len(texts[at]), end + len(texts[at])
    return at, max(start, 0), max(end, 0)
