"""The HTTP of a protocol, outside its payloads: one declaration per protocol, for proxies.

Sources: the vendors' API references, and what their official clients send and read. Rule: a protocol without a
declaration converts like any other, but cannot be a side of an Exchange.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Any, Protocol

from attrs import Factory, field

from ..framing import SSE, Framing
from ..ir.error import ErrorCategory, by_status, usual_status
from ..ir.response import FIRST_DATE, LAST_DATE
from ..json.classes import frozen

Json = Any
Body = dict[str, Any]

SHARED_HEADERS = ("retry-after", "retry-after-ms", "x-should-retry")
"""Response headers that clients of every protocol read alike."""
LIMITED = ("requests", "tokens", "input-tokens", "output-tokens")
FACTS = ("limit", "remaining", "reset")
"""What rate-limit headers limit, and the facts that they state about it."""
REGISTERED = frozenset(HTTPStatus)
"""Statuses that clients of every protocol know, whichever of them their vendor uses."""


def no_options(_payload: Json) -> dict[str, Any]:
    return {}


def stream_is_true(request: Body) -> bool:
    """Return whether a request asks for a stream, as most protocols do."""
    return request.get("stream") is True


OURS = "proxai-ir"
"""The owner of a model whose list names none."""


@frozen
class Model:
    """A model that a server lists. `created`: Unix seconds; 0 where nothing states it."""

    name: str
    shown: str
    created: int = 0
    owner: str = OURS


def models_in_data(listed: Json) -> list[Model]:
    """Return the models of a list in the form of most servers, with the facts that any of them states. Raises KeyError,
    TypeError, ValueError and AttributeError for other forms."""
    return [
        Model(one["id"], one.get("display_name") or one["id"], _created(one), one.get("owned_by") or OURS)
        for one in listed["data"]
    ]


def _created(one: Json) -> int:
    """Return Unix seconds; 0 for none, and for a time that no date has, as other protocols write it as one."""
    if isinstance(one.get("created"), int):
        return int(one["created"]) if FIRST_DATE <= one["created"] <= LAST_DATE else 0
    return int(datetime.fromisoformat(one["created_at"]).timestamp()) if one.get("created_at") else 0


@frozen(kw_only=True)
class Listing:
    """Lists of models.

    ask    the path that a server is asked for all of them with
    read   the models of its response; raises ValueError, TypeError, AttributeError or KeyError
    paths  where clients ask for a list, and with a name behind it for one model
    one    the response with one model
    all    the response with all
    """

    ask: str
    read: Callable[[Json], list[Model]] = models_in_data
    paths: tuple[str, ...]
    one: Callable[[Model], Json]
    all: Callable[[list[Model]], Json]


@frozen(kw_only=True)
class Told:
    """A question about the server, or about one of its models, that clients ask before they send requests.

    method  of theirs
    named   the members of their body any of which names the model; (): they ask about none
    made    returns the response, from a function that tells whether the model takes what a setting stands for, and the
            tokens of its context or None
    """

    method: str = "GET"
    named: tuple[str, ...] = ()
    made: Callable[[Callable[[str], bool], int | None], Json]


def the_same(given: Json) -> Json:
    return given


@frozen(kw_only=True)
class Counting:
    """Requests to count the tokens of a request for a response.

    path     their path, from that of the request for a response
    counted  the path of that request, from theirs; None: no such path
    body     their body, from that of the request for a response and its path
    unsent   headers that requests for responses have and they do not
    source   the body of the request for a response, from theirs
    number   the member of the response that has the count
    shape    the rest of the response
    """

    path: Callable[[str], str]
    counted: Callable[[str], str | None] = the_same
    body: Callable[[Json, str], Json]
    unsent: tuple[str, ...] = ()
    source: Callable[[dict[str, Any]], Json] = the_same
    number: str
    shape: Mapping[str, Json] = field(factory=dict)


@frozen(kw_only=True)
class Kept:
    """The resources that clients read and delete by id (`References`).

    responses      the path of responses, with an id behind it
    deleted        the response for the id of one that is deleted
    conversations  the path of conversations; None: there are none
    begun          the response for a new one, which has its id: from the request, and the time as Unix seconds
    """

    responses: str
    deleted: Callable[[str], Json]
    conversations: str | None = None
    begun: Callable[[Body, int], Body] | None = None


@frozen(kw_only=True)
class Compacting:
    """Requests for a summary of a conversation that have a path of their own.

    path    theirs, below that of the request for a response
    asking  the request for a response that asks for the same summary, from theirs with its whole conversation, and the
            items of that
    shape   their response, from those items and the response to that request
    """

    path: str
    asking: Callable[[Body, Sequence[Any]], Body]
    shape: Callable[[Sequence[Any], Body], Body]


@frozen
class Asked:
    """A request that came as an event of a socket.

    request    its body, as it would be over HTTP
    lane       the name of the queue in which its requests run one after the other; None: that of those without a name
    generates  whether a response is to be made, or only state to be kept for a later request
    """

    request: Body
    lane: str | None = None
    generates: bool = True


class Frames(Protocol):
    """Turns the events of one response, as a stream over HTTP has them, into those of a socket."""

    def feed(self, event: Json, /) -> list[Json]: ...

    def close(self) -> list[Json]:
        """Return what the end of the stream adds."""
        ...


@frozen(kw_only=True)
class Socket:
    """The WebSocket of a protocol, at the path of its requests. Each message is text, and the JSON of one event.

    read      reads an event of a client: a request; else the event that answers it, as it is not served; None: nothing
              answers it
    frames    returns the Frames of the response to a request in a lane
    error     returns the event for an error: from status, body and headers as HTTP has them, and the lane
    prepared  returns the events of the response to a request that generates nothing: from it, an id, and Unix seconds
    crowded   returns the event for a lane that is one too many
    expired   returns the event for a connection that has lasted for so many seconds, the most, and for a request that
              comes then, in a lane
    lanes     the most names of lanes on one connection
    at_once   the most responses that are made on it at once
    headers   headers of its handshake that are none of its requests, and how their values begin
    """

    read: Callable[[Json], Asked | Body | None]
    frames: Callable[[str | None], Frames]
    error: Callable[[int, Json, Mapping[str, str], str | None], Body]
    prepared: Callable[[Body, str, int], list[Body]]
    crowded: Callable[[str], Body]
    expired: Callable[[float, str | None], Body]
    lanes: int
    at_once: int
    headers: Mapping[str, str] = field(factory=dict)


@frozen
class Stored:
    """The names of files and the like in requests: for each member the pattern of the values, or of their ids, that are
    such names. `opaque`: members that hold any JSON of the client."""

    members: Mapping[str, str]
    opaque: frozenset[str] = frozenset()

    def names_in(self, body: Json) -> Iterator[tuple[tuple[Json, str], str]]:
        """Yield each name with its place."""
        left = [body]
        while left:
            one = left.pop()
            if isinstance(one, list):
                left += one
            elif isinstance(one, dict):
                left += [value for name, value in one.items() if name not in self.opaque]
                for member in self.members.keys() & one.keys():
                    values = one[member] if isinstance(one[member], list) else [one[member]]
                    for value in values:
                        name = value.get("id") if isinstance(value, dict) else value
                        if isinstance(name, str) and re.fullmatch(self.members[member], name):
                            yield (one, member), name


@frozen(kw_only=True)
class Features:
    """The features of a vendor's API that requests switch on and not every server has (CAP-8).

    vendor   whose API it is; another protocol may serve models of the same vendor
    header   the request header that lists betas
    member   where else the body lists them, by the names from the outermost member on
    where    the settings of the servers that take betas at all
    members  members of a request's body that not every server has, by their paths, in which `*` is each item of a list
             and `**` any object: the rule that reports one that is dropped, and the betas, without their dates, any of
             which it needs
    lists    members of the body that may list betas, too
    plain    the members of a body that every server has; others than all of these are unknown
    hints    betas, without their dates, that change neither content nor behaviour of a response
    """

    vendor: str
    header: str | None = None
    member: tuple[str, ...] = ()
    where: Mapping[str, Any] = field(factory=dict)
    members: Mapping[str, tuple[str, str]] = field(factory=dict)
    lists: tuple[str, ...] = ()
    plain: frozenset[str] = frozenset()
    hints: frozenset[str] = frozenset()


@frozen(kw_only=True)
class Http:
    """The HTTP of one protocol: how its servers are called, and what its clients expect of them.

    base_url    the vendor's server, without the version of the API; None: there is none
    key_env     the environment variables of the vendor's key; the first that is set counts
    path        the path of a request; None: `Backend.route` has it
    aliases     other paths of the same, as of other versions of the API
    asked       reads the path of a request that names its model, with its query: {"model": …, "stream": …}, and "array"
                if a stream is to be the JSON array of its events; None if it is no such path. The gateway serves the
                paths that it reads
    named       the member of a request that names its model, if the path does not
    streams     whether a request asks for a stream, if its path does not say so
    sign        returns the headers of a request from method, URL, headers and body as they are sent: the last step
                before each attempt; it may drop some, the key among them. May raise protocol.signing.Unsigned
    key         the request header with the API key
    scheme      the text before the key in it
    signed_by   the pattern that finds, in the header of a signed request, the name of the key that signed it
    version     the request header with the version of the API
    features    the features of its vendor's API that requests switch on, mainly by betas
    key_query   the parameter of the query that may have the key instead
    own         other headers, or beginnings of their names, in which a client states its account and its rights
    request_id  the response header with the request's id
    limits      the name of rate-limit headers, with {what} of LIMITED and {fact} of FACTS
    resets      what `reset` is: a "time" (RFC 3339), or a "duration" ("6m0s")
    statuses    HTTP statuses of error categories for which protocols have different ones
    framing     the framing of its streams
    keep_alive  bytes that keep a stream open, and that readers skip; b"": they skip nothing
    models      the paths of the model's name in responses and events
    expects     returns the options for the response that follow from the client's request
    clients     the options with which official clients read a response, in addition to the protocol's defaults
    marked      the request header that only its clients send
    under       the beginning of its clients' paths, with which no others begin
    listing     its lists of models
    told        other questions about the server and its models, by their paths
    counting    its requests to count tokens
    compacting  its requests for a summary of a conversation
    kept        its resources that clients read and delete
    socket      its WebSocket
    telemetry   the name of its provider in OpenTelemetry's conventions
    stored      the names in requests of files and the like that its servers keep for an account
    siblings    set if clients send requests in the form of another protocol of the vendor to its path, too, and read
                responses in its own: the paths of the members that such a request has for the response alone
    """

    base_url: str | None = None
    key_env: tuple[str, ...] = ()
    path: str | None = None
    aliases: tuple[str, ...] = ()
    asked: Callable[[str], dict[str, Any] | None] | None = None
    named: str = "model"
    streams: Callable[[Body], bool] = stream_is_true
    sign: Callable[[str, str, Mapping[str, str], bytes], Mapping[str, str]] | None = None
    key: str = "authorization"
    scheme: str = "Bearer "
    signed_by: str | None = None
    version: str | None = None
    features: Features | None = None
    key_query: str | None = None
    own: tuple[str, ...] = ()
    request_id: str | None = None
    limits: str | None = None
    resets: str = "duration"
    statuses: Mapping[ErrorCategory, int] = field(factory=dict)
    framing: Framing = SSE
    keep_alive: bytes = field(default=Factory(lambda self: self.framing.keep_alive, takes_self=True))
    models: tuple[tuple[str, ...], ...] = (("model",),)
    expects: Callable[[Json], dict[str, Any]] = no_options
    clients: Mapping[str, Any] = field(factory=dict)
    marked: str | None = None
    under: tuple[str, ...] = ()
    listing: Listing | None = None
    told: Mapping[str, Told] = field(factory=dict)
    counting: Counting | None = None
    compacting: Compacting | None = None
    kept: Kept | None = None
    socket: Socket | None = None
    telemetry: str | None = None
    stored: Stored = field(factory=lambda: Stored({}))
    siblings: tuple[tuple[str, ...], ...] | None = None

    def status_of(self, category: ErrorCategory, status: int | None = None) -> int:
        """Return the HTTP status of an error: the upstream's own `status`, if clients of this protocol take it for this
        category."""
        usual = self.statuses.get(category) or usual_status(category) or 500
        if status is None or by_status(status) is not category or status // 100 != usual // 100:
            return usual
        standard = status == usual_status(category) and status in REGISTERED
        return usual if category in self.statuses and not standard else status

    @property
    def fixed(self) -> tuple[str, ...]:
        """The paths of requests, if they are the same for every model."""
        return (self.path, *self.aliases) if self.path else ()

    @property
    def betas(self) -> str | None:
        """The request header that lists betas."""
        return None if self.features is None else self.features.header

    def headers_with(self, key: str) -> dict[str, str]:
        """Return the header that authenticates a request."""
        return {self.key: self.scheme + key}

    def shares_keys(self, other: Http) -> bool:
        """Return whether both are protocols of one vendor, so that a key for the one is a key for the other."""
        return self is other or (self.telemetry is not None and self.telemetry == other.telemetry)

    def key_in(self, headers: Mapping[str, str], query: str = "") -> str | None:
        """Return the key that a client sent; headers by lower-case name. Clients may use the standard scheme, too."""
        found = headers.get(self.key)
        if found is not None and found.startswith(self.scheme):
            return found.removeprefix(self.scheme).strip() or None
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and token.strip():
            return token.strip()
        if not self.key_query or not query:
            return None
        from urllib.parse import parse_qs  # slow to load, and rarely needed

        return next(iter(parse_qs(query).get(self.key_query, ())), None)

    def signer_in(self, headers: Mapping[str, str]) -> str | None:
        """Return the name of the key with which a client signed its request; headers by lower-case name.

        Clients that send no key over a connection that is not encrypted sign with one whose name is the key for here.
        """
        found = re.match(self.signed_by, headers.get(self.key, "")) if self.signed_by else None
        return None if found is None else found[1]

    def own_headers(self, headers: Mapping[str, str], query: str = "") -> dict[str, str]:
        """Return the headers in which a client identifies itself to its vendor; none if it sent no key."""
        key = self.key_in(headers, query)
        if key is None:
            return {}
        names = {self.key, "authorization", "user-agent", self.betas, *self.own}
        given = {name: value for name, value in headers.items() if name in names}
        return given if {self.key, "authorization"} & given.keys() else given | self.headers_with(key)


@frozen(kw_only=True)
class References:
    """The references of one protocol's requests to what its servers keep, for `exchange.memory`.

    All functions take payloads that were not checked, and raise nothing.

    previous      the id of the response that a request continues, or None
    conversation  the id of the conversation that a request continues, or None
    keeps         whether the response to a request is to be kept
    items         the items that a request adds to the conversation, as on the wire
    output        the items that a response adds
    reference     the id of the kept item that an item refers to, or None
    whole         the request with these items in place of its own, and without any reference
    missing       the HTTP status and the body of the error for an unknown id of a "response", a "conversation" or an
                  "item"
    """

    previous: Callable[[Body], str | None]
    conversation: Callable[[Body], str | None]
    keeps: Callable[[Body], bool]
    items: Callable[[Body], list[Any]]
    output: Callable[[Body], list[Any]]
    reference: Callable[[Any], str | None]
    whole: Callable[[Body, Sequence[Any]], Body]
    missing: Callable[[str, str], tuple[int, Body]]
