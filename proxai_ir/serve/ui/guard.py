"""Who may see the page: someone at this machine, in a page of this server; and what the browser may do with it.

The log has prompts. So three things are refused: requests from other machines, also through a proxy on this one; other
sites' names for this machine (DNS rebinding); and forms that other sites send.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.requests import Request

HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer, browsers send forms without their origin
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")
"""What proxies add to requests of others."""
LOCAL_NAMES = ("localhost", "localhost.localdomain")


def refusal(request: Request) -> str:
    """Why the request is refused; empty where it is not."""
    if (
        request.client is None
        or not is_loopback(request.client.host)
        or any(name in request.headers for name in FORWARDED)
    ):
        return "This page is shown on the machine itself only."
    host = hostname(request.headers.get("host", ""))
    if host not in LOCAL_NAMES and not is_loopback(host):
        return "This page is shown under the names localhost, 127.0.0.1 and [::1] only."
    if request.method not in ("GET", "HEAD") and not same_origin(request):
        return "This form can be sent from the page itself only."
    return ""


def same_origin(request: Request) -> bool:
    """Whether a page of this server sent the request, by the headers that browsers set."""
    site = request.headers.get("sec-fetch-site")
    if site is not None and site != "same-origin":
        return False
    origin = request.headers.get("origin")
    if origin is None:
        return site is not None
    return origin.partition("://")[2] == request.headers.get("host")


def hostname(host: str) -> str:
    """The name in a Host header, without the port; empty where it is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
