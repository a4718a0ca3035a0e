"""The lines that a gateway prints when it listens: settings for clients, the page, models and what is known of them.

A line that is to be pasted stands by itself, with nothing in it but what is pasted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..launch.clients import SDKS
from ..launch.plan import plan_of
from ..profiles.models import named, rows_of
from ..profiles.named import server_at
from .show import visible

if TYPE_CHECKING:
    from ..serve.config import Config, UpstreamTable
    from ..serve.server import Started

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
    yield "clients:"
    yield from (f"  {line}" for line in to_paste(begun.url, ANY if begun.keyless else OURS))
    if begun.page:
        token = "" if begun.token else f"?token=${config.access.admin_env}"
        yield f"page: {begun.page}{token}"
    else:
        yield f"no log; the token of /metrics: {begun.token or f'${config.access.admin_env}'}"
    yield from of_models(config)
    if begun.keyless:
        yield WITHOUT_KEYS + ("" if can_tell() else CANNOT_TELL)


def to_paste(url: str, key: str) -> Iterator[str]:
    """Yield the environment variables of each official client."""
    for sdk in SDKS:
        plan = plan_of((sdk.name,), url, key, "", "", sdk)
        yield " ".join(f"{name}={value}" for name, value in plan.environment.items())


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
        return
    if upstream.profile:
        about += f" as {upstream.profile} takes it"
    server = upstream.server or server_at(urlsplit(upstream.base_url).hostname or "")
    for model in models:
        rows, shown = rows_of(side.protocol, model, server), visible(model)
        if rows:
            yield f"{about}, with {len(rows)} facts about {shown} (proxai-ir models {shown})"
        else:
            known = "needs nothing else" if named(model).family else "is not known"
            yield f"{about}; {shown} {known}"
    if not models:
        yield f"{about}, and what each model takes by its name"


def _models(sent: str | None, asked: Iterable[str]) -> list[str]:
    """Return the models that are known by name before a client asks."""
    if sent:
        return [sent]
    return [name for name in asked if not any(sign in name for sign in "*?[")]
