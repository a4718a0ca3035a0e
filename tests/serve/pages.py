"""Pages as a test reads them: elements with their attributes and text, and what makes a page accessible."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import pairwise

from attrs import define, field

VOID = {"meta", "link", "input", "br"}


@define
class Element:
    tag: str
    attributes: dict[str, str]
    text: str = ""
    inside: list[str] = field(factory=list)


class Page(HTMLParser):
    """`elements` in the order of their beginnings; `text` of an element is all text in it."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(html)
        self.close()
        assert [one.tag for one in self._open] == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, inside=[one.tag for one in self._open])
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """`class_` is the attribute `class`."""
        wanted = {name.rstrip("_"): value for name, value in attributes.items()}
        return [one for one in self.elements if one.tag == tag and wanted.items() <= one.attributes.items()]

    def by_id(self, name: str) -> Element:
        (found,) = [one for one in self.elements if one.attributes.get("id") == name]
        return found


def check_accessible(page: Page) -> None:
    """What can be seen without a browser."""
    (html,) = page.all("html")
    assert html.attributes["lang"] == "en"
    assert page.all("title")[0].text.strip()
    levels = [int(one.tag[1]) for one in page.elements if one.tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), "no level is skipped"
    ids = [one.attributes["id"] for one in page.elements if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    assert not [name for name in ids if " " in name]
    labelled = {one.attributes["for"] for one in page.all("label")}
    for tag in ("input", "select", "textarea"):
        assert {one.attributes["id"] for one in page.all(tag)} <= labelled
    for one in page.elements:
        for name in ("aria-describedby", "aria-labelledby"):
            assert one.attributes.get(name, ids[0] if ids else "") in ids
        if one.tag == "a" and one.attributes["href"].startswith("#"):
            assert one.attributes["href"][1:] in ids
        if one.tag == "th":
            assert one.attributes["scope"] in ("col", "row")
        if one.attributes.get("role") == "region":
            assert one.attributes["tabindex"] == "0", "what scrolls can be scrolled by the keyboard"
            assert one.attributes["aria-label"]
    assert not page.all("script")
    assert not [name for one in page.elements for name in one.attributes if name.startswith("on") or name == "style"]
