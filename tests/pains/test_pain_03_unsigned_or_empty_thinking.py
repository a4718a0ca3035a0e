"""Pain 03: thinking without a signature is shown as text, or signed thinking without text is thrown away."""

from __future__ import annotations

from proxai_ir import Seals

from .support import (
    anthropic,
    assistant,
    chat,
    losses,
    message,
    notes,
    stream_to_anthropic,
    text,
    to_anthropic,
    to_chat,
    user,
)

EMPTY_BUT_SIGNED = {"type": "thinking", "thinking": "", "signature": "c2lnbmVk"}
UNSIGNED = {"type": "thinking", "thinking": "Hm, 4.", "signature": ""}


def history(thinking: dict[str, str]) -> dict[str, object]:
    return anthropic.request(user("2+2?"), assistant([thinking, text("Four.")]), user("Sure?"))


def test_empty_signed_thinking_is_dropped_for_chat_and_reported() -> None:
    made = to_chat(history(EMPTY_BUT_SIGNED))
    assert made.output["messages"][1] == {"role": "assistant", "content": "Four."}
    assert losses(made) == []
    assert ("RSN-26", "/messages/1/content/0") in notes(made)


def test_unsigned_thinking_is_never_visible_text_of_chat() -> None:
    made = to_chat(history(UNSIGNED))
    assert made.output["messages"][1] == {"role": "assistant", "content": "Four.", "reasoning_content": "Hm, 4."}
    response = to_chat(anthropic.response(UNSIGNED, text("Four.")), "response")
    assert message(response) == {
        "role": "assistant",
        "content": "Four.",
        "refusal": None,
        "reasoning_content": "Hm, 4.",
    }


def test_unsigned_thinking_is_never_visible_text_of_anthropic() -> None:
    """A turn of thinking alone is empty then; turn and thinking are both reported."""
    made = to_anthropic(chat.request(user("2+2?"), assistant(reasoning_content="Hm, 4."), user("Well?")))
    assert made.output["messages"] == [user("2+2?"), user("Well?")]
    assert losses(made) == [("RSN-5", "/messages/1/reasoning_content")]
    assert [one.path for one in made.diagnostics if one.code == "PLC-12"] == ["/messages/1"]


REASONED = chat.response(reasoning_content="Hm, 4.", content="4")


def test_reasoning_of_models_without_signatures_has_an_envelope_where_the_caller_asks_for_it() -> None:
    """RSN-16: an empty signature is taken for a broken one by clients; back in a request there is none."""
    whole = to_anthropic(REASONED, "response", seals=Seals()).output
    block, _ = whole["content"]
    assert block["signature"].startswith("proxai_ir.seal.1.")
    chunks = chat.stream({"reasoning_content": "Hm,"}, {"reasoning_content": " 4."}, {"content": "4"})
    events = stream_to_anthropic(chunks, seals=Seals()).output
    signatures = [event["delta"] for event in events if event.get("delta", {}).get("type") == "signature_delta"]
    assert signatures == [{"type": "signature_delta", "signature": block["signature"]}]
    replayed = anthropic.request(user("2 + 2?"), assistant(whole["content"]), user("Sure?"))
    back = to_chat(replayed, seals=Seals())
    assert back.output["messages"][1] == {"role": "assistant", "content": "4", "reasoning_content": "Hm, 4."}
    assert losses(back) == []
    keys = {"first": b"sixteen bytes or more"}
    sealed = to_anthropic(REASONED, "response", seals=Seals(keys)).output["content"][0]["signature"]
    assert sealed.startswith("proxai_ir.seal.2.")


def test_without_the_option_there_is_no_envelope() -> None:
    assert to_anthropic(REASONED, "response").output["content"][0]["signature"] == ""
