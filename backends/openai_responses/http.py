"""Responses in HTTP: path, headers and statuses."""

from proxai_ir.backends._openai.http import LIMITS, REQUEST_ID, STATUSES
from proxai_ir.binding.http import Http

HTTP = Http(
    path="/v1/responses",
    request_id=REQUEST_ID,
    limits=LIMITS,
    statuses=STATUSES,
    models=(("model",), ("response", "model")),
)
