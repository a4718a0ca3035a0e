"""The comparison: what the official packages have and the library does not account for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version as installed
from typing import NamedTuple

from proxai_ir.profiles.facts import Version
from proxai_ir.profiles.models import named
from proxai_ir.protocol.registry import backend
from proxai_ir.wire.bedrock_converse import ERROR_TYPE

from ..profiles.test_sources import TEXTS, Held, text_of
from . import converse, official
from .accounted import ALLOWED, BETAS, HEADERS, NEWEST, NO_CHAT, TELEMETRY
from .vocabulary import Json, unknown, unknown_event

PACKAGES = {"openai": "openai", "anthropic": "anthropic", "google-genai": "google.genai", "botocore": "botocore"}
"""The packages that are read, with the modules that they are."""


class Finding(NamedTuple):
    kind: str
    """What is new: "field or value", "event", "beta", "API version", "model", "text", "header", "error"; of rows
    "old row", "contradiction"."""
    name: str
    why: str


def all_findings() -> Iterator[Finding]:
    yield from of_types(typed(official.ROOTS))
    yield from of_types((converse.PROTOCOL, *one) for one in converse.features())
    yield from of_events(official.EVENTS)
    yield from of_errors(converse.errors(), ERROR_TYPE)
    yield from of_betas(official.betas(), BETAS)
    yield from of_version(official.version(), backend(official.ANTHROPIC).versions)
    yield from of_models(official.models(), NEWEST)
    yield from of_texts(TEXTS)
    for package, client in (("openai", "OpenAI"), ("anthropic", "Anthropic")):
        yield from of_headers(package, official.headers(package, client), HEADERS[package])


Featured = tuple[str, str, str, Json]
"""A protocol, a kind, the path of a member or a value, and a payload that has it."""


def typed(roots: Iterable[official.Root]) -> Iterator[Featured]:
    for root in roots:
        yield from ((root.protocol, root.kind, *one) for one in official.features(root))


def of_types(features: Iterable[Featured]) -> Iterator[Finding]:
    """Of a block that may stand in some roles only, it counts where it may."""
    found: dict[str, list[str]] = {}
    readable: set[str] = set()
    for protocol, kind, path, payload in features:
        name = f"{protocol} {kind} {path}"
        why = list(unknown(payload, protocol, kind))  # type: ignore[arg-type]
        if not why:
            readable.add(name)
        elif not allowed(name):
            found[name] = why
    for name, why in found.items():
        if name not in readable or not all(one.startswith("cannot be read") for one in why):
            yield Finding("field or value", name, "; ".join(why))


def of_events(unions: Iterable[tuple[str, str, str]]) -> Iterator[Finding]:
    every = [(protocol, [*official.events(module, cls)]) for protocol, module, cls in unions]
    seen: set[str] = set()
    for protocol, events in [*every, (converse.PROTOCOL, [*converse.events()])]:
        usual: set[str] = set()  # what is unknown of the event as such, which comes first
        for path, member, event in events:
            name = f"{protocol} stream {path}"
            why = {*unknown_event(event, member, protocol)}
            new = why - usual if member else why
            usual = usual if member else why
            if new and name not in seen and not allowed(name):
                yield Finding("event", name, "; ".join(sorted(new)))
            seen.add(name)


def of_errors(names: Iterable[str], known: Iterable[str]) -> Iterator[Finding]:
    yield from (Finding("error", name, "not in ERROR_TYPE") for name in sorted({*names} - {*known}))


def of_betas(names: Iterable[str], known: Iterable[str]) -> Iterator[Finding]:
    yield from (Finding("beta", name, "not in the table of betas") for name in sorted({*names} - {*known}))


def of_version(name: str, known: Iterable[str]) -> Iterator[Finding]:
    if name not in known:
        yield Finding("API version", name, f"the official client sends it; known are {', '.join(known)}")


def of_models(names: Iterable[str], newest: Mapping[str, Version]) -> Iterator[Finding]:
    """Models of a family without a row, and versions that are newer than those whose rows were looked at."""
    for name in names:
        if name.startswith(NO_CHAT):
            continue
        model = named(name)
        add = "a row in proxai_ir/profiles/vendors"
        if model.family not in newest:
            yield Finding("model", name, f"its family is not known: add {add}, and the family to NEWEST")
        elif model.version is not None and model.version > newest[model.family]:
            yield Finding("model", name, f"newer than all that was looked at: add {add} where it differs, and NEWEST")


def of_texts(texts: Iterable[Held]) -> Iterator[Finding]:
    """Texts that rows of models are from, as the packages no longer have them."""
    for held in texts:
        if held.text not in text_of(held.module):
            yield Finding("text", f"{held.module} for {held.setting}", f"no longer says {held.text!r}")


def of_headers(package: str, sent: dict[str, str], known: dict[str, str]) -> Iterator[Finding]:
    for name, value in sent.items():
        if name.startswith(TELEMETRY):
            continue
        if name not in known:
            yield Finding("header", f"{package} {name}", f"new, with the value {value!r}")
        elif known[name] and value != known[name]:
            yield Finding("header", f"{package} {name}", f"{value!r} in place of {known[name]!r}")
    for name in known.keys() - sent.keys():
        yield Finding("header", f"{package} {name}", "no longer sent")


def allowed(name: str) -> bool:
    return name.startswith(tuple(ALLOWED))


def report(findings: Iterable[Finding]) -> str:
    """The findings as text, one a line below the versions that were read."""
    head = ", ".join(f"{package} {installed(package)}" for package in PACKAGES)
    lines = [f"{one.kind}: {one.name}: {one.why}" for one in findings]
    return "\n".join([f"{head}: {len(lines)} not accounted for", *lines])
