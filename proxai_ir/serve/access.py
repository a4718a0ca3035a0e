"""Access to the gateway: for clients with a key; without keys, for the user who started it. Defines what is local.

Rule 1: keys and tokens are compared in constant time, and only their hashes are kept. Rule 2: the page and the metrics
need a token even from this machine, since a proxy here may hide the stranger behind it. Rule 3: without keys, requests
are refused that may come from elsewhere: from other machines, other users, proxies or other sites.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import socket
import struct
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache

from .asgi import Forbidden, Scope
from .config import Config, client_keys, in_environment, is_loopback

# --- peers ------------------------------------------------------------------------------------------------------------
# The owner of a connection: Linux tells which user of this machine has its other end. A proxy cannot hide this, since
# servers that listen for strangers run as users of their own. The kernel is asked for one socket by its two addresses
# (sock_diag(7), `linux/inet_diag.h`), which takes microseconds.

Address = tuple[str, int]

OTHERS = "proxai_ir.others"
"""The ASGI extension of requests whose connection is another user's."""

NETLINK, SOCK_DIAG, BY_FAMILY, REQUEST = 16, 4, 20, 1
"""AF_NETLINK, NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST; those of the module `socket` are Linux's alone."""
HEADER = struct.Struct("=IHHII")
WANTED = struct.Struct("=BBBxI")
PORTS = struct.Struct("!HH")
ANY_SOCKET = struct.pack("=III", 0, 0xFFFFFFFF, 0xFFFFFFFF)
"""On any interface, without a cookie."""
USER_AND_INODE = struct.Struct("=II")
AT_USER = HEADER.size + 64
ALL_STATES = 0xFFFFFFFF
ROOT = 0


def is_of_others(client: Address | None, server: tuple[str, int | None] | None) -> bool:
    """Return whether another user of this machine owns the client's end of a connection; False if the system hides it,
    or the connection has no ports.

    Root counts as this user: it can do whatever this user can, and runs relays of the system, as those of virtual
    machines. An end without an owner has been closed, and counts as another user's.
    """
    named = (client, (server[0], server[1])) if client and server and server[1] else None
    found = user_and_inode(*named) if named else None
    if found is None:
        return False
    user, inode = found
    return inode == 0 or user not in (ROOT, os.getuid())


def can_tell() -> bool:
    """Return whether this system shows which user owns a connection, by opening one."""
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as listening,
            socket.create_connection(listening.getsockname(), timeout=1) as client,
        ):
            return user_and_inode(client.getsockname(), listening.getsockname()) is not None
    except OSError:
        return False


def user_and_inode(client: Address, server: Address) -> tuple[int, int] | None:
    """Return user and inode of the socket at the client's end, or None if the system does not tell.

    The inode is 0 if no process has the socket.
    """
    if sys.platform != "linux":
        return None
    family = socket.AF_INET6 if ":" in client[0] else socket.AF_INET
    try:
        ends = b"".join(socket.inet_pton(family, end[0]).ljust(16, b"\0") for end in (client, server))
        wanted = WANTED.pack(family, socket.IPPROTO_TCP, 0, ALL_STATES)
        body = wanted + PORTS.pack(client[1], server[1]) + ends + ANY_SOCKET
        with socket.socket(NETLINK, socket.SOCK_RAW, SOCK_DIAG) as kernel:
            kernel.settimeout(1)
            kernel.send(HEADER.pack(HEADER.size + len(body), BY_FAMILY, REQUEST, 0, 0) + body)
            reply = kernel.recv(4096)
    except (OSError, ValueError):
        return None
    _, kind, *_ = HEADER.unpack_from(reply)
    if kind != BY_FAMILY or len(reply) < AT_USER + USER_AND_INODE.size:
        return None
    user, inode = USER_AND_INODE.unpack_from(reply, AT_USER)
    return user, inode


# --- access -----------------------------------------------------------------------------------------------------------

HOST = re.compile(r"(\[[^\]@]*\]|[^:/@]*)(?::(\d{1,5}))?")
"""The value of a `Host` header."""
ORIGIN = re.compile(rf"\w+://{HOST.pattern}")
PROXIES = re.compile(
    r"""
    .* forward .*                                   # Forwarded, X-Forwarded-For, X-Original-Forwarded-For, …
    | (.+-)? via                                    # Via, X-…-Via
    | (.+[-_])? (client|remote|real|user|source|peer)? (ip|ipv[46]|addr)  # X-Real-IP, True-Client-IP, X-ClientIP, …
    | x-original-(host|url|uri|proto|method) | x-(url-)?scheme | x-host | front-end-https
    | x-request-start | x-queue-start | cdn-loop | surrogate-capability
    | (cf|x-envoy|x-amz-cf|x-amzn-trace|x-appengine|x-arr|x-azure|x-nf|x-proxy|x-traefik|x-varnish|akamai|x-akamai
      |fastly|x-fastly|fly|ngrok|x-sucuri|tailscale|wl-proxy)(-.*)?
    """,
    re.VERBOSE,
)
"""Names of headers, in lower case, that proxies, load balancers, tunnels and content networks add to requests. They are
recognised by what such names have in common, as no list of them is complete."""
WITHOUT_KEYS = "The gateway has no client keys, and serves the user who started it, on this machine alone; "
NO_TOKEN = "This needs the gateway's own token: it stands in the URL that is printed at the start."  # noqa: S105


class Access:
    """The known clients, and the operator. `token` is the operator's; with None no request can have it."""

    def __init__(self, known: Mapping[str, str] | Iterable[str] = (), token: str | None = None) -> None:
        self.know(known)
        self._operator = digest(token or new_token())
        self.cookie = hashlib.sha256(b"cookie\0" + self._operator).hexdigest()
        """The value of the cookie that the operator's browser keeps in place of the token."""

    def know(self, known: Mapping[str, str] | Iterable[str]) -> None:
        """Accept these keys, which may have names, and no others."""
        names = known if isinstance(known, Mapping) else dict.fromkeys(known, "")
        self._known = [digest(key) for key in names]
        self._names = {one.hex()[:32]: name for one, name in zip(self._known, names.values(), strict=True)}

    def who(self, owner: str) -> str:
        """Return the name of an owner's key, or the beginning of its hash if it has no name."""
        return self._names.get(owner) or owner[:8]

    @property
    def keyless(self) -> bool:
        return not self._known

    def owner(self, key: str | None, scope: Scope) -> str:
        """Return the name under which a client's responses are kept: a hash of its key. Raises Forbidden."""
        if self.keyless:
            check_local(scope)
            return ""
        if key is None:
            raise Forbidden(401, "The API key is missing.")
        given = digest(key)
        if True not in [hmac.compare_digest(known, given) for known in self._known]:  # all of them, for constant time
            raise Forbidden(401, "The API key is not known.")
        return given.hex()[:32]

    def check_operator(self, scope: Scope, token: str | None, cookie: str | None = None) -> None:
        """Raise Forbidden unless the token or the cookie is the operator's."""
        if self.keyless:
            check_local(scope)
        if token is not None and hmac.compare_digest(digest(token), self._operator):
            return
        if cookie is None or not hmac.compare_digest(cookie.encode(), self.cookie.encode()):
            raise Forbidden(401, NO_TOKEN)


def access_of(config: Config, token: str | None = None) -> Access:
    """Return the access that a configuration grants; `token` is the operator's if the configuration names none."""
    return Access(client_keys(config), in_environment(config.access.admin_env) or token)


def new_token() -> str:
    return secrets.token_urlsafe(32)


def digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def bearer(scope: Scope) -> str | None:
    """Return the key or token that a request has as `Authorization: Bearer`."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            return token.strip() if scheme.lower() == "bearer" else None
    return None


# --- what is local ---


def check_local(scope: Scope) -> None:
    """Raise Forbidden for a request that another machine or another user may have sent."""
    if reason := foreign(scope):
        raise Forbidden(403, f"{WITHOUT_KEYS}{reason}.")


def foreign(scope: Scope) -> str:
    """Return why a request may come from elsewhere; empty if nothing shows that."""
    client, (_, port) = scope.get("client"), scope.get("server") or ("", None)
    if client is None or not is_loopback(client[0]):
        return "this request is another machine's"
    if OTHERS in (scope.get("extensions") or ()):
        return "this connection is another user's, as those of proxies are"
    if scope["http_version"] == "1.0":
        return "this request has HTTP/1.0, as those of proxies have"
    hosts = 0
    for name, value in scope["headers"]:
        if name == b"host":
            hosts += 1
            if not is_here(value, port or 80):
                return f"`host` is another; expected 127.0.0.1:{port or 80} or localhost:{port or 80}"
        elif name == b"origin":
            if not is_origin_here(value):
                return "`origin` is another site"
        elif is_of_proxies(name):
            return f"`{name.decode('latin-1')}` is a header that proxies add"
    return "" if hosts == 1 else "`host` is missing"


@lru_cache(256)
def is_here(host: bytes, port: int) -> bool:
    """Return whether the value of `Host` names this machine and the gateway's port."""
    found = HOST.fullmatch(host.decode("latin-1"))
    return found is not None and is_loopback(found[1]) and int(found[2] or 80) == port


@lru_cache(256)
def is_origin_here(origin: bytes) -> bool:
    """Return whether the value of `Origin` is a page of this machine, at any port; other sites cannot send that."""
    found = ORIGIN.fullmatch(origin.decode("latin-1"))
    return found is not None and is_loopback(found[1])


@lru_cache(1024)
def is_of_proxies(name: bytes) -> bool:
    """Return whether proxies add a header of this name, which is in lower case."""
    return PROXIES.fullmatch(name.decode("latin-1")) is not None
