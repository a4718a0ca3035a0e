"""Pain 30: citations disappear, or point at the wrong text."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    again,
    anthropic,
    chat,
    from_responses,
    losses,
    message,
    responses,
    text,
    to_chat,
    to_responses,
)


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
        anthropic.response(
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


def flat(url: str, start: int, end: int, title: str = "T") -> Json:
    """An annotation of Responses."""
    return {"type": "url_citation", "url": url, "title": title, "start_index": start, "end_index": end}


def test_the_span_of_an_item_moves_along_when_items_are_joined() -> None:
    response = responses.response(
        responses.message(responses.output_text("Hôtel 🏨 a: ")),
        responses.message(
            responses.output_text("six rooms", flat("https://a.example", 0, 9)),
            responses.output_text(", ten", flat("https://b.example", 2, 5)),
        ),
    )
    found = message(from_responses(response, CHAT, "response"))
    assert found["content"] == "Hôtel 🏨 a: \n\nsix rooms, ten"
    assert found["annotations"] == [noted("https://a.example", 13, 22), noted("https://b.example", 24, 27)]
    assert again(response, RESPONSES, "response") == response


def test_citations_of_chat_are_citations_of_responses() -> None:
    there = to_responses(
        chat.response(content="Six.", annotations=[noted("https://a.example", 0, 3)]), CHAT, "response"
    )
    assert there.output["output"][0]["content"] == [responses.output_text("Six.", flat("https://a.example", 0, 3))]
    assert losses(there) == []


def test_a_place_in_a_file_has_no_equal_and_the_text_stays() -> None:
    place = {"type": "file_citation", "file_id": "file_1", "filename": "plan.pdf", "index": 3}
    response = responses.response(responses.message(responses.output_text("Six.", place)))
    for dst in (CHAT, ANTHROPIC):
        made = from_responses(response, dst, "response")
        assert "Six." in str(made.output)
        assert losses(made) == [("CIT-1", "/output/0/content/0/annotations/0")]


OF_RESULT: Json = {
    "type": "search_result_location",
    "source": "https://a.example/",
    "title": "A",
    "cited_text": "Rain.",
    "search_result_index": 0,
    "start_block_index": 0,
    "end_block_index": 1,
}


def test_a_citation_of_a_search_result_is_one_of_its_page() -> None:
    payload = anthropic.response({"type": "text", "text": "Rain.", "citations": [OF_RESULT]})
    note = message(to_chat(payload, "response"))["annotations"][0]
    assert note["url_citation"] == {"url": "https://a.example/", "title": "A", "start_index": 0, "end_index": 5}
    assert {code for code, _ in losses(to_chat(payload, "response"))} == {"CIT-2", "CIT-4"}
    node = proxai_ir.lower(payload, ANTHROPIC, kind="response")
    assert proxai_ir.raise_to(node, ANTHROPIC)["content"] == payload["content"]


def test_a_source_that_is_no_page_is_not_cited_as_one() -> None:
    cited = {**OF_RESULT, "source": "the attic, box 5"}
    payload = anthropic.response({"type": "text", "text": "Rain.", "citations": [cited]})
    made = to_chat(payload, "response")
    assert "annotations" not in message(made)
    assert losses(made) == [("CIT-1", "/content/0/citations/0")]


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ({}, (0, 9)),
        ({"start_index": 2}, (2, 9)),
        ({"end_index": 3}, (0, 3)),
        ({"start_index": -3, "end_index": -1}, (0, 0)),
    ],
    ids=["none", "no end", "no start", "before the text"],
)
def test_a_span_that_responses_requires_is_within_the_text(span: Json, expected: tuple[int, int]) -> None:
    cited = {"type": "url_citation", "url_citation": {"url": "https://a.example/", "title": "A", **span}}
    message = {"role": "assistant", "content": "six rooms", "annotations": [cited]}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    response = {"id": "r", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    made = proxai_ir.convert(response, "openai_chat_completions", "openai_responses", kind="response")
    (note,) = made["output"][0]["content"][0]["annotations"]
    assert (note["start_index"], note["end_index"]) == expected
