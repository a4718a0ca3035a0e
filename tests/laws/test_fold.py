"""What a response is cut into folds to that response (STR-11), however it is cut and whatever its parts have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

import pytest

from proxai_ir import ir
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.ir.node import Extra, Seal
from proxai_ir.ir.request import Role, Turn
from proxai_ir.ir.response import Candidate, LogProbs, Response, ScoredToken, StopReason, Terminal, Usage
from proxai_ir.ir.stream import events, grammar
from proxai_ir.ir.stream.aggregate import fold
from proxai_ir.ir.structure import GROWING
from proxai_ir.testing.payloads import canonical

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Events, Json
from ..streams.test_kept_responses import ANTHROPIC, CHAT, GEMINI, RESPONSES, kept

# --- the IR's events --------------------------------------------------------------------------------------------------

SEALED = Seal("anthropic", "signature", "eA==")
PARTS: dict[str, Callable[[], list[Any]]] = {
    "text": lambda: [ir.Text("Hello", [ir.UrlCitation("https://e.com", "T")])],
    "signed text": lambda: [ir.Text("Hello", seal=SEALED)],
    "reasoning": lambda: [ir.Reasoning("Hmm", SEALED), ir.Text("Hello")],
    "sealed reasoning alone": lambda: [ir.Reasoning(None, SEALED)],
    "a refusal": lambda: [ir.Refusal("I may not")],
    "a recording": lambda: [ir.Audio(ir.Inline("AAAABBBB", None), "Hello", "audio_1", 1700003600)],
    "calls": lambda: [ir.FunctionCall("c", "f", '{"a":1}'), ir.CustomCall("d", "g", "raw")],
    "code": lambda: [ir.CodeCall("r", "print(1)", "python"), ir.CodeResult("r", "python", "1", None, 0)],
    "a search": lambda: [ir.WebSearchCall("s", ["tides"]), ir.WebSearchResult("s", [])],
    "a vendor's part": lambda: [ir.VendorPart("dream", {"type": "dream", "of": "sheep", "n": 2})],
}
SCORES: dict[str, LogProbs | None] = {
    "none": None,
    "of text": LogProbs([ScoredToken("a", -0.1), ScoredToken("b", -0.2), ScoredToken("c", -0.3)]),
    "of a refusal too": LogProbs([ScoredToken("a", -0.1)], [ScoredToken("b", -0.2)]),
    "with others": LogProbs(
        [ScoredToken("a", -0.1), ScoredToken("b", -0.2)], extra=Extra({"ranks": [1, 2], "of": "x"})
    ),
}
USAGE = Usage(7, 2, None, 5, 1, details={"input.audio": 3}, extra=Extra({"x": {"y": 1}}))


def cut(response: Response, index: int, usage: bool) -> Iterator[events.Event]:
    """A stream in which everything comes as late and in as many pieces as it may."""
    envelope = copy(response)
    envelope.candidates, envelope.usage = [], None
    yield events.Started(envelope)
    for number, candidate in enumerate(response.candidates):
        yield from scored(candidate.logprobs, number)
        for part in candidate.turns[0].parts:
            yield from grown(part, index, number)
            index += 1
        for about, extra in (("Turn", candidate.turns[0].extra), ("Candidate", candidate.extra)):
            if extra is not None:
                yield events.UnmappedFields(about, extra, number)
        yield events.Ended(candidate.terminal, number)
    if response.usage is not None:
        yield events.UsageReported(Usage(1, None, None, 1), provisional=True)
        yield events.UsageReported(response.usage, provisional=not usage)
    yield events.Completed()


def grown(part: Any, index: int, number: int) -> Iterator[events.Event]:
    begun, late = copy(part), list[events.Event]()
    if isinstance(part, ir.WebSearchCall):
        begun.queries = []
        late += [events.PartGrew(index, query) for query in part.queries]
    for member in GROWING.get(type(part), ()):
        text = getattr(part, member)
        if isinstance(text, str) and not isinstance(part, ir.WebSearchCall):
            setattr(begun, member, text[:1])
            late += [events.PartGrew(index, piece) for piece in text[1:]]
            break
    if isinstance(part, ir.Audio):
        assert isinstance(part.source, ir.Inline)
        begun.source, begun.expires_at = ir.Inline("", part.source.mime), None
        late += [events.MediaGrew(index, part.source.data[:4])]
        late += [events.MediaGrew(index, part.source.data[4:], part.expires_at)]
    if isinstance(part, ir.VendorPart):
        begun.raw = {"type": part.kind}
        late += [events.PartExtended(index, {key: value}) for key, value in part.raw.items()]
    seal: Any = getattr(part, "seal", None)
    if seal is not None:
        begun.seal = None
        late.append(events.PartSealed(index, seal))
    cited = list[events.Event]()
    if isinstance(part, ir.Text) and part.citations:
        begun.citations = None
        cited = [events.PartCited(index, one) for one in part.citations]
    yield from (events.PartOpened(index, begun, number), *late, events.PartClosed(index), *cited)


def scored(logprobs: LogProbs | None, number: int) -> Iterator[events.Event]:
    """Token by token; a list among other members comes in pieces too."""
    if logprobs is None:
        return
    fields = (logprobs.extra and logprobs.extra.fields) or {}
    for at, token in enumerate(logprobs.text or []):
        piece = {key: value[at : at + 1] if isinstance(value, list) else value for key, value in fields.items()}
        yield events.Scored(LogProbs([token], extra=Extra(piece) if piece else None), number)
    for token in logprobs.refusal or []:
        yield events.Scored(LogProbs(None, [token]), number)


@pytest.mark.parametrize("usage", [True, False])
@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("name", PARTS)
def test_whatever_is_cut_folds_to_the_whole(name: str, scores: str, usage: bool) -> None:
    """One candidate and two; a last report of usage that is provisional counts as well."""
    for count in (1, 2):
        made = [
            Candidate(
                [Turn(Role.ASSISTANT, PARTS[name](), extra=Extra({"t": n}))],
                Terminal(StopReason.END, "stop"),
                SCORES[scores],
                extra=Extra({"c": n}),
            )
            for n in range(count)
        ]
        whole = Response(None, "id", "m", made, USAGE, extra=Extra({"r": 1}))
        stream = list(cut(whole, 5, usage))
        folded = fold(stream)
        assert folded.candidates == whole.candidates
        assert (folded.usage, folded.extra) == (whole.usage, whole.extra)


@pytest.mark.parametrize("name", PARTS)
def test_what_is_cut_is_legal_and_left_as_it_was(name: str) -> None:
    one = Candidate([Turn(Role.ASSISTANT, PARTS[name]())], Terminal(StopReason.END), SCORES["with others"])
    stream = list(cut(Response(None, "id", "m", [one], USAGE), 0, True))
    before = repr(stream)
    follow = grammar.Grammar()
    for event in stream:
        follow(event)
    assert follow.over()
    fold(stream)
    assert repr(stream) == before


# --- which event may follow which -------------------------------------------------------------------------------------

START = events.Started(Response(None, "id", "m", []))
END = events.Ended(Terminal(StopReason.END))
DONE, FAILED = events.Completed(), events.Failed(Error(None, ErrorCategory.SERVER, "No."))
TEXT = events.PartOpened(0, ir.Text(""))
UNREAD = events.Unread({}, "odd")
MISPLACED: dict[str, tuple[list[events.Event], events.Event, str]] = {
    "an ending before the start": ([], END, grammar.ENDED),
    "the end of the stream before the start": ([], DONE, grammar.COMPLETED),
    "the end of the stream within a part": ([START, TEXT], DONE, grammar.COMPLETED),
    "a second start": ([START], START, grammar.OPEN),
    "a start after an ending": ([START, END], START, grammar.OPEN),
    "a start after what is not read": ([UNREAD], START, grammar.OPEN),
    "an ending after what is not read": ([UNREAD], END, grammar.ENDED),
    "an error after what is not read": ([UNREAD], FAILED, grammar.FAILED),
    "content before the start": ([], TEXT, grammar.BEFORE),
    "an error after an error": ([FAILED], FAILED, grammar.FAILED),
    "an ending after the end": ([START, END, DONE], END, grammar.COMPLETED),
}
"""What came, what may not come then, and where a stream is for one who goes on all the same (STR-18)."""


def test_an_event_is_of_the_first_candidate_and_item_where_it_does_not_say() -> None:
    assert (TEXT.candidate, TEXT.item) == (0, 0)


@pytest.mark.parametrize("name", MISPLACED)
def test_where_a_stream_is_after_a_fault(name: str) -> None:
    before, event, phase = MISPLACED[name]
    follow = grammar.Grammar()
    for one in before:
        follow(one)
    with pytest.raises(grammar.OutOfOrder):
        follow(event)
    follow.follow(event)
    assert follow.phase == phase
    assert follow.over() is (phase in (grammar.COMPLETED, grammar.FAILED))


@pytest.mark.parametrize(
    ("before", "event", "said"),
    [
        ([], END, "a stop reason"),
        ([], DONE, "the end of the stream"),
        ([START], START, "the start of a response"),
        ([], TEXT, "new content"),
        ([FAILED], FAILED, "an error"),
        ([FAILED], events.UsageReported(Usage(1)), "usage"),
        ([], events.PartClosed(0), "content"),
    ],
)
def test_what_is_misplaced_is_named(before: list[events.Event], event: events.Event, said: str) -> None:
    follow = grammar.Grammar()
    for one in before:
        follow(one)
    with pytest.raises(grammar.OutOfOrder, match=f"^{said} "):
        follow(event)


# --- on the wire ------------------------------------------------------------------------------------------------------

TOKEN = {"token": "Hi", "logprob": -0.5, "bytes": None, "top_logprobs": []}


def scored_chunk(words: str, **members: Any) -> Json:
    made = chat.chunk({"content": words})
    made["choices"][0]["logprobs"] = {"content": [TOKEN], "refusal": None, **members}
    return made


AUDIO = {"id": "audio_1", "data": "AAAA", "transcript": "Hi"}
MESSAGE = responses.message(responses.output_text("Hi"), id="msg_7", status="completed", mood="sunny")
COUNTS = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
KEPT: dict[str, tuple[str, Events, str, Any]] = {
    "when a recording expires": (
        CHAT,
        chat.stream({"audio": AUDIO}, {"audio": {"data": "BBBB", "expires_at": 7}}, {"audio": {"transcript": "!"}}),
        "choices/0/message/audio",
        {**AUDIO, "data": "AAAABBBB", "transcript": "Hi!", "expires_at": 7},
    ),
    "usage on the last chunk with choices": (
        CHAT,
        [*chat.stream({"content": "Hi"}, finish=None, usage=False, done=False), chat.chunk({}, "stop", usage=COUNTS)],
        "usage",
        COUNTS,
    ),
    "usage that stands on the first chunk only": (
        GEMINI,
        [gemini.chunk("Hi", usage=gemini.USAGE), gemini.chunk("", finish="STOP")],
        "usageMetadata",
        gemini.USAGE,
    ),
    "members of log probabilities": (
        CHAT,
        [scored_chunk("Hi", ranks=[1]), scored_chunk(" you", ranks=[2], of="x"), chat.chunk({}, "stop")],
        "choices/0/logprobs",
        {"content": [TOKEN, TOKEN], "refusal": None, "ranks": [1, 2], "of": "x"},
    ),
    "a message's id and members": (RESPONSES, responses.stream(responses.response(MESSAGE)), "output/0", MESSAGE),
    "usage of a message": (
        ANTHROPIC,
        anthropic.stream(anthropic.text_block("Hi"), usage={"output_tokens": 7, "of": {"x": 1}}),
        "usage",
        {"input_tokens": 9, "output_tokens": 7, "of": {"x": 1}},
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_of_a_stream(name: str) -> None:
    src, stream, pointer, expected = KEPT[name]
    found: Any = kept(stream, src)
    for key in pointer.split("/"):
        found = found[int(key) if isinstance(found, list) else key]
    assert canonical(found) == canonical(expected)


COUNTED = {
    ANTHROPIC: ("input_tokens", "output_tokens"),
    GEMINI: ("promptTokenCount", "candidatesTokenCount"),
    RESPONSES: ("input_tokens", "output_tokens"),
}


@pytest.mark.parametrize("dst", COUNTED)
def test_usage_that_counts_for_want_of_another_reaches_every_target(dst: str) -> None:
    """It is one count, where it stands before the last event and where it stands on it."""
    _, stream, _, _ = KEPT["usage on the last chunk with choices"]
    whole = kept(stream, CHAT, dst)
    counted = whole["usageMetadata" if dst == GEMINI else "usage"]
    assert [counted[key] for key in COUNTED[dst]] == [3, 1]
