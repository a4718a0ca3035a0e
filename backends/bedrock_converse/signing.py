"""Signatures of requests to AWS (Signature Version 4), by botocore, which the extra `bedrock` installs.

Rule: a request with a bearer token is sent as it is. Credentials are those that AWS's own clients find: variables, the
profile that AWS_PROFILE names, roles. botocore is imported for the first request that has no token.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

SERVICE = "bedrock"
REGION = re.compile(r"://[^/]*\bbedrock[a-z-]*\.([a-z0-9-]+)\.")
USUAL_REGION = "us-east-1"
UNSIGNED = frozenset({"authorization", "connection", "transfer-encoding", "accept-encoding", "x-amz-date"})
"""Headers that are replaced, or that proxies may change on the way."""


def sign(method: str, url: str, headers: Mapping[str, str], body: bytes) -> Mapping[str, str]:
    """The headers with a signature; unchanged where there is a token, or nothing to sign with."""
    if any(name.lower() == "authorization" and value.startswith("Bearer ") for name, value in headers.items()):
        return headers
    session = _session()
    credentials = None if session is None else session.get_credentials()
    if session is None or credentials is None:
        return headers
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest

    found = REGION.search(url)
    region = found[1] if found else session.get_config_variable("region") or USUAL_REGION
    signed = {name: value for name, value in headers.items() if name.lower() not in UNSIGNED}
    request = AWSRequest(method=method, url=url, data=body, headers=signed)
    SigV4Auth(credentials.get_frozen_credentials(), SERVICE, region).add_auth(request)
    return {**{name: value for name, value in headers.items() if name.lower() in UNSIGNED}, **dict(request.headers)}


@cache
def _session() -> Any:
    """AWS's configuration on this machine; None where botocore is not installed."""
    try:
        from botocore.session import get_session
    except ImportError:
        return None
    return get_session()
