"""What only some servers of Chat Completions accept, and whether a caller who states nothing has them (CAP-1, CAP-2).

Rule: assumed is what every current server accepts.
"""

CAPABILITIES = {
    "cache_breakpoints": False,  # also `prompt_cache_options`: newer models only; others refuse the whole request
    "web_search": False,  # `web_search_options`: only search models accept it, and they search whatever the prompt is
}
