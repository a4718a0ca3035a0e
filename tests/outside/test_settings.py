"""What a protocol of another package calls its settings is its own affair: nothing looks for a name."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from attrs import evolve

import proxai_ir
from proxai_ir.protocol import registry
from proxai_ir.protocol.registry import backend, frontend

NAME = "renamed"
RENAMED = {"prefill": "continues", "allow_empty": "hollow", "max_tokens": "most"}
CLAUDE = backend("anthropic_messages")
TARGET = evolve(
    CLAUDE.target,
    name=NAME,
    settings={RENAMED.get(name, name): one for name, one in CLAUDE.target.settings.items()},
    capabilities={RENAMED.get(name, name): has for name, has in CLAUDE.target.capabilities.items()},
    rows=[
        (about, tuple(evolve(one, without=RENAMED.get(one.without, one.without)) for one in verdicts))
        for about, verdicts in CLAUDE.target.rows
    ],
    checks=[],
)


def built(request: Any, server: Any) -> Any:
    said = [{"role": turn.role.value, "text": "".join(part.text for part in turn.parts)} for turn in request.turns]
    return {"most": server.most, "say": said}


def answered(response: Any, server: Any) -> Any:
    return {"is": server.hollow}


FRONTEND = evolve(frontend("anthropic_messages"), protocol=NAME)
BACKEND = evolve(CLAUDE, protocol=NAME, target=TARGET, request=built, response=answered)


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {
        side: {NAME: [EntryPoint(NAME, f"{__name__}:{side[:-1].upper()}", f"proxai_ir.{side}")]}
        for side in ("frontends", "backends")
    }
    monkeypatch.setattr(registry, "_elsewhere", entries.__getitem__)


BEGUN = {
    "model": "m",
    "max_tokens": 9,
    "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Well, "}],
}


def test_a_capability_under_another_name() -> None:
    """Its constraints act: a response that continues the last turn is no matter of what that is called."""
    options: Any = {"most": 7}
    lacking = proxai_ir.compile(BEGUN, "anthropic_messages", NAME, **options)
    assert lacking.output == {"most": 7, "say": [{"role": "user", "text": "Hi"}]}
    assert "PLC-19" in lacking.rules
    stated: Any = {"continues": True}
    having = proxai_ir.compile(BEGUN, "anthropic_messages", proxai_ir.Profile(NAME, **stated))
    assert having.output["say"][-1] == {"role": "assistant", "text": "Well,"}
    assert "PLC-19" not in having.rules
    assert "PLC-20" in having.rules
    with pytest.raises(TypeError, match=rf"stated in its Profile: Profile\('{NAME}', continues=True\)"):
        proxai_ir.check(BEGUN, "anthropic_messages", NAME, **stated)


@pytest.mark.parametrize(("options", "is_set"), [({}, True), ({"strict": True}, False), ({"hollow": False}, False)])
def test_an_option_that_proxies_set_under_another_name(options: Any, is_set: bool) -> None:
    exchange = proxai_ir.Exchange(NAME, "openai_chat_completions", model="m", key="k", **options)
    exchange.request({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]})
    choice = {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    made = {"id": "r", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    reply = exchange.response(200, {}, json.dumps(made).encode())
    assert json.loads(reply.body) == {"is": is_set}
