"""A provider that lets an agent run one shell command, in its own protocol: first thinking and a call, then a text.

What it responds depends on the request alone: as long as the request has a shell tool and no result of the command, it
is the call; then it is the text. With the thinking comes a signature, which `sealed` finds where it comes back.
"""

from __future__ import annotations

import json
import re
from typing import Any

from proxai_ir.protocol.registry import framing_of

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Json
from . import others

COMMAND = "echo $((6 * 7))apples"
SCRIPT = f"text(JSON.stringify(await tools.exec_command({{cmd: '{COMMAND}'}})))"
RESULT = "42apples"
TEXT = "There are 42 apples."
THOUGHT = "I count them in the shell."
SEAL = "c2VhbGVkIHRob3VnaHQ="

SHELLS = {
    "Bash": {"command": COMMAND, "description": "Counts"},  # Claude Code
    "shell": {"command": ["bash", "-lc", COMMAND]},  # Codex, by version
    "shell_command": {"command": COMMAND},
    "exec_command": {"cmd": COMMAND},
    "local_shell": {"command": ["bash", "-lc", COMMAND]},
    "functions__exec": {"input": SCRIPT},  # Codex with models that it knows, whose tool takes a script
    "run": {"command": COMMAND},  # the AI SDK's script
    "run_shell_command": {"command": "printf %sapples 42"},  # Gemini CLI, which refuses $(…) in commands
    "bash": {"command": COMMAND, "description": "Counts"},  # opencode
}
"""The shell tools of agents, with what they are to be called with."""


WRAPPERS = ("function", "custom", "toolSpec")
"""Where the name of a tool stands, if not in itself."""


def tools_of(request: Json) -> list[str]:
    """The names of the functions that a request has, those in a namespace with its name in front."""
    given = [*(request.get("tools") or ())]
    for item in request.get("input") or ():
        given += item.get("tools") or () if isinstance(item, dict) else ()
    given += (request.get("toolConfig") or {}).get("tools") or ()
    found = [next((one[name] for name in WRAPPERS if name in one), one) for one in given]
    found = [one for one in found if one.get("type") != "namespace"]
    found += [declared for one in given for declared in one.get("functionDeclarations", ())]
    spaces = [(one["name"], inner) for one in given if one.get("type") == "namespace" for inner in one["tools"]]
    return [*(one["name"] for one in found if "name" in one), *(f"{space}__{one['name']}" for space, one in spaces)]


def respond(protocol: str, request: Json, streamed: bool) -> Any:
    """The response to a request: parsed JSON, or the events of a stream."""
    shell = next((name for name in tools_of(request) if name in SHELLS), None)
    if shell is None or RESULT in json.dumps(request):
        return BUILDERS[protocol](None, None, streamed)
    return BUILDERS[protocol](shell, SHELLS[shell], streamed)


def sealed(protocol: str, request: Json) -> bool:
    """Whether the thinking came back with its seal, where the provider that issued it looks for it."""
    return SEAL in json.dumps(request)


def _anthropic(name: str | None, arguments: Any, streamed: bool, said: str = TEXT) -> Any:
    stop = "tool_use" if name else "end_turn"
    if not streamed:
        thinking = {"type": "thinking", "thinking": THOUGHT, "signature": SEAL}
        content = [thinking, anthropic.tool_use(name, arguments, "toolu_1")] if name else [anthropic.text(said)]
        return anthropic.response(*content, stop=stop)
    if name is None:
        return anthropic.stream(anthropic.text_block(said[:5], said[5:]), stop=stop)
    call = anthropic.call_block("toolu_1", name, *responses.halves(json.dumps(arguments)))
    return anthropic.stream(anthropic.thinking_block(THOUGHT, signature=SEAL), call, stop=stop)


def _chat(name: str | None, arguments: Any, streamed: bool, said: str = TEXT) -> Any:
    finish = "tool_calls" if name else "stop"
    if name is not None and "input" in arguments:  # a custom tool
        called = {"id": "call_1", "type": "custom", "custom": {"name": name, "input": arguments["input"]}}
        given: dict[str, Any] = {"tool_calls": [{"index": 0, **called}] if streamed else [called]}
        return chat.stream(given, finish=finish) if streamed else chat.response(finish, **given)
    if not streamed and name is not None:
        return chat.response(finish, tool_calls=[chat.call(name, json.dumps(arguments))])
    if not streamed:
        return chat.response(finish, content=said)
    if name is None:
        return chat.stream({"content": said[:5]}, {"content": said[5:]}, finish=finish)
    first, second = responses.halves(json.dumps(arguments))
    calls = chat.calls(chat.fragment(0, first, "call_1", name)), chat.calls(chat.fragment(0, second))
    return chat.stream({"reasoning_content": THOUGHT}, *calls, finish=finish)


def _responses(name: str | None, arguments: Any, streamed: bool, said: str = TEXT) -> Any:
    text = {"type": "output_text", "text": said, "annotations": [], "logprobs": []}
    items = [{"id": "msg_1", "status": "completed", **responses.message(text)}]
    if name is not None:
        summary = [{"type": "summary_text", "text": THOUGHT}]
        reasoning = {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": SEAL}
        items = [reasoning, _called(name, arguments)]
    usage: Json = {"input_tokens": 9, "output_tokens": 7, "total_tokens": 16}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    settings: Json = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": usage}
    whole = responses.response(*items, **settings)
    return responses.stream(whole) if streamed else whole


def _called(name: str, arguments: Any) -> Json:
    """A call of a function; of what stands in a namespace, of a custom tool, which takes a text."""
    space, _, inner = name.rpartition("__")
    if not space:
        return responses.call(name, json.dumps(arguments), id="fc_1", status="completed")
    about = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "status": "completed"}
    return {**about, "namespace": space, "name": inner, "input": arguments["input"]}


def _gemini(name: str | None, arguments: Any, streamed: bool, said: str = TEXT) -> Any:
    parts: list[Json] = [{"text": said}]
    if name is not None:
        call = {"functionCall": {"name": name, "args": arguments}, "thoughtSignature": SEAL}
        parts = [{"text": THOUGHT, "thought": True}, call]
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 7, "totalTokenCount": 16}
    chunks: list[Json] = [
        {"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}]} for part in parts
    ]
    if not streamed:
        chunks = [{"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}]}]
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    chunks[-1]["usageMetadata"] = usage
    chunks = [{**chunk, "responseId": "r1", "modelVersion": "m"} for chunk in chunks]
    return chunks if streamed else chunks[0]


BUILDERS = {ANTHROPIC: _anthropic, CHAT: _chat, RESPONSES: _responses, GEMINI: _gemini, **others.BUILDERS}


IDS = re.compile(r'"(chatcmpl-|resp_|msg_|toolu_|call_|fc_|ctc_|rs_|r|v1_)1"')
"""The ids of responses, calls and items."""
MOMENT = re.compile(r'(?<="created_at": "2023-12-12T14:13:)[\d.]+')
"""The seconds of Ollama's responses, which have no ids."""


def encoded(protocol: str, made: Any, streamed: bool, number: int) -> bytes:
    """The body of the response that is the `number`th of its provider: no two have an id or a moment in common."""
    data = MOMENT.sub(f"43.{number:06}", IDS.sub(rf'"\g<1>{number}"', json.dumps(made)))
    if not streamed:
        return data.encode()
    return b"".join(framing_of(protocol).encode(event, protocol) for event in json.loads(data))
