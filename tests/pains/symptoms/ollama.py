"""Ollama's chat: responses and streams."""

from __future__ import annotations

from functools import partial

from ...samples.ollama_chat import building as ollama
from .symptom import OLLAMA, Answer, Symptom

row = partial(Symptom, src=OLLAMA)
OSLO = {"city": "Oslo"}
CALL = ollama.call("sky", OSLO)
ONE = Answer("", "calls", calls=(("sky", OSLO),))
NESTED = {"name": "sky", "arguments": OSLO}
AS_TEXT = '{"name":"sky","parameters":{}}'
ROWS = (
    row(
        thread="openclaw/openclaw#57455",
        seen="a model's arguments are JSON text",
        came=ollama.response(
            ollama.assistant(tool_calls=[{"function": {"name": "sky", "arguments": '{"city":"Oslo"}'}}])
        ),
        expect=ONE,
        rules=("ENV-15",),
    ),
    row(
        thread="BerriAI/litellm#24095",
        seen="calls have neither an id nor a type",
        came=ollama.response(ollama.assistant(tool_calls=[CALL])),
        expect=ONE,
    ),
    row(
        thread="ollama/ollama#12557",
        seen="a call comes whole in a chunk that does not end, and the end says stop",
        came=ollama.stream({"tool_calls": [CALL]}),
        expect=ONE,
    ),
    row(
        thread="BerriAI/litellm#12481",
        seen="a response of a call ends naturally, and the agent does not run it",
        came=ollama.response(ollama.assistant(content="Wait.", tool_calls=[CALL])),
        expect=Answer("Wait.", "calls", calls=(("sky", OSLO),)),
    ),
    row(
        thread="LibreChat-AI/agents#260",
        seen="all calls of a response have index 0, and are merged into one",
        came=ollama.stream(
            {"tool_calls": [{"function": {"index": 0, **CALL["function"]}}]},
            {"tool_calls": [{"function": {"index": 0, "name": "sea", "arguments": {}}}]},
        ),
        expect=Answer("", "calls", calls=(("sky", OSLO), ("sea", {}))),
    ),
    row(
        thread="ollama/ollama-python#279",
        seen="a model without tools writes a call as text: it stays the text that it is",
        came=ollama.stream({"content": AS_TEXT[:9]}, {"content": AS_TEXT[9:]}),
        expect=Answer(AS_TEXT, "stop"),
    ),
    row(
        thread="ollama/ollama#11805",
        seen="the arguments hold a name and arguments once more: only the tool's schema can tell",
        came=ollama.response(ollama.assistant(tool_calls=[ollama.call("sky", NESTED)])),
        expect=Answer("", "calls", calls=(("sky", NESTED),)),
    ),
    row(
        thread="continuedev/continue#7389",
        seen="thinking has a member of its own, beside an empty text: blank messages",
        came=ollama.stream({"thinking": "H"}, {"thinking": "m"}, {"content": "Hello"}),
        expect=Answer("Hello", "stop", thinking="Hm"),
    ),
    row(
        thread="Tencent/WeKnora#689",
        seen="thinking took all tokens: an empty response",
        came=ollama.response(ollama.assistant(thinking="Hm"), "length", prompt_eval_count=7, eval_count=64),
        expect=Answer("", "length", (7, 64, 0), thinking="Hm"),
    ),
)
