"""Rows that are requests are made for the models that they name, by the table of models (CAP-5)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from proxai_ir import Profile, bulk
from proxai_ir.bulk.rows import served
from proxai_ir.cli.app import app

from .support import ANTHROPIC, CHAT, side

HI = [{"role": "user", "content": "hi"}]
NEW, OLD, UNKNOWN = "gpt-5.2", "gpt-4o", "m"  # the first takes no stop sequences in Chat Completions
Json = Any


def asked(model: str | None, **more: Json) -> Json:
    return {"model": model, "max_tokens": 5, "messages": HI, "stop_sequences": ["END"], **more}


def converted(tmp_path: Path, *rows: Json, **options: Any) -> tuple[list[Json], bulk.Report]:
    source = tmp_path / "rows" / "a.jsonl"
    source.parent.mkdir(exist_ok=True)
    source.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    report = bulk.run([source], tmp_path / "out", ANTHROPIC, options.pop("dst", CHAT), **{"workers": 0, **options})
    return [json.loads(line) for line in (tmp_path / "out" / "a.jsonl").read_bytes().splitlines()], report


def stops(rows: list[Json]) -> list[Json]:
    return [row.get("body", row).get("stop") for row in rows]


ROWS = [asked(NEW), asked(OLD), asked(UNKNOWN), asked(NEW)]


@pytest.mark.parametrize("workers", [0, 2])
def test_each_row_is_made_for_its_own_model(tmp_path: Path, workers: int) -> None:
    made, report = converted(tmp_path, *ROWS, workers=workers)
    assert stops(made) == [None, ["END"], ["END"], None]
    assert {rule: count.rows for rule, count in report.total.reported.items()} == {"SMP-11": 2}


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    made, report = converted(tmp_path, *ROWS, profile="protocol")
    assert stops(made) == [["END"]] * 4
    assert (report.total.facts, report.as_json()["facts"]) == ({}, [])


def test_a_profile_has_the_last_word(tmp_path: Path) -> None:
    made, _ = converted(tmp_path, *ROWS, dst=Profile(CHAT, stop_sequences=True))
    assert stops(made) == [["END"]] * 4


def test_the_report_says_which_facts_were_used(tmp_path: Path) -> None:
    _, report = converted(tmp_path, *ROWS)
    facts = report.as_json()["facts"]
    (stop,) = (fact for fact in facts if "stop_sequences" in fact["settings"])
    assert (stop["rows"], stop["settings"]["stop_sequences"], "gpt" in stop["families"]) == (2, False, True)
    assert stop["source"]
    assert stop["looked"].startswith("20")
    assert [fact["rows"] for fact in facts] == sorted((fact["rows"] for fact in facts), reverse=True)


def test_only_converted_requests_count(tmp_path: Path) -> None:
    """Not one that is refused, and no response, whose model is the one that answered."""
    answer = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": NEW, "stop_sequence": None,
        "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    image = {"type": "image", "source": {"type": "file", "file_id": "f"}}
    odd = asked(NEW, messages=[{"role": "user", "content": [image]}])
    _, report = converted(tmp_path, odd, answer)
    assert (report.total.converted, report.total.refused, report.total.facts) == (1, 1, {})
    assert side(tmp_path / "out", "a.jsonl")[0]["row"] == 1


def test_lines_of_batch_files_are_for_their_models(tmp_path: Path) -> None:
    rows = [{"custom_id": name, "params": asked(name)} for name in (NEW, OLD)]
    made, report = converted(tmp_path, *rows, kind="batch")
    assert stops(made) == [None, ["END"]]
    assert report.total.facts


def test_requests_of_the_target_s_own_protocol_stay_as_they_are(tmp_path: Path) -> None:
    row = {"model": NEW, "messages": HI, "stop": ["END"]}
    source = tmp_path / "a.jsonl"
    source.write_text(json.dumps(row))
    report = bulk.run([source], tmp_path / "out", CHAT, CHAT, workers=0)
    assert json.loads((tmp_path / "out" / "a.jsonl").read_bytes()) == row
    assert report.total.facts == {}


def test_the_model_of_requests_that_name_none_is_the_option(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    gemini = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}], "generationConfig": {"stopSequences": ["END"]}}
    source.write_text(json.dumps(gemini))
    for model, stop in ((NEW, None), (OLD, ["END"])):
        bulk.run([source], tmp_path / model, "gemini_generate_content", CHAT, options={"model": model}, workers=0)
        assert json.loads((tmp_path / model / "a.jsonl").read_bytes()).get("stop") == stop


def test_a_name_is_looked_up_once(tmp_path: Path) -> None:
    served.cache_clear()
    converted(tmp_path, *ROWS * 50)
    assert served.cache_info().misses == 3


def test_another_profile_is_another_run(tmp_path: Path) -> None:
    converted(tmp_path, *ROWS)
    with pytest.raises(bulk.BulkError):
        converted(tmp_path, *ROWS, profile="protocol")


@pytest.mark.parametrize(
    ("profile", "rules", "facts"),
    [(None, ["SMP-11"], True), ("protocol", [], False), ("compatible_chat", ["SMP-11"], True)],
)
def test_on_the_command_line(tmp_path: Path, profile: str | None, rules: list[str], facts: bool) -> None:
    source, kept = tmp_path / "a.jsonl", tmp_path / "report.json"
    source.write_text(json.dumps(asked(NEW)))
    route = ["--from", ANTHROPIC, "--to", CHAT, "--workers", "0", "--mode", "check", "--report", str(kept)]
    given = ["--profile", profile] if profile else []
    result = CliRunner().invoke(app, ["bulk", str(source), *route, *given])
    report = json.loads(kept.read_bytes())
    assert ([one["rule"] for one in report["rules"]], bool(report["facts"])) == (rules, facts)
    assert (f"{len(report['facts'])} facts of the table were used" in result.stdout) is facts


def test_a_profile_that_there_is_not(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text(json.dumps(asked(NEW)))
    with pytest.raises(ValueError, match="expected one of model, protocol"):
        bulk.check([source], ANTHROPIC, CHAT, profile="models")  # type: ignore[arg-type]
