"""The samples of Responses."""

from proxai_ir import ir
from proxai_ir.ir.error import Error

from ..sample import Samples
from . import reading, requests, responses, streams
from .strategies import STRATEGIES

REPEATS = {
    r"response .*refusal/.*/?status": "an explicit refusal takes precedence (REF-9)",
    r"error failed response/(object|status)": "of a response that is converted as its error (STS-9)",
    r"stream .*": "events repeat what their deltas add up to",
}
ALL_PAGES = "what all pages of a search lose is judged once, with their list (TUL-22)"
EXEMPT: dict[tuple[type, str], str] = {
    (ir.Terminal, "reason"): "several values share one value of the wire",
    (Error, "type"): "the category is carried; the raw value is the source's own",
    (ir.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
    (ir.CodeTool, "kind"): "the version of the source's vendor is not the target's",
    (ir.CodeResult, "language"): "its call has it",
    (ir.Usage, "total"): "the wire's total is a sum; a source's other total is reported (USE-2)",
    (ir.FunctionTool, "strict"): "what is not strict is marked so here, whether the source marks it or not",
    (ir.WebHit, "title"): ALL_PAGES,
    (ir.WebHit, "seal"): ALL_PAGES,
    (ir.Reasoning, "summary"): "the thinking of other protocols becomes the summary",
}
SAMPLES = Samples.of_modules(
    requests,
    responses,
    streams,
    errors=False,
    strategies=STRATEGIES,
    reading=reading,
    repeats=REPEATS,
    exempt=EXEMPT,
    cumulative=True,
)
