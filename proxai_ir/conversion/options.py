"""The options of a conversion: which there are, their types, their defaults, and strict mode.

Rule 1: an option of an unknown name or a wrong type is a TypeError of the caller, raised before anything is converted.
Rule 2: options are of a call. What a server takes is stated in a Profile, and the TypeError says so (CAP-1).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from attrs import fields

from ..ir.envelope import Seals
from ..json.types import described
from ..passes.calls import REPAIRS
from ..passes.deferred import DEFERRED_TOOLS
from ..passes.emulation import AUTO, EMULATIONS
from ..passes.placement import LATER_INSTRUCTIONS
from ..passes.stages import CLIENT_TOOLS, is_sound
from ..protocol.registry import Backend, Frontend, backend, frontend, protocols
from ..reporting.catalogue import ERRORS, KNOWN, LOSSES
from ..reporting.diagnostics import Diagnostic, Record, UnknownProtocol, Unrepresentable, near, render
from ..reporting.report import Report
from ..reporting.vocabulary import NONE
from ..targets.settings import Setting, Settings

SHARED: dict[str, type] = {
    "strict": bool,
    "accept": tuple,
    "quote_values": bool,
    "model": str,
    "stream": bool,
    "response_id": str,
    "created": int,
    "status": int,
    "headers": dict,
    "buffer_limit": int,
    "seals": Seals,
    "emulate": tuple,
    "instructions": str,
    "deferred_tools": str,
    "repair": tuple,
    "state": dict,
}
"""The options of every protocol, with their types; those of one protocol have the types of their defaults."""
NO_SETTINGS: Mapping[str, Setting] = {}
VERSION = "version"

COLLECTIONS = (tuple, list, set, frozenset)
NAMES = {bool: "True or False", str: "a string", int: "an integer"}


def check_options(options: Mapping[str, Any], back: Backend, front: Frontend | None) -> None:
    """Raise TypeError for an option that does not exist, or whose value has the wrong type."""
    of_target, of_source = back.target.settings, NO_SETTINGS if front is None else front.settings
    unknown = []
    for name, value in options.items():
        one = of_target.get(name) or of_source.get(name) or SHARED.get(name)
        if one is None or (one.__class__ is Setting and not one.of):
            unknown.append(name)
        else:
            _check(name, value, one)
    if unknown:
        names = {*options_among(of_target), *options_among(of_source), *SHARED}
        raise _unknown(unknown, options, names, back)
    if options.get("state") and back.client_calls:
        _check_client_tools(options["state"], back)


def options_among(settings: Settings) -> Settings:
    """Return the settings that are options of a call; the others are capabilities of a server."""
    return {name: one for name, one in settings.items() if one.of}


def defaults(back: Backend, front: Frontend | None) -> Mapping[str, Any]:
    return {**front.options, **back.defaults} if front is not None and front.options else back.defaults


def settings_of(protocol: str) -> Settings:
    """Return the settings that only this protocol has, of either side: what a profile may state."""
    return {**frontend(protocol).settings, **backend(protocol).target.settings}


def quotes(options: Mapping[str, Any]) -> bool:
    """Return whether messages may quote values of the payload: unless the option is False."""
    return options.get("quote_values") is not False


def checked_status(status: Any) -> int | None:
    """Return the option `status` of a call that has no target. Raises TypeError."""
    _check("status", status, int)
    return None if status is None else int(status)


def of_json(name: str, value: Any) -> Any:
    """Return the value of an option that JSON states: `true`, or an object of its members, for a Seals; keys are text.

    Raises TypeError.
    """
    if name != "seals" or not value:
        return value
    members = {} if value is True else value
    known = sorted(one.name for one in fields(Seals))
    if not isinstance(members, dict) or not members.keys() <= {*known}:
        raise TypeError(f"option 'seals' is {described(value)}; expected true, or an object of {', '.join(known)}")
    keys = members.get("keys")
    if isinstance(keys, dict):
        members = {**members, "keys": {one: key.encode() if isinstance(key, str) else key for one, key in keys.items()}}
    return Seals(**members)


def as_json(value: Any) -> Any:
    """Return the value of an option as `of_json` takes it; keys are not shown."""
    if type(value) is not Seals:
        return value
    stated = {one.name: getattr(value, one.name) for one in fields(Seals) if one.repr}
    return {name: one for name, one in stated.items() if one not in (None, False, "")} or True


def checked_headers(headers: Any) -> Mapping[str, str]:
    """Return HTTP headers if they are a mapping of texts. Raises TypeError, without quoting one."""
    if not isinstance(headers, Mapping) or not _all_strings((*headers, *headers.values())):
        raise TypeError(f"option 'headers' is {described(headers).partition(',')[0]}; expected a mapping of texts")
    return headers


def checked_settings(protocol: str, version: str | None, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a profile: those of its version, and those that it states. Raises TypeError, and
    UnknownProtocol."""
    back = backend(protocol)
    if version is not None and version not in back.versions:
        known = f"one of {', '.join(back.versions)}" if back.versions else f"none, as {protocol} has no versions"
        raise TypeError(f"option 'version' is {version!r:.80}; expected {known}")
    declared = settings_of(protocol)
    if unknown := [name for name in settings if name not in declared]:
        raise _unknown(unknown, settings, declared, back)
    for name, value in settings.items():
        _check(name, value, declared[name])
    return {**back.versions.get(version or "", {}), **settings}


def _unknown(unknown: list[str], options: Mapping[str, Any], names: Collection[str], back: Backend) -> TypeError:
    """Return the error for options that are not among these names."""
    first, *others = sorted(unknown)
    return TypeError(f"unknown options {[first, *others]}{_meant(first, options[first], sorted(names), back)}")


def _meant(name: str, value: Any, names: Sequence[str], back: Backend) -> str:
    """Return the end of a message about an unknown option: where it is stated if it is a server's capability, else the
    targets that have it, else the nearest name, else all names."""
    if stated := profile_stating(back, name, value):
        return f"; what a server takes is stated in its Profile: {stated}"
    if having := [one for one in protocols() if _has(one, name)]:
        return f"; it is of {', '.join(having)}, not of {back.protocol}"
    return near(name, names) or f"; {back.protocol} accepts {', '.join(names)}"


def profile_stating(back: Backend, name: str, value: Any) -> str:
    """Return the Profile that states a capability of this protocol's servers, as in Python, or "" if it has none of
    that name."""
    if name == VERSION and back.versions:
        return f"Profile({back.protocol!r}, {value!r:.40})"
    settings = settings_of(back.protocol)
    return f"Profile({back.protocol!r}, {name}={value!r:.40})" if name in settings and not settings[name].of else ""


def _has(protocol: str, name: str) -> bool:
    with suppress(UnknownProtocol):  # of a package that cannot be used
        return name in settings_of(protocol)
    return False


def _check(name: str, value: Any, known: type | Setting) -> None:
    kind = type(known.default) if isinstance(known, Setting) else known
    if name in CHECKS:
        CHECKS[name](value)
    elif isinstance(known, Setting) and known.choices:
        _check_choice(name, value, known.choices)
    elif type(value) is not kind and not (value is None and name in SHARED):
        raise TypeError(f"option {name!r} is {described(value)}; expected {NAMES.get(kind, kind.__name__)}")


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise TypeError(f"option {name!r} is {described(value)}; expected one of {', '.join(choices)}")


def _check_accept(accept: Any) -> None:
    if not isinstance(accept, (tuple, list, set, frozenset)) or not _all_strings(accept):
        raise TypeError(f"option 'accept' is {described(accept)}; expected a tuple of rule ids")
    for rule in accept:
        if rule not in KNOWN:
            raise TypeError(f"option 'accept' names {rule!r:.80}, and there is no such rule")
        if rule not in LOSSES:
            raise TypeError(f"option 'accept' names {rule}, which is no loss but {KNOWN[rule].severity}")


def _check_seals(value: Any) -> None:
    if value is not None and value is not False and type(value) is not Seals:
        raise TypeError(f"option 'seals' is {described(value)}; expected a Seals, or False")


def _check_emulate(emulate: Any) -> None:
    if emulate != AUTO:
        _check_names("emulate", emulate, EMULATIONS, f"{AUTO!r} or ")


def _check_repair(repair: Any) -> None:
    _check_names("repair", repair, REPAIRS)


def _check_names(option: str, value: Any, known: frozenset[str], other: str = "") -> None:
    if isinstance(value, COLLECTIONS) and _all_strings(value, known):
        return
    expected = f"{other}a tuple of these names: {', '.join(sorted(known))}"
    if isinstance(value, COLLECTIONS) and _all_strings(value):
        wrong = next(one for one in value if one not in known)
        raise TypeError(f"option {option!r} names {wrong!r:.80}; expected {expected}{near(wrong, known)}")
    raise TypeError(f"option {option!r} is {described(value)}; expected {expected}")


def _check_state(state: Any) -> None:
    if not is_sound(state):
        expected = "the `state` that converting the request returned"
        raise TypeError(f"option 'state' is {described(state)}; expected {expected}")


def _check_client_tools(state: Any, back: Backend) -> None:
    """Raise TypeError for a state with a kind of client tool that the client's protocol does not have."""
    kinds = set(state.get(CLIENT_TOOLS, {}).values())
    if unknown := sorted(kind for kind in kinds if kind not in back.client_calls):
        expected = f"those of {back.protocol} are {', '.join(sorted(back.client_calls))}"
        raise TypeError(f"option 'state' names the kind {unknown[0]!r:.80} of a client's tool; {expected}")


CHECKS: dict[str, Callable[[Any], object]] = {
    "accept": _check_accept,
    "headers": lambda value: value is None or checked_headers(value),
    "seals": _check_seals,
    "emulate": _check_emulate,
    "instructions": lambda value: _check_choice("instructions", value, LATER_INSTRUCTIONS),
    "deferred_tools": lambda value: _check_choice("deferred_tools", value, DEFERRED_TOOLS),
    "repair": _check_repair,
    "state": _check_state,
}
"""The checks of options that a type alone does not describe."""


def _all_strings(values: Any, known: frozenset[str] | None = None) -> bool:
    return all(isinstance(one, str) and (known is None or one in known) for one in values)


def around(records: Sequence[Record], source: Any, options: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of findings outside a payload. Raises Unrepresentable for losses in strict mode."""
    if options.get("strict"):
        accepted = options.get("accept") or ()
        stops = [record for record in records if record[0] in LOSSES and record[0] not in accepted]
        if stops:
            raise Unrepresentable(render(stops, source, refused=True, quote_values=quotes(options)))
    return render(records, source, quote_values=quotes(options))


def new_report(front: Frontend | None, back: Backend, options: Mapping[str, Any]) -> Report:
    """Return an empty report of a conversion from this frontend.

    Strict mode stops at losses too (LOS-2), except those that `accept` names (LOS-5).
    """
    stops = ERRORS | LOSSES.difference(options.get("accept") or ()) if options.get("strict") else ERRORS
    return Report(NONE if front is None else front.vocabulary, stops, back.target.limits)
