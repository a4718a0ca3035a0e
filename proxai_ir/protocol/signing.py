"""Requests that are signed instead of having a key, by a library of the cloud that serves them (`Http.sign`).

Rule 1: a library is imported when a request needs it, but whether it is installed can be checked before. Rule 2:
credentials are those that the vendor's own clients find, and are in no message. Rule 3: a signature covers nothing that
changes on the way.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

Headers = Mapping[str, str]
Signing: TypeAlias = "Callable[[Any, str, str, Headers, bytes], Headers]"
"""The headers that authenticate a request: of the credentials, and method, URL, headers and body as they are sent."""

SIGNED = frozenset({"content-type"})
"""The headers that an AWS signature covers in addition to host, time and body."""
SIGNED_BY = r"AWS4-HMAC-SHA256 Credential=([^/,\s]+)/"
"""The pattern that finds the name of the key in the header of a request that is signed for AWS."""
REPLACED = frozenset({"authorization", "x-amz-date", "x-amz-security-token"})
REGION = re.compile(r"://[^/]*\.([a-z]{2}(?:-[a-z]+)+-\d+)\.")
REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
USUAL_REGION = "us-east-1"
FILES = {"AWS_CONFIG_FILE": "~/.aws/config", "AWS_SHARED_CREDENTIALS_FILE": "~/.aws/credentials"}


class Unsigned(Exception):
    """A request cannot be signed; the text says why."""


class NoCredentials(Unsigned):
    """There is nothing on this machine to sign with."""


class MissingPackage(Unsigned):
    """The library that signs, and finds the credentials, is not installed."""


class Signer:
    """A function for `Http.sign`. `ready` checks whether it can sign, `check_installed` whether its package is
    installed. All raise Unsigned.

    found    returns the credentials
    signing  returns the headers
    needed   False: a request that has a token, or for which there are no credentials, is sent as it is
    package  the module that signs, and the extra that installs it
    """

    def __init__(
        self, found: Callable[[], Any], signing: Signing, package: tuple[str, str], *, needed: bool = True
    ) -> None:
        self._found, self._signing, self._needed = found, signing, needed
        self._package = package
        self._lock = threading.Lock()
        self._credentials: Any = None

    def check_installed(self) -> None:
        """Raise MissingPackage if the library, which alone finds credentials, is not installed."""
        module, extra = self._package
        if not _is_installed(module):
            raise MissingPackage(f'it needs {module}: in the checkout, pip install ".[{extra}]"; or a key')

    def ready(self) -> None:
        self.check_installed()
        with self._lock:
            if self._credentials is None:
                try:
                    self._credentials = self._found()
                except Exception as error:
                    raise _why(error) from None

    def __call__(self, method: str, url: str, headers: Headers, body: bytes) -> Headers:
        given = {name.lower(): one for name, one in headers.items()}
        if not self._needed and given.get("authorization", "").startswith("Bearer "):
            return headers
        try:
            self.ready()
            with self._lock:
                own = self._signing(self._credentials, method, url, given, body)
        except NoCredentials:
            if self._needed:
                raise
            return headers
        except Exception as error:
            raise _why(error) from None
        return {**{name: one for name, one in given.items() if name not in REPLACED}, **own}


def _is_installed(module: str) -> bool:
    """Return whether a module could be imported, without importing it."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it
        return False


def _why(error: Exception) -> Unsigned:
    if isinstance(error, Unsigned):
        return error
    if isinstance(error, ModuleNotFoundError):
        return MissingPackage(f"it needs the package {error.name}, which is not installed; or a key")
    return Unsigned(f"the credentials of this machine cannot be used ({type(error).__name__})")


# --- AWS --------------------------------------------------------------------------------------------------------------


def aws(service: str, *, region: str | None = None, profile: str | None = None, needed: bool = True) -> Signer:
    """Return the signer of AWS's Signature Version 4.

    region   the region for URLs that do not name one
    profile  a profile of AWS's configuration, in place of the default
    """

    def found() -> Any:
        made = import_module("botocore.session").Session(profile=profile).get_credentials()
        if made is None:
            raise NoCredentials("there are no AWS credentials: neither in the environment nor in a profile or role")
        return made

    def signing(credentials: Any, method: str, url: str, headers: Headers, body: bytes) -> Headers:
        kept = {name: one for name, one in headers.items() if name in SIGNED}
        request = import_module("botocore.awsrequest").AWSRequest(method=method, url=url, data=body, headers=kept)
        of_url = REGION.search(url)
        where = region or (of_url[1] if of_url else aws_region(profile) or USUAL_REGION)
        frozen = credentials.get_frozen_credentials()
        import_module("botocore.auth").SigV4Auth(frozen, service, where).add_auth(request)
        return {name.lower(): str(one) for name, one in request.headers.items()}

    return Signer(found, signing, ("botocore", "bedrock"), needed=needed)


def aws_region(profile: str | None = None) -> str:
    """Return the region as AWS's clients find it: that of the given profile; without one that of the environment, else
    of the default profile; "" if there is none."""
    stated = next((os.environ[name] for name in REGIONS if os.environ.get(name)), "") if profile is None else ""
    return stated or _of_profile(profile or os.environ.get("AWS_PROFILE") or "default")


def _of_profile(name: str) -> str:
    from configparser import ConfigParser, Error  # which few need

    read = ConfigParser(interpolation=None, strict=False)
    try:
        read.read(Path(os.environ.get(variable, usual)).expanduser() for variable, usual in FILES.items())
    except (Error, OSError, RuntimeError, ValueError):
        return ""
    sections = (name, f"profile {name}")
    return next((read[one]["region"] for one in sections if one in read and "region" in read[one]), "")
