"""Images, speech, sources: what is sent where it can be, and what comes back of it."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.shared import PNG
from .support import ANTHROPIC, CHAT, GEMINI, RESPONSES, Json, losses, made, not_yet, texts, whole

HI: Json = {"role": "user", "content": "Hi"}
DATA_URL = f"data:image/png;base64,{PNG}"
IMAGE: Json = {"inlineData": {"mimeType": "image/png", "data": PNG}}


def refused(payload: Json, src: str, dst: str) -> str:
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        made(payload, src, dst, "request")
    return caught.value.rule


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
@pytest.mark.parametrize("kind", ["heic", "bmp", "svg+xml", "tiff", "avif"])
def test_a_type_that_openai_refuses_is_not_sent(kind: str, dst: str) -> None:
    image = {"inlineData": {"mimeType": f"image/{kind}", "data": PNG}}
    assert refused(gemini.request(gemini.user(image)), GEMINI, dst) == "SRC-3"


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
@pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "webp"])
def test_a_type_that_openai_takes_is_sent(kind: str, dst: str) -> None:
    image = {"inlineData": {"mimeType": f"image/{kind}", "data": PNG}}
    assert f"data:image/{kind};base64,{PNG}" in str(
        made(gemini.request(gemini.user(image)), GEMINI, dst, "request").output
    )


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
@pytest.mark.parametrize("url", ["s3://b/k.png", "gs://b/k.png", "ftp://x/k.png", "file:///k.png"])
def test_an_address_that_openai_cannot_open_is_not_sent(url: str, dst: str) -> None:
    image = {"type": "image", "source": {"type": "url", "url": url}}
    assert refused(anthropic.request({"role": "user", "content": [image]}), ANTHROPIC, dst) == "SRC-3"


def test_an_address_between_openais_protocols_is_looked_at() -> None:
    image = {"type": "image_url", "image_url": {"url": "s3://b/k.png"}}
    assert refused(chat.request({"role": "user", "content": [image]}), CHAT, RESPONSES) == "SRC-3"


def test_the_type_of_an_address_is_that_of_its_name() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://x/k.bmp"}}
    assert refused(chat.request({"role": "user", "content": [image]}), CHAT, GEMINI) == "SRC-3"


# --- images in the output ---------------------------------------------------------------------------------------------

GENERATED: Json = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": PNG}
IMAGES: Json = {"images": [{"type": "image_url", "image_url": {"url": DATA_URL}}]}
SAID = responses.message(responses.output_text("Here."), id="m", status="completed")
WHOLE: dict[str, Json] = {
    GEMINI: gemini.response("Here.", IMAGE),
    CHAT: chat.response(content="Here.", **IMAGES),
    RESPONSES: responses.response(SAID, GENERATED),
}
STREAMS: dict[str, list[Any]] = {
    GEMINI: [gemini.chunk("Here."), gemini.chunk(IMAGE, finish="STOP", usage=gemini.USAGE)],
    CHAT: chat.stream({"content": "Here."}, IMAGES),
    RESPONSES: responses.stream(WHOLE[RESPONSES]),
}
PAIRS = [(src, dst) for src in WHOLE for dst in WHOLE if src != dst]


def images(response: Json) -> list[str]:
    """The data of a response's images."""
    if "choices" in response:
        found = response["choices"][0]["message"].get("images", [])
        return [one["image_url"]["url"].removeprefix("data:image/png;base64,") for one in found]
    if "candidates" in response:
        return [
            part["inlineData"]["data"] for part in response["candidates"][0]["content"]["parts"] if "inlineData" in part
        ]
    return [item["result"] for item in response["output"] if item["type"] == "image_generation_call"]


@not_yet
@pytest.mark.parametrize("src, dst", PAIRS)
def test_an_image_arrives(src: str, dst: str) -> None:
    conversion = made(WHOLE[src], src, dst)
    assert (texts(conversion.output), images(conversion.output), losses(conversion)) == (["Here."], [PNG], [])


@not_yet
@pytest.mark.parametrize("src, dst", PAIRS)
def test_an_image_is_streamed(src: str, dst: str) -> None:
    output = whole(STREAMS[src], src, dst)
    assert (texts(output), images(output)) == (["Here."], [PNG])


@not_yet
@pytest.mark.parametrize("src", [GEMINI])
def test_an_image_beside_text_is_a_loss_where_clients_have_no_form(src: str) -> None:
    conversion = made(WHOLE[src], src, ANTHROPIC)
    assert (texts(conversion.output), len(losses(conversion))) == (["Here."], 1)


@pytest.mark.parametrize(
    "payload, src",
    [
        (gemini.response(IMAGE), GEMINI),
        pytest.param(responses.response(GENERATED), RESPONSES, marks=not_yet),
        pytest.param(chat.response(content=None, **IMAGES), CHAT, marks=not_yet),
    ],
    ids=[GEMINI, RESPONSES, CHAT],
)
def test_an_image_alone_is_refused_where_clients_have_no_form(payload: Json, src: str) -> None:
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        made(payload, src, ANTHROPIC, allow_empty=True)
    assert caught.value.rule == "PLC-3"


HISTORY: dict[str, Json] = {
    GEMINI: gemini.request(gemini.user("Hi"), gemini.model("Here.", IMAGE), gemini.user("Go on.")),
    CHAT: chat.request(HI, {"role": "assistant", "content": "Here.", **IMAGES}, HI),
    RESPONSES: responses.request({"type": "message", **HI}, GENERATED, {"type": "message", **HI}),
}


@not_yet
@pytest.mark.parametrize("src", [CHAT, RESPONSES])
def test_an_image_of_the_history_comes_back_to_gemini(src: str) -> None:
    turn = made(HISTORY[src], src, GEMINI, "request").output["contents"][1]
    assert (turn["role"], turn["parts"][-1]) == ("model", IMAGE)


@not_yet
@pytest.mark.parametrize("dst", [CHAT, RESPONSES, ANTHROPIC])
def test_an_image_of_the_history_refuses_no_request(dst: str) -> None:
    assert "Here." in str(made(HISTORY[GEMINI], GEMINI, dst, "request").output)


# --- speech -----------------------------------------------------------------------------------------------------------

SPEECH: Json = {"inlineData": {"mimeType": "audio/L16;codec=pcm;rate=24000", "data": "AAAA"}}


@not_yet
def test_speech_is_audio_that_chats_own_reader_takes() -> None:
    output = made(gemini.response(SPEECH), GEMINI, CHAT).output
    audio = output["choices"][0]["message"]["audio"]
    assert audio["data"] == "AAAA"
    assert isinstance(audio["id"], str)
    assert made(output, CHAT, CHAT).output == output


@not_yet
def test_speech_is_streamed() -> None:
    events = [gemini.chunk(SPEECH, finish="STOP", usage=gemini.USAGE)]
    assert whole(events, GEMINI, CHAT)["choices"][0]["message"]["audio"]["data"] == "AAAA"


@pytest.mark.parametrize("dst", [pytest.param(RESPONSES, marks=not_yet), pytest.param(ANTHROPIC, marks=not_yet)])
def test_speech_alone_is_refused_where_clients_have_no_form(dst: str) -> None:
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        made(gemini.response(SPEECH), GEMINI, dst)
    assert caught.value.rule == "PLC-3"


# --- sources ----------------------------------------------------------------------------------------------------------

GROUNDING: Json = {
    "webSearchQueries": ["tide"],
    "groundingChunks": [
        {"web": {"uri": "https://x/1", "title": "One"}},
        {"web": {"uri": "https://x/2", "title": "Two"}},
    ],
    "groundingSupports": [{"segment": {"startIndex": 0, "endIndex": 4, "text": "High"}, "groundingChunkIndices": [0]}],
}
GROUNDED = gemini.response("High tide.", groundingMetadata=GROUNDING)
SEARCH: Json = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "tide", "sources": [{"type": "url", "url": "https://x/1"}]},
}
SEARCHED = responses.response(SEARCH, SAID)


def found_pages(output: Json) -> list[tuple[str, str]]:
    """The pages of a message's searches; each search has its result behind it."""
    uses = [part["id"] for part in output["content"] if part["type"] == "server_tool_use"]
    results = [part for part in output["content"] if part["type"] == "web_search_tool_result"]
    assert uses == [part["tool_use_id"] for part in results]
    assert uses
    return [(page["url"], page["title"]) for part in results for page in part["content"]]


@not_yet
def test_a_search_of_gemini_has_its_result() -> None:
    expected = [("https://x/1", "One"), ("https://x/2", "Two")]
    assert found_pages(made(GROUNDED, GEMINI, ANTHROPIC).output) == expected


@not_yet
def test_a_search_of_gemini_has_its_result_in_streams() -> None:
    events = [gemini.chunk("High tide.", finish="STOP", usage=gemini.USAGE, groundingMetadata=GROUNDING)]
    assert found_pages(whole(events, GEMINI, ANTHROPIC)) == [("https://x/1", "One"), ("https://x/2", "Two")]


@not_yet
def test_a_search_of_responses_has_its_result() -> None:
    assert [url for url, _ in found_pages(made(SEARCHED, RESPONSES, ANTHROPIC).output)] == ["https://x/1"]


def test_sources_are_not_doubled_on_the_way_back() -> None:
    there = made(GROUNDED, GEMINI, RESPONSES).output
    back = made(there, RESPONSES, GEMINI).output["candidates"][0]["groundingMetadata"]
    assert [one["web"]["uri"] for one in back["groundingChunks"]] == ["https://x/1", "https://x/2"]


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_the_passage_of_a_text_that_is_sent_is_no_loss(dst: str) -> None:
    assert [one for one in losses(made(GROUNDED, GEMINI, dst)) if one[0] == "CIT-2"] == []


@not_yet
def test_pages_that_were_opened_arrive() -> None:
    page = {"retrievedUrl": "https://x/1", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"}
    output = made(gemini.response("Hi", urlContextMetadata={"urlMetadata": [page]}), GEMINI, ANTHROPIC).output
    assert "https://x/1" in str(output)


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dst", [CHAT, RESPONSES, ANTHROPIC])
def test_a_models_name_is_no_path(dst: str) -> None:
    response = {**gemini.response("Hi"), "modelVersion": "models/gemini-3-flash"}
    assert made(response, GEMINI, dst).output["model"] == "gemini-3-flash"
    request = gemini.request(gemini.user("Hi"), model="models/gemini-3-flash")
    assert proxai_ir.convert(request, GEMINI, dst, kind="request")["model"] == "gemini-3-flash"


def test_a_command_is_no_python() -> None:
    use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "bash_code_execution", "input": {"command": "ls"}}
    output = {"type": "bash_code_execution_result", "stdout": "o", "stderr": "", "return_code": 0, "content": []}
    result = {"type": "bash_code_execution_tool_result", "tool_use_id": "srvtoolu_1", "content": output}
    parts = made(anthropic.response(use, result), ANTHROPIC, GEMINI).output["candidates"][0]["content"]["parts"]
    assert parts[0]["executableCode"]["language"] == "LANGUAGE_UNSPECIFIED"
