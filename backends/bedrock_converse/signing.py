"""AWS Signature Version 4 of requests, by botocore (the extra `bedrock`), with what AWS users configure their SDKs by.

A request with a key of Bedrock's goes as it is. Others are signed with the credentials of the environment, of the
profile (`AWS_PROFILE`) or of the machine; the region is that of the URL, else `AWS_REGION`, else the profile's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

SERVICE = "bedrock"
REGION = re.compile(r"https?://[a-z0-9-]+\.([a-z]{2}(?:-[a-z]+)+-\d)\.")
UNSIGNED = frozenset({"authorization", "host", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"})
TOKEN = "AWS_BEARER_TOKEN_BEDROCK"  # noqa: S105 - the name of a variable
BEARER = "Bearer "


def sign(method: str, url: str, headers: Mapping[str, str], body: bytes) -> Mapping[str, str]:
    """The headers with a signature; raises RuntimeError where there is nothing to sign with."""
    if _key_of(headers):
        return headers
    if token := os.environ.get(TOKEN):
        return {**headers, "authorization": BEARER + token}
    session = _session(os.environ.get("AWS_PROFILE"))
    credentials = session.get_credentials()
    if credentials is None:
        raise RuntimeError("found no AWS credentials: expected a key, or what the AWS SDKs read, as AWS_PROFILE")
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest

    kept = {name: value for name, value in headers.items() if name.lower() not in UNSIGNED}
    request = AWSRequest(method=method, url=url, data=body, headers=dict(kept))
    SigV4Auth(credentials.get_frozen_credentials(), SERVICE, _region(url, session)).add_auth(request)
    signed = {name.lower(): value for name, value in request.headers.items() if name.lower() in UNSIGNED}
    return {**kept, **signed}


def _key_of(headers: Mapping[str, str]) -> str:
    stated = next((value for name, value in headers.items() if name.lower() == "authorization"), "")
    return stated.removeprefix(BEARER).strip() if stated.startswith(BEARER) else ""


def _region(url: str, session: Any) -> str:
    found = REGION.match(url)
    region = found[1] if found else os.environ.get("AWS_REGION") or session.get_config_variable("region")
    if not region:
        raise RuntimeError("found no AWS region: expected one in the URL, AWS_REGION, or one of the profile")
    return str(region)


@cache
def _session(profile: str | None) -> Any:
    """Made once: it may read files, and credentials renew themselves."""
    try:
        from botocore.session import Session
    except ImportError:
        raise RuntimeError("signing needs botocore: install proxai_ir[bedrock], or give a key") from None
    return Session(profile=profile)
