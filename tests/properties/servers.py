"""Servers and options of conversions: five fixed ones for each target, and random ones.

All settings of a protocol are in its tables, so that one that is new is tried from its first day.
"""

from __future__ import annotations

from random import Random
from typing import Any

from attrs import field, frozen

from proxai_ir import Profile, Seals
from proxai_ir.conversion.options import settings_of
from proxai_ir.exchange.servers import named_profiles
from proxai_ir.passes.calls import REPAIRS
from proxai_ir.passes.emulation import EMULATIONS
from proxai_ir.passes.placement import LATER_INSTRUCTIONS
from proxai_ir.protocol.registry import backend, frontend
from proxai_ir.targets.settings import Setting

KEY = {"k": b"0123456789abcdef0123456789abcdef"}
NUMBERS = (0, 1, 7, 4096)
NAMED = [*named_profiles().values()]
PROXYS: dict[str, Any] = {"emulate": "auto", "repair": ("calls",), "instructions": "in_place", "seals": Seals()}
NONE: dict[str, Any] = {}


@frozen
class Server:
    """A target: the server, and the options of conversions to it."""

    name: str
    profile: Profile
    options: dict[str, Any] = field(factory=dict)
    reading: int = 0

    @property
    def protocol(self) -> str:
        return self.profile.protocol

    def given(self, src: str, kind: str) -> dict[str, Any]:
        """The options of conversions from a protocol; those of its reader are about streams, and have a value each."""
        if kind != "stream":
            return self.options
        choices = {name: values(one) for name, one in frontend(src).settings.items()}
        return {**self.options, **{name: found[self.reading % len(found)] for name, found in choices.items()}}

    def __str__(self) -> str:
        return f"{self.profile!r} {self.options or ''}".strip()


def values(setting: Setting) -> tuple[Any, ...]:
    """What a setting may be, its default first."""
    if setting.choices:
        return tuple(sorted(setting.choices, key=lambda one: one != setting.default))
    if isinstance(setting.default, bool):
        return setting.default, not setting.default
    return (setting.default, *NUMBERS)


def fixed(protocol: str) -> list[Server]:
    """What every server has; all capabilities; none; the other of each default, for a proxy; the narrowest that is
    known, with what else a caller may ask for."""
    settings = settings_of(protocol)
    switches = [name for name, one in settings.items() if isinstance(one.default, bool) and not one.of]
    others = {name: values(one)[1] for name, one in settings.items()}
    versions = [*backend(protocol).versions]
    known = [one for one in NAMED if one.protocol == protocol]
    narrow = max(known, key=lambda one: len(one.given), default=Profile(protocol))
    return [
        Server("default", Profile(protocol)),
        Server("all", Profile(protocol, **dict.fromkeys(switches, True))),  # type: ignore[arg-type]
        Server("none", Profile(protocol, versions[-1] if versions else None, **dict.fromkeys(switches, False))),  # type: ignore[arg-type]
        Server("other", Profile(protocol, **others), PROXYS, 2),
        Server("narrow", narrow, {"seals": Seals(KEY), "quote_values": False, "model": "m2", "emulate": "auto"}, 1),
    ]


def drawn(random: Random, protocol: str) -> Server:
    """Any server, and any options."""
    often = random.choice((0.1, 0.5, 0.9))
    settings = {
        name: random.choice(values(one)[1:]) for name, one in settings_of(protocol).items() if random.random() < often
    }
    versions = [None, *backend(protocol).versions]
    options: dict[str, Any] = {
        "emulate": random.choice(("auto", (), tuple(one for one in sorted(EMULATIONS) if random.random() < 0.5))),
        "repair": tuple(one for one in sorted(REPAIRS) if random.random() < 0.5),
        "instructions": random.choice(LATER_INSTRUCTIONS),
        "model": random.choice((None, "m2")),
        "stream": random.choice((None, True, False)),
        "response_id": random.choice((None, "r2")),
        "created": random.choice((None, 7)),
        "quote_values": random.random() < 0.5,
        "buffer_limit": random.choice((None, 64)),
        **random.choice((NONE, {"seals": Seals()}, {"seals": Seals(KEY, audience="a")})),
    }
    return Server("random", Profile(protocol, random.choice(versions), **settings), options, random.randrange(3))
