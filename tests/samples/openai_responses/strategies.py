"""Generated Responses payloads: sound, a few with unknown members."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import strategies as st

from ..openai import ARGUMENTS, BREAKPOINTS
from ..openai import ERRORS as BODIES
from ..sample import Events, Json, Strategy
from ..words import (
    BASE64,
    COUNTS,
    FLAGS,
    IDS,
    JSON,
    LIMITS,
    NAMES,
    NUMBERS,
    OBJECTS,
    SCHEMAS,
    TEXTS,
    URLS,
    WORDS,
    cut,
    rarely,
    some,
    tagged,
)
from . import building

# --- parts ------------------------------------------------------------------------------------------------------------

MARKERS = {"prompt_cache_breakpoint": BREAKPOINTS}
DETAILS = st.sampled_from(["low", "auto", "original"])
TEXT_PARTS = some(tagged("input_text", text=TEXTS), **MARKERS)
IMAGES = st.one_of(
    some(tagged("input_image", image_url=URLS | st.just("data:image/png;base64,aGk=")), detail=DETAILS, **MARKERS),
    some(tagged("input_image", file_id=st.just("file-1")), detail=DETAILS, **MARKERS),
)
FILES = st.one_of(
    some(
        tagged(
            "input_file",
            file_data=st.sampled_from(["data:application/pdf;base64,aGk=", "data:text/plain;base64,aGk=", "aGk="]),
        ),
        filename=WORDS,
        detail=DETAILS,
        **MARKERS,
    ),
    some(tagged("input_file", file_url=URLS), filename=WORDS, **MARKERS),
    st.just({"type": "input_file", "file_id": "file-2"}),
)
UNKNOWN_PARTS = st.just({"type": "hologram", "beam": 3})
PARTS = st.one_of(*[TEXT_PARTS] * 3, *[IMAGES] * 2, *[FILES] * 2, rarely(TEXT_PARTS), UNKNOWN_PARTS)
TEXT_CONTENT = st.one_of(TEXTS, TEXTS, st.lists(TEXT_PARTS, min_size=1, max_size=2))
RESULT_CONTENT = st.one_of(
    TEXTS, WORDS, st.lists(st.one_of(TEXT_PARTS, TEXT_PARTS, IMAGES, FILES), min_size=1, max_size=2)
)
ANNOTATIONS = st.lists(
    st.sampled_from(
        [
            {"type": "url_citation", "url": "https://e.com", "title": "T", "start_index": 0, "end_index": 1},
            {"type": "file_citation", "file_id": "file-1", "filename": "a.pdf", "index": 1},
        ]
    ),
    max_size=1,
)
LOGPROBS = st.sampled_from([[], [{"token": "Hi", "bytes": [72, 105], "logprob": -0.5, "top_logprobs": []}]])
OUTPUT_TEXTS = some(tagged("output_text", text=WORDS, annotations=ANNOTATIONS), logprobs=LOGPROBS)
# Texts that no other part repeats: what repeats a refusal arrives once (REF-11).
REFUSALS = st.fixed_dictionaries(tagged("refusal", refusal=st.sampled_from(["No.", "I must not."])))
OUTPUT_PARTS = st.lists(st.one_of(*[OUTPUT_TEXTS] * 4, rarely(OUTPUT_TEXTS), REFUSALS), min_size=1, max_size=2)

# --- items ------------------------------------------------------------------------------------------------------------

STATUSES = st.sampled_from(["completed", "completed", "completed", "incomplete", "in_progress"])
ITEM_IDS = st.sampled_from(["msg_1", "it_2"])
CALLERS = st.sampled_from([{"type": "direct"}, {"type": "program", "caller_id": "p"}])
FACTS = {"status": STATUSES, "id": ITEM_IDS, "caller": CALLERS}
USERS = st.one_of(
    st.fixed_dictionaries({"role": st.just("user"), "content": TEXTS}),
    some(
        {"role": st.just("user"), "content": TEXTS | st.lists(PARTS, min_size=1, max_size=3)},
        type=st.just("message"),
        status=STATUSES,
    ),
)
INSTRUCTIONS = some(
    {"role": st.sampled_from(["system", "developer"]), "content": TEXT_CONTENT}, type=st.just("message")
)
PHASES = st.sampled_from(["commentary", "final_answer"])
WRITTEN = tagged("message", id=ITEM_IDS, role=st.just("assistant"), status=STATUSES, content=OUTPUT_PARTS)
OUTPUT_MESSAGES = rarely(some(WRITTEN, phase=PHASES))
ASSISTANT = st.one_of(
    some({"role": st.just("assistant"), "content": TEXTS}, type=st.just("message"), phase=PHASES), OUTPUT_MESSAGES
)
SUMMARIES = st.lists(st.fixed_dictionaries(tagged("summary_text", text=TEXTS)), max_size=2)
REASONING = some(
    tagged("reasoning", id=st.just("rs_1"), summary=SUMMARIES),
    content=st.lists(st.fixed_dictionaries(tagged("reasoning_text", text=TEXTS)), max_size=1),
    encrypted_content=BASE64,
    status=STATUSES,
)
SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
PAGE = {"type": "url", "url": "https://example.org/"}
CODE = {"type": "code_interpreter_call", "id": "ci_1", "status": "completed", "code": "1", "container_id": "c"}
MCP = {"type": "mcp_call", "id": "mcp_1", "server_label": "s", "name": "n", "arguments": '{"a":1}'}
HOSTED = st.sampled_from(
    [
        [{**SEARCH, "action": {"type": "search", "query": "q"}}],
        [{**SEARCH, "action": {"type": "search", "query": "q", "queries": ["q", "r"], "sources": [PAGE, PAGE]}}],
        [{**SEARCH, "action": {"type": "search", "query": "q", "queries": ["r"], "beam": 3}, "beam": 3}],
        [{**SEARCH, "status": "failed", "action": {"type": "search", "queries": [], "sources": [{**PAGE, "beam": 3}]}}],
        [{**SEARCH, "action": {"type": "search", "query": "q", "sources": [{"type": "api", "name": "weather"}]}}],
        [{**SEARCH, "action": {"type": "open_page", "url": "https://example.org/"}}],
        [{"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["q"], "results": None}],
        [{**MCP, "output": "x"}],
        [{**MCP, "output": None, "error": {"type": "http_error", "code": 500, "message": "x"}, "status": "failed"}],
        [{**MCP, "error": {"type": "mcp_tool_execution_error", "content": [{"type": "text", "text": "x"}]}}],
        [{**MCP, "error": "x", "output": "y", "beam": 3}],
        [{**MCP, "id": "mcp_2", "error": {"type": "hologram"}, "approval_request_id": "mcpr_1"}],
        [{**CODE, "outputs": [{"type": "logs", "logs": "1"}]}],
        [{"type": "compaction", "id": "cmp_1", "encrypted_content": "eA=="}],
        [{"type": "hologram", "id": "h_1", "beam": 3}],
    ]
)
APPROVED: list[Json] = [
    {"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "s", "name": "n", "arguments": "{}"},
    {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
]


def call(id_: str) -> Strategy:
    facts = {**FACTS, "namespace": NAMES}
    function = rarely(some(tagged("function_call", call_id=st.just(id_), name=NAMES, arguments=ARGUMENTS), **facts))
    custom = some(tagged("custom_tool_call", call_id=st.just(id_), name=NAMES, input=TEXTS), **facts)
    return st.one_of(*[function] * 5, custom)


def result(of: Json) -> Strategy:
    return some(tagged(f"{of['type']}_output", call_id=st.just(of["call_id"]), output=RESULT_CONTENT), **FACTS)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Json]:
    """Calls and the results of all of them, each right after its call or all in the end."""
    ids = draw(st.lists(IDS, min_size=1, max_size=2, unique=True))
    before = draw(st.lists(REASONING | ASSISTANT, max_size=2))
    calls = [draw(call(id_)) for id_ in ids]
    results = [draw(result(one)) for one in calls]
    if draw(FLAGS):
        return [*before, *calls, *results]
    return [*before, *(item for pair in zip(calls, results, strict=True) for item in pair)]


EPISODES = st.one_of(
    *[USERS.map(lambda one: [one])] * 2,
    *[ASSISTANT.map(lambda one: [one])] * 2,
    *[exchanges()] * 3,
    INSTRUCTIONS.map(lambda one: [one]),
    st.tuples(REASONING, ASSISTANT).map(list),
    HOSTED,
    st.sampled_from([APPROVED, [{"type": "item_reference", "id": "msg_9"}], [{"id": "msg_9"}]]),
)


@st.composite
def conversations(draw: st.DrawFn) -> list[Json]:
    opening = draw(st.lists(INSTRUCTIONS, max_size=1))
    rest = draw(st.lists(EPISODES, max_size=3))
    return [*opening, draw(USERS), *(item for episode in rest for item in episode)]


# --- requests ---------------------------------------------------------------------------------------------------------

TOOL_FACTS = {"defer_loading": FLAGS, "async": FLAGS, "allowed_callers": st.just(["direct"])}
FUNCTIONS = some(
    tagged("function", name=NAMES),
    description=TEXTS,
    parameters=st.none() | SCHEMAS,
    strict=st.none() | FLAGS,
    output_schema=SCHEMAS,
    **TOOL_FACTS,
)
GRAMMARS = st.sampled_from([{"type": "text"}, {"type": "grammar", "syntax": "regex", "definition": "a+"}])
SEARCHES = some(
    {"type": st.sampled_from(["web_search", "web_search_preview", "web_search_2025_08_26"])},
    search_context_size=st.sampled_from(["low", "medium"]),
    user_location=some({"type": st.just("approximate")}, city=TEXTS, country=st.just("IT")),
    filters=st.sampled_from([{"allowed_domains": ["e.com"]}, {"blocked_domains": ["e.com"]}, {}]),
    external_web_access=FLAGS,
)
TOOLS = st.one_of(
    *[FUNCTIONS] * 3,
    some(tagged("custom", name=NAMES), description=TEXTS, format=GRAMMARS, **TOOL_FACTS),
    SEARCHES,
    st.sampled_from(
        [{"type": "code_interpreter", "container": {"type": "auto"}}, {"type": "mcp", "server_label": "s"}]
    ),
    some(
        tagged("mcp", server_label=st.just("s"), server_url=st.just("https://example.org/mcp")),
        require_approval=st.sampled_from(["never", "never", "always", {"never": {"tool_names": ["n"]}}]),
        allowed_tools=st.sampled_from([["n"], {"tool_names": ["n"]}, {"read_only": True}, {}]),
        authorization=TEXTS,
        headers=st.sampled_from([{}, {"X-A": "b"}]),
        defer_loading=FLAGS,
        server_description=TEXTS,
    ),
    st.just({"type": "teleport", "range": 3}),
)
ALLOWED: Strategy = st.lists(st.fixed_dictionaries(tagged("function", name=NAMES)), min_size=1, max_size=2)
CHOICES = st.one_of(
    st.sampled_from(["auto", "none", "required", "whatever"]),
    st.fixed_dictionaries({"type": st.sampled_from(["function", "custom"]), "name": NAMES}),
    st.sampled_from([{"type": "web_search_preview"}, {"type": "mcp", "server_label": "s"}, {"type": "teleport"}]),
    st.fixed_dictionaries(tagged("allowed_tools", mode=st.sampled_from(["auto", "required"]), tools=ALLOWED)),
)
FORMATS = st.one_of(
    st.sampled_from([{"type": "text"}, {"type": "json_object"}, {"type": "runes"}]),
    some(tagged("json_schema", name=NAMES, schema=SCHEMAS), strict=st.none() | FLAGS, description=TEXTS),
)
SHOWN = st.sampled_from(["auto", "concise", "detailed", "sung"])
TIERS = st.sampled_from(["auto", "default", "flex", "priority", "fast", "ultrafast", "slow"])
SETTINGS: dict[str, Strategy] = {
    "instructions": TEXTS,
    "tools": st.lists(TOOLS, min_size=1, max_size=2),
    "tool_choice": CHOICES,
    "parallel_tool_calls": FLAGS,
    "max_output_tokens": LIMITS,
    "max_tool_calls": COUNTS,
    "temperature": NUMBERS,
    "top_p": NUMBERS,
    "top_logprobs": COUNTS,
    "include": st.lists(st.sampled_from(["message.output_text.logprobs", "reasoning.encrypted_content"]), max_size=2),
    "reasoning": some(
        {},
        effort=st.sampled_from(["none", "minimal", "low", "high", "max", "boundless"]),
        summary=SHOWN,
        generate_summary=SHOWN,
        mode=st.sampled_from(["standard", "pro"]),
        context=st.sampled_from(["auto", "all_turns"]),
    ),
    "text": some({}, format=FORMATS, verbosity=st.sampled_from(["low", "medium", "high"])),
    "truncation": st.sampled_from(["auto", "disabled"]),
    "background": FLAGS,
    "prompt_cache_key": TEXTS,
    "prompt_cache_options": st.sampled_from(
        [{"mode": "implicit"}, {"mode": "explicit", "ttl": "12h"}, {"ttl": "9m"}, {"prewarm": True}, {}]
    ),
    "prompt_cache_retention": st.sampled_from(["in_memory", "24h"]),
    "service_tier": TIERS,
    "safety_identifier": IDS,
    "user": IDS,
    "metadata": st.sampled_from([{"k": "v"}, {}]),
    "store": FLAGS,
    "stream": FLAGS,
    "stream_options": some({}, include_obfuscation=FLAGS),
    "previous_response_id": st.none() | st.just("resp_0"),
    "moderation": JSON,
}
INPUTS = st.one_of(WORDS, *[conversations()] * 5)
REQUESTS = rarely(some({"model": st.just("gpt-5"), "input": INPUTS}, **SETTINGS))

# --- responses --------------------------------------------------------------------------------------------------------

USAGE = rarely(
    some(
        {"input_tokens": COUNTS, "output_tokens": COUNTS, "total_tokens": COUNTS},
        input_tokens_details=some({"cached_tokens": COUNTS}, cache_write_tokens=COUNTS, audio_tokens=COUNTS),
        output_tokens_details=some({"reasoning_tokens": COUNTS}, audio_tokens=COUNTS),
    )
)
REASONS = st.sampled_from(["max_output_tokens", "content_filter", "steered", "bored"])
INCOMPLETE = st.none() | st.fixed_dictionaries({"reason": REASONS})
FAILURES = rarely(
    st.fixed_dictionaries({"code": st.sampled_from(["server_error", "invalid_prompt", "odd"]), "message": TEXTS})
)
ENDINGS = st.one_of(
    *[st.just({"status": "completed", "error": None, "incomplete_details": None})] * 3,
    st.fixed_dictionaries({"status": st.just("incomplete"), "incomplete_details": INCOMPLETE}),
    st.fixed_dictionaries({"status": st.just("failed"), "error": st.none() | FAILURES}),
    st.fixed_dictionaries({"status": st.sampled_from(["in_progress", "cancelled", "queued", "tired", None])}),
)
ECHOES: dict[str, Strategy] = {
    "created_at": COUNTS | st.just(1.5),
    "usage": USAGE,
    "service_tier": TIERS,
    "metadata": SETTINGS["metadata"],
    "instructions": st.none() | TEXTS,
    "tools": st.lists(TOOLS, max_size=1),
    "tool_choice": CHOICES,
    "parallel_tool_calls": FLAGS,
    "reasoning": st.just({"effort": None, "summary": None}),
    "tool_usage": OBJECTS,
}


@st.composite
def responses(draw: st.DrawFn) -> Json:
    """What a model does, in its order: reasoning and searches, text, calls."""
    output: list[Json] = draw(st.lists(REASONING, max_size=1))
    output += draw(st.one_of(*[st.just([])] * 3, HOSTED))
    output += draw(st.lists(OUTPUT_MESSAGES, max_size=2))
    output += [draw(call(id_)) for id_ in draw(st.lists(IDS, max_size=2, unique=True))]
    fixed = {"id": "resp_1", "object": "response", "model": "gpt-5", "output": output}
    return {**fixed, **draw(ENDINGS), **draw(some({}, **ECHOES))}


RESPONSES = rarely(responses())
BARE_ERRORS = rarely(
    some(
        {"message": TEXTS, "code": st.none() | st.sampled_from(["rate_limit_exceeded", "odd"])},
        type=st.just("error"),
        param=st.none() | NAMES,
        sequence_number=COUNTS,
    )
)
FAILED = st.builds(lambda response, error: {**response, "status": "failed", "error": error}, RESPONSES, FAILURES)
ERRORS = st.one_of(*[BODIES] * 2, BARE_ERRORS, FAILED)

# --- streams ----------------------------------------------------------------------------------------------------------

STREAM_ENDS = ("completed", "incomplete", "failed")


def streamable(response: Json) -> bool:
    """Whether a stream can end with a response: text in messages, and a terminal status."""
    contents = [item.get("content") for item in response["output"] if item.get("type") == "message"]
    return response["status"] in STREAM_ENDS and all(isinstance(content, list) for content in contents)


@st.composite
def streams(draw: st.DrawFn) -> Events:
    response = draw(responses().filter(streamable))
    items = [{**item, "id": f"item_{index}"} for index, item in enumerate(response["output"])]
    *events, end = building.stream(
        {**response, "output": items},
        lambda text: cut(draw, text, 3) if draw(st.integers(0, 5)) else [],  # none: the done event has the text
    )
    for extra in draw(st.lists(st.sampled_from([{"type": "keepalive"}, {"type": "telemetry", "n": 1}]), max_size=1)):
        events.insert(draw(st.integers(1, len(events))), extra)
    return deepcopy(building.in_sequence([*events, end]))


STRATEGIES = {"request": REQUESTS, "response": RESPONSES, "error": ERRORS, "stream": streams()}
