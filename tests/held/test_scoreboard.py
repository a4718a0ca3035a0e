"""Recorded requests and responses: none crashes, none loses a leaf in silence, few are refused, each with a rule."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.api import Kind
from proxai_ir.reporting.catalogue import RULES
from proxai_ir.testing.pointers import exists

from .shared import BEDROCK, COHERE, GEMINI, INTERACTIONS, KINDS, OLLAMA, RECORDED, RESPONSES, SEED, Tools, pairs

ROUTES = [(kind, src, dst) for kind in KINDS for src, dst in pairs()]
OWN = [(kind, protocol) for kind in KINDS for protocol in RECORDED]

TRACED = 4
TRACED_AT_LENGTH = 25

NOTED = 5
FEW = 10
"""Of fewer recordings each may have something that is lost, so that none has to come back."""
CONFORM = 0.99
IDENTITY = 0.995
REFUSED = {RESPONSES: 0.12, GEMINI: 0.19, BEDROCK: 0.12, INTERACTIONS: 0.19}
REFUSED_OF_OTHERS = 0.05
"""The share of recordings that may be refused, by source: Responses, Gemini and Bedrock (video, files) have most that
the others lack, and of the few requests of Interactions three go on from a response that Google stores."""
TAKES_LESS = {BEDROCK: 0.04, COHERE: 0.06, OLLAMA: 0.11}
"""By target the share more that it refuses: Bedrock takes no address but of S3, Cohere no documents but texts, and
Ollama no documents and no addresses at all."""
NO_WAY_BACK = {
    "PLC-8": "texts of a result, which are one string in the target",
    "DOC-6": "a document of text, which is sent as text",
    "DOC-5": "a document that a dialect names in a way of its own",
    "SCH-2": "a schema that gets the members which the target requires",
    "TUL-13": "ids that the target does not accept",
    "TUL-25": "tools that stood in the conversation or in a namespace",
    "TUL-37": "a tool that a vendor's client runs, which is a function elsewhere",
    "TUL-38": "the definition of a search for tools, where all tools are sent at once",
    "TUL-42": "references to tools in a result, which are names in the text of others",
    "TUL-65": "a failed result of Gemini, which is JSON in the text of others",
    "PLC-3": "speech without a transcript, and images, which not every protocol has",
    "PLC-70": "what may not stand beside a result, which gets a turn after an assistant's",
    "PLC-12": "a turn of which nothing is left",
    "STS-10": "a response without a stop reason",
    "ENV-7": "an empty message, which is none",
    "CAC-4": "assistant messages in a row, apart for a cache breakpoint alone",
    "VID-1": "video, which dialects of Chat Completions alone have",
    "TUL-11": "a choice that forces some tool, where there are only the provider's own",
    "SHP-2": "audio without an id, which Chat Completions requires",
    "SCH-6": "an object that the target's strict mode wants closed",
    "SCH-14": "tools that are strict because others are, where the choice enforces all of them",
    "OUT-16": "JSON mode, whose demand is a word of the conversation",
    "SRC-2": "a document by its URL, which servers of Chat Completions take by an option alone",
    "SRC-1": "a file in Google's own storage, which a dialect of Chat Completions names by its address",
    "AUD-1": "a recording that was sent as a file, and is one where files and recordings are told apart",
}
"""Rules under which a payload is changed, or refused on the way back, and does not come back the same without `state`.
"""


def said_again(payload: Any, kind: str) -> bool:
    """Whether there is such a tool once more; one that opens pages is a search in Responses, too (TUL-41)."""
    if kind.startswith("web_search"):
        return any(tool["type"].startswith("web_fetch") for tool in payload["tools"])
    return kind == "function" and defines_again(payload)


def defines_again(payload: Any) -> bool:
    """Whether the conversation defines a tool that the request defines as well."""
    defined = {tool.get("name") for tool in payload["tools"]}
    later = (tool for item in payload["input"] for tool in item.get("tools") or ())
    return any(one.get("name") in defined for tool in later for one in (tool, *(tool.get("tools") or ())))


UNSEEN: dict[str, Callable[[Any, Any], bool]] = {
    r"/modelVersion": lambda payload, value: True,  # the option `model` has the same name
    r"/usage/total_tokens": lambda payload, value: value == 0,  # a sum that the target computes itself
    r".*/additionalProperties": lambda payload, value: value is False,  # as in every schema that is enforced
    r"/(?:response_format/json_schema|text/format)/name": lambda payload, value: value == title_of(payload),
    r"/choices/0/message/reasoning": lambda payload, value: value == detailed(payload["choices"][0]["message"]),
    r"/incomplete_details/reason": lambda payload, value: value == "max_output_tokens",  # as an unknown one (STS-2)
    r"/tools/\d+/type": said_again,
    r"/tool_choice/type": lambda payload, value: value == "auto" and any(one.get("strict") for one in payload["tools"]),
    r"/output/\d+/content/\d+/type": lambda payload, value: value == "output_text",  # `text` is read as the same
    r"(/content/\d+/citations/\d+)/type": lambda payload, citation: cited_again(payload["content"], citation),
    r"(/output/\d+)/type": lambda payload, item: [part.get("text") for part in item.get("content") or [{}]] == [""],
    r"(/messages/\d+/content/\d+/content/\d+)/type": lambda payload, part: part == {"type": "text", "text": "{}"},
    r"/tools/\d+/functionDeclarations/\d+/parameters/type": lambda payload, value: value == "OBJECT",
    # a search without its response has a result without hits, as this one
    r"/candidates/\d+/content/parts/\d+/toolResponse/toolType": lambda payload, value: value == "GOOGLE_SEARCH_WEB",
}
"""What arrives without this judge seeing it, since another value would give the same output and a finding: by the
pointer, whether that is the case of what stands there, or of what the pattern's group names.
"""
ELSEWHERE = re.compile(
    r"""
    /choices/0/media:\ 1\ items\ !=\ 0$
    | /candidates:\ 0\ items\ !=\ 1$
    | /candidates/0/stop:\ "(NO_IMAGE|MODEL_ARMOR)"\ !=\ "SAFETY"$
    | /stop:\ "STOP_SEQUENCE"\ !=\ "COMPLETE"$
    | /turns/\d+/documents/\d+:\ "{  # of Cohere
    | /other/\d+:\ "bash_code_execution_tool_result"\ !=\ "code_execution_tool_result"$  # of Interactions
    """,
    re.VERBOSE,
)
"""Thinking that a server has among the content, prompts that were blocked, what a filter withheld, stop sequences, for
which others have the word for every natural ending, documents of members that others have as the text of one, and runs
of a shell, whose language a result of Interactions does not have: they come back in the member, or as the word, that
the others have for it."""
SECOND_TEXT = "no variant with type='user_input'"
"""Documents of text are of a type that Interactions documents and its official types do not list; the judge lets one
pass in a message, and of more it says this."""


def known(tools: Tools, src: str, dst: str, kind: Kind) -> list[Any]:
    """The recordings; of requests to Gemini those of which the model is known, which stood in the URL, and whose tools
    are an array, which the judge takes for granted."""
    records = tools.records(src, kind)
    if src == dst or (src, kind) != (GEMINI, "request"):
        return records
    return [one for one in records if one.model and isinstance(one.payload.get("tools", []), list)]


def measure(tools: Tools, kind: Kind, src: str, dst: str, traced: int) -> Any:
    """The scoreboard's own cell for a route, over every recording."""
    records = known(tools, src, dst, kind)
    assert records
    return tools.scoreboard.measure(records, src, dst, kind, traced, random.Random(SEED), pool(tools, src, records))


def pool(tools: Tools, src: str, records: list[Any]) -> Any:
    """What may stand in place of words, which is more than the recordings of some protocols have."""
    words = tools.scoreboard.WORDS.get(src, [])
    return tools.scoreboard.leaves.value_pool([*words, *(one.payload for one in records)])


def hold(tools: Tools, cell: Any, kind: Kind, src: str, dst: str) -> None:
    """Every figure of a route."""
    assert cell["crashed"] == 0, cell.notes
    assert cell["leaves"] > 0
    hold_silence(tools, cell, kind, src, dst)
    assert cell["stale"] == 0, cell.notes
    let_pass = cell["excused"] + sum(SECOND_TEXT in note for note in cell.notes)
    assert cell["conform"] >= CONFORM * (cell["converted"] - let_pass), cell.notes
    most = REFUSED.get(src, REFUSED_OF_OTHERS) + TAKES_LESS.get(dst, 0)
    assert cell["rejected"] <= most * cell["total"], cell.rules
    in_url = kind == "request" and {GEMINI, BEDROCK} & {src, dst}  # the model, which is lost on the way back
    assert cell["return_asked"] > 0 or in_url or cell["total"] < FEW
    hold_returns(tools, cell, kind, src, dst)


def hold_silence(tools: Tools, cell: Any, kind: Kind, src: str, dst: str) -> None:
    """Each silent leaf is one that the judge cannot see. It names the first five of a record, so that records with as
    many are traced again."""
    noted = [note.split()[1:] for note in cell.notes if note.startswith("silent ")]
    records = {record.id: record for record in tools.records(src, kind)}
    found = {name: [pointer for one, pointer in noted if one == name] for name, _ in noted}
    for name, pointers in found.items():
        if len(pointers) == NOTED:
            found[name] = silent(tools, records[name], known(tools, src, dst, kind), (kind, src, dst))
    assert sum(map(len, found.values())) == cell["silent"], "the notes do not name them all"
    unnamed = [
        (name, one) for name, those in found.items() for one in those if not is_unseen(records[name].payload, one)
    ]
    assert unnamed == []


def silent(tools: Tools, record: Any, records: list[Any], route: tuple[str, str, str]) -> list[str]:
    """All silent leaves of a record, as the scoreboard finds them."""
    board, (kind, src, dst) = tools.scoreboard, route
    report = board.leaves.trace(
        record.payload,
        lambda changed: board.convert(changed, src, dst, kind, record.model),
        pool=pool(tools, src, records),
    )
    found: list[str] = report.silent
    return found


def is_unseen(payload: Any, pointer: str) -> bool:
    matches = ((re.fullmatch(place, pointer), holds) for place, holds in UNSEEN.items())
    return any(match and holds(payload, at(payload, (*match.groups(), pointer)[0])) for match, holds in matches)


def at(payload: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        payload = payload[int(step) if isinstance(payload, list) else step.replace("~1", "/").replace("~0", "~")]
    return payload


def title_of(payload: Any) -> Any:
    """The title of the schema that a response is to have, which names it as well."""
    given = payload["response_format"]["json_schema"] if "response_format" in payload else payload["text"]["format"]
    return given["schema"].get("title")


def detailed(message: Any) -> str:
    """The text of OpenRouter's `reasoning_details`, which `reasoning` repeats."""
    return "".join(one.get("text") or one.get("summary") or "" for one in message.get("reasoning_details") or ())


def cited_again(blocks: Any, citation: Any) -> bool:
    """Whether the text of a citation has another one of the same page, where only pages are cited."""
    texts = (block["citations"] for block in blocks if block.get("citations"))
    pages = next([one["url"] for one in of] for of in texts if any(one is citation for one in of))
    return pages.count(citation["url"]) > 1


def hold_returns(tools: Tools, cell: Any, kind: Kind, src: str, dst: str) -> None:
    """All come back the same, except for those of which a finding, there or back, names a known reason."""
    notes = [note for note in cell.notes if note.startswith("return ")]
    assert len(notes) == cell["return_asked"] - cell["return"], "the notes do not name them all"
    failed = [note.split()[1] for note in notes if not ELSEWHERE.search(note)]
    records = {record.id: record for record in tools.records(src, kind)}
    for name in failed:
        options = {"model": records[name].model} if records[name].model else {}
        there = proxai_ir.compile(records[name].payload, src, dst, kind=kind, **options)
        back = proxai_ir.check(there.output, dst, src, kind=kind)
        reported = {found.code for found in (*there.diagnostics, *back)}
        joined = dst == OLLAMA and says_nothing(records[name].payload)
        joined |= any(answers_in_documents(one) for one in (records[name].payload, there.output))
        assert joined or reported & NO_WAY_BACK.keys(), [note for note in cell.notes if name in note]


def answers_in_documents(payload: Any) -> bool:
    """Whether a result of Cohere's is a document: without a title or an address it is its text elsewhere, and this
    judge takes it for a document."""
    messages = payload.get("messages") if isinstance(payload, dict) else None
    answers = [one["content"] for one in messages or () if one["role"] == "tool"]
    return any(block["type"] == "document" for content in answers if isinstance(content, list) for block in content)


def says_nothing(payload: Any) -> bool:
    """Whether an empty message stands before calls of Responses: the message of these is one with it, and has its empty
    text, which says nothing on the way back."""
    items = payload["input"] if isinstance(payload.get("input"), list) else []
    return any(item.get("role") == "assistant" and item.get("content") == "" for item in items)


@pytest.mark.parametrize(("kind", "src", "dst"), ROUTES)
def test_the_figures_of_a_route(tools: Tools, kind: Kind, src: str, dst: str) -> None:
    hold(tools, measure(tools, kind, src, dst, TRACED), kind, src, dst)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "src", "dst"), ROUTES)
def test_the_figures_of_a_route_traced_at_length(tools: Tools, kind: Kind, src: str, dst: str) -> None:
    hold(tools, measure(tools, kind, src, dst, TRACED_AT_LENGTH), kind, src, dst)


@pytest.mark.parametrize(("kind", "protocol"), OWN)
def test_payloads_come_back(tools: Tools, kind: Kind, protocol: str) -> None:
    cell = measure(tools, kind, protocol, protocol, 0)
    assert cell["crashed"] == 0, cell.notes
    assert cell["rejected"] == 0, cell.notes
    assert cell["identity"] >= IDENTITY * cell["total"], cell.notes


@pytest.mark.parametrize(("kind", "src", "dst"), ROUTES)
def test_every_refusal_has_a_rule_and_a_place(tools: Tools, kind: Kind, src: str, dst: str) -> None:
    for record in tools.records(src, kind):
        options = {"model": record.model} if record.model else {}
        try:
            proxai_ir.convert(record.payload, src, dst, kind=kind, **options)
        except TranslationError as error:
            assert RULES[error.rule].severity == "error", record.id
            assert exists(record.payload, error.path), (record.id, error.path)
            assert error.path != "", record.id
