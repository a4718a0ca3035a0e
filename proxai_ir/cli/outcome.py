"""Convert one payload for the command line: what it is, its output, its diagnostics, its exit code."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import partial
from typing import Any, Literal

import orjson

import proxai_ir

from ..conversion.bytes import parsed
from ..conversion.conversion import Ending
from ..conversion.profile import Profile, protocol_of
from ..ir.error import Error
from ..ir.request import Request
from ..ir.response import Response
from ..json.types import SEVERAL, why_no_json
from ..protocol.detection import HINT, hint, kind_of, protocols_of, streams_in, unknown
from ..protocol.registry import backend, framing_of, frontend
from ..reporting.diagnostics import render

# --- detecting --------------------------------------------------------------------------------------------------------
# Of which protocol bytes are, and of what kind: one payload, a stream in any framing, or a line of a batch file.


Found = tuple[str, str, int]
"""A protocol, a kind, and how many members the protocol does not know."""


def detected(data: bytes) -> list[Found]:
    """Return what the bytes may be, the likeliest first; an empty list if no protocol reads them."""
    try:
        payload = parsed(data)
    except proxai_ir.TranslationError:
        return [(name, "stream", 0) for name in streams_in(data)]
    return protocols_of(payload) or _batch(payload)


def _batch(payload: Any) -> list[Found]:
    from ..batch import compile_line  # which few payloads need

    try:
        done = compile_line(payload, None, proxai_ir.protocols()[0])
    except (proxai_ir.TranslationError, proxai_ir.UnknownProtocol):
        return []
    return [(done.src, "batch", 0)]


# --- exits ------------------------------------------------------------------------------------------------------------
# The exit codes, in one table, because scripts hold on to them.
#
# Rule: of several payloads the worst outcome decides, and the worse one is the higher number.


class ExitCode(IntEnum):
    """The exit code of a run."""

    OK = 0
    """Done; what was lost is in the diagnostics. Also if the reader of a pipe closes it early (`| head`)."""
    DIFFERENT = 1
    """`diff`: the payloads do not mean the same. With a traceback it is Python's own: a bug of ours."""
    USAGE = 2
    """The command line is wrong, or the `cli` extra is not installed."""
    LOSS = 3
    """Something is lost (`check`, and `convert --fail-on-loss`)."""
    REFUSED = 4
    """The payload is malformed, the stream was cut off, no one protocol is found, or the target cannot say it."""
    UNREADABLE = 5
    """No such file, or not JSON; or the output cannot be written, as on a full disk."""
    ADDRESS = 6
    """`serve`, `run`: the address cannot be listened at; mostly, the port is in use."""
    NOT_FOUND = 127
    """`run`: the client is not on this machine; as shells have it. Else `run` ends as its client does."""
    INTERRUPTED = 130
    """Ctrl-C."""


MEANINGS = {
    ExitCode.OK: "done",
    ExitCode.DIFFERENT: "different",
    ExitCode.USAGE: "wrong usage",
    ExitCode.LOSS: "losses",
    ExitCode.REFUSED: "refused, or cut off",
    ExitCode.UNREADABLE: "input cannot be read, or output cannot be written",
    ExitCode.ADDRESS: "the port is in use",
    ExitCode.NOT_FOUND: "no such client",
    ExitCode.INTERRUPTED: "interrupted",
}
"""The meaning of each code in a few words, for help and the documentation."""


# --- outcome ----------------------------------------------------------------------------------------------------------
# One payload through the library: its output, its diagnostics, and its exit code.
#
# Rule: of the command line only this module, and streams.py for streams, call the conversions; they know no files and
# print nothing.


Kind = Literal["request", "response", "error", "stream"]
Options = Mapping[str, Any]
KINDS = {"request": Request, "response": Response, "error": Error}
OF_FILES = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1")
"""The first bytes of gzip, zstd and Parquet files."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result for one payload, or for one event of a stream.

    `reason` is one sentence: why there is no output, or why a stream ends here. `ending` says how a response ended, and
    its usage. `explain` finds the remedies of diagnostics, by converting again.
    """

    exit: ExitCode
    output: bytes | None = None
    diagnostics: Sequence[proxai_ir.Diagnostic] = ()
    reason: str = ""
    ending: Ending = ((), None)
    explain: Callable[[Sequence[proxai_ir.Diagnostic]], tuple[proxai_ir.Finding, ...]] | None = None


def convert(
    data: bytes,
    src: str | Profile,
    dst: str | Profile,
    kind: Kind | None,
    options: Options,
    *,
    fail_on_loss: bool,
    model: str | None = None,
) -> Outcome:
    """Convert a payload; `model` is the one that a request is sent to, whichever it names."""
    if model is not None and kind in (None, "request"):
        data = _naming(model, data, src)
    explain = partial(explained, data, src, dst, kind, options)
    try:
        conversion = proxai_ir.compile(data, src, dst, kind=kind, **options)
    except proxai_ir.TranslationError as refusal:
        return replace(_refused(data, src, refusal), explain=explain)
    found = conversion.diagnostics
    exit = ExitCode.LOSS if fail_on_loss and worst(found) is not ExitCode.OK else ExitCode.OK
    return Outcome(exit, conversion.output, found, ending=conversion.told, explain=explain)


def check(data: bytes, src: str | Profile, dst: str | Profile, kind: Kind | None, options: Options) -> Outcome:
    """Convert a payload and return its diagnostics alone."""
    explain = partial(explained, data, src, dst, kind, options)
    try:
        conversion = proxai_ir.compile(data, src, dst, kind=kind, **options)
    except proxai_ir.TranslationError as refusal:
        if problem := why_no_json_in(data, src):
            return Outcome(ExitCode.UNREADABLE, reason=problem)
        return Outcome(ExitCode.REFUSED, diagnostics=refusal.diagnostics, explain=explain)
    found = conversion.diagnostics
    return Outcome(worst(found), diagnostics=found, ending=conversion.told, explain=explain)


def explained(
    payload: Any,
    src: str | Profile,
    dst: str | Profile,
    kind: Kind | None,
    options: Options,
    found: Sequence[proxai_ir.Diagnostic],
) -> tuple[proxai_ir.Finding, ...]:
    """Return the findings with those remedies that can be typed on the command line."""
    from ..advice.remedies import remedied

    model = options.get("model")

    def sayable(remedy: proxai_ir.Remedy) -> bool:
        """Return whether a remedy can be given: a named profile takes precedence over the profile of the model."""
        if remedy.kind == "profile":
            return model is None
        by_name = dst == proxai_ir.profiles.for_model(protocol_of(dst), model) if model else isinstance(dst, str)
        return remedy.kind != "model" or by_name

    findings = remedied(found, payload, src, dst, kind, options)
    return tuple(one._replace(remedies=tuple(filter(sayable, one.remedies))) for one in findings)


def detect(data: bytes, *, as_json: bool) -> Outcome:
    """Return the protocols and kinds that the payload may be of."""
    found = detected(data)
    if not found:
        if problem := why_no_json_in(data, None):
            return Outcome(ExitCode.UNREADABLE, reason=problem)
        known = ", ".join(proxai_ir.protocols())
        return Outcome(ExitCode.REFUSED, reason=f"no protocol reads this payload; looked at {known}")
    records = [{"protocol": protocol, "kind": kind, "unknown": unknown} for protocol, kind, unknown in found]
    if as_json:
        return Outcome(ExitCode.OK, orjson.dumps({**records[0], "candidates": records}))
    lines = [f"{protocol}\t{kind}" + (f"\t{unknown} unknown" if unknown else "") for protocol, kind, unknown in found]
    return Outcome(ExitCode.OK, "\n".join(lines).encode())


def lower(data: bytes, src: str | Profile, kind: Kind | None, *, quote_values: bool = True) -> Outcome:
    """Return the IR as JSON."""
    from ..ir import json_form as ir_json

    try:
        node = proxai_ir.lower(data, src, kind=kind, quote_values=quote_values)
    except proxai_ir.TranslationError as refusal:
        return _refused(data, src, refusal)
    return Outcome(ExitCode.OK, ir_json.dumps(node), _hint_of(node, src))


def _hint_of(node: Any, src: str | Profile) -> Sequence[proxai_ir.Diagnostic]:
    """Return a diagnostic that says what else the payload looks like, if something in it is unknown."""
    front = frontend(src)
    kind = next((name for name, one in KINDS.items() if isinstance(node, one)), None)
    text = hint(node.src, kind, front) if kind and unknown(node, front.vocabulary) else ""
    return render([(HINT, None, text)], None) if text else ()


def _refused(data: bytes, src: str | Profile, refusal: proxai_ir.TranslationError) -> Outcome:
    if problem := why_no_json_in(data, src):
        return Outcome(ExitCode.UNREADABLE, reason=problem)
    return Outcome(ExitCode.REFUSED, diagnostics=refusal.diagnostics, reason=str(refusal))


def _naming(model: str, data: bytes, src: str | Profile) -> bytes:
    """Return a request with this model in place of the one that it names, and anything else unchanged."""
    http = backend(src).http
    try:
        payload = orjson.loads(data)
        if http is None or not isinstance(payload.get(http.named), str) or kind_of(frontend(src), payload) != "request":
            return data
    except (ValueError, AttributeError):
        return data
    return orjson.dumps({**payload, http.named: model})


def why_no_json_in(data: bytes, src: str | Profile | None) -> str:
    """Return why the bytes are no JSON, or "". It is asked after a refusal, so a good payload is parsed once."""
    try:
        orjson.loads(data.removeprefix(BOM_UTF8))
    except orjson.JSONDecodeError as error:
        why = why_no_json(data, str(error))
        stream = src is not None and bool(framing_of(src).begins(data)) and not data.lstrip().startswith(b"{")
        return f"not JSON: {why}{_hint(data, why, stream)}"
    return ""


def _hint(data: bytes, why: str, stream: bool) -> str:
    """Return what to type instead, as the end of a sentence."""
    if stream:
        return "; a stream needs --kind stream"
    if any(data.startswith(begin) for begin in OF_FILES):
        return "; `proxai-ir bulk` reads files of this format"
    lines = [line for line in data.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].rstrip().endswith((b"}", b"]")) and why == SEVERAL:
        return "; if each line is one, pass --jsonl"
    return ""


def worst(diagnostics: Sequence[proxai_ir.Diagnostic]) -> ExitCode:
    """Return the exit code of the gravest diagnostic, where losses count."""
    severities = {diagnostic.severity for diagnostic in diagnostics}
    if "error" in severities:
        return ExitCode.REFUSED
    return ExitCode.LOSS if "loss" in severities else ExitCode.OK
