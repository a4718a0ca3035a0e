"""The samples of Chat Completions."""

from proxai_ir import ir
from proxai_ir.ir.error import Error

from ..sample import Samples
from . import reading, requests, responses, streams
from .strategies import STRATEGIES

REPEATS = {
    r"response refusal/choices/0/finish_reason": "an explicit refusal takes precedence (REF-9)",
    r"stream refusal/3/choices/0/finish_reason": "an explicit refusal takes precedence (REF-9)",
    r"stream .*/[1-9]\d*/(id|created|model)": "each chunk has the envelope",
    r"stream failure/1/choices/0/index": "a choice that stands alone is the answer, whatever its index",
    r"stream .*/thinking/0/type": "of an older dialect",
    r"stream own/5/.*/audio/\w+": "of a part whose loss is reported where it begins",
    r"stream failure/0/choices/0/index": "the number of the only choice",
}
EXEMPT: dict[tuple[type, str], str] = {
    (ir.Terminal, "reason"): "several values share one value of the wire",
    (Error, "type"): "the category is carried; the raw value is the source's own",
    (ir.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
    (ir.Usage, "total"): "the wire's total is a sum; a source's other total is reported (USE-2)",
}
SAMPLES = Samples.of_modules(
    requests,
    responses,
    streams,
    strategies=STRATEGIES,
    reading=reading,
    repeats=REPEATS,
    exempt=EXEMPT,
)
