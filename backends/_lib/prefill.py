"""A response that begins in the request, where only some servers of a protocol continue one (PLC-19)."""

from proxai_ir.binding.server import capability
from proxai_ir.rules.verdicts import lacking, loses, ok

SETTING = capability(
    False, "an assistant message at the end, which the response continues (PLC-19)", {"last_turn": "continued"}
)
"""Of the name `prefill`."""
VERDICTS = (lacking("prefill", loses("PLC-19", "prefill", elsewhere=True)), ok("prefill"))
