"""The agents, which are installed from npm into a temporary folder, once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .install import STATED, NotInstalled, install


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    try:
        return install(tmp_path_factory.mktemp("npm"), STATED)
    except NotInstalled as error:
        pytest.skip(f"npm could not install the agents: {error}")
