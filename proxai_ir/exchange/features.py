"""Features of a vendor's API that a client switches on: betas in a header, and members of the body (CAP-8).

A provider of the client's protocol gets all of them, a cloud in the vendor's place those of its table, and another
protocol for models of that vendor the betas. Rule 1: every beta and every member is sent, or has a finding. Rule 2:
names that differ at a cloud are translated.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from ..conversion.profile import Profile, protocol_of
from ..protocol.http import Features, Http
from ..protocol.registry import backend
from ..reporting.diagnostics import Record, too_deep
from ..wire import bare

if TYPE_CHECKING:
    from ..profiles.features import Taken
    from .clouds import Deployment

Json = Any
ITEM, ANYWHERE = "*", "**"
"""In a path: each item of a list, and any object above what follows."""
UNKNOWN, OTHER_VERSION, NAMED_BY_ITSELF = "UNK-1", "TUL-9", ""


@frozen(kw_only=True)
class Asked:
    """The features that one request asks for.

    source, target  the features of the client's and the provider's protocol; None: it has none
    takes   those that the provider takes; None: all
    cloud   the name of the cloud in the vendor's place; "": there is none
    names   the betas that the client lists
    opaque  members that hold any JSON of the client
    """

    source: Features | None
    target: Features | None
    takes: Taken | None = None
    cloud: str = ""
    names: Sequence[str] = ()
    opaque: Collection[str] = field(factory=frozenset)

    def in_body(self, payload: Json, found: list[Record]) -> Json:
        """Return a request as it is to be converted: of the provider's own protocol without the members that it does
        not take, of another one without betas that are to be sent by themselves."""
        if self.source is not None and _lists_for(self.source, self.target) and _listed_at(payload, self.source.member):
            return _without(payload, self.source.member)
        if self.takes is None or self.target is None or self.source is not self.target or not self.target.plain:
            return payload
        lacking = self._lacking(self.target, self.takes, payload)
        names = {path: (name,) for path, name in self.takes.names.items() if not _is_below(path, lacking)}
        paths: dict[str, Json] = {**lacking, **self.takes.words, **names}
        everywhere = {path[3:]: one for path, one in paths.items() if path.startswith(f"{ANYWHERE}/")}
        anchored = _tree({path: one for path, one in paths.items() if not path.startswith(ANYWHERE)})
        try:
            return self._changed(payload, [anchored], _tree(everywhere), found)
        except RecursionError as error:
            raise too_deep(error) from None

    def _lacking(self, target: Features, takes: Taken, payload: Iterable[str]) -> dict[str, str]:
        """Return the rules of the members that the provider does not take, by path."""
        switched = {bare(name) for name in takes.betas.values()}
        lacking = {path: rule for path, (rule, betas) in target.members.items() if switched.isdisjoint(betas.split())}
        known = {path.partition("/")[0] for path in target.members} | {*target.plain, *target.lists}
        unknown = {name: UNKNOWN for name in payload if name not in known}
        return {**lacking, **unknown, **dict.fromkeys(target.lists, NAMED_BY_ITSELF)}

    def _changed(self, value: Json, trees: list[Json], everywhere: Json, found: list[Record]) -> Json:
        """Return a value without the members that the provider does not take; the value itself if nothing changes."""
        if isinstance(value, list):
            below = [tree[ITEM] for tree in trees if ITEM in tree]
            items = [self._changed(one, below, everywhere, found) for one in value]
            return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        if not isinstance(value, dict):
            return value
        made: dict[str, Json] = {}
        for name, one in value.items():
            leaves = [tree[name] for tree in (*trees, everywhere) if name in tree]
            rule = next((leaf for leaf in leaves if isinstance(leaf, str)), None)
            words = next(
                (leaf for leaf in leaves if isinstance(leaf, dict) and isinstance(one, str) and one in leaf), None
            )
            there = next((leaf[0] for leaf in leaves if isinstance(leaf, tuple)), name)
            if rule is not None:
                if one is not None and rule != NAMED_BY_ITSELF:
                    found.append((rule, (value, name), self._why()))
            elif words is not None:
                found.append((OTHER_VERSION, (value, name), f"`{words[one]}` is sent"))
                made[name] = words[one]
            elif name in self.opaque:
                made[name] = one
            else:
                new = self._changed(one, [leaf for leaf in leaves if isinstance(leaf, dict)], everywhere, found)
                if new or not one:  # an object of which nothing is left says nothing
                    made[there] = new
        return (
            made if len(made) != len(value) or any(made[name] is not value.get(name, made) for name in made) else value
        )

    def sent(self, made: Mapping[str, str], body: Json, found: list[Record]) -> tuple[dict[str, str], Json]:
        """Return the headers and the body of a request with the betas that the provider takes. `made`: the headers of
        the conversion, as for the vendor's own server."""
        target = self.target
        if target is None or (self.source is not None and self.source.vendor != target.vendor):
            for name in self.names:
                self._drop(name, found)
            return {**made}, body
        header = target.header or ""
        kept: dict[str, None] = {}
        for name in self.names or listed(made.get(header, "")):
            there = name if self.takes is None else self.takes.betas.get(name)
            if there is None:
                self._drop(name, found)
            else:
                kept[there] = None
        kept |= dict.fromkeys(self._needed(target, body, kept))
        headers = {name: one for name, one in made.items() if name != header}
        if kept and header:
            return {**headers, header: ",".join(kept)}, body
        return headers, _with(body, target.member, [*kept]) if kept else body

    def _needed(self, target: Features, body: Json, kept: Collection[str]) -> list[str]:
        """Return the betas of members that a request has, of which it lists none: by now the vendor's own servers take
        some without, and clouds do not."""
        there = () if self.takes is None else self.takes.betas.values()
        needed: list[str] = []
        for path, (_, betas) in target.members.items():
            taken = [name for name in there if bare(name) in betas.split()]
            if taken and not any(name in kept for name in taken) and _has(body, path.split("/")):
                needed += taken
        return needed

    def _drop(self, name: str, found: list[Record]) -> None:
        features = self.source or self.target
        assert features is not None  # as betas are of one of them
        stem = bare(name)
        own = stem in features.hints or any(stem in betas.split() for _, betas in features.members.values())
        rule = "ENV-4" if own else "SVC-6"
        found.append((rule, None, ", ".join(filter(None, (f"`{name:.80}`", self._why())))))

    def _why(self) -> str:
        return f"not taken by {self.cloud}" if self.cloud else ""


def features_of(
    served: Http,
    called: Http,
    provider: str | Profile,
    at: Deployment | None,
    model: Any,
    headers: Mapping[str, str],
    body: Json,
) -> Asked:
    """Return the features that a client's request asks for; `at`: the provider's cloud."""
    cloud = "" if at is None else at.cloud.name
    source, target = served.features, called.features
    names = listed(headers.get(source.header or "", "")) if source is not None else []
    takes: Taken | None = None
    if target is not None:
        from ..profiles import features  # the table is read when it is needed

        has = backend(provider).target.capabilities
        none = any(has[name] != value for name, value in target.where.items())
        takes = features.NOTHING if none else features.taken(protocol_of(provider), cloud, model)
    if source is not None and _lists_for(source, target):
        names += _listed_at(body, source.member)
    if target is not None and takes is not None and source is target and isinstance(body, dict):
        lists = (body.get(name) for name in target.lists)
        names += [one for each in lists if isinstance(each, list) for one in each if isinstance(one, str)]
    opaque = called.stored.opaque
    return Asked(source=source, target=target, takes=takes, cloud=cloud, names=[*dict.fromkeys(names)], opaque=opaque)


def _lists_for(source: Features, target: Features | None) -> bool:
    """Return whether bodies of one protocol list the betas that another one has in a header."""
    if target is None or source is target or not source.member:
        return False
    return target.header is not None and source.vendor == target.vendor


def _listed_at(body: Json, path: Sequence[str]) -> list[str]:
    """Return the texts of the list at a path of objects, or none if anything else is there."""
    for name in path:
        body = body.get(name) if isinstance(body, dict) else None
    return body if isinstance(body, list) and all(isinstance(one, str) for one in body) else []


def _without(body: Json, path: Sequence[str]) -> Json:
    """Return a body without the member at a path of objects, and without those of which nothing is left."""
    name, *rest = path
    inner = _without(body[name], rest) if rest else None
    return {**body, name: inner} if inner else {key: value for key, value in body.items() if key != name}


def unswitched(http: Http, body: Json) -> Json:
    """Return a request without the members that need a beta."""
    from ..profiles import features  # the table is read when it is needed

    asked = Asked(source=http.features, target=http.features, takes=features.NOTHING, opaque=http.stored.opaque)
    return asked.in_body(body, [])


def listed(header: str) -> list[str]:
    """Return the names that commas separate, each once."""
    return [*dict.fromkeys(filter(None, (one.strip() for one in header.split(","))))]


def _has(value: Json, path: Sequence[str]) -> bool:
    """Return whether something is at a path."""
    if not path:
        return value is not None and value is not False
    name, *rest = path
    if name == ITEM:
        return isinstance(value, list) and any(_has(one, rest) for one in value)
    return isinstance(value, dict) and name in value and _has(value[name], rest)


def _is_below(path: str, outer: Iterable[str]) -> bool:
    """Return whether a path leads into what is at one of others."""
    return any(path.startswith(f"{one}/") for one in outer)


def _tree(paths: Mapping[str, Any]) -> dict[str, Json]:
    """Return nested mappings, from the outermost member on, of what is declared by path."""
    tree: dict[str, Json] = {}
    for path, one in paths.items():
        *outer, last = path.split("/")
        at = tree
        for name in outer:
            at = at.setdefault(name, {})
        at[last] = one
    return tree


def _with(body: Json, path: Sequence[str], value: Json) -> Json:
    """Return a body with values added to the list at a path."""
    name, *rest = path
    held = body.get(name)
    if rest:
        return {**body, name: _with(held if isinstance(held, dict) else {}, rest, value)}
    return {**body, name: [*dict.fromkeys([*(held if isinstance(held, list) else ()), *value])]}
