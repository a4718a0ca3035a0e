"""What a source of this very protocol wrote in another form than the canonical one, put back into canonical output.

Rule: called only for a node that has `extra`, which nodes of other protocols have lost by now (LOS-3).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from proxai_ir.ir import parts, request, turns
from proxai_ir.ir.error import Error
from proxai_ir.ir.logprobs import ScoredToken
from proxai_ir.ir.response import Candidate
from proxai_ir.ir.terminal import Terminal
from proxai_ir.ir.usage import Usage
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire.gemini_generate_content_structure import snake_case

from .._lib.writing import Json, Object, merge, put

Forms = tuple[str, ...]


def restore(built: Object, node: Any) -> Object:
    """The wire object of a node in the form of its source, with the members that have no IR field."""
    extra = node.extra
    if extra.wire_forms and (form := FORMS.get(type(node))) is not None:
        form(built, node, extra.wire_forms)
    return merge(built, extra.fields) if extra.fields else built


# --- what becomes of a node, for the builder of what holds it ---------------------------------------------------------


def has_form(node: Any, form: str) -> bool:
    return node.extra is not None and form in node.extra.wire_forms


def has_openapi_schema(tool: Any) -> bool:
    return tool.extra is not None and bool(tool.extra.fields) and "parameters" in tool.extra.fields


def grouped(root: request.Request, made: list[tuple[str, Json]]) -> list[Object] | None:
    """The array of tools, from each tool's member and value, where they are grouped in another way (`tools:JSON`)."""
    for form in root.extra.wire_forms if root.extra is not None else ():
        if form.startswith("tools:"):
            waiting = iter(made)
            return [
                {
                    key: [next(waiting)[1] for _ in range(count)] if key in wire.LISTED else next(waiting)[1]
                    for key, count in group
                }
                for group in json.loads(form[len("tools:") :])
            ]
    return None


# --- the forms of single objects --------------------------------------------------------------------------------------


def _without(*members: str) -> Callable[[Object, Any, Forms], None]:
    """Leaves out the members at these paths, or empties them, each where the form `no` or `empty` with its last name is
    noted.
    """

    def form(built: Object, _: Any, forms: Forms) -> None:
        for path in members:
            *around, name = path.split("/")
            if f"no {name}" in forms or f"empty {name}" in forms:
                inner = built
                for key in around:
                    inner = inner[key]
                inner.pop(name, None)
                if f"empty {name}" in forms:
                    inner[name] = ""

    return form


def _turn(built: Object, _: turns.Turn, forms: Forms) -> None:
    for word in forms:
        if word == "no role":
            built.pop("role", None)
        elif word == "no parts":
            del built["parts"]
        else:
            built["role"] = word


def _result(built: Object, part: parts.ToolResult, forms: Forms) -> None:
    result = built["functionResponse"]
    texts = [one.text for one in part.parts if type(one) is parts.Text]
    for key in (wire.OUTPUT, wire.FAILURE):
        if key in forms:
            result["response"] = {key: json.loads(texts[0])}
    if "text" in forms:
        result["response"] = {wire.OUTPUT: texts[0]}
    if "object" in forms:
        result["response"] = json.loads(texts[0])
    _without("functionResponse/response", "functionResponse/id")(built, part, forms)


def _data(built: Object, _: Any, forms: Forms) -> None:
    if "base64url" in forms:
        built["data"] = built["data"].replace("+", "-").replace("/", "_")
    if "no padding" in forms:
        built["data"] = built["data"].rstrip("=")
    for word in forms:
        if word.startswith("data:"):  # in both alphabets at once
            built["data"] = word[len("data:") :]


def _terminal(built: Object, terminal: Terminal, forms: Forms) -> None:
    if "reason" in forms:  # another word than the canonical one
        del built["finishReason"]
        put(built, finishReason=terminal.raw)


def _format(config: Object, wanted: request.Format, forms: Forms) -> None:
    """Of `generationConfig`."""
    if "no type" in forms:
        del config["responseMimeType"]
    if "_responseJsonSchema" in forms:
        config["_responseJsonSchema"] = config.pop("responseJsonSchema")
    if "responseFormat" in forms:
        del config["responseMimeType"]
        text = put({}, schema=config.pop("responseJsonSchema", None))
        for word in forms:
            if word != "responseFormat":
                text["mimeType"] = word
        config["responseFormat"] = [{"text": text}]


def _thought(built: Object, part: parts.Reasoning, forms: Forms) -> None:
    _without("text")(built, part, forms)
    if wire.SIGNATURE_ALONE in forms:
        del built["thought"]


FORMS: dict[type, Callable[[Object, Any, Forms], None]] = {
    turns.Turn: _turn,
    parts.Text: _without("text"),
    parts.Reasoning: _thought,
    parts.Inline: _data,
    parts.PlainText: _data,
    parts.FunctionCall: _without("functionCall/id", "functionCall/args"),
    parts.ToolResult: _result,
    parts.CodeCall: _without("executableCode/id", "executableCode/language"),
    parts.CodeResult: _without("codeExecutionResult/id", "codeExecutionResult/output"),
    parts.WebSearchCall: _without("toolCall/id", "toolCall/args"),
    parts.WebSearchResult: _without("toolResponse/id"),
    request.PlainFormat: _format,
    request.JsonFormat: _format,
    request.SchemaFormat: _format,
    Candidate: _without("index", "content"),
    ScoredToken: _without("token", "logProbability"),
    Terminal: _terminal,
    Usage: _without("promptTokenCount", "totalTokenCount"),
    Error: _without("error/code", "error/status"),
}


def restore_format(config: Object, wanted: request.Format) -> None:
    """The members of `generationConfig` that are the format, in the form of the source."""
    restore(config, wanted)
    if "responseSchema" in config and wanted.extra is not None and wanted.extra.fields:
        config.pop("responseJsonSchema", None)


# --- whole payloads ---------------------------------------------------------------------------------------------------


def restore_root(built: Object, root: Any) -> Object:
    """A payload with the members that have no IR field, in the spelling of its source."""
    return respelled(restore(built, root), root.extra.wire_forms)


def respelled(built: Object, forms: Forms) -> Object:
    spelling = _Spelling(built)
    for form in reversed(forms):
        kind, _, rest = form.partition(":")
        if kind in ("name", "one", "value"):
            spelling.undo(kind, rest)
    return built


class _Spelling:
    """Undoes the spellings that names.py of the frontend has made canonical, the last one first.

    `_own`: the ids of the containers that may be changed, as they are copies or were built here.
    """

    def __init__(self, built: Object) -> None:
        self._built = built
        self._own: dict[int, Any] = {id(built): built}

    def undo(self, kind: str, rest: str) -> None:
        pointer, _, text = rest.partition("=") if kind == "value" else (rest, "", "")
        *around, last = [one.replace("~1", "/").replace("~0", "~") for one in pointer[1:].split("/")]
        holder: Any = self._built
        for name in around:
            at = int(name) if isinstance(holder, list) else name
            if not isinstance(holder, (dict, list)) or (isinstance(holder, dict) and at not in holder):
                return
            holder = self._copied(holder, at)
        key: Any = int(last) if isinstance(holder, list) else last
        if isinstance(holder, dict) and key not in holder:
            return
        if kind == "name" and isinstance(holder, dict):
            holder[snake_case(last)] = holder.pop(last)
        elif kind == "one":
            holder[key] = holder[key][0]
        else:
            holder[key] = json.loads(text)

    def _copied(self, holder: Any, at: Any) -> Any:
        inner = holder[at]
        if id(inner) not in self._own and isinstance(inner, (dict, list)):
            inner = holder[at] = dict(inner) if isinstance(inner, dict) else list(inner)
            self._own[id(inner)] = inner
        return inner


def restore_error(built: Object, error: Error) -> Json:
    if error.extra is not None:
        built = restore(built, error)
    return [built] if has_form(error, "array") else built
