"""The laws that every protocol keeps, as functions, and a conformance suite for the protocols of other packages.

Each law asserts something of a payload, a stream or a table; a law that is broken is an AssertionError whose message
names it. No law knows a protocol by name or needs a test framework.

Conformance   all laws for one protocol, as single checks for any test framework
payloads      identity, there and back, no crash, no sharing, and every value is carried, reported or refused: of
              requests, responses and errors
streams       the same of streams, and: every prefix is legal, folding and converting commute
tables        what a target's table declares is what its backend does
mutations     payloads changed at one place, streams out of order
strategies    payloads for Hypothesis, which has to be installed for it
reading       what payloads mean, read by the library or without it
specimens     one IR tree for each class of the IR
compare       whether two payloads of any protocols mean the same
conform       any implementation held against the vectors of the specification: `python -m proxai_ir.testing.conform`
"""

import sys

if "pytest" in sys.modules:  # failing asserts then show their values
    import pytest

    pytest.register_assert_rewrite(*(f"{__name__}.{name}" for name in ("payloads", "streams", "tables")))

from .conformance import Check, Conformance
from .payloads import Case
from .reading import Conversation, LibraryReading, Reading

__all__ = ["Case", "Check", "Conformance", "Conversation", "LibraryReading", "Reading"]
