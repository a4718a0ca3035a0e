"""Whose a connection is: Linux tells which user of this machine has its other end.

It is the one thing that a proxy cannot leave out: servers that listen for strangers run as users of their own. The
kernel is asked for one socket by its two addresses (sock_diag(7), `linux/inet_diag.h`), which takes microseconds.
"""

from __future__ import annotations

import os
import socket
import struct
import sys

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


def is_of_others(client: Address, server: Address) -> bool:
    """Whether another user of this machine has the client's end of a connection; False where the system hides it.

    Root can do whatever this user can, and relays of the system are root's, as those of virtual machines. An end that
    nobody has any more has been closed.
    """
    found = user_and_inode(client, server)
    if found is None:
        return False
    user, inode = found
    return inode == 0 or user not in (ROOT, os.getuid())


def can_tell() -> bool:
    """Whether this system shows which user owns a connection; tried with one."""
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as listening,
            socket.create_connection(listening.getsockname(), timeout=1) as client,
        ):
            return user_and_inode(client.getsockname(), listening.getsockname()) is not None
    except OSError:
        return False


def user_and_inode(client: Address, server: Address) -> tuple[int, int] | None:
    """Of the socket at the client's end; the inode is 0 where no process has it. None: the system does not tell."""
    if sys.platform != "linux":
        return None
    try:
        asked = _request(client, server)
        with socket.socket(NETLINK, socket.SOCK_RAW, SOCK_DIAG) as kernel:
            kernel.settimeout(1)
            kernel.send(asked)
            reply = kernel.recv(4096)
    except (OSError, ValueError):
        return None
    _, kind, *_ = HEADER.unpack_from(reply)
    if kind != BY_FAMILY or len(reply) < AT_USER + USER_AND_INODE.size:
        return None
    user, inode = USER_AND_INODE.unpack_from(reply, AT_USER)
    return user, inode


def _request(client: Address, server: Address) -> bytes:
    family = socket.AF_INET6 if ":" in client[0] else socket.AF_INET
    ends = b"".join(socket.inet_pton(family, end[0]).ljust(16, b"\0") for end in (client, server))
    wanted = WANTED.pack(family, socket.IPPROTO_TCP, 0, ALL_STATES)
    body = wanted + PORTS.pack(client[1], server[1]) + ends + ANY_SOCKET
    return HEADER.pack(HEADER.size + len(body), BY_FAMILY, REQUEST, 0, 0) + body
