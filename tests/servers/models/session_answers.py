"""What providers answer in the sessions, by kind of content: whole responses in their own protocols, by hand."""

from __future__ import annotations

import json

from tests.clients.provider import SUM, reply
from tests.samples.anthropic_messages import building as anthropic
from tests.samples.openai_chat_completions import building as chat
from tests.samples.openai_responses import building as responses
from tests.servers.models.judge import CHAT, GEMINI, MESSAGES, RESPONSES, Json

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PAGE, TITLE = "https://example.org/oslo", "Oslo"
FOUND = "Oslo is the capital."
MADE = "Here it is."
SUMMARY = "We have added numbers so far."
CODE, PRINTED = "print(40 + 2)", "42\n"


def _seal(number: int, letter: str) -> str:
    """Base64, as signatures and encrypted contents are; of each response its own."""
    return f"c2VhbGVk{letter}A{number:02}"


def _gemini(number: int, *parts: Json, **more: Json) -> Json:
    candidate = {"index": 0, "content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP", **more}
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 7, "totalTokenCount": 16}
    return {"candidates": [candidate], "responseId": f"r{number}", "modelVersion": "gemini", "usageMetadata": usage}


def _item(text: str, *annotations: Json, **more: Json) -> Json:
    part = {**responses.output_text(text, *annotations), "logprobs": []}
    return {"id": "msg_1", "status": "completed", **responses.message(part), **more}


def _reasoning(number: int, words: str) -> Json:
    summary = [{"type": "summary_text", "text": words}]
    return {"type": "reasoning", "id": f"rs_s{number}", "summary": summary, "encrypted_content": _seal(number, "r")}


def _usage() -> Json:
    return {
        "input_tokens": 9,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 16,
    }


def _response(*items: Json) -> Json:
    settings: Json = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return responses.response(*items, usage=_usage(), **settings)


def _thinking(number: int, words: str) -> Json:
    return {"type": "thinking", "thinking": words, "signature": _seal(number, "t")}


def search_in_chat(number: int) -> Json:
    cited = {"type": "url_citation", "url_citation": {"url": PAGE, "title": TITLE, "start_index": 0, "end_index": 4}}
    return chat.response(content=FOUND, annotations=[cited])


def search_in_responses(number: int) -> Json:
    cited = {"type": "url_citation", "url": PAGE, "title": TITLE, "start_index": 0, "end_index": 4}
    action = {"type": "search", "query": "capital", "queries": ["capital"], "sources": [{"type": "url", "url": PAGE}]}
    call = {"type": "web_search_call", "id": f"ws_{number}", "status": "completed", "action": action}
    return _response(_reasoning(number, "I search."), call, _item(FOUND, cited))


def search_in_messages(number: int) -> Json:
    called = f"srvtoolu_{number}"
    page = {
        "type": "web_search_result",
        "url": PAGE,
        "title": TITLE,
        "encrypted_content": _seal(number, "p"),
        "page_age": None,
    }
    cited = {
        "type": "web_search_result_location",
        "url": PAGE,
        "title": TITLE,
        "encrypted_index": _seal(number, "i"),
        "cited_text": "Oslo",
    }
    return anthropic.response(
        _thinking(number, "I search."),
        {"type": "server_tool_use", "id": called, "name": "web_search", "input": {"query": "capital"}},
        {"type": "web_search_tool_result", "tool_use_id": called, "content": [page]},
        {"type": "text", "text": FOUND, "citations": [cited]},
    )


def search_in_gemini(number: int) -> Json:
    called = f"search{number}"
    asked = {"toolType": "GOOGLE_SEARCH_WEB", "id": called, "args": {"queries": ["capital"]}}
    found = {"toolType": "GOOGLE_SEARCH_WEB", "id": called, "response": {"search_suggestions": "<b>Oslo</b>"}}
    support = {"segment": {"startIndex": 0, "endIndex": 4, "text": "Oslo"}, "groundingChunkIndices": [0]}
    grounding = {
        "webSearchQueries": ["capital"],
        "groundingChunks": [{"web": {"uri": PAGE, "title": TITLE}}],
        "groundingSupports": [support],
    }
    return _gemini(
        number,
        {"toolCall": asked, "thoughtSignature": _seal(number, "c")},
        {"toolResponse": found, "thoughtSignature": _seal(number, "o")},
        {"text": FOUND, "thoughtSignature": _seal(number, "f")},
        groundingMetadata=grounding,
    )


def code_in_responses(number: int) -> Json:
    call = {
        "type": "code_interpreter_call",
        "id": f"ci_{number}",
        "status": "completed",
        "code": CODE,
        "container_id": "cntr_1",
        "outputs": [{"type": "logs", "logs": PRINTED}],
    }
    return _response(_reasoning(number, "I compute."), call, _item(MADE))


def code_in_messages(number: int) -> Json:
    called = f"srvtoolu_{number}"
    result = {"type": "code_execution_result", "stdout": PRINTED, "stderr": "", "return_code": 0, "content": []}
    return anthropic.response(
        {"type": "server_tool_use", "id": called, "name": "code_execution", "input": {"code": CODE}},
        {"type": "code_execution_tool_result", "tool_use_id": called, "content": result},
        anthropic.text(MADE),
    )


def code_in_gemini(number: int) -> Json:
    return _gemini(
        number,
        {"executableCode": {"language": "PYTHON", "code": CODE}, "thoughtSignature": _seal(number, "e")},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": PRINTED}},
        {"text": MADE},
    )


def drawn_by_responses(number: int) -> Json:
    drawn = {"type": "image_generation_call", "id": f"ig_{number}", "status": "completed", "result": PNG}
    return _response(_reasoning(number, "I draw."), drawn, _item(MADE))


def drawn_by_gemini(number: int) -> Json:
    image = {"inlineData": {"mimeType": "image/png", "data": PNG}, "thoughtSignature": _seal(number, "d")}
    return _gemini(number, {"text": MADE, "thoughtSignature": _seal(number, "m")}, image)


def compacted_by_responses(number: int) -> Json:
    item = {"type": "compaction", "id": f"cmp_{number}", "encrypted_content": _seal(number, "k")}
    return _response(item, _item(MADE))


def compacted_by_messages(number: int) -> Json:
    return anthropic.response({"type": "compaction", "content": SUMMARY}, anthropic.text(MADE))


def interleaved_by_messages(number: int) -> Json:
    """Thoughts between a sentence and each of two calls, and one that is redacted."""
    return anthropic.response(
        _thinking(number, "First."),
        anthropic.text(MADE),
        anthropic.tool_use("add", SUM, f"toolu_x{number}"),
        {"type": "redacted_thinking", "data": _seal(number, "h")},
        _thinking(number, "Second."),
        anthropic.tool_use("add", SUM, f"toolu_y{number}"),
        stop="tool_use",
    )


def interleaved_by_responses(number: int) -> Json:
    calls = [
        responses.call("add", '{"a": 40, "b": 2}', f"call_{letter}{number}", id=f"fc_{letter}{number}")
        for letter in "xy"
    ]
    commentary = _item(MADE, phase="commentary")
    return _response(_reasoning(number, "First."), commentary, calls[0], calls[1])


def interleaved_by_gemini(number: int) -> Json:
    call = {"functionCall": {"name": "add", "args": SUM}}
    return _gemini(
        number,
        {"text": "First.", "thought": True},
        {"text": MADE},
        {**call, "thoughtSignature": _seal(number, "x")},
        call,
    )


def interleaved_in_chat(number: int) -> Json:
    calls = [chat.call("add", '{"a": 40, "b": 2}', f"call_{letter}{number}") for letter in "xy"]
    return chat.response("tool_calls", content=MADE, reasoning_content="First.", tool_calls=calls)


OWN = {
    ("search", CHAT): search_in_chat,
    ("search", RESPONSES): search_in_responses,
    ("search", MESSAGES): search_in_messages,
    ("search", GEMINI): search_in_gemini,
    ("code", RESPONSES): code_in_responses,
    ("code", MESSAGES): code_in_messages,
    ("code", GEMINI): code_in_gemini,
    ("drawn", RESPONSES): drawn_by_responses,
    ("drawn", GEMINI): drawn_by_gemini,
    ("compacted", RESPONSES): compacted_by_responses,
    ("compacted", MESSAGES): compacted_by_messages,
    ("mixed", CHAT): interleaved_in_chat,
    ("mixed", RESPONSES): interleaved_by_responses,
    ("mixed", MESSAGES): interleaved_by_messages,
    ("mixed", GEMINI): interleaved_by_gemini,
}


def answer(protocol: str, kind: str, number: int) -> Json:
    """A response of the session's `number`th step; kinds that are not here are those of `tests.clients.provider`."""
    own = OWN.get((kind, protocol))
    return own(number) if own else json.loads(b"".join(reply(protocol, kind, False, number).chunks))
