"""Upstreams on clouds: what of a configuration follows from the cloud that an upstream names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..conversion.profile import Profile
from ..exchange.clouds import Deployment, check_installed, checked, deployed
from ..exchange.provider import http_of
from ..protocol.registry import protocols
from .config_errors import Where

if TYPE_CHECKING:
    from .config import Config, UpstreamTable


def cloud_of(side: Profile, upstream: UpstreamTable) -> Deployment | None:
    """The cloud that serves an upstream. Raises ValueError."""
    if upstream.cloud is None:
        return None
    return deployed(side, upstream.cloud, key=bool(upstream.key_env), base_url=upstream.base_url or None)


def on_clouds(config: Config, side_of: Callable[[UpstreamTable], Profile]) -> tuple[Config, list[tuple[Where, str]]]:
    """The configuration with URLs and keys of clouds, and what is wrong with them."""
    made, wrong = {**config.upstreams}, list[tuple[Where, str]]()
    for name, table in config.upstreams.items():
        if table.protocol is None and table.profile is None:
            continue
        try:
            if table.cloud is None:
                if table.protocol in protocols() and not table.key_env:
                    check_installed(http_of(table.protocol))
                continue
            found = cloud_of(side_of(table), table)
            assert found is not None
            checked(found)
        except (ValueError, TypeError) as error:
            wrong.append((("upstreams", name, "cloud" if table.cloud else "key_env"), str(error)))
            continue
        follows: dict[str, Any] = {"base_url": found.base_url, "key_env": table.key_env or found.keys}
        made[name] = table.model_copy(update={**follows, "server": table.server or found.cloud.server})
    return config.model_copy(update={"upstreams": made}), wrong
