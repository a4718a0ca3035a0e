"""Results of calls: where they stand, what they hold, and which call they answer."""

from __future__ import annotations

from functools import partial
from typing import Any

from proxai_ir import profiles

from .. import generate_content as gemini
from ..support import anthropic, chat, responses, text
from .media import JPEG, inline
from .row import ANTHROPIC, CHAT, GEMINI, RESPONSES, Asked, Refused

Json = Any
from_chat, from_messages = partial(Asked, src=CHAT), partial(Asked, src=ANTHROPIC)
from_responses, from_gemini = partial(Asked, src=RESPONSES), partial(Asked, src=GEMINI)
HI = chat.user("Hi")
PNG = "iVBORw0KGgoAAAANSUhEUg=="
PDF = "JVBERi0xLjcK"
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
INPUT_IMAGE = {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"}
IMAGE_URL = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
INLINE = {"inlineData": {"mimeType": "image/png", "data": PNG}}
SAID_HI = gemini.user(gemini.text("Hi"))


def ran(content: Json, *more: Json) -> Json:
    """Claude's call of one tool, whose result has this content, and what else the user's turn has."""
    return anthropic.request(
        HI,
        anthropic.assistant([anthropic.tool_use("f")]),
        anthropic.user([anthropic.tool_result(content), *more]),
    )


def viewed(output: Json) -> Json:
    """Codex's call of one function and its output."""
    return responses.request(HI, responses.call("view_image"), responses.result(output))


ROWS: tuple[Asked, ...] = (
    from_messages(
        thread="deepseek-ai/awesome-deepseek-integration#740",
        seen="No tool output found where a message stands between the call and its output",
        sent=anthropic.request(
            HI,
            anthropic.assistant([anthropic.tool_use("f")]),
            anthropic.user([text("reminder"), anthropic.tool_result("ok")]),
        ),
        gets={RESPONSES: {"/input/2": responses.result("ok"), "/input/3/content": "reminder"}},
        server=profiles.for_model(RESPONSES, "deepseek-v4-pro"),
    ),
    from_messages(
        thread="yetone/alma-releases#81",
        seen="what the model said after a call stands between the call and its output",
        sent=anthropic.request(
            HI,
            anthropic.assistant([anthropic.tool_use("f"), text("later")]),
            anthropic.user([anthropic.tool_result("ok")]),
        ),
        gets={RESPONSES: {"/input/1/content": "later", "/input/3": responses.result("ok")}},
        losses=("PLC-71",),
        server=profiles.for_model(RESPONSES, "deepseek-v4-pro"),
    ),
    from_chat(
        thread="cloudwego/eino-ext#571",
        seen="parallel results stand in contents of their own: the numbers of parts must be equal",
        sent=chat.request(
            HI,
            chat.assistant(tool_calls=[chat.call("a", call_id="c1"), chat.call("b", call_id="c2")]),
            chat.result("A", "c1"),
            chat.result("B", "c2"),
        ),
        gets={
            GEMINI: {
                "/contents/#": 3,
                "/contents/2/parts/0/functionResponse/response": {"output": "A"},
                "/contents/2/parts/1/functionResponse/response": {"output": "B"},
            },
            ANTHROPIC: {"/messages/#": 3, "/messages/2/content/#": 2},
        },
    ),
    from_messages(
        thread="earendil-works/pi#5528",
        seen="each parallel result is a message of its own",
        sent=anthropic.request(
            HI,
            anthropic.assistant([anthropic.tool_use("a", call_id="t1"), anthropic.tool_use("b", call_id="t2")]),
            anthropic.user([anthropic.tool_result("A", "t1")]),
            anthropic.user([anthropic.tool_result("B", "t2")]),
        ),
        gets={
            GEMINI: {"/contents/#": 3, "/contents/1/parts/#": 2, "/contents/2/parts/#": 2},
            CHAT: {"/messages/1/tool_calls/#": 2, "/messages/#": 4},
        },
    ),
    from_chat(
        thread="pipecat-ai/pipecat#3420",
        seen="parallel calls stand in messages of their own, and only one has the signature",
        sent=chat.request(
            HI,
            chat.assistant(tool_calls=[chat.call("a", call_id="c1")]),
            chat.assistant(tool_calls=[chat.call("b", call_id="c2")]),
            chat.result("A", "c1"),
            chat.result("B", "c2"),
        ),
        gets={GEMINI: {"/contents/#": 3, "/contents/1/parts/#": 2, "/contents/2/parts/#": 2}},
        rules=("RSN-22",),
    ),
    from_gemini(
        thread="google-gemini/gemini-cli#16135",
        seen="an image stands between the responses of functions",
        sent=gemini.request(
            SAID_HI,
            gemini.model(gemini.call("a", {}), gemini.call("b", {})),
            gemini.user(gemini.result("a", {"output": "A"}), INLINE, gemini.result("b", {"output": "B"})),
        ),
        gets={
            ANTHROPIC: {
                "/messages/2/content/0/type": "tool_result",
                "/messages/2/content/1/type": "tool_result",
                "/messages/2/content/2": IMAGE,
            },
            CHAT: {"/messages/2/role": "tool", "/messages/3/role": "tool", "/messages/4/content": [IMAGE_URL]},
        },
    ),
    from_messages(
        thread="higress-group/higress#3503",
        seen="the text beside a result is dropped",
        sent=ran("ok", text("now explain why")),
        gets={
            CHAT: {"/messages/2": chat.result("ok"), "/messages/3": chat.user("now explain why")},
            RESPONSES: {"/input/2": responses.result("ok"), "/input/3/content": "now explain why"},
            GEMINI: {"/contents/2/parts/1": {"text": "now explain why"}},
        },
    ),
    from_messages(
        thread="orangeboyChen/codebuddy2api#11",
        seen="the reminder before a result comes between the call and its result",
        sent=anthropic.request(
            HI,
            anthropic.assistant([anthropic.tool_use("f")]),
            anthropic.user([text("reminder"), anthropic.tool_result("ok")]),
        ),
        gets={
            CHAT: {"/messages/2": chat.result("ok"), "/messages/3": chat.user("reminder")},
            GEMINI: {"/contents/2/parts/1": {"text": "reminder"}},
        },
    ),
    from_responses(
        thread="NousResearch/hermes-agent#65369",
        seen="a reminder of the user's stands before the output of the call",
        sent=responses.request(HI, responses.call("f"), responses.user("reminder"), responses.result("ok")),
        gets={
            ANTHROPIC: {
                "/messages/2/content/0": anthropic.tool_result("ok"),
                "/messages/2/content/1": text("reminder"),
            },
            CHAT: {"/messages/2": chat.result("ok"), "/messages/3": chat.user("reminder")},
        },
    ),
    from_responses(
        thread="cubist38/mlx-openai-server#268",
        seen="a message of the assistant's between call and output splits them",
        sent=responses.request(
            HI, responses.call("f"), responses.message(responses.output_text("Working")), responses.result("ok")
        ),
        gets={
            CHAT: {
                "/messages/1/content": "Working",
                "/messages/1/tool_calls/0/id": "call_1",
                "/messages/2": chat.result("ok"),
            },
            ANTHROPIC: {"/messages/1/content/1": text("Working"), "/messages/2/content/0": anthropic.tool_result("ok")},
        },
        losses=("PLC-4",),
    ),
    from_responses(
        thread="farion1231/cc-switch#3047",
        seen="an output of no call becomes a tool message that nothing asked for",
        sent=responses.request(HI, responses.result("lost", "c9"), responses.user("?")),
        gets={CHAT: {"/messages/#": 2}, ANTHROPIC: {"/messages/#": 2}, GEMINI: {"/contents/#": 2}},
        hides=("lost",),
        losses=("TUL-32",),
    ),
    from_responses(
        thread="openai/codex#5385",
        seen="compaction finds a call without output, and fails",
        sent=responses.request(HI, responses.call("f"), responses.user("Summarize.")),
        gets={
            CHAT: {"/messages/2": chat.result("No result was recorded for this call."), "/messages/3/role": "user"},
            ANTHROPIC: {"/messages/2/content/0/type": "tool_result", "/messages/2/content/1": text("Summarize.")},
        },
        losses=("TUL-31",),
    ),
    from_messages(
        thread="anthropics/claude-code#24670",
        seen="a cut-off history begins with the result of a call that is gone",
        sent=anthropic.request(
            anthropic.user([anthropic.tool_result("lost")]), anthropic.assistant("Yo"), anthropic.user("?")
        ),
        gets={CHAT: {"/messages/#": 2}, RESPONSES: {"/input/#": 2}},
        hides=("lost",),
        losses=("TUL-32",),
    ),
    from_gemini(
        thread="BerriAI/litellm#26755",
        seen="the history begins with the response of a function that was cut off",
        sent=gemini.request(
            gemini.user(gemini.result("read", {"output": "lost"}, id="call_001"), gemini.text("Go on")),
            gemini.model(gemini.text("Hm", thought=True), gemini.call("read", {}, id="call_002")),
            gemini.user(gemini.result("read", {"output": "ok"}, id="call_002")),
        ),
        gets={
            ANTHROPIC: {
                "/messages/0": anthropic.user("Go on"),
                "/messages/1/content": [anthropic.tool_use("read", call_id="call_002")],
                "/messages/2/content": [anthropic.tool_result("ok", "call_002")],
            },
            CHAT: {"/messages/0": chat.user("Go on"), "/messages/2": chat.result("ok", "call_002")},
        },
        hides=("lost",),
        losses=("RSN-5", "TUL-32"),
    ),
    from_responses(
        thread="ggml-org/llama.cpp#23380",
        seen="the image that a tool shows: output of a tool call should be text",
        sent=viewed([{"type": "input_text", "text": "x"}, INPUT_IMAGE]),
        gets={CHAT: {"/messages/2": chat.result("x"), "/messages/3": chat.user([IMAGE_URL])}},
        losses=("PLC-7",),
    ),
    from_responses(
        thread="CommandCodeAI/command-code#902",
        seen="an image of a tool is sent as text, and billed as text",
        sent=viewed([INPUT_IMAGE]),
        gets={
            ANTHROPIC: {"/messages/2/content/0/content": [IMAGE]},
            GEMINI: {"/contents/2/parts/0/functionResponse/parts": [INLINE]},
        },
    ),
    from_messages(
        thread="raine/claude-code-proxy#59",
        seen="images in results are left out towards Codex's protocol",
        sent=ran([text("a"), IMAGE]),
        gets={
            RESPONSES: {
                "/input/2/output/0": {"type": "input_text", "text": "a"},
                "/input/2/output/1/image_url": f"data:image/png;base64,{PNG}",
            }
        },
    ),
    from_messages(
        thread="vercel/ai#16072",
        seen="the PDF in a result is sent to Gemini as text, a million tokens of it",
        sent=ran([{"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}}]),
        gets={
            GEMINI: {
                "/contents/2/parts/0/functionResponse/parts": [
                    {"inlineData": {"mimeType": "application/pdf", "data": PDF}}
                ]
            },
            CHAT: {
                "/messages/2": chat.result(""),
                "/messages/3/content/0/file/file_data": f"data:application/pdf;base64,{PDF}",
            },
        },
        losses=("PLC-7",),
    ),
    from_responses(
        thread="vercel/ai#15671",
        seen="the URL of an image in a result never reaches Gemini",
        sent=viewed([{"type": "input_image", "image_url": "https://x.org/a.png"}]),
        gets={
            GEMINI: {
                "/contents/2/parts/1": {"fileData": {"mimeType": "image/png", "fileUri": "https://x.org/a.png"}},
            }
        },
        losses=("PLC-7",),
    ),
    from_gemini(
        thread="vercel/ai#21275",
        seen="only Google's cloud can read a gs:// file in a function's response",
        sent=gemini.request(
            SAID_HI,
            gemini.model(gemini.call("v", {})),
            gemini.user(
                {
                    "functionResponse": {
                        "name": "v",
                        "response": {"output": "ok"},
                        "parts": [{"fileData": {"mimeType": "image/png", "fileUri": "gs://b/a.png"}}],
                    }
                }
            ),
        ),
        gets={ANTHROPIC: Refused("SRC-1", "/contents/2/parts/0/functionResponse/parts/0/fileData")},
    ),
    from_chat(
        thread="moeru-ai/airi#2098",
        seen="the empty result of a tool is refused on the second request",
        sent=chat.request(HI, chat.assistant(tool_calls=[chat.call("f")]), chat.result("")),
        gets={ANTHROPIC: {"/messages/2/content": [{"type": "tool_result", "tool_use_id": "call_1"}]}},
        rules=("PLC-10",),
    ),
    from_chat(
        thread="HKUDS/nanobot#949",
        seen="an MCP tool gives one empty text part",
        sent=chat.request(HI, chat.assistant(tool_calls=[chat.call("f")]), chat.result([text("")])),
        gets={ANTHROPIC: {"/messages/2/content": [{"type": "tool_result", "tool_use_id": "call_1"}]}},
        rules=("PLC-10",),
    ),
    from_messages(
        thread="NousResearch/hermes-agent#55092",
        seen="a result without any content",
        sent=ran([]),
        gets={
            CHAT: {"/messages/2": chat.result("")},
            RESPONSES: {"/input/2": responses.result("")},
            GEMINI: {"/contents/2/parts/0/functionResponse/response": {}},
        },
    ),
    from_messages(
        thread="anthropics/anthropic-sdk-python#461",
        seen="an answer has an empty text beside its call, and is refused when it comes back",
        sent=anthropic.request(
            HI,
            anthropic.assistant([text(""), anthropic.tool_use("f")]),
            anthropic.user([anthropic.tool_result("ok")]),
        ),
        gets={
            CHAT: {"/messages/1/content": "", "/messages/1/tool_calls/#": 1},
            RESPONSES: {"/input/1/type": "function_call"},
            GEMINI: {"/contents/1/parts/#": 1},
        },
        rules=("PLC-10",),
    ),
    from_messages(
        thread="NousResearch/hermes-agent#30601",
        seen="MCP's own resource in a result is dropped in silence",
        sent=ran([{"type": "resource", "resource": {"uri": "q://n", "mimeType": "text/markdown", "text": "body"}}]),
        gets=dict.fromkeys((CHAT, RESPONSES, GEMINI), Refused("UNK-5", "/messages/2/content/0/content/0")),
        rules=("UNK-5",),
    ),
    Asked(
        thread="1jehuang/jcode#465",
        seen="a browser's picture in a result is called PNG and is JPEG",
        src=RESPONSES,
        sent=viewed([{"type": "input_image", "image_url": f"data:image/png;base64,{JPEG}"}]),
        gets={ANTHROPIC: {"/messages/2/content/0/content": [inline("image", "image/jpeg", JPEG)]}},
        rules=("SRC-4",),
    ),
)
