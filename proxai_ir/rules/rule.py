"""What a rule is: an id with a severity and a sentence, declared once in a process.

Rule: an id has one meaning, whichever package declares it; those of this package are in the catalogue.
"""

from __future__ import annotations

from typing import Literal

KNOWN: dict[str, Rule] = {}
"""Every rule that was declared, ours and those of other packages, by id."""
ERRORS: set[str] = set()
LOSSES: set[str] = set()
"""The ids of the known rules of these severities."""


class TableError(ValueError):
    """A protocol's table or rule cannot be used; the text names what is missing, unknown or declared twice."""


class Rule(str):
    """A rule: a string that is the rule's id, with its severity and one sentence about it.

    Making one declares it, so that diagnostics know it. A package of another protocol declares its own rules and uses
    them wherever the id of one of ours may stand. Their ids begin with its name, `ACME-1`; ours with three letters.
    Raises TableError where the id has another meaning already.
    """

    severity: Literal["law", "info", "loss", "error"]
    sentence: str

    __slots__ = ("sentence", "severity")

    def __new__(cls, rule: str, severity: Literal["law", "info", "loss", "error"], sentence: str) -> Rule:
        made = super().__new__(cls, rule)
        made.severity, made.sentence = severity, sentence
        known = KNOWN.setdefault(rule, made)
        if (known.severity, known.sentence) != (severity, sentence):
            raise TableError(f"rule {rule} is declared already, as {known.severity}: {known.sentence}")
        if severity not in ("law", "info"):
            (ERRORS if severity == "error" else LOSSES).add(rule)
        return made

    @property
    def id(self) -> str:
        return str(self)
