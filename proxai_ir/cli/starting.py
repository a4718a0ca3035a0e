"""The lines that a gateway prints when it listens: settings for clients, the page, models and what is known of them.

A line that is to be pasted stands by itself, with nothing in it but what is pasted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..conversion.profile import Profile
from ..exchange.members import CONTEXT, with_context
from ..json.types import visible
from ..launch.clients import CLIENTS, SDKS, Client
from ..launch.plan import plan_of
from ..profiles.models import named, rows_of
from ..profiles.named import server_at
from ..protocol.registry import backend
from .show import counted, quoted

if TYPE_CHECKING:
    from ..serve.config import Config, UpstreamTable
    from ..serve.server import Started

HOME, MODEL = "~", "MODEL"
ANY, OURS = "any", "YOUR_KEY"
"""What a client sends as its key: without client keys anything, since clients send none without one."""
WITHOUT_KEYS = (
    "no client keys: all that this user runs on this machine may use the upstreams' keys; put no proxy and no tunnel in"
    " front without [access] in a configuration file"
)
CANNOT_TELL = "; this system does not tell whose connections are, so that some would not be noticed"


def lines(config: Config, begun: Started) -> Iterator[str]:
    from ..serve.access import can_tell

    yield f"serving at {begun.url}"
    for names, told in to_paste(begun.url, ANY if begun.keyless else OURS, _model(config)):
        yield f"{names}:"
        yield from (f"  {line}" for line in told)
    if begun.page:
        token = "" if begun.token else f"?token=${config.access.admin_env}"
        yield f"page: {begun.page}{token}"
    else:
        yield f"no log; the token of /metrics: {begun.token or f'${config.access.admin_env}'}"
    yield from of_models(config)
    if begun.keyless:
        yield WITHOUT_KEYS + ("" if can_tell() else CANNOT_TELL)


def to_paste(url: str, key: str, model: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the names of official clients and agents, with the lines that point them to this gateway.

    Clients that need the same lines are yielded together.
    """
    told: dict[tuple[str, ...], list[str]] = {}
    for client in (*SDKS, *CLIENTS):
        told.setdefault(tuple(_told(client, url, key, model)), []).append(client.name)
    yield from ((", ".join(names), [*lines]) for lines, names in told.items())


def _told(client: Client, url: str, key: str, model: str) -> Iterator[str]:
    """Yield the lines that set a client up; files in the user's home are named, and left to the user."""
    plan = plan_of((client.name,), url, key, model, HOME, client)
    settings = [f"{name}={quoted(value)}" for name, value in plan.environment.items() if value != HOME]
    yield from (f"unset {name}" for name in plan.without if name in os.environ)
    yield f"export {' '.join(settings)}"
    if client.arguments:
        yield " ".join(map(quoted, plan.command))
    for file, members in plan.files.items():
        yield f"# in {HOME}/{file}: {json.dumps(members)}"


def _model(config: Config) -> str:
    """Return a model that clients may ask for by name."""
    named = (name for route in config.routes for name in (*_models(None, route.models), route.model) if name)
    return next(named, MODEL)


def of_models(config: Config) -> Iterator[str]:
    """Yield each route, and for each model that it names, what decides what the upstream gets."""
    lines: dict[str, None] = {}
    for route in config.routes:
        names = ", ".join(map(visible, route.models))
        goes = ", else ".join(f"{one.upstream}{f' as {one.model}' if one.model else ''}" for one in route.candidates)
        yield f"models: {names} -> {goes}"
        for one in route.candidates:
            lines.update(
                dict.fromkeys(why(one.upstream, config.upstreams[one.upstream], _models(one.model, route.models)))
            )
    yield from lines


def why(name: str, upstream: UpstreamTable, models: Sequence[str]) -> Iterator[str]:
    """Yield the profile of an upstream, and why it is that one."""
    from ..serve.config import BY_PROTOCOL, profile_of

    side = profile_of(upstream)
    about = f"{name} at {upstream.base_url} is sent {side.protocol}"
    if upstream.profile == BY_PROTOCOL:
        yield f"{about} as every server of it takes it, as the configuration says"
        yield from _context(name, upstream, side)
        return
    if upstream.profile:
        about += f" as {upstream.profile} takes it"
    server = upstream.server or server_at(urlsplit(upstream.base_url).hostname or "")
    for model in models:
        rows, shown = rows_of(side.protocol, model, server), visible(model)
        if rows:
            yield f"{about}, with {counted(len(rows), 'fact')} about {shown} (proxai-ir models {shown})"
        else:
            known = "needs nothing else" if named(model).family else "is not known"
            yield f"{about}; {shown} {known}"
    if not models:
        yield f"{about}, and what each model takes by its name"
    yield from _context(name, upstream, side)


def _context(name: str, upstream: UpstreamTable, side: Profile) -> Iterator[str]:
    """Yield the context of an upstream if it is known, or how to state it where requests can set it (CAP-12)."""
    _, context = with_context(side, upstream.context)
    sets = CONTEXT in backend(side).target.settings
    if context is not None:
        yield f"the context of {name} is {context} tokens, {'which each request asks for' if sets else 'as stated'}"
    elif sets:
        yield (
            f"the context of {name} is its server's own, which may cut what is longer without a word; agents need tens"
            " of thousands of tokens: --context TOKENS, or context of the upstream, asks for them"
        )


def _models(sent: str | None, asked: Iterable[str]) -> list[str]:
    """Return the models that are known by name before a client asks."""
    if sent:
        return [sent]
    return [name for name in asked if not any(sign in name for sign in "*?[")]
