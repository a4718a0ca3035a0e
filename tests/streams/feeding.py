"""One stream through one converter, and all that became of it, an error too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from attrs import define, field

from proxai_ir import Diagnostic, StreamConverter, TranslationError

from ..properties.pointing import exists
from .wire import Events, is_error, is_success

Findings = list[tuple[str, str]]


@define
class Fed:
    """What was handed out, what was said about it, and the error that ended it, if one did."""

    converter: StreamConverter
    out: Events = field(factory=list)
    error: TranslationError | None = None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self.converter.diagnostics

    def found(self, *severities: str) -> Findings:
        """Rule and pointer of each diagnostic, of these severities only where any is named."""
        return [(one.code, one.path) for one in self.diagnostics if not severities or one.severity in severities]

    def rule(self) -> str:
        return self.error.rule if self.error is not None else ""


def fed(events: Iterable[Any], src: str, dst: str, *, close: bool = True, **options: Any) -> Fed:
    """Feed events until they end or are refused, then close. What is no TranslationError is nobody's to catch."""
    done = Fed(StreamConverter(src, dst, **options))
    try:
        for event in events:
            done.out += done.converter.feed(event)
        if close:
            done.out += done.converter.close()
    except TranslationError as error:
        done.error = error
    return done


POSITION = re.compile(r"/(\d+)(?:/|$)")


def ends(protocol: str, event: Any) -> bool:
    """Whether nothing may follow: the last word, an error, or the usage chunk, behind which no client expects more."""
    usage = isinstance(event, dict) and event.get("choices") == [] and event.get("usage") is not None
    return usage or is_success(protocol, event) or is_error(protocol, event)


def assert_settled(events: Events, src: str, dst: str, **options: Any) -> Fed:
    """Converted; or refused at a place that exists, and then ended by the target's own error event."""
    done = fed(events, src, dst, **options)
    for one in (*done.diagnostics, *(done.error.diagnostics if done.error else ())):
        assert one.path == "" or exists(events, one.path), f"{one.code} points at {one.path}, which is not there"
    if done.error is None:
        assert src == dst or done.out
        return done
    if events:
        assert POSITION.match(done.error.path), f"{done.error} does not name an event"
    after = done.converter.close(error_event=True)
    if not any(ends(dst, event) for event in done.out):  # whatever was said by then: it is not the whole answer
        assert after and is_error(dst, after[-1]), f"after {done.error}: {after}"
        assert not any(ends(dst, event) for event in after[:-1])
    return done
