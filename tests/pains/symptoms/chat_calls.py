"""Chat Completions: calls, whole and in fragments."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..support import chat
from .chat_text import DONE, END, HELLO, SENT, START, USAGE, WHOLE, chunk, stream
from .symptom import ANTHROPIC, CHAT, GEMINI, Answer, Refused, Symptom

Json = Any
row = partial(Symptom, src=CHAT)
calls, fragment, response = chat.calls, chat.fragment, chat.response
ARGUMENTS = '{"city":"Oslo"}'
OSLO, ROME = {"city": "Oslo"}, {"city": "Rome"}
ONE = Answer("", "calls", SENT, calls=(("sky", OSLO),))
TWO = Answer("", "calls", SENT, calls=(("sky", OSLO), ("sea", ROME)))
OBJECTS = (ANTHROPIC, GEMINI)
"""Where arguments are objects; the other targets get their text as it is."""
WHERE = "/choices/0/message/tool_calls/0/function/arguments"


def called(*fragments: Json, finish: str = "tool_calls") -> list[Json]:
    """A stream of these fragments, each in a chunk of its own."""
    return stream(*(calls(one) for one in fragments), finish=finish)


def unindexed(*args: Any) -> Json:
    made = fragment(0, *args)
    return {key: value for key, value in made.items() if key != "index"}


def whole(arguments: Any) -> Json:
    return response("tool_calls", tool_calls=[chat.call("sky", arguments)])


FRAGMENTS = (
    row(
        thread="su-kaka/gcli2api#406",
        seen="parallel calls all have index 0 and are merged into one",
        came=called(fragment(0, ARGUMENTS, "c1", "sky"), fragment(0, '{"city":"Rome"}', "c2", "sea")),
        expect=TWO,
        rules=("ENV-1",),
    ),
    row(
        thread="AstrBotDevs/AstrBot#6692",
        seen="Gemini's chat API has no index in its calls",
        came=called(unindexed(ARGUMENTS, "c1", "sky"), unindexed('{"city":"Rome"}', "c2", "sea")),
        expect=TWO,
    ),
    row(
        thread="openai/openai-python#2806",
        seen="two calls without an index in one chunk",
        came=stream(
            calls(unindexed(ARGUMENTS, "c1", "sky"), unindexed('{"city":"Rome"}', "c2", "sea")), finish="tool_calls"
        ),
        expect=TWO,
    ),
    row(
        thread="open-webui/computer#224",
        seen="arguments are split over deltas without an index, and the ending is stop",
        came=called(unindexed('{"city"', "c1", "sky"), unindexed(':"Oslo"}'), finish="stop"),
        expect=ONE,
        rules=("STS-12",),
    ),
    row(
        thread="ogx-ai/ogx#5462",
        seen="arguments is null in the first delta",
        came=called(
            {**fragment(0, None, "c1", "sky"), "function": {"name": "sky", "arguments": None}}, fragment(0, ARGUMENTS)
        ),
        expect=ONE,
    ),
    row(
        thread="open-webui/open-webui#27194",
        seen="arguments is null in the only delta",
        came=called({**fragment(0, None, "c1", "sky"), "function": {"name": "sky", "arguments": None}}),
        expect=Answer("", "calls", SENT, calls=(("sky", {}),)),
    ),
    row(
        thread="anomalyco/opencode#37783",
        seen="id and name are empty strings in later deltas",
        came=called(fragment(0, "", "c1", "sky"), fragment(0, ARGUMENTS, "", "")),
        expect=ONE,
    ),
    row(
        thread="symfony/ai#2220",
        seen="id is an empty string and name is missing in later deltas",
        came=called(fragment(0, '{"city"', "c1", "sky"), {**fragment(0, ':"Oslo"}'), "id": ""}),
        expect=ONE,
    ),
    row(
        thread="garudust-org/garudust-agent#16",
        seen="id and name come without arguments, and the arguments without both",
        came=called(fragment(0, None, "c1", "sky"), fragment(0, '{"city"'), fragment(0, ':"Oslo"}')),
        expect=ONE,
    ),
    row(
        thread="vllm-project/vllm#18412",
        seen="a streamed call has no id",
        came=called({"index": 0, "type": "function", "function": {"name": "sky", "arguments": ARGUMENTS}}),
        expect=ONE,
        rules=("TUL-17",),
    ),
    row(
        thread="nextai-translator/nextai-translator#1921",
        seen="a whole call stands in the chunk of the finish_reason",
        came=[START, chunk(calls(fragment(0, ARGUMENTS, "c1", "sky")), "tool_calls"), USAGE, DONE],
        expect=ONE,
    ),
)
BROKEN = (
    row(
        thread="mudler/cogito#66",
        seen="the last delta repeats all arguments: they stand there twice",
        came=called(fragment(0, ARGUMENTS, "c1", "sky"), fragment(0, ARGUMENTS)),
        expect=Refused("TUL-1", "/1/choices/0/delta/tool_calls/0"),
        targets=OBJECTS,
    ),
    row(
        thread="NousResearch/hermes-agent#26053",
        seen="two calls are merged into the arguments of one",
        came=whole(ARGUMENTS + '{"city":"Rome"}'),
        expect=Refused("TUL-1", WHERE),
        targets=OBJECTS,
    ),
    row(
        thread="decolua/9router#1573",
        seen="each delta has all arguments so far, as whole objects",
        came=called(fragment(0, '{"city":"O"}', "c1", "sky"), fragment(0, ARGUMENTS)),
        expect=Refused("TUL-1", "/1/choices/0/delta/tool_calls/0"),
        targets=OBJECTS,
    ),
    row(
        thread="vllm-project/vllm#42683",
        seen="the first fragment of the arguments is lost",
        came=called(fragment(0, 'city":"Oslo"}', "c1", "sky")),
        expect=Refused("TUL-1", "/1/choices/0/delta/tool_calls/0"),
        targets=OBJECTS,
    ),
)
VALUES = (
    row(
        thread="earendil-works/pi#8943",
        seen="integers beyond 2^53 are rounded, and the tool is called with another id for ever",
        came=whole('{"id":2512292042121000001,"big":123456789012345678901234567890}'),
        expect=Answer(
            "", "calls", WHOLE, calls=(("sky", {"id": 2512292042121000001, "big": 123456789012345678901234567890}),)
        ),
    ),
    row(
        thread="MoonshotAI/kimi-cli#2513",
        seen="a list within the arguments is JSON text: only the tool's schema can tell that it should not be",
        came=whole('{"todos":"[{\\"title\\":1}]"}'),
        expect=Answer("", "calls", WHOLE, calls=(("sky", {"todos": '[{"title":1}]'}),)),
    ),
    row(
        thread="routatic/proxy#173",
        seen="a key of the arguments ends with a space",
        came=whole('{"description ":"x"}'),
        expect=Answer("", "calls", WHOLE, calls=(("sky", {"description ": "x"}),)),
    ),
)
USES = (
    row(
        thread="InternLM/lmdeploy#3832",
        seen="every chunk has the usage so far",
        came=[
            {**event, "usage": {"prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16}}
            if event not in (USAGE, DONE)
            else event
            for event in stream({"content": "Hello"})
        ],
        expect=HELLO,
        rules=("STR-4",),
    ),
    row(
        thread="databricks/databricks-ai-bridge#638",
        seen="the same usage stands in the last chunk and in a chunk of its own: counted twice",
        came=[
            *stream({"content": "Hello"}, usage=False, done=False)[:-1],
            {**END, "usage": USAGE["usage"]},
            USAGE,
            DONE,
        ],
        expect=HELLO,
        rules=("STR-4",),
    ),
    row(
        thread="vercel/ai#12425",
        seen="xAI's completion_tokens are without reasoning: the text's tokens become negative",
        came=response(
            content="Hello",
            usage={
                "prompt_tokens": 12,
                "completion_tokens": 1,
                "total_tokens": 399,
                "completion_tokens_details": {"reasoning_tokens": 386},
            },
        ),
        expect=Answer("Hello", "stop", (12, 387, 0)),
        targets=(ANTHROPIC, "openai_responses"),
    ),
    row(
        thread="lofcz/LLMTornado#65",
        seen="Groq's usage has times, and further members stand beside it",
        came={
            **response(
                content="Hello",
                usage={
                    "queue_time": 0.09,
                    "prompt_tokens": 4,
                    "prompt_time": 0.1,
                    "completion_tokens": 16,
                    "completion_time": 0.1,
                    "total_tokens": 20,
                    "total_time": 0.1,
                },
            ),
            "usage_breakdown": None,
            "x_groq": {"id": "req_1"},
        },
        expect=Answer("Hello", "stop", (4, 16, 0)),
        rules=("UNK-6",),
    ),
    row(
        thread="philschmid/easyllm#42",
        seen="completion_tokens has a fraction",
        came=chat.response(content="Hello", usage={"prompt_tokens": 7, "completion_tokens": 37.25}),
        expect=Answer("Hello", "stop", (7, 37, 0)),
    ),
    row(
        thread="AIDotNet/OpenDeepWiki#392",
        seen="the arguments of a tool without parameters are the word null",
        came=whole("null"),
        expect=Answer("", "calls", WHOLE, calls=(("sky", {}),)),
        rules=("TUL-44",),
    ),
    row(
        thread="vllm-project/vllm#54964",
        seen="the arguments are JSON text of JSON text",
        came=whole('"{\\"city\\":\\"Oslo\\"}"'),
        expect=Answer("", "calls", WHOLE, calls=(("sky", OSLO),)),
    ),
)
ROWS = (*FRAGMENTS, *BROKEN, *VALUES, *USES)
