"""The public functions as a caller meets them: what goes in, what comes out, options, kinds and strictness."""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

import proxai_ir
from proxai_ir import Conversion, Diagnostic, InvalidPayload, Severity, TranslationError, Unrepresentable
from proxai_ir.conversion.directions import bound, direction
from proxai_ir.ir.error import ErrorCategory
from proxai_ir.ir.request import Request
from proxai_ir.protocol.registry import backend

from .cases import each
from .samples import PROTOCOLS, Sample, others, samples
from .samples.anthropic_messages import building as anthropic
from .samples.sample import Json

ANTHROPIC, CHAT = "anthropic_messages", "openai_chat_completions"
PLAIN = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 5}
LOSSY = {**PLAIN, "seed": 1}
MADE = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}

each_sample = each("sample", samples("request", "response", "error"), ids=str)


def test_convert() -> None:
    assert proxai_ir.convert(PLAIN, CHAT, ANTHROPIC) == MADE


def test_compile() -> None:
    done = proxai_ir.compile(LOSSY, CHAT, ANTHROPIC)
    assert isinstance(done, Conversion)
    assert (done.output, done.kind, done.src, done.dst) == (MADE, "request", CHAT, ANTHROPIC)
    (one,) = done.diagnostics
    assert isinstance(one, Diagnostic)
    assert (one.code, one.severity, one.path) == ("SMP-10", Severity.LOSS, "/seed")
    assert str(one).startswith("loss SMP-10 /seed ")
    assert repr(done) == f"<Conversion of a request, {CHAT} to {ANTHROPIC}, 1 diagnostics>"


def test_what_a_direction_makes_is_named_as_the_arguments_of_a_conversion() -> None:
    way, known = bound(CHAT, ANTHROPIC, {})
    made = way.convert(PLAIN, None, known)
    assert (made.output, made.kind, made.src, made.dst) == (MADE, "request", CHAT, ANTHROPIC)
    assert (made.source, made.back, made.options) == (PLAIN, backend(ANTHROPIC), known)
    way, known = bound(CHAT, CHAT, {})
    same = way.convert(PLAIN, None, known)
    assert same.output is PLAIN and same.report is None
    names = list(inspect.signature(Conversion).parameters)[: len(made)]
    assert tuple("options" if name == "known" else name for name in names) == made._fields


def test_check() -> None:
    assert proxai_ir.check(PLAIN, CHAT, ANTHROPIC) == ()
    assert [one.code for one in proxai_ir.check(LOSSY, CHAT, ANTHROPIC)] == ["SMP-10"]
    (one,) = proxai_ir.check({**PLAIN, "n": 2}, CHAT, ANTHROPIC)
    assert (one.code, one.severity, one.path) == ("CHO-2", Severity.ERROR, "/n")
    assert [one.code for one in proxai_ir.check(b"{", CHAT, ANTHROPIC)] == ["SHP-6"]


def test_a_refusal() -> None:
    with pytest.raises(Unrepresentable) as caught:
        proxai_ir.convert({**PLAIN, "n": 2}, CHAT, ANTHROPIC)
    error = caught.value
    assert isinstance(error, TranslationError) and isinstance(error, ValueError)
    assert (error.rule, error.path) == ("CHO-2", "/n")
    with pytest.raises(InvalidPayload):
        proxai_ir.convert({**PLAIN, "n": "two"}, CHAT, ANTHROPIC)


# --- strict, options --------------------------------------------------------------------------------------------------


def test_strict_turns_every_loss_into_an_error() -> None:
    assert proxai_ir.convert(PLAIN, CHAT, ANTHROPIC, strict=True) == MADE
    with pytest.raises(Unrepresentable) as caught:
        proxai_ir.convert({**LOSSY, "verbosity": "low"}, CHAT, ANTHROPIC, strict=True)
    assert {(one.code, one.path) for one in caught.value.diagnostics} == {("SMP-10", "/seed"), ("OUT-5", "/verbosity")}
    assert proxai_ir.convert(LOSSY, CHAT, ANTHROPIC, strict=False) == MADE


def test_strict_losses_are_errors() -> None:
    (one,) = proxai_ir.check(LOSSY, CHAT, ANTHROPIC, strict=True)
    assert one.severity is Severity.ERROR


def test_strict_lets_infos_pass() -> None:
    payload = {"model": "m", "messages": PLAIN["messages"]}
    done = proxai_ir.compile(payload, CHAT, ANTHROPIC, strict=True)
    assert [(one.code, one.severity, one.path) for one in done.diagnostics] == [("SMP-1", Severity.INFO, "")]
    assert done.output["max_tokens"] == 32000


@pytest.mark.parametrize("call", [proxai_ir.convert, proxai_ir.compile, proxai_ir.check])
@pytest.mark.parametrize("dst", PROTOCOLS)
def test_an_unknown_option_names_the_known_ones(call: Callable[..., Any], dst: str) -> None:
    with pytest.raises(TypeError, match=r"'colour'.*model.*status.*strict"):
        call(PLAIN, CHAT, dst, colour="red")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("strict", "false"),
        ("max_tokens", "x"),
        ("max_tokens", True),
        ("max_tokens", float("nan")),
        ("model", b"x"),
        ("response_id", 7),
        ("status", [1]),
        ("buffer_limit", "x"),
        ("seals", 1),
        ("emulate", ({},)),
        ("emulate", "custom_tools"),
        ("state", []),
        ("input_tokens", "x"),
    ],
)
def test_an_option_of_the_wrong_type_is_the_callers_mistake(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"option '{name}' is .* expected"):
        proxai_ir.convert({"not": "read"}, CHAT, ANTHROPIC, **{name: value})


def test_the_options_of_a_target_are_named_too() -> None:
    node = proxai_ir.lower(PLAIN, CHAT)
    with pytest.raises(TypeError) as caught:
        proxai_ir.raise_to(node, ANTHROPIC, colour="red")  # type: ignore[call-overload]
    named = str(caught.value).rpartition("accepts ")[2].split(", ")
    assert named == sorted(named)
    assert {"strict", "state", "max_tokens", "seals"} <= set(named)
    assert len(named) < 24  # what a server takes is not among them


def test_the_option_max_tokens() -> None:
    payload = {"model": "m", "messages": PLAIN["messages"]}
    assert proxai_ir.convert(payload, CHAT, ANTHROPIC, max_tokens=7)["max_tokens"] == 7
    assert proxai_ir.convert(PLAIN, CHAT, ANTHROPIC, max_tokens=7)["max_tokens"] == 5


def test_the_option_model() -> None:
    payload = {"messages": PLAIN["messages"], "max_tokens": 5}
    assert [one.code for one in proxai_ir.check(payload, CHAT, ANTHROPIC)] == ["ENV-5"]
    assert proxai_ir.compile(payload, CHAT, ANTHROPIC, model="n").diagnostics == ()
    assert proxai_ir.convert(payload, CHAT, ANTHROPIC, model="n") == {**MADE, "model": "n"}
    assert proxai_ir.convert(PLAIN, CHAT, ANTHROPIC, model="n") == MADE


def test_the_option_status() -> None:
    body = {"error": {"message": "x", "type": None}}
    made = proxai_ir.convert(body, CHAT, ANTHROPIC, status=429)
    assert made == {"type": "error", "error": {"type": "rate_limit_error", "message": "x"}}


# --- kinds ------------------------------------------------------------------------------------------------------------


@each_sample
def test_the_kind_is_recognised(sample: Sample) -> None:
    """A response that failed is an error (STS-9)."""
    kind = type(proxai_ir.lower(sample.make(), sample.protocol)).__name__.lower()
    assert kind == sample.kind or (kind == "error" and sample.payload.get("status") == "failed")
    assert proxai_ir.compile(sample.make(), sample.protocol, sample.protocol).kind == kind


def test_a_kind_that_is_given_counts() -> None:
    with pytest.raises(InvalidPayload) as caught:
        proxai_ir.convert(PLAIN, CHAT, ANTHROPIC, kind="response")
    assert (caught.value.rule, caught.value.path) == ("SHP-2", "")


@pytest.mark.parametrize(
    "payload", [{}, {"model": "m"}, {"messages": [], "error": {}}, {"messages": [], "choices": []}]
)
def test_a_payload_that_does_not_show_its_kind(payload: Json) -> None:
    with pytest.raises(InvalidPayload) as caught:
        proxai_ir.convert(payload, CHAT, ANTHROPIC)
    assert caught.value.rule == "SHP-8"


# --- bytes, sharing, sameness -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview])
def test_bytes_of_any_type(make: Callable[[bytes], Any]) -> None:
    data = make(json.dumps(LOSSY).encode())
    done = proxai_ir.compile(data, CHAT, ANTHROPIC)
    assert type(done.output) is bytes
    assert json.loads(done.output) == MADE
    assert [one.path for one in done.diagnostics] == ["/seed"]
    assert proxai_ir.lower(data, CHAT) == proxai_ir.lower(LOSSY, CHAT)


def test_text_is_not_taken_for_json() -> None:
    with pytest.raises(TypeError, match="the payload is a str; expected bytes or parsed JSON"):
        proxai_ir.convert(json.dumps(PLAIN), CHAT, ANTHROPIC)  # type: ignore[call-overload]


@each_sample
def test_into_its_own_protocol_it_is_itself(sample: Sample) -> None:
    payload, protocol = sample.make(), sample.protocol
    done = proxai_ir.compile(payload, protocol, protocol, kind=sample.kind)
    assert done.output is payload
    assert (done.diagnostics, done.src, done.dst) == ((), protocol, protocol)
    data = json.dumps(payload).encode()
    assert proxai_ir.convert(data, protocol, protocol, kind=sample.kind) is data


def test_into_its_own_protocol_it_is_checked() -> None:
    with pytest.raises(InvalidPayload):
        proxai_ir.convert({**PLAIN, "temperature": "hot"}, CHAT, CHAT)


@each_sample
def test_raising_does_not_change_the_ir(sample: Sample) -> None:
    node = proxai_ir.lower(sample.make(), sample.protocol, kind=sample.kind)
    before = copy.deepcopy(node)
    for dst in (sample.protocol, *others(sample.protocol)):
        try:
            proxai_ir.raise_to(node, dst)
        except Unrepresentable:
            assert dst != sample.protocol
        assert node == before


def test_text_arguments_are_never_written_again() -> None:
    text = '{"b":1,  "a" : 1.0}'
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": text}}
    messages = [*PLAIN["messages"], {"role": "assistant", "content": None, "tool_calls": [call]}]  # type: ignore[misc]
    messages.append({"role": "tool", "tool_call_id": "c", "content": "r"})
    node = proxai_ir.lower({"model": "m", "messages": messages}, CHAT)
    assert proxai_ir.raise_to(node, CHAT)["messages"][1]["tool_calls"][0]["function"]["arguments"] == text  # type: ignore[call-overload]


# --- wire forms -------------------------------------------------------------------------------------------------------

TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
CHOSEN = {"type": "function", "function": {"name": "f"}}
FORMS = [
    (CHAT, {"max_tokens": 5}, {"max_completion_tokens": 5}),
    (CHAT, {"max_tokens": 5}, {"max_completion_tokens": 5, "max_tokens": 5}),
    (CHAT, {"stop": "END"}, {"stop": ["END"]}),
    (CHAT, {"user": "u"}, {"safety_identifier": "u"}),
    (CHAT, {"seed": None, "tools": None}, {}),
    (CHAT, {"tools": []}, {}),
    (
        CHAT,
        {"messages": [{"role": "user", "content": "Hi"}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]},
    ),
    (CHAT, {"tools": [TOOL]}, {"tools": [{"function": TOOL["function"]}]}),
    (CHAT, {"tools": [TOOL]}, {"functions": [TOOL["function"]]}),
    (CHAT, {"tools": [TOOL], "tool_choice": CHOSEN}, {"tools": [TOOL], "function_call": {"name": "f"}}),
    (CHAT, {"tools": [TOOL], "tool_choice": "none"}, {"tools": [TOOL], "function_call": "none"}),
    (ANTHROPIC, {"system": "S"}, {"system": [{"type": "text", "text": "S"}]}),
    (
        ANTHROPIC,
        {"output_format": {"type": "json_schema", "schema": {"type": "object"}}},
        {"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}},
    ),
    (
        ANTHROPIC,
        {"tools": [{"name": "f", "description": "d", "input_schema": {"type": "object"}}]},
        {"tools": [{"type": "custom", "name": "f", "description": "d", "input_schema": {"type": "object"}}]},
    ),
]


@pytest.mark.parametrize(("protocol", "one", "two"), FORMS)
def test_nodes_that_differ_in_wire_form_only_convert_alike(protocol: str, one: Json, two: Json) -> None:
    base: Json = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    if protocol == ANTHROPIC:
        base["max_tokens"] = 5
    first, second = (proxai_ir.compile({**base, **more}, protocol, others(protocol)[0]) for more in (one, two))
    assert first.output == second.output
    assert [each.code for each in first.diagnostics] == [each.code for each in second.diagnostics]


def test_an_empty_input_is_the_text_of_an_empty_object() -> None:
    made = proxai_ir.convert(anthropic.response(anthropic.tool_use("f")), ANTHROPIC, CHAT)
    assert made["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == "{}"


# --- conversions, statuses --------------------------------------------------------------------------------------------


def test_a_conversion_makes_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    made = backend(ANTHROPIC).headers
    assert made is not None

    def headers(node: Any, options: Any) -> dict[str, str]:
        asked.append(node)
        return made(node, options)

    counted = evolve(backend(ANTHROPIC), headers=headers)
    monkeypatch.setattr("proxai_ir.conversion.directions.backend", lambda _: counted)
    direction.cache_clear()
    try:
        done = proxai_ir.compile(PLAIN, CHAT, ANTHROPIC)
        assert (done.output, done.diagnostics, asked) == (MADE, (), [])
        assert done.headers is done.headers == {"anthropic-version": "2023-06-01"}
        assert len(asked) == 1 and asked[0] is done.node
        assert (done.state, done.route) == ({}, {})
    finally:
        monkeypatch.undo()
        direction.cache_clear()


def test_a_conversion_names_its_rules_before_they_are_rendered() -> None:
    for payload in (LOSSY, json.dumps(LOSSY).encode()):
        done = proxai_ir.compile(payload, CHAT, ANTHROPIC)
        assert [*done.rules] == [one.rule for one in done.diagnostics] == ["SMP-10"]
    assert isinstance(done.node, Request) and done.node.max_tokens == 5


def test_a_diagnostic_as_json() -> None:
    (one,) = proxai_ir.check(LOSSY, CHAT, ANTHROPIC)
    message = "The target has no seed, by which sampling could be repeated; dropped."
    assert json.loads(json.dumps(one.as_json())) == {
        "rule": "SMP-10",
        "severity": "loss",
        "path": "/seed",
        "message": message,
    }
    assert one.code == one.rule == proxai_ir.findings([one])[0].rule


@pytest.mark.parametrize("body", [{"error": {"message": "Slow down."}}, {"detail": "Slow down."}, "Slow down."])
def test_the_status_beside_an_error_decides_its_category(body: Any) -> None:
    assert proxai_ir.lower(body, CHAT, kind="error").category is ErrorCategory.UNKNOWN
    node = proxai_ir.lower(body, CHAT, kind="error", status=429)
    assert (node.category, node.status) == (ErrorCategory.RATE_LIMIT, 429)
    assert proxai_ir.raise_to(node, "openai_responses") is not None
    with pytest.raises(TypeError, match=r"option 'status' is .*; expected an integer"):
        proxai_ir.lower(body, CHAT, kind="error", status="429")  # type: ignore[call-overload]


def test_an_error_is_written_with_the_status_that_it_is_sent_with() -> None:
    """Google's body repeats the status: what was read is the provider's, what is written the one that is given."""
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}}
    node = proxai_ir.lower(body, ANTHROPIC, kind="error", status=529)
    for status, code in ((None, 529), (503, 503)):
        made = proxai_ir.raise_to(node, "gemini_generate_content", status=status)
        assert made == {"error": {"code": code, "message": "Busy.", "status": "UNAVAILABLE"}}
    assert node.status == 529
