"""Requests of clouds without a key: signed, or with a token of this machine's, by the cloud's own library.

Rule 1: no library is imported before a request needs it. Rule 2: credentials are those that the cloud's own clients
find, and are in no message.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

SIGNED = ("content-type",)
"""What a signature covers besides host, time and body: nothing that changes on the way."""
REPLACED = ("authorization", "x-amz-date", "x-amz-security-token")
SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class Unsigned(Exception):
    """Why a request cannot be signed."""


class Signer:
    """As `Http.sign`; `ready` says beforehand whether there is what it needs. Both raise Unsigned."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self._lock = threading.Lock()
        self._credentials: Any = None

    def ready(self) -> None:
        with self._lock:
            if self._credentials is None:
                try:
                    self._credentials = self._found()
                except Exception as error:
                    raise self._why(error) from None

    def __call__(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Mapping[str, str]:
        self.ready()
        try:
            with self._lock:
                own = self._signed(method, url, headers, body)
        except Exception as error:
            raise self._why(error) from None
        return {**{name: one for name, one in headers.items() if name not in REPLACED}, **own}

    def _found(self) -> Any:
        raise NotImplementedError

    def _signed(self, method: str, url: str, headers: Mapping[str, str], body: bytes, /) -> dict[str, str]:
        raise NotImplementedError

    def _why(self, error: Exception) -> Unsigned:
        if isinstance(error, Unsigned):
            return error
        if isinstance(error, ModuleNotFoundError):
            return Unsigned(f"it needs the package {error.name}, which is not installed; or a key")
        return Unsigned(f"the credentials of this machine cannot be used ({type(error).__name__})")


def _session(profile: str | None) -> Any:
    return import_module("botocore.session").Session(profile=profile or None)


def aws_region(values: Mapping[str, str]) -> str:
    """The region of the profile, in AWS's configuration; empty where there is none."""
    try:
        return _session(values.get("profile")).get_config_variable("region") or ""
    except Exception:  # without the library, or without such a profile
        return ""


def aws_signer(service: str) -> Callable[[Mapping[str, str]], Signer]:
    """Makes what signs for this service (Signature Version 4)."""
    return lambda values: Aws(service, values)


class Aws(Signer):
    def __init__(self, service: str, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self._service = service

    def _found(self) -> Any:
        found = _session(self._values.get("profile")).get_credentials()
        if found is None:
            raise Unsigned("there are no AWS credentials: neither in the environment nor in a profile or role")
        return found

    def _signed(self, method: str, url: str, headers: Mapping[str, str], body: bytes, /) -> dict[str, str]:
        kept = {name: one for name, one in headers.items() if name in SIGNED}
        request = import_module("botocore.awsrequest").AWSRequest(method=method, url=url, data=body, headers=kept)
        frozen = self._credentials.get_frozen_credentials()
        import_module("botocore.auth").SigV4Auth(frozen, self._service, self._values["region"]).add_auth(request)
        return {name.lower(): str(one) for name, one in request.headers.items()}


class Google(Signer):
    """A token of Application Default Credentials, which is had again when it has run out."""

    def _found(self) -> Any:
        return import_module("google.auth").default(scopes=[SCOPE])[0]

    def _signed(self, *_: Any) -> dict[str, str]:
        found = self._credentials
        if not found.valid:
            found.refresh(import_module("google.auth.transport.requests").Request())
        project = getattr(found, "quota_project_id", None)
        return {"authorization": f"Bearer {found.token}", **({"x-goog-user-project": project} if project else {})}
