"""Print the JSON Schema of what `proxai-ir lower` prints: `python -m proxai_ir.ir > spec/ir.schema.json`."""

import json
import sys

from .json_schema import schema

if __name__ == "__main__":
    sys.stdout.write(json.dumps(schema(), indent=1) + "\n")
