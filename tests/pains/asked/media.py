"""Images, documents and sound in requests."""

from __future__ import annotations

from functools import partial
from typing import Any

from proxai_ir import profiles

from .. import generate_content as gemini
from ..support import anthropic, chat, text
from .row import ANTHROPIC, CHAT, GEMINI, RESPONSES, Asked, Refused

Json = Any
from_chat, from_messages = partial(Asked, src=CHAT), partial(Asked, src=ANTHROPIC)
PNG = "iVBORw0KGgoAAAANSUhEUg=="
JPEG = "/9j/4AAQSkZJRgABAQ=="
PDF = "JVBERi0xLjcK"
OFFICE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PART = "/messages/0/content/0"


def shown(part: Json) -> Json:
    """A user's message of one part."""
    return chat.request(chat.user([part]))


def pictured(url: Json) -> Json:
    return shown({"type": "image_url", "image_url": url})


def inline(kind: str, media_type: str, data: str) -> Json:
    return {"type": kind, "source": {"type": "base64", "media_type": media_type, "data": data}}


ROWS: tuple[Asked, ...] = (
    from_chat(
        thread="NousResearch/hermes-agent#55432",
        seen="image/jpg is no name of a media type to Anthropic",
        sent=pictured({"url": f"data:image/jpg;base64,{JPEG}"}),
        gets={
            ANTHROPIC: {PART: inline("image", "image/jpeg", JPEG)},
            GEMINI: {"/contents/0/parts": [gemini.inline(JPEG, "image/jpeg")]},
        },
        rules=("SRC-4",),
    ),
    from_chat(
        thread="BerriAI/litellm#24900",
        seen="the image was specified using the image/png media type, but appears to be a image/jpeg image",
        sent=pictured({"url": f"data:image/png;base64,{JPEG}"}),
        gets={ANTHROPIC: {PART: inline("image", "image/jpeg", JPEG)}},
        rules=("SRC-4",),
    ),
    from_chat(
        thread="BerriAI/litellm#39977",
        seen="a PDF comes as image_url, which several gateways take",
        sent=pictured({"url": f"data:application/pdf;base64,{PDF}"}),
        gets={
            ANTHROPIC: {PART: inline("document", "application/pdf", PDF)},
            GEMINI: {"/contents/0/parts": [gemini.inline(PDF, "application/pdf")]},
            RESPONSES: {"/input/0/content/0/file_data": f"data:application/pdf;base64,{PDF}"},
        },
    ),
    from_chat(
        thread="langchain-ai/langchain#21219",
        seen="image_url is the URL itself",
        sent=pictured(f"data:image/png;base64,{PNG}"),
        gets={
            ANTHROPIC: {PART: inline("image", "image/png", PNG)},
            RESPONSES: {"/input/0/content/0/image_url": f"data:image/png;base64,{PNG}"},
        },
    ),
    from_chat(
        thread="anthropics/claude-code#2438",
        seen="a kind of picture that Anthropic does not take: media_type should be one of four",
        sent=pictured({"url": "data:image/svg+xml;base64,PHN2Zy8+"}),
        gets=dict.fromkeys((ANTHROPIC, RESPONSES, GEMINI), Refused("SRC-3", f"{PART}/image_url")),
        rules=("SRC-3",),
    ),
    from_chat(
        thread="Portkey-AI/gateway#1075",
        seen="a gateway's own member for the URL of a file",
        sent=shown({"type": "file", "file": {"file_url": "https://x.org/a.pdf", "mime_type": "application/pdf"}}),
        gets=dict.fromkeys((ANTHROPIC, RESPONSES), Refused("SHP-4", f"{PART}/file")),
        rules=("SHP-4",),
    ),
    from_chat(
        thread="mozilla-ai/any-llm#891",
        seen="files are not converted for Claude, whether inline or by their URL",
        sent=shown({"type": "file", "file": {"filename": "a.pdf", "file_data": "https://x.org/a.pdf"}}),
        gets={
            ANTHROPIC: {f"{PART}/source": {"type": "url", "url": "https://x.org/a.pdf"}, f"{PART}/title": "a.pdf"},
            RESPONSES: {"/input/0/content/0/file_url": "https://x.org/a.pdf"},
        },
    ),
    from_chat(
        thread="langchain-ai/langchainjs#11156",
        seen="a document of an office suite becomes a block that Anthropic refuses",
        sent=shown({"type": "file", "file": {"filename": "a.docx", "file_data": f"data:{OFFICE};base64,UEsDBA=="}}),
        gets=dict.fromkeys((ANTHROPIC, GEMINI), Refused("SRC-3", PART)),
        rules=("SRC-3",),
    ),
    from_messages(
        thread="BoundaryML/baml#2464",
        seen="a PDF's bytes stand bare in file_data",
        sent=anthropic.request(anthropic.user([inline("document", "application/pdf", PDF)])),
        gets={
            RESPONSES: {"/input/0/content/0/file_data": f"data:application/pdf;base64,{PDF}"},
            CHAT: {f"{PART}/file/file_data": f"data:application/pdf;base64,{PDF}"},
            GEMINI: {"/contents/0/parts": [gemini.inline(PDF, "application/pdf")]},
        },
    ),
    from_chat(
        thread="mozilla-ai/any-llm#1390",
        seen="input_audio is skipped towards Gemini",
        sent=shown({"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}),
        gets={
            GEMINI: {"/contents/0/parts": [gemini.inline("UklGRg==", "audio/wav")]},
            ANTHROPIC: Refused("AUD-1", PART),
            RESPONSES: Refused("AUD-1", PART),
        },
        rules=("AUD-1",),
    ),
    from_chat(
        thread="decolua/9router#913",
        seen="another server's part for sound is dropped, and the model hears nothing",
        sent=shown({"type": "audio_url", "audio_url": {"url": "data:audio/wav;base64,UklGRg=="}}),
        gets={
            GEMINI: {"/contents/0/parts": [gemini.inline("UklGRg==", "audio/wav")]},
            ANTHROPIC: Refused("AUD-1", PART),
        },
        rules=("AUD-1",),
    ),
    from_messages(
        thread="farion1231/cc-switch#3663",
        seen="an image for a model that sees none: unknown variant image_url",
        sent=anthropic.request(anthropic.user([inline("image", "image/png", PNG), text("?")])),
        gets={CHAT: Refused("SRC-3", PART)},
        rules=("SRC-3",),
        server=profiles.DEEPSEEK,
    ),
)
