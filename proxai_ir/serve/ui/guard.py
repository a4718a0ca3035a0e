"""Access to the page, which shows prompts: for the operator alone; and what browsers may do with it.

The token of the first URL is exchanged for a cookie, so that no link of the page has it. Forms that other sites send
are refused, though no browser would send the cookie with them.
"""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from ..access import Access, bearer
from ..asgi import Forbidden

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
TOKEN = "token"  # noqa: S105
"""The parameter of the page's first URL."""


def answered(request: Request, access: Access, base: str) -> Response | None:
    """Return the response to a request that gets no page: a refusal, or the exchange of the token for a cookie.

    `base` is the path of all pages. None if the request may get its page.
    """
    token = request.query_params.get(TOKEN)
    name = f"proxai-ir-{(request.scope.get('server') or ('', ''))[1]}"  # cookies of one host are common to its ports
    try:
        access.check_operator(request.scope, token or bearer(request.scope), request.cookies.get(name))
        if request.method not in ("GET", "HEAD") and not same_origin(request):
            raise Forbidden(403, "This form can be sent from the page itself only.")
    except Forbidden as error:
        headers = {**HEADERS, "www-authenticate": "Bearer"} if error.status == 401 else HEADERS
        return PlainTextResponse(f"{error}\n", error.status, headers)
    if token is None:
        return None
    # A redirect would not do: after one, browsers send no strict cookie if a link of another site, such as a terminal
    # in a browser, led to the first URL.
    rest = urlencode([one for one in request.query_params.multi_items() if one[0] != TOKEN])
    url = request.url.path + (f"?{rest}" if rest else "")
    html = f'<!doctype html><html lang="en"><title>proxai-ir</title><a href="{escape(url)}">Go on</a></html>\n'
    response = HTMLResponse(html, headers={**HEADERS, "refresh": f"0; url={url}"})
    response.set_cookie(name, access.cookie, path=base, httponly=True, samesite="strict")
    return response


def same_origin(request: Request) -> bool:
    """Return whether a page of this server sent the request, by the headers that browsers set."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    return request.headers.get("origin", "").partition("://")[2] == request.headers.get("host")
