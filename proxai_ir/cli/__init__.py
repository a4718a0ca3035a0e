"""The command line's entry point, `proxai-ir`.

Rule 1: this module imports neither typer nor rich, so without the extra `cli` it can still say what to install.
Rule 2: the rest of the library never imports this package.
"""

import sys

from .outcome import ExitCode

__all__ = ["main"]

EXTRA = frozenset({"rich", "typer"})


def main() -> int:
    """Run the command line; return the exit code, or leave by SystemExit."""
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
