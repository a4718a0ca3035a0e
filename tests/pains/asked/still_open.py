"""Symptoms that show here, too: each with the reason, and with what must hold once it is mended."""

from __future__ import annotations

from .row import Asked

<<<<<<< HEAD
OPEN: tuple[tuple[str, Asked], ...] = ()
"""Of reasons, with the row."""
=======
from proxai_ir import profiles

from .. import generate_content as gemini
from ..support import anthropic, responses, text
from .media import PDF, inline, pictured
from .results import HI, SAID_HI
from .row import ANTHROPIC, CHAT, GEMINI, RESPONSES, Asked

Json = Any
from_chat, from_messages = partial(Asked, src=CHAT), partial(Asked, src=ANTHROPIC)

APART = "outputs stand apart from their calls, which not every server of Responses takes (PLC-5, CAP-2)"
NAMED = "what the data is decides, not the name of the part that it came in"
WORD = "JSON mode of OpenAI demands the word json in the messages"
TURNS = "neighbours of one role are not merged for servers whose templates want roles to alternate (PLC-5)"

OPEN: tuple[tuple[str, Asked], ...] = (
    (
        APART,
        from_messages(
            thread="deepseek-ai/awesome-deepseek-integration#740",
            seen="No tool output found where a message stands between the call and its output",
            sent=anthropic.request(
                HI,
                anthropic.assistant([anthropic.tool_use("f")]),
                anthropic.user([text("reminder"), anthropic.tool_result("ok")]),
            ),
            gets={RESPONSES: {"/input/2": responses.result("ok"), "/input/3/content": "reminder"}},
        ),
    ),
    (
        NAMED,
        from_chat(
            thread="BerriAI/litellm#39977",
            seen="a PDF comes as image_url, which several gateways take",
            sent=pictured({"url": f"data:application/pdf;base64,{PDF}"}),
            gets={
                ANTHROPIC: {"/messages/0/content/0": inline("document", "application/pdf", PDF)},
                GEMINI: {"/contents/0/parts": [gemini.inline(PDF, "application/pdf")]},
                RESPONSES: {"/input/0/content/0/file_data": f"data:application/pdf;base64,{PDF}"},
            },
        ),
    ),
    (
        WORD,
        Asked(
            thread="miracodeai/mira#267",
            seen="the input must contain the word json where the output is a JSON object",
            src=GEMINI,
            sent=gemini.request(SAID_HI, generationConfig={"responseMimeType": "application/json"}),
            gets={
                RESPONSES: {"/instructions": "Respond with a JSON object only, without any text around it."},
                CHAT: {"/messages/0/content": "Respond with a JSON object only, without any text around it."},
            },
        ),
    ),
    (
        TURNS,
        from_messages(
            thread="charmbracelet/crush#279",
            seen="two messages of the user's in a row: roles must alternate",
            sent=anthropic.request(anthropic.user("reminder"), anthropic.user("hello")),
            gets={CHAT: {"/messages/#": 1, "/messages/0/role": "user"}},
            server=profiles.MISTRAL,
        ),
    ),
)
>>>>>>> main
