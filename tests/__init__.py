"""The tests, and what they share."""

import os
import sys
from pathlib import Path

if sys.dont_write_bytecode:  # then each process that a test starts would compile all that it imports, and each worker
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
