"""Candidate changes to a conversion, one setting at a time, limited to those that its findings' rules depend on.

Rule 1: all candidates come from declarations: settings, verdicts, options, profiles and the table of models. Rule 2:
facts about a server that the caller states, by a profile, an option or a model, are true and not varied; then only
another server or another model is a candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from functools import cache, partial
from itertools import islice
from typing import Any

from .. import profiles
from ..conversion.options import SHARED, VERSION
from ..conversion.profile import Profile, having, protocol_of, resolved
from ..ir.envelope import Seals
from ..passes.calls import REPAIRS
from ..passes.deferred import DEFERRED_TOOLS
from ..passes.emulation import EMULATIONS
from ..passes.placement import LATER_INSTRUCTIONS
from ..protocol.registry import backend, frontend
from ..reporting.digest import Remedy
from ..targets.settings import Setting
from ..targets.verdicts import Limited, Target

Server = str | Profile
Options = Mapping[str, Any]
NAME = "NAME"
"""Stands for the value of an option that only the caller knows."""
MOST_MODELS = 3
"""The most models that are tried."""
OF_KIND = {"request": "requests", "response": "responses", "stream": "streams"}
"""The word by which a setting's `of` names the payloads that it is for, by their kind."""


def applied(change: Remedy, dst: Server, options: Options) -> tuple[Server, dict[str, Any]]:
    """Return the target and the options with one change."""
    if change.kind == "profile":
        return named_profiles(protocol_of(dst))[change.name], {**options}
    if change.kind == "model":
        return profiles.for_model(protocol_of(dst), change.name), {**options, "model": change.name}
    if change.kind == "capability":
        return having(dst, {change.name: change.value}), {**options}
    return dst, {**options, change.name: change.value}


def changes(
    src: Server, dst: Server, kind: str | None, options: Options, lost: Collection[str], noted: Collection[str]
) -> Iterator[Remedy]:
    """Yield candidates in order of preference: options for every server, capabilities, known profiles, known models.

    `lost` are the rules of losses and refusals, `noted` the other rules, for which only capabilities are tried.
    """
    front = frontend(src)
    server, known = resolved(dst, options, front)
    protocol = protocol_of(dst)
    back, target = backend(server), backend(protocol).target
    if lost:
        yield from _choices(known, options, {**front.settings, **target.settings}, kind)
        others = (one for one in back.versions if one != known.get(VERSION))
        yield from (Remedy("capability", VERSION, one, protocol=protocol) for one in others)
    families = _families(dst, options.get("model"))
    stated = _stated(dst, families)
    lacking = _lacking(target, known, _narrowed(target, lost, noted))
    for name, values in lacking.items():
        if name not in stated:
            yield from (Remedy("capability", name, value, protocol=protocol) for value in values)
    if not lost:
        return
    has_more = partial(_has_more, target.settings, lacking)
    yield from (Remedy("profile", name) for name, one in named_profiles(protocol).items() if has_more(one))
    if kind == "request":
        yield from _models(protocol, families, lacking, has_more)


# --- options ----------------------------------------------------------------------------------------------------------


def _choices(known: Options, options: Options, settings: Mapping[str, Setting], kind: str | None) -> Iterator[Remedy]:
    for name, values in _of_every_protocol(options).items():
        yield from (Remedy("option", name, value) for value in values)
    for name, one in settings.items():
        if one.of and one.of == OF_KIND.get(kind or ""):
            yield from (Remedy("option", name, value) for value in _others(one, known[name]))


def _of_every_protocol(options: Options) -> dict[str, Iterable[Any]]:
    """Return other values that can change a verdict, for options of `SHARED`."""
    found: dict[str, Iterable[Any]] = {
        "emulate": _one_more(options.get("emulate", ()), EMULATIONS),
        "instructions": [
            one for one in LATER_INSTRUCTIONS if one != options.get("instructions", LATER_INSTRUCTIONS[0])
        ],
        "deferred_tools": [one for one in DEFERRED_TOOLS if one != options.get("deferred_tools", DEFERRED_TOOLS[0])],
        "repair": _one_more(options.get("repair", ()), REPAIRS),
        "seals": () if options.get("seals") else (Seals(), Seals(ids=True)),
        "model": () if options.get("model") else (NAME,),
    }
    assert found.keys() <= SHARED.keys()
    return found


def _one_more(given: Any, names: Collection[str]) -> list[tuple[str, ...]]:
    stated = () if isinstance(given, str) else tuple(given)
    return [(*stated, one) for one in sorted(names) if one not in stated]


def _others(one: Setting, current: Any) -> list[Any]:
    """Return the other values of a setting that has few, the nearest first."""
    if one.choices:
        at = one.choices.index(current)
        return sorted(
            (word for word in one.choices if word != current), key=lambda word: abs(one.choices.index(word) - at)
        )
    return [not current] if isinstance(current, bool) else []


# --- capabilities -----------------------------------------------------------------------------------------------------


def _families(server: Server, model: str | None) -> frozenset[str]:
    """Return the families of the model in use, by its name or by its profile."""
    if model is not None:
        from ..profiles.models import named

        return frozenset({named(model).family} - {""})
    rows = server.why if isinstance(server, Profile) else ()
    about = [row.families for row in rows if row.families]
    return frozenset.intersection(*about) if about else frozenset()


def _stated(server: Server, families: Set[str]) -> Set[str]:
    """Return the settings that are known of the server, since the caller states them or the table of models does."""
    stated = set(server.settings) if isinstance(server, Profile) else set()
    if families:
        from ..profiles.models import settled

        stated |= settled(protocol_of(server), families)
    return stated


def _lacking(target: Target, known: Options, narrowed: Collection[str]) -> dict[str, list[Any]]:
    """Return the capabilities that the server is not known to have, each with its other values.

    None is switched off: that may avoid findings, but no more of the payload arrives.
    """
    found = {}
    for name, one in target.settings.items():
        if name in narrowed and not one.of and known[name] is not True:
            found[name] = _others(one, known[name])
    return found


def _narrowed(target: Target, lost: Collection[str], noted: Collection[str]) -> Collection[str]:
    """Return the settings that verdicts with these rules depend on.

    Rules of passes and checks are in no table; all settings are candidates for their losses, and none for their notes.
    """
    by_rule, tabled = _dependent(target.name)
    if any(rule not in tabled for rule in lost):
        return target.settings
    return {name for rule in (*lost, *noted) for name in by_rule.get(rule, ())}


@cache
def _dependent(protocol: str) -> tuple[Mapping[str, set[str]], set[str]]:
    """Return for each rule the settings on which its verdicts depend, and the rules that no check reports."""
    target = backend(protocol).target
    found: dict[str, set[str]] = {}
    table = target.table
    chains = [[one for _, one in chain] for chains in table.fields.values() for chain in chains.values()]
    chains += [
        [*chain] for kind in (table.request, table.response) for place in kind.values() for chain in place.values()
    ]
    for chain in chains:
        named = {name for one in chain for name in _limits(one)}
        for one in chain:
            if one.rule:
                found.setdefault(one.rule, set()).update(named)
    return found, found.keys() - {rule for check in target.checks for rule in check.rules}


def _limits(one: Limited) -> list[str]:
    return [*([one.without] if one.without else []), *(name for name, _ in one.where)]


# --- known servers and models -----------------------------------------------------------------------------------------


def named_profiles(protocol: str) -> dict[str, Profile]:
    """Return the profiles of a protocol in `proxai_ir.profiles` by name."""
    found = ((name, getattr(profiles, name)) for name in dir(profiles))
    return {name: one for name, one in found if isinstance(one, Profile) and one.protocol == protocol}


def _models(
    protocol: str, families: Set[str], lacking: Collection[str], having: Callable[[Profile], bool]
) -> Iterator[Remedy]:
    from ..profiles.models import kin

    names = (name for name in kin(protocol, set(lacking), families) if having(profiles.for_model(protocol, name)))
    yield from (Remedy("model", name) for name in islice(names, MOST_MODELS))


def _has_more(settings: Mapping[str, Setting], lacking: Mapping[str, list[Any]], other: Profile) -> bool:
    """Return whether another server has a capability that this one is not known to have."""
    return any(other.settings.get(name, settings[name].default) in values for name, values in lacking.items())
