"""What the command line shows of the library itself: rules, matrix, protocols, version."""

import pytest

import proxai_ir
from proxai_ir.cli.rulebook import readable, section_lines
from proxai_ir.rules.catalogue import RULES

from .support import Run


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


def test_every_rule_can_be_read(run: Run) -> None:
    assert [rule for rule in RULES if not run("rules", rule).stdout.startswith(f"## {rule}")] == []


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
````example a -> b
## TUL-5 not a heading
```
# nor this
````
### deeper
yes
## TUL-5 next
no"""
    lines = list(section_lines(text.splitlines(), "TUL-4"))
    assert lines == text.splitlines()[3:12]
    assert list(section_lines(text.splitlines(), "TUL-6")) == []


def test_the_matrix(run: Run) -> None:
    result = run("matrix")
    assert result.exit_code == 0
    assert "anthropic_messages" in result.stdout
    assert "openai_chat_completions" in result.stdout


def test_the_matrix_of_one_target(run: Run) -> None:
    result = run("matrix", "--to", "anthropic_messages")
    assert result.exit_code == 0
    tables = [line for line in result.stdout.splitlines() if line.startswith("|")]
    assert any("anthropic_messages" in line for line in tables)
    assert not any("openai_chat_completions" in line for line in tables)
    assert run("matrix", "--to", "unknown").exit_code == 2


def test_protocols(run: Run) -> None:
    result = run("protocols")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == list(proxai_ir.protocols())


def test_version(run: Run) -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("proxai-ir ")


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
