"""Which share of the recorded requests each model's judge refuses, converted for the model by its name, and why.

    python -m tests.servers.models.measure [--plain] [--protocol NAME] [--model PART] [--vendor MODULE] [--sample N]

`--plain` converts for the protocol alone, as before there was a table of models.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import proxai_ir
from proxai_ir import Profile, profiles
from tests.held.shared import Tools, load

from . import JUDGES, VENDORS, Check, refusals

Json = Any


class Source(NamedTuple):
    protocol: str
    name: str
    payload: Json


class Measured(NamedTuple):
    """What a model's judge said of the requests that were converted for it."""

    protocol: str
    model: str
    converted: int
    refused: int
    why: Counter[str]

    @property
    def share(self) -> float:
        return self.refused / self.converted if self.converted else 0.0


def sources(tools: Tools, target: str, most: int | None = None) -> Iterator[Source]:
    """Recorded requests of the other protocols, evenly drawn from each."""
    for protocol in proxai_ir.protocols():
        if protocol != target:
            records = tools.records(protocol, "request")
            step = max(1, len(records) // most) if most else 1
            yield from (Source(protocol, one.id, one.payload) for one in records[::step])


def converted(asked: Source, server: Profile) -> Json:
    """The request; None where it is refused, which is no matter of a judge's."""
    try:
        return proxai_ir.convert(asked.payload, asked.protocol, server, kind="request", model="m", **OPTIONS)
    except proxai_ir.TranslationError:
        return None


SERVERS = ("cerebras", "groq", "openrouter")
VENDOR = {pair: vendor.__name__.rpartition(".")[2] for vendor in VENDORS for pair in vendor.JUDGES}
"""By pair of protocol and model: whose judge it is."""


def profile(protocol: str, model: str) -> Profile:
    """The profile of a model, behind the server whose judge it has."""
    vendor = VENDOR[protocol, model]
    return profiles.for_model(protocol, model, vendor if vendor in SERVERS else None)


OPTIONS: dict[str, Any] = {"instructions": "in_place", "repair": ("calls",), "emulate": "auto"}
"""Those of an Exchange."""


def measured(
    tools: Tools,
    *,
    plain: bool = False,
    most: int | None = None,
    wanted: str = "",
    part: str = "",
    vendor: str = "",
) -> list[Measured]:
    """All pairs; models with the same profile get the same requests, converted once."""
    alike: defaultdict[Profile, list[str]] = defaultdict(list)
    for protocol, model in JUDGES:
        if wanted in ("", protocol) and part in model and vendor in ("", VENDOR[protocol, model]):
            server = Profile(protocol) if plain else profile(protocol, model)
            alike[server].append(model)
    found = []
    for server, models in alike.items():
        outputs = [(one, converted(one, server)) for one in sources(tools, server.protocol, most)]
        found += [judged(server.protocol, model, outputs) for model in models]
    return sorted(found, key=lambda one: (one.protocol, -one.share))


def judged(protocol: str, model: str, outputs: list[tuple[Source, Json]]) -> Measured:
    why: Counter[str] = Counter()
    refused = count = 0
    for asked, output in outputs:
        if output is not None:
            count += 1
            found = refusals(protocol, model, {**output, "model": model} if "model" in output else output)
            refused += bool(found)
            why.update({described(check, pointer) for pointer, check in found})
            for pointer, check in found:
                EXAMPLES.setdefault((model, described(check, pointer)), f"{asked.protocol} {asked.name}")
    return Measured(protocol, model, count, refused, why)


EXAMPLES: dict[tuple[str, str], str] = {}


def described(check: Check, pointer: str) -> str:
    words = ["*" if word.isdecimal() else word for word in pointer.split("/")]
    return f"{'/'.join(words)}: {check.message[:90]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--protocol", default="")
    parser.add_argument("--model", default="")
    parser.add_argument("--vendor", default="")
    parser.add_argument("--sample", type=int, default=None)
    given = parser.parse_args()
    found = measured(
        load(), plain=given.plain, most=given.sample, wanted=given.protocol, part=given.model, vendor=given.vendor
    )
    for one in found:
        print(f"{100 * one.share:5.1f} %  {one.protocol} {one.model} ({one.refused} of {one.converted})")
        for text, count in one.why.most_common(6):
            print(f"          {count:4} {text}   e.g. {EXAMPLES[one.model, text]}")
    print(f"{sum(one.share <= 0.005 for one in found)} of {len(found)} pairs refuse 0.5 % or less")


if __name__ == "__main__":
    main()
