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

FOUND = ("refused_rule", "refused_path", "diagnostics")


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
    rows = zip(outputs, *(made.column(name).to_pylist() for name in FOUND), strict=True)
    assert [*rows] == expected()


def _columns() -> dict[str, Any]:
    """One request in each type that a column of payloads may have, and a null."""
    row = '{"model":"m","max_completion_tokens":5,"messages":[{"role":"user","content":"hi"}]}'
    struct = {"model": "m", "max_completion_tokens": 5.0, "messages": [{"role": "user", "content": "hi"}]}
    return {
        "dictionary": pa.array([row, None]).dictionary_encode(),
        "string_view": pa.array([row, None], pa.string_view()),
        "binary_view": pa.array([row.encode(), None], pa.binary_view()),
        "json": pa.array([row, None]).cast(pa.json_()),
        "struct": pa.array([struct, None]),
    }


WRITTEN = {"dictionary": "string", "struct": "string", "json": "extension<arrow.json>"}


@pytest.mark.parametrize("kind", ["dictionary", "string_view", "binary_view", "json", "struct"])
def test_every_type_that_bulk_reads(kind: str) -> None:
    made = converter(CHAT, ANTHROPIC)(pa.table({"payload": _columns()[kind]}))
    assert str(made.schema.field("output").type) == WRITTEN.get(kind, kind)
    assert made.column("refused_rule").to_pylist() == [None, "SHP-1"]
    output, nothing = made.column("output").to_pylist()
    expected = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]}
    assert (json.loads(output), nothing) == (expected, None)


def test_a_struct_that_is_no_json_costs_its_row_alone() -> None:
    made = converter(CHAT, ANTHROPIC, quote_values=False)(pa.table({"payload": [{"model": b"bytes"}]}))
    assert made.column("refused_rule").to_pylist() == ["SHP-7"]


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
    with pytest.raises(ValueError, match="no protocol 'nothing'"):
        converter(CHAT, "nothing")
    with pytest.raises(ValueError, match="kind is 'nope'"):
        converter(CHAT, ANTHROPIC, kind="nope")


def test_columns_of_no_use() -> None:
    with pytest.raises(KeyError, match="'body'"):
        converter(CHAT, ANTHROPIC, column="body")(table(PAYLOADS))
    with pytest.raises(TypeError, match="int64; expected string, binary, JSON, struct or map"):
        converter(CHAT, ANTHROPIC, column="n")(table(PAYLOADS))
    with pytest.raises(KeyError, match="output exist"):
        converter(CHAT, ANTHROPIC)(table(PAYLOADS).rename_columns(["n", "payload", "output"]))


def test_what_the_target_has_outside_of_the_body() -> None:
    row = json.dumps({"model": "gemini-x", "stream": True, "messages": [{"role": "user", "content": "Hi"}]})
    (made,) = converter(CHAT, "gemini_generate_content")(table([row])).to_pylist()
    path = "/v1beta/models/gemini-x:streamGenerateContent?alt=sse"
    assert json.loads(made["route"]) == {"model": "gemini-x", "stream": True, "path": path}
    assert made["headers"] is None
    (made,) = converter(CHAT, ANTHROPIC)(table([row])).to_pylist()
    assert (made["route"], json.loads(made["headers"])) == (None, {"anthropic-version": "2023-06-01"})


def test_diagnostics_are_left_out() -> None:
    made = converter(CHAT, ANTHROPIC, diagnostics=False)(table(PAYLOADS))
    assert made.column_names == ["n", "payload", "note", *ADDED[:-1]]
    assert ADDED[-1] == "diagnostics"
    whole = converter(CHAT, ANTHROPIC)(table(PAYLOADS))
    assert made == whole.drop_columns(["diagnostics"])


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


def test_each_row_is_a_payload() -> None:
    """Columns are the members of a wide table, also lists of structs, as datasets have messages, and missing ones."""
    wide = pa.table({"model": ["m", "m"], "max_completion_tokens": [5.0, None], "messages": [[HI], [HI]]})
    made = converter(CHAT, ANTHROPIC, column="")(wide)
    assert made.column_names == [*wide.column_names, *ADDED]
    first, second = (json.loads(one) for one in made.column("output").to_pylist())
    assert first == {"model": "m", "max_tokens": 5, "messages": [HI]}
    assert second["messages"] == [HI]
    (batch,) = wide.to_batches()
    assert type(converter(CHAT, ANTHROPIC, column="")(batch)) is type(batch)


def test_rows_of_datasets_and_pairs_in_two_columns() -> None:
    answer = {"role": "assistant", "content": "Hello."}
    rows = pa.table({"messages": [[HI, answer]]})
    made = converter("hf_messages", ANTHROPIC, column="", kind="export", model="m", pair=True)(rows)
    (row,) = made.column("output").to_pylist()
    assert json.loads(row)["response"]["content"] == [{"type": "text", "text": "Hello."}]
    answered = {"object": "chat.completion", "choices": [{"index": 0, "message": answer, "finish_reason": "stop"}]}
    asked = {"model": "m", "max_completion_tokens": 5, "messages": [HI]}
    logs = pa.table({"request": [json.dumps(asked)], "response": [json.dumps(answered)]})
    (row,) = converter(CHAT, ANTHROPIC, column="", kind="pair")(logs).column("output").to_pylist()
    assert json.loads(json.loads(row)["response"])["content"] == [{"type": "text", "text": "Hello."}]


HI = {"role": "user", "content": "hi"}
