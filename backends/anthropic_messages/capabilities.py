"""What only some servers of Anthropic Messages accept, and whether a caller who states nothing has them (CAP-1, CAP-2).

Rule: assumed is what every current server accepts.
"""

CAPABILITIES = {
    "sampling": True,  # temperature, top_p and top_k
}

VERSIONS = {
    "2023-06-01": {},
    "2026-10-21": {"sampling": False},
}
"""Of the API, by the header `anthropic-version`, with the capabilities that each changes."""
