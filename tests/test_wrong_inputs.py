"""What newcomers get wrong, in the library and on the command line: each is one message that says what was found, what
was expected, and what to type. Remedies for losses are no part of it (tests/test_findings.py).
"""

from __future__ import annotations

import gzip
import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import proxai_ir
from proxai_ir.cli.app import app
from proxai_ir.conversion.bytes import dumped
from proxai_ir.reporting import diagnostics

from .cases import each
from .samples import PROTOCOLS

ANTHROPIC, CHAT, RESPONSES, GEMINI = (
    "anthropic_messages",
    "openai_chat_completions",
    "openai_responses",
    "gemini_generate_content",
)
SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
ASKED: dict[str, Any] = {"model": "m", "max_completion_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}
JSON = json.dumps(ASKED).encode()
OF_ANTHROPIC: dict[str, Any] = {
    "model": "m",
    "max_tokens": 64,
    "system": "Be brief.",
    "messages": [{"role": "user", "content": "Hi"}],
}
SSE = b"""data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,\
"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}]}

data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},\
"finish_reason":"stop"}]}

data: [DONE]

"""
HALF = SSE[: SSE.index(b"\n\n") + 2]

# --- a payload of another protocol, every pair and kind ---------------------------------------------------------------

REQUESTS: dict[str, Any] = {
    ANTHROPIC: {
        **OF_ANTHROPIC,
        "messages": [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"q": "x"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "sun"}]},
        ],
        "tools": [{"name": "f", "input_schema": SCHEMA}],
    },
    CHAT: {
        **ASKED,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Weather?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"q":"x"}'}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "sun"},
        ],
    },
    RESPONSES: {"model": "m", "instructions": "Be brief.", "input": [{"role": "user", "content": "Weather?"}]},
    "bedrock_converse": {
        "system": [{"text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"text": "Hi"}]}],
        "inferenceConfig": {"maxTokens": 5},
    },
    "cohere_v2_chat": {
        "model": "m",
        "messages": [{"role": "user", "content": "Weather?"}],
        "documents": ["Sun."],
        "strict_tools": True,
        "safety_mode": "STRICT",
    },
    GEMINI: {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
    },
    "gemini_interactions": {"model": "m", "system_instruction": "Be brief.", "input": "Weather?"},
    "ollama_chat": {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "options": {"num_predict": 5, "num_ctx": 4096},
        "keep_alive": "5m",
    },
}
WHOLE: dict[str, Any] = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
}
FAILED = {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down."}}


def payload_of(protocol: str, kind: str) -> Any:
    if kind == "request":
        return REQUESTS[protocol]
    if kind == "response":
        return WHOLE if protocol == CHAT else proxai_ir.convert(WHOLE, CHAT, protocol)
    if kind == "error":
        return FAILED if protocol == ANTHROPIC else proxai_ir.convert(FAILED, ANTHROPIC, protocol)
    events = [*proxai_ir.sse.decode([SSE])]
    return events if protocol == CHAT else proxai_ir.convert(events, CHAT, protocol)


@pytest.mark.parametrize("kind", ["request", "response", "error", "stream"])
@each("pair", [*permutations(PROTOCOLS, 2)], ids=" as ".join)
def test_a_payload_of_another_protocol_says_so_where_something_is_lost(pair: tuple[str, str], kind: Any) -> None:
    protocol, given = pair
    target = next(name for name in PROTOCOLS if name not in pair)
    for stated in (kind, None):
        found = proxai_ir.check(payload_of(protocol, kind), given, target, kind=stated)
        hints = [one for one in found if f"looks like {protocol}" in one.message or f"or {protocol}" in one.message]
        alike = kind == "error" and (  # a detail for the other protocol; a message and a code are those of others, too
            protocol == "gemini_interactions" or any(one.rule == "ERR-4" for one in found)
        )
        assert hints or alike or all(one.severity == "info" for one in found)
        assert len(hints) <= 2
        if stated is not None and not hints:
            assert kind == "error"  # whose bodies are alike


@each("pair", [*permutations(PROTOCOLS, 2)], ids=" as ".join)
def test_the_tree_of_a_stream_of_another_protocol_is_refused_with_a_hint(pair: tuple[str, str]) -> None:
    protocol, given = pair
    with pytest.raises(proxai_ir.TranslationError, match=f"the stream looks like {protocol}"):
        proxai_ir.lower(payload_of(protocol, "stream"), given, kind="stream")


@pytest.mark.parametrize(
    ("more", "hinted"),
    [({}, True), ({"member": 1}, True), ({"member": 1, "other": 1}, False)],
    ids=["known", "one-unknown", "unknown"],
)
def test_an_event_with_as_many_unknown_members_as_known_ones_is_no_hint(more: dict[str, int], hinted: bool) -> None:
    first, *others = payload_of(ANTHROPIC, "stream")
    with pytest.raises(proxai_ir.TranslationError) as caught:
        proxai_ir.lower([{**first, **more}, *others], CHAT, kind="stream")
    assert (f"the stream looks like {ANTHROPIC}" in str(caught.value)) is hinted


def test_a_refusal_about_something_else_has_the_hint() -> None:
    """What is unknown would only be a loss; what is refused is a result without its call."""
    result = {"type": "tool_result", "tool_use_id": "t", "content": "x"}
    payload = {**OF_ANTHROPIC, "messages": [{"role": "user", "content": [result]}]}
    (refused,) = proxai_ir.check(payload, CHAT, GEMINI, kind="request")
    assert (refused.rule, refused.path) == ("TUL-3", "/messages/0/content/0/tool_use_id")
    assert "the payload looks like anthropic_messages" in refused.message
    del payload["system"]
    (refused,) = proxai_ir.check(payload, CHAT, GEMINI, kind="request")
    assert "looks like" not in refused.message


def test_the_command_lower_names_the_protocol_of_a_payload_that_it_can_read() -> None:
    code, message = command("lower", "--from", CHAT, "-", stdin=json.dumps(OF_ANTHROPIC).encode())
    assert code == 0
    assert message.startswith(
        "info  SHP-12  (the whole payload)  The payload may be of another protocol than was named."
    )
    assert message.endswith(" (the payload looks like anthropic_messages)\n")
    assert command("lower", "--from", ANTHROPIC, "-", stdin=json.dumps(OF_ANTHROPIC).encode()) == (0, "")


@each("protocol", PROTOCOLS)
def test_a_payload_of_its_own_protocol_has_no_hint(protocol: str) -> None:
    for kind in ("request", "response", "error", "stream"):
        for target in PROTOCOLS:
            for one in proxai_ir.check(payload_of(protocol, kind), protocol, target, kind=kind):
                assert one.rule != "SHP-12" and "looks like" not in one.message


def test_a_hint_is_among_the_rules_whether_or_not_diagnostics_were_read() -> None:
    done = proxai_ir.compile(json.dumps(OF_ANTHROPIC).encode(), CHAT, RESPONSES)
    assert "SHP-12" in done.rules
    assert [one.message for one in done.diagnostics if one.rule == "SHP-12"] == [
        "The payload may be of another protocol than was named. (the payload looks like anthropic_messages)"
    ]
    assert {*done.rules} == {one.rule for one in done.diagnostics}


def test_an_unknown_member_that_no_protocol_knows_is_no_hint() -> None:
    found = proxai_ir.check({**ASKED, "zz_new": 1}, CHAT, ANTHROPIC)
    assert [one.rule for one in found] == ["UNK-1"]


# --- in the library ---------------------------------------------------------------------------------------------------

LIBRARY: dict[str, tuple[Any, dict[str, Any], tuple[str, ...]]] = {
    "wrong protocol": (OF_ANTHROPIC, {"strict": True}, ("UNK-1", "/system", "looks like anthropic_messages")),
    "other vendor": ({"model": "m", "input": "Hi"}, {}, ("fit no kind of openai_chat_completions", "openai_responses")),
    "wrong kind": (ASKED, {"kind": "response"}, ("`choices` is missing", "a request of openai_chat_completions")),
    "unknown kind": (ASKED, {"kind": "reqest"}, ("unknown kind 'reqest'", "did you mean 'request'")),
    "unknown option": (ASKED, {"max_token": 5}, ("max_token", "did you mean 'max_tokens'")),
    "wrong option": (ASKED, {"strict": "yes"}, ("option 'strict' is a string, 'yes'", "expected True or False")),
    "unknown rule": (ASKED, {"accept": ("TUL-999",)}, ("'TUL-999'", "no such rule")),
    "trailing comma": (b'{"model": "m",}', {}, ("a comma before the closing '}'", "line 1, column 15")),
    "Python's repr": (repr({**ASKED, "n": None}).encode(), {}, ("a value of Python", "json.dumps")),
    "cut off": (JSON[:40], {}, ("the JSON ends in the middle", "line 1")),
    "two documents": (JSON + b"\n" + JSON, {}, ("expected one JSON document, found several",)),
    "empty": (b"", {}, ("expected JSON, found nothing",)),
    "binary": (b"\x89PNG\r\n\x1a\n", {}, ("expected JSON, found a PNG image",)),
    "gzip": (b"\x1f\x8b\x08\x00", {}, ("expected JSON, found gzip data",)),
    "not UTF-8": (b'{"model": "\xff"}', {}, ("a byte at 11 that is not valid UTF-8",)),
    "UTF-16": ('{"model"'.encode("utf-16"), {}, ("expected JSON, found text in UTF-16",)),
    "UTF-16 without a mark": ('{"model"'.encode("utf-16-le"), {}, ("expected JSON, found text in UTF-16",)),
    "big-endian UTF-16": ('{"model"'.encode("utf-16-be"), {}, ("expected JSON, found text in UTF-16",)),
    "zeros": (bytes(8), {}, ("unexpected character",)),
    "a page": (b"<html><body>502</body></html>", {}, ("found a page of HTML or XML",)),
    "a comment": (b'// of mine\n{"model": "m"}', {}, ("a comment, which JSON does not have",)),
    "events as a payload": (SSE, {}, ("found server-sent events", "kind 'stream'")),
    "half a stream": (HALF, {"kind": "stream"}, ("ended before its response was complete", "after 1 events")),
    "a payload as a stream": (ASKED, {"kind": "stream"}, ("expected a list of events or bytes", "found an object")),
    "payloads as a stream": ([ASKED], {}, ("expected events of a stream", "a request of openai_chat_completions")),
    "events in bytes": (b'[{"choices": []}]', {}, ("expected an object as the payload, found an array", "'stream'")),
    "text": ("{}", {}, ("the payload is a str", "encode it as UTF-8, or parse it")),
    "an object": (object(), {}, ("the payload is a Python object", "expected parsed JSON", "model_dump")),
    "nothing": (None, {}, ("expected an object as the payload, found null",)),
    "a number": (5, {}, ("expected an object as the payload, found an integer, 5",)),
}


@each("name", LIBRARY)
def test_in_the_library(name: str) -> None:
    payload, options, said = LIBRARY[name]
    with pytest.raises((proxai_ir.TranslationError, proxai_ir.UnknownProtocol, TypeError)) as caught:
        proxai_ir.convert(payload, CHAT, ANTHROPIC if name != "wrong protocol" else RESPONSES, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert [one for one in said if one not in message] == [], message


@pytest.mark.parametrize(
    ("src", "near"), [("openai", "did you mean 'openai_responses'"), ("antropic_messages", "'anthropic_messages'")]
)
def test_an_unknown_protocol(src: str, near: str) -> None:
    with pytest.raises(proxai_ir.UnknownProtocol) as caught:
        proxai_ir.convert(ASKED, src, ANTHROPIC)
    assert f"protocol {src!r} is not installed" in str(caught.value)
    assert near in str(caught.value) or src == "openai"  # which is near to two


def test_a_byte_order_mark_is_no_part_of_a_payload() -> None:
    mark = b"\xef\xbb\xbf"
    assert proxai_ir.convert(mark + JSON, CHAT, ANTHROPIC) == proxai_ir.convert(JSON, CHAT, ANTHROPIC)
    assert proxai_ir.convert(mark + SSE, CHAT, ANTHROPIC, kind="stream") == proxai_ir.convert(
        SSE, CHAT, ANTHROPIC, kind="stream"
    )


def test_a_huge_payload_that_is_broken_is_refused_at_once() -> None:
    with pytest.raises(proxai_ir.InvalidPayload) as caught:
        proxai_ir.convert(b'{"model": "' + b"x" * 5_000_000, CHAT, ANTHROPIC)
    assert len(str(caught.value)) < 500


def test_a_number_that_is_none_of_json_s() -> None:
    with pytest.raises(proxai_ir.InvalidPayload, match="unexpected character"):
        proxai_ir.convert(b'{"model": NaN}', CHAT, ANTHROPIC)


# --- on the command line ----------------------------------------------------------------------------------------------

ROUTE = ("--from", CHAT, "--to", ANTHROPIC, "-")
FOUND = ("--to", ANTHROPIC, "-")
CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
DELTA = {"index": 0, "delta": {"role": "assistant", "content": "Hi"}}
LINES = json.dumps({**CHUNK, "choices": [DELTA]}).encode() + b"\n"
OF_BATCH = {"model": "m", "max_tokens": 5, "system": "s", "messages": [{"role": "user", "content": "Hi"}]}
BATCH = json.dumps({"custom_id": "a", "params": OF_BATCH}).encode()
COMMANDS: dict[str, tuple[tuple[str, ...], bytes, int, tuple[str, ...]]] = {
    "wrong protocol": (("--from", "openai_chatt", "--to", ANTHROPIC, "-"), JSON, 2, ("did you mean 'openai_chat",)),
    "wrong target": (("--from", CHAT, "--to", "vertexai", "-"), JSON, 2, ("'vertexai'", "did you mean 'vertex_ai'?")),
    "wrong kind": ((*ROUTE, "--kind", "reqest"), JSON, 2, ("'reqest'", "'request'")),
    "kind of another": ((*ROUTE, "--kind", "response"), JSON, 4, ("choices", "a request of openai_chat_completions")),
    "wrong profile": ((*ROUTE, "--profile", "antropic_2026_10_21"), JSON, 2, ("did you mean 'anthropic_2026_10_21",)),
    "profile of another": ((*ROUTE, "--profile", "vllm"), JSON, 2, ("vllm is a profile of openai_chat_completions",)),
    "no option": ((*ROUTE, "--option", "strict"), JSON, 2, ("'strict' is not NAME=VALUE",)),
    "unknown option": ((*ROUTE, "--option", "max_token=5"), JSON, 2, ("max_token", "did you mean 'max_tokens'")),
    "wrong option": ((*ROUTE, "--option", "max_tokens=five"), JSON, 2, ("'max_tokens' is a string", "an integer")),
    "no file": ((*ROUTE[:4], "absent.json"), b"", 5, ("absent.json: No such file",)),
    "a folder": ((*ROUTE[:4], "."), b"", 5, ("Is a directory",)),
    "trailing comma": (ROUTE, b'{"model": "m",}', 5, ("not JSON: a comma before the closing '}'",)),
    "cut off": (ROUTE, JSON[:40], 5, ("not JSON: the JSON ends in the middle",)),
    "two documents": (ROUTE, JSON + b"\n" + JSON, 5, ("found several", "if each line is one, pass --jsonl")),
    "two laid out": (ROUTE, b'{\n"a": 1\n}\n{\n"b": 2\n}', 5, ("expected one JSON document, found several",)),
    "empty": (ROUTE, b"", 5, ("expected JSON, found nothing",)),
    "binary": (ROUTE, b"\x89PNG\r\n\x1a\n", 5, ("expected JSON, found a PNG image",)),
    "gzip": (ROUTE, b"\x1f\x8b\x08\x00", 5, ("found gzip data; `proxai-ir bulk` reads files of this format",)),
    "events": ((*ROUTE, "--kind", "request"), SSE, 5, ("found server-sent events", "a stream needs --kind stream")),
    "half a stream": ((*ROUTE, "--kind", "stream"), HALF, 4, ("ended before its response was complete",)),
    "a payload as a stream": ((*ROUTE, "--kind", "stream"), JSON, 4, ("found a request of openai_chat_completions",)),
    "lines as a stream": (
        (*ROUTE, "--kind", "stream"),
        LINES,
        4,
        ("lines of JSON; if each is an event, pass --jsonl",),
    ),
    "UTF-16": (ROUTE, JSON.decode().encode("utf-16"), 5, ("expected JSON, found text in UTF-16",)),
    "Latin 1": (ROUTE, '{"model": "é"}'.encode("latin-1"), 5, ("expected JSON in UTF-8, found a byte at",)),
    "half an archive": (ROUTE, gzip.compress(JSON)[:20], 5, ("found gzip data; `proxai-ir bulk` reads files of",)),
    "zeros": (FOUND, bytes(4096), 5, ("not JSON: unexpected character",)),
    "no protocol's": (FOUND, b'{"x": 1}', 4, ("no protocol reads this payload", "--from states one")),
    "no protocol's stream": (FOUND, b'data: {"x": 1}\n\n', 4, ("found no event that begins a response",)),
    "a batch": (FOUND, BATCH, 4, (f"`proxai-ir bulk FILE --kind batch --from {ANTHROPIC} --to {ANTHROPIC} --out",)),
    "a profile's name with a form": (
        (*FOUND, "--from", "jsonl"),
        JSON,
        2,
        ("there is no protocol, vendor or profile",),
    ),
}


def command(name: str, *arguments: str, stdin: bytes = b"") -> tuple[int, str]:
    """The exit code, and what standard error says."""
    done = CliRunner().invoke(app, [name, *arguments], input=stdin, prog_name="proxai-ir", catch_exceptions=False)
    return done.exit_code, done.stderr


@each("name", COMMANDS)
def test_on_the_command_line(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, stdin, code, said = COMMANDS[name]
    found, message = command("convert", *arguments, stdin=stdin)
    assert found == code, message
    assert [one for one in said if one not in message] == [], message
    assert len(message.splitlines()) == 1 or code == 4, message


USAGE: dict[str, tuple[tuple[str, ...], str]] = {
    "no such command": (("bulkk",), "No such command 'bulkk'. Did you mean 'bulk'?"),
    "no such option": (("convert", "--form", CHAT), "there is no option --form; did you mean '--from'?"),
    "no value": (("check", "--from"), "Option '--from' requires an argument; expected --from PROTOCOL (The"),
    "no file": (("convert", *ROUTE[:4]), "FILE|- is missing; expected FILE|- (The payload; - is standard input)"),
    "no target": (("convert", "--from", CHAT, "-"), "--to is missing; expected --to PROTOCOL (The protocol to convert"),
    "two files": (("detect", "a", "b"), "Got unexpected extra argument(s) (b); expected proxai-ir detect [OPTIONS]"),
    "out of range": (("log", "--limit", "0"), "--limit: found '0'; Input should be greater than or equal to 1"),
    "no number": (("log", "--limit=x"), "--limit: found 'x'; Input should be a valid integer"),
    "a flag's value": (("convert", "--quiet=3"), "Option '--quiet' does not take a value; expected --quiet (No diagno"),
    "together": (("bulk", "x", *ROUTE[:4]), "expected --out FOLDER, or --mode check, which writes no outputs"),
}


@each("name", USAGE)
def test_wrong_usage_is_one_line(name: str) -> None:
    arguments, said = USAGE[name]
    code, message = command(*arguments)
    shown = "proxai-ir" if name == "no such command" else f"proxai-ir {arguments[0]}"
    assert (code, message.count("\n")) == (2, 1), message
    assert message.startswith(f"{shown}: {said}"), message
    assert message.endswith(f"; see `{shown} --help`\n")


def test_without_a_command_there_is_help() -> None:
    done = CliRunner().invoke(app, [], prog_name="proxai-ir", catch_exceptions=False)
    assert (done.exit_code, done.stderr) == (2, "")
    assert "Usage: proxai-ir [OPTIONS] COMMAND [ARGS]..." in done.stdout


@pytest.mark.parametrize("name", ["rules", "explain"])
def test_a_misspelt_rule(name: str) -> None:
    code, message = command(name, "TUL-444")
    assert code == 2
    assert "no rule has the id 'TUL-444'. Similar ids: TUL-44" in message


def test_a_byte_order_mark_on_the_command_line(tmp_path: Path) -> None:
    for name, data in (("one.json", JSON), ("lines.jsonl", JSON + b"\n" + JSON)):
        file = tmp_path / name
        file.write_bytes(b"\xef\xbb\xbf" + data)
        assert command("convert", "--from", CHAT, "--to", ANTHROPIC, str(file)) == (0, "")


# --- files ------------------------------------------------------------------------------------------------------------

LINE = json.dumps({"id": 1, "body": ASKED}).encode()
BULK: dict[str, tuple[tuple[str, ...], int, tuple[str, ...]]] = {
    "no column": ((), 4, ("SHP-8", "Is it in the member 'body'? Name it: column='body' (--column)")),
    "misspelt column": (("--column", "bdy"), 4, ("found the members 'id', 'body'; did you mean 'body'?",)),
    "another column": (("--column", "id"), 4, ("expected an object with the payload in 'id', found an integer",)),
    "no such kind": (("--kind", "requests"), 2, ("'requests'", "'request'")),
}


@each("name", BULK)
def test_in_files(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    arguments, code, said = BULK[name]
    (tmp_path / "rows.jsonl").write_bytes(LINE + b"\n" + LINE + b"\n")
    rows = str(tmp_path / "rows.jsonl")
    given = ["bulk", rows, "--from", CHAT, "--to", ANTHROPIC, "--mode", "check", "--workers", "0", *arguments]
    done = CliRunner().invoke(app, given, catch_exceptions=False)
    message = done.output
    assert done.exit_code == code, message
    assert [one for one in said if one not in message] == [], message


def test_what_no_json_can_hold_is_refused_where_bytes_are_made() -> None:
    with pytest.raises(diagnostics.Refusal) as caught:
        dumped({"a": object()})
    assert caught.value.records[0][0] == "SHP-7"
    assert dumped({"a": 1 << 70}) == b'{"a":1180591620717411303424}'
