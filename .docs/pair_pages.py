"""A page for each pair of protocols: an example, what is lost, approximated and refused, and what to do about it.

Rule: every row is one of `proxai_ir.matrix.pairs`, which reads the tables that the code executes, and every name is one
of the tables' own. Nothing here knows a protocol.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import matrix_page
import rule_pages
from wire_names import names

import proxai_ir
from proxai_ir.ir.structure import FEATURES
from proxai_ir.matrix.pairs import Outcome, Row
from proxai_ir.matrix.specification import FOLDER
from proxai_ir.protocol.registry import backend, frontend, protocols
from proxai_ir.reporting.catalogue import ERRORS, LOSSES, RULES

SECTIONS = {
    "rejected": (
        "What stops the conversion",
        "Content that must not be dropped: the request is refused, and names it.",
    ),
    "lost": ("What is lost", "Dropped, and reported as a `loss`; with `strict=True` it is refused."),
    "approximated": ("What is approximated", "It arrives in a form that holds less, which is a `loss`, too."),
    "omitted": ("What is dropped without an effect", "No content and no behaviour of the response changes: an `info`."),
}
EXACT = "exact"


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the Markdown of every page."""
    for (src, dst), rows in matrix_page.pairs().items():
        yield name(src, dst), page(src, dst, rows)


def name(src: str, dst: str) -> str:
    return f"pairs/{src}_to_{dst}.md"


def title(src: str, dst: str) -> str:
    return f"{src} → {dst}"


def nav() -> list[dict[str, Any]]:
    """Return the pages as MkDocs lists them: by source."""
    return [{f"From {src}": [name(src, dst) for dst in protocols() if dst != src]} for src in protocols()]


def page(src: str, dst: str, rows: list[Row]) -> str:
    excepted = [row for row in rows if row.verdict == EXACT and row.excepted]
    whole = [row for row in rows if row.verdict == EXACT and not row.excepted]
    return "\n\n".join(
        [
            "---\nhide: [toc]\n---",
            f"# {title(src, dst)}",
            summary(src, dst, rows),
            example(src, dst),
            *(section(*SECTIONS[one], [row for row in rows if row.verdict == one], src, dst) for one in SECTIONS),
            section(
                "What arrives, with exceptions", "In general it arrives; the exceptions are these.", excepted, src, dst
            ),
            remedies(dst, rows),
            own(src),
            arrives(whole, src, dst),
        ]
    )


def summary(src: str, dst: str, rows: list[Row]) -> str:
    counts = Counter(matrix_page.counted(row) for row in rows)
    back = f"[{title(dst, src)}]({name(dst, src).partition('/')[2]})"
    lines = [
        f"Of the {len(rows)} fields and places that a payload of `{src}` can have, on a server of which nothing is",
        "stated:",
        "",
        *(counted(word, count) for word, count in counts.most_common()),
        "",
        f"The same with a filter: [the matrix](../matrix.md?from={src}&to={dst}). The way back: {back}.",
    ]
    return "\n".join(lines)


def counted(word: str, count: int) -> str:
    """Return a line of the list: "exact with exceptions" is of the verdict `exact`."""
    verdict, _, more = word.partition(" ")
    return f"- {matrix_page.badge(verdict)} {count} {more}".rstrip()


# --- an example -------------------------------------------------------------------------------------------------------


def example(src: str, dst: str) -> str:
    """Return the protocol's sample request, converted while the site is built."""
    file = FOLDER / "payloads" / f"{src}_request.json"
    if not file.exists():
        return ""
    given = file.read_text(encoding="utf-8")
    model = {"model": "your-model"} if "model" not in json.loads(given) else {}  # it stands in the URL
    options = "".join(f" --option model={one}" for one in model.values())
    command = f"proxai-ir convert --from {src} --to {dst} --pretty{options}"
    call = f"```sh\n{command} \\\n  spec/payloads/{file.name}\n```"
    try:
        result = proxai_ir.compile(json.loads(given), src, dst, **model)
    except proxai_ir.Unrepresentable as error:
        return "\n\n".join(["## An example", call, f"It is refused, by {error.rule} at `{error.path}`."])
    found = [reported(one) for one in proxai_ir.remedies(json.loads(given), src, dst, **model)]
    heads = ["| severity | rule | pointer | message |", "| --- | --- | --- | --- |"]
    shown = [
        rule_pages.tab(src, rule_pages.fence(given.rstrip(), "json")),
        rule_pages.tab(dst, rule_pages.fence(json.dumps(result.output, indent=2, ensure_ascii=False), "json")),
        '<div class="found card" markdown>\n\n' + "\n".join([*heads, *found]) + "\n\n</div>",
    ]
    return "\n\n".join(["## An example", call, *shown])


def reported(one: proxai_ir.Finding) -> str:
    helps = "; ".join(rule_pages.cell(str(remedy)) for remedy in one.remedies)
    message = rule_pages.cell(one.message) + (f"<br><small>What removes it: {helps}.</small>" if helps else "")
    cells = (rule_pages.severity(one.severity.value), one.rule, places(one.paths), message)
    return f"| {' | '.join(cells)} |"


def places(paths: Iterable[str]) -> str:
    return "<br>".join(rule_pages.pointer(path) for path in paths)


# --- the rows ---------------------------------------------------------------------------------------------------------


def section(head: str, meaning: str, rows: list[Row], src: str, dst: str) -> str:
    if not rows:
        return ""
    lines = [f"| `{src}` | `{dst}` | what happens |", "| --- | --- | --- |"]
    lines += [f"| {called(src, row)} | {called(dst, row, '')} | {happens(row)} |" for row in rows]
    return "\n".join([f"## {head}", "", meaning, "", '<div class="pair card" markdown>', "", *lines, "", "</div>"])


def called(protocol: str, row: Row, otherwise: str | None = None) -> str:
    """Return the protocol's name of the row's subject, or `otherwise`; for the source with the IR's name below."""
    path = next(iter(names(protocol).get(row.subject, ())), "")
    shown = breakable(path)
    if otherwise is None:
        return f"{shown}<br><small>{row.subject}</small>" if shown else f"<small>{row.subject}</small>"
    return shown or otherwise


def breakable(path: str) -> str:
    """Return a path that a line may end in after each slash, and with its object's type after it."""
    path, _, tag = path.partition(" ")
    if not path:
        return ""
    shown = path.replace("*", "&#42;").replace("_", "&#95;").replace("/", "/<wbr>")
    return f"<code>{shown}</code>" + (f" `{tag}`" if tag else "")


def happens(row: Row) -> str:
    return "<br>".join(what(one) for one in row.outcomes if one.rule or len(row.outcomes) == 1) or "arrives"


def what(one: Outcome) -> str:
    conditions = [
        "some values" if one.some else "",
        f"servers without `{one.without}`" if one.without else "",
        f"servers where {one.where}" if one.where else "",
    ]
    about = ", ".join(filter(None, conditions))
    sentence = rule_pages.cell(RULES[one.rule].sentence) if one.rule in RULES else ""
    return " ".join(filter(None, [matrix_page.badge(one.verdict), one.rule, sentence, f"({about})" if about else ""]))


def arrives(rows: list[Row], src: str, dst: str) -> str:
    lines = [f"| `{src}` | `{dst}` |", "| --- | --- |"]
    lines += [f"| {called(src, row)} | {called(dst, row, '')} |" for row in rows]
    return "\n".join(
        ["## What arrives", "", f'??? note "{len(rows)} fields and places, with the same meaning"', ""]
        + [f"    {line}" for line in lines]
    )


# --- what to do -------------------------------------------------------------------------------------------------------


def remedies(dst: str, rows: list[Row]) -> str:
    """Return the capabilities of the target that these rows depend on, and what holds for every conversion."""
    depending: dict[str, dict[str, None]] = {}
    for row in rows:
        for one in row.outcomes:
            if one.without:
                depending.setdefault(one.without, {})[row.subject] = None
    has = backend(dst).target.capabilities
    lines = [
        f"| `{one}` | {'yes' if has[one] else 'no'} | {'<br>'.join(subjects)} |"
        for one, subjects in sorted(depending.items())
    ]
    lost = next((one.rule for row in rows for one in row.outcomes if one.rule in LOSSES), "")
    text = [
        "## What to do about it",
        "",
        "- Know it before: `check` in place of `convert`, or `proxai-ir check`, reports and sends nothing.",
        f'- Refuse what you do not accept: `strict=True, accept=("{lost}",)` stops at all other losses.',
        f'- State what the server has: `proxai_ir.Profile("{dst}", …=True)` in place of the protocol\'s name. These',
        "    capabilities decide rows of this page; `assumed`: whether a server of which nothing is stated has it.",
    ]
    if lines:
        text += [
            "",
            '<div class="pair card" markdown>',
            "",
            "| capability | assumed | decides |",
            "| --- | --- | --- |",
        ]
        text += [*lines, "", "</div>"]
    return "\n".join([*text, "", "[All capabilities](../rules/capabilities.md) are declared with their meaning."])


# --- members that only the source has ---------------------------------------------------------------------------------


def own(src: str) -> str:
    """Return a table of the members that no other protocol has, by the rule that reports them."""
    found: dict[str, dict[str, None]] = {}
    for cls in FEATURES:
        known = {path.split("/")[0] for paths in names(src).values() for path in paths}
        for path, rule in members(frontend(src).vendor_fields.get(cls.__name__, {})):
            if path.split("/")[0] not in known:
                found.setdefault(rule, {})[f"`{path}`"] = None
    lines = [
        f"| {', '.join(paths)} | {rule}: {rule_pages.cell(RULES[rule].sentence)} |" for rule, paths in found.items()
    ]
    if not lines:
        return ""
    head = ["| member | reported as |", "| --- | --- |"]
    return "\n".join(
        [
            f"## What only {src} has",
            "",
            "No other protocol has these members; what the value decides is in [the rules](../rules/all.md).",
            "",
            '<div class="pair card" markdown>',
            "",
            *head,
            *lines,
            "",
            "</div>",
        ]
    )


def members(table: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the members with one rule of their own that is a loss or an error."""
    for key, rule in table.items() if isinstance(table, Mapping) else ():
        if isinstance(rule, Mapping):
            yield from members(rule, f"{prefix}{key}/")
        elif isinstance(rule, str) and rule in LOSSES | ERRORS and key != "*":
            yield prefix + key, str(rule)
