"""What the scripted provider responds in protocols that no agent speaks itself: thinking and a call, or the text."""

from __future__ import annotations

import json
from typing import Any

from ..samples.bedrock_converse import building as bedrock
from ..samples.cohere_v2_chat import building as cohere
from ..samples.gemini_interactions import building as interactions
from ..samples.ollama_chat import building as ollama
from ..samples.openai_responses.building import halves

BEDROCK, COHERE, OLLAMA = "bedrock_converse", "cohere_v2_chat", "ollama_chat"
INTERACTIONS = "gemini_interactions"
THOUGHT = "I count them in the shell."
SEAL = "c2VhbGVkIHRob3VnaHQ="
TEXT = "There are 42 apples."


def _bedrock(name: str | None, arguments: Any, streamed: bool, said: str = TEXT) -> Any:
    if name is None:
        pieces = bedrock.text_block(said[:5], said[5:])
        return bedrock.stream(pieces) if streamed else bedrock.response(bedrock.text(said))
    if not streamed:
        return bedrock.response(bedrock.thought(THOUGHT, SEAL), bedrock.tool_use(name, arguments), stop="tool_use")
    call = bedrock.call_block("call_1", name, *halves(json.dumps(arguments)))
    return bedrock.stream(bedrock.thinking_block(THOUGHT, signature=SEAL), call, stop="tool_use")


def _cohere(name: str | None, arguments: Any, streamed: bool, said: str = TEXT) -> Any:
    if name is None:
        pieces = cohere.block(0, "text", said[:5], said[5:])
        return cohere.stream(pieces) if streamed else cohere.response(cohere.text(said))
    given = json.dumps(arguments)
    if not streamed:
        message = {"tool_plan": THOUGHT, "tool_calls": [cohere.call("call_1", name, given)]}
        return cohere.response(finish="TOOL_CALL", message=message)
    call = cohere.call_events(0, "call_1", name, *halves(given))
    return cohere.stream(cohere.plan(THOUGHT), call, finish="TOOL_CALL")


def _ollama(name: str | None, arguments: Any, streamed: bool, said: str = TEXT) -> Any:
    if name is None:
        pieces = [{"content": said[:5]}, {"content": said[5:]}]
        whole = ollama.response(ollama.assistant(content=said), **ollama.METRICS)
        return ollama.stream(*pieces, **ollama.METRICS) if streamed else whole
    calls = [ollama.call(name, arguments)]
    if streamed:
        return ollama.stream({"thinking": THOUGHT}, {"tool_calls": calls}, **ollama.METRICS)
    return ollama.response(ollama.assistant(thinking=THOUGHT, tool_calls=calls), **ollama.METRICS)


def _interactions(name: str | None, arguments: Any, streamed: bool, said: str = TEXT) -> Any:
    if name is None:
        whole = interactions.response(interactions.model(said))
        return interactions.stream(interactions.text_step(said[:5], said[5:])) if streamed else whole
    if not streamed:
        steps = interactions.thought(THOUGHT, signature=SEAL), interactions.call(name, arguments)
        return interactions.response(*steps, status="requires_action")
    call = interactions.call_step("call_1", name, *halves(json.dumps(arguments)))
    return interactions.stream(interactions.thought_step(THOUGHT, signature=SEAL), call, status="requires_action")


BUILDERS = {BEDROCK: _bedrock, COHERE: _cohere, INTERACTIONS: _interactions, OLLAMA: _ollama}
