"""One below each number that a target or a reader knows, the number itself, and one above, with its capability and
without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Profile
from proxai_ir.ir.envelope import LONGEST, PLAINLY, enveloped
from proxai_ir.ir.node import Seal
from proxai_ir.ir.structure import SINCE, VERSION
from proxai_ir.passes.seals import OF_CALL
from proxai_ir.reporting.catalogue import TableError
from proxai_ir.streaming.findings import KeptEvents
from proxai_ir.targets.verdicts import loses, omits, refuses
from proxai_ir.testing.streams import fed

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Json
from .test_substitution import ANTHROPIC, CHAT, GEMINI, RESPONSES, found

HELLO = chat.user("Hi")


def of_chat(**settings: Any) -> Json:
    return chat.request(HELLO, **settings)


def of_anthropic(**settings: Any) -> Json:
    return {**anthropic.request(HELLO), **settings}


def of_responses(**settings: Any) -> Json:
    return {**responses.request(responses.user("Hi")), **settings}


def calling(identity: str) -> Json:
    said = chat.assistant(content=None, tool_calls=[chat.call("f", "{}", identity)])
    return chat.request(HELLO, said, chat.result("r", identity), tools=[chat.tool("f")])


def of_responses_calling(identity: str) -> Json:
    items = (responses.call("f", "{}", identity), responses.result("r", identity))
    return responses.request(responses.user("Hi"), *items, tools=[responses.tool("f")])


def marked(count: int) -> Json:
    marks = [{**anthropic.text(str(n)), "cache_control": {"type": "ephemeral"}} for n in range(count)]
    return chat.request({"role": "user", "content": marks})


def letters(count: int) -> str:
    return "x" * count


Build = Callable[[Any], Json]
PLAIN = Profile(GEMINI, effort=False, logprobs=True)
NUMBERS: dict[str, tuple[str, Build, str | Profile, str, list[Any], list[Any]]] = {
    "temperature": (CHAT, lambda n: of_chat(temperature=n), GEMINI, "SMP-2", [0, 2, 2.0], [-0.1, 2.1]),
    "temperature of Anthropic": (CHAT, lambda n: of_chat(temperature=n), ANTHROPIC, "SMP-2", [0, 1], [1.1, 2]),
    "seed": (CHAT, lambda n: of_chat(seed=n), GEMINI, "SMP-2", [2**31 - 1, -(2**31)], [2**31, -(2**31) - 1]),
    "likely tokens": (CHAT, lambda n: of_chat(logprobs=True, top_logprobs=n), PLAIN, "SMP-2", [0, 19, 20], [21]),
    "stops": (ANTHROPIC, lambda n: of_anthropic(stop_sequences=list(letters(n))), GEMINI, "SMP-5", [1, 5], [6]),
    "stops of chat": (ANTHROPIC, lambda n: of_anthropic(stop_sequences=list(letters(n))), CHAT, "SMP-5", [4], [5]),
    "fewest tokens": (CHAT, lambda n: of_chat(max_completion_tokens=n), RESPONSES, "SMP-9", [16, 17], [15, 1]),
    "a user": (ANTHROPIC, lambda n: of_anthropic(metadata={"user_id": letters(n)}), CHAT, "USR-5", [127, 128], [129]),
    "a user of Anthropic": (CHAT, lambda n: of_chat(user=letters(n)), ANTHROPIC, "USR-5", [255, 256], [257]),
    "pairs of metadata": (
        CHAT,
        lambda n: of_chat(metadata=dict.fromkeys(map(str, range(n)), "")),
        RESPONSES,
        "USR-3",
        [16],
        [17],
    ),
    "a key of metadata": (CHAT, lambda n: of_chat(metadata={letters(n): ""}), RESPONSES, "USR-3", [64], [65]),
    "a text of metadata": (CHAT, lambda n: of_chat(metadata={"a": letters(n)}), RESPONSES, "USR-3", [512], [513]),
    "an id": (RESPONSES, lambda n: of_responses_calling(letters(n)), CHAT, "TUL-13", [39, 40], [41]),
    "an id of Responses": (CHAT, lambda n: calling(letters(n)), RESPONSES, "TUL-13", [63, 64], [65]),
    "a name": (ANTHROPIC, lambda n: of_anthropic(tools=[anthropic.tool(letters(n))]), CHAT, "TUL-26", [63, 64], [65]),
    "a name of Gemini": (
        ANTHROPIC,
        lambda n: of_anthropic(tools=[anthropic.tool(letters(n))]),
        GEMINI,
        "TUL-26",
        [63, 64],
        [65],
    ),
    "breakpoints": (
        CHAT,
        marked,
        ANTHROPIC,
        "CAC-6",
        [3, 4],
        [5],
    ),
}
"""For each number: where it comes from, where it matters, under which rule, values that pass and values that do not."""


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_holds_up_to_itself(name: str) -> None:
    src, build, dst, rule, sound, beyond = NUMBERS[name]
    for value in sound:
        assert rule not in dict(found(build(value), src, dst)), value
    for value in beyond:
        assert rule in dict(found(build(value), src, dst)), value


def thinking(budget: int) -> Json:
    return of_anthropic(max_tokens=budget + 1, thinking={"type": "enabled", "budget_tokens": budget})


BUDGETS = {1: 512, 511: 512, 512: 512, 513: 513, 24575: 24575, 24576: 24576, 24577: 24576, 10**6: 24576}


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_budget_of_a_server_without_effort_is_the_nearest_that_it_takes(budget: int) -> None:
    made = proxai_ir.compile(thinking(budget), ANTHROPIC, PLAIN, kind="request", model="m")
    assert made.output["generationConfig"]["thinkingConfig"]["thinkingBudget"] == BUDGETS[budget]
    lost = [(one.code, one.path) for one in made.diagnostics if one.code == "RSN-21"]
    assert lost == ([] if BUDGETS[budget] == budget else [("RSN-21", "/thinking/budget_tokens")])


def test_a_budget_of_a_server_with_effort_stays() -> None:
    made = proxai_ir.convert(thinking(10**6), ANTHROPIC, GEMINI, kind="request", model="m")
    assert made["generationConfig"]["thinkingConfig"]["thinkingBudget"] == 10**6


@pytest.mark.parametrize("effort", ["minimal", "low", "medium", "high", "xhigh"])
def test_an_effort_beside_a_budget_gives_way_to_it(effort: str) -> None:
    """Where a server has no effort: the budget is sent, brought into its range, and the effort is reported."""
    asked = {**thinking(30_000), "output_config": {"effort": effort if effort != "minimal" else "low"}}
    made = proxai_ir.compile(asked, ANTHROPIC, PLAIN, kind="request", model="m")
    assert made.output["generationConfig"]["thinkingConfig"]["thinkingBudget"] == 24576
    assert "RSN-21" in [one.code for one in made.diagnostics]


# --- what a stream holds back -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_exactly_as_much_as_the_limit_is_held_back(more: int) -> None:
    """Of a second call, while the first is open: the braces of both, and these."""
    begun = chat.calls(chat.fragment(0, "{", "call_1", "f"), chat.fragment(1, "{", "call_2", "g"))
    events = [chat.chunk(begun), chat.chunk(chat.calls(chat.fragment(1, " " * (9 + more))))]
    done = fed(events, CHAT, ANTHROPIC, buffer_limit=10, close=False)
    assert done.rule() == ("STR-15" if more > 0 else "")


@pytest.mark.parametrize("waiting", [True, False])
def test_pieces_of_parts_are_not_kept(waiting: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """No finding will point at one, so that a stream of any length holds as many events as a short one."""
    kept: list[int] = []
    monkeypatch.setattr(KeptEvents, "keep", lambda self, position, event: kept.append(position))
    begun = chat.calls(chat.fragment(0, "{", "call_1", "f"), chat.fragment(1, "{", "call_2", "g"))
    pieces = [chat.calls(chat.fragment(number % 2 if not waiting else 1, " ")) for number in range(40)]
    fed([chat.chunk(begun), *map(chat.chunk, pieces)], CHAT, ANTHROPIC, close=False)
    assert kept in ([], [0])


CONTENT = ("a" * 997) + "xyz"


@pytest.mark.parametrize("length", [999, 1000, 1001])
@pytest.mark.parametrize("refusal", [999, 1000, 1001])
def test_a_refusal_is_compared_with_content_of_1000_characters(length: int, refusal: int) -> None:
    """It counts once where it is all of the content; where it is only the beginning, nothing of it is lost."""
    words = CONTENT + "!"
    pieces = [words[:999], words[999 : min(length, 1000)], words[1000:length]]
    deltas = [*({"content": piece} for piece in pieces), {"refusal": words[:refusal]}]
    out = proxai_ir.convert(chat.stream(*deltas), CHAT, RESPONSES, kind="stream")
    told = "".join(one["delta"] for one in out if one["type"] == "response.refusal.delta")
    assert told == ("" if length == refusal <= 1000 else words[:refusal])


# --- envelopes --------------------------------------------------------------------------------------------------------


KEYS = {"k" * number: b"0123456789abcdef" for number in range(1, 5)}


def shown(signature: str, seals: proxai_ir.Seals = PLAINLY) -> proxai_ir.Conversion:
    """A signed call of Gemini's, as a client of Anthropic's gets it."""
    payload = gemini.response(gemini.call("f", {}, thoughtSignature=signature))
    return proxai_ir.compile(payload, GEMINI, ANTHROPIC, kind="response", seals=seals)


def test_a_signature_of_a_call_travels_up_to_the_longest_envelope() -> None:
    """Base64 grows by four characters at a time: with one of four keys an envelope is exactly as long as it may be."""
    lengths: set[int] = set()
    for name, key in KEYS.items():
        sealed = proxai_ir.Seals({name: key})
        length = (LONGEST - len(enveloped(Seal("google", OF_CALL, ""), sealed))) * 3 // 4 - 3
        while len(envelope := enveloped(Seal("google", OF_CALL, "A" * length), sealed)) <= LONGEST + 4:
            lengths.add(len(envelope))
            content = shown("A" * length, sealed).output["content"]
            fits = len(envelope) <= LONGEST
            assert [one["type"] for one in content] == (["redacted_thinking"] if fits else []) + ["tool_use"]
            assert not fits or len(content[0]["data"]) == len(envelope)
            length += 3
    assert lengths >= {LONGEST - 1, LONGEST, LONGEST + 1}


def test_a_signature_of_a_text_is_none_of_a_call() -> None:
    payload = gemini.response(gemini.text("Hi", thoughtSignature=gemini.SIGNATURE))
    made = proxai_ir.compile(payload, GEMINI, ANTHROPIC, kind="response", seals=proxai_ir.Seals())
    envelope, text = made.output["content"]
    assert (envelope["type"], text) == ("redacted_thinking", {"type": "text", "text": "Hi"})
    assert [one.code for one in made.diagnostics if one.code.startswith("RSN")] == ["RSN-30"]
    call = {"type": "tool_use", "id": "c1", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "ok"}
    turns = (("user", "Hi"), ("assistant", [envelope, call]), ("user", [result]))
    asked = {"model": "m", "max_tokens": 9, "messages": [{"role": role, "content": content} for role, content in turns]}
    back = proxai_ir.compile(asked, ANTHROPIC, GEMINI, kind="request", seals=proxai_ir.Seals())
    assert gemini.SIGNATURE not in str(back.output)
    assert [one.code for one in back.diagnostics if one.severity == "loss"] == ["RSN-10"]


def test_a_closed_envelope_of_a_call_is_put_into_no_other() -> None:
    made = shown(enveloped(Seal("anthropic", "signature", "eA==")))
    assert [block["type"] for block in made.output["content"]] == ["tool_use"]
    assert "RSN-24" not in [one.code for one in made.diagnostics]


# --- versions, and tables that contradict themselves ------------------------------------------------------------------


def test_nothing_is_newer_than_the_version_of_the_ir() -> None:
    assert max(SINCE.values()) <= VERSION
    assert min(SINCE.values()) > 1  # what was there from the start needs no entry


SECOND = """
ToolGroup FunctionTool.namespace CustomTool.namespace FunctionCall.namespace CustomCall.namespace Reference.raw
ClientTool ClientCall ClientResult WebSearchChoice CodeTool CodeChoice CodeCall CodeResult ErrorCategory.CONTEXT_LENGTH
Service.moderation Request.hosted_calls WebSearchCall.page WebSearchResult.page StopReason.FAILED
DocumentCitation NamedChoice.namespace CustomChoice.namespace
EnumFormat Request.summary Summary ToolChange TurnSettings Turn.settings
"""
"""What version 2 of the IR added: tables of other packages, written for version 1, get a default for each."""


def test_what_a_table_of_the_first_version_need_not_judge() -> None:
    subjects = [one for one, version in SINCE.items() if version == 2]
    names = [f"{one[0].__name__}.{one[1]}" if isinstance(one, tuple) else one.__name__ for one in subjects]
    assert sorted(names) == sorted(SECOND.split())


@pytest.mark.parametrize("word", [omits, loses, refuses])
def test_a_verdict_that_carries_nothing_takes_no_rewrite(word: Any) -> None:
    rule = {omits: "SMP-6", loses: "SMP-3", refuses: "TUL-2"}[word]
    word(rule, "seed")
    with pytest.raises(TableError, match="takes no `by`"):
        word(rule, "seed", by=lambda node: node)
