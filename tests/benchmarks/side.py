"""Owns one side of `--against`: it converts with whatever `proxai_ir` its interpreter finds, and says how long it took.

Run by its path in an interpreter of its own. Rule: it uses nothing that an older revision may lack, which is the public
interface alone. A line of JSON in, a line of JSON out: `load` takes sources and returns which of them convert; `time`
converts those that are named, so many times, and returns nanoseconds of the thread's CPU time.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import proxai_ir
from proxai_ir import sse

Pass = Callable[[Any], object]


def bytes_to_bytes(src: str, dst: str, kind: Any) -> Pass:
    return lambda source: proxai_ir.convert(source, src, dst, kind=kind)


def with_diagnostics(src: str, dst: str, kind: Any) -> Pass:
    return lambda source: tuple(proxai_ir.compile(source, src, dst, kind=kind).diagnostics)


def events(src: str, dst: str, _: str) -> Pass:
    def run(stream: list[Any]) -> None:
        converter = proxai_ir.StreamConverter(src, dst)
        for event in stream:
            converter.feed(event)
        converter.close()

    return run


def server_sent(src: str, dst: str, _: str) -> Pass:
    def run(frames: list[bytes]) -> None:
        converter, decoder = proxai_ir.StreamConverter(src, dst), sse.Decoder()
        for frame in frames:
            for event in decoder.feed(frame):
                for out in converter.feed(event):
                    sse.encode(out, dst)
        for out in converter.close():
            sse.encode(out, dst)

    return run


FORMS: dict[str, Callable[[str, str, str], Pass]] = {
    "b->b": bytes_to_bytes,
    "diagnostics": with_diagnostics,
    "events": events,
    "sse": server_sent,
}


def prepared(source: Any, form: str, src: str) -> Any:
    """A source as a form takes it: a payload's text as bytes, a stream's events as they are or framed."""
    if form == "events":
        return source
    return [sse.encode(event, src) for event in source] if form == "sse" else source.encode()


def converts(run: Pass, source: Any) -> bool:
    try:
        run(source)
    except proxai_ir.TranslationError:
        return False
    return True


def serve() -> None:
    """Do what the lines of standard input ask for, until they end."""
    run: Pass = print
    sources: list[Any] = []
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["do"] == "load":
            run = FORMS[asked["form"]](asked["src"], asked["dst"], asked["kind"])
            sources = [prepared(source, asked["form"], asked["src"]) for source in asked["sources"]]
            found: Any = [converts(run, source) for source in sources]
            gc.collect()
            gc.freeze()
        else:
            found = _timed(run, [sources[index] for index in asked["which"]], asked["repeats"])
        sys.stdout.write(f"{json.dumps(found)}\n")
        sys.stdout.flush()


def _timed(run: Pass, sources: list[Any], repeats: int) -> int:
    gc.collect()
    start = time.thread_time_ns()
    for _ in range(repeats):
        for source in sources:
            run(source)
    return time.thread_time_ns() - start


if __name__ == "__main__":
    serve()
