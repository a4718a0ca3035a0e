"""An environment in which no cloud is stated, and no credentials are found."""

from __future__ import annotations

import pytest

from proxai_ir.profiles.clouds import CLOUDS

VARIABLES = ("AWS_PROFILE", *(one for row in CLOUDS for names in row.values.values() for one in names))
VARIABLES += tuple(one for row in CLOUDS for auth in row.auth.values() for one in auth.keys)
VARIABLES += tuple(one for row in CLOUDS for one in row.urls)


@pytest.fixture(autouse=True)
def nothing_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere/config")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere/credentials")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
