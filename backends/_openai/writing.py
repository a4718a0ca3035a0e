"""Writers and HTTP facts that OpenAI's two protocols share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.protocol.http import Listing, Model
from proxai_ir.targets.settings import Server
from proxai_ir.wire import openai

from .._lib.writing import Json, Object, base64_of, filler, put, whole, with_extra

# --- parts ------------------------------------------------------------------------------------------------------------

BREAKPOINT = "prompt_cache_breakpoint"
MARKER_TTL_OF = {seconds: word for word, seconds in openai.MARKER_TTL.items()}


def breakpoint_of(cache: ir.Cache) -> Object:
    """Return the member BREAKPOINT of a part."""
    made = {"mode": "explicit"} if cache.ttl is None else {"mode": "explicit", "ttl": MARKER_TTL_OF[cache.ttl]}
    return with_extra(made, cache)


def address(source: ir.Source) -> str:
    """Return a URL, or a data URL of inline data."""
    if isinstance(source, ir.Inline):
        return source.data if source.mime is None else f"data:{source.mime};base64,{source.data}"
    if isinstance(source, ir.PlainText):
        return f"data:{source.mime};base64,{base64_of(source.text, (source, 'data'))}"
    assert isinstance(source, ir.Url)
    return source.url


# --- log probabilities ------------------------------------------------------------------------------------------------


def scored_tokens(tokens: list[ir.ScoredToken], no_bytes: list[int] | None) -> list[Object]:
    """Return log probabilities; `no_bytes`: the value for tokens without bytes of their own."""
    made = [_token(token, no_bytes) for token in tokens]
    for token, built in zip(tokens, made, strict=True):
        built["top_logprobs"] = [_token(one, no_bytes) for one in token.top or ()]
    return made


def _token(token: ir.ScoredToken, no_bytes: list[int] | None) -> Object:
    made = {"token": token.text, "logprob": token.logprob, "bytes": no_bytes if token.bytes is None else [*token.bytes]}
    return made if token.extra is None else with_extra(made, token)


# --- settings ---------------------------------------------------------------------------------------------------------

CACHE_MODE = {True: "implicit", False: "explicit"}


def put_caching(built: Object, caching: ir.Caching, lifetimes: Mapping[str, int]) -> None:
    options: Object = {}
    if caching.automatic is not None:
        options["mode"] = CACHE_MODE[caching.automatic]
    if caching.lifetime is not None:
        put(options, ttl=next((word for word, seconds in lifetimes.items() if seconds == caching.lifetime), None))
    put(
        built,
        prompt_cache_options=options or None,
        prompt_cache_key=caching.key,
        prompt_cache_retention=caching.retention,
    )


put_ids_and_storage = filler(
    safety_identifier="end_user", user="user", metadata="metadata", store="store", moderation="moderation"
)


def put_service(built: Object, service: ir.Service) -> None:
    if service.fast:
        built["service_tier"] = openai.FAST
    elif service.tier in openai.TIER_OF:
        built["service_tier"] = openai.TIER_OF[service.tier]
    put_ids_and_storage(built, service)


# --- errors -----------------------------------------------------------------------------------------------------------


def raise_error(error: ir.Error, server: Server) -> Json:
    """Return an error body (ERR-1).

    `code` is a string, as the types of clients want it; routers give numbers. Clients need some codes (ERR-7).
    """
    if error.verbatim:
        return whole(error)
    kind = openai.error_type(error.type, error.category)
    code = openai.NEEDED_CODE_OF.get(error.category) if error.code is None else str(error.code)
    return with_extra({"error": {"message": error.message, "type": kind, "param": error.param, "code": code}}, error)


# --- http -------------------------------------------------------------------------------------------------------------
# API reference: "Debugging requests", "Rate limits", "Error codes", "List models".

REQUEST_ID = "x-request-id"
LIMITS = "x-ratelimit-{fact}-{what}"
STATUSES = {ir.ErrorCategory.OVERLOADED: 503, ir.ErrorCategory.BILLING: 429}
PROVIDER = "openai"
OWN = ("openai-beta", "openai-organization", "openai-project", "chatgpt-account-id")
BASE_URL, KEY_ENV = "https://api.openai.com", ("OPENAI_API_KEY",)


def _model(model: Model) -> dict[str, Any]:
    return {"id": model.name, "object": "model", "created": model.created, "owned_by": model.owner}


LISTING = Listing(
    ask="/v1/models",
    paths=("/v1/models",),
    one=_model,
    all=lambda models: {"object": "list", "data": [*map(_model, models)]},
)
