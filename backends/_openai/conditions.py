"""Conditions, rewrites, checks and rows that the tables of OpenAI's protocols share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

from proxai_ir import ir
from proxai_ir.json.pointer import derived, extended
from proxai_ir.reporting.report import Report
from proxai_ir.schemas.arrays import with_items
from proxai_ir.schemas.strict import closing
from proxai_ir.schemas.subset import COMPOSING, one_object
from proxai_ir.targets import conditions as c
from proxai_ir.targets.approximations import restate_tools
from proxai_ir.targets.settings import Server, capability
from proxai_ir.targets.verdicts import Check, inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import FILE_TYPES, openai

# --- prompt caching ---------------------------------------------------------------------------------------------------

NO_BREAKPOINT = lacking("cache_breakpoints", omits("CAC-4", "cache"))
"""The verdict on the breakpoint of a part; servers that do not know it refuse the whole request."""

# --- files and documents ----------------------------------------------------------------------------------------------


def stored_elsewhere(file: ir.FileRef) -> bool:
    """Return whether another or an unknown provider stores a file (SRC-1)."""
    return file.provider != openai.PROVIDER


def other_image(source: ir.Inline | ir.Url) -> bool:
    """Return whether an image has a type that neither protocol takes; the server detects unknown ones (SRC-3)."""
    return bool(source.mime) and c.right_type(source) not in openai.IMAGE_TYPES


def unreachable(source: ir.Url) -> bool:
    """Return whether the server cannot fetch this URL, e.g. s3:// or gs:// (SRC-3)."""
    return c.not_web(source) and not is_data(source)


def unshowable(image: ir.Image) -> bool:
    """Return whether an image that a model made cannot be sent: of another type, or stored elsewhere (IMG-4)."""
    source = image.source
    if not isinstance(source, (ir.Inline, ir.Url)) or other_image(source):
        return True
    return isinstance(source, ir.Url) and unreachable(source)


GENERATED_NAME = {mime: f"document.{end}" for end, mime in reversed(FILE_TYPES.items())}
"""Names by media types, as OpenAI's servers tell a file's type by the end of its name."""
OTHER_NAME = "document"


def generated_name(document: ir.Document) -> str | None:
    """Return the file name that inline data must have; None for URLs and stored files (DOC-2)."""
    source = document.source
    if isinstance(source, ir.FileRef) or (isinstance(source, ir.Url) and not is_data(source)):
        return None
    return GENERATED_NAME.get(getattr(source, "mime", None) or "", OTHER_NAME)


def is_data(source: ir.Url) -> bool:
    """Return whether a URL holds its content itself."""
    return source.url.startswith("data:")


def needs_name(document: ir.Document) -> bool:
    """Return whether a document has inline data and no name, which they must have (DOC-2)."""
    return document.title is None and generated_name(document) is not None


def named(document: ir.Document) -> ir.Document:
    made = copy(document)
    made.title = generated_name(document)
    return made


# --- calls ------------------------------------------------------------------------------------------------------------


def id_of_at_most(characters: int) -> Callable[[str], str]:
    """Return a rewrite that shortens ids to this length: their beginning and a checksum (TUL-13)."""
    kept = characters - len("_01234567")

    def accepted(identity: str) -> str:
        return identity if 0 < len(identity) <= characters else c.checked(identity[:kept], identity)

    return accepted


# --- tools and schemas ------------------------------------------------------------------------------------------------


def lacks_properties(tool: ir.FunctionTool) -> bool:
    """Return whether an object schema lacks `properties` or the `type` of an object, which are required (SCH-2)."""
    schema = tool.parameters
    return schema is not None and (c.lacks_type(tool) or (c.states_object(tool) and "properties" not in schema))


def composed(tool: ir.FunctionTool) -> bool:
    """Return whether a tool's parameters have alternatives at their root, which OpenAI refuses (SCH-9).

    "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level"
    """
    schema = tool.parameters
    return schema is not None and not AT_ROOT.isdisjoint(schema)


def uncomposed(tool: ir.FunctionTool) -> dict[str, Any]:
    schema = tool.parameters or {}
    return one_object(derived(schema, {key: value for key, value in schema.items() if key not in REFUSED_AT_ROOT}))


REFUSED_AT_ROOT = frozenset({"enum", "not"})
AT_ROOT = COMPOSING | REFUSED_AT_ROOT
COMPOSED_PARAMETERS = {
    "composed_parameters": capability(
        False, "schemas of tools with `anyOf`, `oneOf`, `allOf` as a whole, which become one object otherwise (SCH-9)"
    )
}
"""The setting of compatible servers; some of them do not check schemas."""


def with_properties(tool: ir.FunctionTool) -> dict[str, Any]:
    schema = tool.parameters or {}
    return extended(schema, {"type": "object", "properties": schema.get("properties", {})})


def describes_no_object(wanted: ir.SchemaFormat) -> bool:
    """Return whether an output's schema describes something else than an object (SCH-5)."""
    return wanted.schema is not None and wanted.schema.get("type", "object") != "object"


# --- settings ---------------------------------------------------------------------------------------------------------

DEFAULT_SAMPLING = {"temperature": 1, "top_p": 1}
"""The defaults in OpenAI's reference of both protocols ("Defaults to 1"); reasoning models refuse even those."""

SETTINGS = (
    of(ir.Request, ok("parallel_tools")),
    of(
        ir.SchemaFormat,
        refuses("SCH-5", "schema", when=describes_no_object),
        ok("schema"),
        ok("strict"),
    ),
    of(
        ir.Caching,
        lacking("cache_breakpoints", omits("CAC-5", "automatic lifetime")),
        ok("automatic key retention"),
    ),
    of(ir.Cache, *c.cache_lifetimes("ttl", openai.MARKER_TTL.values())),
    of(
        ir.Service,
        loses("SVC-1", "tier", when=c.is_("fast", True)),
        ok("tier=auto|standard|priority|flex|scale"),
        loses("SVC-1", "tier=batch"),
        omits("SMP-6", "fast", when=c.is_("fast", False)),
        notes("USR-5", "end_user", when=c.end_user_beyond(openai.MOST_OF_END_USER), by=c.hashed_end_user),
        *c.metadata_of(openai.is_metadata, openai.MOST_METADATA),
        ok("fast end_user user store moderation"),
    ),
)
TOOLS = (
    of(
        ir.FunctionTool,
        lacking("composed_parameters", weaker("SCH-9", "parameters", when=composed, by=uncomposed)),
        notes("SCH-2", "parameters", when=lacks_properties, by=with_properties),
        ok("parameters"),
        ok("strict"),
    ),
    of(ir.WebSearchTool, ok("context_size")),
    inside("input format", ok(ir.FreeText, ir.Grammar), loses("UNK-4", ir.UnknownFormat)),
)
CACHEABLE = (
    *(of(cls, NO_BREAKPOINT) for cls in (ir.Text, ir.Image, ir.Document, ir.SearchResult, ir.ToolResult)),
    of(ir.SearchResult, omits("CAC-4", "cache", when=c.is_("parts", []))),
    *(of(cls, ok("cache")) for cls in (ir.Text, ir.Image, ir.Document, ir.SearchResult)),
)
IMAGE_DETAIL = of(
    ir.Image,
    ok("detail", when=c.is_("detail", *openai.IMAGE_DETAILS)),
    loses("IMG-1", "detail", detail=f"only {', '.join(openai.IMAGE_DETAILS)}"),
)
PDF_TYPE = c.respelled(("application/pdf",))
ADDRESSES = refuses("SRC-3", ir.Url, when=unreachable, detail="URLs with http:// or https://")
IMAGES = inside(
    "image source",
    c.corrected(accepted=openai.IMAGE_TYPES),
    refuses("SRC-3", ir.Inline, ir.Url, when=other_image, detail="PNG, JPEG, GIF, WebP"),
    ADDRESSES,
    ok(ir.Inline, ir.Url),
)
ERRORS = (
    of(
        ir.Error,
        omits("ERR-8", "code", when=c.overflow_code_but(openai.NEEDED_CODE_OF[ir.ErrorCategory.CONTEXT_LENGTH])),
        ok("code"),
    ),
)
"""Rows of both target tables."""


def limits(tool_name: str, most_of_id: int, lifetimes: Mapping[str, int]) -> dict[str, str]:
    """Return the accepted values that diagnostics name."""
    available = f"breakpoints: {', '.join(openai.MARKER_TTL)}; `prompt_cache_options`: {', '.join(lifetimes)}"
    return {
        "CAC-2": available,
        "CAC-3": available,
        "SCH-1": "objects must be closed and require all their properties; of compositions, only `anyOf`",
        "TUL-26": f"a name must match {tool_name}",
        "TUL-13": f"an id may have at most {most_of_id} characters",
        "USR-5": f"at most {openai.MOST_OF_END_USER} characters",
    }


def _strict_schemas(request: ir.Request, report: Report, server: Server) -> None:
    """Close the schemas of strict tools and of a strict output (SCH-6), or drop strictness (SCH-1).

    A tool without parameters gets a schema without any (SCH-2).
    """
    wanted = request.output.format if request.output is not None else None
    if isinstance(wanted, ir.SchemaFormat) and wanted.strict and wanted.schema is not None:
        wanted.schema = _closed(wanted, "schema", wanted.schema, report)
    for tool in request.tools or ():
        if type(tool) is ir.FunctionTool and tool.strict:
            if tool.parameters is None:
                report.at("SCH-2", tool, "parameters")
                tool.parameters = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
            else:
                tool.parameters = _closed(tool, "parameters", tool.parameters, report)


def _closed(node: Any, field: str, schema: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return the closed schema; one that cannot be closed stays as it is, and its node is no longer strict."""
    made = closing(schema)
    if made is None:
        report.at("SCH-1", node, "strict")
        node.strict = None
        return schema
    if made is not schema:
        report.at("SCH-6", node, field)
    return made


STRICT_SCHEMAS = Check(_strict_schemas, ("SCH-1", "SCH-2", "SCH-6"), ir.Request, needs=("tools", "output"))


def _arrays_complete(request: ir.Request, report: Report, server: Server) -> None:
    """Add `items` to arrays in schemas that lack them (SCH-13)."""
    restate_tools(request, with_items, "SCH-13", report)
    wanted = request.output.format if request.output is not None else None
    if isinstance(wanted, ir.SchemaFormat) and wanted.schema is not None:
        made = with_items(wanted.schema)
        if made is not wanted.schema:
            report.at("SCH-13", wanted, "schema")
            wanted.schema = made


ARRAYS_COMPLETE = Check(_arrays_complete, ("SCH-13",), ir.Request, needs=("tools", "output"))
