"""Every law on every kind of payload: a few examples always, very many in the slow run."""

import pytest
from hypothesis import given, settings

from .laws import TRIALS, cases

IDS = [f"{name}: {protocol} {kind}" for name, (protocol, kind) in TRIALS]


def attempt(name: str, key: tuple[str, str], profile: str) -> None:
    law, strategy = cases(name, key)
    settings(settings.get_profile(profile))(given(strategy)(law))()


@pytest.mark.parametrize(("name", "key"), TRIALS, ids=IDS)
def test_law(name: str, key: tuple[str, str]) -> None:
    attempt(name, key, "quick")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "key"), TRIALS, ids=IDS)
def test_law_thoroughly(name: str, key: tuple[str, str]) -> None:
    attempt(name, key, "thorough")
