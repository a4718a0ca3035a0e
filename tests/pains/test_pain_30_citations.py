"""Pain 30: what an answer rests on disappears, or points at the wrong words."""

from __future__ import annotations

from typing import Any

from .support import Json, anthropic_answer, chat_answer, losses, message, text, to_anthropic, to_chat


def web(url: str, **members: Any) -> Json:
    return {
        "type": "web_search_result_location",
        "url": url,
        "title": "T",
        "cited_text": "…",
        "encrypted_index": "Zm9v",
        **members,
    }


def noted(url: str, start: int, end: int, title: str = "T") -> Json:
    return {
        "type": "url_citation",
        "url_citation": {"url": url, "title": title, "start_index": start, "end_index": end},
    }


def test_a_cited_block_is_a_span_of_the_whole_text() -> None:
    """Spans count characters, not bytes: the first block has ten of them."""
    made = to_chat(
        anthropic_answer(
            text("Hôtel 🏨 a: "),
            {**text("six rooms"), "citations": [web("https://a.example"), web("https://b.example")]},
            text(", "),
            {**text("six rooms"), "citations": [web("https://c.example")]},
            text("."),
        ),
        "response",
    )
    found = message(made)
    assert found["content"] == "Hôtel 🏨 a: six rooms, six rooms."
    assert found["annotations"] == [
        noted("https://a.example", 11, 20),
        noted("https://b.example", 11, 20),
        noted("https://c.example", 22, 31),
    ]
    assert all(
        found["content"][note["url_citation"]["start_index"] : note["url_citation"]["end_index"]] == "six rooms"
        for note in found["annotations"]
    )


def test_what_a_citation_of_chat_cannot_hold_is_named() -> None:
    made = to_chat(anthropic_answer({**text("Six."), "citations": [web("https://a.example")]}), "response")
    assert sorted(losses(made)) == [
        ("CIT-2", "/content/0/citations/0/cited_text"),
        ("CIT-3", "/content/0/citations/0/encrypted_index"),
    ]


def test_a_page_without_a_title_gets_an_empty_one() -> None:
    made = to_chat(anthropic_answer({**text("Six."), "citations": [web("https://a.example", title=None)]}), "response")
    assert message(made)["annotations"] == [noted("https://a.example", 0, 4, "")]


def test_a_place_in_a_document_has_no_equal_and_the_text_stays() -> None:
    place = {
        "type": "char_location",
        "cited_text": "six",
        "document_index": 0,
        "document_title": "Plan",
        "start_char_index": 3,
        "end_char_index": 6,
    }
    made = to_chat(anthropic_answer({**text("Six."), "citations": [place]}), "response")
    assert message(made)["content"] == "Six."
    assert "annotations" not in message(made)
    assert losses(made) == [("CIT-1", "/content/0/citations/0")]


def test_citations_of_chat_have_no_place_in_anthropic_and_the_text_stays() -> None:
    """Anthropic's web citations carry an index that only its own search can write."""
    made = to_anthropic(chat_answer(content="Six rooms.", annotations=[noted("https://a.example", 0, 3)]), "response")
    assert made.output["content"] == [text("Six rooms.")]
    assert losses(made) == [("CIT-1", "/choices/0/message/annotations/0")]
