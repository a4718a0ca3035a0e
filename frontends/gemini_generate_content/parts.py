"""Reads the content of turns and the tools of generateContent. Requests and responses share these readers."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping

from proxai_ir import ir
from proxai_ir.ir.media_types import shown_kind
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.schemas.openapi import NO_TYPE, NUMBERED, TYPES, normalised
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google
from proxai_ir.wire.gemini_generate_content_structure import SHAPES

from .._google.reading import decoded, padded, stored_or_fetched, token_in
from .._google.reading import signature as sealed
from .._lib import reading as r
from .._lib.reading import Json, Object
from .._lib.reading import json_schema as any_schema

# --- parts ------------------------------------------------------------------------------------------------------------
# Parts of generateContent as parts of the IR: each has one member with data, and others that describe it.

SEALED = frozenset({"thoughtSignature"})
ALONE = frozenset[str]()
PARTS = frozenset({"parts"})
CONTENT = PARTS | {"role"}


def read_parts(content: Object) -> list[ir.Part]:
    """Return the parts of a content; proto JSON omits an empty array."""
    return listed_parts(r.optional(content, "parts", list) or [])


def read_turn(content: Object, roles: Mapping[str, ir.Role] = wire.ROLES, usual: str = wire.USER) -> ir.Turn:
    """Return the turn of a content; `roles` has the roles by their words, and `usual` is the word for one without a
    role."""
    word, listed = content.get("role"), content.get("parts")
    if len(content) == 2 and type(listed) is list and type(word) is str and (role := roles.get(word)) is not None:
        return ir.Turn(role, listed_parts(listed), None, content)
    return ir.Turn(read_role(content, roles, usual), read_parts(content), None, content, r.kept(content, CONTENT))


def read_role(content: Object, roles: Mapping[str, ir.Role], usual: str) -> ir.Role:
    role = roles.get(r.optional(content, "role", str) or usual)
    if role is None:
        raise r.wrong(content, "role", " or ".join(f"'{one}'" for one in roles if one in WRITTEN), "SHP-3")
    return role


WRITTEN = (wire.USER, wire.MODEL)  # the other roles are old ones


def listed_parts(listed: list[Json]) -> list[ir.Part]:
    found = r.each_object(listed, read_part)
    for index, part in enumerate(found):
        if type(part) is ir.Text and part.seal is not None and not part.text:
            before = found[index - 1] if index else None
            if type(before) is not ir.Text or before.seal is not None:
                found[index] = signature_alone(part.seal, part.src, part.extra)
    return found


def signature_alone(seal: ir.Seal | None, src: Object, extra: ir.Extra | None = None) -> ir.Reasoning:
    """Return empty reasoning for a signature that stands without text: that of a call or a thought (RSN-28)."""
    made = ir.Reasoning(None, seal, src, extra)
    r.keep(made, "thought", False)
    return made


def read_part(part: Object) -> ir.Part:
    text = part.get("text")
    if type(text) is str and len(part) == 1:
        return ir.Text(text, None, None, part)
    data = data_of(part)
    return _no_data(part) if data is None else READERS[data](part)


def data_of(part: Object) -> str | None:
    """Return the member with the data of a part, or None if it has none; two are refused."""
    data = None
    for key, value in part.items():
        if key in READERS and value is not None:
            if data is not None:
                raise _several(part)
            data = key
    return data


def _several(part: Object) -> Refusal:
    names = ", ".join(f"`{key}`" for key in part if key in READERS and part[key] is not None)
    return Refusal("SHP-4", part, f"expected one member with data, found {names}")


def _no_data(part: Object) -> ir.Part:
    """Return an empty text, which proto JSON omits, or a part whose data are of an unknown kind."""
    unknown = [key for key in part if part[key] is not None and key not in DESCRIPTIONS]
    if unknown:
        return ir.UnknownPart(unknown[0], part, part)
    return _text(part)


def signature(part: Object) -> ir.Seal | None:
    return sealed(part, "thoughtSignature")


def _kept(part: Object, key: str, known: r.Known, around: frozenset[str] = ALONE) -> ir.Extra | None:
    """Return the members to keep of a part and of its object `key`."""
    inner = part[key]
    if known.issuperset(inner) and (len(part) == 1 or around.issuperset(part)):
        return None
    return r.extra_fields(part, around | {key}, nested={key: r.extra_fields(inner, known)})


# --- text and reasoning -----------------------------------------------------------------------------------------------

TEXT_KEYS = frozenset({"text", "thoughtSignature"})
THOUGHT_KEYS = TEXT_KEYS | {"thought"}


def _text(part: Object) -> ir.Part:
    """Return a text, or a summary of the model's thoughts, which is all that the provider shows of them (RSN-8)."""
    text = r.optional(part, "text", str) or ""
    if r.optional(part, "thought", bool):
        return ir.Reasoning(text, signature(part), part, r.kept(part, THOUGHT_KEYS), True)
    return ir.Text(text, None, None, part, r.kept(part, TEXT_KEYS), seal=signature(part))


# --- media ------------------------------------------------------------------------------------------------------------


def _inline(part: Object) -> ir.Part:
    blob = r.required(part, "inlineData", dict)
    mime, data = r.required(blob, "mimeType", str), r.required(blob, "data", str)
    standard = padded(data)
    if shown_kind(mime) == "text":
        text = decoded(standard)
        if text is not None:
            return _media(part, "inlineData", mime, ir.PlainText(text, mime, blob))
    return _media(part, "inlineData", mime, ir.Inline(standard, mime, blob))


def _file(part: Object) -> ir.Part:
    file = r.required(part, "fileData", dict)
    uri, mime = r.required(file, "fileUri", str), r.optional(file, "mimeType", str)
    source = stored_or_fetched(uri, file, mime)
    return _media(part, "fileData", mime or ("video/" if uri.startswith(wire.VIDEO_SITES) else ""), source)


def _media(part: Object, key: str, mime: str, source: ir.Source) -> ir.Part:
    """Return the image, audio or video that a media type shows; all else is a document."""
    blob: Object = part[key]
    known = frozenset({"mimeType", "data" if key == "inlineData" else "fileUri"})
    kind = shown_kind(mime)
    if kind == "image":
        inner, detail = r.extra_fields(blob, known), _detail(part)
        around = {key, "thoughtSignature", *(("mediaResolution",) if detail else ())}
        nested = {key: inner, "mediaResolution": r.extra_fields(part["mediaResolution"], {"level"}) if detail else None}
        extra = r.extra_fields(part, around, nested=nested)
        return ir.Image(source, detail, None, part, extra, seal=signature(part))
    if kind == "audio":
        extra = _kept(part, key, known, around=SEALED)
        return ir.Audio(source, src=part, extra=extra, seal=signature(part))
    if kind == "video":
        return ir.Video(source, None, part, _kept(part, key, known))
    title = r.optional(blob, "displayName", str)
    return ir.Document(source, title, src=part, extra=_kept(part, key, known | {"displayName"}))


def _detail(part: Object) -> str | None:
    """Return how exactly the model looks at an image."""
    resolution = r.optional(part, "mediaResolution", dict)
    return None if resolution is None else wire.RESOLUTION.get(r.optional(resolution, "level", str) or "")


# --- functions --------------------------------------------------------------------------------------------------------

CALL_KEYS = frozenset({"id", "name", "args"})
SIGNED_CALL = SEALED | {"functionCall"}
FUNCTION_CALL = r.reader(id=str, args=dict, name=str)
RESULT_KEYS = frozenset({"id", "name", "response", "parts"})
FUNCTION_RESPONSE = r.reader(id=str, name=str, response=dict, parts=list)
IS_ERROR = {wire.OUTPUT: None, wire.FAILURE: True}  # by the documented key of a response


def _call(part: Object) -> ir.Part:
    call = r.an_object(part, "functionCall")
    identity, args, name = FUNCTION_CALL(call)
    if name is None:
        raise r.missing(call, "name")
    if identity and args is not None and len(call) == 3 and len(part) == 1:
        return ir.FunctionCall(identity, name, args, None, part)
    extra = _kept(part, "functionCall", CALL_KEYS, SIGNED_CALL)
    return ir.FunctionCall(identity or None, name, args or {}, None, part, extra, seal=signature(part))


def _result(part: Object) -> ir.Part:
    """Return the result of a function; its text is the response, or the response's value under a documented key
    (TUL-3)."""
    result = r.an_object(part, "functionResponse")
    identity, name, response, listed = FUNCTION_RESPONSE(result)
    text, failed = _response(response or {})
    content: list[ir.Part] = [] if text is None else [ir.Text(text, None, None, (result, "response"))]
    if listed:
        content += r.each_object(listed, _result_part)
    extra = _kept(part, "functionResponse", RESULT_KEYS)
    failure = compact(response or {}) if failed else None
    return ir.ToolResult(identity or "", content, failed, None, part, extra, name=name, failure=failure)


def _response(response: Object) -> tuple[str | None, bool | None]:
    """Return the text of a response, or None if it is empty, and whether it is an error."""
    if not response:
        return None, None
    key, value = next(iter(response.items()))
    if len(response) > 1 or key not in IS_ERROR or value is None:
        return compact(response), None
    return value if isinstance(value, str) else compact(response, key), IS_ERROR[key]


def compact(holder: Object, key: str | None = None) -> str:
    """Return the JSON text of an object, or of a member of it."""
    try:
        return json.dumps(
            holder if key is None else holder[key], ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
    except (TypeError, ValueError, RecursionError):
        raise Refusal("SHP-7", holder if key is None else (holder, key), "expected JSON") from None


def _result_part(part: Object) -> ir.Part:
    for key, read in (("inlineData", _inline), ("fileData", _file)):
        if part.get(key) is not None:
            return read(part)
    return ir.UnknownPart(next(iter(part), ""), part, part)


# --- what the provider runs itself ------------------------------------------------------------------------------------

CODE_KEYS, OUTPUT_KEYS = frozenset({"id", "code", "language"}), frozenset({"id", "output", "outcome"})
TOOL_CALL_KEYS, TOOL_RESULT_KEYS = frozenset({"id", "toolType", "args"}), frozenset({"id", "toolType"})


def _code(part: Object) -> ir.Part:
    run = r.required(part, "executableCode", dict)
    word, identity = r.optional(run, "language", str), r.optional(run, "id", str)
    language = wire.LANGUAGE.get(word or wire.PYTHON_CODE)
    if language is None:  # no other protocol is known to run it
        return ir.HostedCall(word or "", identity or "", part, part)
    extra = _kept(part, "executableCode", CODE_KEYS)
    return ir.CodeCall(identity or "", r.required(run, "code", str), language, None, part, extra)


def _code_result(part: Object) -> ir.Part:
    """Return the output of a code run, which is one text."""
    result = r.required(part, "codeExecutionResult", dict)
    outcome, identity = r.required(result, "outcome", str), r.optional(result, "id", str)
    output = r.optional(result, "output", str)
    known = OUTPUT_KEYS if outcome in wire.EXIT_CODE else OUTPUT_KEYS - {"outcome"}
    extra = _kept(part, "codeExecutionResult", known)
    made = ir.CodeResult(identity or "", wire.LANGUAGE[wire.PYTHON_CODE], output or "", src=part, extra=extra)
    made.exit_code = wire.EXIT_CODE.get(outcome)
    made.error = None if outcome in wire.EXIT_CODE else wire.OUTCOME_ERROR.get(outcome, outcome)
    return made


def _tool_call(part: Object) -> ir.Part:
    call = r.required(part, "toolCall", dict)
    kind, identity = r.optional(call, "toolType", str) or "", r.optional(call, "id", str) or ""
    given = r.optional(call, "args", dict) or {}
    queries = given.get(wire.QUERIES, [])
    known = isinstance(queries, list) and all(isinstance(one, str) for one in queries)
    if kind != wire.WEB_SEARCH or given.keys() - {wire.QUERIES} or not known:
        return ir.HostedCall(google.KIND_OF_RUN.get(kind, kind), identity, part, part)
    return _in_content(ir.WebSearchCall(identity, queries, None, part), "toolCall", TOOL_CALL_KEYS)


def _in_content(search: ir.WebSearchCall | ir.WebSearchResult, key: str, known: r.Known) -> ir.Part:
    """Return a search that is a part, and is kept as one; other searches are sources of the text."""
    search.extra = r.kept(search.src, ALONE | {key})
    r.keep(search, key, r.rest(search.src[key], known) or {})
    return search


def _tool_response(part: Object) -> ir.Part:
    """Return the result of a tool; that of a web search is markup, and its pages are sources of the text."""
    result = r.required(part, "toolResponse", dict)
    kind, identity = r.optional(result, "toolType", str) or "", r.optional(result, "id", str) or ""
    if kind != wire.WEB_SEARCH:
        return ir.HostedResult(google.KIND_OF_RUN.get(kind, kind), identity, part, part)
    return _in_content(ir.WebSearchResult(identity, [], None, None, part), "toolResponse", TOOL_RESULT_KEYS)


READERS: dict[str, Callable[[Object], ir.Part]] = {
    "text": _text,
    "inlineData": _inline,
    "fileData": _file,
    "functionCall": _call,
    "functionResponse": _result,
    "executableCode": _code,
    "codeExecutionResult": _code_result,
    "toolCall": _tool_call,
    "toolResponse": _tool_response,
    "audioTranscription": lambda part: ir.VendorPart("audioTranscription", part, part),
}
DESCRIPTIONS = SHAPES["Part"].known - READERS.keys()
"""The members that a part may have in addition to its data."""


# --- tools ------------------------------------------------------------------------------------------------------------
# Tools of generateContent: definitions, and the choice among them (TUL-6).


def read_tools(listed: list[Json]) -> list[ir.Tool]:
    """Return the tools of an array, whose objects hold any number of them, each member one or several; functions
    first."""
    found: list[ir.Tool] = []

    def read(tool: Object) -> None:
        if not all(isinstance(key, str) for key in tool):
            raise Refusal("SHP-7", tool, "expected strings as the names of members")
        ranked = tool if len(tool) == 1 else sorted(tool, key=lambda key: (RANKS.get(key, len(RANKS)), key))
        for key in ranked:  # members have no order of their own
            if tool[key] is not None:
                found.extend(TOOL_READERS.get(key, _unknown)(tool, key))

    r.each_object(listed, read)
    return found


FUNCTION_KEYS = frozenset({"name", "description", "parametersJsonSchema", "parameters"})
FUNCTION = r.reader(name=str, description=str, parametersJsonSchema=dict, parameters=dict)


def _function(declared: Object) -> ir.Tool:
    """Return a function; its parameters are a JSON Schema, or a schema in the form of OpenAPI."""
    name, description, schema, older = FUNCTION(declared)
    if name is None:
        raise r.missing(declared, "name")
    if schema is not None and older is not None:
        raise Refusal("SHP-4", (declared, "parameters"), "expected `parameters` or `parametersJsonSchema`, found both")
    if schema is not None:
        schema = any_schema(schema)
    made = ir.FunctionTool(name, description, schema, src=declared, extra=r.kept(declared, FUNCTION_KEYS))
    if older is not None:
        made.parameters = json_schema(older)
    return made


def json_schema(schema: Object) -> Object:
    """Return the JSON Schema of a schema in OpenAPI's form; renamed members keep their places."""
    kind = schema.get("type")
    known = kind.lower() in TYPES or kind == NO_TYPE if isinstance(kind, str) else kind in range(len(NUMBERED))
    if isinstance(kind, (str, int)) and not known:
        raise r.wrong(schema, "type", "one of " + ", ".join(TYPES.values()), "SHP-3")
    return normalised(schema, r.respelled)


def _search(tool: Object, key: str) -> list[ir.Tool]:
    search = r.required(tool, key, dict)
    blocked, types = r.strings(search, "excludeDomains"), r.optional(search, "searchTypes", dict)
    known = {"excludeDomains"}
    searches = [wire.ENTERPRISE] if key == wire.ENTERPRISE_TOOL else None
    if types and all(name in wire.SEARCHES and types[name] == {} for name in types):
        searches = [wire.SEARCHES[name] for name in types]
        known.add("searchTypes")
    extra = r.extra_fields(search, known)
    return [ir.WebSearchTool(key, blocked_domains=blocked, src=(tool, key), extra=extra, searches=searches)]


def _server(server: Object) -> ir.Tool:
    transport = r.required(server, "streamableHttpTransport", dict)
    headers = r.optional(transport, "headers", dict)
    token, others = token_in(headers)
    inner = r.extra_fields(transport, {"url", "headers"})
    extra = r.extra_fields(server, {"name", "streamableHttpTransport"}, nested={"streamableHttpTransport": inner})
    name, url = r.required(server, "name", str), r.required(transport, "url", str)
    return ir.McpServer(name, url, token, None, server, extra, http_headers=others)


def _each(read: Callable[[Object], ir.Tool]) -> Callable[[Object, str], list[ir.Tool]]:
    return lambda tool, key: r.each_object(r.required(tool, key, list), read)


def _hosted(tool: Object, key: str) -> list[ir.Tool]:
    return [ir.HostedTool(key, None, {key: tool[key]}, (tool, key))]


def _unknown(tool: Object, key: str) -> list[ir.Tool]:
    return [ir.UnknownTool(key, {key: tool[key]}, (tool, key))]


TOOL_READERS: dict[str, Callable[[Object, str], list[ir.Tool]]] = {
    wire.FUNCTIONS: _each(_function),
    **dict.fromkeys(wire.SEARCH_TOOLS, _search),
    wire.CODE_TOOL: lambda tool, key: [
        ir.CodeTool(key, src=(tool, key), extra=r.extra_fields(r.required(tool, key, dict), set()))
    ],
    wire.MCP_SERVERS: _each(_server),
    **dict.fromkeys(wire.HOSTED_TOOLS, _hosted),
    wire.CLIENT_TOOL: lambda tool, key: [ir.ClientTool(key, {key: tool[key]}, None, None, (tool, key))],
}
RANKS = {key: rank for rank, key in enumerate(TOOL_READERS)}


# --- the choice among them --------------------------------------------------------------------------------------------


def read_choice(config: Object) -> tuple[ir.ToolChoice | None, set[str]]:
    """Return the choice that a `functionCallingConfig` states, and the members that it was read from."""
    word, names = r.optional(config, "mode", str), r.strings(config, "allowedFunctionNames")
    mode = wire.MODE.get(word or "AUTO")
    if mode is None or (word is None and not names):
        return None, set()
    known = {"mode", "allowedFunctionNames"}
    if not names or mode is ir.ChoiceMode.NONE:
        return ir.Choice(mode, config), {"mode"}
    if mode is not ir.ChoiceMode.REQUIRED:  # the model need not call any
        made = ir.AllowedChoice(mode, [("function", name) for name in names], config)
        if mode is ir.ChoiceMode.AUTO:
            r.keep(made, "mode", word or "AUTO")
        return made, known
    if len(names) == 1:
        return ir.NamedChoice(names[0], config), known
    return ir.AllowedChoice(mode, [("function", name) for name in names], config), known


# --- ids --------------------------------------------------------------------------------------------------------------
# Ids for calls that a payload of generateContent has no ids for: functions in responses, and what the provider runs.


def key_of(body: Object) -> str:
    """Return what distinguishes the ids of a response's calls: the response's own id, or a checksum of its model and
    time."""
    identity = body.get("responseId")
    if identity:
        return str(identity)
    text = f"{body.get('modelVersion')} {body.get('createTime')}"
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


ID = {
    ir.CodeCall: ("code", "id"),
    ir.CodeResult: ("code", "call_id"),
    ir.WebSearchCall: ("search", "id"),
    ir.WebSearchResult: ("search", "call_id"),
}
"""Parts that the provider ran, and their results: what ran, and the field with the id of the call."""
RUNS = ID.keys()


class RunIds:
    """Gives ids to what the provider ran itself, part by part; a result belongs to the last call before it."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._count = 0
        self._last: dict[str, str] = {}

    def give(self, part: ir.Part) -> None:
        count = self._count
        self._count += 1
        what, field = ID.get(type(part), ("", ""))
        if not what:
            return
        called = "" if field == "id" else self._last.get(what)
        identity = getattr(part, field) or called or f"run_{self._plain()}_{count}"
        setattr(part, field, identity)
        if field == "id":
            self._last[what] = identity

    def _plain(self) -> str:
        """Return the key with underscores for hyphens, which ids of what the provider runs do not have elsewhere."""
        return self._key.replace("-", "_")


class CallIds(RunIds):
    """Gives ids to all calls of a candidate; `search` is the id of a search that it reports apart from its content."""

    def __init__(self, key: str, position: int) -> None:
        super().__init__(f"{key}_{position}" if position else key)
        self._calls = 0

    @property
    def search(self) -> str:
        return f"search_{self._plain()}"

    def give(self, part: ir.Part) -> None:
        if isinstance(part, ir.FunctionCall):
            part.id = part.id or r.response_call_id(self._key, self._calls)
            self._calls += 1
        super().give(part)
