"""Chat Completions: chunks, text, reasoning and endings."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..support import chat
from .symptom import CHAT, Answer, Failure, Refused, Symptom

Json = Any
row = partial(Symptom, src=CHAT)
chunk, stream, DONE = chat.chunk, chat.stream, chat.DONE

SENT, WHOLE = (9, 7, 0), (7, 5, 0)
"""The usage of the builders' streams and responses."""
HELLO = Answer("Hello", "stop", SENT)
START, FIRST, SECOND, END, USAGE, _ = BASE = stream({"content": "Hel"}, {"content": "lo"})


def choice(**members: Any) -> Json:
    return {**chunk(), "choices": [{"index": 0, **members}]}


def changed(event: Any, **members: Any) -> Json:
    """A chunk with other members of its choices."""
    if event == DONE:
        return event
    return {**event, "choices": [{**one, **members} for one in event["choices"]]}


def thought(text: str, **members: Any) -> Json:
    return {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": text}], **members}]}


def failing(**error: Any) -> Json:
    return {"error": error}


FILTERED = {"hate": {"filtered": False, "severity": "safe"}}
AZURE = {"id": "", "object": "", "created": 0, "model": "", "choices": [], "usage": None}
CHUNKS = (
    row(
        thread="ollama/ollama#4357",
        seen="finish_reason is an empty string in every chunk",
        came=[changed(event, finish_reason="") if event in (START, FIRST, SECOND) else event for event in BASE],
        expect=HELLO,
    ),
    row(
        thread="sgl-project/sglang#3912",
        seen="role, tool_calls and usage are null in every chunk",
        came=[
            START,
            *(
                changed(
                    one,
                    delta={**one["choices"][0]["delta"], "role": None, "tool_calls": None},
                    logprobs=None,
                    matched_stop=None,
                )
                for one in (FIRST, SECOND)
            ),
            END,
            USAGE,
            DONE,
        ],
        expect=HELLO,
    ),
    row(
        thread="BerriAI/liteLLM-proxy#19",
        seen="finish_reason is left out until the last chunk",
        came=[choice(delta=START["choices"][0]["delta"]), choice(delta={"content": "Hello"}), END, USAGE, DONE],
        expect=HELLO,
    ),
    row(
        thread="BerriAI/litellm#35785",
        seen="Azure's first chunk has no choices but the results of its filter",
        came=[{**AZURE, "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": FILTERED}]}, *BASE],
        expect=HELLO,
        rules=("UNK-6",),
    ),
    row(
        thread="epam/ai-dial-adapter-openai#258",
        seen="id, object, model and created are empty in a first chunk, which hides those of the next",
        came=[{**AZURE, "prompt_annotations": "foobar"}, *BASE],
        expect=HELLO,
        rules=("UNK-6",),
    ),
    row(
        thread="awslabs/llmeter#34",
        seen="a chunk without choices in the middle of the text",
        came=[START, FIRST, {**chunk(), "usage": None}, SECOND, END, USAGE, DONE],
        expect=HELLO,
    ),
    row(
        thread="MoonshotAI/kosong#5",
        seen="delta is null in MiniMax's last chunk, which has an empty message instead",
        came=[
            START,
            FIRST,
            SECOND,
            choice(
                delta=None,
                finish_reason="stop",
                message={"role": "assistant", "content": "", "name": "MiniMax AI", "audio_content": ""},
            ),
            USAGE,
            DONE,
        ],
        expect=HELLO,
        rules=("UNK-6",),
    ),
    row(
        thread="vllm-project/vllm#36944",
        seen="the last text stands in the chunk of the finish_reason",
        came=[START, FIRST, chunk({"content": "lo"}, "length"), USAGE, DONE],
        expect=Answer("Hello", "length", SENT),
    ),
    row(
        thread="langchain-ai/langchain#32314",
        seen="choices is null in a response of 200",
        came={**chat.response(), "choices": None, "usage": None, "kv_transfer_params": None, "prompt_logprobs": None},
        expect=Refused("SHP-2", "/choices"),
    ),
    row(
        thread="foundation-model-stack/fms-guardrails-orchestrator#452",
        seen="vLLM's stop_reason is the id of a token",
        came={
            **chat.response(),
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": "Hello"},
                    "finish_reason": "stop",
                    "stop_reason": 13,
                }
            ],
        },
        expect=Answer("Hello", "stop", WHOLE),
        rules=("UNK-6",),
    ),
    row(
        thread="spiceai/spiceai#5418",
        seen="created is a number with a fraction",
        came={**chat.response(content="A"), "created": 1744857525.254391},
        expect=Answer("A", "stop", WHOLE),
    ),
    row(
        thread="divar-ir/ai-doc-gen#18",
        seen="Groq's service_tier is on_demand, which no OpenAI client knows",
        came={**chat.response(content="Hello"), "service_tier": "on_demand"},
        expect=Answer("Hello", "stop", WHOLE),
        rules=("ENV-3",),
    ),
    row(
        thread="guardrails-ai/guardrails#1415",
        seen="a response is nothing but choices and a text",
        came={"choices": [{"message": {"content": "Hello"}}]},
        expect=Answer("Hello", "stop", (0, 0, 0)),
        rules=("ENV-6", "ENV-9", "STS-10"),
    ),
    row(
        thread="huggingface/text-generation-inference#1782",
        seen="id is an empty string in all chunks: clients get it as it is, where they need one",
        came=[event if event == DONE else {**event, "id": ""} for event in BASE],
        expect=HELLO,
        rules=("ENV-9",),
    ),
)
REASONING = (
    row(
        thread="MoonshotAI/kimi-code#3928",
        seen="reasoning and reasoning_content both have the same text",
        came=stream({"reasoning": "Hm", "reasoning_content": "Hm"}, {"content": "Hello"}),
        expect=Answer("Hello", "stop", SENT, thinking="Hm"),
    ),
    row(
        thread="BerriAI/litellm#16434",
        seen="a delta's content is a list of thinking chunks, then a string",
        came=stream(thought("Let me"), thought(" think."), {"content": "Hello"}),
        expect=Answer("Hello", "stop", SENT, thinking="Let me think."),
    ),
    row(
        thread="vercel/ai#8072",
        seen="a message's content is a list of thinking and text",
        came=chat.response(content=[*thought("Hm.")["content"], {"type": "text", "text": "Hello"}]),
        expect=Answer("Hello", "stop", WHOLE, thinking="Hm."),
    ),
    row(
        thread="earendil-works/pi#9674",
        seen="an empty text between two pieces of thinking splits the thinking",
        came=stream(thought("A"), {"content": ""}, thought("B"), {"content": "Hello"}),
        expect=Answer("Hello", "stop", SENT, thinking="AB"),
    ),
    row(
        thread="BerriAI/litellm#38197",
        seen="content is empty, the answer stands in reasoning_content, finish_reason is stop and all usage 0",
        came=chat.response(
            usage={"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, content="", reasoning_content="Hmm"
        ),
        expect=Answer("", "stop", (0, 0, 0), thinking="Hmm"),
    ),
    row(
        thread="NousResearch/hermes-agent#22949",
        seen="reasoning took the whole budget: content is null, finish_reason length",
        came=chat.response("length", content=None, reasoning_content="Hmm"),
        expect=Answer("", "length", WHOLE, thinking="Hmm"),
    ),
    row(
        thread="BerriAI/litellm#30145",
        seen="the first delta behind a change from reasoning to text, and back, is lost",
        came=stream({"reasoning_content": "Hm"}, {"content": "Hel"}, {"reasoning_content": "m"}, {"content": "lo"}),
        expect=Answer("Hello", "stop", SENT, thinking="Hmm"),
    ),
)
ENDINGS = (
    row(
        thread="diegosouzapw/OmniRoute#8210",
        seen="an error beside empty choices in a stream of 200 reads as an empty success",
        came=[START, FIRST, {**chunk(), **failing(code=502, message="Provider returned error")}, DONE],
        expect=Failure("api_error", "Provider returned error"),
    ),
    row(
        thread="damianvtran/local-operator#223",
        seen="the stream breaks with finish_reason error and an error object, in the middle of a call",
        came=[
            START,
            chunk(chat.calls(chat.fragment(0, '{"cmd":"rm', "c1", "bash"))),
            {**chunk({"content": ""}, "error"), **failing(code=502, message="Provider disconnected")},
        ],
        expect=Failure("api_error", "Provider disconnected"),
    ),
    row(
        thread="open-octo/octo-agent#910",
        seen="a line with an error and no [DONE] behind it",
        came=[START, FIRST, failing(message="Internal error", type="server_error")],
        expect=Failure("api_error", "Internal error"),
    ),
    row(
        thread="dcdpr/jp#978",
        seen="an overflow within the stream is repeated until the retries are used up",
        came=[START, {**chunk(), **failing(code=400, message="prompt is too long: 1284668 tokens > 1000000 maximum")}],
        expect=Failure("invalid_request_error", "prompt is too long: 1284668 tokens > 1000000 maximum", overflow=True),
    ),
    row(
        thread="use-agent-os/agent-os#2214",
        seen="the error of a stream is a plain string",
        came=[START, FIRST, {"error": "an error was encountered while running the model"}],
        expect=Failure("api_error", "an error was encountered while running the model"),
    ),
    row(
        thread="BerriAI/litellm#39748",
        seen="an error in the stream, and [DONE] behind it",
        came=[START, FIRST, failing(message="Blocked by a guardrail", type="None", code="400"), DONE],
        expect=Failure("invalid_request_error", "Blocked by a guardrail"),
    ),
    row(
        thread="sgl-project/sglang#20027",
        seen="a bad request is answered by 200 and an error in the stream",
        came=[
            failing(
                object="error",
                message="The input is longer than the model's context length.",
                type="BadRequestError",
                code=400,
            ),
            DONE,
        ],
        expect=Failure("invalid_request_error", "The input is longer than the model's context length.", overflow=True),
    ),
    row(
        thread="maximhq/bifrost#5425",
        seen="finish_reason error in a whole response, with half a text and null usage",
        came={
            **chat.response("error", content='{"events": [{"title": "partial'),
            "usage": {"prompt_tokens": None, "completion_tokens": None, "total_tokens": 0},
        },
        expect=Failure("api_error", "The generation failed: error."),
        losses=("ERR-2",),
    ),
    row(
        thread="PowerShell/AIShell#350",
        seen="KoboldCpp writes the word null for no finish_reason",
        came=[changed(one, finish_reason="null") if one in (START, FIRST, SECOND) else one for one in BASE],
        expect=HELLO,
    ),
)
NOTE = {"type": "url_citation", "url_citation": {"url": "http://x", "title": "X", "start_index": 0, "end_index": 5}}
CONTENT = (
    row(
        thread="openai/openai-agents-python#4252",
        seen="annotations come in a delta of their own, behind the text",
        came=stream({"content": "Hello"}, {"annotations": [NOTE]}),
        expect=Answer("Hello", "stop", SENT, cited=("http://x",)),
        losses=("CIT-1",),
    ),
    row(
        thread="deepsense-ai/ragbits#383",
        seen="Perplexity's sources stand beside the choices, and the text has numbers only",
        came={**chat.response(content="Hello [1]"), "citations": ["http://x"]},
        expect=Answer("Hello [1]", "stop", WHOLE, cited=("http://x",)),
        losses=("CIT-1",),
    ),
    row(
        thread="BerriAI/litellm#13777",
        seen="the same in every chunk of a stream",
        came=[
            event if event == DONE else {**event, "citations": ["http://x"]}
            for event in stream({"content": "Hello [1]"})
        ],
        expect=Answer("Hello [1]", "stop", SENT, cited=("http://x",)),
        losses=("CIT-1",),
    ),
    row(
        thread="langgenius/dify#14101",
        seen="object is another word than chat.completion, or none",
        came={**chat.response(content="Hello"), "object": "chat.completion.final"},
        expect=Answer("Hello", "stop", WHOLE),
    ),
)
LOOSE = (
    row(
        thread="BerriAI/litellm#23662",
        seen="annotations stand in the choice instead of its delta",
        came=[START, FIRST, SECOND, choice(delta={}, annotations=[NOTE], finish_reason="stop"), USAGE, DONE],
        expect=Answer("Hello", "stop", SENT, cited=("http://x",)),
        losses=("CIT-1",),
    ),
    row(
        thread="n8n-io/n8n#37352",
        seen="Mistral's deltas have an index",
        came=stream({"index": 0, "content": "Hello"}),
        expect=HELLO,
    ),
    row(
        thread="InsForge/InsForge#2015",
        seen="several chunks without choices have the usage so far",
        came=[START, FIRST, SECOND, END, chat.usage_chunk(9, 3), USAGE, DONE],
        expect=HELLO,
    ),
)
ROWS = (*CHUNKS, *REASONING, *ENDINGS, *CONTENT, *LOOSE)
