"""A Markdown extension: the id of a rule in running text is a link to the rule's section, on every page.

Not in headings, links and code. The reference is resolved by mkdocs-autorefs, which knows the anchors of all pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from re import Match
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

from proxai_ir.matrix.specification import RULE_ID


class RuleLinks(Extension):
    """`anchors`: the anchor of each rule's section."""

    def __init__(self, anchors: Mapping[str, str]) -> None:
        super().__init__()
        self.anchors = anchors

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the library's name
        md.inlinePatterns.register(RuleId(md, self.anchors), "rule", 100)  # after code and links


class RuleId(InlineProcessor):
    ANCESTOR_EXCLUDES = ("a", "h1", "h2", "h3", "h4", "h5", "h6")

    def __init__(self, md: Markdown, anchors: Mapping[str, str]) -> None:
        super().__init__(RULE_ID.pattern, md)
        self.anchors = anchors

    def handleMatch(self, m: Match[str], data: str) -> Any:  # noqa: ARG002, N802 - the library names it
        if m[0] not in self.anchors:  # as UTF-8 is none
            return None, None, None
        link = Element("autoref", {"identifier": self.anchors[m[0]], "class": "rule"})
        link.text = m[0]
        return link, m.start(0), m.end(0)
