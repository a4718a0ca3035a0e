"""The sample payloads of spec/payloads: every protocol has one of every kind, and each is what its name says."""

from __future__ import annotations

import pytest

import proxai_ir
from proxai_ir.api import Kind
from proxai_ir.framing import NDJSON
from proxai_ir.protocol.registry import framing_of

from ..outside.projects import ROOT

FOLDER = ROOT / "spec" / "payloads"
ENDINGS: dict[Kind, str] = {"request": "json", "response": "json", "stream": "sse", "error": "json"}
SAMPLES: list[tuple[str, Kind]] = [(protocol, kind) for protocol in proxai_ir.protocols() for kind in ENDINGS]


def sample(protocol: str, kind: Kind) -> bytes:
    framing = framing_of(protocol)
    streamed = "ndjson" if framing is NDJSON else "bin" if framing.binary else ENDINGS["stream"]
    ending = streamed if kind == "stream" else ENDINGS[kind]
    return (FOLDER / f"{protocol}_{kind}.{ending}").read_bytes()


@pytest.mark.parametrize(("protocol", "kind"), SAMPLES)
def test_a_sample_converts_to_every_protocol(protocol: str, kind: Kind) -> None:
    """Of its kind, which is recognised but for a stream's bytes."""
    for dst in proxai_ir.protocols():
        stated: Kind | None = kind if kind == "stream" else None
        try:
            result = proxai_ir.compile(sample(protocol, kind), protocol, dst, kind=stated, model="m")
        except proxai_ir.Unrepresentable as error:
            assert error.rule == "SRC-2"  # an image by its URL
            continue
        assert result.kind == kind
        assert result.output


@pytest.mark.parametrize("protocol", proxai_ir.protocols())
def test_a_sample_has_no_unknown_members(protocol: str) -> None:
    for kind in ENDINGS:
        for dst in proxai_ir.protocols():
            found = proxai_ir.check(sample(protocol, kind), protocol, dst, kind=kind, model="m")
            assert not [one for one in found if one.rule.startswith("UNK-")]
