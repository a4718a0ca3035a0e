"""Tries a law on generated cases: few in a default run, many in a slow run, and always the same ones.

What breaks a law is then the commit that is tested; `python -m tests.fuzz` looks for new cases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from .samples.sample import Strategy

CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
PHASES = (Phase.explicit, Phase.generate, Phase.shrink)

QUICK = 40
each_count = pytest.mark.parametrize("count", [QUICK, pytest.param(500, marks=pytest.mark.slow)])
"""For tests that try a law `count` times."""


def hold(law: Callable[[Any], None], strategy: Strategy, count: int = QUICK) -> None:
    """Tries a law on that many cases, and shows the smallest one that breaks it."""
    shared = settings(deadline=None, database=None, suppress_health_check=CHECKS, phases=PHASES)
    settings(shared, max_examples=count, derandomize=True)(given(strategy)(law))()
