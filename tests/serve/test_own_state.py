"""What requests name that a provider keeps for the account that clients share: whose it is, or that nobody knows."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

from proxai_ir import Exchange
from proxai_ir.serve.config import Config, from_mapping
from proxai_ir.storage import Storage

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from .support import asked
from .test_kept import FIRST, SECOND, Gateway
from .upstreams import Upstream

Json = Any


def user(*content: Json) -> Json:
    return [{"role": "user", "content": [*content]}]


FILES: dict[str, list[Json]] = {
    CHAT: [{"messages": user({"type": "file", "file": {"file_id": "file-1"}})}],
    RESPONSES: [
        {"input": user({"type": "input_file", "file_id": "file-1"})},
        {"tools": [{"type": "file_search", "vector_store_ids": ["vs_1"]}]},
        {"tools": [{"type": "code_interpreter", "container": "cntr_1"}]},
        {"tools": [{"type": "code_interpreter", "container": {"type": "auto", "file_ids": ["file-1"]}}]},
    ],
    ANTHROPIC: [
        {"messages": user({"type": "document", "source": {"type": "file", "file_id": "file-1"}})},
        {"messages": user({"type": "container_upload", "file_id": "file-1"})},
        {"container": "container_1"},
        {"container": {"id": "container_1", "skills": []}},
    ],
    GEMINI: [
        {"cachedContent": "cachedContents/1"},
        {"contents": [{"role": "user", "parts": [{"fileData": {"fileUri": "https://a.invalid/v1beta/files/1"}}]}]},
    ],
}
SCHEMA = {"type": "object", "properties": {"file_id": {"type": "string"}, "container": {"type": "string"}}}
OWN: dict[str, list[Json]] = {
    CHAT: [{"tools": [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]}],
    RESPONSES: [
        {"tools": [{"type": "function", "name": "f", "parameters": SCHEMA, "strict": False}]},
        {"tools": [{"type": "code_interpreter", "container": {"type": "auto"}}]},
        {"metadata": {"file_id": "f"}},
    ],
    ANTHROPIC: [
        {
            "tools": [{"name": "f", "input_schema": SCHEMA}],
            "messages": [
                {"role": "user", "content": "hi"},
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"file_id": "f"}}],
                },
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]},
            ],
        }
    ],
    GEMINI: [{"contents": [{"role": "user", "parts": [{"fileData": {"fileUri": "https://youtu.be/1"}}]}]}],
}
PATH = "/v1beta/models/m:generateContent"


@pytest.mark.parametrize("protocol", FILES)
def test_files_and_the_like(protocol: str) -> None:
    for more in FILES[protocol]:
        request = asked(protocol) | more
        exchange = Exchange(protocol, protocol, own_state=True)
        with pytest.raises(ValueError, match=r"SRC-1 at /.*: .*not known as this client's own") as raised:
            exchange.request(request, path=PATH)
        reply = exchange.refusal(raised.value)  # type: ignore[arg-type]
        assert reply.status == 400
        assert Exchange(protocol, protocol).request(request, path=PATH).body, "one account, one client"


@pytest.mark.parametrize("protocol", OWN)
def test_what_only_looks_like_them(protocol: str) -> None:
    for more in OWN[protocol]:
        assert Exchange(protocol, protocol, own_state=True).request(asked(protocol) | more, path=PATH).body


def test_between_the_protocols_of_one_vendor_and_of_two() -> None:
    request = asked(CHAT) | FILES[CHAT][0]
    with pytest.raises(ValueError, match="not known as this client's own"):
        Exchange(CHAT, RESPONSES, own_state=True).request(request)
    with pytest.raises(ValueError, match="Only the provider that stores a file can resolve its id"):
        Exchange(CHAT, ANTHROPIC, own_state=True).request(request)


def test_a_response_is_its_clients_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, client_keys: Any) -> None:
    storage = Storage(str(tmp_path / "kept.db"))
    upstream = Upstream(RESPONSES)
    gateway = Gateway(monkeypatch, storage, upstream, access=client_keys)
    name = gateway.post(RESPONSES, FIRST).json()["id"]
    again = gateway.post(RESPONSES, FIRST, previous_response_id=name)
    assert (again.status_code, upstream.seen[-1].body["previous_response_id"]) == (200, name), (
        "as the provider knows it"
    )
    seen = len(upstream.seen)
    for more in ({"previous_response_id": name}, {"previous_response_id": "resp_any"}):
        other = gateway.post(RESPONSES, SECOND, **more)
        assert (other.status_code, other.json()["error"]["code"]) == (400, "previous_response_not_found")
    item = gateway.post(RESPONSES, SECOND, input=[{"type": "item_reference", "id": "msg_of_others"}])
    assert (item.status_code, item.json()["error"]["message"]) == (404, "Item with id 'msg_of_others' not found.")
    file = gateway.post(RESPONSES, FIRST, **FILES[RESPONSES][0])
    assert (file.status_code, file.json()["error"]["param"]) == (400, "/input/0/content/0/file_id")
    assert len(upstream.seen) == seen, "nothing of it was sent"
    storage.close()


def test_without_keys_there_are_no_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    storage = Storage(str(tmp_path / "kept.db"))
    gateway = Gateway(monkeypatch, storage, Upstream(RESPONSES))
    assert gateway.post(RESPONSES, previous_response_id="resp_any").status_code == 200
    assert gateway.post(RESPONSES, **FILES[RESPONSES][0]).status_code == 200
    storage.close()


def test_a_route_may_allow_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, client_keys: Any) -> None:
    from . import support, test_kept

    def allowed(*given: Any, **tables: Any) -> Config:
        made = support.configured(*given, **tables).model_dump()
        made["routes"] = [{"models": ["*"], "upstream": "u0", "client_state": True}]
        return from_mapping(made)

    monkeypatch.setattr(test_kept, "configured", allowed)
    storage = Storage(str(tmp_path / "kept.db"))
    gateway = Gateway(monkeypatch, storage, Upstream(RESPONSES), access=client_keys)
    assert gateway.post(RESPONSES, SECOND, previous_response_id="resp_any").status_code == 200
    assert gateway.post(RESPONSES, SECOND, **FILES[RESPONSES][0]).status_code == 200
    storage.close()
