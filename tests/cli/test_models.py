"""`proxai-ir models`, `check --model A --model B` and `convert --model`: what a user reads of any name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .support import Run

CHAT, RESPONSES = "openai_chat_completions", "openai_responses"
ANTHROPIC, GEMINI = "anthropic_messages", "gemini_generate_content"
HI: Any = [{"role": "user", "content": "Hi"}]
ASKED: dict[str, Any] = {
    CHAT: {"model": "m", "max_completion_tokens": 9, "messages": HI, "temperature": 0.5, "stop": ["END"]},
    RESPONSES: {"model": "m", "input": "Hi", "max_output_tokens": 16, "temperature": 0.5},
    ANTHROPIC: {"model": "m", "max_tokens": 9, "messages": HI, "temperature": 0.5, "stop_sequences": ["END"]},
    GEMINI: {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "generationConfig": {"temperature": 0.5, "stopSequences": ["END"], "maxOutputTokens": 16},
    },
}
UNKNOWN = "nothing is known of this model"


@pytest.fixture
def file(tmp_path: Path) -> Any:
    def made(protocol: str) -> str:
        where = tmp_path / f"{protocol}.json"
        where.write_text(json.dumps(ASKED[protocol]))
        return str(where)

    return made


def compared(run: Run, file: str, src: str, dst: str, *names: str) -> list[list[str]]:
    models = [word for name in names for word in ("--model", name)]
    result = run("check", file, "--from", src, "--to", dst, *models)
    assert result.exit_code in (0, 3), result.stderr
    return [line.split("\t") for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("src", "dst", "lossy", "rules", "whole"),
    [
        (CHAT, ANTHROPIC, "claude-sonnet-5-5", "SMP-3", "claude-opus-4-5"),
        (ANTHROPIC, CHAT, "gpt-5.2", "SMP-11", "gpt-4o"),
        (GEMINI, CHAT, "gpt-5.2", "SMP-11", "gpt-4o"),
        (RESPONSES, ANTHROPIC, "claude-sonnet-5-5", "SMP-3", "claude-opus-4-5"),
    ],
)
def test_which_of_several_takes_it_whole(
    run: Run, file: Any, src: str, dst: str, lossy: str, rules: str, whole: str
) -> None:
    assert compared(run, file(src), src, dst, lossy, whole) == [[lossy, "lossy", rules], [whole, "whole", ""]]


def test_without_a_target_each_model_is_asked_in_its_vendors_protocol(run: Run, file: Any) -> None:
    names = ("gpt-5.6", "claude-sonnet-5-5", "gemini-2.5-pro", "nonsense")
    models = [word for name in names for word in ("--model", name)]
    result = run("check", file(CHAT), "--from", CHAT, *models)
    assert [line.split("\t") for line in result.stdout.splitlines()] == [
        ["gpt-5.6", "lossy", "SMP-9, SMP-11, RSN-20", RESPONSES],
        ["claude-sonnet-5-5", "lossy", "SMP-3", ANTHROPIC],
        ["gemini-2.5-pro", "whole", "", GEMINI],
        ["nonsense", "whole", "", CHAT, UNKNOWN],
    ]
    alone = run("check", file(ANTHROPIC), "--from", ANTHROPIC, "--model", "gpt-5.6", "--json-diagnostics")
    assert {json.loads(line)["rule"] for line in alone.stdout.splitlines()} >= {"SMP-11"}
    assert run("check", file(CHAT), "--from", CHAT).exit_code == 2


ODD = ["", "a/b", "a:b", "nonsense", "my-deployment", "\x1b[2J"]


def test_names_that_nothing_is_known_of_say_so(run: Run, file: Any) -> None:
    shown = ["''", "a/b", "a:b", "nonsense", "my-deployment", "\\x1b[2J"]
    found = compared(run, file(ANTHROPIC), ANTHROPIC, CHAT, *ODD)
    assert found == [[name, "whole", "", UNKNOWN] for name in shown]


def test_other_spellings_are_the_model(run: Run, file: Any) -> None:
    names = ("ft:gpt-4o:org::id", "azure/gpt-4o", "GPT-4o", "openai/gpt-4o:free")
    assert compared(run, file(ANTHROPIC), ANTHROPIC, CHAT, *names) == [[name, "whole", ""] for name in names]


@pytest.mark.parametrize("name", ODD)
def test_models_of_an_unknown_name(run: Run, name: str) -> None:
    result = run("models", name)
    assert (result.exit_code, result.stdout) == (
        0,
        f"Nothing is known of {name!r}: it gets what every server of the protocol accepts.\n",
    )


def test_models_of_a_known_one(run: Run) -> None:
    lines = run("models", "ft:gpt-4o:org\x1b[2J").stdout.splitlines()
    assert lines[0] == f"ft:gpt-4o:org\\x1b[2J: a model of the family gpt; best used with {CHAT}"
    assert [line.split("\t")[:2] for line in lines[1:]] == [
        ["bedrock_converse", "thinking=False"],
        ["bedrock_converse", "family=responses"],
        [CHAT, "thinking=False"],
        [CHAT, "google_signatures=False"],
        [CHAT, "most_tools=128"],
        [RESPONSES, "thinking=False"],
    ]


def test_models_lists_the_families(run: Run) -> None:
    assert "claude-sonnet" in [line.split("\t")[0] for line in run("models").stdout.splitlines()]


@pytest.mark.parametrize("src", [CHAT, ANTHROPIC, RESPONSES])
def test_convert_names_the_model_that_it_is_for(run: Run, file: Any, src: str) -> None:
    dst = ANTHROPIC if src == CHAT else CHAT
    result = run("convert", file(src), "--from", src, "--to", dst, "--model", "gpt-5.2")
    assert json.loads(result.stdout)["model"] == "gpt-5.2"
    assert json.loads(run("convert", file(src), "--from", src, "--to", dst).stdout)["model"] == "m"


def test_what_is_no_request_keeps_what_it_is(run: Run, tmp_path: Path) -> None:
    where = tmp_path / "a.json"
    for text, status in (("[1]", 4), ("{", 5), ('{"error": {"type": "x", "message": "No."}, "type": "error"}', 0)):
        where.write_text(text)
        found = run("convert", str(where), "--from", ANTHROPIC, "--to", CHAT, "--model", "gpt-5.2")
        assert found.exit_code == status, found.stderr


@pytest.mark.parametrize(
    ("name", "family", "best", "behind"),
    [
        ("amazon.nova-pro-v1:0", "nova", "bedrock_converse", {"bedrock_converse"}),
        ("us.meta.llama3-3-70b-instruct-v1:0", "llama", "bedrock_converse", {"bedrock_converse"}),
        ("eu.twelvelabs.pegasus-1-2-v1:0", "(other)", "bedrock_converse", {"bedrock_converse"}),
        (
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "claude-sonnet",
            "anthropic_messages",
            {"anthropic_messages", "bedrock_converse"},
        ),
    ],
)
def test_a_name_of_bedrock_s_is_asked_about_there(
    run: Run, name: str, family: str, best: str, behind: set[str]
) -> None:
    head, *lines = run("models", name).stdout.splitlines()
    assert head == f"{name}: a model of the family {family}; best used with {best}"
    assert {line.split("\t")[0] for line in lines} == behind
