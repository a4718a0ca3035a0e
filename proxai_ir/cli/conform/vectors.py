"""The vectors: conversions with what must come of them, as plain JSON, for any implementation in any language.

They are generated from the examples of the specification (`python -m tests.conform`) and are data of the package:
`proxai_ir/spec/vectors`, a file a rule family, a vector a line. Their form is documented in the README.md there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from importlib.resources import files
from typing import Any

import orjson
from attrs import frozen

Json = Any


@frozen
class Vector:
    """`expected` None: the conversion must be refused. `carried`: pointers to values of the source that must arrive;
    `lost`: pointers to those that the target cannot say, which must be named. `ending`: why the response ended.
    """

    id: str
    rule: str
    kind: str
    src: str
    dst: str
    options: dict[str, Json]
    source: Json
    expected: Json
    carried: tuple[str, ...]
    lost: tuple[tuple[str, str], ...]
    ending: str | None

    @property
    def family(self) -> str:
        return self.rule.partition("-")[0]

    def asked(self) -> bytes:
        """The line that an implementation is sent."""
        asked = {"id": self.id, "kind": self.kind, "from": self.src, "to": self.dst}
        return orjson.dumps({**asked, "options": self.options, "source": self.source}) + b"\n"


def read(line: bytes) -> Vector:
    made = orjson.loads(line)
    lost = tuple((one["rule"], one["pointer"]) for one in made["lost"])
    names = {"src": made.pop("from"), "dst": made.pop("to"), "carried": tuple(made.pop("carried")), "lost": lost}
    return Vector(**{**made, **names})


def vectors(wanted: Collection[str] = (), options: bool = True) -> Iterator[Vector]:
    """All of them, or those of some rules or families; without `options` those that need none."""
    folder = files("proxai_ir") / "spec" / "vectors"
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        if file.name.endswith(".jsonl"):
            for one in map(read, file.read_bytes().splitlines()):
                if (options or not one.options) and (not wanted or {one.rule, one.family, one.id} & {*wanted}):
                    yield one
