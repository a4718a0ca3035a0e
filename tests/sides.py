"""What an example of the specification or a test states of a target and of a conversion: a Profile, and options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir import Profile, Seals
from proxai_ir.conversion.options import VERSION, of_json
from proxai_ir.conversion.profile import having, protocol_of
from proxai_ir.profiles import for_model
from proxai_ir.protocol.registry import backend, protocols

FOR_MODEL = "for_model"
"""The name under which an example states the model whose Profile is the target (CAP-5)."""


def sides(dst: str | Profile, stated: Mapping[str, Any]) -> tuple[str | Profile, dict[str, Any]]:
    """Return the target, with the capabilities that are stated, and the options of the conversion."""
    rest = {**stated}
    model = rest.pop(FOR_MODEL, None)
    server = dst if model is None else for_model(protocol_of(dst), model)
    known = backend(dst).target.capabilities if protocol_of(dst) in protocols() else ()  # else a form of exports
    capabilities = {name: rest.pop(name) for name in stated if name == VERSION or name in known}
    options = {name: value if isinstance(value, Seals) else of_json(name, value) for name, value in rest.items()}
    return having(server, capabilities) if capabilities else server, options
