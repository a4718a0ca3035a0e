"""The facts about models of Google (CAP-5).

The defaults of the protocol are those of Gemini 3 behind the Gemini API. A cloud that has them is "vertex".
"""

from __future__ import annotations

from ..facts import GEMINI, INTERACTIONS, best, fact

DOCS = "https://ai.google.dev/gemini-api/docs"
THINKING = f"{DOCS}/generate-content/thinking"
LATEST = f"{DOCS}/latest-model"
FUNCTIONS = f"{DOCS}/function-calling"
SIGNATURES = f"{DOCS}/thought-signatures"
PARTS = f"{DOCS}/media-resolution"
SDK = "google-genai"
LOOKED = "2026-11-24"

FACTS = (
    # --- thinking ----------------------------------------------------------------------------------------------------
    # "If you use the `thinking_level` parameter with a model earlier than Gemini 3, the model returns an error."
    fact("gemini", until="2", effort=False, source=THINKING, looked=LOOKED),
    # A budget of 0 turns thinking off; the least of 2.5 Pro is 128.
    fact("gemini", since="2.5", until="2.5", but="pro", thinking_off=True, source=THINKING, looked=LOOKED),
    fact(
        "gemini", INTERACTIONS, reason="it has levels of thinking alone, and none of them is nothing", since="2.5",
        until="2.5", but="pro", thinking_off=False, source=THINKING, looked=LOOKED,
    ),
    fact("gemini", until="2.0", thinking=False, source=THINKING, looked=LOOKED),
    # "Thinking level is not supported for this model": the least is `minimal` for Flash up to 3.6, else `low`.
    fact("gemini", since="3", until="3.6", only="flash", least_effort="minimal", source=THINKING, looked=LOOKED),
    fact("gemini", since="4", thinking_budgets=False, source=THINKING, looked=LOOKED),
    fact(
        "gemini", since="4", only="hydrogen neon", highest_effort="xhigh", looked=LOOKED,
        source="https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/guides/gemini-4-hydrogen",
    ),
    fact(
        "gemma", server="own vertex", thinking_budgets=False, least_effort="minimal", middle_efforts=False,
        source=f"{DOCS}/gemma", looked=LOOKED,
    ),
    # --- open weights on others' servers -----------------------------------------------------------------------------
    fact(
        "gemma", role_neighbours=False, looked="2026-11-27", source="Conversation roles must alternate "
        "user/assistant/user/assistant/… (https://github.com/google/adk-python/issues/1373)",
    ),
    # --- other settings ----------------------------------------------------------------------------------------------
    fact(
        "gemini", since="3", several_candidates=False, looked=LOOKED,
        source="Multiple candidates is not enabled for this model",
    ),
    fact("gemini", until="2.0", penalties=True, source=f"{DOCS}/text-generation", looked=LOOKED),
    # Models of before 3.6 continue a last turn of their own; later ones refuse it.
    fact("gemini", until="3.5", but="lite", prefill=True, source=LATEST, looked=LOOKED),
    fact("gemini", until="3.4", prefill=True, source=LATEST, looked=LOOKED),
    # --- tools and content -------------------------------------------------------------------------------------------
    fact("gemini gemma", until="2", dummy_signatures=False, source=SIGNATURES, looked=LOOKED),
    fact(
        "gemini", until="2", json_with_tools=False, looked=LOOKED,
        source="Function calling with a response mime type: 'application/json' is unsupported",
    ),
    fact(
        "gemini", until="2", mixed_tools=False, looked=LOOKED,
        source="Tool use with function calling is unsupported",
    ),
    fact(
        "gemini", server="own vertex", most_tools=512, looked="2026-11-29",
        source="tools[0].function_declarations: [FIELD_INVALID] At most 512 function declarations can be specified. "
        "(https://github.com/google-gemini/gemini-cli/issues/25440)",
    ),
    # "Multimodal function responses" and the resolution of single parts are of the Gemini 3 series.
    fact("gemini", until="2", media_in_results=False, source=FUNCTIONS, looked=LOOKED),
    fact("gemini", until="2", media_resolution=False, source=PARTS, looked=LOOKED),
    fact(
        "gemini", until="2.0", json_schemas=False, media_urls=False, url_context=False,
        source=f"{DOCS}/structured-output", looked=LOOKED,
    ),
    # --- Vertex AI ---------------------------------------------------------------------------------------------------
    # The package, of fields: "not supported in Vertex AI", "not supported in Gemini API".
    fact(
        "gemini gemma", server="vertex", display_names=True, enterprise_search=True, excluded_domains=True, labels=True,
        logprobs=True, file_search=False, mcp_servers=False, mixed_tools=False, store=False, source=SDK, looked=LOOKED,
    ),
    fact(
        "gemini", server="vertex", since="3.5", until="3.5", but="lite", logprobs=False, looked=LOOKED,
        source="Unable to submit request because Logprobs is not supported for this model",
    ),
)  # fmt: skip
# "gemini-flash-latest": the newest release of a variant, which changes with two weeks' notice.
ROLLING = ("gemini",)
BEST = (best("gemini gemma", GEMINI), best("gemini gemma", INTERACTIONS))
