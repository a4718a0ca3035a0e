"""Lines of Google's batch files: `key` with a request, then with a response or an error.

Sources: the Gemini API's guide "Batch API"; "google.rpc.Status" and "google.rpc.Code" for errors, whose `code` is a
number of that list and not an HTTP status; Vertex AI's lines have no `key` (`_lib.cloud_lines`). The model stands in
the call that creates the batch.
"""

from __future__ import annotations

from functools import partial

from proxai_ir.backends._lib.cloud_lines import is_vertex_result, vertex_result
from proxai_ir.json.types import found
from proxai_ir.protocol import batch
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import google

CODES = {number: (word, status) for word, (number, status, _) in google.CODES.items()}
NUMBERS = {word: number for number, (word, _) in CODES.items()}
ENDED = {
    batch.CANCELED: (NUMBERS["CANCELLED"], "The batch was canceled before this request was processed."),
    batch.EXPIRED: (NUMBERS["DEADLINE_EXCEEDED"], "The batch expired before this request was processed."),
}


OTHERS = {"custom_id", "params", "result", "recordId", "modelInput", "modelOutput"}
"""Members of other vendors' lines."""


def looks(line: batch.Object) -> bool:
    return not OTHERS & line.keys() and bool({"request", "response", "error"} & line.keys())


def read(line: batch.Object, of: tuple[str, ...]) -> batch.Entry:
    protocol = of[0]
    if is_vertex_result(line):
        return vertex_result(line, protocol, "key")
    entry = partial(batch.Entry, protocol=protocol, named="key", id=batch.optional(line, "key", str))
    held = [name for name in ("request", "response", "error") if line.get(name) is not None]
    if len(held) != 1:
        raise Refusal("SHP-4", (line,), "expected one of `request`, `response` and `error` in a batch line")
    (name,) = held
    body, unread = batch.member(line, name, dict), batch.unknown(line, {"key", name})
    if name != "error":
        kind = batch.REQUEST if name == "request" else batch.RESPONSE
        return entry(kind=kind, body=body, at=(name,), unread=unread, request=line.get("request"))
    code = batch.member(body, "code", int)
    if code == NUMBERS["CANCELLED"]:
        unread += [("ENV-1", (body, other), "") for other in body if other != "code" and body[other] is not None]
        return entry(kind=batch.CANCELED, unread=unread)
    word, status = CODES.get(code) or (None, code)
    if word is None and not 100 <= code < 600:
        raise Refusal("SHP-3", (body, "code"), f"expected a code of google.rpc from 1 to 16, found {found(code)}")
    error = {**body, "code": status, **({"status": word} if word else {})}
    return entry(kind=batch.ERROR, body={"error": error}, status=status, unread=unread)


def write(result: batch.Result) -> tuple[batch.Object, tuple[str, ...]]:
    if result.kind in (batch.REQUEST, batch.RESPONSE):
        return {"key": result.id, result.kind: result.body}, ()
    if result.kind in ENDED:
        number, message = ENDED[result.kind]
        return {"key": result.id, "error": {"code": number, "message": message}}, ("BAT-2",)
    error = dict(result.body["error"])
    word = error.pop("status", None)
    return {"key": result.id, "error": {**error, "code": NUMBERS.get(word, error["code"])}}, ()


FORMAT = batch.Format(name="Gemini", looks=looks, read=read, write=write)
