"""Many small cases as one test: what pytest does around a test takes longer than most of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, wraps
from inspect import signature
from itertools import product
from typing import Any
from unittest import SkipTest

import pytest

Test = Callable[..., None]
Case = tuple[dict[str, Any], str]
"""What a test is given, and what it is called."""


def each(names: str | Sequence[str], values: Iterable[Any], ids: Any = None) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, but as one test: all cases run, and all that fail are reported, each with its id.

    For cases that take no time by themselves, and need no fixture of their own: one of the test serves them all.
    """
    keys = [one.strip() for one in names.split(",")] if isinstance(names, str) else list(names)
    axis = list(_cases(keys, list(values), ids))

    def decorate(test: Test) -> Test:
        axes: list[list[Case]] = [axis, *getattr(test, "axes", ())]
        plain: Test = getattr(test, "plain", test)

        @wraps(test)
        def run(**fixtures: Any) -> None:
            every((_named(combined), partial(plain, **fixtures, **_given(combined))) for combined in product(*axes))

        known = signature(test)
        left = [one for name, one in known.parameters.items() if name not in keys]
        assert len(left) == len(known.parameters) - len(keys), f"{keys} are not all arguments of {plain.__name__}"
        run.axes, run.plain = axes, plain  # type: ignore[attr-defined]
        run.__signature__ = known.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate


def every(cases: Iterable[tuple[str, Callable[[], Any]]]) -> None:
    """Runs all, by their ids, and reports all that fail; it is skipped where each of them is."""
    count = 0
    failed: list[Exception] = []
    skipped: list[BaseException] = []
    for name, run in cases:
        count += 1
        try:
            run()
        except (pytest.skip.Exception, SkipTest) as reason:
            skipped.append(reason)
        except Exception as error:
            error.add_note(f"case: {name}")
            failed.append(error)
    if failed:
        raise ExceptionGroup(f"{len(failed)} of {count} cases", failed)
    assert count, "no cases"
    if len(skipped) == count:
        raise skipped[0]


def _given(combined: Iterable[Case]) -> dict[str, Any]:
    return {name: value for given, _ in combined for name, value in given.items()}


def _named(combined: Iterable[Case]) -> str:
    return "-".join(name for _, name in combined)


def _cases(keys: Sequence[str], values: Sequence[Any], ids: Any) -> Iterator[Case]:
    for number, value in enumerate(values):
        name = ids(value) if callable(ids) else list(ids)[number] if ids is not None else None
        if isinstance(value, type(pytest.param())):
            assert not value.marks, "a mark needs a test of its own"
            name, parts = str(value.id or name), value.values
        else:
            parts = (value,) if len(keys) == 1 else value
        yield dict(zip(keys, parts, strict=True)), str(name or "-".join(f"{one!s:.60}" for one in parts))


def in_turn(subjects: Iterable[Any], targets: Sequence[str], count: int = 2) -> Iterator[tuple[Any, str]]:
    """Each subject with some targets, the next ones each time: for long sweeps whose reader is the same for all."""
    for index, subject in enumerate(subjects):
        for more in range(count):
            yield subject, targets[(index * count + more) % len(targets)]
