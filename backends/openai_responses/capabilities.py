"""What only some servers of OpenAI Responses accept, and whether a caller who states nothing has them (CAP-1, CAP-2).

Rule: assumed is what every current server accepts.
"""

CAPABILITIES = {
    "bare_reasoning": False,  # reasoning items of requests with neither id nor encrypted content
    "effort_none": False,  # the effort "none": models that always reason refuse it
    "cache_breakpoints": False,  # also `prompt_cache_options`: newer models only; others refuse the whole request
    "system_in_place": True,  # instructions in mid-conversation, and several messages of them at the beginning
}
