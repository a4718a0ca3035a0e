"""The IR as OpenAI's protocols write it alike: addresses, cache markers, call ids, settings of the service, errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.backends._lib.writing import Json, Object, base64_of, give_back, put, spelled, whole
from proxai_ir.ir import parts as ir
from proxai_ir.ir import request, tools
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Cache
from proxai_ir.rules.conditions import checked, is_, lengthened, lifetime, shortened
from proxai_ir.rules.verdicts import inside, loses, notes, of, ok, refuses, weaker
from proxai_ir.schemas.strict import closed
from proxai_ir.vendors.openai import vocabulary as openai

# --- parts ------------------------------------------------------------------------------------------------------------


def marked(part: Object, cache: Cache | None, home: bool) -> Object:
    """Add a cache marker."""
    if cache is not None:
        built = put({"mode": "explicit"}, ttl=lifetime(cache.ttl, openai.MARKER_TTL))
        part["prompt_cache_breakpoint"] = give_back(built, cache.extra, home)
    return part


def address(source: ir.Source) -> str:
    """A URL, or a data URL of inline data."""
    if isinstance(source, ir.Inline):
        return source.data if source.mime is None else f"data:{source.mime};base64,{source.data}"
    if isinstance(source, ir.PlainText):
        return f"data:{source.mime};base64,{base64_of(source.text, (source, 'data'))}"
    assert isinstance(source, ir.Url)
    return source.url


def elsewhere(file: ir.FileRef) -> bool:
    """Whether a file is stored by somebody else, or by nobody knows whom (SRC-1)."""
    return file.provider != openai.PROVIDER


GENERATED_NAME = {"application/pdf": "document.pdf", "text/plain": "document.txt"}
OTHER_NAME = "document"


def generated_name(part: ir.Document) -> str | None:
    """The file name that data must have; addresses and stored files have their own (DOC-2)."""
    if isinstance(part.source, ir.FileRef) or (isinstance(part.source, ir.Url) and not is_data(part.source)):
        return None
    return GENERATED_NAME.get(getattr(part.source, "mime", None) or "", OTHER_NAME)


def is_data(source: ir.Url) -> bool:
    """Whether a URL holds what it names."""
    return source.url.startswith("data:")


def nameless(document: ir.Document) -> bool:
    """Whether a document needs a name and has none."""
    return document.title is None and generated_name(document) is not None


# --- calls ------------------------------------------------------------------------------------------------------------

MOST_KEPT = openai.MOST_OF_CALL_ID - len("_01234567")  # characters of an id that is too long; its checksum follows


def fits(identity: str) -> bool:
    """Whether a call id is of a length that these protocols take."""
    return 0 < len(identity) <= openai.MOST_OF_CALL_ID


def call_id(given: str | None, home: bool) -> str | None:
    """A call id of a length that these protocols take: others are cut and gain a checksum (TUL-13), but not at home."""
    if home or given is None or fits(given):
        return given
    return checked(given[:MOST_KEPT], given)


# --- settings ---------------------------------------------------------------------------------------------------------


def put_caching(built: Object, caching: request.Caching, lifetimes: Mapping[str, int]) -> None:
    mode = {None: None, True: "implicit", False: "explicit"}[caching.automatic]
    ttl = lifetime(caching.lifetime.ttl, lifetimes) if caching.lifetime else None
    options = put({}, mode=mode, ttl=ttl)
    put(
        built,
        prompt_cache_options=options or None,
        prompt_cache_key=caching.key,
        prompt_cache_retention=caching.retention,
    )


def put_service(built: Object, service: request.Service, home: bool) -> None:
    tier = openai.FAST if service.fast else openai.TIER_OF.get(service.tier) if service.tier else None
    old = spelled(service, "user", home)
    put(
        built,
        service_tier=tier,
        safety_identifier=None if old or (not home and overlong(service)) else service.end_user,
        user=service.end_user if old else service.user,
        metadata=service.metadata,
        store=service.store,
    )


def propertyless(tool: tools.FunctionTool) -> bool:
    """Whether the schema of an object leaves out its properties, which is refused even where it has none (SCH-2)."""
    schema = tool.parameters
    return schema is not None and schema.get("type") == "object" and "properties" not in schema


def parameters_of(tool: tools.FunctionTool, home: bool) -> Object | None:
    if home or not propertyless(tool):
        return tool.parameters
    return {**(tool.parameters or {}), "properties": {}}


def rootless(wanted: request.SchemaFormat) -> bool:
    """Whether an output's schema is of something else than an object (SCH-5)."""
    return wanted.schema is not None and wanted.schema.get("type", "object") != "object"


def overlong(service: request.Service) -> bool:
    """Whether the id of the person who asks is longer than these protocols take."""
    return len(service.end_user or "") > openai.MOST_OF_END_USER


def strict_but_open(tool: tools.FunctionTool) -> bool:
    """Whether a tool asks for strict mode with a schema that strict mode refuses (SCH-1)."""
    return bool(tool.strict) and not closed(tool.parameters or {})


def open_though_strict(wanted: request.SchemaFormat) -> bool:
    """The same of the output's schema."""
    return bool(wanted.strict) and wanted.schema is not None and not closed(wanted.schema)


SETTINGS = (
    of(
        request.SchemaFormat,
        refuses("SCH-5", "schema", when=rootless),
        ok("schema name description"),
        loses("SCH-1", "strict", when=open_though_strict),
        ok("strict"),
    ),
    inside("format", ok(request.PlainFormat, request.JsonFormat, request.SchemaFormat)),
    of(request.Caching, ok("automatic key retention lifetime")),
    of(
        Cache,
        notes("CAC-2", "ttl", when=lengthened(openai.MARKER_TTL)),
        weaker("CAC-3", "ttl", when=shortened(openai.MARKER_TTL)),
        ok("ttl"),
    ),
    of(
        request.Service,
        loses("SVC-1", "tier", when=is_("fast", True)),
        ok("tier=auto|standard|priority|flex|scale"),
        loses("SVC-1", "tier=batch"),
        notes("SMP-6", "fast", when=is_("fast", False)),
        loses("SMP-2", "end_user", when=overlong),
        ok("fast end_user user metadata store"),
    ),
)
"""Rows of both target tables."""


def limits(tool_name: str, lifetimes: Mapping[str, int], user_and: str = "") -> dict[str, str]:
    """What diagnostics say of the values that these protocols accept."""
    available = f"breakpoints: {', '.join(openai.MARKER_TTL)}; `prompt_cache_options`: {', '.join(lifetimes)}"
    return {
        "CAC-2": available,
        "CAC-3": available,
        "SCH-1": "objects must be closed and require all their properties; of compositions, only `anyOf`",
        "SMP-2": f"{user_and}an end user's id may have at most {openai.MOST_OF_END_USER} characters",
        "TUL-8": f"a name must match {tool_name}",
        "TUL-13": f"an id may have at most {openai.MOST_OF_CALL_ID} characters",
    }


# --- errors -----------------------------------------------------------------------------------------------------------


def raise_error(error: Error, home: bool, options: Mapping[str, Any]) -> Json:
    """An error body (ERR-1)."""
    if home and error.verbatim:
        return whole(error)
    if spelled(error, "string", home):
        return give_back({"error": error.message}, error.extra, home)
    if spelled(error, "bare", home):
        return give_back(put({"message": error.message}, param=error.param, code=error.code), error.extra, home)
    if home:
        inner = put({"message": error.message}, type=error.type, param=error.param, code=error.code)
    else:
        kind = openai.ERROR_TYPE_OF[error.category]
        code = error.code if error.code is None else str(error.code)  # routers give numbers, the types want a string
        inner = {"message": error.message, "type": kind, "param": error.param, "code": code}
    return give_back({"error": inner}, error.extra, home)
