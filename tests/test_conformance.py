"""Our own protocols pass the conformance suite that packages of other protocols run."""

from __future__ import annotations

from typing import Any

import pytest

from proxai_ir.testing import Check, Conformance

from .samples import PROTOCOLS, READINGS, samples
from .test_legality import EXEMPT

REPEATS = {
    "anthropic_messages": {
        r"stream .*/0/message/usage/\w+": "estimates; the last report counts",
        r"stream own/10/delta/content": "of a part whose loss is reported where it begins",
        r"stream own/19/type": "of an unknown event, whose members are reported",
    },
    "openai_chat_completions": {
        r"response refusal/choices/0/finish_reason": "an explicit refusal takes precedence (REF-9)",
        r"stream refusal/3/choices/0/finish_reason": "an explicit refusal takes precedence (REF-9)",
        r"stream .*/[1-9]\d*/(id|created|model)": "each chunk has the envelope",
        r"stream .*/thinking/0/type": "of an older dialect",
        r"stream own/5/.*/audio/\w+": "of a part whose loss is reported where it begins",
        r"stream failure/0/choices/0/index": "the number of the only choice",
    },
    "openai_responses": {
        r"response refusal.*/status": "an explicit refusal takes precedence (REF-9)",
        r"error failed response/(object|status)": "of a response that is converted as its error (STS-9)",
        r"stream .*": "events repeat what their deltas add up to",
    },
}
"""Values that repeat others, by protocol, each with the reason."""
NO_RESPONSE = ("own", "own dialects")
"""Streams that no whole response is made of."""


def suite(protocol: str) -> Conformance:
    given: dict[str, dict[str, Any]] = {kind: {} for kind in ("request", "response", "error", "stream")}
    for sample in samples(*given):
        if sample.protocol == protocol:
            given[sample.kind][sample.name] = sample.make()
    return Conformance(
        protocol=protocol,
        requests=given["request"],
        responses=given["response"],
        errors=given["error"],
        streams=given["stream"],
        targets=[name for name in PROTOCOLS if name != protocol],
        readings=READINGS,
        repeats=REPEATS[protocol],
        unfolded=NO_RESPONSE,
        exempt=EXEMPT[protocol],
    )


ELSEWHERE = ("survives mutation", "survives any order", "every prefix ends legally")
"""Laws that tests/properties and tests/streams try on the same samples at length."""


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{protocol} {check}")
        for protocol in PROTOCOLS
        for check in suite(protocol).checks()
        if not check.name.endswith(ELSEWHERE)
    ],
)
def test_our_own_protocols(check: Check) -> None:
    check()


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
