"""Polars, DuckDB and datasets: the examples of spec/engines.md, run on the rows that every engine is given."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from .rows import PAYLOADS, expected

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: proxai_ir[bulk]")
parquet = pytest.importorskip("pyarrow.parquet")

SPEC = (Path(__file__).parents[2] / "spec" / "engines.md").read_text(encoding="utf-8")
CONVERTED = [row[0] for row in expected() if row[1] is None]


def example(name: str) -> str:
    (found,) = re.findall(rf"^With {name}.*?:\n\n```text\n(.*?)^```$", SPEC, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "logs").mkdir()
    table = pa.table({"n": range(len(PAYLOADS)), "payload": pa.array(PAYLOADS, pa.string())})
    parquet.write_table(table, tmp_path / "logs" / "1.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path


def run(name: str) -> dict[str, Any]:
    scope: dict[str, Any] = {}
    exec(example(name), scope)
    return scope


def test_polars(logs: Path) -> None:
    pytest.importorskip("polars")
    done = run("Polars")["done"]
    assert done["refused_rule"].to_list() == [row[1] for row in expected()]
    assert parquet.read_table(logs / "converted.parquet").column("output").to_pylist() == texts(CONVERTED)


def test_lazy_frames_of_polars(logs: Path) -> None:
    pytest.importorskip("polars")
    run("lazy frames of Polars")
    assert parquet.read_table(logs / "converted.parquet").column("output").to_pylist() == texts(CONVERTED)


def test_duckdb(logs: Path) -> None:
    pytest.importorskip("duckdb")
    rows = run("DuckDB")["duckdb"].sql("select output, refused_rule from done order by n").fetchall()
    assert [row for row in rows if row[1] is None] == [(text, None) for text in texts(CONVERTED)]
    assert [row[1] for row in rows] == [row[1] for row in expected()]


def test_datasets_of_hugging_face(logs: Path) -> None:
    pytest.importorskip("datasets")
    done = run("datasets of Hugging Face")["done"]
    assert done.with_format(None)["output"][:] == texts(CONVERTED)


def texts(outputs: list[Any]) -> list[str]:
    return [one.decode() if isinstance(one, bytes) else one for one in outputs]
