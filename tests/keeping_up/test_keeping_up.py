"""The stated official packages have nothing that is not accounted for, and the comparison sees what would be new."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, TypedDict

import pytest

from proxai_ir.protocol.registry import backend

from ..profiles.test_sources import Held
from ..stated import needs_stated
from . import official
from .accounted import ALLOWED, BETAS
from .findings import (
    PACKAGES,
    Finding,
    all_findings,
    of_betas,
    of_errors,
    of_headers,
    of_models,
    of_texts,
    of_types,
    of_version,
    report,
    typed,
)


def is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of what the module is in
        return False


NEEDED = pytest.mark.skipif(not all(map(is_there, PACKAGES.values())), reason="the official packages are not installed")


def test_the_stated_packages_have_nothing_new() -> None:
    needs_stated(*PACKAGES)
    found = list(all_findings())
    assert not found, report(found)


def test_a_new_version_of_the_api_is_found() -> None:
    older = {name: value for name, value in backend("anthropic_messages").versions.items() if name != "2026-10-21"}
    assert [one.name for one in of_version("2026-10-21", older)] == ["2026-10-21"]


def test_a_new_beta_and_new_headers_are_found() -> None:
    assert [one.name for one in of_betas(["new-2027-01-01"], BETAS)] == ["new-2027-01-01"]
    known = {"authorization": "Bearer none", "accept": ""}
    found = list(of_headers("p", {"x-api-key": "none", "authorization": "Key none"}, known))
    assert [one.name for one in found] == ["p x-api-key", "p authorization", "p accept"]


def test_new_members_and_errors_of_converse_are_found() -> None:
    base = {"messages": [{"role": "user", "content": [{"text": "x"}]}]}
    new = [("bedrock_converse", "request", f"<x>.{name}", {**base, name: {}}) for name in ("toolConfig", "mood")]
    assert [one.name for one in of_types(new)] == ["bedrock_converse request <x>.mood"]
    assert [one.name for one in of_errors(["B", "A"], ["A"])] == ["B"]


def test_a_new_model_is_found() -> None:
    newest = {"claude-opus": (5, 5)}
    names = ["claude-opus-5-5", "claude-opus-5-5-20261001", "claude-opus-5-6", "corvid-1", "lyria-9"]
    found = list(of_models(names, newest))
    assert [one.name for one in found] == ["claude-opus-5-6", "corvid-1"]


def test_a_text_that_is_gone_is_found() -> None:
    held = Held("json", "JSON (JavaScript Object Notation)", "openai_chat_completions", {}, "stop_sequences")
    assert [*of_texts([held])] == []
    (found,) = of_texts([held._replace(text="as of today")])
    assert (found.kind, found.name) == ("text", "json for stop_sequences")


class Novel(TypedDict, total=False):
    model: str
    max_tokens: int
    messages: list[Any]
    temperament: str


@NEEDED
def test_a_new_field_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import anthropic.types as module

    monkeypatch.setattr(module, "Novel", Novel, raising=False)
    base = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "Hi"}]}
    root = official.Root("anthropic_messages", "request", "anthropic.types", "Novel", lambda value: {**base, **value})
    (found,) = [one for one in of_types(typed([root])) if "temperament" in one.name]
    assert found == Finding("field or value", "anthropic_messages request <Novel>.temperament", "UNK-1 in Request")


def test_what_is_allowed_has_a_date_and_a_reason() -> None:
    for date, reason in ALLOWED.values():
        assert len(date) == len("2026-11-22")
        assert reason.endswith(".")
