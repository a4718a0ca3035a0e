"""Strategies for what the protocols of OpenAI share: arguments as JSON text, cache breakpoints, error bodies."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from .words import NAMES, OBJECTS, TEXTS, rarely, some

ARGUMENTS = st.one_of(OBJECTS.map(json.dumps), OBJECTS.map(lambda value: json.dumps(value, indent=1)), st.just(""))
BREAKPOINTS = st.sampled_from(
    [{"mode": "explicit"}, {"mode": "explicit", "ttl": "30m"}, {"mode": "explicit", "ttl": "12h"}]
)
ERRORS = rarely(
    st.fixed_dictionaries(
        {
            "error": TEXTS
            | rarely(
                some(
                    {"message": TEXTS},
                    type=st.sampled_from(["invalid_request_error", "server_error", "odd", None]),
                    code=st.sampled_from(["invalid_api_key", 429, "odd", None]),
                    param=st.none() | NAMES,
                )
            )
        }
    )
)
