"""Ray Data on a real local cluster, in a process of its own; skipped where Ray is not installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed: proxai_ir[ray]")
ray = pytest.importorskip("ray", reason="Ray is not installed: proxai_ir[ray]")

from proxai_ir.engines import ray_data  # noqa: E402 - it needs pyarrow

from .rows import ANTHROPIC, CHAT, PAYLOADS, expected  # noqa: E402

pytestmark = pytest.mark.slow  # a cluster takes its time to start

ROOT = str(Path(__file__).parents[2])


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    paths = os.pathsep.join(filter(None, (ROOT, os.environ.get("PYTHONPATH"))))
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        object_store_memory=100 << 20,
        runtime_env={"env_vars": {"PYTHONPATH": paths}},
    )
    yield
    ray.shutdown()


def test_the_same_rows_as_a_local_run(cluster: None) -> None:
    rows = [{"n": n, "payload": payload} for n, payload in enumerate(PAYLOADS * 20)]
    dataset = ray.data.from_items(rows, override_num_blocks=4)
    made = ray_data.convert(dataset, CHAT, ANTHROPIC, batch_size=7).take_all()
    by_number: dict[int, dict[str, Any]] = {row["n"]: row for row in made}
    assert [*sorted(by_number)] == [*range(len(rows))]
    for n, row in by_number.items():
        output, rule, path, findings = expected()[n % len(PAYLOADS)]
        assert row["payload"] == PAYLOADS[n % len(PAYLOADS)]
        assert row["output"] == (None if output is None else output.decode())
        assert (row["refused_rule"], row["refused_path"]) == (rule, path)
        assert [*row["diagnostics"]] == findings


def test_columns_of_no_use_are_found_at_once(cluster: None) -> None:
    dataset = ray.data.from_items([{"n": 1}]).materialize()
    with pytest.raises(KeyError, match="'payload'"):
        ray_data.convert(dataset, CHAT, ANTHROPIC)
    with pytest.raises(TypeError, match="'n' has the type int64"):
        ray_data.convert(dataset, CHAT, ANTHROPIC, column="n")


def test_a_column_less(cluster: None) -> None:
    dataset = ray.data.from_items([{"payload": PAYLOADS[0]}])
    (row,) = ray_data.convert(dataset, CHAT, ANTHROPIC, diagnostics=False).take_all()
    assert [*row] == ["payload", "output", "refused_rule", "refused_path", "route", "headers"]
