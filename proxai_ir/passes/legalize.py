"""Make a tree legal for a target: judge it by the target's table, apply the verdicts, then run the target's checks.

Rule 1: every field, place and extra field is judged, by the table alone (LOS-1). Rule 2: all conditions see the tree as
the source had it; checks see the legal tree, in the order of the table, and act where they report.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.request import Request
from ..report import Report
from ..rules.verdicts import Target
from .plan import Judgement, plan_of


def legalize(root: Any, target: Target, report: Report, options: Mapping[str, Any]) -> None:
    """Judge a Request, Response or Error and all below it, in place; losses and refusals are in the report."""
    plan = plan_of(target, "request" if type(root) is Request else "response")
    judgement = Judgement(report)
    plan.of[root.__class__](judgement, root)
    judgement.apply()
    plan.whole[root.__class__](root, report, options)
