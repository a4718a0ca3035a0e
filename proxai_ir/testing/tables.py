"""Laws of a protocol's table and vocabulary: the table judges everything, and its backend does what it declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, get_args

import attrs

from .. import TranslationError, ir, raise_to
from ..conversion.profile import Profile
from ..ir.structure import BOOKKEEPING, CHILDREN, FEATURES, KEYED, hints
from ..protocol.registry import backend, frontend
from ..reporting.catalogue import KNOWN, RULES
from ..reporting.vocabulary import NO_RULE
from ..targets.verdicts import DROPS, Target, Verdict
from .payloads import assert_refused
from .pointers import at, exists, places, pointer_to
from .specimens import SPECIMENS, Specimen, responded

Values = Mapping[tuple[type, str], list[Any]]
Exempt = Mapping[tuple[type, str], str]
"""Fields for which the wire is not as the table declares, each with the reason."""
Specimens = Mapping[type, Callable[[], Specimen]]

SEALED = (ir.Text, ir.Image, ir.Audio, *ir.CALLS)
VALUES: Values = {
    (ir.ClientTool, "function"): [ir.FunctionTool("f")],
    (ir.Request, "max_tokens"): [3, 64, 0],
    (ir.Request, "summary"): [ir.Summary()],
    (ir.Sampling, "candidates"): [1, 2],
    (ir.Sampling, "temperature"): [0.5, 1.5],
    (ir.Output, "modalities"): [["text"], ["text", "audio"]],
    (ir.Caching, "lifetime"): [300, 1800, 3600, 43200],
    (ir.Cache, "ttl"): [300, 1800, 3600, 43200],
    (ir.Reasoning, "seal"): [ir.Seal("anthropic", "signature", "eQ=="), ir.Seal("other", "signature", "eA==")],
    **{(cls, "seal"): [ir.Seal("other", "signature", "eA==")] for cls in SEALED},
    (ir.WebSearchCall, "queries"): [["moon"], ["moon", "tides"]],
    (ir.McpResult, "is_error"): [True],
    **{(cls, "language"): ["bash"] for cls in (ir.CodeCall, ir.CodeResult)},
    (ir.WebHit, "seal"): [ir.Seal("anthropic", "content", "eQ==")],
    (ir.UrlCitation, "seal"): [ir.Seal("anthropic", "index", "eA==")],
    (ir.Inline, "mime"): ["image/jpeg", "audio/wav"],
    (ir.Url, "mime"): ["image/webp"],
    (ir.Url, "url"): ["https://e.com/b.png", "gs://b/c"],
    (ir.AllowedChoice, "tools"): [[("function", "f"), ("function", "g")]],
    (ir.NamedChoice, "name"): ["g"],
    (ir.ClientCall, "raw"): [{"type": "shell_call", "call_id": "d"}],
    (ir.ClientCall, "kind"): ["local_shell"],
    (ir.ClientCall, "arguments"): [{"commands": ["ls", "pwd"]}],
    (ir.FunctionTool, "parameters"): [
        {"type": "object", "properties": {}, "additionalProperties": False, "title": "T"}
    ],
    (ir.PlainText, "mime"): ["text/markdown"],
    (ir.Usage, "details"): [
        {key: 7} for key in ("input.audio", "output.accepted_prediction", "cache_write.300", "x.y")
    ],
    (ir.SchemaFormat, "schema"): [
        {"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"], "additionalProperties": False}
    ],
    (ir.TurnSettings, "passing"): [True],
    (ir.SchemaFormat, "strict"): [False],  # a closed schema is strict where nothing is stated
}
"""Values of fields for which an arbitrary value of the type would mean nothing."""


def features(cls: type) -> list[str]:
    """Return the fields of a class that a table judges."""
    names = {each.name for each in attrs.fields(cls)} - BOOKKEEPING - set(CHILDREN.get(cls, ()))
    return sorted(names)


NOT_SHOWN: Exempt = {
    (ir.Turn, "continues"): "shows only after a turn that it continues",
    (ir.Terminal, "raw"): "the reason is sent; the raw word is the source's own",
}
"""Fields that no specimen can show, whatever the protocol."""


# --- the table judges everything --------------------------------------------------------------------------------------


def table_is_total(protocol: str) -> None:
    """Assert that the table loads with this version of the IR, all its rows are used, and its rules can be reported."""
    target = backend(protocol).target
    idle = [cls.__name__ for cls in target.idle]
    assert not idle, f"{protocol} has verdicts on the fields of {idle}, which it carries nowhere"
    laws = sorted(rule for rule in target.cited() if rule not in KNOWN or KNOWN[rule].severity == "law")
    assert not laws, f"{protocol} cites {laws}, which are never reported"
    _assert_own_ids(protocol, target.cited())


def vocabulary_is_sound(protocol: str) -> None:
    """Assert that vendor fields have rules that can be reported, and wire paths belong to fields that exist."""
    front = frontend(protocol)
    cited = set(_rules(front.vendor_fields))
    unknown = sorted(rule for rule in cited if rule not in KNOWN or KNOWN[rule].severity == "law")
    assert not unknown, f"vendor_fields of {protocol} cite {unknown}, which are never reported"
    _assert_own_ids(protocol, cited)
    classes = {cls.__name__: cls for cls in FEATURES}
    for name, paths in front.wire_paths.items():
        assert name in classes, f"wire_paths of {protocol} are about {name}, which is no class of the IR"
        fields = {field.name for field in attrs.fields(classes[name])}
        lost = sorted(path for path in paths.keys() - fields if not (classes[name] in KEYED and "." in path))
        assert not lost, f"wire_paths of {protocol} name {lost}, which {name} does not have"


FOREIGN = "made-by-nobody"


def seals_are_their_makers(protocol: str, *, specimens: Specimens = SPECIMENS) -> int:
    """Assert that a seal of another maker does not reach the target, as only its maker can read it (RSN-4)."""
    server, *_ = servers(protocol)
    examined = 0
    for make in specimens.values():
        root, node = make()
        if "seal" not in attrs.fields_dict(type(node)):
            continue
        node.seal = ir.Seal("nobody", "signature", FOREIGN)
        wire = _wire(root, server)
        examined += not isinstance(wire, set)
        assert FOREIGN not in wire, f"{protocol} is sent a seal of {type(node).__name__} that it has not made: {wire}"
    return examined


def generated_call_ids_are_sent(protocol: str) -> int:
    """Assert that the wire has a generated id of a call if the table reports that (TUL-17)."""
    target = backend(protocol).target
    if not any("TUL-17" in check.rules for check in target.checks):
        return 0
    given, missing = (raise_to(_calling(identity), protocol) for identity in ("call_x9", None))
    found = [path for path in places(given) if at(given, path) == "call_x9"]
    for path in found:
        generated = at(missing, path) if exists(missing, pointer_to(path)) else None
        assert isinstance(generated, str) and generated, (
            f"{protocol} reports TUL-17, and nothing generates an id at {pointer_to(path)}: see checks.ANSWERED_IDS"
        )
    return len(found)


def _calling(identity: str | None) -> ir.Response:
    root = responded(ir.FunctionCall(identity, "f", {"a": 1}))
    root.candidates[0].terminal.reason = ir.StopReason.TOOL_CALLS
    return root


def _assert_own_ids(protocol: str, rules: Iterable[str]) -> None:
    """Assert that the ids of a package's own rules cannot become ids of this library."""
    short = sorted(rule for rule in rules if rule not in RULES and len(rule.partition("-")[0]) < 4)
    assert not short, f"{protocol}: ids of rules begin with four letters or more, unlike {short}"


def repeating(table: Any) -> Iterator[str]:
    """Yield the members in a table of vendor fields that repeat another one, so that no loss is reported (NO_RULE)."""
    for name, entry in table.items() if isinstance(table, Mapping) else ():
        if entry == NO_RULE:  # a function looks at the value, as whether it is empty
            yield name
        yield from repeating(entry)


def _rules(table: Any) -> Iterator[str]:
    """Yield the rules in a table of vendor fields; functions that depend on the value are called with samples."""
    if isinstance(table, str):
        yield from (table,) if table != NO_RULE else ()
    elif callable(table):
        found: Iterable[Any] = map(table, (None, {}, "x"))
        yield from (str(rule) for rule in found if rule != NO_RULE)
    else:
        for value in table.values():
            yield from _rules(value)


# --- the backend does what the table declares -------------------------------------------------------------------------


def wire_is_as_declared(
    protocol: str, cls: type, *, exempt: Exempt = NOT_SHOWN, values: Values = VALUES, specimens: Specimens = SPECIMENS
) -> int:
    """Assert that a change of a field changes the wire exactly if the table declares that the target gets the field.

    The targets are a server with all capabilities, and the same server with each other word of each setting.
    """
    examined = 0
    for server in servers(protocol):
        for name in features(cls) if cls in backend(server).target.fields else ():
            if (cls, name) not in exempt and (cls, name) not in NOT_SHOWN:
                examined += _assert_declared(server, cls, name, values, specimens)
    return examined


def wire_differs_where_exempt(
    protocol: str, cls: type, name: str, *, values: Values = VALUES, specimens: Specimens = SPECIMENS
) -> None:
    """Assert that an exemption is still needed."""
    try:
        for server in servers(protocol):
            _assert_declared(server, cls, name, values, specimens)
    except AssertionError:
        return
    raise AssertionError(f"{protocol}: the exemption of {cls.__name__}.{name} is not needed")


def _assert_declared(server: Profile, cls: type, name: str, values: Values, specimens: Specimens) -> int:
    """Assert this for some values of a field in place of the specimen's, and return how many were examined."""
    examined = 0
    target = backend(server).target
    for value in _values(cls, name, values):
        root, old = specimens[cls]()
        changed, new = specimens[cls]()
        if getattr(old, name) == value:
            continue
        setattr(new, name, value)
        kind = "request" if isinstance(root, ir.Request) else "response"
        was, now = (_verdict(target, one, name, kind) for one in (old, new))
        if was is not None and getattr(old, name) is not None:
            continue  # the specimen itself is not legal in this field
        examined += 1
        subject = f"{_named(server)}: {cls.__name__}.{name} = {value!r}"
        wire, other = _wire(root, server), _wire(changed, server)
        if now is None:
            assert not isinstance(wire, set), (
                f"{_named(server)} refuses the specimen of {cls.__name__} ({wire}): give another"
            )
            assert wire != other, f"{subject} is declared `ok`, and the wire is the same without it: {wire}"
        elif now.word in DROPS and getattr(old, name) is None:
            assert wire == other, f"{subject} is declared `{now.word}`, and the wire changes: {wire} and {other}"
        elif now.word == "refuses":
            assert isinstance(other, set) and now.rule in other, f"{subject} is declared `refuses`, and gives {other}"
    return examined


def _values(cls: type, name: str, values: Values) -> list[Any]:
    """Return values to put into a field."""
    if (cls, name) in values:
        return values[cls, name]
    hint = hints(cls)[name]
    options = [option for option in (hint, *get_args(hint)) if option is not type(None)]
    for option in options:
        if isinstance(option, type) and issubclass(option, Enum):
            return list(option)
    simple: dict[Any, list[Any]] = {bool: [True, False], int: [3], float: [0.25], str: ["other"]}
    for option in options:
        if option in simple:
            return simple[option]
        if str(option).startswith("list"):
            return [["b", "c"]]
        if str(option).startswith("dict"):
            return [{"k": 1}]
    raise AssertionError(f"no values for {cls.__name__}.{name}: {hint}")


def _verdict(target: Target, node: Any, name: str, kind: str) -> Verdict | None:
    """Return the table's verdict on a field with its value, or None if it is supported unchanged."""
    value = getattr(node, name)
    if value and name in KEYED.get(type(node), ()):
        (value,) = value  # the one key
    for field in target.fields[type(node)]:
        if field.name == name:
            for among, one in field.verdicts:
                if (
                    one.kind in ("", kind)
                    and (among is None or value in among)
                    and (one.when is None or one.when(node))
                ):
                    return one if one.rule else None
    return None


def servers(protocol: str) -> list[Profile]:
    """Return a server with all capabilities, and the same server with each other word of each setting."""
    table = backend(protocol).target
    every: dict[str, Any] = {name: True for name, has in table.capabilities.items() if isinstance(has, bool)}
    words = {name: table.settings[name].choices for name in table.capabilities if name not in every}
    others: list[dict[str, Any]] = [
        {name: word} for name, known in words.items() for word in known if word != table.capabilities[name]
    ]
    return [Profile(protocol, **every), *(Profile(protocol, **every, **other) for other in others)]


def _named(server: Profile) -> str:
    """Return the protocol of a server and the words of its settings."""
    return ", ".join([server.protocol, *(f"{name} {one}" for name, one in server.settings.items() if one is not True)])


def _wire(root: Any, server: Profile) -> Any:
    """Return the payload as text, or the rules by which it is refused."""
    try:
        return repr(raise_to(root, server))
    except TranslationError as error:
        assert_refused(error)
        return {one.rule for one in error.diagnostics}
