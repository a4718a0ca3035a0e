"""Batches of payloads: the columns of a conversion, whatever the rows hold. Needs pyarrow."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

import proxai_ir

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: proxai_ir[bulk]")

from proxai_ir.engines.tables import ADDED, converter  # noqa: E402 - it needs pyarrow

from .rows import ANTHROPIC, CHAT, PAYLOADS, expected  # noqa: E402


def table(payloads: list[Any], kind: Any = None) -> Any:
    return pa.table(
        {
            "n": list(range(len(payloads))),
            "payload": pa.array(payloads, kind or pa.string()),
            "note": ["x"] * len(payloads),
        }
    )


@pytest.mark.parametrize("kind", ["string", "large_string", "binary", "large_binary"])
def test_rows_convert_as_they_do_one_by_one(kind: str) -> None:
    made = converter(CHAT, ANTHROPIC)(table(PAYLOADS, getattr(pa, kind)()))
    assert made.column_names == ["n", "payload", "note", *ADDED]
    assert made.column("output").type == getattr(pa, kind)()
    assert made.column("n").to_pylist() == list(range(len(PAYLOADS)))
    outputs = [one.encode() if isinstance(one, str) else one for one in made.column("output").to_pylist()]
    rows = zip(outputs, *(made.column(name).to_pylist() for name in ADDED[1:]), strict=True)
    assert [*rows] == expected()


def test_a_poisoned_row_costs_only_itself() -> None:
    made = converter(CHAT, ANTHROPIC)(table(PAYLOADS))
    refused = dict(zip(made.column("n").to_pylist(), made.column("refused_rule").to_pylist(), strict=True))
    assert {n: rule for n, rule in refused.items() if rule} == {2: "SHP-6", 3: "SHP-1", 4: "SHP-1"}
    assert made.column("refused_path").to_pylist()[3] == "/messages"


def test_a_record_batch_stays_one() -> None:
    (batch,) = table(PAYLOADS).to_batches()
    made = converter(CHAT, ANTHROPIC)(batch)
    assert isinstance(made, pa.RecordBatch)
    assert made.num_rows == len(PAYLOADS)


def test_an_empty_batch() -> None:
    assert converter(CHAT, ANTHROPIC)(table([])).num_rows == 0


def test_a_batch_of_nulls_alone() -> None:
    made = converter(CHAT, ANTHROPIC)(pa.Table.from_pylist([{"payload": None}, {"payload": None}]))
    assert made.column("refused_rule").to_pylist() == ["SHP-1", "SHP-1"]
    assert made.schema.field("output").type == pa.string()  # as in the other batches of the column


def test_options_and_profiles_travel() -> None:
    profile = proxai_ir.Profile(ANTHROPIC, max_tokens=7)
    convert = pickle.loads(pickle.dumps(converter(CHAT, profile, model="other")))
    made = json.loads(convert(table(PAYLOADS[1:2])).column("output").to_pylist()[0])
    assert made["max_tokens"] == 7


def test_what_is_wrong_is_found_before_anything_runs() -> None:
    with pytest.raises(TypeError, match="unknown options"):
        converter(CHAT, ANTHROPIC, colour=1)
    with pytest.raises(proxai_ir.UnknownProtocol, match="nothing"):
        converter(CHAT, "nothing")


def test_columns_of_no_use() -> None:
    with pytest.raises(KeyError, match="'body'"):
        converter(CHAT, ANTHROPIC, column="body")(table(PAYLOADS))
    with pytest.raises(TypeError, match="int64; expected text or binary"):
        converter(CHAT, ANTHROPIC, column="n")(table(PAYLOADS))
    with pytest.raises(KeyError, match="output exist"):
        converter(CHAT, ANTHROPIC)(table(PAYLOADS).rename_columns(["n", "payload", "output"]))


def test_a_bug_of_ours_costs_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    from proxai_ir import api

    def broken(payload: bytes, *_: Any, **__: Any) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(api, "converted", broken)
    made = converter(CHAT, ANTHROPIC, quote_values=False)(table(PAYLOADS[:1])).to_pylist()[0]
    assert (made["output"], made["refused_rule"]) == (None, "internal")
    assert "secret" not in str(made["diagnostics"])


def test_text_that_is_no_utf8_costs_its_row_alone() -> None:
    """As writers without a check leave it."""
    good = b'{"model":"m","max_completion_tokens":5,"messages":[{"role":"user","content":"hi"}]}'
    column = pa.array([good, b"\xff"]).view(pa.string())
    done = converter(CHAT, ANTHROPIC)(pa.table({"payload": column}))
    assert done.column("refused_rule").to_pylist() == [None, "SHP-6"]
    assert done.column("output").type == pa.string()
