"""Sampling, limits, stop sequences, cache markers, ids of users."""

from __future__ import annotations

from functools import partial
from typing import Any

from .. import generate_content as gemini
from ..support import anthropic, chat, responses, text
from .row import ABSENT, ANTHROPIC, CHAT, GEMINI, RESPONSES, Asked

Json = Any
from_chat, from_messages = partial(Asked, src=CHAT), partial(Asked, src=ANTHROPIC)
from_gemini = partial(Asked, src=GEMINI)
HI = chat.user("Hi")
SAID_HI = gemini.user(gemini.text("Hi"))
ONLY_JSON = "Respond with a JSON object only, without any text around it."
MARK = {"cache_control": {"type": "ephemeral"}}
USER_ID = '{"device_id":"aaa","account_uuid":"","session_id":"1111"}'


def to_model(model: str, **settings: Any) -> Json:
    return {**chat.request(HI, **settings), "model": model}


ROWS: tuple[Asked, ...] = (
    from_gemini(
        thread="miracodeai/mira#267",
        seen="the input must contain the word json where the output is a JSON object",
        sent=gemini.request(SAID_HI, generationConfig={"responseMimeType": "application/json"}),
        gets={
            RESPONSES: {"/input/0/content": ONLY_JSON, "/input/#": 2, "/text/format/type": "json_object"},
            CHAT: {"/messages/0/content": ONLY_JSON, "/messages/#": 2, "/response_format/type": "json_object"},
        },
        rules=("OUT-16",),
    ),
    from_chat(
        thread="BerriAI/litellm#3286",
        seen="each stop sequence must contain non-whitespace",
        sent=chat.request(HI, stop=["\n"]),
        gets={ANTHROPIC: {"/stop_sequences": ABSENT}, GEMINI: {"/generationConfig/stopSequences": ["\n"]}},
        rules=("SMP-13",),
    ),
    from_chat(
        thread="EleutherAI/lm-evaluation-harness#3822",
        seen="with the blank stop sequence the others go, too",
        sent=chat.request(HI, stop=["\n\n", "END"]),
        gets={ANTHROPIC: {"/stop_sequences": ["END"]}},
        rules=("SMP-13",),
    ),
    from_chat(
        thread="SalesforceAIResearch/MCP-Universe#49",
        seen="temperature and top_p cannot both be specified for this model",
        sent=to_model("claude-opus-4-5", temperature=0.5, top_p=0.9),
        gets={ANTHROPIC: {"/temperature": 0.5, "/top_p": ABSENT}},
        losses=("SMP-8",),
    ),
    from_chat(
        thread="The-PR-Agent/pr-agent#2456",
        seen="temperature is deprecated for this model",
        sent=to_model("claude-opus-4-8", temperature=0.5),
        gets={ANTHROPIC: {"/temperature": ABSENT}},
        losses=("SMP-3",),
    ),
    from_messages(
        thread="musistudio/claude-code-router#849",
        seen="only the default temperature is supported",
        sent={**anthropic.request(HI, temperature=0), "model": "gpt-5"},
        gets={CHAT: {"/temperature": ABSENT}, RESPONSES: {"/temperature": ABSENT}},
        losses=("SMP-3",),
    ),
    from_messages(
        thread="finch-xu/cc-router#32",
        seen="Claude Code's small requests have a temperature that the model refuses",
        sent={**anthropic.request(HI, temperature=1, system="Name the topic."), "model": "gpt-5.6"},
        gets={RESPONSES: {"/temperature": ABSENT, "/instructions": "Name the topic."}},
    ),
    from_messages(
        thread="Gitlawb/openclaude#58",
        seen="max_tokens is too large for the model: a limit is never lowered in silence",
        sent={**anthropic.request(HI, max_tokens=32000), "model": "gpt-4o"},
        gets={CHAT: {"/max_completion_tokens": 32000}, RESPONSES: {"/max_output_tokens": 32000}},
    ),
    from_chat(
        thread="Wei-Shaw/sub2api#176",
        seen="a maximum of 4 blocks with cache_control may be provided, found 5",
        sent=chat.request(*(chat.user([{**text(str(number)), **MARK}]) for number in range(5))),
        gets={ANTHROPIC: {"/messages/0/content": "0", "/messages/4/content/0/cache_control": {"type": "ephemeral"}}},
        rules=("CAC-6",),
    ),
    from_messages(
        thread="BerriAI/litellm#40342",
        seen="the cache key is the first half of Claude Code's user id, one for all sessions of a machine",
        sent=anthropic.request(HI, metadata={"user_id": USER_ID}),
        gets={RESPONSES: {"/prompt_cache_key": ABSENT, "/user": ABSENT}, CHAT: {"/prompt_cache_key": ABSENT}},
    ),
    Asked(
        thread="Stack-Cairn/LiveAgent#435",
        seen="Codex's cache key and metadata are refused where nobody knows them",
        src=RESPONSES,
        sent=responses.request(
            HI,
            prompt_cache_key="s1",
            client_metadata={"a": "b"},
            include=["reasoning.encrypted_content"],
            store=False,
        ),
        gets={
            ANTHROPIC: {"/messages": [anthropic.user("Hi")]},
            GEMINI: {"/contents": [gemini.user(gemini.text("Hi"))]},
        },
        hides=("s1", "include", "client_metadata"),
        rules=("CAC-5", "ENV-1", "ENV-10"),
    ),
    from_gemini(
        thread="GewoonJaap/gemini-cli-openai#37",
        seen="safety settings that switch filters off stand where no server has such a field",
        sent=gemini.request(
            gemini.user(gemini.text("Hi")),
            safetySettings=[{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
        ),
        gets={ANTHROPIC: {"/messages/#": 1}, CHAT: {"/messages": [HI]}, RESPONSES: {"/input/#": 1}},
        hides=("HARM_",),
        rules=("MOD-2",),
    ),
)
