"""The gateway's application inside another one, under a path: endpoints see the rest of the path, as at a root.

Pages go on to see the whole one, for their links.
"""

from __future__ import annotations

from typing import Any

from .asgi import Receive, Scope, Send


class Mounted:
    """A middleware. What stands before a path is `root_path`, as ASGI has it."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        root, path = scope.get("root_path", ""), scope.get("path", "")
        if root and path.startswith(f"{root}/"):
            scope = {**scope, "path": path[len(root) :]}
        await self._app(scope, receive, send)
