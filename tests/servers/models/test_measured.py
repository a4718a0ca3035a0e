"""What the table of models makes of the recorded requests, held against the judges: at most 0.5 % are refused."""

from __future__ import annotations

import pytest

from proxai_ir import profiles
from proxai_ir.profiles import vendors
from proxai_ir.profiles.models import named
from proxai_ir.profiles.vendors import anthropic, google, openai
from tests.held.shared import Tools

from .carried import carried
from .judge import CHAT, GEMINI, MESSAGES, RESPONSES
from .measure import measured

MOST, ENOUGH = 0.005, 0.99
SERVED = {
    (protocol, family)
    for protocol, families in vendors.SERVED.items()
    for vendor in (openai, anthropic, google)
    for row in vendor.FACTS
    for family in families & row.families - {"gpt-oss"}  # which others serve
}
NOT_IN_CHAT = {"o3-pro", "gpt-5-pro", "gpt-5-codex", "gpt-5.1-codex-max", "gpt-5.5-pro"}
"""Models that Chat Completions does not have at all."""


def refused(tools: Tools, protocol: str, model: str = "", most: int | None = None) -> dict[str, float]:
    """The shares above what is allowed, of the models of these vendors."""
    found = measured(tools, most=most, wanted=protocol, part=model)
    ours = [one for one in found if (protocol, named(one.model).family) in SERVED]
    assert ours
    return {one.model: one.share for one in ours if one.share > MOST}


@pytest.mark.parametrize(
    ("protocol", "model"),
    [
        (MESSAGES, "claude-sonnet-5-5"),
        (MESSAGES, "claude-haiku-4-5"),
        (GEMINI, "gemini-2.5-flash-lite"),
        (GEMINI, "gemini-4-neon"),
        (CHAT, "gpt-5.4-mini"),
        (CHAT, "gpt-5.6-luna"),
        (RESPONSES, "gpt-6.2-sol"),
    ],
)
def test_a_few_models_take_what_is_sent_to_them(tools: Tools, protocol: str, model: str) -> None:
    assert refused(tools, protocol, model, 12) == {}


@pytest.mark.slow
@pytest.mark.parametrize("protocol", [CHAT, RESPONSES, MESSAGES, GEMINI])
def test_each_model_takes_what_is_sent_to_it(tools: Tools, protocol: str) -> None:
    assert refused(tools, protocol).keys() == (NOT_IN_CHAT if protocol == CHAT else set())


def test_models_that_chat_does_not_have_are_asked_in_responses() -> None:
    assert {profiles.target(model).protocol for model in NOT_IN_CHAT} == {RESPONSES}


UNSURE = {"publishers/google/models/gemini-2.5-pro", "publishers/google/models/gemini-2.5-flash"}
"""JSON beside functions: refused by the Gemini API, and no document says that Vertex AI takes it."""


@pytest.mark.slow
@pytest.mark.parametrize("protocol", [CHAT, RESPONSES, MESSAGES, GEMINI])
def test_each_model_gets_the_settings_that_it_takes(tools: Tools, protocol: str) -> None:
    found = [*carried(tools, wanted=protocol)]
    assert found
    assert {one.model: one.missed for one in found if one.share < ENOUGH and one.model not in UNSURE} == {}


@pytest.mark.parametrize(
    ("protocol", "model"), [(MESSAGES, "claude-haiku-4-5"), (GEMINI, "gemini-4-neon"), (CHAT, "kimi-k3")]
)
def test_a_few_models_get_the_settings_that_they_take(tools: Tools, protocol: str, model: str) -> None:
    (found,) = (one for one in carried(tools, 12, protocol, model) if one.model == model)
    assert found.taken > 5
    assert found.missed == {}
