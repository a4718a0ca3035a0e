"""Any SDK on any provider, in this process: a client of `httpx2` or `httpx` for an SDK (extra `httpx`).

    http = proxai_ir.httpx.client("anthropic_messages", model="claude-sonnet-5-5")
    client = openai.OpenAI(http_client=http, api_key="any")

An Exchange converts each request of the SDK, and the provider's response back.

Rule 1: no SDK is imported, and no HTTP library before a client is made. Rule 2: the library's own client sends the
requests; there are no other threads or sockets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

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
    body: Mapping[str, Any] | None = None,
    memory: Memory | None = None,
    on_diagnostics: OnDiagnostics | None = None,
    transport: httpx2.BaseTransport | None = None,
    **options: Unpack[Shared],
) -> httpx2.Client:
    """Return an HTTP client for an SDK that is to talk to a provider of another protocol; the paths of the SDK's
    requests show its protocol.

    provider         the provider: a protocol, a vendor with or without a model ("gemini:gemini-3-pro"), or a profile by
                     its name or as a Profile; what a word stands for is logged
    model            the model that the provider is asked for, and whose profile requests are made for; by default the
                     SDK's. Responses name the model that the SDK asked for
    api_key          the provider's key; by default, and only without `base_url`, that of its vendor's usual variable
    base_url         the provider's URL, with or without the version of the API; by default its vendor's own server
    cloud            the cloud that serves it, by its name or as {"name": …, "region": …}: URL, keys or signatures and
                     the form of requests follow from `proxai_ir.profiles.clouds`
    default_headers  more headers of every request to the provider
    body             members of every request's body that the request does not have itself, as of an Exchange
    memory           keeps responses for `previous_response_id`; by default in this client
    on_diagnostics   is called with "request" or "response" and the diagnostics of its conversion, if there are any; by
                     default losses are logged as warnings, and all else for debugging, by the logger `proxai_ir.httpx`
    transport        a transport of either library to the provider; the client is of the same library. By default it is
                     of the library that has been imported, `httpx2` before `httpx`
    options          those of an Exchange, such as strict=True

    Errors of the provider are the SDK's own exceptions, and so are a request that cannot be converted (status 400), a
    path that is not one for responses of a model (404), and a provider that cannot be reached. Timeouts and retries are
    the SDK's; a setting that the model refuses is left out at a second attempt, and from then on.

    Raises UnknownProtocol; TypeError for an unknown option, for a `body` that no request can have, or for a protocol
    that states no server without `base_url`; ValueError without a key, or for a cloud with a missing value; ImportError
    without either library.
    """
    to = Configured(provider, model, api_key, base_url, default_headers, memory, on_diagnostics, options, cloud, body)
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
    body: Mapping[str, Any] | None = None,
    memory: Memory | None = None,
    on_diagnostics: OnDiagnostics | None = None,
    transport: httpx2.AsyncBaseTransport | None = None,
    **options: Unpack[Shared],
) -> httpx2.AsyncClient:
    """Return an HTTP client as `client` does, for an asynchronous SDK."""
    to = Configured(provider, model, api_key, base_url, default_headers, memory, on_diagnostics, options, cloud, body)
    library = chosen(transport)
    inner = library.AsyncClient(transport=transport)
    between = made(AsyncTransport, library, "AsyncBaseTransport")(to, inner, library)
    outer: httpx2.AsyncClient = library.AsyncClient(transport=between)
    return outer
