"""Old rows and contradictory ones are found in a table that has some, and the table of today has no contradiction."""

from __future__ import annotations

from datetime import date
from typing import Any

from proxai_ir.profiles.facts import fact
from proxai_ir.profiles.vendors import FACTS

from .freshness import of_age, of_contradictions, of_rows

TODAY = date(2026, 11, 29)
READ: dict[str, Any] = {"source": "https://example.com/a", "looked": "2026-11-01"}
OTHER: dict[str, Any] = {"source": "https://example.com/b", "looked": "2026-11-01"}
TABLE = (
    fact("gpt", sampling=False, source="https://example.com/a", looked="2026-08-31"),  # 90 days ago
    fact("grok", sampling=False, source="https://example.com/a", looked="2026-08-30"),
    fact("o3", images=False, source="https://example.com/a", looked="2025-11-29"),
    # neither of two is narrower: of 5.2 and 5.3 both say something
    fact("glm", since="5", until="5.3", highest_effort="high", images=True, **READ),
    fact("glm", since="5.2", highest_effort="max", images=True, **OTHER),
    # exceptions: of a version, a variant, a server, a protocol
    fact("kimi", since="2", thinking_off=False, **READ),
    fact("kimi", since="2.5", until="2.6", thinking_off=True, **OTHER),
    fact("qwen", audio=False, **READ),
    fact("qwen", only="omni", audio=True, **OTHER),
    fact("llama", images=False, **READ),
    fact("llama", server="groq", images=True, **OTHER),
    # other versions, other families, one source
    fact("nova", until="1", stop_sequences=False, **READ),
    fact("nova", since="2", stop_sequences=True, **OTHER),
    fact("gemma", since="3", until="4", documents=False, **READ),
    fact("gemini", since="3.5", documents=True, **OTHER),
    fact("jamba", since="1", until="2", seed=False, **READ),
    fact("jamba", since="1.5", seed=True, **READ),
)


def test_rows_that_were_looked_up_more_than_90_days_ago_are_listed_oldest_first() -> None:
    found = [*of_age(TABLE, TODAY)]
    assert [one.name.partition(":")[0] for one in found] == ["the fact about o3", "the fact about grok"]
    assert [one.why for one in found] == [
        "looked up on 2025-11-29, 365 days ago",
        "looked up on 2026-08-30, 91 days ago",
    ]


def test_rows_that_two_sources_contradict_are_listed() -> None:
    (found,) = of_contradictions(TABLE)
    assert found.name.startswith("the fact about glm, since=5, until=5.3: highest_effort='high'")
    assert found.why.startswith("highest_effort: the fact about glm, since=5.2: highest_effort='max'")
    assert found.why.endswith("(https://example.com/b), which counts")


def test_both_are_in_one_report() -> None:
    assert [one.kind for one in of_rows(TABLE, TODAY)] == ["old row", "old row", "contradiction"]


def test_no_two_sources_contradict_each_other_in_the_table_of_today() -> None:
    """Sources that contradict each other stand in one row, which says which one it follows."""
    assert [*of_contradictions(FACTS)] == []
