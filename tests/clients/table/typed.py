"""The official packages' types as judges of the requests that an upstream got, where they are strict: for Converse
botocore's model of the service, for Cohere and Ollama the classes of their clients.

They are asked when a scenario is over, and in the main thread, as they may skip where a package is missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ...sessions.clients import BEDROCK, COHERE, OLLAMA
from ..test_cohere_types import assert_official
from ..test_ollama import read

Json = Any


def by_botocore(body: Json) -> None:
    service = import_module("botocore.session").get_session().get_service_model("bedrock-runtime")
    shape = service.operation_model("Converse").input_shape
    report = import_module("botocore.validate").ParamValidator().validate({"modelId": "m", **body}, shape)
    assert not report.has_errors(), report.generate_report()


def by_cohere(body: Json) -> None:
    plain = json.loads(json.dumps(body))
    for message in plain["messages"]:
        for one in message["content"] if message["role"] == "tool" and isinstance(message["content"], list) else ():
            if isinstance(one.get("document", {}).get("data"), str):  # as the vendor's guides send it
                one["document"]["data"] = json.loads(one["document"]["data"])
    assert_official("request", plain)


TYPED: dict[str, tuple[str, Callable[[Json], Any]]] = {
    BEDROCK: ("botocore", by_botocore),
    COHERE: ("cohere", by_cohere),
    OLLAMA: ("ollama", partial(read, "request")),
}
"""By protocol: the package, and what asserts that its types read a request."""


def mistyped(protocol: str, bodies: Iterable[Json]) -> Iterator[str]:
    """Yield what the types say of requests; nothing where their package is not installed."""
    package, check = TYPED.get(protocol, ("", None))
    if check is None or find_spec(package) is None:
        return
    for body in bodies:
        try:
            check(body)
        except Exception as error:
            yield f"types of {package}: {' '.join(str(error).split())}"
