"""Pain 22: a response reports 0 tokens, or none, and the client's display of the context breaks."""

from __future__ import annotations

import pytest

from .support import (
    ANTHROPIC,
    CHAT,
    GENERATED,
    Json,
    anthropic,
    chat,
    from_responses,
    losses,
    notes,
    responses,
    stream_to_anthropic,
    stream_to_chat,
    to_anthropic,
    to_chat,
    to_responses,
    user,
)


def test_chat_is_asked_for_the_usage_that_anthropic_always_sends() -> None:
    made = to_chat(anthropic.request(user("Hi."), stream=True))
    assert made.output["stream"] is True
    assert made.output["stream_options"] == {"include_usage": True}


def test_anthropic_sends_usage_without_being_asked() -> None:
    made = to_anthropic(chat.request(user("Hi."), stream=True, stream_options={"include_usage": True}))
    assert made.output["stream"] is True
    assert "stream_options" not in made.output
    assert (losses(made), notes(made)) == ([], [("STR-13", "/stream_options/include_usage")])
    for unmet in ({"include_usage": False}, {"include_obfuscation": True}):
        made = to_anthropic(chat.request(user("Hi."), stream=True, stream_options=unmet))
        assert notes(made) == [("STR-13", f"/stream_options/{next(iter(unmet))}")]


def test_a_stream_that_sets_no_option_has_no_finding_about_it() -> None:
    asked = {**responses.request(user("Hi.")), "max_output_tokens": 64, "stream": True}
    made = [from_responses(asked, ANTHROPIC), to_responses(anthropic.request(user("Hi."), stream=True), ANTHROPIC)]
    assert [one.code for conversion in made for one in conversion.diagnostics] == ["CAP-4"]


# --- streams ----------------------------------------------------------------------------------------------------------

GREETING = chat.stream({"content": "Hi."})


def started(events: list[Json]) -> Json:
    found: Json = events[0]["message"]["usage"]
    return found


def spent(events: list[Json]) -> Json:
    """The usage of the last but one event of anthropic."""
    found: Json = events[-2]["usage"]
    return found


def test_the_first_event_of_anthropic_has_zero_usage() -> None:
    """The first event requires it; 0 means unknown, and the last one has all of it."""
    made = stream_to_anthropic(GREETING)
    assert started(made.output) == {"input_tokens": 0, "output_tokens": 0}
    assert spent(made.output) == {"input_tokens": 9, "output_tokens": 7}
    assert "USE-5" not in [code for code, _ in notes(made)]


def test_a_caller_may_give_the_input_tokens() -> None:
    """For clients that read the input from the first event alone."""
    made = stream_to_anthropic(GREETING, input_tokens=8)
    assert started(made.output) == {"input_tokens": 8, "output_tokens": 0}
    assert spent(made.output) == {"input_tokens": 9, "output_tokens": 7}


def test_the_last_event_has_the_cached_tokens() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    made = stream_to_anthropic([*GREETING[:-2], chat.chunk(usage=usage), chat.DONE])
    assert spent(made.output) == {
        "input_tokens": 5,
        "cache_read_input_tokens": 4,
        "output_tokens": 7,
        "output_tokens_details": {"thinking_tokens": 2},
    }


@pytest.mark.parametrize("end", [[], [chat.DONE]])
def test_a_stream_without_usage_is_reported(end: list[Json]) -> None:
    made = stream_to_anthropic([*GREETING[:-2], *end])
    assert spent(made.output) == {"input_tokens": 0, "output_tokens": 0}
    assert "USE-5" in [code for code, _ in notes(made)]


def test_chat_gets_the_usage_of_both_ends_of_a_stream() -> None:
    """The input of the first event, the output of the last; a later word counts."""
    events = anthropic.stream(anthropic.text_block("Hi."), usage={"output_tokens": 7})
    events[0]["message"]["usage"] = {"input_tokens": 5, "cache_read_input_tokens": 4, "output_tokens": 1}
    made = stream_to_chat(events)
    assert made.output[-2]["usage"] == {
        "prompt_tokens": 9,
        "completion_tokens": 7,
        "total_tokens": 16,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    assert made.output[-2]["choices"] == []
    events[-2]["usage"] = {"input_tokens": 6, "output_tokens": 7}
    assert stream_to_chat(events).output[-2]["usage"]["prompt_tokens"] == 10


def test_chat_does_without_usage_in_a_stream_too() -> None:
    events = anthropic.stream(anthropic.text_block("Hi."))
    del events[0]["message"]["usage"], events[-2]["usage"]
    made = stream_to_chat(events)
    assert [event for event in made.output[:-1] if "usage" in event] == []
    assert made.output[-1] == chat.DONE
    assert (losses(made), notes(made)) == ([], GENERATED)


def test_chat_may_leave_the_usage_out_of_a_stream() -> None:
    made = stream_to_chat(anthropic.stream(anthropic.text_block("Hi.")), include_usage=False)
    assert [event for event in made.output[:-1] if "usage" in event] == []


def test_running_usage_is_not_the_final_one() -> None:
    """Servers that send running usage: what comes before the end is ignored, and reported once (STR-4)."""
    running = [{**event, "usage": {"prompt_tokens": 9, "completion_tokens": 1}} for event in GREETING[:-2]]
    made = stream_to_anthropic([*running, *GREETING[-2:]])
    assert spent(made.output) == {"input_tokens": 9, "output_tokens": 7}
    assert losses(made) == []
    assert ("STR-4", "/0/usage") in notes(made)
    assert spent(stream_to_anthropic(running).output) == {"input_tokens": 9, "output_tokens": 1}
    assert spent(stream_to_anthropic(running, usage="usage_chunk").output) == {"input_tokens": 0, "output_tokens": 0}
    *begun, end = running
    del end["usage"]
    assert spent(stream_to_anthropic(running).output) == {"input_tokens": 0, "output_tokens": 0}
    assert spent(stream_to_anthropic([*begun, end], usage="running").output) == {"input_tokens": 9, "output_tokens": 1}


def test_chat_is_asked_for_the_usage_that_responses_always_sends() -> None:
    made = from_responses(responses.request(user("Hi."), stream=True), CHAT)
    assert made.output["stream_options"] == {"include_usage": True}
    assert "stream_options" not in from_responses(responses.request(user("Hi."), stream=False), CHAT).output
