"""What a response rests on: searches, pages, and which spans of the text cite them (CIT-1, TUL-22).

The IR counts the characters of all text of a turn; this wire counts the bytes of the UTF-8 of one part.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from proxai_ir.ir import parts as ir
from proxai_ir.wire import gemini_generate_content as wire

from .._lib.writing import Object, put

MOST_QUOTED = 2000  # characters of a span that repeats its text


class Grounding:
    """Collects what a candidate rests on, in the order of its parts.

    Of the written parts that are text: _indexes of the parts, _begins in the whole text, their pieces in _texts.

    _length     of the whole text so far
    _citations  each with the number of the text that it came with
    """

    def __init__(self) -> None:
        self._indexes: list[int] = []
        self._begins: list[int] = []
        self._texts: list[list[str]] = []
        self._length = 0
        self._citations: list[tuple[ir.UrlCitation, int]] = []
        self._supports_of_own: list[Object] = []
        self._queries: list[str] = []
        self._pages: dict[tuple[str, str | None], int] = {}

    def search(self, part: ir.WebSearchCall | ir.WebSearchResult) -> None:
        if isinstance(part, ir.WebSearchCall):
            self._queries += part.queries
        else:
            for hit in part.hits:
                self._page(hit.url, hit.title)

    def begin(self, index: int) -> None:
        """A text begins, as part number `index`."""
        self._indexes.append(index)
        self._begins.append(self._length)
        self._texts.append([])

    def add(self, text: str) -> None:
        self._texts[-1].append(text)
        self._length += len(text)

    def cite(self, citation: ir.Citation) -> None:
        """A citation of the text that was begun last, or, with a span, of any."""
        if isinstance(citation, ir.UrlCitation):
            self._citations.append((citation, len(self._texts) - 1))
        else:
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
        return self._pages.setdefault((url, title), len(self._pages))

    def _supports(self) -> list[Object]:
        """One for each span, with all pages that are cited there."""
        found: dict[tuple[int, int, int], list[int]] = {}
        for citation, at in self._citations:
            span = self._span(citation, at)
            pages = found.setdefault(span, [])
            page = self._page(citation.url, citation.title)
            if page not in pages[-1:]:
                pages.append(page)
        texts: dict[int, tuple[str, Sequence[int]]] = {}  # with the bytes before each of its characters
        supports: list[Object] = []
        for (at, start, end), pages in found.items():
            if at not in texts:
                whole = "".join(self._texts[at])
                texts[at] = whole, wire.byte_offsets(whole)
            text, offsets = texts[at]
            first, last = (offsets[min(one, len(text))] + max(one - len(text), 0) for one in (start, end))
            segment = put({}, partIndex=self._indexes[at] or None)
            segment |= {"startIndex": first, "endIndex": last}
            if end - start <= MOST_QUOTED:
                segment["text"] = text[start:end]
            supports.append({"segment": segment, "groundingChunkIndices": pages})
        return supports

    def _span(self, citation: ir.UrlCitation, at: int) -> tuple[int, int, int]:
        """The text that a citation is of, and its span there; without one it is of the whole text."""
        if citation.start is not None:
            at = max(bisect_right(self._begins, citation.start) - 1, 0)
        begin = self._begins[at]
        length = (self._begins[at + 1] if at + 1 < len(self._begins) else self._length) - begin
        start = 0 if citation.start is None else max(citation.start - begin, 0)
        end = length if citation.end is None else max(citation.end - begin, 0)
        return at, start, end
