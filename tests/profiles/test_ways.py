"""A fact about a model holds through every protocol and cloud that serves it, or a row says why not (CAP-7).

Law, over every name that the table tells apart, in every spelling, behind every protocol: each setting that two ways
to the model both have is equal, unless a row about one server or an exception with its reason states it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from proxai_ir.profiles import for_model, models, vendors
from proxai_ir.profiles.clouds import CLOUDS
from proxai_ir.profiles.facts import (
    BEDROCK,
    CHAT,
    CONVERSE,
    GEMINI,
    INTERACTIONS,
    MESSAGES,
    OTHER,
    RESPONSES,
    Fact,
    check,
    fact,
)
from proxai_ir.profiles.features import check as check_clouds
from proxai_ir.protocol.registry import backend
from proxai_ir.reporting.catalogue import TableError

from ..cases import each
from ..samples import PROTOCOLS

FAMILIES = [one for one in vendors.FAMILIES if one != OTHER]
HAS = {protocol: backend(protocol).target.settings for protocol in PROTOCOLS}
CLAUDES = [one for one in FAMILIES if one.startswith("claude")]


def names(family: str) -> Iterator[str]:
    """The names that rows tell apart: a family's, its versions', and each of them with each word."""
    rows = [row for row in vendors.FACTS if family in row.families]
    versions = sorted({one for row in rows for one in (row.since, row.until)} - {()})
    words = sorted({word for row in rows for word in row.only | row.but})
    bare = [family, *(f"{family}-{'-'.join(map(str, one))}" for one in versions)]
    yield from (*bare, *(f"{name}-{word}" for name in bare for word in words))


SPELLINGS = {
    "claude": (
        "{}",
        "{}-20250929",
        "anthropic/{}",
        "~anthropic/{}",
        "anthropic.{}-20250929-v1:0",
        "us.anthropic.{}-v1:0",
        "zz.anthropic.{}",
        "bedrock/eu.anthropic.{}",
        "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.{}-20250929-v1:0",
        "arn:aws-us-gov:bedrock:us-gov-west-1::foundation-model/anthropic.{}",
        "{}@20250929",
        "{}@default",
        "publishers/anthropic/models/{}",
        "projects/p/locations/us-east5/publishers/anthropic/models/{}@20250929",
    ),
    "": ("{}", "acme/{}", "{}:free"),
}


def spellings(name: str) -> list[str]:
    return [one.format(name) for one in SPELLINGS["claude" if name.startswith("claude") else ""]]


Ways = dict[tuple[str, str], tuple[Any, list[Fact]]]
UNSTATED = object()


def ways(name: str) -> dict[str, Ways]:
    """Return the value of each setting by each way to a model, with the rows that state it."""
    found: defaultdict[str, Ways] = defaultdict(dict)
    for protocol in vendors.CLOSED.get(models.named(name).family, PROTOCOLS):  # behind others nobody has it
        for spelling in spellings(name):
            made = for_model(protocol, spelling)
            for setting in HAS[protocol]:
                rows = [row for row in made.why if setting in row.settings]
                found[setting][protocol, spelling] = made.given.get(setting, UNSTATED), rows
    return found


@each("family", FAMILIES)
def test_every_two_ways_to_a_model_say_the_same(family: str) -> None:
    for name in names(family):
        for setting, found in ways(name).items():
            if len({repr(value) for value, _ in found.values()}) > 1:
                for (one, (value, rows)), (other, (another, others)) in combinations(found.items(), 2):
                    said = any(row.servers or row.reason for row in (*rows, *others))
                    assert value == another or said, (name, setting, one, value, other, another)


@each("name", [one for family in CLAUDES for one in names(family)])
def test_every_spelling_of_claude_is_the_same_model(name: str) -> None:
    plain = models.named(name)
    for spelling in spellings(name):
        found = models.named(spelling)
        assert (found.family, found.version, found.words) == (plain.family, plain.version, plain.words), spelling


PAIRS = [
    *((MESSAGES, CONVERSE, BEDROCK, one) for one in sorted(CLAUDES)),
    *((GEMINI, INTERACTIONS, None, one) for one in ("gemini", "gemma")),
    *((CHAT, RESPONSES, None, one) for one in ("gpt", "chatgpt", "o1", "o3", "o4", "gpt-oss")),
]
"""Two protocols that serve a vendor's models, whose defaults are about these models: values that no row states, too."""


@pytest.mark.parametrize(("one", "other", "server", "family"), PAIRS, ids=str)
def test_what_is_assumed_of_a_vendor_s_models_is_the_same(
    one: str, other: str, server: str | None, family: str
) -> None:
    shared = [name for name in HAS[one] if name in HAS[other] and not HAS[one][name].of]
    assert len(shared) > 10
    for name in names(family):
        made, makes = (for_model(protocol, name, server) for protocol in (one, other))
        for setting in shared:
            values = [it.given.get(setting, HAS[it.protocol][setting].default) for it in (made, makes)]
            said = any(row.reason and setting in row.settings for row in (*made.why, *makes.why))
            assert values[0] == values[1] or said or setting in OF_THE_SERVER, (name, setting, values)


OF_THE_SERVER = {
    "betas": "of a protocol's servers: which betas they take is a table by cloud",
    "penalties": "no server of OpenAI's Responses has them, and Interactions has none",
}

SERVED = "claude-opus-4-5 claude-sonnet-4-6 claude-opus-4-7 claude-haiku-5-5 claude-sonnet-5-5 claude-fable-5-1".split()


@pytest.mark.parametrize("name", SERVED)
def test_converse_has_what_messages_has_of_claude(name: str) -> None:
    """By hand: each setting of the protocols' own that is about the model stands on both."""
    shared = HAS[MESSAGES].keys() & HAS[CONVERSE].keys()
    assert shared >= {
        *("adaptive_thinking", "effort", "highest_effort", "xhigh_effort", "thinking", "thinking_budgets"),
        *("thinking_off", "least_thinking", "sampling", "temperature_with_top_p", "forced_choice", "parallel_tools"),
        *("strict_tools", "structured_output", "many_strict_tools", "prefill", "unsigned_thinking", "system_in_place"),
    }
    messages, converse = for_model(MESSAGES, name, BEDROCK), for_model(CONVERSE, f"us.anthropic.{name}-v1:0")
    for one in shared:
        values = [it.given.get(one, HAS[it.protocol][one].default) for it in (messages, converse)]
        assert values[0] == values[1], (one, values)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("twelvelabs.pegasus-1-2-v1:0", "other"),
        ("us.upstage.solar-pro", "other"),
        ("in.meta.llama3-3-70b-instruct-v1:0", "other"),
        ("mars.xai.grok-4-6", "responses"),
        ("amazon.titan-text-express-v1", "other"),
        ("amazon.something-new-v1:0", "other"),
        ("arn:aws:bedrock:us-east-1::foundation-model/upstage.solar-pro", "other"),
        ("us.anthropic.claude-next-1", "anthropic"),
        ("anthropic.something-new", "anthropic"),
        ("arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123", "anthropic"),
        ("claude-prod", "anthropic"),
        ("qwen3.5-of-ours", "qwen"),
    ],
)
def test_a_vendor_that_no_row_knows_is_not_anthropic(name: str, family: str) -> None:
    assert for_model(CONVERSE, name).given.get("family", "anthropic") == family


# --- tables that are not loaded ---------------------------------------------------------------------------------------

SAID: dict[str, Any] = {"source": "https://example.com", "looked": "2026-11-29"}


def loaded(*rows: Fact) -> None:
    check(rows, {name: frozenset(settings) for name, settings in HAS.items()}, models.SERVERS)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [fact("gpt", sampling=False, **SAID), fact("gpt", sampling=True, **SAID)],
            "gpt: sampling=True .* contradicts",
        ),
        (
            [fact("gpt", since="5.1", sampling=False, **SAID), fact("gpt o3", since="5", sampling=True, **SAID)],
            "gpt o3, since=5: sampling=True .* contradicts the fact about gpt, since=5.1",
        ),
        ([fact("gpt", smapling=False, **SAID)], "gpt: smapling=False .* has the setting smapling"),
        (
            [fact("gpt", CHAT, GEMINI, reason="so", tool_choice=False, **SAID)],
            "protocols=.*openai_chat_completions: tool_choice=False .* has the setting tool_choice",
        ),
        ([fact("gpt", "soap", reason="so", sampling=False, **SAID)], "sampling=False .* there is no protocol soap"),
        ([fact("gpt", server="own moon", sampling=False, **SAID)], "server=moon own: .* there is no server moon"),
    ],
)
def test_a_table_that_is_wrong_is_not_loaded(rows: list[Fact], message: str) -> None:
    with pytest.raises(TableError, match=message):
        loaded(*rows)


def test_an_exception_says_why() -> None:
    with pytest.raises(TableError, match="gpt, protocols=openai_chat_completions: sampling=False"):
        fact("gpt", CHAT, sampling=False, **SAID)
    with pytest.raises(TableError, match="exception"):
        fact("gpt", reason="so", sampling=False, **SAID)


def test_what_narrows_or_refines_is_no_contradiction() -> None:
    loaded(
        fact("gpt", since="5", sampling=False, **SAID),
        fact("gpt", since="5", until="5.0", sampling=True, **SAID),
        fact("gpt", since="5.1", only="chat", sampling=True, **SAID),
        fact("gpt", server="azure", sampling=True, **SAID),
        fact("gpt", CHAT, reason="so", sampling=True, **SAID),
    )


def test_a_cloud_without_a_table_is_named() -> None:
    with pytest.raises(TableError, match="the cloud azure serves anthropic_messages"):
        check_clouds((), CLOUDS, {"openrouter": "so"})


def test_the_table_of_today_is_loaded() -> None:
    assert models.table().keys() == set(PROTOCOLS)


def test_a_name_from_a_log_of_another_vendor_has_no_facts() -> None:
    assert for_model("anthropic_messages", "gpt-5").why == ()
    assert for_model("gemini_generate_content", "claude-opus-5").why == ()
    assert for_model("openai_responses", "gemini-3-pro").why == ()
    assert for_model("anthropic_messages", "gpt-5", "openrouter").why != ()
    assert for_model("bedrock_converse", "us.anthropic.claude-opus-5-v1:0").why != ()
