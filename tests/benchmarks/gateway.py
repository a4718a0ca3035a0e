"""Load of the gateway, and of others next to it: `python -m tests.benchmarks.gateway`.

A provider responds at once from its own process. Requests per second and the latency that a gateway adds to the first
byte are measured for whole responses and streams, then the memory with many open streams. Every response is checked:
none may be lost, or be another request's.

    --other "NAME=COMMAND"   another gateway; {port} is its port, {upstream} the provider's base URL; a request of
                             Chat Completions for the model "m" must reach that provider
    --cores                  the gateway has one core, and all else another one
    --limits ROUNDS          what limits of client keys and the log cost, in place of the above: gateways with and
                             without them take turns of a second, and the CPU for a request is compared in each round
    --exchanges COUNT        the memory of a gateway with both over so many exchanges, likewise
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ..clients.provider import ANTHROPIC, CHAT, reply
from ..waiting import came, free_port, listens

Json = Any
WORDS = 50  # events of text in one stream
HEAD = """POST /v1/chat/completions HTTP/1.1
host: 127.0.0.1:{}
content-type: application/json
authorization: Bearer {}
content-length: {}

"""
CHUNKED = b"\r\ntransfer-encoding: chunked"
PACED, HELD = b"begin, then go on", b"hold the line"
"""Requests whose streams go on after their first event in 20 ms, or not at all."""
PATIENCE = 20.0
"""Seconds for 50 streams to begin."""
OURS = "proxai-ir"
KEY = "sk-benchmark-upstream"


CONFIG = """
[listen]
connections = 4000
[upstreams.provider]
protocol = "{protocol}"
base_url = "{url}"
key_env = "BENCHMARK_KEY"
"""
KEYS = """
[access]
keys_env = ["BENCHMARK_CLIENT"]
"""
LIMITS = """
[access.limits."*"]
requests_per_minute = 1_000_000
requests_at_once = 10_000
tokens_per_day = 1_000_000_000_000
models = ["other", "m"]
paths = ["/v1/other", "/v1/chat/*"]
"""
LOG = """
[storage]
url = "{file}"
exchanges = 2000
"""
CLIENT = "sk-benchmark-client"
TURN = 1.0
"""Seconds that one gateway is loaded before the next one is."""


class Figures(NamedTuple):
    """`cpu`: milliseconds of CPU for a whole response, and for a stream; they do not depend on what else runs."""

    name: str
    whole: float
    streamed: float
    cpu_whole: float
    cpu_streamed: float
    p50: float
    p99: float
    opened: int
    memory: float
    per_stream: float


# --- the provider -----------------------------------------------------------------------------------------------------


def provider(protocol: str, port: int) -> None:
    """A server whose responses are ready made; a stream goes on as the request's text wants it."""
    import uvicorn

    whole = b"".join(reply(protocol, "text", False).chunks)
    events = [event + b"\n\n" for event in b"".join(reply(protocol, "text", True).chunks).split(b"\n\n") if event]
    middle = next(at for at, event in enumerate(events) if b'"It' in event)
    data = b"".join([*events[:middle], *[events[middle]] * WORDS, *events[middle + 1 :]])

    async def serve(scope: Json, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        asked = orjson.loads(body or b"{}")
        kind = b"text/event-stream" if asked.get("stream") else b"application/json"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
        if not asked.get("stream"):
            await send({"type": "http.response.body", "body": whole})
        elif PACED in body:
            await send({"type": "http.response.body", "body": b"".join(events[: middle + 1]), "more_body": True})
            await asyncio.sleep(0.02)
            await send(
                {"type": "http.response.body", "body": b"".join([*[events[middle]] * WORDS, *events[middle + 1 :]])}
            )
        elif HELD in body:
            await send({"type": "http.response.body", "body": b"".join(events[: middle + 1]), "more_body": True})
            await receive()
        else:
            await send({"type": "http.response.body", "body": data})

    uvicorn.run(  # connections are kept, as a gateway whose turn it is not would find them closed just when it uses one
        serve, port=port, log_level="critical", access_log=False, lifespan="off", timeout_keep_alive=60
    )


# --- the client -------------------------------------------------------------------------------------------------------


class Connection:
    """One connection of HTTP/1.1 that is kept: much cheaper than a client library, and so not what is measured."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def begin(self, body: bytes) -> tuple[int, float]:
        """Send a request; its status, and the seconds until the first byte of its body."""
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        head = HEAD.format(self._port, CLIENT, len(body)).replace("\n", "\r\n")
        begun = time.perf_counter()
        self._writer.write(head.encode() + body)
        assert self._reader is not None
        raw = await self._reader.readuntil(b"\r\n\r\n")
        self._head = raw.lower()
        self._first = b""
        if CHUNKED in self._head:
            self._first = await self._chunk()
        return int(raw.split(b" ", 2)[1]), time.perf_counter() - begun

    async def rest(self) -> bytes:
        assert self._reader is not None
        if CHUNKED not in self._head:
            length = int(self._head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0])
            return await self._reader.readexactly(length)
        pieces = [self._first]
        while pieces[-1]:
            pieces.append(await self._chunk())
        return b"".join(pieces)

    async def _chunk(self) -> bytes:
        assert self._reader is not None
        size = int(await self._reader.readline(), 16)
        data = await self._reader.readexactly(size + 2)
        return data[:-2]

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def request(streamed: bool, text: str = "hi") -> bytes:
    made = {"model": "m", "messages": [{"role": "user", "content": text}], "max_tokens": 100}
    return orjson.dumps({**made, "stream": True} if streamed else made)


async def hammer(
    port: int, streamed: bool, seconds: float, connections: int, text: bytes = b"hi"
) -> tuple[float, list[float]]:
    """Requests per second of so many connections, and the seconds to each first byte."""
    until = time.perf_counter() + seconds
    body = request(streamed, text.decode())
    latencies: list[float] = []

    async def one() -> int:
        connection = Connection(port)
        done = 0
        while time.perf_counter() < until:
            status, first = await connection.begin(body)
            data = await connection.rest()
            assert status == 200, data
            assert b"is 42." in data, data
            assert not streamed or data.count(b'"It ') >= WORDS, data
            latencies.append(first)
            done += 1
        connection.close()
        return done

    begun = time.perf_counter()
    counts = await asyncio.gather(*[one() for _ in range(connections)])
    return sum(counts) / (time.perf_counter() - begun), latencies


async def hold(port: int, many: int) -> list[Connection]:
    """Streams that stay open; fewer where the next ones do not begin."""
    body = request(True, HELD.decode())
    held = [Connection(port) for _ in range(many)]
    for at in range(0, many, 50):
        try:
            found = await asyncio.wait_for(asyncio.gather(*[one.begin(body) for one in held[at : at + 50]]), PATIENCE)
        except (TimeoutError, OSError, asyncio.IncompleteReadError):
            return held[:at]
        assert {status for status, _ in found} == {200}
    return held


# --- measuring --------------------------------------------------------------------------------------------------------


def cpu_of(process: int) -> float:
    """Milliseconds of CPU that the threads of a process have used."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(one.read_text().split()[0]) for one in threads) / 1e6


def memory_of(process: int) -> float:
    """Megabytes of a process and its children."""
    total = 0.0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue
        fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        if process in (int(fields["Pid"]), int(fields["PPid"])):
            total += int(fields.get("VmRSS", "0 kB").split()[0]) / 1024
    return total


def measure(name: str, port: int, process: int, direct: list[float], settings: argparse.Namespace) -> Figures:
    asyncio.run(hammer(port, False, 2, 4))  # what is loaded at the first request is no latency
    asyncio.run(hammer(port, True, 1, 4))
    spent = []
    rates = []
    for kind in (False, True):
        before = cpu_of(process)
        rate, firsts = asyncio.run(hammer(port, kind, settings.seconds, settings.connections))
        spent.append((cpu_of(process) - before) / len(firsts))
        rates.append(rate)
    _, one = asyncio.run(hammer(port, True, settings.seconds, 1, PACED))
    resting = memory_of(process)

    async def held() -> tuple[float, int]:
        connections = await hold(port, settings.streams)
        await asyncio.sleep(1)
        used = memory_of(process)
        for connection in connections:
            connection.close()
        return used, len(connections)

    during, opened = asyncio.run(held())
    added = [(percentile(one, share) - percentile(direct, share)) * 1e3 for share in (50, 99)]
    growth = (during - resting) / max(opened, 1) * 1024
    return Figures(name, rates[0], rates[1], spent[0], spent[1], added[0], added[1], opened, during, growth)


def cost_of_limits(settings: argparse.Namespace) -> None:
    """Print the CPU for a request of gateways that take turns, and the ratio of each to one with less."""
    tables = {"keys": "", "limits": LIMITS, "log": LOG, "log and limits": LOG + LIMITS}
    with ExitStack() as stack:
        url = stack.enter_context(serving(settings))
        gateways = {}
        for name, more in tables.items():
            given = KEYS + more.format(file=Path(settings.folder) / f"{name}.db")
            gateways[name] = stack.enter_context(ours(settings, url, given))
        for port, _ in gateways.values():
            asyncio.run(hammer(port, False, 2 * TURN, 4))
        for kind in (False, True):
            spent: dict[str, list[float]] = {name: [] for name in tables}
            for turn in range(settings.limits):
                for name in [*tables][:: 1 if turn % 2 else -1]:
                    port, process = gateways[name]
                    before = cpu_of(process)
                    _, firsts = asyncio.run(hammer(port, kind, TURN, settings.connections))
                    spent[name].append((cpu_of(process) - before) / len(firsts))
            for name, base in (("limits", "keys"), ("log", "keys"), ("log and limits", "log")):
                ratios = [one / other for one, other in zip(spent[name], spent[base], strict=True)]
                low, middle, high = statistics.quantiles(ratios, n=4)
                cpu = f"{statistics.median(spent[name]):.3f} ms, {statistics.median(spent[base]):.3f} of {base}"
                shown = f"{middle:.3f} (half of the rounds: {low:.3f} to {high:.3f})"
                print(f"{'streams' if kind else 'whole'}, {name}: {cpu}; {shown}", flush=True)


def memory_over(settings: argparse.Namespace) -> None:
    """Print the memory of a gateway with client keys, limits and a small log, every tenth of the exchanges."""
    with serving(settings) as url:
        more = KEYS + LIMITS + LOG.format(file=Path(settings.folder) / "memory.db")
        with ours(settings, url, more) as (port, process):
            done = 0
            for tenth in range(11):
                while done < tenth * settings.exchanges // 10:
                    done += len(asyncio.run(hammer(port, False, TURN, settings.connections))[1])
                print(f"{done:,} exchanges: {memory_of(process):.1f} MB", flush=True)


def percentile(values: Sequence[float], share: int) -> float:
    return statistics.quantiles(values, n=100)[share - 1]


@contextmanager
def started(command: Sequence[str], port: int, core: str | None, **more: str) -> Iterator[int]:
    """The id of a process that listens."""
    pinned = ["taskset", "-c", core, *command] if core else [*command]
    process = subprocess.Popen(pinned, env={**os.environ, **more}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert came(lambda: listens(port), 120, over=lambda: process.poll() is not None), f"{command} does not listen"
        time.sleep(1)
        yield process.pid
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.gateway", description=__doc__)
    parser.add_argument("--to", choices=(CHAT, ANTHROPIC), default=ANTHROPIC, help="the provider's protocol")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--python", default=sys.executable, help="the Python that runs our gateway")
    parser.add_argument("--storage", help="the gateway's storage; without it, it has none")
    parser.add_argument("--other", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--cores", action="store_true")
    parser.add_argument("--provider", nargs=2, metavar=("PROTOCOL", "PORT"), help=argparse.SUPPRESS)
    parser.add_argument("--limits", type=int, metavar="ROUNDS", help="the cost of client keys, limits and the log")
    parser.add_argument("--exchanges", type=int, metavar="COUNT", help="the memory over so many exchanges")
    settings = parser.parse_args()
    if settings.provider:
        provider(settings.provider[0], int(settings.provider[1]))
        return
    if settings.cores:
        os.sched_setaffinity(0, {1})
    with tempfile.TemporaryDirectory() as settings.folder:
        if settings.limits:
            cost_of_limits(settings)
        if settings.exchanges:
            memory_over(settings)
        if settings.limits or settings.exchanges:
            return
        rows = list(compared(settings))
    titles = "whole/s", "streams/s", "CPU ms whole", "CPU ms stream", "p50 ms", "p99 ms", "open", "MB", "KB/stream"
    print(f"| to {settings.to} | {' | '.join(titles)} |\n|---{'|---' * len(titles)}|")
    for row in rows:
        print(f"| {row.name} | " + " | ".join(f"{value:,.1f}" for value in row[1:]) + " |")


@contextmanager
def serving(settings: argparse.Namespace) -> Iterator[str]:
    """The URL of a provider."""
    port = free_port()
    command = [settings.python, "-m", "tests.benchmarks.gateway", "--provider", settings.to, str(port)]
    with started(command, port, None):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def ours(settings: argparse.Namespace, url: str, more: str = "", *options: str) -> Iterator[tuple[int, int]]:
    """The port and the process of our gateway, with more tables in its configuration."""
    port = free_port()
    file = Path(settings.folder) / f"{port}.toml"
    file.write_text(CONFIG.format(protocol=settings.to, url=url) + more)
    options = options or (() if "[storage]" in more else ("--no-storage",))
    command = [settings.python, "-m", "proxai_ir.cli", "serve", "--config", str(file), "--port", str(port), *options]
    core = "0" if settings.cores else None
    with started(command, port, core, BENCHMARK_KEY=KEY, BENCHMARK_CLIENT=CLIENT) as process:
        yield port, process


def compared(settings: argparse.Namespace) -> Iterator[Figures]:
    with serving(settings) as url:
        upstream = int(url.rpartition(":")[2])
        _, direct = asyncio.run(hammer(upstream, True, settings.seconds, 1, PACED))
        with ours(settings, url, "", *(("--storage", settings.storage) if settings.storage else ())) as (port, process):
            yield measure(OURS, port, process, direct, settings)
        for given in settings.other:
            name, _, command = given.partition("=")
            port = free_port()
            filled = [one.replace("{port}", str(port)).replace("{upstream}", url) for one in shlex.split(command)]
            with started(filled, port, "0" if settings.cores else None, BENCHMARK_KEY=KEY) as process:
                yield measure(name, port, process, direct, settings)


if __name__ == "__main__":
    main()
