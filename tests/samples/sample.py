"""What a sample is, and what the folder of a protocol offers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import orjson
from attrs import frozen
from hypothesis import strategies as st

from proxai_ir.api import Kind
from proxai_ir.testing.reading import Conversation, Events, Json, Reading, arguments

__all__ = ["Conversation", "Events", "Json", "Payloads", "Sample", "Samples", "Strategy", "Streams", "arguments"]

Payloads = dict[str, Json]
Streams = dict[str, Events]
Strategy = st.SearchStrategy[Any]


@frozen
class Sample:
    """One payload by hand. `dense`: as many members as fit, to be changed one by one; else a believable example."""

    protocol: str
    kind: Kind
    name: str
    dense: bool
    payload: Any

    @property
    def own(self) -> bool:
        """Whether it holds what no other protocol can express, or what is not documented."""
        return self.name.startswith("own")

    def make(self) -> Any:
        """A new copy, in which no object stands at two places."""
        return orjson.loads(orjson.dumps(self.payload))

    def __str__(self) -> str:
        return f"{self.protocol} {self.kind}: {self.name}"


@frozen(kw_only=True)
class Samples:
    """What the folder of a protocol offers; see the package's docstring."""

    examples: Mapping[str, Mapping[str, Any]]
    dense: Mapping[str, Mapping[str, Any]]
    strategies: Mapping[str, Strategy]
    reading: Reading
    illegal: Mapping[str, tuple[Events, str]] = {}
    endless: Mapping[str, Callable[[], Iterator[Any]]] = {}
    growing: Mapping[str, Callable[[int], Events]] = {}
    cumulative: bool = False
    repeats: Mapping[str, str] = {}
    exempt: Mapping[tuple[type, str], str] = {}
    specimens: Mapping[type, Callable[[], Any]] = {}

    @classmethod
    def of_modules(
        cls, requests: Any, responses: Any, streams: Any, documented: Any = None, errors: bool = True, **more: Any
    ) -> Samples:
        """The samples of modules that name them alike; those of `documented` are of payloads in documentation."""

        def with_documented(dense: Mapping[str, Any], name: str) -> Mapping[str, Any]:
            return {**dense, **getattr(documented, name)} if documented else dense

        return cls(
            examples={
                "request": requests.EXAMPLES,
                "response": responses.EXAMPLES,
                **({"error": responses.ERRORS} if errors else {}),
            },
            dense={
                "request": with_documented(requests.DENSE, "REQUESTS"),
                "response": with_documented(responses.DENSE, "RESPONSES"),
                "error": with_documented(responses.DENSE_ERRORS, "ERRORS"),
                "stream": with_documented(streams.STREAMS, "STREAMS"),
            },
            illegal=streams.ILLEGAL,
            endless=streams.ENDLESS,
            growing=streams.GROWING,
            **more,
        )

    def of(self, protocol: str) -> list[Sample]:
        """All samples, each with its protocol, kind and name."""
        return [
            Sample(protocol, kind, name, dense, payload)  # type: ignore[arg-type]
            for dense, kinds in ((False, self.examples), (True, self.dense))
            for kind, payloads in kinds.items()
            for name, payload in payloads.items()
        ]
