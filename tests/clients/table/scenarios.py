"""The scenarios: what a client asks, and what the provider answers to each of its requests. Data alone."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...samples.shared import PNG
from ...sessions.answers import CALLS, END, Answer, word
from ...sessions.clients import ASKED, SCHEMA, TOOLS

Json = Any
__all__ = ["ASKED", "PNG", "SCHEMA", "TOOLS"]


class Written(Answer):
    """An answer whose text is an object of `SCHEMA`."""

    @property
    def said(self) -> str:
        return f'{{"note": "{word("a", self.number)}"}}'


class Failure(NamedTuple):
    """A failure of the provider.

    status    None: a stream that begins with status 200
    overload  whether it is the provider's own word for an overloaded server, whose status depends on its protocol
    message   what its error says; "" where it has no error of its own
    """

    status: int | None
    message: str
    overload: bool = False


class Ask(NamedTuple):
    """The request of a client."""

    streamed: bool = False
    tools: bool = False
    thinks: bool = False
    image: bool = False
    schema: bool = False


class Scenario(NamedTuple):
    """One scenario: the answers come one after the other, and a failure comes to every request."""

    name: str
    ask: Ask
    answers: tuple[Answer, ...] = ()
    failure: Failure | None = None


def says(number: int, thought: bool = False) -> Answer:
    return Answer(number, text=True, thought=thought, calls=0, cited=False, ending=END, repeats=False, cached=0)


def calls(number: int, count: int = 1, thought: bool = False) -> Answer:
    return Answer(number, text=False, thought=thought, calls=count, cited=False, ending=CALLS, repeats=False, cached=0)


def result(answer: Answer, at: int) -> str:
    """Return what the client's function returns for a call, which stands nowhere else."""
    return f"It is {word('r', answer.number, at)}."


WANTED = "as the script wants it"
TOOL, STREAM = Ask(tools=True), Ask(streamed=True)
LOOP = (calls(1), says(2))
LONG = (calls(1), calls(2), calls(3, 2), says(4))
TWO = (calls(1, 2), says(2))
THOUGHTS = (calls(1, thought=True), calls(2, thought=True), says(3, thought=True))

SCENARIOS = (
    Scenario("text", Ask(), (says(1),)),
    Scenario("stream", STREAM, (says(1),)),
    Scenario("loop", TOOL, LOOP),
    Scenario("loop of 4", TOOL, LONG),
    Scenario("parallel", TOOL, TWO),
    Scenario("streamed loop", Ask(streamed=True, tools=True), LOOP),
    Scenario("streamed loop of 4", Ask(streamed=True, tools=True), LONG),
    Scenario("streamed parallel", Ask(streamed=True, tools=True), TWO),
    Scenario("thinking", Ask(tools=True, thinks=True), THOUGHTS),
    Scenario("streamed thinking", Ask(streamed=True, tools=True, thinks=True), THOUGHTS),
    Scenario("image", Ask(image=True), (says(1),)),
    Scenario("structured", Ask(schema=True), (Written(*says(1)),)),
    Scenario("400", Ask(), failure=Failure(400, WANTED)),
    Scenario("401", Ask(), failure=Failure(401, WANTED)),
    Scenario("429", Ask(), failure=Failure(429, WANTED)),
    Scenario("529", Ask(), failure=Failure(529, WANTED, overload=True)),
    Scenario("overflow", Ask(), failure=Failure(400, "prompt is too long: 250000 tokens > 200000 maximum")),
    Scenario("HTML", Ask(), failure=Failure(502, "")),
    Scenario("429, streamed", STREAM, failure=Failure(429, WANTED)),
    Scenario("in-stream error", STREAM, (says(1),), Failure(None, WANTED)),
    Scenario("cut stream", STREAM, (says(1),), Failure(None, "")),
    Scenario("broken connection", STREAM, (says(1),), Failure(None, "")),
)
IN_STREAM, CUT, BROKEN = "in-stream error", "cut stream", "broken connection"
