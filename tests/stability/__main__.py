"""`python -m tests.stability`: what this version promises, for the tests of the next one."""

import json

from . import RECORD, promised

if __name__ == "__main__":
    RECORD.write_text(json.dumps(promised(), indent=1) + "\n", encoding="utf-8")
