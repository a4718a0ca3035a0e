"""The exit codes, in one table, because scripts hold on to them.

Rule: of several payloads the worst outcome decides, and the worse one is the higher number.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """What became of the run."""

    OK = 0
    """Done; what was lost is in the diagnostics. Also if the reader of a pipe closes it early (`| head`)."""
    DIFFERENT = 1
    """`diff`: the payloads do not mean the same. With a traceback it is Python's own: a bug of ours."""
    USAGE = 2
    """The command line is wrong, or the `cli` extra is not installed."""
    LOSS = 3
    """Something is lost (`check`, and `convert --fail-on-loss`)."""
    REFUSED = 4
    """The payload is malformed, the stream was cut off, or the target cannot say it."""
    UNREADABLE = 5
    """No such file, or not JSON."""
    ADDRESS = 6
    """`serve`, `run`: the address cannot be listened at; mostly, the port is in use."""
    NOT_FOUND = 127
    """`run`: the client is not on this machine; as shells have it. Else `run` ends as its client does."""
    INTERRUPTED = 130
    """Ctrl-C."""


EXIT_CODES_HELP = (
    "Exit codes: 0 done, 1 different (diff), 2 wrong usage, 3 losses (check, --fail-on-loss), "
    "4 refused, 5 input cannot be read, 6 the port is in use (serve, run), 127 no such client (run), 130 interrupted."
)
