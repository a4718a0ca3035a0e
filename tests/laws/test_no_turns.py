"""PLC-62b: a request whose response is no turn of the conversation is answered by none, whatever the target is.

Over every protocol's forms of such requests and every target: the target has a form of its own, or the request is asked
as one for a summary and its answer made that, or it is refused by the rule before anything is paid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, Profile, Unrepresentable
from proxai_ir.ir.request import Request
from proxai_ir.protocol.registry import protocols

Json = Any
HI = [{"text": "Hi"}]
SAID = [{"role": "user", "content": "Hi"}]
ANTHROPIC, RESPONSES, CHAT = "anthropic_messages", "openai_responses", "openai_chat_completions"
GEMINI, BEDROCK = "gemini_generate_content", "bedrock_converse"
SUMMARY, NOTHING = "PLC-62", "CAC-8"

FORMS: list[tuple[str, str, Json]] = [
    (ANTHROPIC, SUMMARY, {"model": "m", "max_tokens": 9, "messages": SAID, "compaction": {"type": "summarize"}}),
    (RESPONSES, SUMMARY, {"model": "m", "input": [*SAID, {"type": "compaction_trigger"}]}),
    (ANTHROPIC, NOTHING, {"model": "m", "max_tokens": 0, "messages": SAID}),
    (RESPONSES, NOTHING, {"model": "m", "input": "Hi", "prompt_cache_options": {"prewarm": True}}),
    (RESPONSES, NOTHING, {"model": "m", "input": "Hi", "max_output_tokens": 0}),
    (CHAT, NOTHING, {"model": "m", "messages": SAID, "max_completion_tokens": 0}),
    (CHAT, NOTHING, {"model": "m", "messages": SAID, "max_tokens": 0}),
    (GEMINI, NOTHING, {"contents": [{"parts": HI}], "generationConfig": {"maxOutputTokens": 0}}),
    ("gemini_interactions", NOTHING, {"model": "m", "input": "Hi", "generation_config": {"max_output_tokens": 0}}),
    (BEDROCK, NOTHING, {"messages": [{"role": "user", "content": HI}], "inferenceConfig": {"maxTokens": 0}}),
    ("cohere_v2_chat", NOTHING, {"model": "m", "messages": SAID, "max_tokens": 0}),
    ("ollama_chat", NOTHING, {"model": "m", "messages": SAID, "options": {"num_predict": 0}}),
]  # fmt: skip
"""By protocol and the rule that refuses it: every form of a request for a summary, or for no output."""

OWN_FORM: dict[tuple[str, str], Callable[[Json], object]] = {
    (NOTHING, ANTHROPIC): lambda body: body["max_tokens"] == 0,
    (NOTHING, RESPONSES): lambda body: body["prompt_cache_options"]["prewarm"] and "max_output_tokens" not in body,
}
"""The targets with a form of their own, and how it is known; all others refuse."""

TARGETS: list[str | Profile] = [
    *protocols(),
    Profile(RESPONSES, cache_breakpoints=True),
    Profile(RESPONSES, token_limit=False),
    Profile(CHAT, token_limit=False),
]


def is_declared(request: Request) -> bool:
    """Whether the IR says of a request that its response is no turn."""
    return request.summary is not None or request.max_tokens == 0


def name_of(target: str | Profile) -> str:
    return target if isinstance(target, str) else f"{target.protocol}-{'-'.join(target.given)}"


@pytest.mark.parametrize(("source", "rule", "body"), FORMS)
def test_the_ir_declares_it(source: str, rule: str, body: Json) -> None:
    request = proxai_ir.lower(body, source, kind="request")
    assert is_declared(request)
    assert (request.summary is not None) is (rule == SUMMARY)
    assert proxai_ir.convert(body, source, source, kind="request") == body
    assert proxai_ir.raise_to(request, source) == body


@pytest.mark.parametrize("target", TARGETS, ids=name_of)
@pytest.mark.parametrize(("source", "rule", "body"), FORMS)
def test_no_target_answers_it_as_a_turn(source: str, rule: str, body: Json, target: str | Profile) -> None:
    protocol = target if isinstance(target, str) else target.protocol
    if protocol == source:
        return
    native = OWN_FORM.get((rule, protocol))
    takes = native is not None and (protocol == ANTHROPIC or "cache_breakpoints" in getattr(target, "given", ()))
    if takes:
        assert native is not None
        assert native(proxai_ir.convert(body, source, target, kind="request", model="m"))
        return
    with pytest.raises(Unrepresentable) as refused:
        proxai_ir.convert(body, source, target, kind="request", model="m")
    assert rule in [one.rule for one in refused.value.diagnostics]


@pytest.mark.parametrize("target", TARGETS, ids=name_of)
@pytest.mark.parametrize(("source", "rule", "body"), FORMS)
def test_an_exchange_asks_for_a_summary_or_refuses(source: str, rule: str, body: Json, target: str | Profile) -> None:
    protocol = target if isinstance(target, str) else target.protocol
    if protocol == source or (rule, protocol) in OWN_FORM:
        return
    exchange = Exchange(source, target, model="m")
    path = "/model/m/converse" if source == BEDROCK else "/v1beta/models/m:generateContent"
    if rule == NOTHING:
        with pytest.raises(Unrepresentable, match=rule):
            exchange.request(body, path=path)
        return
    sent = exchange.request(body, path=path)
    assert exchange.state["tools"]["instead"] == "summary"
    assert b"Summarise the conversation so far." in sent.body
    assert "PLC-64" in [one.rule for one in sent.diagnostics]
    assert not is_declared(proxai_ir.lower(sent.body, protocol, kind="request"))


def chunk(*deltas: Json, finish: str | None = None) -> Json:
    choices = [{"index": index, "delta": one, "finish_reason": finish} for index, one in enumerate(deltas)]
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}


def test_a_second_candidate_of_a_stream_that_never_ends_is_refused_and_no_part_of_the_summary() -> None:
    begun = chunk({"role": "assistant", "content": "One"}, {"role": "assistant", "content": "Two"})
    stream = [begun, chunk({"content": "."}), chunk({}, finish="stop"), "[DONE]"]
    with pytest.raises(Unrepresentable) as caught:
        proxai_ir.compile(stream, CHAT, RESPONSES, kind="stream", state={"instead": "summary"})
    assert [one.code for one in caught.value.diagnostics] == ["CHO-1"]
