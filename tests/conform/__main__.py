"""`python -m tests.conform`: writes the vectors anew, after a change of the specification."""

from .generate import VECTORS, written

if __name__ == "__main__":
    for old in VECTORS.glob("*.jsonl"):
        old.unlink()
    for name, data in written().items():
        (VECTORS / name).write_bytes(data)
