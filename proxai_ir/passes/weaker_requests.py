"""What a request asks for and the target lacks, in a weaker form: "json_mode" and "one_candidate" of `emulate`.

Rule: nothing of it happens unless the caller asks for it, and each is a loss, as it changes what comes back (OUT-11,
CHO-4).
"""

from __future__ import annotations

from ..ir.parts import Text
from ..ir.request import JsonFormat, Request
from ..ir.turns import SYSTEM, Turn
from ..reporting.report import Report
from ..rules.verdicts import NOT_CARRIED, Target
from .instructions import INSTRUCTIONS

JSON_MODE, ONE_CANDIDATE = "json_mode", "one_candidate"
ONLY_JSON = "Respond with a JSON object only, without any text around it."
"""The instruction that takes the place of JSON mode."""


def lacks_json_mode(target: Target) -> bool:
    return target.places["request"]["format"][JsonFormat][0].word in NOT_CARRIED


def ask_for_json(request: Request, report: Report) -> None:
    """Put an instruction behind those that the request begins with, in place of JSON mode."""
    output = request.output
    if output is None or not isinstance(output.format, JsonFormat):
        return
    report.at("OUT-11", output.format)
    turns = request.turns = request.turns or []
    first = next((at for at, turn in enumerate(turns) if turn.role not in INSTRUCTIONS), len(turns))
    source = output.format.src
    turns.insert(first, Turn(SYSTEM, [Text(ONLY_JSON, src=source)], src=source))
    output.format = None


def ask_for_one(request: Request, report: Report) -> None:
    """Ask for one candidate instead of several."""
    sampling = request.sampling
    if sampling is not None and sampling.candidates is not None and sampling.candidates > 1:
        report.at("CHO-4", sampling, "candidates")
        sampling.candidates = None
