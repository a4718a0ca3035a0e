"""The command line's entry point, `proxai-ir`.

Rule 1: this module imports neither typer nor rich, so without the extra `cli` it can still say what to install.
Rule 2: the rest of the library never imports this package.
Rule 3: a stream that the caller has closed (`>&-`) is there as one without input, or that cannot be written.
"""

import os
import sys

from .outcome import ExitCode

__all__ = ["main"]

EXTRA = frozenset({"rich", "typer"})
CLOSED = {"stdin": (os.O_RDONLY, "r"), "stdout": (os.O_RDONLY, "w"), "stderr": (os.O_WRONLY, "w")}
"""How the null device is opened in place of a closed stream. What is written to the output fails, as it would be lost;
what is said on standard error may get lost, as the exit code says it too."""


def main() -> int:
    """Run the command line; return the exit code, or leave by SystemExit."""
    _open_streams()
    try:
        from .app import app
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in EXTRA:
            raise
        sys.stderr.write(f'proxai-ir: the command line needs {missing.name}: in the checkout, pip install ".[cli]"\n')
        return ExitCode.USAGE
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(errors="backslashreplace")  # what is not UTF-8 gets escapes, not a crash
    try:
        app(prog_name="proxai-ir")
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # the reader closed the pipe early: `| head`
            return ExitCode.OK
        raise
    return ExitCode.OK


def _open_streams() -> None:
    """Open the standard streams that are closed, for which Python has None."""
    for name, (flags, mode) in CLOSED.items():
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.open(os.devnull, flags), mode, encoding="utf-8"))  # noqa: SIM115 (for the process)
