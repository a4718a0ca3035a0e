"""The structure that a target demands of conversations, as data that the passes after legality read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import copy
from typing import Any, Literal

import attrs
from attrs import evolve, field

from ..ir.envelope import read_seal, seal_text
from ..ir.node import Seal
from ..ir.parts import with_only
from ..ir.request import Role
from ..ir.response import LENGTH, StopReason
from ..ir.structure import FEATURES, KEYED, PARTS
from ..json.classes import frozen
from ..reporting.catalogue import KNOWN
from .verdicts import NOT_CARRIED, Check, Field, Limited, Target, Values, Verdict, ok


@frozen
class SealSlot:
    """A place in the wire format for the seals of one class of part: the only declaration of whose seals it takes
    (RSN-4).

    The reader gets them with `read`, the builder writes them with `text`, the table judges them by
    `conditions.sealed_by(slot)`, and `Constraints(seals={Reasoning: slot})` carries those of others in envelopes.

    makers  the providers whose seals the slot takes as they are; envelopes are labelled with the first
    kind    the kind of seal that an envelope replaces there (RSN-9)
    kinds   the kinds of the makers' seals that come back in envelopes, and for each whether a part with text may have
            it; by default `kind` alone, with text or without
    needed  whether parts with text have an envelope there even without a seal (RSN-16): clients take them for broken
            otherwise, or send them to their own provider as that provider's (RSN-27)
    """

    makers: tuple[str, ...]
    kind: str
    kinds: Mapping[str, bool] = field(factory=dict)
    needed: bool = False

    def read(self, text: str, kind: str = "") -> Seal:
        """Return the seal that a member holds; an envelope stays closed."""
        return read_seal(text, self.makers[0], kind or self.kind)

    def text(self, seal: Seal) -> str:
        """Return the value of the member for a seal that the table let through."""
        return seal_text(seal, self.makers[0])

    def holds(self, seal: Seal, has_text: bool) -> bool:
        """Return whether this seal, from an envelope, belongs here."""
        kinds = self.kinds or {self.kind: True}
        return seal.provider in self.makers and seal.kind in kinds and (kinds[seal.kind] or not has_text)


@frozen
class Constraints:
    """The structure of conversations that a target takes; the passes bring every conversation into it, and report it.

    instructions   "top": one place before all turns (PLC-1); "inline": turns like others
    later          where instructions after the first other turn are accepted (PLC-2): "anywhere"; "after_user", between
                   a turn of the user's and one of the assistant's; "nowhere". None: "nowhere" where `instructions` is
                   "top", else "anywhere"
    results        where a tool's results stand: "user", in the user turn that follows the calls (PLC-5); "together",
                   the same with all of them in one turn, and all calls that they answer in one turn before it;
                   "turns", in a turn each, before all user turns; "anywhere", where the source has them
    media_results  whether results hold more than text (PLC-7)
    result_holds   which parts besides text they hold then; others are moved. None: all
    nested         whether parts may hold parts: documents made of chunks, search results (DOC-3, DOC-4)
    ordered        whether text, reasoning and calls of an assistant turn keep their order (PLC-4)
    text_parts     whether a response's text may stand in several parts (PLC-8)
    text_arrays    whether arrays of nothing but texts may stand where one string would do (PLC-8)
    one_text       whether a message without such arrays has one text even beside media (PLC-8)
    worded_results  which results of tools must not be empty (PLC-27): "failed", those of failed calls, or "all". None:
                   none
    worded_documents  whether a message with a document must have a text, too (PLC-80)
    empty_text     whether text may be empty (PLC-10), in requests also only whitespace (PLC-9)
    placed_seals   whether it is checked where signed reasoning stands, so that no text between goes (PLC-26)
    items          whether the items of a response stay turns of their own; else those that continue one are joined
    namespaces     whether the calls of a response may name the namespaces of their tools (TUL-25)
    alternatives   whether a response may hold several candidates (CHO-1)
    open_calls     whether a request may end with calls that wait for their results (TUL-10)
    seals          the slots for seals, by class of part
    call_id        the id that the target gets instead of a call id: the same where it accepts it, and the same for what
                   it returned (TUL-13). None: it accepts any
    unique_calls   whether the ids of calls must differ in the whole conversation, and not in one turn only (TUL-46)
    tool_name      whether a tool may have this name; others are rewritten (TUL-26) to one that it must accept: at most
                   64 letters, digits and `_`, with a `_` in front if need be. None: any
    breakpoints    how many cache breakpoints a request may have, automatic caching counting as one (CAC-6). None: any
                   number
    outlasted      the lifetime of a cache breakpoint that names none, in seconds, where no breakpoint may last longer
                   than an earlier one (CAC-7). None: it may
    last_turn      what becomes of a last turn of the assistant's: "kept"; "continued" by the response (PLC-16), without
                   whitespace at its end (PLC-20), or "resumed", with it; "dropped", as the server rejects it (PLC-19)
    parsed_arguments  whether a call's arguments are an object, and not its JSON text (TUL-1)
    any_role_order whether others than the assistant may follow the results of tools (PLC-70), and instructions may be
                   last (PLC-21)
    beside_results which other parts a turn with results may have; a turn with others is split (PLC-70). None: all
    role_neighbours  whether turns of one role may follow each other; else they are one turn (PLC-5)
    calls_last     whether nothing of an assistant's turn may follow its calls (PLC-71)
    enforces       how the schemas of tools are enforced (SCH-10): "tool", of each tool that is strict; "choice", of all
                   by a choice of validated calls, or one that requires a call
    calls_first    whether a request may begin with a turn of the assistant's that has calls (PLC-24)
    assistant_first  whether it may begin with any other turn of the assistant's (PLC-81)
    without_output  how a response ends that was asked for without any output (CAC-8)
    changeable     which groups of settings a turn may change (RSN-45): "thinking", "output"; those of others are the
                   request's, as they are at the end
    """

    instructions: Literal["top", "inline"]
    results: Literal["user", "together", "turns", "anywhere"]
    media_results: bool
    nested: bool
    ordered: bool
    text_parts: bool
    empty_text: bool
    alternatives: bool
    items: bool
    open_calls: bool
    seals: Mapping[type, SealSlot] = field(factory=dict)
    call_id: Callable[[str], str] | None = None
    tool_name: Callable[[str], object] | None = None
    unique_calls: bool = False
    breakpoints: int | None = None
    outlasted: int | None = None
    last_turn: Literal["kept", "continued", "resumed", "dropped"] = "kept"
    any_role_order: bool = True
    role_neighbours: bool = True
    calls_last: bool = False
    namespaces: bool = False
    calls_first: bool = True
    assistant_first: bool = True
    parsed_arguments: bool = False
    text_arrays: bool = True
    one_text: bool = False
    placed_seals: bool = False
    later: Literal["anywhere", "after_user", "nowhere"] | None = None
    result_holds: Callable[[Any], bool] | None = None
    beside_results: Callable[[Any], bool] | None = None
    enforces: Literal["tool", "choice"] = "tool"
    without_output: StopReason = LENGTH
    changeable: tuple[str, ...] = ()
    worded_results: Literal["failed", "all"] | None = None
    worded_documents: bool = False


# --- seals ------------------------------------------------------------------------------------------------------------
NOBODYS = Seal("nobody", "signature", "x")


def unguarded(target: Target) -> list[str]:
    """Return the classes of parts whose seals the table passes whoever made them; a dummy seal shows it."""
    return [cls.__name__ for cls in PARTS if "seal" in attrs.fields_dict(cls) and any(_passes(target, cls))]


def _passes(target: Target, cls: type) -> Iterator[bool]:
    """Yield for each kind of payload whether the table passes the dummy seal."""
    part = with_only(cls, None, seal=NOBODYS, **({"text": "x"} if "text" in attrs.fields_dict(cls) else {}))
    for kind, places in target.places.items():
        judged = [one.of_kind(kind).verdicts for one in target.fields.get(cls, ()) if one.name == "seal"]
        there = [
            _carried(part, [(None, one) for one in table.get(cls, ())]) for table in places.values() if cls in table
        ]
        yield cls in target.fields and any(there) and all(_carried(part, one) for one in judged)


def _carried(part: Any, verdicts: Iterable[tuple[Any, Verdict]]) -> bool:
    """Return whether the first verdict that holds carries the part as it is.

    A condition that fails on a part with no more than a seal shows nothing.
    """
    for values, verdict in verdicts:
        try:
            if (values is None or part.seal in values) and (verdict.when is None or verdict.when(part)):
                return verdict.word not in NOT_CARRIED and verdict.by is None
        except Exception:  # whatever an author's condition raises
            return False
    return True


# --- stated -----------------------------------------------------------------------------------------------------------
LEGAL = ok()
Chain = tuple[tuple[Values | None, Verdict], ...]


def of_stated(target: Target, stated: Collection[str]) -> Target | None:
    """Return the table of what a server described by the caller does not accept (CAP-1); None if that is nothing.

    It is for conversions within one protocol. Only verdicts on capabilities that the caller states apply; the others
    are assumptions for requests of other protocols (CAP-2). Nothing is refused: the server itself responds in the
    client's protocol. Earlier verdicts on the same subject keep their precedence.
    """

    def concerns(one: Limited) -> bool:
        return one.without in stated or any(name in stated for name, _ in one.where)

    def kept(chain: Chain) -> Chain:
        """Return the chain up to the last verdict that applies; earlier ones on other values are made neutral."""
        counting = [at for at, (_, one) in enumerate(chain) if concerns(one) and one.word != "refuses"]
        made: list[tuple[Values | None, Verdict]] = []
        for at, (values, one) in enumerate(chain[: counting[-1] + 1] if counting else ()):
            decides = any(at <= later and _overlap(values, chain[later][0]) for later in counting)
            made.append((values, one if at in counting else _mild(one) if decides else _legal(one)))
        return tuple(made)

    def place(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
        return (*(one for _, one in kept(tuple((None, one) for one in verdicts))), LEGAL)

    made = copy(target)
    made.fields = dict.fromkeys(FEATURES, ())
    for cls, fields in target.fields.items():
        judged = (Field(one.name, kept(one.verdicts)) for one in fields if one.name not in KEYED.get(cls, ()))
        made.fields[cls] = tuple(one for one in judged if one.verdicts)
    made.places = {
        kind: {name: {cls: place(verdicts) for cls, verdicts in classes.items()} for name, classes in places.items()}
        for kind, places in target.places.items()
    }
    made.active = tuple(one for one in target.active if concerns(one) and not _refuses(one))
    made.roles = frozenset(role.value for role in Role)
    made.plans, made.open = {}, True
    judges = any(made.fields.values()) or any(
        len(verdicts) > 1
        for places in made.places.values()
        for classes in places.values()
        for verdicts in classes.values()
    )
    return made if judges or made.active else None


def _refuses(check: Check) -> bool:
    return bool(check.rules) and all(KNOWN[rule].severity == "error" for rule in check.rules)


def _mild(verdict: Verdict) -> Verdict:
    """Return a verdict that neither refuses nor rewrites what is legal."""
    return _legal(verdict) if verdict.word in ("ok", "refuses", "fills") else verdict


def _legal(verdict: Verdict) -> Verdict:
    return evolve(verdict, word="ok", rule=None, by=None, detail="")


def _overlap(some: Values | None, others: Values | None) -> bool:
    return some is None or others is None or not set(some).isdisjoint(others)
