"""The fixture world: example payloads of every protocol, all by hand. Every suite takes its payloads from here.

A protocol has one folder, named as the protocol is; a new protocol adds that folder and nothing else, as the suites run
over `proxai_ir.protocols()`. A sample is one payload with a kind and a short name, and of one of two sorts:

examples    believable payloads, as a client or a server sends them; snapshots show their IR and their conversions
dense       payloads with as many members as fit, a few of them unknown; tests change them place by place

A folder's `__init__` defines SAMPLES, a `Samples`, with

examples    payloads by kind ("request", "response", "error") and name
dense       the same, with "stream" as well: at least one of each kind; those whose name begins with "own" hold what
            only this protocol can express, or what servers send beyond its documentation
strategies  for each of the four kinds, Hypothesis strategies of sound payloads, some with unknown members
reading     a module that reads payloads without the library's help, to compare and to check them (`sample.Reading`)
illegal     streams that break the protocol's order of events, each with the pointer where that shows
endless     streams that never end, for laws about memory
growing     streams of as many parts as asked for, for laws about time
cumulative  whether the events of a stream repeat what its deltas add up to, so that a converter has to keep it
repeats     values of the samples that repeat others, and fields for which the wire is not as the table declares, each
exempt      with the reason (`proxai_ir.testing.Conformance`)
specimens   trees that the target accepts, where those of `proxai_ir.testing.specimens` are refused

Beside them stands, by convention, `building`: short functions that make payloads, for the tests about that protocol.
"""

from __future__ import annotations

from importlib import import_module

import proxai_ir
from proxai_ir.protocol.registry import is_built_in

from .sample import Sample, Samples

__all__ = ["PAIRS", "PROTOCOLS", "READINGS", "SAMPLES", "Sample", "of", "others", "samples"]

PROTOCOLS = tuple(filter(is_built_in, proxai_ir.protocols()))  # packages of others have samples of their own
PAIRS = tuple((src, dst) for src in PROTOCOLS for dst in PROTOCOLS if src != dst)


def of(protocol: str) -> Samples:
    """What the protocol's folder offers."""
    found: Samples = import_module(f"{__name__}.{protocol}").SAMPLES
    return found


def others(protocol: str) -> tuple[str, ...]:
    return tuple(name for name in PROTOCOLS if name != protocol)


READINGS = {protocol: of(protocol).reading for protocol in PROTOCOLS}
SAMPLES = tuple(sample for protocol in PROTOCOLS for sample in of(protocol).of(protocol))


def samples(*kinds: str, dense: bool | None = None) -> list[Sample]:
    """The samples of these kinds; the dense ones or the examples only, if `dense` is given."""
    return [one for one in SAMPLES if one.kind in kinds and dense in (None, one.dense)]
