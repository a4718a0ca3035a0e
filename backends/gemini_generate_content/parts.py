"""Parts and turns as contents of generateContent: canonical output, from a legal tree."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from proxai_ir import ir
from proxai_ir.binding.server import Server
from proxai_ir.ir.envelope import holds_envelope
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google

from .._google.writing import signature
from .._lib.writing import Object, arguments, base64_of, put, raw, with_extra

BETWEEN_TEXTS = "\n"


class Contents:
    """Writes the turns of one conversation.

    names  of the functions that were called, by the id of the call: results need them as well (TUL-3)
    """

    def __init__(self, server: Server) -> None:
        self._ids = server.call_ids
        self._names: dict[str | None, str] = {}

    def content(self, turn: Turn) -> Object:
        role = wire.MODEL if turn.role is ASSISTANT else wire.USER
        built: Object = {"role": role, "parts": self.parts(turn.parts)}
        return with_extra(built, turn)

    def parts(self, parts: list[ir.Part]) -> list[Object]:
        made: list[Object] = []
        for part in parts:
            cls = type(part)
            if cls is ir.Text and part.extra is None and part.seal is None:  # type: ignore[union-attr]
                made.append({"text": part.text})  # type: ignore[union-attr]
            elif cls is ir.FunctionCall:
                made.append(self.call(part))  # type: ignore[arg-type]
            elif cls is ir.ToolResult:
                made.append(self._result(part))  # type: ignore[arg-type]
            elif not is_source(part):  # else sources of the text (grounding.py)
                made.append(BUILD[cls](part))
        return made

    def call(self, part: ir.FunctionCall) -> Object:
        self._names[part.id] = part.name
        given = part.arguments
        if type(given) is not dict:
            given = arguments(given, (part, "arguments"))
        call: Object = {"name": part.name, "args": given}
        if self._ids and part.id:
            call["id"] = part.id
        return finish({"functionCall": call}, part)

    def _result(self, part: ir.ToolResult) -> Object:
        name = self._names.get(part.call_id, "") if part.name is None else part.name
        result: Object = {"name": name, "response": response_of(part)}
        if self._ids and part.call_id:
            result["id"] = part.call_id
        media = [BUILD[type(one)](one) for one in part.parts if type(one) is not ir.Text]
        if media:
            result["parts"] = media
        return finish({"functionResponse": result}, part)


def response_of(part: ir.ToolResult) -> Object:
    """The text of a result as an object: the one that it is the text of, or else under the documented key."""
    texts = [one.text for one in part.parts if type(one) is ir.Text]
    if not texts:
        return {wire.FAILURE: ""} if part.is_error else {}
    text = BETWEEN_TEXTS.join(texts)
    if part.is_error:
        return {wire.FAILURE: text}
    found = compact_object(text)
    return {wire.OUTPUT: text} if found is None else found


REFERENCE = '"$ref":'
"""In compact JSON this is a member's name and nothing else: the quotes of a value are escaped."""


def compact_object(text: str) -> Object | None:
    """The object that a text is, where this library would write it so.

    `output` or `error` alone is another thing, and so is one in which `$ref` would name a part with media (TUL-73).
    """
    if not text.startswith("{") or REFERENCE in text:
        return None
    try:
        found = json.loads(text)
        again = json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return None
    meant = not isinstance(found, dict) or found.keys() in ({wire.OUTPUT}, {wire.FAILURE})
    return None if again != text or meant else found


def finish(built: Object, part: Any) -> Object:
    """A part with its signature and its unmapped members."""
    if getattr(part, "seal", None) is not None:
        built["thoughtSignature"] = signature(part.seal)
    return with_extra(built, part)


def _text(part: ir.Text | ir.Refusal) -> Object:
    return finish({"text": part.text}, part)


def _reasoning(part: ir.Reasoning) -> Object:
    return finish(thought(part.text or "", part), part)


def thought(text: str, part: ir.Reasoning) -> Object:
    """A text of reasoning; a signature of Google's alone is none (RSN-28)."""
    seal = part.seal
    alone = part.text is None and seal is not None and seal.provider == google.PROVIDER and not holds_envelope(seal)
    return {"text": text} if alone else {"text": text, "thought": True}


# --- media ------------------------------------------------------------------------------------------------------------


def source(given: ir.Source, title: str | None = None) -> Object:
    """The member that holds data, or the place of a file."""
    built: Object
    if isinstance(given, ir.Inline):
        key, built = "inlineData", {"mimeType": given.mime, "data": given.data}
    elif isinstance(given, ir.PlainText):
        key, built = "inlineData", {"mimeType": given.mime, "data": base64_of(given.text, (given, "text"))}
    elif isinstance(given, (ir.Url, ir.FileRef)):
        uri = given.url if isinstance(given, ir.Url) else given.id
        key, built = "fileData", put({}, mimeType=given.mime, fileUri=uri)
    else:
        raise AssertionError(f"{type(given).__name__} is not legal here")
    put(built, displayName=title)
    return {key: with_extra(built, given)}


def _media(part: ir.Image | ir.Audio | ir.Video | ir.Document) -> Object:
    built = source(part.source, part.title if isinstance(part, ir.Document) else None)
    if isinstance(part, ir.Image) and part.detail is not None:
        built["mediaResolution"] = {"level": wire.RESOLUTION_OF[part.detail]}
    return finish(built, part)


# --- what the provider runs itself ------------------------------------------------------------------------------------


def _code_call(part: ir.CodeCall) -> Object:
    run: Object = {"language": wire.LANGUAGE_OF[part.language], "code": part.code}
    if part.id:
        run["id"] = part.id
    return finish({"executableCode": run}, part)


def _code_result(part: ir.CodeResult) -> Object:
    failed = part.exit_code or part.error is not None
    result: Object = {"outcome": wire.OUTCOME_FAILED if failed else wire.OUTCOME_OK}
    if part.error is not None and part.error.startswith("OUTCOME_"):
        result["outcome"] = part.error
    result["output"] = part.stdout or part.stderr or ""
    if part.call_id:
        result["id"] = part.call_id
    return finish({"codeExecutionResult": result}, part)


def _web_search(part: ir.WebSearchCall) -> Object:
    call = {"toolType": wire.WEB_SEARCH, "args": {wire.QUERIES: part.queries}, "id": part.id}
    return finish({"toolCall": call}, part)


def _web_result(part: ir.WebSearchResult) -> Object:
    return finish({"toolResponse": {"toolType": wire.WEB_SEARCH, "response": {}, "id": part.call_id}}, part)


def is_source(part: ir.Part) -> bool:
    """Whether a part is a search that is no part here, but has the sources of the text (grounding.py)."""
    if not isinstance(part, SEARCHES):
        return False
    kept = None if part.extra is None else part.extra.fields
    return kept is None or kept.keys().isdisjoint(("toolCall", "toolResponse"))


SEARCHES = (ir.WebSearchCall, ir.WebSearchResult)
BUILD: dict[type, Callable[[Any], Object]] = {
    ir.Text: _text,
    ir.Refusal: _text,
    ir.Reasoning: _reasoning,
    **dict.fromkeys((ir.Image, ir.Audio, ir.Video, ir.Document), _media),
    ir.CodeCall: _code_call,
    ir.CodeResult: _code_result,
    ir.WebSearchCall: _web_search,
    ir.WebSearchResult: _web_result,
    **dict.fromkeys((ir.HostedCall, ir.HostedResult, ir.VendorPart, ir.UnknownPart), raw),
}
