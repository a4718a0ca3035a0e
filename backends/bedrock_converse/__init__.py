"""Converse out of the IR: what the backend registers, and what of the protocol stands in HTTP."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from proxai_ir import ir
from proxai_ir.framing import AWS_EVENT_STREAM
from proxai_ir.protocol.http import Counting, Features, Http, Listing, Model
from proxai_ir.protocol.registry import Backend
from proxai_ir.protocol.signing import SIGNED_BY, USUAL_REGION, aws, aws_region
from proxai_ir.wire import bedrock_converse as wire

from .stream import Writer
from .target import CONSTRAINTS, TARGET
from .write import raise_error, raise_request, raise_response, reply_headers, route

METHODS = {"converse": False, "converse-stream": True}
PATH = re.compile(r"/model/(?P<model>.+)/(?P<method>converse|converse-stream)")
COUNT = "/count-tokens"
COUNTED = ("messages", "system", "toolConfig", wire.ADDED)


def asked(path: str) -> dict[str, Any] | None:
    found = PATH.fullmatch(path.partition("?")[0])
    return None if found is None else {"model": unquote(found["model"]), "stream": METHODS[found["method"]]}


def _counted(path: str) -> str | None:
    return f"{path.removesuffix(COUNT)}/converse" if path.startswith("/model/") and path.endswith(COUNT) else None


def _source(body: dict[str, Any]) -> Any:
    given = body.get("input")
    return given.get("converse", body) if isinstance(given, dict) else body


def _model(model: Model) -> dict[str, Any]:
    return {
        "modelId": model.name,
        "modelArn": f"arn:aws:bedrock:::foundation-model/{model.name}",
        "modelName": model.shown,
        "providerName": model.owner,
        "inputModalities": ["TEXT"],
        "outputModalities": ["TEXT"],
        "responseStreamingSupported": True,
    }


def _read(listed: Any) -> list[Model]:
    return [Model(one["modelId"], one.get("modelName") or one["modelId"]) for one in listed["modelSummaries"]]


HTTP = Http(
    base_url=f"https://bedrock-runtime.{aws_region() or USUAL_REGION}.amazonaws.com",
    key_env=("AWS_BEARER_TOKEN_BEDROCK",),
    asked=asked,
    sign=aws("bedrock", needed=False),
    signed_by=SIGNED_BY,
    request_id="x-amzn-requestid",
    statuses={
        ir.ErrorCategory.AUTHENTICATION: 403,
        ir.ErrorCategory.BILLING: 403,
        ir.ErrorCategory.OVERLOADED: 503,
        ir.ErrorCategory.TIMEOUT: 408,
        ir.ErrorCategory.TOO_LARGE: 400,
    },
    framing=AWS_EVENT_STREAM,
    models=(),
    features=Features(
        vendor=wire.ANTHROPIC, member=(wire.ADDED, wire.BETAS), where={"betas": True, "family": "anthropic"}
    ),
    under=("/model/",),
    listing=Listing(
        ask="/foundation-models",
        read=_read,
        paths=("/foundation-models",),
        one=lambda model: {"modelDetails": _model(model)},
        all=lambda models: {"modelSummaries": [*map(_model, models)]},
    ),
    counting=Counting(
        path=lambda path: path.rpartition("/")[0] + COUNT,
        counted=_counted,
        body=lambda body, _: {"input": {"converse": {name: body[name] for name in COUNTED if name in body}}},
        source=_source,
        number="inputTokens",
    ),
    telemetry="aws.bedrock",
)


BACKEND = Backend(
    wire.NAME,
    TARGET,
    CONSTRAINTS,
    raise_request,
    raise_response,
    raise_error,
    stream=Writer,
    http=HTTP,
    batch="proxai_ir.backends._lib.cloud_lines:BEDROCK",
    route=route,
    reply_headers=reply_headers,
)
