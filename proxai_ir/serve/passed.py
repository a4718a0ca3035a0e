"""Other paths of a vendor, which go on as they are: embeddings, files, batches, audio. For upstreams that allow it.

Rule 1: a client's request goes to an upstream of its own vendor, at a path below the upstream's own. Rule 2: of the
client's headers and the vendor's those go on that say what a body is, and those of the vendor's own. Rule 3: an error
is read whole, and nothing repeats a key.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, quote, urlencode

from .asgi import Attended, Forbidden, encoded
from .attempts import close
from .call import Call
from .endpoints import Endpoint
from .forward import check_status, chunks, whole
from .upstreams import UpstreamServer

PATH = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[\w.@:+=,~-]+)+", re.ASCII)
"""Paths whose parts lead nowhere but down."""
SENT = ("accept", "content-type", "content-disposition", "if-none-match", "range")
RECEIVED = ("content-", "etag", "retry-after", "cache-control")
UNSENT = ("accept-encoding", "content-encoding", "content-length")
"""Beginnings of names of headers, and names. Bodies are sent on decoded, piece by piece."""


class Passed(Endpoint):
    """Requests of one protocol's clients, with whatever method."""

    async def respond(self, call: Call, client: Attended) -> None:
        upstream = self.upstream()
        if upstream is None or not PATH.fullmatch(call.path):
            raise Forbidden(404, f"There is no {call.path:.200} here.")
        call.goes_to(upstream, None)
        call.payloads = None  # files are no part of a log
        query = urlencode([one for one in parse_qsl(call.query, True) if one[0] != self.http.key_query])
        path = quote(call.path, safe="/@:+=,~") + (f"?{query}" if query else "")
        own = upstream.authenticated(upstream.keys.next()) or call.own
        names = (*SENT, self.http.version or "-", self.http.betas or "-", *self.http.own)
        headers = {name: one for name, one in call.headers.items() if name.startswith(names) and name not in UNSENT}
        response = await upstream.send(path, headers, call.body, own, stream=True, method=call.method)
        call.upstream_status = call.status = response.status_code
        await check_status(upstream, response)
        try:
            kept = (*RECEIVED, self.request_id, *self.http.own)
            found = {name: one for name, one in response.headers.items() if name.startswith(kept)}
            head = encoded({name: one for name, one in found.items() if name not in UNSENT} | call.own_headers)
            error = None if response.is_success else await whole(response, self.gateway.config.limits.response)
            redaction = upstream.redaction(own)
            await client.send({"type": "http.response.start", "status": call.status, "headers": head})
            call.first_byte = call.seconds()
            if error is None:
                async for chunk in chunks(response):
                    if out := redaction.feed(chunk):
                        await client.send({"type": "http.response.body", "body": out, "more_body": True})
            last = redaction.end() if error is None else redaction.whole(error)
            await client.send({"type": "http.response.body", "body": last})
        finally:
            await close(response)

    def upstream(self) -> UpstreamServer | None:
        """The first one of the client's protocol that allows it, else of its vendor."""
        allowed = [one for one in self.gateway.upstreams.values() if one.passes and self.http.shares_keys(one.http)]
        return next((one for one in allowed if one.http is self.http), allowed[0] if allowed else None)
