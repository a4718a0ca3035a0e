"""With `quote_values=False` no diagnostic and no error holds a value of the payload, whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson
import pytest

import proxai_ir
from proxai_ir import Diagnostic, StreamConverter, TranslationError
from proxai_ir.testing.pointers import places, replaced

from ..cases import in_turn
from ..samples import PROTOCOLS, samples
from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Json, Sample

CHAT, RESPONSES, ANTHROPIC = "openai_chat_completions", "openai_responses", "anthropic_messages"
WORD, NUMBER = "Qzxwv", 918273645
MARKS = "\ufdd0", "\ufdd1"
ASKED: Json = {"model": "m", "messages": [chat.user("Hi")]}
OPTIONS: list[dict[str, Any]] = [
    {},
    {"strict": True},
    {"emulate": "auto", "repair": ("calls",)},
    {"state": {"custom_tools": [WORD], "tool_names": {WORD: "f"}}},
]


def texts(diagnostics: Sequence[Diagnostic]) -> str:
    return " ".join(diagnostic.message for diagnostic in diagnostics)


def hidden(text: str) -> bool:
    return not any(secret in text for secret in (WORD, str(NUMBER), *MARKS))


def spoilt(sample: Sample, step: int) -> Iterator[Json]:
    """The sample with a word or a number in some places, and with the word in all strings at once. Text in place of
    all of it is a mistake of the caller's (TypeError), which quotes nothing."""
    payload = sample.make()
    inside = [path for path in places(payload) if path]
    for number, path in enumerate(inside[::step]):
        yield replaced(payload, path, (WORD, NUMBER, f"{WORD} {MARKS[0]}{WORD}{MARKS[1]} '{WORD}'")[number % 3])


SOME = 3
"""Of so many targets each place is tried with; all come by."""


def shape(diagnostics: Sequence[Diagnostic]) -> list[tuple[str, str, str]]:
    return sorted({(one.code, one.severity, one.path) for one in diagnostics})


@pytest.mark.parametrize("step", [19, pytest.param(1, marks=pytest.mark.slow)], ids=["some places", "all places"])
@pytest.mark.parametrize("options", OPTIONS, ids=["default", "strict", "emulated", "undone"])
def test_no_message_holds_a_value(options: dict[str, Any], step: int) -> None:
    for sample in samples("request", "response", "error", dense=True):
        for payload, dst in in_turn(spoilt(sample, step), PROTOCOLS, SOME):
            around: dict[str, Any] = {"kind": sample.kind, **options}
            found = proxai_ir.check(payload, sample.protocol, dst, quote_values=False, **around)
            assert hidden(texts(found)), texts(found)
            quoting = proxai_ir.check(payload, sample.protocol, dst, **around)
            assert shape(quoting) == shape(found)
            assert not any(mark in texts(quoting).replace(str(payload), "") for mark in MARKS)


@pytest.mark.parametrize("step", [19, pytest.param(1, marks=pytest.mark.slow)], ids=["some places", "all places"])
def test_no_message_about_a_stream_holds_a_value(step: int) -> None:
    for sample in samples("stream", dense=True):
        for events, dst in in_turn(spoilt(sample, step), PROTOCOLS, SOME):
            converter = StreamConverter(sample.protocol, dst, quote_values=False)
            try:
                for event in events if isinstance(events, list) else [events]:
                    converter.feed(event)
            except TranslationError as error:
                assert hidden(str(error)), str(error)
            converter.close(error_event=True)
            assert hidden(texts(converter.diagnostics)), texts(converter.diagnostics)


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ({**ASKED, "temperature": "hot"}, "The value has the wrong type. (expected a number, found a string, …)"),
        ({**ASKED, "n": 2.5}, "The value has the wrong type. (expected an integer, found a number, …)"),
    ],
)
def test_what_is_left_of_a_message(payload: Json, message: str) -> None:
    for call in (
        lambda: proxai_ir.convert(payload, CHAT, ANTHROPIC, quote_values=False),
        lambda: proxai_ir.lower(payload, CHAT, quote_values=False),
    ):
        with pytest.raises(TranslationError) as caught:
            call()
        assert caught.value.diagnostics[0].message == message


def test_a_value_that_names_a_member_is_one() -> None:
    listed = {"mode": "auto", "tools": [{"type": WORD}]}
    payload = {**ASKED, "tool_choice": {"type": "allowed_tools", "allowed_tools": listed}}
    (found,) = proxai_ir.check(payload, CHAT, ANTHROPIC, quote_values=False)
    assert (found.code, found.path) == ("SHP-2", "/tool_choice/allowed_tools/tools/0")
    assert found.message.endswith("(… is missing)")


def test_it_quotes_by_default() -> None:
    """None is the default, as for every option."""
    given: list[dict[str, Any]] = [{}, {"quote_values": True}, {"quote_values": None}]
    for options in given:
        (found,) = proxai_ir.check({**ASKED, "temperature": "hot"}, CHAT, ANTHROPIC, **options)
        assert found.message.endswith("(expected a number, found a string, 'hot')")


def test_the_diagnostics_of_a_conversion_quote_nothing_either() -> None:
    tool = {"type": "function", "function": {"name": f"{WORD} {WORD}"}}
    payload = {**ASKED, "tools": [tool]}
    for given in (payload, orjson.dumps(payload)):
        done = proxai_ir.compile(given, CHAT, ANTHROPIC, quote_values=False)
        named = {each.code: each.message for each in done.diagnostics}
        assert named["TUL-26"].endswith("sent as …)")
        assert hidden(texts(done.diagnostics))


def test_a_tree_too() -> None:
    node = proxai_ir.lower({**ASKED, "audio": {"voice": "v", "format": "mp3"}, "modalities": ["audio"]}, CHAT)
    with pytest.raises(TranslationError) as caught:
        proxai_ir.raise_to(node, ANTHROPIC, strict=True, quote_values=False)
    assert "mp3" not in str(caught.value)


def test_the_error_event_of_a_stream_quotes_nothing() -> None:
    converter = StreamConverter(CHAT, RESPONSES, quote_values=False)
    with pytest.raises(TranslationError):
        converter.feed({**chat.chunk({"role": "assistant", "content": "Hi"}), "choices": WORD})
    assert hidden(str(converter.close(error_event=True)))


def test_a_wrong_value_of_the_option() -> None:
    with pytest.raises(TypeError, match="option 'quote_values' is a string, 'no'; expected True or False"):
        proxai_ir.convert(ASKED, CHAT, ANTHROPIC, quote_values="no")  # type: ignore[call-overload]
