"""Remedies: what is named removes the finding, in this conversion and for this value, or nothing is named (LOS-5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import proxai_ir
from proxai_ir import Remedy
from proxai_ir.advice.changes import applied, named_profiles
from proxai_ir.api import Server

ANTHROPIC, CHAT, RESPONSES, GEMINI = (
    "anthropic_messages",
    "openai_chat_completions",
    "openai_responses",
    "gemini_generate_content",
)
ASKED = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
ENDED = {"id": "c1", "object": "chat.completion", "created": 7, "model": "m"}


def found(payload: Any, src: str, dst: Server, **options: Any) -> dict[tuple[str, str], tuple[Remedy, ...]]:
    """What helps, by rule and place."""
    findings = proxai_ir.remedies(payload, src, dst, **options)
    return {(one.rule, path): one.remedies for one in findings for path in one.paths}


def named(remedies: Sequence[Remedy]) -> list[tuple[str, str]]:
    return [(one.kind, one.name) for one in remedies]


# --- of this value, and of this target --------------------------------------------------------------------------------


def test_the_capability_of_this_value_is_named() -> None:
    asked = {**ASKED, "frequency_penalty": 1, "logprobs": True, "metadata": {"a": "b"}}
    helps = found(asked, CHAT, GEMINI)
    assert helps["SMP-3", "/frequency_penalty"][0] == Remedy("capability", "penalties", True, protocol=GEMINI)
    assert helps["SMP-7", "/logprobs"][0] == Remedy("capability", "logprobs", True, protocol=GEMINI)
    assert helps["USR-3", "/metadata"] == (Remedy("capability", "labels", True, protocol=GEMINI),)
    assert helps["ENV-13", "/model"] == ()
    every = proxai_ir.Profile(GEMINI, penalties=True, logprobs=True, labels=True)
    assert [one.rule for one in proxai_ir.check(asked, CHAT, every)] == ["ENV-13"]


def test_one_rule_has_the_remedies_of_each_place() -> None:
    """Anthropic has no penalties at all; a chat server may have `top_k`."""
    (finding,) = proxai_ir.remedies({**ASKED, "max_tokens": 5, "frequency_penalty": 1}, CHAT, ANTHROPIC)
    assert (finding.rule, finding.remedies) == ("SMP-3", ())
    asked = {**ASKED, "max_tokens": 64, "top_k": 3}
    assert found(asked, ANTHROPIC, CHAT)["SMP-3", "/top_k"][0] == Remedy("capability", "top_k", True, protocol=CHAT)
    assert found(asked, ANTHROPIC, RESPONSES)["SMP-3", "/top_k"] == ()


def test_what_does_nothing_is_not_named() -> None:
    """A signature that chat has no place for, in an envelope or without; an effort that the temperature forbids."""
    thought = {"type": "thinking", "thinking": "so", "signature": "c2ln"}
    done: dict[str, Any] = {"id": "m1", "type": "message", "role": "assistant", "model": "c", "content": [thought]}
    done |= {"stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    assert found(done, ANTHROPIC, CHAT)["RSN-4", "/content/0/signature"] == ()
    assert found(done, ANTHROPIC, RESPONSES)["RSN-4", "/content/0/signature"] == (
        Remedy("option", "seals", proxai_ir.Seals()),
    )
    asked = {**ASKED, "max_tokens": 64, "reasoning_effort": "low", "temperature": 0.3}
    assert found(asked, CHAT, ANTHROPIC)["RSN-13", "/reasoning_effort"] == (
        Remedy("capability", "thinks_by_default", True, protocol=ANTHROPIC),
    )


def test_an_error_has_remedies_too() -> None:
    custom = {"model": "m", "input": "Hi", "max_output_tokens": 64, "tools": [{"type": "custom", "name": "x"}]}
    helps = found(custom, RESPONSES, CHAT)["TUL-2", "/tools/0"]
    assert named(helps) == [("option", "emulate"), ("capability", "custom_tools"), ("profile", "OPENAI_CHAT")]
    assert str(helps[0]) == "emulate=('custom_tools',)"
    assert str(helps[1]) == "Profile('openai_chat_completions', custom_tools=True), if the server has it"
    assert str(helps[2]) == "profiles.OPENAI_CHAT, if it is that server"


def test_an_option_that_trades_a_loss_for_another_names_it() -> None:
    asked = {**ASKED, "max_tokens": 64, "response_format": {"type": "json_object"}}
    (helps,) = found(asked, CHAT, ANTHROPIC)["OUT-3", "/response_format"]
    assert helps == Remedy("option", "emulate", ("json_mode",), ("OUT-11",))
    assert str(helps) == "emulate=('json_mode',) (then OUT-11)"
    several = {**ASKED, "max_tokens": 64, "n": 3}
    assert found(several, CHAT, ANTHROPIC)["CHO-2", "/n"] == (
        Remedy("option", "emulate", ("one_candidate",), ("CHO-4",)),
    )


def test_what_is_emulated_already_stays() -> None:
    several = {**ASKED, "max_tokens": 64, "n": 3}
    (helps,) = found(several, CHAT, ANTHROPIC, emulate=("custom_tools",))["CHO-2", "/n"]
    assert helps.value == ("custom_tools", "one_candidate")


# --- what is known of a server ----------------------------------------------------------------------------------------


def test_what_the_caller_states_is_not_doubted() -> None:
    asked = {**ASKED, "logprobs": True}
    of_profile = found(asked, CHAT, proxai_ir.Profile(GEMINI, logprobs=False))["SMP-7", "/logprobs"]
    assert named(of_profile) == [("profile", "VERTEX_AI")]


def test_another_model_has_what_this_one_does_not() -> None:
    """What the table of models knows is not doubted, whether the model is named by a profile or by the option."""
    asked = {**ASKED, "max_tokens": 64, "temperature": 0.3}
    newest = proxai_ir.profiles.for_model(ANTHROPIC, "claude-opus-5-5")
    for helps in (found(asked, CHAT, newest), found({**ASKED, "frequency_penalty": 1}, CHAT, GEMINI, model="gemini-3")):
        (remedies,) = [one for place, one in helps.items() if place[0] == "SMP-3"]
        assert {one.kind for one in remedies} <= {"model", "profile"}
    (older, *_) = [one for one in found(asked, CHAT, newest)["SMP-3", "/temperature"] if one.kind == "model"]
    assert older.name.startswith("claude-opus-4.")
    assert str(older) == f"the model {older.name!r}"


def test_nothing_is_helped_by_a_server_that_lacks_more() -> None:
    """Without thinking nothing would be reported of what a model cannot but think; that is no remedy."""
    asked = {**ASKED, "reasoning_effort": "none"}
    assert "thinking" not in [one.name for one in found(asked, CHAT, GEMINI)["RSN-33", "/reasoning_effort"]]


# --- every kind of payload --------------------------------------------------------------------------------------------


def test_in_strict_mode_refusals_are_losses_with_the_same_remedies() -> None:
    asked = {**ASKED, "logprobs": True, "seed": 7}
    refused = proxai_ir.remedies(asked, CHAT, GEMINI, strict=True)
    assert [(one.rule, one.severity, named(one.remedies)) for one in refused] == [
        ("SMP-7", "error", [("capability", "logprobs"), ("profile", "VERTEX_AI")])
    ]


def test_responses_and_streams_have_remedies() -> None:
    empty = {
        **ENDED,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": None}, "finish_reason": "stop"}],
    }
    assert found(empty, CHAT, ANTHROPIC)["CHO-3", "/choices/0"] == (Remedy("option", "allow_empty", True),)
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 7, "model": "m"}
    said = {"role": "assistant", "content": "Hi", "extra_content": {"google": {"thought_signature": "c2ln"}}}
    events = [
        {**chunk, "choices": [{"index": 0, "delta": said}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]
    place = "/0/choices/0/delta/extra_content/google/thought_signature"
    assert found(events, CHAT, RESPONSES)["RSN-4", place] == (Remedy("option", "seals", proxai_ir.Seals()),)


def test_bytes_have_the_same_remedies() -> None:
    data = b'{"model": "m", "messages": [{"role": "user", "content": "Hi"}], "logprobs": true}'
    assert found(data, CHAT, GEMINI) == found({**ASKED, "logprobs": True}, CHAT, GEMINI)
    (broken,) = proxai_ir.remedies(b"{", CHAT, GEMINI)
    assert (broken.rule, broken.remedies) == ("SHP-6", ())


# --- cost -------------------------------------------------------------------------------------------------------------


def test_where_nothing_is_lost_nothing_is_tried(monkeypatch: Any) -> None:
    tried: list[Any] = []

    def counting(*given: Any, **options: Any) -> Any:
        tried.append(options)
        return proxai_ir.check(*given, **options)

    monkeypatch.setattr("proxai_ir.advice.remedies.check", counting)
    assert [one.severity for one in proxai_ir.remedies(ASKED, CHAT, RESPONSES)] == ["info"]
    assert len(tried) == 2
    tried.clear()
    proxai_ir.remedies({**ASKED, "logprobs": True, "frequency_penalty": 1, "seed": 7}, CHAT, GEMINI)
    assert len(tried) <= 24


def test_a_change_is_applied_as_its_kind_says() -> None:
    assert applied(Remedy("profile", "VERTEX_AI"), GEMINI, {"strict": True}) == (
        proxai_ir.profiles.VERTEX_AI,
        {"strict": True},
    )
    server, options = applied(Remedy("model", "gemini-2.0"), GEMINI, {})
    assert (server, options) == (proxai_ir.profiles.for_model(GEMINI, "gemini-2.0"), {"model": "gemini-2.0"})
    labelled = proxai_ir.Profile(GEMINI, labels=True)
    remedy = Remedy("capability", "labels", True, protocol=GEMINI)
    assert applied(remedy, GEMINI, {}) == (labelled, {})
    narrow = proxai_ir.Profile(GEMINI, seed=False)
    assert applied(remedy, narrow, {}) == (proxai_ir.Profile(GEMINI, seed=False, labels=True), {})
    version = Remedy("capability", "version", "2023-06-01", protocol=ANTHROPIC)
    assert applied(version, ANTHROPIC, {}) == (proxai_ir.Profile(ANTHROPIC, "2023-06-01"), {})
    assert str(version) == "Profile('anthropic_messages', '2023-06-01'), if the server has it"
    assert set(named_profiles(GEMINI)) == {"GEMINI_API", "GEMINI_2_0", "GEMINI_2_5", "VERTEX_AI"}
