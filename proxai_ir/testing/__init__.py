"""The laws that every protocol keeps, as functions, and a conformance suite for the protocols of other packages.

Each law asserts something about a payload, a stream or a table; the AssertionError of a broken law names it. No law
knows a protocol by name or needs a test framework.

Conformance   all laws for one protocol, as single checks for any test framework
payloads      laws of requests, responses and errors: identity, round trips, no crash, no sharing, and every value is
              carried, reported or refused
streams       the same laws of streams, and: every prefix is legal, folding and converting commute
tables        laws of a target's table: the backend does what it declares
pointers      places in payloads, payloads changed at one place, and streams out of order
strategies    the same drawn by Hypothesis, which these alone need
reading       the meaning of payloads, read by the library or without it
specimens     one IR tree for each class of the IR
compare       whether two payloads of any protocols mean the same
snapshots     what becomes of payloads of your own, a plugin of pytest
conform       any implementation held against the vectors of the specification: `python -m proxai_ir.testing.conform`
"""

import sys

if "pytest" in sys.modules:  # so that failing asserts show their values
    import pytest

    pytest.register_assert_rewrite(*(f"{__name__}.{name}" for name in ("payloads", "streams", "tables")))

from .conformance import Check, Conformance
from .payloads import Case
from .reading import Conversation, LibraryReading, Reading

__all__ = ["Case", "Check", "Conformance", "Conversation", "LibraryReading", "Reading"]
