"""Any SDK on any provider, in this process: a client of `httpx2` or `httpx` that SDKs take as theirs (extra `httpx`).

    http = proxai_ir.httpx.client("anthropic_messages", model="claude-sonnet-5-5")
    client = openai.OpenAI(http_client=http, api_key="any")

Each request of the SDK is converted, sent to the provider and its response converted back, by an Exchange. Rule 1: no
SDK is imported, and no HTTP library before a client is made. Rule 2: there is no thread and no socket but those of the
library's own client, which sends the requests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from .calls import Configured
from .transports import AsyncTransport, Transport, chosen, made

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx2

    from ..conversion.profile import Profile
    from ..conversion.settings import Shared
    from ..exchange import Memory
    from ..exchange.clouds import Stated
    from .calls import OnDiagnostics

__all__ = ["async_client", "client"]


def client(
    provider: str | Profile,
    *,
    model: str | None = None,
    api_key: str | None = None,
    base_url: str | None = None,
    cloud: Stated | None = None,
    default_headers: Mapping[str, str] | None = None,
    memory: Memory | None = None,
    on_diagnostics: OnDiagnostics | None = None,
    transport: httpx2.BaseTransport | None = None,
    **options: Unpack[Shared],
) -> httpx2.Client:
    """Return a client for an SDK, which talks to a provider of another protocol; the SDK is found by the paths that it
    asks.

    provider         the provider's protocol, or a Profile
    model            the model that it is asked for, whose profile requests are made for; by default the SDK's.
                     Responses name the one that the SDK asked for
    api_key          the provider's key; by default, and only without `base_url`, that of its vendor's usual variable
    base_url         where it is, with or without the version of the API; by default its vendor's own server
    cloud            the cloud that serves it, by its name or as {"name": …, "region": …}: URL, keys or signatures and
                     the form of requests follow from `proxai_ir.profiles.clouds`
    default_headers  more headers of every request to it
    memory           where responses are kept for `previous_response_id`; by default in this client
    on_diagnostics   is called with "request" or "response" and what its conversion found, if anything; by default
                     losses are logged as warnings, and all else for debugging, by the logger `proxai_ir.httpx`
    transport        what reaches the provider, of either library; the client is of the same one. Without it, that is
                     the library that has been imported, `httpx2` before `httpx`
    options          those of an Exchange, such as strict=True

    Errors of the provider's are the SDK's own exceptions, and so is a request that cannot be converted (status 400), a
    path that is none of a model's responses (404), and a provider that cannot be reached. Timeouts and retries are the
    SDK's; a setting that the model refuses is left out at a second attempt, and from then on.

    Raises UnknownProtocol, TypeError for an unknown option or a protocol that states no server where `base_url` is left
    out, ValueError without a key or for a cloud of which something is missing, and ImportError without either library.
    """
    to = Configured(provider, model, api_key, base_url, default_headers, memory, on_diagnostics, options, cloud)
    library = chosen(transport)
    inner = library.Client(transport=transport)
    outer: httpx2.Client = library.Client(transport=made(Transport, library, "BaseTransport")(to, inner, library))
    return outer


def async_client(
    provider: str | Profile,
    *,
    model: str | None = None,
    api_key: str | None = None,
    base_url: str | None = None,
    cloud: Stated | None = None,
    default_headers: Mapping[str, str] | None = None,
    memory: Memory | None = None,
    on_diagnostics: OnDiagnostics | None = None,
    transport: httpx2.AsyncBaseTransport | None = None,
    **options: Unpack[Shared],
) -> httpx2.AsyncClient:
    """Return the same for asynchronous SDKs."""
    to = Configured(provider, model, api_key, base_url, default_headers, memory, on_diagnostics, options, cloud)
    library = chosen(transport)
    inner = library.AsyncClient(transport=transport)
    between = made(AsyncTransport, library, "AsyncBaseTransport")(to, inner, library)
    outer: httpx2.AsyncClient = library.AsyncClient(transport=between)
    return outer
