"""Perplexity's sources: `citations` and `search_results` of the envelope; the text refers to them as [1], [2].

Rule (CIT-5): a reference is a citation with the reference's own span; a source without one is a citation of the whole
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from proxai_ir.ir.parts import UrlCitation

from .._lib.reading import Json, Object

MEMBERS = ("citations", "search_results")
REFERENCE = re.compile(r"\[([0-9]{1,3})\]")
LONGEST = 5  # characters of a reference


class Source(NamedTuple):
    url: str
    title: str | None
    src: Any


def sources_of(holder: Object) -> list[Source]:
    """In the order of their numbers; none where the members are something else."""
    urls, results = holder.get("citations"), holder.get("search_results")
    known = [one for one in results if _is_result(one)] if isinstance(results, list) else []
    if isinstance(urls, list) and urls:
        if not all(isinstance(url, str) for url in urls):
            return []
        titles = {one["url"]: one.get("title") for one in known}
        return [Source(url, titles.get(url), (urls, index)) for index, url in enumerate(urls)]
    return [Source(one["url"], one.get("title"), one) for one in known] if known == results else []


def converted(holder: Object) -> set[str]:
    """The members that citations have all of: results may have a date and a snippet besides."""
    results = holder.get("search_results")
    whole = isinstance(results, list) and all(one.keys() <= {"url", "title"} for one in results)
    return {"citations", "search_results"} if whole else {"citations"}


def _is_result(one: Json) -> bool:
    return isinstance(one, dict) and isinstance(one.get("url"), str) and isinstance(one.get("title"), (str, type(None)))


class References:
    """The references of a text that comes piece by piece: begin, end and number of each."""

    def __init__(self) -> None:
        self.found: list[tuple[int, int, int]] = []
        self._length = 0
        self._rest = ""  # of the text so far, which may begin a reference

    def add(self, text: str) -> None:
        begin, text = self._length - len(self._rest), self._rest + text
        self.found += [(begin + one.start(), begin + one.end(), int(one[1])) for one in REFERENCE.finditer(text)]
        self._length = begin + len(text)
        last = text.rfind("[", max(0, len(text) - LONGEST + 1))
        self._rest = text[last:] if last >= 0 and "]" not in text[last:] else ""


class Sources(References):
    """What the text of a stream rests on, as the last chunk lists it.

    cited    whether the citations were made
    """

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[Source] = []
        self.cited = False
        self._follows = False

    def follow(self, text: str, *, begins: bool) -> None:
        """Look for references in more of the text, if its sources were known when it began."""
        if self._follows or (begins and self.listed):
            self._follows = True
            self.add(text)

    def citations(self) -> list[UrlCitation]:
        self.cited = True
        return citations_of(self.listed, self.found)


def citations_of(sources: list[Source], references: Iterable[tuple[int, int, int]]) -> list[UrlCitation]:
    """A citation for each reference, in their order, then for each source without one."""
    found: list[UrlCitation] = []
    numbers = set()
    for begin, end, number in references:
        if 0 < number <= len(sources):
            numbers.add(number)
            found.append(_citation(sources[number - 1], begin, end))
    return found + [_citation(one, None, None) for n, one in enumerate(sources, 1) if n not in numbers]


def _citation(source: Source, begin: int | None, end: int | None) -> UrlCitation:
    return UrlCitation(source.url, source.title, None, begin, end, None, source.src)
