"""The catalogue of all rules: id, severity and one sentence. `spec/` explains each under the same id, with examples.

Rule: a rule has one severity everywhere (LOS-2). `law` rules are obeyed and never reported; `info`, `loss` and `error`
are the severities of diagnostics.
"""

from __future__ import annotations

from .content_rules import CONTENT
from .rule import ERRORS, KNOWN, LOSSES, Rule, TableError, close_short_ids
from .settings_rules import SETTINGS

__all__ = ["ERRORS", "KNOWN", "LOSSES", "RULES", "Rule", "TableError"]

close_short_ids()
RULES: dict[str, Rule] = {rule.id: rule for rule in (*CONTENT, *SETTINGS)}
"""The rules of this package, which `spec/` explains."""
