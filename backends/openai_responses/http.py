"""Responses in HTTP: path, headers and statuses."""

from proxai_ir.http import Http
from proxai_ir.vendors.openai.http import LIMITS, REQUEST_ID, STATUSES

HTTP = Http(
    path="/v1/responses",
    request_id=REQUEST_ID,
    limits=LIMITS,
    statuses=STATUSES,
    models=(("model",), ("response", "model")),
)
