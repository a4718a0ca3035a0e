"""Clients of Gemini Interactions through the gateway: its paths in every version of the API, and interactions that it
keeps, which clients go on from, read, delete and cannot cancel.
"""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

from proxai_ir.storage import Storage

from ..clients.provider import CHAT, INTERACTIONS, TEXT
from .support import asked, listening, over_asgi
from .test_kept import Gateway
from .upstreams import Upstream

PATH = "/v1beta/interactions"


@pytest.fixture
def storage(tmp_path: Any) -> Any:
    made = Storage(str(tmp_path / "kept.db"))
    yield made
    made.close()


@pytest.mark.parametrize(
    "path", [PATH, "/v1/interactions", "/v1alpha/interactions", "/v1beta1/interactions", "/interactions"]
)
@pytest.mark.anyio
async def test_every_version_of_the_path(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    async with over_asgi(monkeypatch, Upstream(CHAT)) as http:
        made = (await http.post(path, json=asked(INTERACTIONS))).json()
    assert (made["status"], made["steps"][0]["content"][0]["text"]) == ("completed", TEXT)


def test_an_interaction_that_is_kept(monkeypatch: pytest.MonkeyPatch, storage: Storage) -> None:
    upstream = Upstream(CHAT, "text", "text")
    gateway = Gateway(monkeypatch, storage, upstream)
    first = gateway.post(INTERACTIONS).json()
    second = gateway.post(INTERACTIONS, input="And?", previous_interaction_id=first["id"]).json()
    assert second["status"] == "completed"
    said = [message["content"] for message in upstream.seen[-1].body["messages"]]
    assert said == ["hi", TEXT, "And?"]
    for base in (PATH, "/v1/interactions"):
        assert gateway.ask("GET", f"{base}/{first['id']}").json() == first
    refused = gateway.ask("POST", f"{PATH}/{first['id']}/cancel")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "invalid_request")
    assert gateway.ask("DELETE", f"{PATH}/{first['id']}").json() == {}
    missing = gateway.ask("GET", f"{PATH}/{first['id']}")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")


def test_an_interaction_that_is_not_there(monkeypatch: pytest.MonkeyPatch, storage: Storage) -> None:
    gateway = Gateway(monkeypatch, storage, Upstream(CHAT))
    refused = gateway.post(INTERACTIONS, previous_interaction_id="v1_0")
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "not_found")


def test_the_official_client(monkeypatch: pytest.MonkeyPatch, storage: Storage) -> None:
    google = pytest.importorskip("google.genai")
    upstream = Upstream(CHAT, "text", "text", "401", "midway")
    with listening(monkeypatch, upstream, storage=storage) as (url, _):
        client = google.Client(api_key="any", http_options={"base_url": url})
        by = client.interactions
        first = by.create(model="m", input="hi")
        assert first.output_text == TEXT
        events = list(by.create(model="m", input="And?", previous_interaction_id=first.id, stream=True))
        assert (events[0].event_type, events[-1].event_type) == ("interaction.created", "interaction.completed")
        assert by.get(id=first.id).output_text == TEXT
        by.delete(id=first.id)
        errors = pytest.importorskip("google.genai._gaos.lib.compat_errors")
        with pytest.raises(errors.NotFoundError):
            by.get(id=first.id)
        with pytest.raises(errors.APIStatusError):
            by.create(model="m", input="hi")
        assert [*by.create(model="m", input="hi", stream=True)][-1].event_type == "error"
