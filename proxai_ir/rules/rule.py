"""What a rule is: an id with a severity and a sentence, declared once in a process.

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
