"""A row has one conversion: `compile`, files, engines and batch lines give the same output, findings and refusal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

import proxai_ir
from proxai_ir import Profile, batch, profiles
from proxai_ir.protocol.registry import backend

from ..samples import PROTOCOLS, samples

if TYPE_CHECKING:
    import pyarrow as pa
else:
    pa = pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

Json = Any
MODELS = ("claude-opus-4-7", "gpt-5.2", "gemini-2.5-flash", "us.amazon.nova-pro-v1:0", "some-model")
SAME_SERVER = {
    "openai_chat_completions": profiles.MISTRAL,
    "anthropic_messages": profiles.for_model("anthropic_messages", "claude-opus-4-7"),
}
"""Other servers of a protocol, whose rows of that protocol are rewritten for them."""
KINDS = ("request", "response", "error")


def rows(src: str, kind: str) -> list[bytes]:
    """The payloads of a protocol, whose requests name models that the table knows."""
    found = [one.payload for one in samples(kind) if one.protocol == src]
    if kind == "request":
        named = (MODELS[at % len(MODELS)] for at in range(len(found)))
        found = [{**one, "model": model} if "model" in one else one for one, model in zip(found, named, strict=True)]
    return [json.dumps(one).encode() for one in found]


Finding = dict[str, str]


def expected(row: bytes, src: str, dst: str | Profile, kind: str) -> tuple[Json, list[Finding]]:
    """The output of a row, None if it is refused, and all findings."""
    side = dst
    model = json.loads(row).get("model")
    if kind == "request" and isinstance(dst, str) and isinstance(model, str) and src != dst:
        side = profiles.for_model(dst, model)
    try:
        done = proxai_ir.compile(json.loads(row), src, side, kind=cast("Any", kind))
    except proxai_ir.TranslationError as error:
        return None, [one.as_json() for one in error.diagnostics]
    return done.output, [one.as_json() for one in done.diagnostics]


def in_file(given: list[bytes], src: str, dst: str | Profile, kind: str, folder: Path) -> list[Json]:
    """The outputs of a file of rows, None for those that are refused."""
    source = folder / f"{kind}.jsonl"
    source.write_bytes(b"\n".join(given))
    from proxai_ir import bulk

    bulk.run([source], folder / "out", src, dst, kind=kind, workers=0)
    refused = folder / "out" / f"{kind}.jsonl.refused.jsonl"
    gone = {json.loads(one)["row"] for one in refused.read_bytes().splitlines()} if refused.exists() else set()
    made = iter((folder / "out" / f"{kind}.jsonl").read_bytes().splitlines())
    return [None if at in gone else json.loads(next(made)) for at in range(1, len(given) + 1)]


def in_table(given: list[bytes], src: str, dst: str | Profile, kind: str) -> list[tuple[Json, list[Finding]]]:
    """The outputs and findings of a table's rows."""
    from proxai_ir.engines.tables import converter

    table = converter(src, dst, kind=kind)(pa.table({"payload": pa.array(given, pa.binary())}))
    return [(row["output"] and json.loads(row["output"]), row["diagnostics"]) for row in table.to_pylist()]


TARGETS: list[tuple[str, str | Profile]] = [(src, dst) for src in PROTOCOLS for dst in PROTOCOLS if src != dst]
TARGETS += SAME_SERVER.items()


@pytest.mark.parametrize(("src", "dst"), TARGETS, ids=str)
def test_files_and_engines_convert_as_one_call_does(src: str, dst: str | Profile, tmp_path: Path) -> None:
    for kind in KINDS:
        given = rows(src, kind)
        meant = [expected(one, src, dst, kind) for one in given]
        assert in_file(given, src, dst, kind, tmp_path) == [output for output, _ in meant]
        assert in_table(given, src, dst, kind) == meant


BATCHED = [name for name in PROTOCOLS if backend(name).batch is not None]
LINES = {
    "openai_chat_completions": {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions"},
    "openai_responses": {"custom_id": "a", "method": "POST", "url": "/v1/responses"},
    "anthropic_messages": {"custom_id": "a"},
    "gemini_generate_content": {"key": "a"},
    "bedrock_converse": {"recordId": "a"},
}
BODIES = dict.fromkeys(LINES, "body") | {
    "anthropic_messages": "params",
    "gemini_generate_content": "request",
    "bedrock_converse": "modelInput",
}


@pytest.mark.parametrize(
    ("src", "dst"), [one for one in TARGETS if {one[0], getattr(one[1], "protocol", one[1])} <= set(BATCHED)], ids=str
)
def test_a_line_of_a_batch_converts_as_its_body_does(src: str, dst: str | Profile) -> None:
    """But for what surrounds the body, as the path and the id, and for requests of streams, which no batch has."""
    assert set(LINES) == set(BATCHED)
    target = dst if isinstance(dst, str) else dst.protocol
    for row in map(json.loads, rows(src, "request")):
        if row.get("stream"):
            continue
        meant = expected(json.dumps(row).encode(), src, dst, "request")
        line = {**LINES[src], BODIES[src]: row}
        served = None if src == target else lambda request: profiles.for_model(target, request.model or "m")
        try:
            done = batch.compile_line(line, src, dst, served=served)
        except proxai_ir.TranslationError as error:
            output, found = None, error.diagnostics
        else:
            output, found = done.output[BODIES[target]], done.diagnostics
        body = f"/{BODIES[src]}"
        inside = [one._replace(path=one.path.removeprefix(body)) for one in found if one.path.startswith(body)]
        assert (output, [one.as_json() for one in inside]) == meant
