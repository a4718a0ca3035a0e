"""The answers of providers in a generated session: each as data, and the payload or the events that each protocol's
server makes of it. Every text, argument, result and signature is unique to its turn, so that it can be looked for.

Rule: the payloads are built by hand with `tests.samples.*.building`, and by nothing of the library.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any, NamedTuple

from ..samples.anthropic_messages import building as anthropic
from ..samples.bedrock_converse import building as bedrock
from ..samples.cohere_v2_chat import building as cohere
from ..samples.gemini_generate_content import building as gemini
from ..samples.gemini_interactions import building as interactions
from ..samples.ollama_chat import building as ollama
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.openai_responses.building import halves
from ..samples.sample import Json

END, CALLS, LENGTH, REFUSAL = range(4)
"""How an answer ends."""
PAGE, TITLE = "https://example.org/a", "A"


class Answer(NamedTuple):
    """`text`, `thought`: whether there is one; `calls`: how many; `repeats`: whether the ids of its calls are those of
    other answers, as some servers count in each answer anew; `cached`: tokens of the prompt."""

    number: int
    text: bool
    thought: bool
    calls: int
    cited: bool
    ending: int
    repeats: bool
    cached: int

    @property
    def said(self) -> str:
        return f"I say {word('a', self.number)} now." if self.text else ""

    @property
    def thinks(self) -> str:
        return f"I think {word('t', self.number)}." if self.thought else ""

    @property
    def seal(self) -> str:
        return seal(self.number)

    @property
    def called(self) -> list[tuple[str, str, Json]]:
        """Id, name and arguments of each call."""
        ids = [f"call_{'x' if self.repeats else self.number}{at}" for at in range(self.calls)]
        given = [{"note": word("c", self.number, at)} for at in range(self.calls)]
        return [(one, NAMES[at % 2], given[at]) for at, one in enumerate(ids)]

    def stop(self, words: str) -> str:
        """Return the protocol's word for the ending, of four."""
        return words.split()[self.ending]


NAMES = ("write_note", "look_up")


def word(sort: str, number: int, at: int | None = None) -> str:
    """Return a word that stands nowhere else in a session."""
    return f"z{sort}{number}q" if at is None else f"z{sort}{number}x{at}q"


def seal(number: int) -> str:
    """Return a signature that no other answer has."""
    return b64encode(f"seal of {word('s', number)}!".encode()).decode()


def _cut(arguments: Json) -> list[str]:
    return halves(json.dumps(arguments))


# --- by protocol ------------------------------------------------------------------------------------------------------


def _chat(a: Answer, streamed: bool) -> Any:
    finish, name = a.stop("stop tool_calls length content_filter"), f"chatcmpl-{a.number}"
    usage = {"prompt_tokens": 90, "completion_tokens": 7, "total_tokens": 97}
    usage["prompt_tokens_details"] = {"cached_tokens": a.cached}  # type: ignore[assignment]
    site = {"type": "url_citation", "url_citation": {"url": PAGE, "title": TITLE, "start_index": 0, "end_index": 5}}
    notes: Json = {"annotations": [site]} if a.cited else {}
    thinks: Json = {"reasoning_content": a.thinks} if a.thought else {}
    if not streamed:
        calls = [chat.call(name, json.dumps(given), one) for one, name, given in a.called]
        called: Json = {"tool_calls": calls} if calls else {}
        made = chat.response(finish, usage, **thinks, content=a.said or None, **notes, **called)
        return {**made, "id": name}
    deltas: list[Json] = [thinks] if thinks else []
    deltas += [{"content": piece} for piece in halves(a.said) if piece]
    deltas += [notes] if notes else []
    for at, (one, called_name, given) in enumerate(a.called):
        first, second = _cut(given)
        deltas += [chat.calls(chat.fragment(at, first, one, called_name)), chat.calls(chat.fragment(at, second))]
    *events, done = chat.stream(*deltas, finish=finish, usage=False)
    return [*({**one, "id": name} for one in (*events, chat.chunk(usage=usage))), done]


def _responses(a: Answer, streamed: bool) -> Any:
    items: list[Json] = []
    if a.thought:
        summary = [{"type": "summary_text", "text": a.thinks}]
        items.append({"type": "reasoning", "id": f"rs_{a.number}", "summary": summary, "encrypted_content": a.seal})
    status = "incomplete" if a.ending in (LENGTH, REFUSAL) else "completed"
    if a.text:
        site = {"type": "url_citation", "url": PAGE, "title": TITLE, "start_index": 0, "end_index": 5}
        part = {**responses.output_text(a.said, *([site] if a.cited else [])), "logprobs": []}
        items.append({"id": f"msg_{a.number}", "status": status, **responses.message(part)})
    for at, (one, name, given) in enumerate(a.called):
        items.append(responses.call(name, json.dumps(given), one, id=f"fc_{a.number}{at}", status="completed"))
    usage = {
        "input_tokens": 90,
        "input_tokens_details": {"cached_tokens": a.cached},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 97,
    }
    cut = {"reason": a.stop("- - max_output_tokens content_filter")}
    why = cut if status == "incomplete" else None
    settings: Json = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "incomplete_details": why}
    whole = responses.response(*items, status=status, usage=usage, **settings, id=f"resp_{a.number}")
    return responses.stream(whole) if streamed else whole


def _anthropic(a: Answer, streamed: bool) -> Any:
    stop = a.stop("end_turn tool_use max_tokens refusal")
    usage: Json = {"input_tokens": 90 - a.cached, "output_tokens": 7, "cache_read_input_tokens": a.cached}
    cited: Json = {"type": "web_search_result_location", "url": PAGE, "title": TITLE, "cited_text": "I say"}
    cited["encrypted_index"] = a.seal
    name = f"msg_{a.number}"
    if not streamed:
        content: list[Json] = [{"type": "thinking", "thinking": a.thinks, "signature": a.seal}] if a.thought else []
        content += [{**anthropic.text(a.said), **({"citations": [cited]} if a.cited else {})}] if a.text else []
        content += [anthropic.tool_use(called, given, one) for one, called, given in a.called]
        return anthropic.response(*content, stop=stop, usage=usage, id=name)
    blocks = [anthropic.thinking_block(*halves(a.thinks), signature=a.seal)] if a.thought else []
    if a.text:
        made = anthropic.cited_block(cited, *halves(a.said)) if a.cited else anthropic.text_block(*halves(a.said))
        blocks.append(made)
    blocks += [anthropic.call_block(one, called, *_cut(given)) for one, called, given in a.called]
    return anthropic.stream(*blocks, stop=stop, usage=usage, id=name)


def _gemini(a: Answer, streamed: bool) -> Any:
    finish = a.stop("STOP STOP MAX_TOKENS SAFETY")
    parts: list[Json] = [gemini.thought(a.thinks)] if a.thought else []
    signed: Json = {"thoughtSignature": a.seal} if a.thought else {}
    parts += [gemini.text(a.said, **({} if a.calls else signed))] if a.text else []
    for at, (_, name, given) in enumerate(a.called):
        parts.append(gemini.call(name, given, None, **(signed if at == 0 else {})))
    usage: Json = {"promptTokenCount": 90, "candidatesTokenCount": 7, "totalTokenCount": 97}
    usage |= {"cachedContentTokenCount": a.cached} if a.cached else {}
    support = {"segment": {"startIndex": 0, "endIndex": 5, "text": "I say"}, "groundingChunkIndices": [0]}
    found = {"groundingChunks": [{"web": {"uri": PAGE, "title": TITLE}}], "groundingSupports": [support]}
    ends: Json = {"finish": finish, "usage": usage, **({"groundingMetadata": found} if a.cited else {})}
    if not streamed:
        return {**gemini.response(*parts, **ends), "responseId": f"r{a.number}"}
    chunks = [*(gemini.chunk(part) for part in parts[:-1]), gemini.chunk(*parts[-1:], **ends)]
    return [{**one, "responseId": f"r{a.number}"} for one in chunks]


def _interactions(a: Answer, streamed: bool) -> Any:
    status = a.stop("completed requires_action incomplete failed") if a.ending != REFUSAL else "completed"
    usage = {"total_input_tokens": 90, "total_cached_tokens": a.cached, "total_output_tokens": 7, "total_tokens": 97}
    about: Json = {"id": f"v1_{a.number}", "usage": usage}
    if not streamed:
        steps = [interactions.thought(a.thinks, signature=a.seal)] if a.thought else []
        steps += [interactions.model(a.said)] if a.text else []
        steps += [interactions.call(name, given, one) for one, name, given in a.called]
        return interactions.response(*steps, status=status, **about)
    grown = [interactions.thought_step(*halves(a.thinks), signature=a.seal)] if a.thought else []
    grown += [interactions.text_step(*halves(a.said))] if a.text else []
    grown += [interactions.call_step(one, name, *_cut(given)) for one, name, given in a.called]
    _, *events = interactions.stream(*grown, status=status, **about)
    return [interactions.created(id=about["id"]), *events]


def _converse(a: Answer, streamed: bool) -> Any:
    stop = a.stop("end_turn tool_use max_tokens content_filtered")
    usage: Json = {"inputTokens": 90 - a.cached, "outputTokens": 7, "totalTokens": 97, "cacheReadInputTokens": a.cached}
    if not streamed:
        content = [bedrock.thought(a.thinks, a.seal)] if a.thought else []
        content += [bedrock.text(a.said)] if a.text else []
        content += [bedrock.tool_use(name, given, one) for one, name, given in a.called]
        return bedrock.response(*content, stop=stop, usage=usage)
    blocks = [bedrock.thinking_block(*halves(a.thinks), signature=a.seal)] if a.thought else []
    blocks += [bedrock.text_block(*halves(a.said))] if a.text else []
    blocks += [bedrock.call_block(one, name, *_cut(given)) for one, name, given in a.called]
    return bedrock.stream(*blocks, stop=stop, usage=usage)


def _cohere(a: Answer, streamed: bool) -> Any:
    made = _cohere_stream(a) if streamed else _cohere_whole(a)
    return [{**made[0], "id": f"gen_{a.number}"}, *made[1:]] if streamed else {**made, "id": f"gen_{a.number}"}


COHERE_STOPS = "COMPLETE TOOL_CALL MAX_TOKENS COMPLETE"
COHERE_PAGE = cohere.cites(0, 5, "I say", cohere.PAGE)


def _plan(a: Answer) -> str:
    """Return the plan of Cohere's calls, beside which it says nothing."""
    return " ".join(one for one in (a.thinks, a.said) if one)


def _cohere_whole(a: Answer) -> Any:
    finish = a.stop(COHERE_STOPS)
    if a.calls:
        calls = [cohere.call(one, name, json.dumps(given)) for one, name, given in a.called]
        return cohere.response(finish=finish, message={"tool_plan": _plan(a), "tool_calls": calls})
    content = [cohere.thinking(a.thinks)] if a.thought else []
    content += [cohere.text(a.said)] if a.text else []
    return cohere.response(*content, finish=finish, message={"citations": [COHERE_PAGE]} if a.cited else None)


def _cohere_stream(a: Answer) -> Any:
    finish = a.stop(COHERE_STOPS)
    if a.calls:
        events = [cohere.call_events(at, one, name, *_cut(given)) for at, (one, name, given) in enumerate(a.called)]
        return cohere.stream(cohere.plan(*halves(_plan(a))), *events, finish=finish)
    blocks = [cohere.block(0, "thinking", *halves(a.thinks))] if a.thought else []
    blocks += [cohere.block(len(blocks), "text", *halves(a.said))] if a.text else []
    return cohere.stream(*blocks, *([cohere.cited(0, COHERE_PAGE)] if a.cited else []), finish=finish)


def _ollama(a: Answer, streamed: bool) -> Any:
    reason = a.stop("stop stop length stop")
    calls = [ollama.call(name, given) for _, name, given in a.called]
    metrics = {**ollama.METRICS, "prompt_eval_count": 90, "eval_count": 7, "created_at": _moment(a)}
    thinks: Json = {"thinking": a.thinks} if a.thought else {}
    called: Json = {"tool_calls": calls} if calls else {}
    if not streamed:
        return ollama.response(ollama.assistant(content=a.said, **thinks, **called), reason, **metrics)
    pieces = [thinks] if thinks else []
    pieces += [{"content": piece} for piece in halves(a.said) if piece]
    events = ollama.stream(*pieces, *([called] if called else []), **metrics, done_reason=reason)
    return [{**one, "created_at": _moment(a)} for one in events]


def _moment(a: Answer) -> str:
    return f"2023-12-12T14:13:43.{a.number:06}Z"


BUILDERS: dict[str, Callable[[Answer, bool], Any]] = {
    "openai_chat_completions": _chat,
    "openai_responses": _responses,
    "anthropic_messages": _anthropic,
    "gemini_generate_content": _gemini,
    "gemini_interactions": _interactions,
    "bedrock_converse": _converse,
    "cohere_v2_chat": _cohere,
    "ollama_chat": _ollama,
}
