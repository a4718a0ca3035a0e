"""How much of each table is its own: of the cells of each class and place, those that it states; the others are the
base's. What the IR gains needs a verdict in the base, and a look at each target: is the base's true of it?

A cell is a field, or each value of a field that holds an enum; or a class in a place, in requests and in responses. A
line that fails is corrected by hand, after that look.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs
import pytest
from syrupy.assertion import SnapshotAssertion

from proxai_ir.ir.structure import BOOKKEEPING, FEATURES, PLACES
from proxai_ir.protocol.registry import backend
from proxai_ir.targets.models import CAPABILITIES
from proxai_ir.targets.verdicts import Target, members

from .rows import TARGETS
from .tables import LATER

# own/all, of: anthropic_messages, gemini_generate_content, openai_chat_completions, openai_responses
CELLS = """
Request 4/6 2/6 1/6 3/6
Sampling 4/11 9/11 11/11 6/11
Thinking 13/13 12/13 4/13 4/13
Output 0/4 3/4 3/4 1/4
Speech — 4/4 2/4 —
Picture — 0/2 — —
PlainFormat — 0/0 0/0 0/0
JsonFormat — 0/0 0/0 0/0
SchemaFormat 0/4 0/4 2/4 2/4
EnumFormat 0/1 0/1 0/1 0/1
FreeText — — 0/0 0/0
Grammar — — 0/2 0/2
UnknownFormat — — — —
Caching 2/4 0/4 4/4 4/4
Service 5/12 5/12 12/12 12/12
Streaming 1/3 2/3 2/3 2/3
Summary — — — —
Cache 1/1 — 1/1 1/1
FunctionTool 3/6 1/6 2/6 2/6
CustomTool — — 0/3 0/3
WebSearchTool 4/8 3/8 1/8 3/8
CodeTool 1/2 0/2 — 0/2
McpServer 0/5 2/5 — 1/5
McpToolset — — — —
ToolGroup — — — —
ClientTool 4/4 4/4 — —
HostedTool 0/3 0/3 — 0/3
UnknownTool — — — —
Location 0/4 — 0/4 0/4
Choice 0/4 4/4 0/4 0/4
NamedChoice 0/2 0/2 0/2 0/2
CustomChoice — — 0/2 0/2
AllowedChoice 1/5 4/5 0/5 1/5
WebSearchChoice 0/0 — — 0/0
CodeChoice 0/0 — — 0/0
HostedChoice — — — —
Turn 0/7 0/7 6/7 1/7
TurnSettings 1/1 0/1 0/1 0/1
Text 1/3 1/3 2/3 1/3
Image 1/3 2/3 2/3 2/3
Audio 1/5 1/5 3/5 1/5
Video — 0/1 — —
Document 4/4 1/4 2/4 1/4
SearchResult 3/5 0/4 2/4 1/4
FunctionCall 1/6 1/6 1/6 0/6
CustomCall — — 1/5 0/5
ClientCall — — — 5/5
ClientResult — — — —
HostedCall — 3/3 — —
HostedResult — 3/3 — —
WebSearchCall 4/4 0/4 — 2/4
WebSearchResult 4/4 0/4 — 3/5
McpCall 2/5 — — 1/5
McpResult 2/4 — — 1/4
CodeCall 2/4 1/4 — 2/4
CodeResult 4/7 2/7 — 2/7
ToolResult 2/4 1/4 3/4 1/4
Reasoning 2/3 1/3 1/3 2/3
Refusal 0/1 0/1 0/1 0/1
Reference — — — —
ToolChange — — — —
VendorPart 0/2 0/2 0/2 0/2
UnknownPart — — — —
WebHit 2/4 0/4 — 2/4
Inline 0/2 0/2 0/2 0/2
Url 0/2 1/2 0/2 0/2
FileRef — 1/3 0/3 0/3
PlainText 1/2 1/2 0/2 0/2
Chunks 0/0 0/0 0/0 0/0
UrlCitation — 0/6 0/6 0/6
SourceCitation — — — —
DocumentCitation 0/9 — — —
Response 6/12 3/12 10/12 9/12
Candidate 0/1 1/1 1/1 1/1
LogProbs — 0/1 1/1 1/1
ScoredToken — 2/4 0/4 0/4
Terminal 13/14 2/14 2/14 3/14
RefusalDetails 1/2 0/2 0/2 0/2
Usage 1/7 1/7 0/7 0/7
Error 4/20 4/20 3/20 1/20
instructions 2/50 0/50 0/50 0/50
user 6/50 10/50 4/50 2/50
assistant 16/50 14/50 10/50 28/50
tool 0/50 0/50 0/50 0/50
tool-result 4/50 10/50 4/50 2/50
nested 0/50 0/50 0/50 0/50
image-source 4/10 6/10 4/10 6/10
audio-source 0/10 10/10 10/10 0/10
video-source — 10/10 — —
document-source 4/10 6/10 6/10 6/10
citations 2/6 1/6 1/6 2/6
tools 12/20 10/20 4/20 12/20
tool-choice 4/14 4/14 6/14 6/14
format 6/8 2/8 2/8 0/8
input-format — — 6/6 6/6
"""
TOTAL = "165/627 171/640 142/607 155/651"


RESPONSES = " in responses"
Cell = tuple[str, bool]
"""What a verdict is about, and whether the table states it."""
SHARED = {id(verdict) for one in CAPABILITIES.values() for _, verdicts in one.rows for verdict in verdicts}
"""The verdicts on models that take less, which tables take over as they are."""


def fields(target: Target, cls: type) -> Iterator[Cell]:
    """Each field, or value of one."""
    for attribute in attrs.fields(cls):
        name = attribute.name
        chain = target.own.fields.get(cls, {}).get(name, ())
        if name not in BOOKKEEPING and name in target.table.fields.get(cls, {}):
            for value in members(cls, name) or ("",):
                of = f"{name}={value}" if value else name
                yield of, any(not words or value in words for words, one in chain if id(one) not in SHARED)


def classes(target: Target, place: str) -> Iterator[Cell]:
    """Each class in a place, in requests and in responses."""
    for cls in PLACES[place]:
        request = any(id(one) not in SHARED for one in target.own.request.get(place, {}).get(cls, ()))
        yield cls.__name__, request
        yield cls.__name__ + RESPONSES, request or cls in target.own.response.get(place, {})


def of_fields(target: Target, cls: type) -> Iterator[bool]:
    return (own for _, own in fields(target, cls))


def of_places(target: Target, place: str) -> Iterator[bool]:
    return (own for _, own in classes(target, place))


def taken(protocols: dict[str, str]) -> Iterator[str]:
    """By class or place and letters of targets, what these targets took from the base."""
    targets = {letter: backend(name).target for letter, name in protocols.items()}
    subjects: list[tuple[str, dict[str, list[Cell]]]] = [
        *(
            (cls.__name__, {at: [*fields(one, cls)] for at, one in targets.items() if cls in one.fields})
            for cls in FEATURES
        ),
        *((place, {at: [*classes(one, place)] for at, one in targets.items() if one.holds(place)}) for place in PLACES),
    ]
    for subject, cells in subjects:
        by: dict[str, str] = {}
        for letter, found in cells.items():
            for name, own in found:
                by[name] = by.get(name, "") + ("" if own else letter)
        for name in [one for one in by if one.endswith(RESPONSES) and by[one] == by[one.removesuffix(RESPONSES)]]:
            del by[name]  # as in requests
        by = {name: letters for name, letters in by.items() if letters}
        for letters in dict.fromkeys(by.values()):
            yield f"{subject} {letters}: {', '.join(name for name in by if by[name] == letters)}"


def counted(subject: str, cells: list[list[bool] | None]) -> str:
    shown = ["—" if one is None else f"{sum(one)}/{len(one)}" for one in cells]
    return " ".join((subject.replace(" ", "-"), *shown))


def found(protocols: Iterable[str]) -> list[str]:
    targets = [backend(name).target for name in protocols]
    lines = [
        counted(cls.__name__, [list(of_fields(one, cls)) if cls in one.fields else None for one in targets])
        for cls in FEATURES
    ]
    lines += [
        counted(place, [list(of_places(one, place)) if one.holds(place) else None for one in targets])
        for place in PLACES
    ]
    return lines


def test_what_each_target_took_from_the_base(snapshot: SnapshotAssertion) -> None:
    """A line that is new or longer is a verdict of the base on another target: is it true there?"""
    assert "\n".join(taken(TARGETS)) == snapshot


@pytest.mark.parametrize("protocol", LATER)
def test_what_a_later_target_took_from_the_base(protocol: str, snapshot: SnapshotAssertion) -> None:
    assert "\n".join(taken({protocol[0].upper(): protocol})) == snapshot


def test_a_target_states_what_is_written_here() -> None:
    assert found(TARGETS.values()) == CELLS.strip().splitlines()


@pytest.mark.parametrize("protocol", LATER)
def test_a_later_target_states_what_its_module_has(protocol: str) -> None:
    """Lines of classes and places that it does not have are left out."""
    assert [line for line in found([protocol]) if not line.endswith("—")] == LATER[protocol].CELLS.strip().splitlines()


TOTALS = dict(zip(TARGETS.values(), TOTAL.split(), strict=True)) | {name: one.TOTAL for name, one in LATER.items()}


@pytest.mark.parametrize(("protocol", "most"), TOTALS.items())
def test_most_of_a_table_is_the_base(protocol: str, most: str) -> None:
    target = backend(protocol).target
    cells = [one for cls in target.fields for one in of_fields(target, cls)]
    cells += [one for place in PLACES if target.holds(place) for one in of_places(target, place)]
    assert f"{sum(cells)}/{len(cells)}" == most
