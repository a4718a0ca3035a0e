"""Spark on a real local cluster; skipped where pyspark or a Java runtime is not installed."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed: proxai_ir[spark]")
sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: proxai_ir[spark]")
if shutil.which("java") is None:
    pytest.skip("no Java runtime, which Spark needs", allow_module_level=True)

from proxai_ir.engines import spark  # noqa: E402 - it needs pyarrow

from .rows import ANTHROPIC, CHAT, PAYLOADS, expected  # noqa: E402

pytestmark = pytest.mark.slow  # a cluster takes its time to start

ROOT = str(Path(__file__).parents[2])


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    paths = os.pathsep.join(filter(None, (ROOT, os.environ.get("PYTHONPATH"))))
    os.environ |= {"PYTHONPATH": paths, "PYSPARK_PYTHON": sys.executable}  # of the executors, which start from here
    builder = sql.SparkSession.builder.master("local[2]").appName("tests")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "512m",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    yield made
    made.stop()


@pytest.mark.parametrize("kind", ["string", "binary"])
def test_the_same_rows_as_a_local_run(session: Any, kind: str) -> None:
    cells = [one if one is None or kind == "string" else one.encode() for one in PAYLOADS * 20]
    frame = session.createDataFrame([*enumerate(cells)], f"n int, payload {kind}").repartition(3)
    made = spark.convert(frame, CHAT, ANTHROPIC)
    assert made.columns == ["n", "payload", "output", "refused_rule", "refused_path", "route", "headers", "diagnostics"]
    rows = sorted(made.collect(), key=lambda row: row["n"])
    assert [row["n"] for row in rows] == [*range(len(cells))]
    for row in rows:
        output, rule, path, findings = expected()[row["n"] % len(PAYLOADS)]
        found = row["output"]
        assert (found.encode() if isinstance(found, str) else found and bytes(found)) == output
        assert (row["refused_rule"], row["refused_path"]) == (rule, path)
        assert [one.asDict() for one in row["diagnostics"]] == findings


def test_what_is_wrong_is_found_before_anything_runs(session: Any) -> None:
    frame = session.createDataFrame([(1, "x")], "n int, output string")
    with pytest.raises(KeyError, match="'payload'"):
        spark.convert(frame, CHAT, ANTHROPIC)
    with pytest.raises(KeyError, match="output exist"):
        spark.convert(frame, CHAT, ANTHROPIC, column="n")
    frame = session.createDataFrame([(1,)], "n int")
    with pytest.raises(TypeError, match="'n' has the type int; expected string, binary"):
        spark.convert(frame, CHAT, ANTHROPIC, column="n")


def test_a_column_of_structs_becomes_text(session: Any) -> None:
    kind = "payload struct<model: string, messages: array<struct<role: string, content: string>>, max_tokens: double>"
    frame = session.createDataFrame([(("m", [("user", "Hi")], 9.0),)], kind)
    (row,) = spark.convert(frame, CHAT, ANTHROPIC).collect()
    made = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
    assert json.loads(row["output"]) == made
    (row,) = spark.convert(frame.select("payload.*"), CHAT, ANTHROPIC, column="").collect()
    assert json.loads(row["output"]) == made  # each row is a payload
