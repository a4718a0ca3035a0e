"""Our own protocols pass the conformance suite that packages of other protocols run, on all samples."""

from __future__ import annotations

import subprocess
import sys
from typing import Any
from unittest import SkipTest

import attrs
import pytest

from proxai_ir.conversion import directions
from proxai_ir.protocol import registry
from proxai_ir.reporting.vocabulary import NO_RULE
from proxai_ir.testing import Check, Conformance, tables

from .cases import every
from .samples import PROTOCOLS, READINGS, SAMPLES, of


def suite(protocol: str) -> Conformance:
    offered = of(protocol)
    given: dict[str, dict[str, Any]] = {kind: {} for kind in ("request", "response", "error", "stream")}
    for sample in SAMPLES:
        if sample.protocol == protocol:
            given[sample.kind][sample.name] = sample.make()
    for kind, samples in MORE.get(protocol, {}).items():
        given[kind] |= samples
    return Conformance(
        protocol=protocol,
        requests=given["request"],
        responses=given["response"],
        errors=given["error"],
        streams=given["stream"],
        targets=[name for name in PROTOCOLS if name != protocol],
        readings=READINGS,
        repeats={**offered.repeats, **(NO_SAMPLES if protocol == "openai_responses" else {})},
        unfolded=[name for name in given["stream"] if name.startswith("own")],
        exempt=offered.exempt,
        specimens=offered.specimens,
        alone={name: reason for name, reason in ALONE.items() if name.partition(" ")[2] in given["request"]},
    )


LATER = {"error": {"type": "rate_limit_exceeded", "message": "Later.", "resets_in_seconds": 20}}
MORE: dict[str, Any] = {
    "openai_chat_completions": {"error": {"later": LATER}},
    "openai_responses": {"error": {"later": LATER}},
}
"""What the samples lack of the members that are dropped without a finding."""
NO_SAMPLES = {
    **dict.fromkeys(("vendor command", "vendor command_index"), "the item that it belongs to has them when it is done"),
    **dict.fromkeys(("vendor author", "vendor recipient"), "the heading of the message has them"),
}
ALONE = {
    "request own": "content that only this protocol has, which must not be dropped",
    "request legacy functions": "calls without ids, and without results to find them by",
    "request state": "refers to what the provider keeps",
    "request load": "has no messages",
}


def by_sample() -> dict[str, list[Check]]:
    """The checks of each payload, and of each route of a stream; those of the table are of all its classes."""
    found: dict[str, list[Check]] = {}
    for protocol in PROTOCOLS:
        for check in suite(protocol).checks():
            title = check.name.partition(":")[0].partition(",")[0]
            found.setdefault(f"{protocol} {title}", []).append(check)
    return found


each_sample = pytest.mark.parametrize("checks", [pytest.param(checks, id=name) for name, checks in by_sample().items()])
FEW = 5
"""Of so many checks of a sample one is in the default run; the laws hold there of generated payloads, too."""


@each_sample
def test_some_checks_of_our_own_protocols(checks: list[Check]) -> None:
    every((check.name, check) for check in checks[::FEW])


@pytest.mark.slow
@each_sample
def test_our_own_protocols(checks: list[Check]) -> None:
    every((check.name, check) for check in checks)


def test_a_law_that_is_broken_is_named() -> None:
    """The message has the check, the law, and what breaks it."""
    wrong = Conformance(protocol="openai_chat_completions", requests={"odd": {"messages": "Hi"}})
    failed = []
    for check in wrong.checks():
        if check.name.startswith("request odd"):
            try:
                check()
            except AssertionError as error:
                failed.append(str(error))
            except ValueError:
                failed.append(check.name)
    assert any("comes back" in message for message in failed)
    with pytest.raises(AssertionError, match="law: Adds nothing"):
        Check("x: adds nothing", "Adds nothing.", _broken)()


def _broken() -> None:
    raise AssertionError("1 is not 2")


# --- nothing passes without having looked at anything -----------------------------------------------------------------

CHAT = "openai_chat_completions"
AUDIO = {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}}
HEARD = {"model": "m", "messages": [{"role": "user", "content": [AUDIO]}]}


def outcomes(given: Conformance, start: str) -> dict[str, str]:
    """What became of the checks whose names begin so: "" where one passed."""
    found = {}
    for check in given.checks():
        if check.name.startswith(start):
            found[check.name.partition(": ")[2]] = ""
            try:
                check()
            except (AssertionError, SkipTest) as reason:
                found[check.name.partition(": ")[2]] = str(reason)
    return found


def test_a_sample_that_reaches_no_target_fails_and_says_why() -> None:
    given: Any = {"protocol": CHAT, "requests": {"heard": HEARD}, "targets": ["anthropic_messages"]}
    found = outcomes(Conformance(**given), "request heard")
    assert "it reaches no target: anthropic_messages: AUD-1 at /messages/0/content/0" in found["reaches a target"]
    for law in ("goes there and back", "gives sound output", "shares nothing between outputs"):
        assert found[law].startswith("nothing to examine: request heard"), law
    alone = Conformance(**given, alone={"request heard": "sound, which is refused"})
    assert "reaches a target" not in outcomes(alone, "request heard")
    assert outcomes(alone, "samples")["declares nothing that is not there"] == ""


def test_options_are_given_to_the_conversions_that_have_them() -> None:
    """A model that stands outside the body is an option; so may be what only some of the targets know."""
    asked = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    gave = [{"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}], "responseId": "r"}]
    given: Any = {"protocol": "gemini_generate_content", "requests": [asked], "streams": [gave], "targets": [CHAT]}
    options = {"model": "m", "strict": True, "max_tokens": 7, "include_usage": False}
    assert outcomes(Conformance(**given, options={"strict": True}), "request 1")["reaches a target"]
    assert not any(outcomes(Conformance(**given, options=options), "request 1").values())
    found = outcomes(Conformance(**given, options={"strict": True, "max_tokens": 7}), "stream 1")
    assert found["reaches a target"] == ""


def test_a_suite_that_says_what_is_not_there() -> None:
    given = Conformance(
        protocol=CHAT,
        requests={"a": HEARD},
        unfolded=["b"],
        alone={"request c": "why"},
        options={"model": "m", "modle": "m"},
        repeats={"request a/model": "fine", "request a/modle": "misspelt"},
    )
    found = outcomes(given, "samples")
    assert "['b', 'modle', 'request a/modle', 'request c']" in found["declares nothing that is not there"]
    assert "no samples of kind response, error, stream" in found["has samples of every kind"]


def test_what_fails_is_said_without_a_test_framework() -> None:
    code = """
import proxai_ir.testing
from proxai_ir.testing import Check, Conformance
from proxai_ir.testing import payloads
payloads._covers = lambda one, pointer: False
chat = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
for check in Conformance(protocol="openai_chat_completions", requests={"a": chat}).checks():
    if check.name == "request a: accounts for every member":
        try:
            check()
        except AssertionError as error:
            print(error)
def odd(value=1):
    assert value == 2
try:
    Check("x: odd", "Is odd.", odd)()
except AssertionError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True).stdout
    assert "with /zz_new: /zz_new is neither carried nor reported towards anthropic_messages" in said
    assert "x: odd\nlaw: Is odd.\n" in said


@pytest.mark.parametrize("generates", [True, False])
def test_an_id_that_is_said_to_be_generated_is_sent(generates: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check reports it alone; the builder and the writer generate it."""
    claude = registry.backend("anthropic_messages")

    def without_ids(response: Any, server: Any) -> Any:
        made = claude.response(response, server)
        for block in made["content"]:
            if block.get("id") == "toolu_id_0":
                del block["id"]
        return made

    back = claude if generates else attrs.evolve(claude, response=without_ids)
    monkeypatch.setattr(registry, "_backend", lambda _: back)
    directions.direction.cache_clear()
    try:
        if generates:
            assert tables.generated_call_ids_are_sent("anthropic_messages")
        else:
            with pytest.raises(AssertionError, match="nothing generates an id at /content/0/id"):
                tables.generated_call_ids_are_sent("anthropic_messages")
    finally:
        directions.direction.cache_clear()


def test_a_member_whose_loss_is_not_reported_stands_in_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only then the suite sees whether it repeats another one; one that does not is a silent loss."""
    chat = registry.frontend(CHAT)
    silent = attrs.evolve(chat, vendor_fields={**chat.vendor_fields, "Request": {"acme_note": NO_RULE}})
    monkeypatch.setattr(registry, "_frontend", lambda one: silent if one == CHAT else registry_frontend(one))
    directions.direction.cache_clear()
    asked = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    law = "shows what is dropped in silence"
    try:
        assert "acme_note" in outcomes(Conformance(protocol=CHAT, requests=[asked]), "samples")[law]
        suite = Conformance(protocol=CHAT, requests=[{**asked, "acme_note": "keep me"}])
        assert "acme_note" not in outcomes(suite, "samples")[law]
        assert "/acme_note ('keep me')" in outcomes(suite, "request 1")["accounts for every leaf"]
    finally:
        directions.direction.cache_clear()


registry_frontend = registry._frontend
