"""Our own protocols pass the conformance suite that packages of other protocols run, on all samples."""

from __future__ import annotations

from typing import Any

import pytest

from proxai_ir.testing import Check, Conformance

from .cases import every
from .samples import PROTOCOLS, READINGS, SAMPLES, of


def suite(protocol: str) -> Conformance:
    offered = of(protocol)
    given: dict[str, dict[str, Any]] = {kind: {} for kind in ("request", "response", "error", "stream")}
    for sample in SAMPLES:
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
        repeats=offered.repeats,
        unfolded=[name for name in given["stream"] if name.startswith("own")],
        exempt=offered.exempt,
        specimens=offered.specimens,
    )


def by_sample() -> dict[str, list[Check]]:
    """The checks of each payload, and of each route of a stream; those of the table are of all its classes."""
    found: dict[str, list[Check]] = {}
    for protocol in PROTOCOLS:
        for check in suite(protocol).checks():
            title = check.name.partition(":")[0].partition(",")[0]
            found.setdefault(f"{protocol} {title}", []).append(check)
    return found


@pytest.mark.parametrize("checks", [pytest.param(checks, id=name) for name, checks in by_sample().items()])
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
