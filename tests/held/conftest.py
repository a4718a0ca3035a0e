"""The shared tools for every test of this folder, or a skip that says what is missing."""

from __future__ import annotations

import pytest

from .shared import AbsentError, Tools, load


@pytest.fixture(scope="session")
def tools() -> Tools:
    try:
        return load()
    except AbsentError as reason:
        pytest.skip(str(reason))
