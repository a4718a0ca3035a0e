"""Profiles: what a caller states about a server, and what becomes of a conversion then (CAP-1, CAP-2)."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from itertools import takewhile
from pathlib import Path
from typing import Any

import attrs
import pytest

import proxai_ir
from proxai_ir import Profile, profiles
from proxai_ir.conversion.profile import having
from proxai_ir.exchange.servers import named_profiles
from proxai_ir.ir.error import Error
from proxai_ir.ir.request import Request
from proxai_ir.ir.structure import FEATURES
from proxai_ir.ir.tools import McpServer
from proxai_ir.matrix.specification import spec
from proxai_ir.profiles.vendors import FACTS
from proxai_ir.protocol.registry import backend, frontend
from proxai_ir.reporting.catalogue import TableError
from proxai_ir.targets.models import CAPABILITIES
from proxai_ir.targets.settings import Server
from proxai_ir.targets.verdicts import Target, lacking, loses, of

from .work import kept

ROOT = Path(__file__).parents[1]
SPEC = ROOT / "spec"
NAMES = {
    "anthropic_messages": "Anthropic Messages",
    "bedrock_converse": "Bedrock Converse",
    "cohere_v2_chat": "Cohere's chat",
    "gemini_generate_content": "generateContent",
    "gemini_interactions": "Interactions",
    "ollama_chat": "Ollama",
    "openai_chat_completions": "Chat Completions",
    "openai_responses": "OpenAI Responses",
}
YES = {True: "yes", False: "no"}
NAMED = f" (?:to|from) (?:{'|'.join(NAMES.values())}) "
CHAT, MESSAGES = "openai_chat_completions", "anthropic_messages"
WARM = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0.5, "max_tokens": 9}
COLD = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 9}


@pytest.mark.parametrize(
    "server",
    [
        Profile(MESSAGES, "2026-10-21"),
        Profile(MESSAGES, sampling=False),
        having(MESSAGES, {"version": "2026-10-21"}),
        having(Profile(MESSAGES, sampling=True), {"sampling": False}),
    ],
    ids=str,
)
def test_a_server_without_a_capability(server: Profile) -> None:
    done = proxai_ir.compile(WARM, CHAT, server)
    assert done.output == COLD
    assert [(found.code, found.path) for found in done.diagnostics] == [("SMP-3", "/temperature")]
    assert proxai_ir.convert(WARM, CHAT, server) == COLD
    assert proxai_ir.check(WARM, CHAT, server) == done.diagnostics
    assert proxai_ir.raise_to(proxai_ir.lower(WARM, CHAT), server) == COLD
    assert done.dst == MESSAGES


def test_what_is_stated_counts_more_than_what_a_version_decides() -> None:
    server = Profile(MESSAGES, "2026-10-21", sampling=True)
    assert proxai_ir.convert(WARM, CHAT, server) == {**COLD, "temperature": 0.5}


def test_headers_name_the_version() -> None:
    assert proxai_ir.compile(WARM, CHAT, MESSAGES).headers == {"anthropic-version": "2023-06-01"}
    assert proxai_ir.compile(WARM, CHAT, Profile(MESSAGES, "2026-10-21")).headers == {"anthropic-version": "2026-10-21"}


def test_other_options_of_a_profile_are_defaults() -> None:
    server = Profile(MESSAGES, max_tokens=7)
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    assert proxai_ir.convert(request, CHAT, server)["max_tokens"] == 7
    assert proxai_ir.convert(request, CHAT, server, max_tokens=8)["max_tokens"] == 8


def test_a_profile_may_be_a_source() -> None:
    assert proxai_ir.convert(COLD, Profile(MESSAGES), CHAT)["messages"] == COLD["messages"]
    assert proxai_ir.compile(COLD, Profile(MESSAGES), CHAT).src == MESSAGES


def test_streams_take_profiles() -> None:
    events: list[Any] = [
        {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
         "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}}]},
        {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
         "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        "[DONE]",
    ]  # fmt: skip
    made = list(proxai_ir.convert_stream(events, CHAT, Profile(MESSAGES, "2026-10-21")))
    assert made[-1] == {"type": "message_stop"}
    assert proxai_ir.convert(events, Profile(CHAT), Profile(MESSAGES)) == made


@pytest.mark.slow
def test_profiles_made_for_each_request_do_not_fill_the_memory() -> None:
    def served(numbers: range) -> None:
        for number in numbers:
            server = Profile(MESSAGES, "2026-10-21" if number % 3 else None, max_tokens=number, prefill=number % 2 > 0)
            assert proxai_ir.convert({**COLD, "max_tokens": None}, CHAT, server)["max_tokens"] == number
            proxai_ir.lower(COLD, server)
            proxai_ir.StreamConverter(CHAT, server)

    served(range(1, 300))
    assert kept(lambda: served(range(300, 5_300))) < 2_000_000


def test_what_does_not_exist_is_the_callers_error() -> None:
    with pytest.raises(TypeError, match="sampling"):  # the list of what there is
        Profile(MESSAGES, smpling=False)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="2023-06-01, 2026-10-21"):
        Profile(MESSAGES, "2025-01-01")
    with pytest.raises(TypeError, match="no versions"):
        Profile(CHAT, "v1")
    with pytest.raises(proxai_ir.UnknownProtocol, match="anthropic_messages"):
        Profile("antropic_messages")
    with pytest.raises(TypeError, match="True or False"):
        Profile(MESSAGES, sampling="no")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"stated in its Profile: Profile\('anthropic_messages', '2026-10-21'\)"):
        proxai_ir.convert(WARM, CHAT, MESSAGES, version="2026-10-21")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"stated in its Profile: Profile\('anthropic_messages', prefill=True\)"):
        proxai_ir.Exchange(CHAT, MESSAGES, prefill=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no_such"):
        proxai_ir.convert(WARM, CHAT, MESSAGES, no_such=True)  # type: ignore[call-overload]


def test_profiles_are_values() -> None:
    server = Profile(MESSAGES, "2026-10-21", max_tokens=5)
    assert server == Profile(MESSAGES, "2026-10-21", max_tokens=5) != Profile(MESSAGES, max_tokens=5)
    assert len({server, Profile(MESSAGES, "2026-10-21", max_tokens=5)}) == 1
    assert pickle.loads(pickle.dumps(server)) == copy.deepcopy(server) == server
    assert repr(server) == "Profile('anthropic_messages', '2026-10-21', max_tokens=5)"


def test_profiles_of_anthropic() -> None:
    messages: list[Any] = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "A"}]
    asked = {**WARM, "reasoning_effort": "high", "messages": messages}
    cold = {**COLD, "output_config": {"effort": "high"}}
    assert proxai_ir.convert(asked, CHAT, profiles.ANTHROPIC_2023_06_01) == {**cold, "temperature": 0.5}
    assert proxai_ir.convert(asked, CHAT, profiles.ANTHROPIC_2026_10_21) == {**cold, "thinking": {"type": "adaptive"}}
    continued = {**COLD, "temperature": 0.5, "messages": messages}
    assert proxai_ir.convert(asked, CHAT, profiles.ANTHROPIC_BEFORE_4_6) == continued


def test_the_specification_lists_every_capability() -> None:
    assert {*NAMES} == {*proxai_ir.protocols()}
    rows: dict[tuple[str, str, str], list[str]] = {}
    for protocol, title in NAMES.items():
        back = backend(protocol)
        for name, one in back.target.settings.items():
            if not one.of:
                versions = [(which, has[name]) for which, has in back.versions.items() if name in has]
                assumed = YES.get(one.default, f"`{one.default}`")
                has = "; ".join([assumed, *(f"{YES[has]} in version {which}" for which, has in versions)])
                rows.setdefault((name, one.meaning, has), []).append(title)
    table = [f"| `{name}` | {', '.join(of)} | {has} | {text} |" for (name, text, has), of in sorted(rows.items())]
    assert listed("capabilities.md", "what a server with it accepts |") == table


def test_the_specification_lists_every_option() -> None:
    table = []
    for protocol, title in NAMES.items():
        sides = {"to": backend(protocol).target.settings, "from": frontend(protocol).settings}
        for way, settings in sides.items():
            options = [(name, one) for name, one in settings.items() if one.of]
            table += [f"| `{name}` | {one.of} {way} {title} | {one.meaning} |" for name, one in options]
    assert [row for row in listed("README.md", "| option | of | meaning |") if re.search(NAMED, row)] == table


def sources(*parts: str) -> list[Path]:
    return sorted(ROOT.joinpath(*parts).rglob("*.py"))


def listed(page: str, head: str) -> list[str]:
    """The rows of the table with this head."""
    lines = (SPEC / page).read_text(encoding="utf-8").partition(head)[2].splitlines()[2:]
    return list(takewhile(lambda line: line.startswith("|"), lines))


@pytest.mark.parametrize("protocol", NAMES)
def test_builders_and_checks_read_settings_that_are_declared(protocol: str) -> None:
    """As attributes of the server, never by a string that no tool follows."""
    known = {*backend(protocol).target.settings, "version"} | {name for name in vars(Server) if name[0] != "_"}
    known |= {one.name for cls in (McpServer, Error) for one in attrs.fields(cls)}  # servers of tools, and usual errors
    for file in sources("backends", protocol):
        text = file.read_text(encoding="utf-8")
        if "import Server" not in text:
            continue
        assert {*re.findall(r"\bserver\.(\w+)", text), *re.findall(r"_server\.(\w+)", text)} <= known, file
        assert re.findall(r"\b_?(?:server|options)(?:\.get\(|\[)|vars\(", text) == [], file


def test_what_is_neutral_names_no_setting_of_a_protocol() -> None:
    """Passes ask constraints. Two words are those of members of `state`, too, and some are those of fields of the IR.
    The base judges members, and loads without any setting.
    """
    known = {name for protocol in NAMES for name in backend(protocol).target.settings}
    known -= {one.name for cls in FEATURES for one in attrs.fields(cls)}
    known -= {"custom_tools", "call_ids", *CAPABILITIES}  # those of all protocols' models are declared in a rule module
    rooms = (file for room in ("passes", "streaming", "rules") for file in sources("proxai_ir", room))
    for file in (file for file in rooms if file.name not in ("base.py", "models.py", "approximations.py")):
        nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        assert known.isdisjoint(node.value for node in nodes if isinstance(node, ast.Constant)), file


def test_strict_mode_passes_accepted_rules() -> None:
    payload = {**WARM, "seed": 1}
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        proxai_ir.convert(payload, CHAT, MESSAGES, strict=True)
    assert [found.code for found in caught.value.diagnostics] == ["SMP-10"]
    assert proxai_ir.convert(payload, CHAT, MESSAGES, strict=True, accept=("SMP-10",)) == {**COLD, "temperature": 0.5}
    with pytest.raises(TypeError, match="no such rule"):
        proxai_ir.convert(payload, CHAT, MESSAGES, accept=("SMP-0",))
    with pytest.raises(TypeError, match="TUL-11"):
        proxai_ir.convert(payload, CHAT, MESSAGES, accept=("TUL-11",))


def test_a_table_names_its_capabilities() -> None:
    rows = [of(Request, lacking("nothing", loses("SMP-3", "model")))]
    with pytest.raises(TableError, match="nothing"):
        Target("toy", rows)


def test_a_server_with_short_call_ids_gets_the_same_id_for_a_call_and_its_result() -> None:
    call = {"type": "function_call", "call_id": "call_0123456789", "name": "f", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "call_0123456789", "output": "1"}
    payload = {"model": "m", "input": [{"role": "user", "content": "Hi"}, call, result]}
    made = proxai_ir.compile(payload, "openai_responses", proxai_ir.profiles.MISTRAL)
    _, called, answered = made.output["messages"]
    assert called["tool_calls"][0]["id"] == answered["tool_call_id"]
    assert re.fullmatch("[a-zA-Z0-9]{9}", answered["tool_call_id"])
    assert [one.path for one in made.diagnostics if one.code == "TUL-13"] == ["/input/1/call_id", "/input/2/call_id"]
    again = proxai_ir.convert(payload, "openai_responses", proxai_ir.profiles.MISTRAL)
    assert again == made.output


# --- capabilities that somebody sets ----------------------------------------------------------------------------------

BY_CALLERS = {
    "betas": "rows of clouds set it",
    "hosted_tools": "a server that relays to models elsewhere runs no tools itself",
    "many_strict_tools": "an account may have a higher limit than the documented one",
    "token_limit": "a subscription's endpoint may have a limit of its own",
}


def test_every_capability_is_set_by_a_row_or_an_example() -> None:
    """Or it is one that callers state alone, with the reason."""
    rows = {name for row in FACTS for name in row.settings}
    named = {name for one in named_profiles().values() for name in one.given}
    shown = {name for section in spec() for example in section.examples for name in example.stated}
    every = {name for protocol in proxai_ir.protocols() for name in backend(protocol).target.capabilities}
    assert every - rows - named - shown == set(BY_CALLERS)
