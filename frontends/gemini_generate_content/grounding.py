"""What a text rests on, and the search that found it: members of a candidate, as citations and parts of a turn.

Google counts UTF-8 bytes, of one part or of the whole text; the IR counts characters of the part (CIT-1). All of this
is derived: the candidate keeps the members themselves.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from proxai_ir import ir
from proxai_ir.ir.node import Extra
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google
from proxai_ir.wire.gemini_generate_content_values import Repeated

from .._lib.reading import Json, Object, each_object, extra_fields, optional

Texts = Sequence[tuple[int, str]]
"""The texts of a turn, each with the number of its part."""


def cite(candidate: Object, texts: Texts) -> list[tuple[int, ir.Citation]]:
    """The citations of a candidate, each with the number of the part whose text it is of."""
    grounding, quoted = optional(candidate, "groundingMetadata", dict), optional(candidate, "citationMetadata", dict)
    if not texts or (grounding is None and quoted is None):
        return []
    found: list[tuple[int, ir.Citation]] = []
    spans = _Spans(texts)
    if grounding is not None:
        chunks = optional(grounding, "groundingChunks", list) or []
        for support in _objects(grounding, "groundingSupports"):
            found += _of_support(support, chunks, spans)
    for key in ("citations", "citationSources") if quoted is not None else ():
        for cited in _objects(quoted or {}, key):
            if isinstance(cited.get("uri"), str):
                found.append(_of_source(cited, spans))
    return found


def _objects(holder: Object, key: str) -> list[Object]:
    return each_object(optional(holder, key, list) or [], lambda one: one)


def _of_support(support: Object, chunks: list[Json], spans: _Spans) -> list[tuple[int, ir.Citation]]:
    """A citation of each web page that a passage rests on; one of the support itself where it rests on others."""
    segment = optional(support, "segment", dict) or {}
    indices = optional(support, "groundingChunkIndices", list) or []
    part, start, end = spans.find(segment)
    text = optional(segment, "text", str) if end is None else None  # else it repeats what the span is of
    pages = [page for index in indices if (page := _source(chunks, index)) is not None]
    if not pages:
        return [(part, ir.SourceCitation("groundingSupport", support, support))]
    placed = {"partIndex", "text", *(("startIndex", "endIndex") if end is not None else ())}
    inner = extra_fields(segment, placed)
    extra = extra_fields(support, {"segment", "groundingChunkIndices"}, nested={"segment": inner})
    unplaced = text if end is None else None  # elsewhere it is the text's own
    return [(part, ir.UrlCitation(url, title, unplaced, start, end, None, support, extra)) for url, title in pages]


LINKS = {"web": "uri", "maps": "uri", "retrievedContext": "uri", "image": "sourceUri"}
"""By the kind of a chunk: the member that has the address of a page, where it is one."""


def _source(chunks: list[Json], index: Json) -> tuple[str, str | None] | None:
    """The address and the title of what a chunk is from."""
    chunk = chunks[index] if type(index) is int and 0 <= index < len(chunks) else None
    for kind, member in LINKS.items():
        found: Json = chunk.get(kind) if isinstance(chunk, dict) else None
        link = found.get(member) if isinstance(found, dict) else None
        if isinstance(link, str) and (kind == "web" or link.startswith(("https://", "http://"))):
            return link, optional(found, "title", str)
    return None


def _page(chunk: Object) -> Object | None:
    web = chunk.get("web")
    return web if isinstance(web, dict) and isinstance(web.get("uri"), str) else None


SOURCE_KEYS = frozenset({"uri", "title", "startIndex", "endIndex"})


def _of_source(cited: Object, spans: _Spans) -> tuple[int, ir.Citation]:
    part, start, end = spans.find(cited)
    title = optional(cited, "title", str)
    return part, ir.UrlCitation(cited["uri"], title, None, start, end, None, cited, extra_fields(cited, SOURCE_KEYS))


class _Spans:
    """Finds passages by their bytes.

    _bytes  how many bytes there are up to each character of the whole text
    _begin  by the number of a part: where its text begins, in bytes
    """

    def __init__(self, texts: Texts) -> None:
        self._whole = "".join(text for _, text in texts)
        self._bytes = google.byte_offsets(self._whole)
        self._begin: dict[int, int] = {}
        self._ends: list[int] = []  # of the texts, in characters
        self._numbers = [number for number, _ in texts]
        at = 0
        for number, text in texts:
            self._begin[number] = self._bytes[at]
            at += len(text)
            self._ends.append(at)

    def find(self, segment: Object) -> tuple[int, int | None, int | None]:
        """The number of the part in which a passage ends, and where in it the passage begins and ends, in characters.

        Offsets are those of the part that is named, or of the whole text, whichever has the wording there.
        """
        first, last = optional(segment, "startIndex", int) or 0, optional(segment, "endIndex", int)
        wording, number = optional(segment, "text", str), optional(segment, "partIndex", int)
        for begin in dict.fromkeys((self._begin.get(number or 0, 0), 0)) if last is not None else ():
            start, end = self._character(begin + first), self._character(begin + (last or 0))
            if start is None or end is None or start > end:
                continue
            if wording is None or self._whole[start:end] == wording:
                at = min(bisect_left(self._ends, max(end, 1)), len(self._numbers) - 1)
                before = self._ends[at - 1] if at else 0
                return self._numbers[at], start - before, end - before
        return self._numbers[-1] if number not in self._begin else number or 0, None, None

    def _character(self, at: int) -> int | None:
        """The character that begins at a byte."""
        index = bisect_left(self._bytes, at)
        return index if index < len(self._bytes) and self._bytes[index] == at else None


# --- the search -------------------------------------------------------------------------------------------------------


def marked(extra: Extra | None, searched: bool) -> Extra | None:
    """What is kept of a candidate, with a mark on the search and its pages where its parts have a search, too."""
    kept = extra.fields if searched and extra is not None else None
    grounding = kept.get("groundingMetadata") if kept else None
    if kept and isinstance(grounding, dict):
        repeated = {key: Repeated(value) for key in SEARCH if isinstance(value := grounding.get(key), list)}
        kept["groundingMetadata"] = {**grounding, **repeated}
    return extra


SEARCH = ("webSearchQueries", "groundingChunks")


PAGE_KEYS = frozenset({"retrievedUrl", "urlRetrievalStatus"})


def opened(candidate: Object, identity: str) -> list[ir.Part]:
    """The pages that were opened, which a candidate reports as searches, each with what came of it; their content is
    not there."""
    found: list[ir.Part] = []
    for number, page in enumerate(_objects(optional(candidate, wire.PAGES, dict) or {}, wire.EACH_PAGE)):
        url, status = optional(page, "retrievedUrl", str), optional(page, "urlRetrievalStatus", str)
        if url is None:
            continue
        name, error = f"{identity}_page_{number}", None if status in (None, wire.OPENED) else status
        found.append(ir.WebSearchCall(name, [], None, page, extra_fields(page, PAGE_KEYS), page=url))
        found.append(ir.WebSearchResult(name, [], error, None, page, page=url))
    return found


def searched(candidate: Object, identity: str) -> list[ir.Part]:
    """The search of the web that a candidate reports apart from its parts; it has no place among them."""
    grounding = optional(candidate, "groundingMetadata", dict)
    if grounding is None:
        return []
    queries = [one for one in optional(grounding, "webSearchQueries", list) or [] if isinstance(one, str)]
    pages = [web for chunk in _objects(grounding, "groundingChunks") if (web := _page(chunk)) is not None]
    if not queries and not pages:
        return []
    call = ir.WebSearchCall(identity, queries, None, grounding)
    hits = [
        ir.WebHit(web["uri"], optional(web, "title", str), None, None, web, extra_fields(web, {"uri", "title"}))
        for web in pages
    ]
    result = ir.WebSearchResult(identity, hits, None, None, (grounding, "groundingChunks") if pages else grounding)
    return [call, result]
