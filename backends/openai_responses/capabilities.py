"""What only some servers of OpenAI Responses accept, and whether a caller who states nothing has them (CAP-1, CAP-2).

Rule: assumed is what every current server accepts.
"""

CAPABILITIES: dict[str, bool] = {}
