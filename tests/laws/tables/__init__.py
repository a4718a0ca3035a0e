"""The rows of later protocols: a module for each, named as the protocol is, so that a new one adds a file.


A module has, with the meaning that `rows`, `sometimes` and `test_base` give them, but without letters of targets:

FIELDS             a line: the rule, its severity, in brackets what servers lack, the fields
PLACES             by place: the rule, its severity, the classes; separated by semicolons
SOMETIMES          as FIELDS, where a condition holds, or a pass acts
SOMETIMES_PLACES   the same for classes in a place
CELLS              a line for each class and place that the target has: what its table states of how many
TOTAL              the sum
UNREACHED          where there are such: rows of two kinds of payloads of which one holds no such part, and why
WITH               where there are such: by class and field, other fields that a condition on it needs (test_conditions)
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from ...samples import PROTOCOLS
from ..rows import TARGETS

LATER: dict[str, ModuleType] = {
    name: import_module(f"{__name__}.{name}") for name in PROTOCOLS if name not in TARGETS.values()
}
