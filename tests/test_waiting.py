"""Nothing in the tests waits without an end, and nothing skips where nobody may see it."""

from __future__ import annotations

import ast
import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from .cases import each
from .waiting import came, soon, until

TESTS = Path(__file__).parent
POLLS = {"sleep", "checkpoint", "poll", "done", "is_alive", "monotonic"}
"""What loops call that wait for somebody else."""
ENDLESS = {
    "waiting.py came": "the helper itself",
    "waiting.py soon": "the helper itself",
    "serve/upstreams.py pieces": "a stream without an end, which its reader ends",
    "serve/upstreams.py main_loop": "a server, which the test ends",
    "serve/test_several.py asks": "a client that goes on until the test ends it",
    "serve/test_bounds.py receive": "the delays of one body, one after the other",
}
"""Loops that may poll by themselves, and why."""


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def polling(tree: ast.AST, function: str = "") -> Iterator[str]:
    """The functions with a loop that polls, by the condition or in the body."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.While) and any(map(_polls, ast.walk(node))):
            yield function
        yield from polling(node, node.name if isinstance(node, FUNCTIONS) else function)


def _polls(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    return (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")) in POLLS


def test_loops_wait_by_the_helper() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")}
    found = {
        f"{path.relative_to(TESTS)} {function}"
        for path, text in texts.items()
        if "while " in text
        for function in polling(ast.parse(text))
    }
    assert found == set(ENDLESS), "wait by tests/waiting.py, which ends; or a loop of ENDLESS is gone"


@each(
    "code",
    [
        "async def f():\n    while upstream.read < 2:\n        await asyncio.sleep(0)",
        "def f():\n    while not listens(port):\n        if True:\n            time.sleep(0.1)",
        "def f():\n    while not all(one.done() for one in large):\n        ask()",
        "def f():\n    with x:\n        while True:\n            if time.monotonic() > end: break",
    ],
)
def test_a_loop_that_polls_is_found(code: str) -> None:
    assert [*polling(ast.parse(code))] == ["f"]


def test_what_comes_in_time() -> None:
    calls = iter([False, False, True])
    assert came(lambda: next(calls))
    assert not came(lambda: False, seconds=0.05)


def test_what_is_over_is_not_waited_for() -> None:
    assert not came(lambda: False, over=lambda: True)
    with pytest.raises(AssertionError, match="over before it was reached"):
        until(lambda: False, over=lambda: True)
    with pytest.raises(AssertionError, match="not in time"):
        until(lambda: False, seconds=0)


def test_a_task_that_fails_or_ends_too_early_ends_the_waiting() -> None:
    async def ended(error: BaseException | None) -> None:
        async def work() -> None:
            if error is not None:
                raise error

        await soon(lambda: False, asyncio.create_task(work()))

    with pytest.raises(pytest.skip.Exception, match="no such package"):
        asyncio.run(ended(pytest.skip.Exception("no such package")))
    with pytest.raises(AssertionError, match="over before it was reached"):
        asyncio.run(ended(None))


def test_a_skip_in_a_task_or_a_thread_fails_at_once() -> None:
    """Whether the package is there or not: so it is found where it is."""

    async def of_a_task() -> None:
        pytest.importorskip("json")

    with pytest.raises(RuntimeError, match="before the task or thread begins"):
        asyncio.run(of_a_task())
    found: list[BaseException] = []

    def of_a_thread() -> None:
        try:
            pytest.skip("nobody sees it")
        except RuntimeError as error:
            found.append(error)

    thread = threading.Thread(target=of_a_thread)
    thread.start()
    thread.join()
    assert len(found) == 1
