"""Every row of every module: each target's client gets what the row says, and is told what the row says."""

from __future__ import annotations

from collections import Counter

import pytest

from . import (
    azure,
    chat_calls,
    chat_text,
    cohere,
    converse,
    generate_content,
    http_errors,
    interactions,
    messages,
    ollama,
    responses_api,
    transport,
)
from .seen import differences
from .still_open import OPEN
from .symptom import Symptom

MODULES = (
    *(chat_text, chat_calls, messages, responses_api, generate_content, http_errors, transport),
    *(converse, cohere, ollama, interactions, azure),
)
ROWS: tuple[Symptom, ...] = tuple(row for module in MODULES for row in module.ROWS)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_symptom(row: Symptom) -> None:
    assert differences(row) == []


def test_a_thread_has_one_row() -> None:
    threads = Counter(row.thread for row in (*ROWS, *(row for _, row in OPEN)))
    assert [thread for thread, count in threads.items() if count > 1] == []
