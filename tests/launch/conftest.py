"""The command line of tests/cli."""

from ..cli.conftest import run as run
