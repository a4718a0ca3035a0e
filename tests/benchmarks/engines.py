"""Measures how a second worker shortens a run of `proxai_ir.engines`, on clusters of one machine.

    python -m tests.benchmarks.engines --rows 200000

The rows are those of `tests.benchmarks.bulk`, in a Parquet file. Each figure is of a cluster of its own, which has
converted some rows before, so that the time to start processes and to import is not in it. An engine that is not
installed is left out; Spark needs a Java runtime.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .bulk import ANTHROPIC, CHAT, generate

PARTS = 16
"""Files that the rows are in, so that each engine has parts to distribute."""


def main() -> None:
    chosen = _parser().parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, chosen.rows)
        for engine, (package, measured) in ENGINES.items():
            if find_spec(package) is None or (package == "pyspark" and shutil.which("java") is None):
                print(f"{engine}: not installed")
                continue
            alone = 0.0
            for workers in chosen.workers or (1, 2):
                seconds = min(_apart(measured, folder, workers) for _ in range(chosen.rounds))
                alone = alone or seconds
                rate = f"{chosen.rows / seconds:,.0f} rows/s"
                print(f"{engine}, {workers} workers: {seconds:.1f} s, {rate}, {alone / seconds:.2f} times the first")


def write(folder: Path, rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    generate(folder / "rows", rows)
    payloads = (folder / "rows").read_text().splitlines()
    (folder / "rows").unlink()
    for part in range(PARTS):
        pq.write_table(pa.table({"payload": payloads[part::PARTS]}), folder / f"{part}.parquet")


def _apart(measured: Callable[[str, int], float], folder: Path, workers: int) -> float:
    """In a process of its own: an engine keeps its cluster for as long as its process lives."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measured, str(folder), workers).result()


def _with_ray(folder: str, workers: int) -> float:
    from importlib import import_module

    from proxai_ir.engines import ray_data

    ray: Any = import_module("ray")
    environment = {"env_vars": {"PYTHONPATH": os.getcwd()}}
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    ray.data.DataContext.get_current().enable_progress_bars = False
    rows = ray.data.read_parquet(folder).repartition(PARTS).materialize()
    return _timed(
        lambda some: ray_data.convert(rows.limit(100 * workers) if some else rows, CHAT, ANTHROPIC).materialize()
    )  # an aggregate such as `count` would hold a worker of its own


def _with_spark(folder: str, workers: int) -> float:
    from importlib import import_module

    from proxai_ir.engines import spark

    sql: Any = import_module("pyspark.sql")
    os.environ |= {"PYTHONPATH": os.getcwd(), "PYSPARK_PYTHON": sys.executable}
    builder = sql.SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", "false")
    for setting in ("spark.driver.host", "spark.driver.bindAddress"):
        builder = builder.config(setting, "127.0.0.1")
    rows = builder.getOrCreate().read.parquet(folder).repartition(PARTS).cache()
    rows.count()
    return _timed(
        lambda some: (
            spark.convert(rows.limit(100 * workers) if some else rows, CHAT, ANTHROPIC)
            .write.format("noop")
            .mode("overwrite")
            .save()
        )
    )


ENGINES = {"Ray Data": ("ray", _with_ray), "Spark": ("pyspark", _with_spark)}


def _timed(convert: Callable[[bool], Any]) -> float:
    convert(True)
    begun = time.perf_counter()
    convert(False)
    return time.perf_counter() - begun


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.benchmarks.engines", description="Measure proxai_ir.engines.")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--workers", type=int, action="append", help="repeatable; 1 and 2 if left out")
    return parser


if __name__ == "__main__":
    main()
