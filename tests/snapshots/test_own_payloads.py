"""`proxai_ir.testing.snapshots`: how a folder is read, what a conversion says, and what is a mistake in its use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import proxai_ir
from proxai_ir.testing.snapshots import FORMS, conversions

from ..outside.projects import ALONE, ROOT

CHAT, MESSAGES = "openai_chat_completions", "anthropic_messages"
REQUEST = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hi"}], "seed": 7}
MESSAGE = {"type": "message", "id": "m1", "role": "assistant", "model": "m", "content": [], "stop_reason": "end_turn"}
KEPT = f"""
CLIENT = "{CHAT}"
PROVIDER = "{MESSAGES}"
REQUEST = (
    ""
    '{json.dumps(REQUEST)}'
)
raise SystemExit("it is run")
"""


def written(folder: Path, name: str, *payloads: object) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in payloads), encoding="utf-8")
    return file


def test_each_payload_goes_to_each_target(tmp_path: Path) -> None:
    written(tmp_path, f"{CHAT}/agent.json", REQUEST)
    written(tmp_path, "of_any/message.json", MESSAGE)
    made = conversions(tmp_path, to=["anthropic", proxai_ir.profiles.VLLM])
    assert [(str(one).partition(", ")[0], one.src, one.kind) for one in made] == [
        ("of_any/message.json to anthropic", MESSAGES, "response"),
        (f"of_any/message.json to {proxai_ir.profiles.VLLM}".partition(", ")[0], MESSAGES, "response"),
        (f"{CHAT}/agent.json to anthropic", CHAT, "request"),
        (f"{CHAT}/agent.json to {proxai_ir.profiles.VLLM}".partition(", ")[0], CHAT, "request"),
    ]


def test_a_conversion_says_what_the_target_gets_and_what_it_does_not(tmp_path: Path) -> None:
    written(tmp_path, "one.json", REQUEST)
    (plain,) = conversions(tmp_path, to=MESSAGES, src=CHAT, max_tokens=5)
    *output, default, lost = plain.text.splitlines()
    assert json.loads("\n".join(output)) == {"model": "gpt-5", "max_tokens": 5, "messages": REQUEST["messages"]}
    assert default.startswith("info  SMP-1  (the whole payload)  ")
    assert plain.lost == [lost.removeprefix("loss  ")]
    assert lost.startswith("loss  SMP-10  /seed  ")
    (accepting,) = conversions(tmp_path, to=MESSAGES, src=CHAT, accept=["SMP-10"])
    assert accepting.lost == []


def test_what_is_refused_is_the_text_and_a_loss(tmp_path: Path) -> None:
    written(tmp_path, "one.json", {**REQUEST, "n": 2})
    (one,) = conversions(tmp_path, to=MESSAGES, src=CHAT, accept=["SMP-10"])
    first, why = one.text.splitlines()
    assert first == "refused"
    assert why.startswith("CHO-2  /n  ")
    assert one.lost == [why]


def test_a_model_behind_a_vendor_is_converted_by_its_facts(tmp_path: Path) -> None:
    written(tmp_path, "one.json", {**REQUEST, "reasoning_effort": "high"})
    (one,) = conversions(tmp_path, to=["anthropic:claude-opus-4-6"], src=CHAT)
    assert json.loads(one.text[: one.text.rindex("\n}") + 2])["model"] == "claude-opus-4-6"


def test_files_are_read_by_the_ends_of_their_names(tmp_path: Path) -> None:
    written(tmp_path, f"{CHAT}.jsonl", REQUEST, "", REQUEST)
    written(tmp_path, "kept.py", KEPT)
    for name in (f"{MESSAGES}_stream.sse", "bedrock_converse_stream.bin", "ollama_chat_stream.ndjson"):
        (tmp_path / name).write_bytes((ROOT / "spec" / "payloads" / name).read_bytes())
    found = {one.name: (one.src, one.kind) for one in conversions(tmp_path, to=CHAT)}
    assert found == {
        f"{CHAT}.jsonl:1": (CHAT, "request"),
        f"{CHAT}.jsonl:3": (CHAT, "request"),
        f"{MESSAGES}_stream.sse": (MESSAGES, "stream"),
        "bedrock_converse_stream.bin": ("bedrock_converse", "stream"),
        "kept.py:request": (CHAT, "request"),
        "ollama_chat_stream.ndjson": ("ollama_chat", "stream"),
    }


def test_a_kept_response_is_the_providers(tmp_path: Path) -> None:
    """Whole or as a stream, whatever the client asked for."""
    stream = (ROOT / "spec" / "payloads" / f"{MESSAGES}_stream.sse").read_bytes()
    for name, response in (("whole.py", json.dumps(MESSAGE).encode()), ("streamed.py", stream)):
        written(tmp_path, name, KEPT.replace("raise", f"RESPONSE = {response!r}\nraise"))
    kinds = {one.name: (one.src, one.kind) for one in conversions(tmp_path, to=CHAT)}
    assert kinds["whole.py:response"] == (MESSAGES, "response")
    assert kinds["streamed.py:response"] == (MESSAGES, "stream")


def test_every_sample_of_the_specification_has_the_same_text_in_every_process() -> None:
    call = f"print(*(one.text for one in conversions({str(ROOT / 'spec' / 'payloads')!r}, to={MESSAGES!r})))"
    command = [sys.executable, "-c", f"from proxai_ir.testing.snapshots import conversions; {call}"]
    texts = [
        subprocess.run(
            command,
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert texts[0] == texts[1]
    assert texts[0].count(b"refused") < 3


# --- mistakes ---------------------------------------------------------------------------------------------------------

MISTAKES = [
    ("one.json", [REQUEST], {}, f"one.json may be of cohere_v2_chat, {CHAT}; name its folder after its protocol, or"),
    (
        "one.json",
        [{"a": 1}],
        {},
        "one.json is of no known protocol; name its folder after its protocol, or state `src`",
    ),
    ("one.json", ["{"], {}, "one.json: SHP-"),
    ("one.sse", ["data: 1", ""], {}, "one.sse is of no known protocol"),
    (
        "notes.md",
        ["Hi"],
        {},
        "notes.md is not read; expected files that end in .json, .jsonl, .sse, ",
    ),
    ("one.py", ["A = 1"], {}, "one.py is no test of the gateway's page; expected CLIENT, PROVIDER and REQUEST in it"),
    ("one.py", ["(("], {}, "one.py is no Python: "),
    (".hidden", ["Hi"], {}, "has no payloads; expected files that end in .json"),
    ("one.json", [REQUEST], {"src": "openai"}, "expected `src` to be one of anthropic_messages, "),
    ("one.json", [REQUEST], {"to": ["antropic"]}, "there is no protocol, vendor or profile 'antropic'; did you mean"),
    ("one.json", [REQUEST], {"src": CHAT, "max_token": 5}, f"no conversion to {MESSAGES} has the option 'max_token'"),
]


@pytest.mark.parametrize(("name", "payloads", "given", "message"), MISTAKES)
def test_a_mistake_is_named(
    tmp_path: Path, name: str, payloads: list[object], given: dict[str, object], message: str
) -> None:
    written(tmp_path, name, *payloads)
    arguments: dict[str, object] = {"to": MESSAGES, **given}
    with pytest.raises((ValueError, LookupError, TypeError)) as raised:
        conversions(tmp_path, **arguments)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_the_page_has_all_forms() -> None:
    page = (ROOT / ".docs" / "pages" / "guides" / "testing.md").read_text(encoding="utf-8")
    assert [form for form in FORMS if f"`{form}`" not in page] == []


# --- within pytest ----------------------------------------------------------------------------------------------------

PLUGIN = 'pytest_plugins = ["proxai_ir.testing.snapshots"]\n'
TEST = """
import pytest

@pytest.mark.payloads({mark})
def test_it({argument}):
    {body}
"""


def run(folder: Path, mark: str, argument: str = "conversion", body: str = "assert conversion.lost == []") -> str:
    """The output of pytest, of which no other plugin is there: neither syrupy nor any other package for snapshots."""
    folder.joinpath("conftest.py").write_text(PLUGIN, encoding="utf-8")
    text = TEST.format(mark=mark, argument=argument, body=body)
    folder.joinpath("test_it.py").write_text(text, encoding="utf-8")
    environment = {**os.environ, **ALONE, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--strict-markers", "-c", os.devnull]
    done = subprocess.run(
        [*command, "--rootdir", str(folder), str(folder)], env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def test_a_test_with_the_mark_runs_for_each_conversion(tmp_path: Path) -> None:
    written(tmp_path, f"mine/{CHAT}.json", REQUEST)
    output = run(tmp_path, '"mine", to=["anthropic", "gemini"]')
    assert f"test_it.py::test_it[{CHAT}.json to anthropic] - " in output
    assert "1 failed, 1 passed" in output


def test_a_mistake_in_the_mark_is_one_line(tmp_path: Path) -> None:
    written(tmp_path, f"mine/{CHAT}.json", REQUEST)
    for mark, message in {
        '"mine"': "missing 1 required keyword-only argument: 'to'",
        'to=["anthropic"]': "expected one folder; found ()",
        '"yours", to=["anthropic"]': "yours has no payloads",
        '"mine", to=["antropic"]': "there is no protocol, vendor or profile 'antropic'",
    }.items():
        output = run(tmp_path, mark)
        assert "test_it, mark `payloads`: " in output
        assert message in output
        assert "Traceback" not in output
