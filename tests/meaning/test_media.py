"""Images, speech, sources: what is sent where it can be, and what comes back of it."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.backends.openai_chat_completions.parts import TURNS

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.shared import PNG
from .support import ANTHROPIC, CHAT, GEMINI, RESPONSES, Json, losses, made, texts, whole

HI: Json = {"role": "user", "content": "Hi"}
UNKNOWN = "AAAAHGZ0eXBoZWlj"  # which begins as none of the types that show themselves (SRC-4)
DATA_URL = f"data:image/png;base64,{PNG}"
IMAGE: Json = {"inlineData": {"mimeType": "image/png", "data": PNG}}


def refused(payload: Json, src: str, dst: str) -> str:
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        made(payload, src, dst, "request")
    return caught.value.rule


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
@pytest.mark.parametrize("kind", ["heic", "bmp", "svg+xml", "tiff", "avif"])
def test_a_type_that_openai_refuses_is_not_sent(kind: str, dst: str) -> None:
    image = {"inlineData": {"mimeType": f"image/{kind}", "data": UNKNOWN}}
    assert refused(gemini.request(gemini.user(image)), GEMINI, dst) == "SRC-3"


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
@pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "webp"])
def test_a_type_that_openai_takes_is_sent(kind: str, dst: str) -> None:
    image = {"inlineData": {"mimeType": f"image/{kind}", "data": UNKNOWN}}
    assert f"data:image/{kind};base64,{UNKNOWN}" in str(
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


@pytest.mark.parametrize("src, dst", PAIRS)
def test_an_image_arrives(src: str, dst: str) -> None:
    conversion = made(WHOLE[src], src, dst)
    assert (texts(conversion.output), images(conversion.output), losses(conversion)) == (["Here."], [PNG], [])


@pytest.mark.parametrize("src, dst", PAIRS)
def test_an_image_is_streamed(src: str, dst: str) -> None:
    output = whole(STREAMS[src], src, dst)
    assert (texts(output), images(output)) == (["Here."], [PNG])


@pytest.mark.parametrize("src", [GEMINI])
def test_an_image_beside_text_is_a_loss_where_clients_have_no_form(src: str) -> None:
    conversion = made(WHOLE[src], src, ANTHROPIC)
    assert (texts(conversion.output), len(losses(conversion))) == (["Here."], 1)


@pytest.mark.parametrize(
    "payload, src",
    [
        (gemini.response(IMAGE), GEMINI),
        (responses.response(GENERATED), RESPONSES),
        (chat.response(content=None, **IMAGES), CHAT),
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


@pytest.mark.parametrize("src", [CHAT, RESPONSES])
def test_an_image_of_the_history_comes_back_to_gemini(src: str) -> None:
    turn = made(HISTORY[src], src, GEMINI, "request").output["contents"][1]
    assert (turn["role"], turn["parts"][-1]) == ("model", IMAGE)


@pytest.mark.parametrize("dst", [CHAT, RESPONSES, ANTHROPIC])
def test_an_image_of_the_history_refuses_no_request(dst: str) -> None:
    assert "Here." in str(made(HISTORY[GEMINI], GEMINI, dst, "request").output)


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_an_image_of_the_history_goes_to_a_server_that_takes_it(dst: str) -> None:
    output = made(HISTORY[GEMINI], GEMINI, dst, "request", generated_images=True).output
    if dst == CHAT:
        assert output["messages"][1]["images"] == IMAGES["images"]
    else:
        (item,) = [one for one in output["input"] if one["type"] == "image_generation_call"]
        assert (item["result"], item["id"][:3]) == (PNG, "ig_")
    assert losses(made(HISTORY[GEMINI], GEMINI, dst, "request")) == [("IMG-4", "/contents/1/parts/1")]


def test_several_images_are_told_apart_in_a_stream() -> None:
    events = [gemini.chunk(IMAGE), gemini.chunk(IMAGE, finish="STOP", usage=gemini.USAGE)]
    sent = proxai_ir.convert(events, GEMINI, CHAT, kind="stream")
    deltas = [chunk["choices"][0]["delta"] for chunk in sent if isinstance(chunk, dict) and chunk["choices"]]
    assert [delta["images"][0]["index"] for delta in deltas if "images" in delta] == [0, 1]


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_an_image_in_a_message_of_the_assistant_stays_there(dst: str) -> None:
    content = [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": DATA_URL}}]
    request = chat.request(HI, {"role": "assistant", "content": content}, HI)
    if dst == CHAT:
        tree = proxai_ir.lower(request, CHAT, kind="request")
        built = [TURNS[turn.role](turn) for turn in tree.turns or ()]
        assert built == request["messages"]
    else:
        assert losses(made(request, CHAT, dst, "request")) == [("IMG-4", "/messages/1/content/1")]


@pytest.mark.parametrize("mime, dst", [("image/heic", CHAT), ("image/bmp", RESPONSES)])
def test_an_image_of_a_type_that_clients_do_not_show_is_a_loss(mime: str, dst: str) -> None:
    image = {"inlineData": {"mimeType": mime, "data": UNKNOWN}}
    conversion = made(gemini.response("Here.", image), GEMINI, dst)
    assert (images(conversion.output), losses(conversion)) == ([], [("IMG-4", "/candidates/0/content/parts/1")])


# --- speech -----------------------------------------------------------------------------------------------------------

SPEECH: Json = {"inlineData": {"mimeType": "audio/L16;codec=pcm;rate=24000", "data": "AAAA"}}


def test_speech_is_audio_that_chats_own_reader_takes() -> None:
    output = made(gemini.response(SPEECH), GEMINI, CHAT).output
    audio = output["choices"][0]["message"]["audio"]
    assert audio["data"] == "AAAA"
    assert isinstance(audio["id"], str)
    assert made(output, CHAT, CHAT).output == output


def test_speech_is_streamed() -> None:
    events = [gemini.chunk(SPEECH, finish="STOP", usage=gemini.USAGE)]
    assert whole(events, GEMINI, CHAT)["choices"][0]["message"]["audio"]["data"] == "AAAA"


def test_pieces_of_speech_are_one_recording() -> None:
    mime = "audio/L16;rate=24000"
    pieces = [{"inlineData": {"mimeType": mime, "data": data}} for data in ("AAE=", "AgMEBQ==", "Bg==")]
    *first, last = pieces
    events = [*map(gemini.chunk, first), gemini.chunk(last, finish="STOP", usage=gemini.USAGE)]
    expected = "AAECAwQFBg=="  # bytes 0 to 6
    for output in (made(gemini.response(*pieces), GEMINI, CHAT).output, whole(events, GEMINI, CHAT)):
        audio = output["choices"][0]["message"]["audio"]
        assert audio == {"id": f"audio_{output['id']}_0", "data": expected, "expires_at": 0, "transcript": ""}


def test_a_format_that_nobody_asked_for_is_named() -> None:
    def reported(mime: str) -> list[tuple[str, str]]:
        return losses(made(gemini.response({"inlineData": {"mimeType": mime, "data": "AAAA"}}), GEMINI, CHAT))

    assert reported("audio/L16;codec=pcm;rate=24000") == []
    assert reported("audio/L16;rate=16000") == [("AUD-4", "/candidates/0/content/parts/0")]
    assert reported("audio/wav") == [("AUD-4", "/candidates/0/content/parts/0")]


def test_speech_of_the_history_refuses_no_request() -> None:
    request = gemini.request(gemini.user("Hi"), gemini.model("Here.", SPEECH), gemini.user("Go on."))
    for dst in (CHAT, RESPONSES, ANTHROPIC):
        assert losses(made(request, GEMINI, dst, "request")) == [("IMG-4", "/contents/1/parts/1")]


@pytest.mark.parametrize("dst", [RESPONSES, ANTHROPIC])
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


def test_a_search_of_gemini_has_its_result() -> None:
    expected = [("https://x/1", "One"), ("https://x/2", "Two")]
    assert found_pages(made(GROUNDED, GEMINI, ANTHROPIC).output) == expected


def test_a_search_of_gemini_has_its_result_in_streams() -> None:
    events = [gemini.chunk("High tide.", finish="STOP", usage=gemini.USAGE, groundingMetadata=GROUNDING)]
    assert found_pages(whole(events, GEMINI, ANTHROPIC)) == [("https://x/1", "One"), ("https://x/2", "Two")]


def test_a_search_of_responses_has_its_result() -> None:
    assert [url for url, _ in found_pages(made(SEARCHED, RESPONSES, ANTHROPIC).output)] == ["https://x/1"]


@pytest.mark.parametrize("through", [RESPONSES, ANTHROPIC])
def test_sources_are_not_doubled_on_the_way_back(through: str) -> None:
    there = made(GROUNDED, GEMINI, through).output
    back = made(there, through, GEMINI).output["candidates"][0]["groundingMetadata"]
    assert back["webSearchQueries"] == ["tide"]
    pages = [(one["web"]["uri"], one["web"].get("title")) for one in back["groundingChunks"]]
    assert pages == [("https://x/1", "One"), ("https://x/2", "Two" if through == ANTHROPIC else None)]


def test_a_search_is_before_the_text_that_rests_on_it() -> None:
    whole_kinds = [part["type"] for part in made(GROUNDED, GEMINI, ANTHROPIC).output["content"]]
    assert whole_kinds == ["server_tool_use", "web_search_tool_result", "text"]
    items = [item["type"] for item in made(GROUNDED, GEMINI, RESPONSES).output["output"]]
    assert items == ["web_search_call", "message"]


def test_a_search_without_sources_has_an_empty_result_whole_and_streamed() -> None:
    bare = responses.response({**SEARCH, "action": {"type": "search", "query": "tide"}}, SAID)
    assert found_pages(made(bare, RESPONSES, ANTHROPIC).output) == []
    assert found_pages(whole(responses.stream(bare), RESPONSES, ANTHROPIC)) == []


@pytest.mark.parametrize("options", [{"seals": proxai_ir.Seals()}, {"seals": False}])
def test_a_search_of_another_provider_is_not_sent_as_if_it_was_sealed(options: Any) -> None:
    history = {"role": "assistant", "content": made(GROUNDED, GEMINI, ANTHROPIC).output["content"]}
    request = anthropic.request(HI, history, HI)
    conversion = made(request, ANTHROPIC, ANTHROPIC, "request", **options)
    assert conversion.output["messages"][1]["content"] == "High tide."
    assert losses(conversion) == [("TUL-22", "/messages/1/content/0"), ("TUL-22", "/messages/1/content/1")]
    assert made(request, ANTHROPIC, ANTHROPIC, "request").output == request  # where nobody changes the provider


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_the_passage_of_a_text_that_is_sent_is_no_loss(dst: str) -> None:
    assert [one for one in losses(made(GROUNDED, GEMINI, dst)) if one[0] == "CIT-2"] == []


OPENED: Json = {
    "urlMetadata": [
        {"retrievedUrl": "https://x/1", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"},
        {"retrievedUrl": "https://x/2", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_PAYWALL"},
    ]
}


def test_a_page_that_was_opened_has_its_result() -> None:
    events = [gemini.chunk("Hi", finish="STOP", usage=gemini.USAGE, urlContextMetadata=OPENED)]
    for output in (
        made(gemini.response("Hi", urlContextMetadata=OPENED), GEMINI, ANTHROPIC).output,
        whole(events, GEMINI, ANTHROPIC),
    ):
        first, result, second, failed = [part for part in output["content"] if part["type"] != "text"]
        assert (first["name"], first["input"]) == ("web_fetch", {"url": "https://x/1"})
        assert (second["name"], second["input"]) == ("web_fetch", {"url": "https://x/2"})
        assert (result["type"], result["tool_use_id"]) == ("web_fetch_tool_result", first["id"])
        assert result["content"] == {
            "type": "web_fetch_result",
            "url": "https://x/1",
            "content": {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": ""}},
        }
        assert failed["content"] == {"type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"}


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_pages_that_were_opened_are_sent_or_named(dst: str) -> None:
    conversion = made(gemini.response("Hi", urlContextMetadata=OPENED), GEMINI, dst)
    sent = [item["action"]["url"] for item in conversion.output.get("output", ()) if item["type"] == "web_search_call"]
    place = "/candidates/0/urlContextMetadata/urlMetadata"
    if dst == RESPONSES:
        assert (sent, losses(conversion)) == (
            ["https://x/1", "https://x/2"],
            [("TUL-22", f"{place}/1/urlRetrievalStatus")],
        )
    else:
        assert losses(conversion) == [("TUL-6", f"{place}/0"), ("TUL-6", f"{place}/1")]


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
