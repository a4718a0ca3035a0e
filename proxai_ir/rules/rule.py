"""What a rule is: an id with a severity and a sentence, declared once in a process; and what a caller can do about it.

Rule: an id has one meaning, whichever package declares it; those of this package are in the catalogue.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

KNOWN: dict[str, Rule] = {}
"""Every rule that was declared, ours and those of other packages, by id."""
ERRORS: set[str] = set()
LOSSES: set[str] = set()
"""The ids of the known rules of these severities."""


Severity = Literal["law", "info", "loss", "error"]
SEVERITIES = get_args(Severity)
OWN = re.compile(r"[A-Z][A-Z0-9]{2}-[0-9]+[a-z]?")
OTHERS = re.compile(r"[A-Z][A-Z0-9]{3,}-[0-9]+[a-z]?")
_ids = [OWN]
"""The shape of the ids of this package, and of those of others, so that none is taken twice; the last one holds."""


class TableError(ValueError):
    """A protocol's table or rule cannot be used; the text names what is missing, unknown or declared twice."""


class Rule(str):
    """A rule: a string that is the rule's id, with its severity and one sentence about it.

    Making one declares it, so that diagnostics know it. A package of another protocol declares its own rules and uses
    them wherever the id of one of ours may stand. Their ids begin with its name, `ACME-1`; ours with three letters.
    `whole`: an `info` rule about an object that names all that is in it: counts, echoes, markers. Where a rule is none
    of these, what is inside a dropped object is reported by itself.
    Raises TableError where the id, the severity or the sentence is none, or the id has another meaning already.
    """

    severity: Severity
    sentence: str
    whole: bool

    __slots__ = ("sentence", "severity", "whole")

    def __new__(cls, rule: str, severity: Severity, sentence: str, *, whole: bool = False) -> Rule:
        _check(rule, severity, sentence, whole)
        made = super().__new__(cls, rule)
        made.severity, made.sentence, made.whole = severity, sentence, whole
        known = KNOWN.setdefault(rule, made)
        if (known.severity, known.sentence, known.whole) != (severity, sentence, whole):
            raise TableError(f"rule {rule} is declared already, as {known.severity}: {known.sentence}")
        if severity not in ("law", "info"):
            (ERRORS if severity == "error" else LOSSES).add(rule)
        return made

    @property
    def id(self) -> str:
        return str(self)


def _check(rule: object, severity: object, sentence: object, whole: bool) -> None:
    if not isinstance(rule, str) or (rule not in KNOWN and not _ids[-1].fullmatch(rule)):
        expected = "four capital letters or more, `-` and a number, as in ACME-1"
        raise TableError(f"{rule!r:.80} is no id of a rule; expected {expected}")
    if severity not in SEVERITIES:
        raise TableError(f"rule {rule} is {severity!r:.80}; expected one of {', '.join(SEVERITIES)}")
    if not isinstance(sentence, str) or not sentence.strip():
        raise TableError(f"rule {rule} says {sentence!r:.80}; expected a sentence about what becomes of the value")
    if whole and severity != "info":
        raise TableError(f"rule {rule} is {severity}, and `whole` is for info; a loss names all that is inside anyway")


def close_short_ids() -> None:
    """Once this package has declared its rules, no other id may look like one of its own."""
    _ids.append(OTHERS)


# What a caller can do about a loss or a refusal: an option, a profile, another payload. Only what is true of every case
# of the rule stands here; a rule that is missing cannot be helped.
KEEP_SEALS = "carry_seals=True sends it in an envelope, where the target has a field for signatures"
SEND_CONTENT = "send the content itself"
REPAIR = 'repair=("calls",) mends the history of a request'
ASK_FOR_IT = "check the response for it yourself"

REMEDIES: dict[str, str] = {
    "BAT-1": "give ids that it accepts, or find the results by `proxai_ir.batch.accepted_id`",
    "CHO-2": 'send the request once for each candidate, or emulate=("one_candidate",)',
    "CHO-3": "allow_empty=True accepts a response without content",
    "ENV-5": 'pass the option model="…"',
    "OUT-3": 'give a schema, or emulate=("json_mode",) asks for JSON in the prompt',
    "OUT-5": "ask for the length in the prompt",
    "PLC-2": 'system_in_place=True is for servers that accept them there; instructions="in_place" sends user text',
    "PLC-11": 'emulate=("user_turn",) sends instructions in place of an empty first message of the user',
    "PLC-17": 'emulate=("user_turn",) sends the instructions as the user\'s message',
    "PLC-19": "prefill=True sends it, to models of Anthropic that continue it",
    "PLC-25": "system_in_place=True is for servers that accept instructions there",
    "PLC-24": 'begin with the user\'s message; emulate=("user_turn",) sends instructions as one',
    "R2A-3": SEND_CONTENT,
    "RSN-4": KEEP_SEALS,
    "RSN-5": KEEP_SEALS,
    "RSN-13": "adaptive_thinking=True enables thinking, on models of Anthropic that have it",
    "SCH-1": "change the schema, or validate the arguments yourself",
    "SCH-7": "validate the response yourself",
    "SCH-8": "describe the format in the prompt",
    "SHP-8": 'pass the kind: "request", "response", "error" or "stream"',
    "SMP-5": ASK_FOR_IT,
    "SMP-8": "temperature_with_top_p=True sends both, to models of Anthropic that accept them",
    "SRC-1": SEND_CONTENT,
    "SRC-2": SEND_CONTENT,
    "STR-15": "raise the option buffer_limit",
    "SVC-2": "store the response yourself",
    "TUL-1": REPAIR,
    "TUL-2": 'emulate=("custom_tools",) sends custom tools as functions',
    "TUL-3": REPAIR,
    "TUL-6": "web_search=True keeps a web search, for chat models that search; nothing keeps the other tools",
    "TUL-10": REPAIR,
    "TUL-43": "set `require_approval` of the MCP server to `never`",
}


def remedy(rule: str) -> str:
    """What helps against a rule's losses and refusals; "" where nothing does."""
    return REMEDIES.get(rule, "")
