"""The spec is the suite: every example of spec/*.md runs; catalogue, sections, examples and code name the same rules.

Rule 1: expectations are written by hand in the spec and nothing here rewrites them. Rule 2: every tidy check is a
function of what it compares, and a test of its own shows that it can fail.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

import proxai_ir
from proxai_ir import Conversion, Exchange, sse
from proxai_ir.api import compile, lower, raise_to
from proxai_ir.batch import compile_line
from proxai_ir.exchange import Upstream
from proxai_ir.exports import compile_export
from proxai_ir.matrix.specification import (
    FOLDER,
    RULE_ID,
    Example,
    Finding,
    Section,
    SpecError,
    sections,
    spec,
)
from proxai_ir.matrix.tables import matrix
from proxai_ir.protocol.registry import backend, frontend, protocols
from proxai_ir.reporting.catalogue import RULES, Rule
from proxai_ir.reporting.diagnostics import Diagnostic, TranslationError

from .sides import sides

PACKAGE = Path(proxai_ir.__file__).parent
SPEC = spec()
EXAMPLES = [example for section in SPEC for example in section.examples]

Rules = Mapping[str, Rule]
Outcome = tuple[str | None, list[str]]

# --- examples ---------------------------------------------------------------------------------------------------------


def canonical(value: Any) -> str:
    """JSON text in which 1, 1.0 and true differ and the order of members does not count."""
    return json.dumps(value, sort_keys=True, indent=1)


def as_findings(diagnostics: Iterable[Diagnostic]) -> list[str]:
    return [str(Finding(each.severity, each.code, each.path)) for each in diagnostics]


def outcome(example: Example, payload: Any) -> Outcome:
    """What the library makes of an example: the output in canonical form, None where it refuses; its findings."""
    if example.kind == "stream":
        return stream_outcome(example, payload)
    try:
        done = compiled(example, payload)
    except TranslationError as error:
        return None, as_findings(error.diagnostics)
    output = done.body if isinstance(done, Upstream) else done.output
    made = orjson.loads(output) if isinstance(output, bytes) else output
    return canonical(made), as_findings(done.diagnostics)


def compiled(example: Example, payload: Any, **more: Any) -> Conversion | Upstream:
    dst, options = sides(example.dst, {**example.stated, **more})
    if example.kind == "exchange":
        return Exchange(example.src, dst, **options).request(payload)
    if example.kind == "batch":
        return compile_line(payload, example.src, dst, **options)
    if example.kind == "export":
        return compile_export(payload, example.src, dst, **options)
    return compile(payload, example.src, dst, kind=example.kind, **options)


def stream_outcome(example: Example, events: list[Any]) -> Outcome:
    """All that was handed out, also before an error."""
    dst, options = sides(example.dst, example.stated)
    converter = proxai_ir.StreamConverter(example.src, dst, **options)
    out: list[Any] = []
    try:
        for event in events:
            out += converter.feed(event)
        out += converter.close()
    except TranslationError as error:
        return canonical(out), as_findings([*converter.diagnostics, *error.diagnostics])
    return canonical(out), as_findings(converter.diagnostics)


def expected(example: Example) -> Outcome:
    made = None if example.output is None else canonical(example.output)
    return made, [str(finding) for finding in example.findings]


def in_every_form(text: str) -> Iterator[Any]:
    """An example's source as parsed JSON and as bytes; what only one of the two can hold, as that one."""
    try:
        parsed = json.loads(text)
    except ValueError:
        yield text.encode()
        return
    yield parsed
    if isinstance(parsed, list):
        yield list(sse.decode([b"".join(sse.encode(event, "anthropic_messages") for event in parsed)]))
        return
    try:
        orjson.loads(text)
    except ValueError:
        return
    yield text.encode()


def is_identity(example: Example) -> bool:
    """Return whether the payload comes back without a finding."""
    return example.src == example.dst and example.kind != "exchange" and not example.findings


@pytest.mark.parametrize("example", [one for one in EXAMPLES if not is_identity(one)], ids=lambda one: one.id)
def test_an_example_is_what_the_library_does(example: Example) -> None:
    for payload in in_every_form(example.given):
        assert outcome(example, payload) == expected(example)


@pytest.mark.parametrize("example", [one for one in EXAMPLES if is_identity(one)], ids=lambda one: one.id)
def test_a_payload_comes_back_to_its_own_protocol(example: Example) -> None:
    """Through the IR as the example shows; without it untouched (LOS-4)."""
    dst, options = sides(example.dst, example.stated)
    for payload in in_every_form(example.given):
        back = raise_to(lower(payload, example.src, kind=example.kind), dst, **options)
        assert (canonical(back), []) == expected(example)
        done = compile(payload, example.src, dst, kind=example.kind, **options)
        assert done.output is payload
        assert done.diagnostics == ()


def lossy(example: Example) -> bool:
    worst = {finding.severity for finding in example.findings}
    if example.kind == "stream":  # which stops at the first
        return False
    return "loss" in worst and example.output is not None and not is_identity(example)


@pytest.mark.parametrize("example", [one for one in EXAMPLES if lossy(one)], ids=lambda one: one.id)
def test_strict_mode_refuses_every_loss(example: Example) -> None:
    """LOS-2: with the same findings as errors, less those that lose nothing."""
    with pytest.raises(TranslationError) as caught:
        compiled(example, json.loads(example.given), strict=True, accept=())
    losses = [str(finding).replace("loss ", "error ", 1) for finding in example.findings if finding.severity != "info"]
    assert as_findings(caught.value.diagnostics) == losses


# --- tidy: each check gives the complaints that it has ----------------------------------------------------------------


def undocumented(rules: Rules, read: Iterable[Section]) -> list[str]:
    """Catalogue <=> sections, one each, each with prose."""
    headings = [section.rule for section in read if section.rule]
    twice = [rule for rule in dict.fromkeys(headings) if headings.count(rule) > 1]
    return [
        *(f"{rule} has no section" for rule in rules if rule not in headings),
        *(f"{rule} has {headings.count(rule)} sections" for rule in twice),
        *(f"{section.at}: {section.rule} is no rule" for section in read if section.rule and section.rule not in rules),
        *(f"{section.at}: {section.rule} has no text" for section in read if section.rule and not any(section.prose)),
    ]


def unshown(rules: Rules, read: Iterable[Section]) -> list[str]:
    """A section's examples show its rule; a law is never reported, and has an example all the same."""
    complaints = []
    for section in read:
        rule = rules.get(section.rule)
        if rule is None:
            continue
        shown = {finding.rule for example in section.examples for finding in example.findings}
        if not section.examples:
            complaints.append(f"{section.at}: {rule.id} has no example")
        elif rule.severity != "law" and rule.id not in shown:
            complaints.append(f"{section.at}: no example shows {rule.id}")
    return complaints


def mentioned(section: Section) -> set[str]:
    """Return every rule id in a section: its own, those of its prose, those that its examples show."""
    words = [section.rule, section.title, *section.prose]
    shown = {finding.rule for example in section.examples for finding in example.findings}
    return shown | {rule for text in words for rule in RULE_ID.findall(text)}


def unknown_rules(rules: Rules, read: Iterable[Section]) -> list[str]:
    """Every id in the spec is a rule's, and every finding has its rule's severity; strict mode makes losses errors."""
    complaints = []
    for section in read:
        complaints += [f"{section.at}: {rule} is no rule" for rule in sorted(mentioned(section) - rules.keys())]
        for example in section.examples:
            for finding in example.findings:
                rule = rules.get(finding.rule)
                refused = example.stated.get("strict") and finding.severity == "error"
                if rule is not None and rule.severity != finding.severity and not refused:
                    complaints.append(f"{example.id}: {rule.id} is {rule.severity}, not {finding.severity}")
    return complaints


def uncited(rules: Rules, cited: Mapping[str, set[str]]) -> list[str]:
    """Code cites no rule that there is not, and every rule that can be reported is cited. `cited`: ids by place."""
    everywhere = set().union(*cited.values())
    return [
        *(f"{place} cites {rule}" for place, ids in cited.items() for rule in sorted(ids - rules.keys())),
        *(
            f"{rule.id} is cited nowhere"
            for rule in rules.values()
            if rule.severity != "law" and rule.id not in everywhere
        ),
    ]


def cited() -> dict[str, set[str]]:
    """The rule ids that target tables, wire vocabularies and the source of the package name."""
    places = {f"target of {name}": backend(name).target.cited() for name in protocols()}
    places |= {f"natives of {name}": set(native_rules(frontend(name).vendor_fields)) for name in protocols()}
    for source in sources(PACKAGE):
        if source.name != "catalogue.py":
            places[str(source.relative_to(PACKAGE))] = literal_rules(source.read_text(encoding="utf-8"))
    return places


def sources(folder: Path) -> Iterator[Path]:
    """All Python files below a folder, also those that links to frontends and backends lead to."""
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            yield from sources(path)
        elif path.suffix == ".py":
            yield path


def native_rules(table: Any) -> Iterator[str]:
    """The rules of a vocabulary's one-vendor members; a function that finds the rule by the value is given samples."""
    if isinstance(table, str):
        yield from (rule for rule in (table,) if rule)  # no rule: the member repeats another
    elif callable(table):
        yield from filter(None, (str(table(sample)) for sample in (None, {}, {"type": "direct"})))
    else:
        for value in table.values():
            yield from native_rules(value)


def literal_rules(source: str) -> set[str]:
    """String literals that are a rule id and nothing else; comments and docstrings cite nothing."""
    words = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return {word for word in words if isinstance(word, str) and RULE_ID.fullmatch(word)}


def test_every_rule_has_one_section() -> None:
    assert undocumented(RULES, SPEC) == []


def test_every_section_shows_its_rule() -> None:
    assert unshown(RULES, SPEC) == []


def test_the_spec_names_only_rules() -> None:
    assert unknown_rules(RULES, SPEC) == []


def test_the_code_cites_the_catalogue_and_all_of_it() -> None:
    assert uncited(RULES, cited()) == []


def test_the_matrix_is_drawn_from_the_tables() -> None:
    assert (FOLDER / "matrix.md").read_text(encoding="utf-8") == matrix()


# --- the checks can fail ----------------------------------------------------------------------------------------------


def undeclared(rule: str, severity: Any, sentence: str) -> Rule:
    made = str.__new__(Rule, rule)
    made.severity, made.sentence, made.whole = severity, sentence, False
    return made


SMALL: Rules = {
    "AAA-1": undeclared("AAA-1", "loss", "Something is lost."),
    "AAA-2": undeclared("AAA-2", "law", "Something is obeyed."),
}
TIDY = """
## AAA-1 One
Lost.
````example request a -> b strict=true
{}
.
{}
.
loss AAA-1 /x
````
## AAA-2 Two
Obeyed.
````example request a -> b
{}
.
{}
.
````
"""


def complaints(text: str) -> list[str]:
    read = list(sections("small.md", text))
    return [*undocumented(SMALL, read), *unshown(SMALL, read), *unknown_rules(SMALL, read)]


def test_a_tidy_spec_has_no_complaints() -> None:
    assert complaints(TIDY) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("## AAA-2 Two", "## Two", "AAA-2 has no section"),
        ("## AAA-2 Two", "## AAA-1 Two", "AAA-1 has 2 sections"),
        ("## AAA-2 Two", "## AAA-3 Two", "small.md:11: AAA-3 is no rule"),
        ("Obeyed.", "", "small.md:11: AAA-2 has no text"),
        ("Obeyed.", "As in BBB-1.", "small.md:11: BBB-1 is no rule"),
        ("loss AAA-1 /x", "", "small.md:2: no example shows AAA-1"),
        ("loss AAA-1 /x", "loss AAA-1 /x\nloss AAA-9", "small.md:2: AAA-9 is no rule"),
        ("loss AAA-1 /x", "info AAA-1 /x", "small.md:4:AAA-1: AAA-1 is loss, not info"),
        ("````example request a -> b\n", "````json\n", "small.md:11: AAA-2 has no example"),
    ],
)
def test_an_untidy_spec_has_complaints(old: str, new: str, complaint: str) -> None:
    assert old in TIDY
    assert complaint in complaints(TIDY.replace(old, new))


@pytest.mark.parametrize(
    "broken",
    [
        TIDY.replace("example request", "example wish"),
        TIDY.replace("a -> b", "a b"),
        TIDY.replace("strict=true", "strict=yes"),
        TIDY.replace("loss AAA-1 /x", "loss AAA-1 x"),
        TIDY.replace("loss AAA-1 /x", "."),
        TIDY.replace("{}\n.\n{}", "\n.\n{}"),
        TIDY.replace("{}\n.\n{}", "{}\n.\n{"),
        TIDY.rstrip().removesuffix("````"),
    ],
)
def test_a_malformed_spec_is_no_spec(broken: str) -> None:
    assert broken != TIDY
    with pytest.raises(SpecError, match=r"^small\.md:\d+: "):
        list(sections("small.md", broken))


def test_an_example_knows_where_it_stands() -> None:
    first, second = (section.examples[0] for section in sections("small.md", TIDY) if section.rule)
    assert (first.id, first.section, first.stated) == ("small.md:4:AAA-1", "AAA-1", {"strict": True})
    assert first.findings == (Finding("loss", "AAA-1", "/x"),)
    assert (second.id, second.findings) == ("small.md:13:AAA-2", ())


def test_citations_are_compared_both_ways() -> None:
    assert uncited(SMALL, {"here": {"AAA-1"}}) == []
    assert uncited(SMALL, {"here": {"AAA-2"}}) == ["AAA-1 is cited nowhere"]
    assert uncited(SMALL, {"here": {"AAA-1", "AAA-7"}}) == ["here cites AAA-7"]


def test_citations_are_found() -> None:
    assert literal_rules('"""AAA-1"""\nreport("AAA-2")  # AAA-3\nprint("AAA-4 is long")') == {"AAA-1", "AAA-2"}
    assert list(native_rules({"X": {"a": "AAA-1", "b": {"c": "AAA-2"}}})) == ["AAA-1", "AAA-2"]
    assert set(native_rules({"X": {"a": lambda value: "AAA-3" if value is None else "AAA-4"}})) == {"AAA-3", "AAA-4"}


def test_an_example_of_the_wrong_outcome_fails() -> None:
    """The comparison distinguishes numbers of different types, and shows one missing finding."""
    assert canonical({"a": 1, "b": 2}) == canonical({"b": 2, "a": 1})
    assert len({canonical(value) for value in (1, 1.0, True)}) == 3
    info = "example request openai_chat_completions -> anthropic_messages"
    source = '{"model": "m", "max_completion_tokens": 5, "seed": 1, "messages": [{"role": "user", "content": "Hi"}]}'
    target = '{"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}'

    def example(output: str, findings: str) -> Example:
        read = f"````{info}\n{source}\n.\n{output}\n.\n{findings}\n````"
        return next(sections("small.md", read)).examples[0]

    right = example(target, "loss SMP-10 /seed")
    assert outcome(right, json.loads(right.given)) == expected(right)
    for wrong in (example(target, ""), example("", "loss SMP-10 /seed"), example("{}", "loss SMP-10 /seed")):
        assert outcome(wrong, json.loads(wrong.given)) != expected(wrong)
