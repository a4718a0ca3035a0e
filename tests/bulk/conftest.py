"""Skips this folder where the extra is not installed."""

from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MISSING = [name for name in ("fsspec", "pyarrow") if find_spec(name) is None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if MISSING:
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=f"the extra bulk is not installed: {', '.join(MISSING)}"))
