"""What the library does not know of a payload: fields without a rule, unknown variants and values.

Payloads are read, not converted, so that what a conversion would refuse hides nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import attrs

import proxai_ir
from proxai_ir import StreamError, TranslationError
from proxai_ir.api import Kind
from proxai_ir.ir.parts import UnknownPart
from proxai_ir.ir.tools import UnknownFormat, UnknownTool
from proxai_ir.protocol.registry import frontend
from proxai_ir.reporting.vocabulary import extra_members

from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses

Json = Any
ROOT = Path(__file__).parents[2]
UNKNOWN = "UNK-"
CLASSES = (UnknownPart, UnknownFormat, UnknownTool)
CHAT, RESPONSES, ANTHROPIC = "openai_chat_completions", "openai_responses", "anthropic_messages"
GEMINI, BEDROCK = "gemini_generate_content", "bedrock_converse"
OTHER = {CHAT: ANTHROPIC, RESPONSES: CHAT, ANTHROPIC: CHAT, GEMINI: CHAT, BEDROCK: CHAT}
FIRST: dict[str, Json] = {
    CHAT: chat.chunk({"role": "assistant", "content": ""}),
    RESPONSES: responses.created(),
    ANTHROPIC: anthropic.message_start({"input_tokens": 1, "output_tokens": 1}),
    GEMINI: {"candidates": [{"content": {"parts": [{"text": "x"}], "role": "model"}}], "modelVersion": "x"},
    BEDROCK: {"messageStart": {"role": "assistant"}},
}
"""The first event of a stream."""


def unknown(payload: Json, protocol: str, kind: Kind) -> Iterator[str]:
    """What the frontend does not know of a payload, one sentence each."""
    try:
        node = proxai_ir.lower(payload, protocol, kind=kind)
    except TranslationError as error:
        yield f"cannot be read: {error.rule} at {error.path}"
        return
    tables = frontend(protocol).vendor_fields
    for one in nodes(node):
        if isinstance(one, CLASSES):
            yield f"unknown type {one.kind!r}"
        extra = getattr(one, "extra", None)
        if extra is not None and extra.fields:
            found = extra_members(extra.fields, (), tables.get(type(one).__name__, {}), one.src)
            yield from (f"{rule} in {type(one).__name__}" for rule, _, _ in found if rule.startswith(UNKNOWN))


def unknown_event(event: Json, member: str, protocol: str) -> Iterator[str]:
    """What the reader of a protocol's streams does not know of an event, as the second one of a stream.

    Where the event cannot stand there, its member is looked for among the words of the reader's code.
    """
    converter = proxai_ir.StreamConverter(protocol, OTHER[protocol])
    converter.feed(FIRST[protocol])
    try:
        converter.feed(event)
    except StreamError:
        if member and member not in words(protocol):
            yield "a member that the reader does not name"
        return
    except TranslationError as error:
        yield f"cannot be read: {error.rule} at {error.path}"
        return
    yield from (f"{one.code} at {one.path}" for one in converter.diagnostics if one.code.startswith(UNKNOWN))


def nodes(tree: Any) -> Iterator[Any]:
    """Every node of a tree."""
    waiting = [tree]
    for one in waiting:  # which grows meanwhile
        if isinstance(one, (list, tuple)):
            waiting += one
        elif isinstance(one, dict):
            waiting += one.values()
        elif attrs.has(type(one)):
            yield one
            waiting += [getattr(one, field.name) for field in attrs.fields(type(one)) if field.name != "src"]


@cache
def words(protocol: str) -> frozenset[str]:
    """The words in the code that reads a protocol's streams: its vocabulary, its frontend, its vendor's code."""
    folders = (ROOT / "frontends" / protocol, ROOT / "frontends" / "_lib", ROOT / "proxai_ir" / "vendors")
    paths = [*(ROOT / "proxai_ir" / "wire").glob("*.py"), *(path for one in folders for path in one.rglob("*.py"))]
    found: set[str] = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= {node.value, *node.value.split()}
    return frozenset(found)
