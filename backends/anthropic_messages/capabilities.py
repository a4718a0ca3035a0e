"""What only some servers of Anthropic Messages accept, and whether a caller who states nothing has them (CAP-1, CAP-2).

Rule: assumed is what every current server accepts.
"""

CAPABILITIES = {
    "adaptive_thinking": False,  # is enabled where effort is asked for: without it models do not think at any effort
    "effort": True,  # `output_config.effort`, and thinking of the type `adaptive`; older models reject both
    "sampling": True,  # temperature, top_p and top_k
    "prefill": False,  # a last message of the assistant's, which the response continues; current models reject it
    "system_in_place": False,  # the role system between a message of the user's and one of the assistant's
    "temperature_with_top_p": False,  # both of them in one request; newer models accept only one
}

VERSIONS = {
    "2023-06-01": {},
    "2026-10-21": {"adaptive_thinking": True, "sampling": False},
}
"""Of the API, by the header `anthropic-version`, with the capabilities that each changes.

2026-10-21 also rejects documents in assistant messages and citations on the text of user messages; no version gets
either from another protocol (PLC-3, CIT-1).
"""
