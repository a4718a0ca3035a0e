"""Requests to Google's clouds without a key: with a token of this machine's, by google-auth."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..protocol.signing import Headers, Signer

SCOPE = "https://www.googleapis.com/auth/cloud-platform"


def google() -> Signer:
    """A token of Application Default Credentials, which is had again when it has run out."""
    return Signer(
        lambda: import_module("google.auth").default(scopes=[SCOPE])[0], _with_token, ("google.auth", "vertex")
    )


def _with_token(credentials: Any, *_: Any) -> Headers:
    if not credentials.valid:
        credentials.refresh(import_module("google.auth.transport.requests").Request())
    project = getattr(credentials, "quota_project_id", None)
    return {"authorization": f"Bearer {credentials.token}", **({"x-goog-user-project": project} if project else {})}
