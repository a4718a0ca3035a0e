"""The gateway against a model, with a fault at every step of what it depends on: nothing is lost and nothing invented.

Rule 1: what a client gets as a whole response is what the provider sent; else it gets an error of its own protocol,
and of the text what the provider sent of it. Rule 2: another upstream is asked as long as nothing has reached the
client, and never after. Rule 3: the log has each exchange once, with why it failed. Rule 4: no response waits for the
database.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

import anyio
import httpx

import proxai_ir
from proxai_ir.serve.access import access_of
from proxai_ir.serve.app import app
from proxai_ir.serve.asgi import Attended
from proxai_ir.storage import Storage, StorageError, memory, writer
from proxai_ir.storage.database import PAUSE, NotInTime, Patience

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, TEXT
from ..waiting import until
from .faults import DATABASE_FAULTS, FAULTS, NEVER, TRUNCATE, FaultyUpstream, faulty
from .storing import NOW, names, record
from .support import HEADERS, asked, configured, events, path_of
from .test_endpoints import Kept
from .visiting import TOKEN

LAST = 4
"""Steps before the end in which the last event of a stream may have come: chunks have 64 bytes."""
CLIENTS = (CHAT, RESPONSES, ANTHROPIC, GEMINI)


def answered(
    monkeypatch: pytest.MonkeyPatch, client: str, streamed: bool, *upstreams: FaultyUpstream
) -> tuple[httpx.Response, Kept]:
    """The response that a client gets, and what is recorded."""
    named = {f"http://u{number}.invalid": one for number, one in enumerate(upstreams)}
    config = configured(monkeypatch, *((one.protocol, url) for url, one in named.items()))
    storage = Kept()
    made = app(config, storage, access=access_of(config, TOKEN), transport=lambda table: named[table.base_url])

    async def work() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(made), base_url="http://127.0.0.1") as http:
            return await http.post(
                path_of(client, streamed), json=asked(client, streamed), headers=HEADERS.get(client, {})
            )

    return anyio.run(work), storage


def text_of(client: str, found: httpx.Response) -> tuple[str, bool]:
    """The text that a client has, and whether it takes the response for whole."""
    if found.headers["content-type"] != "text/event-stream":
        if found.status_code != 200:
            assert proxai_ir.lower(found.json(), client, kind="error")
            return "", False
        return str(proxai_ir.lower(found.json(), client, kind="response")), True
    stream = proxai_ir.lower(events(found.content), client, kind="stream")
    told = str(stream)
    return told, "Failed(" not in told


def said_in(client: str, found: httpx.Response) -> str:
    """The text of the deltas."""
    said: list[str] = []
    for event in events(found.content):
        if event == "[DONE]":
            continue
        if client == CHAT:
            said += [one["delta"].get("content") or "" for one in event.get("choices", ())]
        elif client == ANTHROPIC and event["type"] == "content_block_delta":
            said.append(event["delta"]["text"])
        elif client == RESPONSES and event["type"] == "response.output_text.delta":
            said.append(event["delta"])
        elif client == GEMINI:
            parts = [part for one in event.get("candidates", ()) for part in one.get("content", {}).get("parts", ())]
            said += [part["text"] for part in parts]
    return "".join(said)


def steps_of(monkeypatch: pytest.MonkeyPatch, client: str, provider: str, streamed: bool) -> int:
    one = FaultyUpstream(provider, "hang")
    found, _ = answered(monkeypatch, client, streamed, one)
    assert (said_in(client, found) if streamed else text_of(client, found)[0]).count(TEXT) == 1
    assert one.open == 0
    return one.steps.count


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("client", "provider"), [(CHAT, ANTHROPIC), (RESPONSES, CHAT), (ANTHROPIC, GEMINI), (GEMINI, RESPONSES)]
)
def test_an_upstream_that_fails_at_every_step(
    client: str, provider: str, streamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_steps = steps_of(monkeypatch, client, provider, streamed)
    assert all_steps > (4 if streamed else 2)
    for fault in (*FAULTS, TRUNCATE):
        for n in range(fault == TRUNCATE, all_steps):
            where = f"{fault} at step {n} of {all_steps}"
            one = FaultyUpstream(provider, fault, n)
            found, storage = answered(monkeypatch, client, streamed, one)
            _, whole = text_of(client, found)
            (kept,) = storage.records
            at_end = n == all_steps - 1
            if n == 0 or (not streamed and fault != TRUNCATE):
                assert found.status_code == (504 if fault == "hang" else 502), where
            if at_end and (streamed or fault == TRUNCATE):
                assert whole, f"{where}: a provider that closes late does no harm"
            if not streamed:
                assert whole == (at_end and fault == TRUNCATE), where
            assert not whole or n >= all_steps - LAST, where
            assert (kept.error is None) == whole, where
            assert kept.failed != whole, where
            assert (one.asked, one.open) == (1, 0), where
            assert kept.status == found.status_code, where
            if found.headers["content-type"] == "text/event-stream":
                said = said_in(client, found)
                assert TEXT.startswith(said), f"{where}: invented"
                assert said == TEXT or not whole, f"{where}: lost"
                assert all(word.encode() in one.given for word in said.split()), f"{where}: invented"


@pytest.mark.parametrize("streamed", [False, True])
def test_another_upstream_is_asked_until_something_has_come(streamed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """And once there is a response, never: not after a stream that broke off, and not after one that is whole."""
    all_steps = steps_of(monkeypatch, CHAT, ANTHROPIC, streamed)
    for n in (*range(all_steps), NEVER):
        first, second = FaultyUpstream(ANTHROPIC, "reset", n), FaultyUpstream(CHAT, "reset")
        found, storage = answered(monkeypatch, CHAT, streamed, first, second)
        _, whole = text_of(CHAT, found)
        (kept,) = storage.records
        assert first.asked == 1
        assert (first.open, second.open) == (0, 0)
        assert second.asked in (0, 1)
        if n == 0:
            assert (second.asked, whole, kept.upstream, kept.error) == (1, True, "u1", None)
        if n == NEVER:
            assert (second.asked, whole, kept.upstream, kept.error) == (0, True, "u0", None)
        if second.asked:
            assert whole, f"step {n}"
            assert "msg_" not in found.text, f"step {n}: of both upstreams"


# --- the database ---


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "FIRST_PAUSE", 0.001)


def kept_memory(one: Any) -> None:
    """What an Exchange keeps of a response, in one go."""
    for key in ("a", "b"):
        assert one.get(key) in (None, {"is": key})
        one.put(key, {"is": key}, 1000)


def settled(storage: Storage, seconds: float) -> bool:
    return storage._writer.settled(seconds) and storage.memory._writer.settled(seconds)


def scenario(storage: Storage) -> float:
    """Four records and a response; how long the longest of these took."""
    longest = 0.0
    for at in range(4):
        begun = time.perf_counter()
        storage.record(record(f"r{at}", NOW + at, request=b"{}"))
        if at == 1:
            storage.memory.later(kept_memory, 100)
        longest = max(longest, time.perf_counter() - begun)
    return longest


@pytest.mark.parametrize("fault", DATABASE_FAULTS)
def test_a_database_that_fails_at_every_step(fault: str, tmp_path: Any, quick: None) -> None:
    n, more = 0, True
    while more:
        storage = Storage(str(tmp_path / f"{n}.db"))
        storage._writer._linger = 0.001
        with faulty(storage, fault, n) as steps:
            assert scenario(storage) < 1, "nobody waits"
            if fault == "hangs":
                until(lambda: steps.count > n or settled(storage, 0))  # noqa: B023
                steps.let_go()  # type: ignore[attr-defined]
            assert settled(storage, 5)
            more = steps.count > n
        assert names(storage.exchanges()) == ["r3", "r2", "r1", "r0"], f"step {n}, {steps.names[n : n + 1]}"
        assert [storage.memory.get(key) for key in "ab"] == [{"is": "a"}, {"is": "b"}], f"step {n}"
        assert (storage.dropped, storage.memory.forgotten) == (0, 0)
        storage.close()
        n += 1
    assert n > 8


def test_a_database_that_hangs_is_not_waited_for(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One request waits as long as the budget is; all others are refused at once, until it responds again."""
    monkeypatch.setattr(memory, "BUDGET", 0.4)
    storage = Storage(str(tmp_path / "kept.db"))
    storage.memory.put("k", 1, 60)
    with faulty(storage, "hangs", 0) as steps:
        for budget in (0.4, 0.0, 0.0, 0.0):
            begun = time.monotonic()
            with pytest.raises(proxai_ir.exchange.Unavailable, match=r"no response within|did not respond before"):
                storage.memory.get("k")
            assert time.monotonic() - begun < budget + 0.3
        assert steps.count == 1, "nothing was tried meanwhile"
        steps.let_go()  # type: ignore[attr-defined]
        until(lambda: storage._database._patience._next_try is None)
        assert storage.memory.get("k") == 1
    storage.close()


def test_patience_by_a_fake_clock() -> None:
    now = [0.0]
    done: list[float] = []
    patience = Patience(lambda: now[0])

    def work(seconds: float = 0.0) -> str:
        time.sleep(seconds)
        done.append(now[0])
        return "done"

    def tried(seconds: float = 0.0) -> str:
        try:
            return patience(lambda: work(seconds), 0.05)
        except NotInTime as late:
            return str(late)

    assert tried() == "done"
    assert tried(0.15) == "no response within 0.05 s"
    before = len(done)
    now[0] = PAUSE - 0.01
    assert tried() == "it did not respond before, and is tried again in a moment"
    assert len(done) == before
    now[0] = PAUSE
    assert tried() == "done", "one tries"
    assert tried() == "done", "and then all do"
    with pytest.raises(ZeroDivisionError):
        patience(lambda: 1 // 0, 0.05)
    with pytest.raises(TimeoutError, match="its own"):
        patience(lambda: (_ for _ in ()).throw(TimeoutError("its own")), 0.05)
    assert tried() == "done", "what fails in time stops nobody"


def test_what_does_not_respond_is_tried_by_one_at_a_time() -> None:
    now = [0.0]
    patience = Patience(lambda: now[0])
    with pytest.raises(NotInTime):
        patience(lambda: time.sleep(0.15), 0.01)
    now[0] = 2 * PAUSE
    with pytest.raises(NotInTime, match="no response"):
        patience(lambda: time.sleep(0.15), 0.01)
    with pytest.raises(NotInTime, match="tried again in a moment"):
        patience(lambda: None, 0.01)


def test_jobs_are_kept_whole_or_not_at_all(tmp_path: Any, quick: None) -> None:
    """One that raises costs no other, and leaves nothing."""
    storage = Storage(str(tmp_path / "kept.db"))

    def broken(one: Any) -> None:
        one.put("half", 1, 60)
        raise ValueError

    def unwritable(one: Any) -> None:
        one.put("half", 1, 60)
        one.put("other half", object(), 60)

    for work in (broken, kept_memory, unwritable):
        storage.memory.later(work, 1)
    assert storage.memory.get("a") == {"is": "a"}
    assert storage.memory.get("half") is None
    assert storage.memory.forgotten == 2
    storage.close()


def test_a_memory_that_is_full_forgets_the_oldest(tmp_path: Any) -> None:
    storage = Storage(str(tmp_path / "kept.db"), queue=10, queue_bytes=100)
    with faulty(storage, "hangs", 0) as steps:
        storage.memory.later(kept_memory, 60)
        until(lambda: steps.count)
        for size in (50, 50, 60):  # the first of these is dropped with the second, the second with the third
            storage.memory.later(kept_memory, size)
        assert storage.memory.forgotten == 2
        steps.let_go()  # type: ignore[attr-defined]
        assert storage.memory._writer.settled(5)
    assert storage.memory.get("b") == {"is": "b"}
    assert storage.memory._writer._bytes == 0, "what has been written counts no more"
    assert storage.memory.forgotten == 2
    storage.close()


class Entry:
    size = 10

    def __init__(self, name: int) -> None:
        self.name = name


@pytest.mark.parametrize("failures", [0, 1, 3])
def test_the_order_outlives_failures(failures: int, quick: None) -> None:
    """So that it is the oldest that are dropped."""
    left = [failures]
    written: list[Any] = []

    def write(batch: Any) -> None:
        if left[0]:
            left[0] -= 1
            raise StorageError("away")
        written.extend(one.name for one in batch)

    made: writer.Writer[Entry] = writer.Writer(write, "things", most=100, most_bytes=1000, linger=0.01)
    for at in range(20):
        made.put(Entry(at))
    assert made.settled(10)
    assert written == [*range(20)]
    assert (made.dropped, made._bytes) == (0, 0)
    made.close(1)


def test_who_waits_has_it_tried_at_once_and_not_over_and_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "FIRST_PAUSE", 0.2)
    tried: list[float] = []

    def write(_: Any) -> None:
        tried.append(time.monotonic())
        raise StorageError("away")

    made: writer.Writer[Entry] = writer.Writer(write, "things", most=100, most_bytes=1000, linger=0.0)
    made.put(Entry(1))
    until(lambda: tried)
    assert not made.settled(0.5)
    assert 2 <= len(tried) <= 4, "when it was asked for, and after a pause or two"
    made.close(0)


def test_of_those_that_come_when_it_is_tried_again_one_tries() -> None:
    now = [0.0]
    patience, freed = Patience(lambda: now[0]), threading.Event()
    with pytest.raises(NotInTime):
        patience(lambda: time.sleep(0.1), 0.01)
    now[0] = 2 * PAUSE
    first = threading.Thread(target=lambda: patience(lambda: freed.wait(10), 10))
    first.start()
    until(lambda: patience._next_try == 3 * PAUSE)
    with pytest.raises(NotInTime, match="tried again in a moment"):
        patience(lambda: None, 0.01)
    freed.set()
    first.join()
    assert patience(lambda: 1, 5) == 1


@pytest.mark.parametrize("ended", [True, False])
def test_who_goes_after_the_end_has_not_gone_away(ended: bool) -> None:
    """What is left to do after the last byte is done; before it, everything ends."""
    done: list[bool] = []

    async def work() -> Attended:
        sent = anyio.Event()

        async def receive() -> Any:
            await sent.wait()
            return {"type": "http.disconnect"}

        async def send(_: Any) -> None:
            pass

        client = Attended(receive, send, 10, 10)

        async def respond() -> None:
            await client.send({"type": "http.response.start", "status": 200, "headers": []})
            await client.send({"type": "http.response.body", "body": b"x", "more_body": not ended})
            sent.set()
            await anyio.sleep(0.05)
            done.append(True)

        await client.during(respond)
        return client

    assert anyio.run(work).gone != ended
    assert done == [True] * ended
