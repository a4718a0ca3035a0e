"""Plays a scenario by a client through the gateway to an upstream, and says what came of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import Any, NamedTuple
from unittest import mock

from proxai_ir.serve.config import from_mapping

from ...serve.support import serving
from ...serve.test_endpoints import Kept
from ...serve.upstreams import KEY, running
from ...sessions.answers import CALLS, Answer
from ...waiting import came
from .official import Client, Got
from .provider import Lack, Provider
from .rulings import RULINGS
from .scenarios import BROKEN, CUT, IN_STREAM, Scenario, result
from .typed import mistyped
from .upstreams import KEY_NAME, Upstream, configuration, model


class Outcome(NamedTuple):
    """The result of a scenario. `wrong`: a sentence, or ""; `rule`: the rules that decide what is missing."""

    client: str
    upstream: str
    scenario: str
    wrong: str
    rule: str = ""


class Place(NamedTuple):
    """The gateway before the provider."""

    url: str
    provider: Provider
    kept: Kept


@contextmanager
def playground() -> Iterator[Place]:
    """Run one gateway in front of the thirteen upstreams, with the storage that has its log."""
    provider, kept = Provider(), Kept()
    with ExitStack() as stack:
        url = stack.enter_context(running(provider.app))
        stack.enter_context(mock.patch.dict(os.environ, {KEY_NAME: KEY}))
        gateway, _ = stack.enter_context(serving(from_mapping(configuration(url)), kept))
        yield Place(gateway, provider, kept)


def is_there(client: Client) -> bool:
    """Return whether the client's package is installed."""
    try:
        return find_spec(client.package) is not None
    except ModuleNotFoundError:  # of the package around it
        return False


def play(place: Place, client: Client, upstream: Upstream, scenario: Scenario) -> Outcome:
    place.provider.begin(scenario, free=client.loops)
    place.kept.records.clear()
    wrong, lacks = "", list[Lack]()
    try:
        talk = client.talks(place.url, model(client.prefix, upstream.name), scenario.ask)
        for answer in (scenario.answers or (None,))[-1 if client.loops else 0 :]:
            lacks += compared(talk.say(), client, upstream, scenario, answer)
            if answer is not None and answer.calls:
                talk.answer([result(answer, at) for at in range(answer.calls)])
    except Mismatch as error:
        wrong = str(error)
    except Exception as error:
        wrong = unexpected(client, upstream, scenario, error)
    logged = came(lambda: len(place.kept.records) >= max(1, len(place.provider.seen)))  # after the response has come
    assert logged, f"{len(place.kept.records)} records of {len(place.provider.seen)} requests"
    told = {one["rule"]: one["severity"] for record in place.kept.records for one in record.diagnostics}
    refused = place.provider.wrong or [*mistyped(upstream.protocol, place.provider.seen)]
    if refused:
        wrong = f"the provider refused: {refused[0]}"
    elif not place.provider.seen and "error" in told.values():
        wrong, lacks = "", [Lack("all", wrong)]
    lacks += place.provider.lacks
    decided = [(one, ruling(one, told, client, upstream)) for one in lacks]
    wrong = wrong or "; ".join(dict.fromkeys(f"{one.detail}, told {sorted(told)}" for one, rule in decided if not rule))
    rules = sorted({rule for _, rule in decided})
    return Outcome(client.name, upstream.name, scenario.name, first_line(wrong), "" if wrong else " ".join(rules))


def ruling(lack: Lack, told: Iterable[str], client: Client, upstream: Upstream) -> str:
    """Return the rule that decides what is missing and was told by the gateway, "" for none."""
    rows = (one for one in RULINGS if one.what == lack.what and one.rule in told)
    fits = (one for one in rows if client.name in one.clients and upstream.name in one.upstreams)
    return next((one.rule for one in fits), "")


def first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:300]


class Mismatch(Exception):
    """A response that is not what the provider answered."""


def compared(got: Got, client: Client, upstream: Upstream, scenario: Scenario, answer: Answer | None) -> Iterator[Lack]:
    """Yield what a client was not shown of an answer and a rule may have left out. Raises Mismatch."""
    if answer is None or scenario.failure is not None:
        raise Mismatch("nothing was raised")
    text = json.dumps(json.loads(got.text)) if scenario.ask.schema else got.text
    pairs = {
        "text": (answer.said, text),
        "calls": ([(name, given) for _, name, given in answer.called], got.calls),
        "ended": ("calls" if answer.ending == CALLS else "end", got.ended),
        "output tokens": (7, got.output_tokens),
    }
    for name, (expected, found) in pairs.items():
        if expected != found:
            raise Mismatch(f"{name}: expected {expected!r}, found {found!r}")
    if scenario.ask.thinks and upstream.thinks and not client.loops and got.thought != answer.thinks:
        yield Lack("thought", f"expected the thought {answer.thinks!r}, found {got.thought!r}")


def unexpected(client: Client, upstream: Upstream, scenario: Scenario, error: Exception) -> str:
    """Return what is wrong with an exception, "" where it is what the client raises for the scenario's failure."""
    failure = scenario.failure
    said = f"{type(error).__name__}: {error}"
    if failure is None:
        return said
    name = scenario.name.partition(",")[0]
    kinds = {"overflow": "400", IN_STREAM: "stream", CUT: "stream", BROKEN: "stream"}
    kind = kinds.get(name, name)
    expected = client.raises[kind]
    response = getattr(error, "response", None)
    names = {one.__name__ for one in type(error).__mro__}
    if isinstance(response, dict):  # of boto3, which has no class for errors that its service does not model
        names.add(response.get("Error", {}).get("Code", ""))
    if expected not in names:
        return f"expected {expected}, found {said}"
    if failure.message not in said:
        return f"expected {failure.message!r}, found {said}"
    headers = headers_of(error, response) if failure.status == 429 else None
    if headers is not None and headers.get("retry-after") != "7":
        return f"expected retry-after: 7, found {headers.get('retry-after')}"
    return ""


def headers_of(error: Exception, response: Any) -> Mapping[str, str] | None:
    """Return the headers that the client shows with an error, None where it shows none."""
    if isinstance(response, dict):
        found: Mapping[str, str] = response["ResponseMetadata"]["HTTPHeaders"]
        return found
    return getattr(response, "headers", None) or getattr(error, "headers", None)
