"""What the command line shows of the library itself: rules, protocols, profiles, version, help."""

import json
import re
import subprocess
import sys

import pytest

import proxai_ir
from proxai_ir.cli import servers
from proxai_ir.cli.app import COMMANDS, explained
from proxai_ir.cli.outcome import MEANINGS, ExitCode
from proxai_ir.exchange.servers import named_profiles, words
from proxai_ir.matrix.rulebook import readable, section
from proxai_ir.matrix.specification import sections
from proxai_ir.matrix.tables import matrix as drawn
from proxai_ir.profiles.about import ABOUT
from proxai_ir.reporting.catalogue import RULES

from .support import Run, environment, records


def test_all_rules_one_a_line(run: Run) -> None:
    result = run("rules")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == list(RULES)
    assert any(line.split()[:2] == ["TUL-4", "loss"] for line in result.stdout.splitlines())


@pytest.mark.parametrize("family", ["TUL", "tul"])
def test_a_family(run: Run, family: str) -> None:
    result = run("rules", family)
    assert result.exit_code == 0
    assert {line.split("-")[0] for line in result.stdout.splitlines()} == {"TUL"}


@pytest.mark.parametrize("rule", ["TUL-4", "tul-4"])
def test_one_rule_is_its_section_of_the_spec(run: Run, rule: str) -> None:
    result = run("rules", rule)
    assert result.exit_code == 0
    assert result.stdout.startswith("## TUL-4 ")
    assert "\n## " not in result.stdout


def test_every_rule_can_be_read() -> None:
    assert [rule for rule in RULES if not (section(rule) or "").startswith(f"## {rule}")] == []


@pytest.mark.parametrize(("wanted", "near"), [("TUL-94", "TUL-9"), ("TLU", "TUL"), ("????", "TUL")])
def test_an_unknown_rule_lists_near_ones(run: Run, wanted: str, near: str) -> None:
    result = run("rules", wanted)
    assert (result.exit_code, result.stdout) == (2, "")
    assert near in result.stderr


def test_a_section_ends_where_the_next_heading_stands_outside_fences() -> None:
    text = """# Tools
## TUL-40 another
no
## TUL-4 errors
yes
````text
## TUL-5 not a heading
```
# nor this
````
### deeper
yes
## TUL-5 next
no"""
    lines = {one.rule: one.lines for one in sections("tools.md", text)}
    assert lines["TUL-4"] == text.splitlines()[3:12]
    assert "TUL-6" not in lines


def matrix(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "proxai_ir.matrix", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60, check=False)


def test_the_matrix() -> None:
    assert matrix().stdout == drawn()


def test_the_matrix_of_one_target() -> None:
    result = matrix("anthropic_messages")
    assert result.returncode == 0
    tables = [line for line in result.stdout.splitlines() if line.startswith("|")]
    assert any("anthropic_messages" in line for line in tables)
    assert not any("openai_chat_completions" in line for line in tables)
    assert matrix("unknown").returncode == 2
    cells = records(matrix("anthropic_messages", "--json").stdout)
    assert all({*one} == {"table", "subject", "anthropic_messages"} for one in cells)
    assert {"table": "Fields", "subject": "Sampling.seed", "anthropic_messages": "SMP-10"} in cells


def test_protocols(run: Run) -> None:
    result = run("protocols")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == list(proxai_ir.protocols())


def test_version(run: Run) -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"proxai-ir {proxai_ir.__version__}\n")
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", proxai_ir.__version__)


def test_profiles(run: Run) -> None:
    result = run("profiles")
    assert result.exit_code == 0
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert [name for name, *_ in lines] == [*named_profiles()] == sorted(ABOUT)
    assert ["vllm", "openai_chat_completions", "vLLM's server for clients of OpenAI"] in lines
    listed = records(run("profiles", "--json").stdout)
    assert [one["profile"] for one in listed] == [*named_profiles()]


def test_one_profile_has_its_settings_and_their_source(run: Run) -> None:
    result = run("profiles", "OpenAI_Chat")
    assert result.stdout.splitlines()[:3] == [
        "openai_chat: openai_chat_completions, for OpenAI's Chat Completions with gpt-5.6 and later",
        "  cache_breakpoints=True",
        "  custom_tools=True",
    ]
    assert "prompt_cache_options" in result.stdout.splitlines()[3]
    (one,) = records(run("profiles", "--json", "openai_chat").stdout)
    assert one["settings"] == {"cache_breakpoints": True, "custom_tools": True}
    wrong = run("profiles", "vlm")
    assert wrong.exit_code == 2
    assert "did you mean 'vllm'?" in wrong.stderr


# --- help -------------------------------------------------------------------------------------------------------------


def shown(text: str) -> str:
    """Help without the frames and breaks of its lines."""
    return " ".join(text.replace("│", " ").split())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command(run: Run, name: str) -> None:
    """It has an example and the exit codes, and is the same for both of its flags."""
    result = run(name, "-h")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == run(name, "--help").stdout
    text = shown(result.stdout)
    assert f"Example: proxai-ir {COMMANDS[name].example}" in text
    assert f"Exit codes: {explained(COMMANDS[name].codes)}." in text


@pytest.mark.parametrize("name", ["convert", "check", "lower", "diff", "fold", "bulk", "serve"])
def test_the_names_that_options_take_are_in_their_help(run: Run, name: str) -> None:
    text = shown(run(name, "-h").stdout)
    assert [one for one in words() if not re.search(rf"\b{one}\b", text)] == []


def test_all_commands_are_in_the_first_help(run: Run) -> None:
    text = shown(run("-h").stdout)
    assert [name for name in COMMANDS if f" {name} " not in text] == []
    assert [code for code in ExitCode if f"{code.value} {MEANINGS[code]}" not in text] == []


# --- for programs, and for people who ask -----------------------------------------------------------------------------


def test_explain(run: Run) -> None:
    result = run("explain", "tul-4")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("TUL-4 (loss): The target cannot mark a tool result as failed")
    assert lines[1].startswith("loss: ")
    assert "Example, a request: anthropic_messages -> openai_chat_completions" in lines


def test_explain_as_json(run: Run) -> None:
    (one,) = records(run("explain", "--json", "TUL-4").stdout)
    assert (one["rule"], one["severity"]) == ("TUL-4", "loss")
    example = one["examples"][0]
    assert (example["kind"], example["from"], example["to"]) == (
        "request",
        "anthropic_messages",
        "openai_chat_completions",
    )
    assert '"is_error": true' in example["given"]
    assert "loss TUL-4" in example["findings"]


def test_every_rule_is_explained(run: Run) -> None:
    for rule in [*RULES.values()][:: len(RULES) // 20]:
        result = run("explain", rule.id)
        assert result.stdout.startswith(f"{rule.id} ({rule.severity}): {rule.sentence}\n{rule.severity}: ")


def test_a_family_is_not_one_rule(run: Run) -> None:
    result = run("explain", "TUL")
    assert result.exit_code == 2
    assert "family" in result.stderr


def test_rules_protocols_and_models_as_json(run: Run) -> None:
    rules = records(run("rules", "--json").stdout)
    assert [one["rule"] for one in rules] == list(RULES)
    assert {*rules[0]} == {"rule", "severity", "sentence"}
    assert [one["rule"] for one in records(run("rules", "--json", "TUL-4").stdout)] == ["TUL-4"]
    listed = records(run("protocols", "--json").stdout)
    assert [one["protocol"] for one in listed] == [*proxai_ir.protocols()]
    framings = {one["protocol"]: one["streams"] for one in listed}
    others = {"bedrock_converse": "AWS event stream", "ollama_chat": "NDJSON"}
    assert framings == dict.fromkeys(framings, "server-sent events") | others
    families = records(run("models", "--json").stdout)
    assert all(type(one["facts"]) is int for one in families)
    facts = records(run("models", "--json", "claude-opus-4-6").stdout)
    assert {one["family"] for one in facts} == {"claude-opus"}
    assert all(isinstance(one["settings"], dict) and one["source"] for one in facts)


def test_completion() -> None:
    assert servers.rules_from("tul-4")[0] == "TUL-4"
    assert servers.servers_from("vert") == ["vertex", "vertex_ai"]
    assert "vllm" in servers.profiles_from("")
    assert servers.models_from("claude-op") == ["claude-opus"]


def test_profiles_wherever_a_protocol_is(run: Run) -> None:
    payload = b'{"model":"m","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":5,"logprobs":true}'
    chat = ("--from", "openai_chat_completions")
    plain = run("check", *chat, "--to", "gemini_generate_content", "--json", "-", stdin=payload)
    stated = run("check", *chat, "--to", "vertex_ai", "--json", "-", stdin=payload)
    assert "SMP-7" in {one["rule"] for one in records(plain.stdout)}
    assert "SMP-7" not in {one["rule"] for one in records(stated.stdout)}
    assert run("check", "--from", "vllm", "--to", "vertex_ai", "-", stdin=payload).exit_code == stated.exit_code


def test_words_of_vendors_wherever_a_protocol_is(run: Run) -> None:
    """With one note of what they stand for, which neither programs nor --quiet get."""
    payload = b'{"model":"m","messages":[{"role":"user","content":"hi"}]}'
    way = ("convert", "--from", "openai_chat_completions", "--to", "ollama:qwen3", "-")
    done = run(*way, stdin=payload)
    assert json.loads(done.stdout) == {
        "model": "qwen3",
        "stream": False,
        "messages": [{"role": "user", "content": "hi"}],
    }
    assert done.stderr == "proxai-ir: ollama is the protocol ollama_chat\n"
    assert run(*way, "--quiet", stdin=payload).stderr == run(*way, "--json", stdin=payload).stderr == ""
    twice = run(*way, "--model", "other", stdin=payload)
    assert twice.exit_code == 2
    assert "names another model than 'other'" in twice.stderr


def test_an_example_of_a_section_is_shown_as_source_target_and_findings() -> None:
    text = """Why.
````example request a -> b strict=true
{"x": 1}
.
.
error TUL-4 /x
````
```json
{}
```"""
    assert readable(text).splitlines() == [
        "Why.",
        "Example, a request: a -> b, with strict=true",
        *("", "source:", "", '    {"x": 1}'),
        *("", "target:", "", "    refused"),
        *("", "reported:", "", "    error TUL-4 /x"),
        "```json",
        "{}",
        "```",
    ]
