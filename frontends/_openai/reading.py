"""Readers that OpenAI's protocols share: addresses, cache markers, log probabilities, settings, errors."""

from __future__ import annotations

import re
from collections.abc import Mapping

import orjson

from proxai_ir import ir
from proxai_ir.frontends._lib.settings import CACHING, SERVICE, Read, setting
from proxai_ir.ir.error import Error, ErrorCategory, judged, refined
from proxai_ir.wire import openai

from .._lib import reading as r
from .._lib.reading import Json, Object

# --- parts ------------------------------------------------------------------------------------------------------------

MARKER = "prompt_cache_breakpoint"


def marker(part: Object) -> tuple[ir.Cache | None, ir.Extra | None]:
    """Return a part's cache marker, and its members that the IR cannot express."""
    value = r.optional(part, MARKER, dict)
    if value is None:
        return None, None
    r.constant(value, "mode", "explicit")
    ttl = r.optional(value, "ttl", str)
    unknown = None if ttl is None or ttl in openai.MARKER_TTL else ir.Extra({"ttl": ttl})
    return ir.Cache(openai.MARKER_TTL.get(ttl or ""), value, r.extra_fields(value, {"mode", "ttl"})), unknown


def media(url: str, holder: Json) -> ir.Source:
    """Return the data of a base64 data URL, or another URL as it is."""
    if url.startswith("data:"):
        head, comma, data = url.partition(";base64,")
        mime = head[5:]
        if ";" in mime:
            mime = _bare(mime)
        if comma and mime:
            return ir.Inline(unwrapped(data), mime, holder)
    return ir.Url(url, holder)


def _bare(mime: str) -> str:
    """Return a media type without its parameters; a text type keeps an encoding other than UTF-8."""
    kind, _, parameters = mime.partition(";")
    return kind if not kind.startswith("text/") or UTF_8.fullmatch(parameters) else mime


UTF_8 = re.compile(r"\s*(charset=\"?(utf-?8|us-ascii)\"?)?\s*", re.IGNORECASE)
PDF, PDF_BEGINS = "application/pdf", "JVBERi"  # Base64 of "%PDF"


def unwrapped(data: str) -> str:
    """Return base64 data without the white space that splits them into lines."""
    return "".join(data.split()) if "\n" in data or "\r" in data or " " in data else data


def file_data(value: str, name: Json, holder: Json) -> ir.Source:
    """Return the data of a file: a data URL, or base64 whose media type is that of the file's name or first bytes."""
    found = media(value, holder)
    if isinstance(found, ir.Inline):
        return found
    return ir.Inline(unwrapped(value), r.type_of_file(name) or (PDF if value.startswith(PDF_BEGINS) else None), holder)


def stored(identity: str, holder: Json) -> ir.Source:
    """Return a reference to a file that was uploaded before."""
    return ir.FileRef(identity, holder, None, openai.PROVIDER)


# --- log probabilities ------------------------------------------------------------------------------------------------

TOKEN_KEYS = frozenset({"token", "logprob", "bytes", "top_logprobs"})
INTEGERS = frozenset({int})


def scored_tokens(values: Json) -> list[ir.ScoredToken] | None:
    """Return tokens with their log probabilities, or None if a value is not as the official types declare it."""
    if not isinstance(values, list):
        return None
    tokens: list[ir.ScoredToken] = []
    for value in values:
        token = _token(value)
        if token is None:
            return None
        tokens.append(token)
    return tokens


def _token(value: Json) -> ir.ScoredToken | None:
    if not isinstance(value, dict):
        return None
    text, score, raw = value.get("token"), value.get("logprob"), value.get("bytes")
    if not isinstance(text, str) or not isinstance(score, (float, int)) or isinstance(score, bool):
        return None
    if raw is not None and not (isinstance(raw, list) and INTEGERS.issuperset(map(type, raw))):
        return None
    likeliest = value.get("top_logprobs")
    top = None if likeliest is None else scored_tokens(likeliest)
    if top is None and likeliest is not None:
        return None
    return ir.ScoredToken(text, score, raw, top, None, value, r.kept(value, TOKEN_KEYS))


# --- times ------------------------------------------------------------------------------------------------------------

SECONDS = re.compile(r"[0-9]{1,12}").fullmatch


def whole_seconds(payload: Object, key: str) -> int | None:
    """Return a time in whole seconds; some servers write it with a fraction, or as a string."""
    value = payload.get(key)
    if value is None or type(value) is int:
        return value
    if isinstance(value, str) and SECONDS(value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise r.wrong(payload, key, "a number")
    if value != value or value in (float("inf"), float("-inf")):
        raise r.wrong(payload, key, "a finite number")
    return int(value)


# --- settings ---------------------------------------------------------------------------------------------------------


def cache_options(lifetimes: Mapping[str, int]) -> Read:
    """Return a reader of `prompt_cache_options`; `lifetimes` has the seconds of each lifetime's word."""

    def read(request: ir.Request, payload: Object) -> None:
        options = r.required(payload, "prompt_cache_options", dict)
        caching = CACHING(request, payload)
        mode, ttl = r.optional(options, "mode", str), r.optional(options, "ttl", str)
        kept = r.rest(options, {"mode", "ttl"}) or {}
        if mode in ("implicit", "explicit"):
            caching.automatic = mode == "implicit"
        elif mode is not None:
            kept["mode"] = mode
        if ttl is not None and ttl in lifetimes:
            caching.lifetime = lifetimes[ttl]
        elif ttl is not None:
            kept["ttl"] = ttl
        if kept:
            r.keep(request, "prompt_cache_options", kept)

    return read


def limit(first: str, *others: str) -> dict[str, Read]:
    """Return the readers of the output limit by its names: the first that is present counts, and a different limit
    under a later name is kept."""

    def other(name: str, before: tuple[str, ...]) -> Read:
        def read(request: ir.Request, payload: Object) -> None:
            counts = next((payload[one] for one in before if payload.get(one) is not None), None)
            value = r.optional(payload, name, int)
            if counts is None:
                request.max_tokens = value
            elif counts != value:
                r.keep(request, name, value)

        return read

    later = {name: other(name, (first, *others[:at])) for at, name in enumerate(others)}
    return {first: setting(None, "max_tokens", first, int), **later}


def end_user(request: ir.Request, payload: Object) -> None:
    """Read `safety_identifier` and the older `user`, which mean the same; if both are present, both are kept."""
    new, old = r.optional(payload, "safety_identifier", str), r.optional(payload, "user", str)
    service = SERVICE(request, payload)
    service.end_user = old if new is None else new
    if new is not None and old is not None:
        service.user = old


def moderation(request: ir.Request, payload: Object) -> None:
    """Read `moderation`, which has one form in all protocols of the vendor; another form is kept (MOD-1)."""
    value = payload["moderation"]
    if isinstance(value, dict) and isinstance(value.get("model"), str) and value.keys() <= {"model", "policy"}:
        SERVICE(request, payload).moderation = value
    else:
        r.keep(request, "moderation", value)


def settings(lifetimes: Mapping[str, int]) -> dict[str, Read]:
    """Return the readers of the settings that both protocols have; `lifetimes` as in `cache_options`."""
    return {
        "model": setting(None, "model", "model", str),
        "parallel_tool_calls": setting(None, "parallel_tools", "parallel_tool_calls", bool),
        "prompt_cache_key": setting(CACHING, "key", "prompt_cache_key", str),
        "prompt_cache_options": cache_options(lifetimes),
        "prompt_cache_retention": setting(CACHING, "retention", "prompt_cache_retention", str),
        "safety_identifier": end_user,
        "user": end_user,
        "store": setting(SERVICE, "store", "store", bool),
        "moderation": moderation,
    }


# --- errors -----------------------------------------------------------------------------------------------------------

KNOWN = frozenset({"message", "type", "param", "code"})
HTTP_STATUS = re.compile(r"[45][0-9]{2}").fullmatch  # as a code, which some servers have as a string


def lower_error(protocol: str, payload: Object | list[Json], status: int | None) -> Error:
    """Return the error of a body; the category is that of its code or type, else of the HTTP status, else of a generic
    code or type (ERR-10).

    The body is `{"error": {"message", "type", "param", "code"}}`, the same without its envelope, or with a text as
    `error`; Google has it as the one element of an array.
    """
    if isinstance(payload, list):
        return r.from_array(protocol, payload, status, lambda body: lower_error(protocol, body, status))
    return r.read_or_keep(protocol, payload, status, lambda: _read(protocol, payload, status))


def error_of_choice(protocol: str, payload: Object, error: Object) -> Error:
    """Return the error of a response's only choice; the response is kept for this protocol as it is."""

    def read() -> Error:
        found = _of_members(protocol, payload, error, None)
        found.extra = r.kept(payload, frozenset())
        return found

    return r.read_or_keep(protocol, payload, None, read)


def _read(protocol: str, payload: Object, status: int | None) -> Error:
    error = payload.get("error")
    if isinstance(error, str):
        found = _of_members(protocol, payload, {**payload, "message": error}, status)
        found.extra = r.kept(payload, {"error"} | (_known(found, payload) - {"message"}))
        return found
    if error is None and "message" in payload:
        found = _of_members(protocol, payload, payload, status)
        found.extra = r.kept(payload, _known(found, payload))
        return found
    if not isinstance(error, dict):
        raise r.missing(payload, "error") if error is None else r.wrong(payload, "error", "an object")
    found = _of_members(protocol, payload, error, status)
    known, nested = _known(found, error), {}
    if (
        "message" in known and found.message != error["message"]
    ):  # which only says that the provider's own stands within
        known -= {"message"}
        nested = {"metadata": r.extra_fields(error["metadata"], {"raw"})}
    inner = r.extra_fields(error, known | nested.keys(), nested=nested)
    found.extra = r.extra_fields(payload, {"error"}, nested={"error": inner})
    return found


def _known(found: Error, error: Object) -> frozenset[str]:
    """Return the members that an error was read from, without a type or a code that was not used, or a message that is
    no text."""
    unread = {key for key in ("type", "code") if getattr(found, key) is None}
    return KNOWN - unread - ({"message"} if isinstance(error.get("message"), (dict, list)) else set())


def _of_members(protocol: str, payload: Object, error: Object, status: int | None) -> Error:
    message, kind, code = error.get("message"), error.get("type"), error.get("code")
    if isinstance(message, (dict, list)) and message:  # Mistral: what is wrong with each member
        message = r.json_text(error, "message")
    if not isinstance(message, str):
        raise r.missing(error, "message") if message is None else r.wrong(error, "message", "a string")
    if code is not None and not isinstance(code, str) and (type(code) is not int or code.bit_length() > 64):
        raise r.wrong(error, "code", "a string or an integer")
    for key in ("type", "param"):
        if not isinstance(error.get(key), (str, type(None))):
            raise r.wrong(error, key, "a string")
    own = _passed_on(error)
    message = own.get("message", message)
    stated = _status_of(code)
    if stated is None:
        listed = (_status_of(holder.get(key)) for holder in (error, payload) for key in STATUSES)
        stated = next(filter(None, listed), status)
    named = (code, kind, error.get("error_type"), payload.get("error_type"), own.get("code"), own.get("type"))
    words = [word for word in named if isinstance(word, str)]
    specific = next(filter(None, (*map(_named, words), *map(_numbered, (error, own)))), None)
    generic = next((openai.ERROR_TYPE[word] for word in words if word in openai.GENERIC), None)
    category = refined(judged([specific], stated, generic), message)
    known = kind in openai.ERROR_TYPE or _named(kind or "") is not None
    word = kind if known else None
    if specific is None and category not in (generic, ErrorCategory.CONTEXT_LENGTH):  # the status says otherwise
        word = None if word in openai.GENERIC else word
        code = None if code in openai.GENERIC else code
    found = Error(protocol, category, message, word, code, error.get("param"), status=status, src=payload)
    delay = error.get("resets_in_seconds")
    if isinstance(delay, (int, float)) and not isinstance(delay, bool) and 0 <= delay < LONGEST_DELAY:
        found.retry_after = delay
    return found


def _passed_on(error: Object) -> Object:
    """Return the provider's own error, which a router passes on as text if its own message says nothing
    (OpenRouter)."""
    metadata, message = error.get("metadata"), error.get("message")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if not isinstance(raw, str) or not raw.strip() or message not in openai.NO_WORDS:
        return {}
    try:
        inner = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return {"message": raw}
    inner = inner.get("error", inner) if isinstance(inner, dict) else inner
    return inner if isinstance(inner, dict) and isinstance(inner.get("message"), str) else {"message": raw}


STATUSES = ("status", "status_code", "statusCode", "raw_status_code")  # of events, Azure's gateways, Mistral
LONGEST_DELAY = 10**9  # seconds


def _status_of(value: Json) -> int | None:
    """Return the HTTP status that a code, or a member next to the error, is; some servers write it as a string."""
    if isinstance(value, str) and HTTP_STATUS(value):
        return int(value)
    return value if type(value) is int and 400 <= value < 600 else None


def _numbered(error: Object) -> ErrorCategory | None:
    """Return the category of an error that a number alone names, without a type."""
    code = error.get("code")
    return openai.NUMBERED.get(code) if isinstance(code, str) and error.get("type") is None else None


def _named(word: str) -> ErrorCategory | None:
    """Return the category that a word names, or None if servers use the word for errors of every kind."""
    found = openai.ERROR_CODE.get(word) or openai.ERROR_CODE.get(word.partition(":")[0])
    return found or (None if word in openai.GENERIC else openai.ERROR_TYPE.get(word))
