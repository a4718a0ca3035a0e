"""Streams as iterators: the target's events while the source's come."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any, Unpack

from ..binding.profile import Profile
from ..binding.settings import Options
from .converter import StreamConverter

Json = Any


def convert_stream(
    events: Iterable[Json], src: str | Profile, dst: str | Profile, **options: Unpack[Options]
) -> Iterator[Json]:
    """The events of a stream in another protocol, each as soon as it can be emitted.

    Options and errors are those of StreamConverter; what earlier events resulted in is handed out before an error.
    """
    converter = StreamConverter(src, dst, **options)
    for event in events:
        yield from converter.feed(event)
    yield from converter.close()


async def aconvert_stream(
    events: AsyncIterable[Json], src: str | Profile, dst: str | Profile, **options: Unpack[Options]
) -> AsyncIterator[Json]:
    """The same for asynchronous iterators, of whatever library.

    The iterator that it reads is closed at once when it ends, whether by an error or because its own reader stops.
    """
    converter = StreamConverter(src, dst, **options)
    upstream = aiter(events)
    try:
        async for event in upstream:
            for one in converter.feed(event):
                yield one
        for one in converter.close():
            yield one
    finally:
        close = getattr(upstream, "aclose", None)
        if close is not None:
            await close()
