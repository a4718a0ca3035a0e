"""Converse in HTTP: model and operation stand in the path; requests are signed, or have a key of Bedrock's.

API reference: "Converse", "ConverseStream", "CountTokens", "ListFoundationModels" of Amazon Bedrock.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from proxai_ir.binding.http import Counting, Http, Listing, Model
from proxai_ir.framing import AWS_EVENT_STREAM
from proxai_ir.ir.error import ErrorCategory
from proxai_ir.wire import bedrock_converse as wire

from .signing import sign

PATH = re.compile(r"/model/(?P<model>.+)/(?P<operation>converse|converse-stream)")
COUNT, WHOLE = "/count-tokens", "/converse"
COUNTED = ("messages", "system", "toolConfig", "additionalModelRequestFields")


def asked(path: str) -> dict[str, Any] | None:
    found = PATH.fullmatch(path.partition("?")[0])
    return found and {"model": unquote(found["model"]), "stream": found["operation"] != "converse"}


def _counting(path: str) -> str:
    return path.rpartition("/")[0] + COUNT


def _counted(path: str) -> str | None:
    return path.removesuffix(COUNT) + WHOLE if path.startswith("/model/") and path.endswith(COUNT) else None


def _body(body: dict[str, Any], _path: str) -> dict[str, Any]:
    return {"input": {"converse": {name: body[name] for name in COUNTED if name in body}}}


def _source(body: dict[str, Any]) -> Any:
    given = body.get("input")
    return given.get("converse", body) if isinstance(given, dict) else body


def _model(model: Model) -> dict[str, Any]:
    return {"modelId": model.name, "modelName": model.shown, "providerName": model.owner}


def _read(listed: Any) -> list[Model]:
    return [Model(one["modelId"], one.get("modelName") or one["modelId"]) for one in listed["modelSummaries"]]


HTTP = Http(
    asked=asked,
    named="modelId",
    streams=lambda _: False,  # the path says it
    sign=sign,
    request_id=wire.REQUEST_ID,
    statuses={ErrorCategory.OVERLOADED: 503, ErrorCategory.TIMEOUT: 408, ErrorCategory.BILLING: 403},
    framing=AWS_EVENT_STREAM,
    marked="amz-sdk-invocation-id",
    under=("/model",),
    listing=Listing(
        ask="/foundation-models",
        read=_read,
        paths=("/foundation-models",),
        one=lambda model: {"modelDetails": _model(model)},
        all=lambda models: {"modelSummaries": [*map(_model, models)]},
    ),
    counting=Counting(path=_counting, counted=_counted, body=_body, source=_source, number="inputTokens"),
    telemetry="aws.bedrock",
)
