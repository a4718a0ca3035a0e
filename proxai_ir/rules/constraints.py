"""What a target requires of the structure of a conversation, as data that the passes after legality read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from attrs import field, frozen

from ..ir.envelope import read_seal, seal_text
from ..ir.node import Seal
from ..ir.terminal import LENGTH, StopReason


@frozen
class SealSlot:
    """Where parts of one class hold a seal (RSN-4): the one declaration of whose seals those are.

    The reader gets them with `read`, the builder writes them with `text`, the table judges them by
    `conditions.sealed_by(slot)`, and `Constraints(seals={Reasoning: slot})` carries those of others in envelopes.

    makers  the providers whose seals the slot takes as they are; the first is the one that an envelope is labelled with
    kind    the kind of seal that an envelope takes the place of there (RSN-9)
    kinds   the kinds of the makers' seals that come back in envelopes, by whether a part with text may have such a
            seal; by default `kind` alone, with text or without
    needed  whether parts with text have an envelope there even without a seal (RSN-16): clients take them for broken
            otherwise, or send them to their own provider as that provider's (RSN-27)
    """

    makers: tuple[str, ...]
    kind: str
    kinds: Mapping[str, bool] = field(factory=dict)
    needed: bool = False

    def read(self, text: str, kind: str = "") -> Seal:
        """The seal that a member holds; an envelope stays closed."""
        return read_seal(text, self.makers[0], kind or self.kind)

    def text(self, seal: Seal) -> str:
        """What the member holds for a seal that the table let through."""
        return seal_text(seal, self.makers[0])

    def holds(self, seal: Seal, has_text: bool) -> bool:
        """Whether this seal, from an envelope, belongs here."""
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
    last_turn      what becomes of a last turn of the assistant's: "kept"; "continued" by the response (PLC-16);
                   "dropped", as the server rejects it (PLC-19)
    parsed_arguments  whether a call's arguments are an object, and not its JSON text (TUL-1)
    any_role_order whether others than the assistant may follow the results of tools (PLC-70), and instructions may be
                   last (PLC-21)
    role_neighbours  whether turns of one role may follow each other; else they are one turn (PLC-5)
    calls_last     whether nothing of an assistant's turn may follow its calls (PLC-71)
    enforces       how the schemas of tools are enforced (SCH-10): "tool", of each tool that is strict; "choice", of all
                   by a choice of validated calls, or one that requires a call; "required", by the latter alone
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
    last_turn: Literal["kept", "continued", "dropped"] = "kept"
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
    enforces: Literal["tool", "choice", "required"] = "tool"
    without_output: StopReason = LENGTH
    changeable: tuple[str, ...] = ()
    worded_results: Literal["failed", "all"] | None = None
    worded_documents: bool = False
