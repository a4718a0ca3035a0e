"""Makes a session from a number, as data: who asks, and of each turn who answers what, and what goes wrong.

Vendors, models and clouds are those of the library's tables and of the judges that know what they refuse.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from proxai_ir.profiles.clouds import CLOUDS, Cloud

from ..servers.models import JUDGES
from ..servers.models.measure import SERVERS, VENDOR
from ..servers.models.openai import NOT_IN_CHAT
from .answers import CALLS, END, LENGTH, REFUSAL, Answer
from .clients import CHAT, COHERE, FIRST, GEMINI, INTERACTIONS, MESSAGES, OLLAMA, RESPONSES, SETTINGS, STATEFUL

TURNS = 20


class Place(NamedTuple):
    """Who answers. `vendor`: whose judge knows the model, "" for none."""

    protocol: str
    model: str
    vendor: str
    cloud: str = ""

    @property
    def name(self) -> str:
        """The owner of the servers, which keep what they answered."""
        return self.cloud or self.vendor

    @property
    def server(self) -> str | None:
        return self.vendor if self.vendor in SERVERS else None

    def __str__(self) -> str:
        return " ".join(filter(None, (self.protocol, self.model, self.cloud and f"on {self.cloud}")))


class Step(NamedTuple):
    """A turn.

    before  "": the client goes on; "returned": from an older state; "summed up": with a summary; "forgotten": what it
            had named is no longer kept, so that it sends all of it
    fails   what the first attempt ends with: "" for an answer, else a name of `playing.FAILURES`
    moved   whether another process gets the response, which has the state of the exchange alone
    """

    place: Place
    answer: Answer
    streamed: bool
    before: str
    back: int
    fails: str
    moved: bool

    def __str__(self) -> str:
        a = self.answer
        ends = ("end", "calls", "length", "refusal")[a.ending]
        says = f"thought={a.thought:d} text={a.text:d} calls={a.calls} {ends}{' cited' if a.cited else ''}"
        more = f"{self.before}{f' by {self.back}' if self.before == 'returned' else ''} {self.fails}".strip()
        how = f"{'streamed' if self.streamed else 'whole'}{' moved' if self.moved else ''}"
        return f"{a.number:2}  {self.place}: {says}{' same ids' if a.repeats else ''}, {how}  {more}"


class Session(NamedTuple):
    seed: int
    client: str
    settings: tuple[int, ...]
    stateful: bool
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        given = [SETTINGS[self.client][one] for one in self.settings]
        head = f"{self.client}{' by reference' if self.stateful else ''}, settings {given}"
        return "\n".join([head, *(f"    {step}" for step in self.steps)])


NO_JUDGE = {
    INTERACTIONS: ("google", "gemini-3-flash-preview gemini-3.8-flash gemini-2.5-pro"),
    COHERE: ("cohere", "command-a-03-2025 command-a-reasoning-08-2025"),
    OLLAMA: ("ollama", "qwen3 llama3.2 gpt-oss:20b"),
}
"""Models of protocols whose servers have no judges of models."""
ON_CLOUDS = {
    ("azure", CHAT): "gpt-5.4 gpt-4.1",
    ("azure", RESPONSES): "gpt-5.6-sol gpt-5-mini",
    ("azure", MESSAGES): "claude-opus-5-5 claude-sonnet-4-5",
    ("azure_deployments", CHAT): "gpt-4.1",
    ("azure_deployments", RESPONSES): "gpt-5.4",
    ("bedrock", MESSAGES): "us.anthropic.claude-opus-4-6-v1 us.anthropic.claude-sonnet-4-5-20250929-v1:0 "
    "us.anthropic.claude-opus-5-5",
    ("bedrock", CHAT): "openai.gpt-oss-120b-1:0",
    ("bedrock", RESPONSES): "openai.gpt-oss-120b-1:0",
    ("bedrock_mantle", CHAT): "openai.gpt-oss-120b",
    ("bedrock_mantle", RESPONSES): "openai.gpt-5.6-sol",
    ("bedrock_mantle", MESSAGES): "anthropic.claude-sonnet-5-5 anthropic.claude-haiku-5-5",
    ("vertex", MESSAGES): "claude-opus-4-6@default claude-sonnet-4-5@20250929 claude-opus-5-5",
    ("vertex", GEMINI): "gemini-2.5-pro gemini-3.8-flash",
    ("vertex_express", GEMINI): "gemini-3.5-flash",
    ("vertex", RESPONSES): "gpt-oss-120b-maas",
    ("mistral", CHAT): "mistral-large-2512 mistral-medium-3-5",
    ("openrouter", CHAT): "z-ai/glm-5.3 anthropic/claude-sonnet-5-5",
    ("openrouter", RESPONSES): "openai/gpt-5.6-sol",
    ("openrouter", MESSAGES): "anthropic/claude-sonnet-5-5",
}
"""Names of models as each cloud has them, by the cloud and the protocol."""
VALUES = {"region": "us-east5", "project": "p", "resource": "r", "api_version": "2026-01-01"}


def stated(row: Cloud) -> dict[str, str]:
    """Return a cloud as an Exchange takes it."""
    return {"name": row.name, **{name: VALUES[name] for name in row.values if name in VALUES}}


def places() -> dict[str, dict[str, list[Place]]]:
    """Return all places, by protocol and by vendor or cloud, so that one of many models is not drawn more often."""
    found: dict[str, dict[str, list[Place]]] = {one: {} for one in FIRST}
    for place in _listed():
        found[place.protocol].setdefault(place.cloud or place.vendor, []).append(place)
    return found


def _listed() -> Iterator[Place]:
    for protocol, model in JUDGES:
        if (protocol, model) not in UNASKED:
            yield Place(protocol, model, VENDOR[protocol, model])
    for protocol, (vendor, models) in NO_JUDGE.items():
        yield from (Place(protocol, model, vendor) for model in models.split())
    for row in CLOUDS:
        for protocol in row.paths:
            for model in ON_CLOUDS[row.name, protocol].split():
                yield Place(protocol, model, VENDOR.get((protocol, model), ""), row.name)


UNASKED = {pair for pair, checks in JUDGES.items() if NOT_IN_CHAT in checks}
"""Models that refuse all that is asked of them in a protocol."""
PLACES = places()
FAILS = ("limited", "failure", "overflow", "setting", "cut off")


def session(seed: int, turns: int = TURNS) -> Session:
    """Return the session of a number: always the same one, for the same tables."""
    rng = Random(seed)
    client = rng.choice(sorted(FIRST))
    known = range(len(SETTINGS[client]))
    settings = tuple(sorted(rng.sample(known, rng.randint(0, min(3, len(known))))))
    stateful = client in STATEFUL and rng.random() < 0.5
    steps = tuple(_step(rng, number, stateful) for number in range(1, turns + 1))
    return Session(seed, client, settings, stateful, steps)


def _step(rng: Random, number: int, stateful: bool) -> Step:
    protocol = rng.choice(sorted(PLACES))
    of_protocol = PLACES[protocol]
    place = rng.choice(of_protocol[rng.choice(sorted(of_protocol))])
    before = rng.choices(["", "returned", "summed up", "forgotten" if stateful else ""], [85, 7, 4, 4])[0]
    return Step(
        place,
        _answer(rng, number, place),
        streamed=rng.random() < 0.5,
        before=before,
        back=rng.randint(1, 6),
        fails=rng.choice(FAILS) if rng.random() < 0.2 else "",
        moved=rng.random() < 0.2,
    )


def _answer(rng: Random, number: int, place: Place) -> Answer:
    calls = rng.choices([0, 1, 2], [45, 35, 20])[0]
    ending = CALLS if calls else rng.choices([END, LENGTH, REFUSAL], [80, 12, 8])[0]
    text = not calls or rng.random() < 0.5
    cited = text and not calls and ending == END and rng.random() < 0.25
    thought, cached = rng.random() < 0.5, rng.choice([0, 40])
    repeats = rng.random() < 0.3 and place.protocol == CHAT and place.vendor not in ("", "openai")
    return Answer(number, text, thought, calls, cited, ending, repeats, cached)
