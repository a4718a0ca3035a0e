"""Print the capability matrix of all targets, or of those that are named; for maintainers.

    python -m proxai_ir.matrix > spec/matrix.md

With `--json`, each cell of its tables as a line of JSON.
"""

import sys
from collections.abc import Sequence

import orjson

from ..protocol.registry import protocols
from . import rulebook
from .tables import matrix


def main(arguments: Sequence[str]) -> int:
    names = [name for name in arguments if name != "--json"]
    if wrong := [name for name in names if name not in protocols()]:
        sys.stderr.write(f"expected protocols ({', '.join(protocols())}), or --json; found {', '.join(wrong)}\n")
        return 2
    text = matrix(names)
    for line in (
        map(orjson.dumps, rulebook.cells(text.rstrip())) if "--json" in arguments else (text.rstrip().encode(),)
    ):
        sys.stdout.buffer.write(line + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
