"""What every server of Gemini's generateContent refuses: the Gemini API and Vertex AI, 2.5 and later."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from . import gemini_schemas
from .support import Check, Headers, Json, out_of, unknown, words

# Discovery of the Gemini API (v1beta), and what google-genai 3.4 sends to it; both servers have these.
REQUEST = words(
    """
    cachedContent contents generationConfig model safetySettings serviceTier systemInstruction toolConfig tools
    continuationToken
    """
)
DATA = words("text inlineData fileData functionCall functionResponse executableCode codeExecutionResult")
PART = DATA | words("thought thoughtSignature videoMetadata mediaResolution")
CALL = words("id name args")
RESPONSE = words("id name response parts scheduling")
DECLARATION = words("name description parameters parametersJsonSchema response responseJsonSchema behavior")
TOOLS = words("functionDeclarations googleSearch googleSearchRetrieval codeExecution urlContext googleMaps computerUse")
CONFIG = words(
    """
    candidateCount enableAffectiveDialog enableEnhancedCivicAnswers frequencyPenalty imageConfig logprobs
    maxOutputTokens mediaResolution presencePenalty responseFormat responseJsonSchema responseLogprobs responseMimeType
    responseModalities responseSchema seed speechConfig stopSequences temperature thinkingConfig topK topP
    translationConfig audioTranscriptionConfig _responseJsonSchema
    """
)
THINKING = words("includeThoughts thinkingBudget thinkingLevel")
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}")
BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
FETCHED = re.compile(r"(https?|gs)://")
MEDIA = re.compile(
    r"image/(png|jpeg|webp|heic|heif)|audio/.+|video/.+|application/pdf|text/.+|application/(x-javascript|x-python|rtf)"
)
SNAKE = re.compile(r"_([a-z])")


def camel(value: Json) -> Json:
    """An object by the names of its JSON form; the servers take the names of the proto as well (proto3 JSON)."""
    if not isinstance(value, dict):
        return value
    return {name if name[0] == "_" else SNAKE.sub(lambda at: at[1].upper(), name): one for name, one in value.items()}


def listed(value: Json) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def contents(request: Json) -> list[tuple[str, Json]]:
    """Every turn, with its place: the system instruction and the contents."""
    request = camel(request)
    found = [(f"contents[{at}]", one) for at, one in enumerate(listed(request.get("contents")))]
    system = request.get("systemInstruction")
    return [*([("systemInstruction", system)] if isinstance(system, dict) else []), *found]


def parts(content: Json) -> list[dict[str, Any]]:
    return [camel(one) for one in listed(camel(content).get("parts"))]


def placed_parts(request: Json) -> Iterator[tuple[str, dict[str, Any]]]:
    for where, content in contents(request):
        yield from ((f"{where}.parts[{at}]", part) for at, part in enumerate(parts(content)))


def tools(request: Json) -> list[dict[str, Any]]:
    return [camel(one) for one in listed(camel(request).get("tools"))]


def declarations(request: Json) -> Iterator[tuple[str, dict[str, Any]]]:
    for at, tool in enumerate(tools(request)):
        for of, one in enumerate(listed(tool.get("functionDeclarations"))):
            yield f"tools[{at}].functionDeclarations[{of}]", camel(one)


def config(request: Json) -> dict[str, Any]:
    return camel(camel(request).get("generationConfig")) or {}


def calling(request: Json) -> dict[str, Any] | None:
    found = camel(camel(camel(request).get("toolConfig")) or {}).get("functionCallingConfig")
    return None if found is None else camel(found)


def has_functions(request: Json) -> bool:
    return any(True for _ in declarations(request))


def has_built_in_tools(request: Json) -> bool:
    return any(tool.keys() - {"functionDeclarations"} for tool in tools(request))


# error: "Invalid JSON payload received. Unknown name \"labels\": Cannot find field."; the place is in the message.
def unknown_name(known: dict[str, frozenset[str]]) -> Check:
    """A check of the members of a request, by the names of its objects."""

    def unknown_name(request: Json, headers: Headers) -> Iterator[str]:
        yield from unknown(camel(request), known["request"], "request")
        yield from unknown(config(request), known["config"], "generationConfig")
        yield from unknown(camel(config(request).get("thinkingConfig")), THINKING, "thinkingConfig")
        yield from unknown(camel(camel(request).get("toolConfig")), known["toolConfig"], "toolConfig")
        for where, content in contents(request):
            yield from unknown(camel(content), words("role parts"), where)
        for where, part in placed_parts(request):
            yield from unknown(part, known["part"], where)
            yield from unknown(camel(part.get("functionCall")), known["call"], f"{where}.functionCall")
            yield from unknown(camel(part.get("functionResponse")), known["response"], f"{where}.functionResponse")
        for at, tool in enumerate(tools(request)):
            yield from unknown(tool, known["tools"], f"tools[{at}]")
            yield from unknown(camel(tool.get("googleSearch")), known["search"], f"tools[{at}].googleSearch")
        for where, one in declarations(request):
            yield from unknown(one, DECLARATION, where)

    return unknown_name


# error: "* GenerateContentRequest.contents: contents is not specified".
def no_contents(request: Json, headers: Headers) -> Iterator[str]:
    if not listed(request.get("contents")):
        yield "contents"


# error: "Please use a valid role: user, model." A single turn may leave it out; "function" is of older models.
def role(request: Json, headers: Headers) -> Iterator[str]:
    turns = listed(request.get("contents"))
    for at, content in enumerate(turns):
        given = content.get("role")
        if given not in ("user", "model", "function") and (given is not None or len(turns) > 1):
            yield f"contents[{at}]: {given}"


# error: "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty", on Vertex AI "Unable to submit
# request because it must include at least one parts field".
def empty_parts(request: Json, headers: Headers) -> Iterator[str]:
    for where, content in contents(request):
        if not parts(content):
            yield where


# error: "parts[0].data: required oneof field 'data' must have one initialized field", "oneof field 'data' is already
# set. Cannot set 'inlineData'".
def data(known: frozenset[str]) -> Check:
    def data(request: Json, headers: Headers) -> Iterator[str]:
        for where, part in placed_parts(request):
            given = sorted(known & part.keys())
            if len(given) != 1:
                yield f"{where}: {' and '.join(given) or 'nothing'}"

    return data


def made(content: Json) -> list[dict[str, Any]]:
    return [camel(part["functionCall"]) for part in parts(content) if "functionCall" in part]


def answered(content: Json) -> list[dict[str, Any]]:
    return [camel(part["functionResponse"]) for part in parts(content) if "functionResponse" in part]


def joined(request: Json) -> list[Json]:
    """Turns of one role that follow each other are one turn (recorded requests)."""
    turns: list[Json] = []
    for content in listed(request.get("contents")):
        role = "model" if content.get("role") == "model" else "user"
        if turns and turns[-1]["role"] == role:
            turns[-1]["parts"] += parts(content)
        else:
            turns.append({"role": role, "parts": parts(content)})
    return turns


# error: "Please ensure that the number of function response parts is equal to the number of function call parts of the
# function call turn", "… function response turn comes immediately after a function call turn".
def unpaired(request: Json, headers: Headers) -> Iterator[str]:
    calls: list[dict[str, Any]] = []
    for at, turn in enumerate(joined(request)):
        given = answered(turn)
        if sorted(one.get("name", "") for one in calls) != sorted(one.get("name", "") for one in given):
            yield f"turn {at}: {len(given)} responses to {len(calls)} calls, or of other names"
        calls = made(turn)
    if calls:
        yield f"no responses to {len(calls)} calls"


# error: "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
def call_first(request: Json, headers: Headers) -> Iterator[str]:
    for first in joined(request)[:1]:
        if made(first):
            yield "calls in the first turn"


# error: "function_response.name: Name cannot be empty", "Invalid value at '….function_response.response'
# (type.googleapis.com/google.protobuf.Struct)".
def function_data(request: Json, headers: Headers) -> Iterator[str]:
    for where, part in placed_parts(request):
        for member, value in (("functionCall", "args"), ("functionResponse", "response")):
            one = camel(part.get(member))
            if one is None:
                continue
            if not one.get("name"):
                yield f"{where}.{member}.name"
            if not isinstance(one.get(value, {}), dict):
                yield f"{where}.{member}.{value} is no object"


# error: "function_declarations[20].name: Invalid function name. Must start with a letter or an underscore. Must be
# alphameric (a-z, A-Z, 0-9), underscores (_), dots (.) or dashes (-), with a maximum length of 64."
def tool_name(request: Json, headers: Headers) -> Iterator[str]:
    for where, one in declarations(request):
        if not NAME.fullmatch(one.get("name", "")):
            yield f"{where} {one.get('name')!r}"


# error: "Duplicate function declaration found: f".
def repeated_tool(request: Json, headers: Headers) -> Iterator[str]:
    names = [one.get("name", "") for _, one in declarations(request)]
    yield from sorted({name for name in names if names.count(name) > 1})


# error: "tools[0].tool_type: required one_of 'tool_type' must have one initialized field".
def empty_tool(request: Json, headers: Headers) -> Iterator[str]:
    for at, tool in enumerate(tools(request)):
        if not any(value or name != "functionDeclarations" for name, value in tool.items()):
            yield f"tools[{at}]"


# error: "Function calling config is set without function_declarations.", unless there are built-in tools and no names
# (recorded requests); SDK, FunctionCallingConfig: the allowed names "only set when the Mode is ANY" (VALIDATED takes
# them, too) "should match FunctionDeclaration.name".
def choice(request: Json, headers: Headers) -> Iterator[str]:
    wanted = calling(request)
    if wanted is None:
        return
    if not tools(request):
        yield "without tools"
    names = {one.get("name") for _, one in declarations(request)}
    allowed = wanted.get("allowedFunctionNames") or []
    if allowed and str(wanted.get("mode")).upper() not in ("ANY", "VALIDATED"):
        yield f"names with the mode {wanted.get('mode')}"
    yield from (f"no function {one!r}" for one in allowed if one not in names)


# SDK, FunctionDeclaration and GenerateContentConfig: "This field is mutually exclusive with `parameters`",
# "If set, `response_schema` must be omitted".
def both_schemas(request: Json, headers: Headers) -> Iterator[str]:
    for where, one in declarations(request):
        yield from (f"{where}.{pair[0]}" for pair in gemini_schemas.PAIRS if one.keys() >= {*pair})
    if config(request).keys() >= {"responseSchema", "responseJsonSchema"}:
        yield "generationConfig"


def proto_schemas(request: Json) -> Iterator[tuple[str, Json]]:
    """Every schema that is a `Schema` message, not JSON Schema."""
    for where, one in declarations(request):
        yield from ((f"{where}.{key}", one[key]) for key in ("parameters", "response") if key in one)
    if "responseSchema" in config(request):
        yield "generationConfig.responseSchema", config(request)["responseSchema"]


def schema(known: frozenset[str]) -> Check:
    """A check of `Schema` messages, whose members are these."""

    def schema(request: Json, headers: Headers) -> Iterator[str]:
        for where, one in proto_schemas(request):
            yield from gemini_schemas.misfits(one, where, known)

    return schema


# error: "functionDeclaration parameters schema should be of type OBJECT"; SDK, FunctionDeclaration: "The schema must
# describe an object where the properties are the parameters to the function".
def parameters(request: Json, headers: Headers) -> Iterator[str]:
    for where, one in declarations(request):
        for key in ("parameters", "parametersJsonSchema"):
            given = one.get(key)
            if given is not None and not gemini_schemas.is_object(given):
                yield f"{where}.{key}"


# SDK, GenerateContentConfig: "If set, a compatible response_mime_type must also be set. Compatible mimetypes:
# `application/json`" (`text/x.enum` too, for a schema of words).
def response_type(request: Json, headers: Headers) -> Iterator[str]:
    of = config(request)
    if of.keys() & {"responseSchema", "responseJsonSchema", "_responseJsonSchema"}:
        if of.get("responseMimeType") not in ("application/json", "text/x.enum"):
            yield repr(of.get("responseMimeType"))


# error: "You can only set only one of thinking budget and thinking level."
def thinking(request: Json, headers: Headers) -> Iterator[str]:
    if camel(config(request).get("thinkingConfig") or {}).keys() >= {"thinkingBudget", "thinkingLevel"}:
        yield "thinkingBudget and thinkingLevel"


LIMITS = {"temperature": (0, 2), "topP": (0, 1), "candidateCount": (1, 8), "logprobs": (0, 20)}


# Documentation of GenerationConfig: the ranges, "up to 5 character sequences", `logprobs` "only valid if
# responseLogprobs=True".
def out_of_range(request: Json, headers: Headers) -> Iterator[str]:
    of = config(request)
    yield from (name for name, (least, most) in LIMITS.items() if out_of(of.get(name), least, most))
    if len(listed(of.get("stopSequences"))) > 5:
        yield "stopSequences"
    if of.get("maxOutputTokens") is not None and of["maxOutputTokens"] < 1:
        yield "maxOutputTokens"
    if of.get("logprobs") is not None and not of.get("responseLogprobs"):
        yield "logprobs without responseLogprobs"


# error: "Penalty is not enabled for this model", for any value but 0 and every model since 2.5.
def penalties(request: Json, headers: Headers) -> Iterator[str]:
    yield from (name for name in ("presencePenalty", "frequencyPenalty") if config(request).get(name))


def media(request: Json) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every blob and file: of the parts, and of the parts of function responses."""
    for where, part in placed_parts(request):
        inner = [camel(one) for one in listed(camel(part.get("functionResponse") or {}).get("parts"))]
        for one in (part, *inner):
            yield from ((f"{where}.{key}", camel(one[key])) for key in ("inlineData", "fileData") if key in one)


# error: "Unsupported MIME type: image/gif", "… application/json"; documentation of images, audio, video and documents.
# A blob needs its type ("must have a mimeType parameter").
def mime_type(request: Json, headers: Headers) -> Iterator[str]:
    for where, one in media(request):
        given = one.get("mimeType")
        if given is None and where.endswith("fileData"):
            continue
        if not isinstance(given, str) or not MEDIA.fullmatch(given.partition(";")[0]):
            yield f"{where}: {given}"


# error: "Unsupported file uri: …", "Cannot fetch content from the provided URL."; documentation of file inputs: files
# of the Files API, https URLs, YouTube, gs://.
def file_uri(request: Json, headers: Headers) -> Iterator[str]:
    for where, one in media(request):
        if where.endswith("fileData") and not FETCHED.match(one.get("fileUri") or ""):
            yield f"{where}: {one.get('fileUri')}"


# error: "Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed".
def base64_data(request: Json, headers: Headers) -> Iterator[str]:
    for where, part in placed_parts(request):
        if not BASE64.fullmatch(part.get("thoughtSignature") or ""):
            yield f"{where}.thoughtSignature"
    for where, one in media(request):
        if "data" in one and not BASE64.fullmatch(one["data"]):
            yield where


# error: "Corrupted thought signature." It is base64 of bytes, never of a text with fields.
def corrupted(request: Json, headers: Headers) -> Iterator[str]:
    for where, part in placed_parts(request):
        signed = part.get("thoughtSignature")
        if signed is None:
            continue
        data = b64decode(signed.translate(URL_SAFE) + "==") if BASE64.fullmatch(signed) else b"."
        if b"." in data and data.isascii():
            yield where


URL_SAFE = str.maketrans("-_", "+/")
CHECKS: tuple[Check, ...] = (
    no_contents,
    role,
    empty_parts,
    unpaired,
    call_first,
    function_data,
    tool_name,
    repeated_tool,
    empty_tool,
    choice,
    both_schemas,
    parameters,
    response_type,
    thinking,
    out_of_range,
    penalties,
    mime_type,
    file_uri,
    base64_data,
    corrupted,
)
