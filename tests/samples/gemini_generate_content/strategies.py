"""Generated payloads of Gemini's generateContent: sound, a few with unknown members."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import strategies as st

from ..sample import Events, Json, Strategy
from ..words import (
    BASE64,
    COUNTS,
    FLAGS,
    JSON,
    LIMITS,
    NAMES,
    NUMBERS,
    OBJECTS,
    PIECES,
    SCHEMAS,
    TEXTS,
    URLS,
    WORDS,
    rarely,
    some,
    with_unknown,
)
from . import building

# --- parts ------------------------------------------------------------------------------------------------------------

SIGNED = {"thoughtSignature": st.just(building.SIGNATURE)}
TEXT_PARTS = some({"text": WORDS}, partMetadata=OBJECTS, **SIGNED)
THOUGHTS = some({"text": WORDS, "thought": st.just(True)}, **SIGNED)
BLOBS = st.fixed_dictionaries(
    {"mimeType": st.sampled_from(["image/png", "application/pdf", "text/plain"]), "data": BASE64}
)
FILES = some(
    {"fileUri": URLS},
    mimeType=st.sampled_from(["image/png", "application/pdf"]),
    displayName=WORDS,
)
MEDIA = st.one_of(
    some({"inlineData": BLOBS}, mediaResolution=st.sampled_from([{"level": "MEDIA_RESOLUTION_LOW"}, {}])),
    st.fixed_dictionaries({"fileData": FILES}),
)
UNKNOWN = st.just({"hologram": {"beam": 3}})
USER_PARTS = st.one_of(TEXT_PARTS, TEXT_PARTS, TEXT_PARTS, MEDIA, MEDIA, rarely(TEXT_PARTS), UNKNOWN)
HOSTED: Strategy = st.sampled_from(
    [
        {"executableCode": {"language": "PYTHON", "code": "1"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_FAILED"}},
        {"toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["x"]}}},
        {"toolResponse": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "response": {"a": 1}}},
        {"toolCall": {"id": "u", "toolType": "URL_CONTEXT", "args": {"urls": ["x"]}}},
    ]
)
MODEL_PARTS = st.one_of(TEXT_PARTS, TEXT_PARTS, TEXT_PARTS, THOUGHTS, HOSTED)


@st.composite
def calls(draw: st.DrawFn) -> list[Json]:
    """Calls, all with ids or all without."""
    named = draw(FLAGS)
    names = draw(st.lists(NAMES, min_size=1, max_size=2))
    return [
        {**building.call(name, draw(OBJECTS), f"call_{at}" if named else None), **draw(some({}, **SIGNED))}
        for at, name in enumerate(names)
    ]


OUTPUTS = st.one_of(
    st.fixed_dictionaries({"output": TEXTS | JSON.filter(lambda value: value is not None)}),
    st.fixed_dictionaries({"error": TEXTS}),
    OBJECTS,
)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Json]:
    """Content with calls, and the content that has all their results."""
    called = draw(calls())
    results = [
        building.result(call["functionCall"]["name"], draw(OUTPUTS), call["functionCall"].get("id")) for call in called
    ]
    return [
        building.model(*draw(st.lists(MODEL_PARTS, max_size=2)), *called),
        building.user(*results, *draw(st.lists(USER_PARTS, max_size=1))),
    ]


USERS = st.lists(USER_PARTS, min_size=1, max_size=3).map(lambda parts: building.user(*parts))
MODELS = st.lists(MODEL_PARTS, min_size=1, max_size=3).map(lambda parts: building.model(*parts))
EPISODES = st.one_of(USERS.map(lambda one: [one]), MODELS.map(lambda one: [one]), exchanges(), exchanges())


@st.composite
def conversations(draw: st.DrawFn) -> list[Json]:
    rest = draw(st.lists(EPISODES, max_size=3))
    return [draw(USERS), *(content for episode in rest for content in episode)]


# --- requests ---------------------------------------------------------------------------------------------------------

FUNCTIONS = some(
    {"name": NAMES},
    description=TEXTS,
    parametersJsonSchema=SCHEMAS,
    behavior=st.sampled_from(["BLOCKING", "NON_BLOCKING"]),
)
TOOLS = st.one_of(
    st.lists(FUNCTIONS, min_size=1, max_size=2).map(lambda listed: {"functionDeclarations": listed}),
    st.sampled_from(
        [
            {"googleSearch": {}},
            {"googleSearch": {"excludeDomains": ["e.com"]}},
            {"codeExecution": {}},
            {"urlContext": {}},
            {"teleport": {"to": 1}},
            {"mcpServers": [{"name": "s", "streamableHttpTransport": {"url": "https://example.org/mcp"}}]},
        ]
    ),
)
FORMATS: Strategy = st.sampled_from(
    [
        {"responseMimeType": "application/json"},
        {"responseMimeType": "text/plain"},
        {"responseMimeType": "text/x.enum", "responseSchema": {"type": "STRING", "enum": ["a"]}},
        {"responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}},
        {"responseMimeType": "application/json", "responseSchema": {"type": "OBJECT", "nullable": True}},
        {"responseFormat": [{"text": {"mimeType": "APPLICATION_JSON", "schema": {"type": "object"}}}]},
        {},
    ]
)
GENERATION = st.builds(
    lambda format_, others: {**format_, **others},
    FORMATS,
    rarely(
        some(
            {},
            maxOutputTokens=LIMITS,
            temperature=NUMBERS,
            topP=NUMBERS,
            topK=COUNTS,
            seed=COUNTS,
            stopSequences=st.lists(TEXTS, min_size=1, max_size=5),
            presencePenalty=NUMBERS,
            responseLogprobs=FLAGS,
            thinkingConfig=st.sampled_from(
                [
                    {"thinkingBudget": 0},
                    {"thinkingBudget": -1, "includeThoughts": True},
                    {"thinkingBudget": 2048},
                    {"thinkingLevel": "LOW"},
                    {"thinkingLevel": "BOUNDLESS", "includeThoughts": False},
                ]
            ),
            mediaResolution=st.just("MEDIA_RESOLUTION_HIGH"),
            responseModalities=st.just(["TEXT"]),
        )
    ),
)
SETTINGS: dict[str, Strategy] = {
    "systemInstruction": st.lists(TEXT_PARTS, min_size=1, max_size=2).map(lambda parts: {"parts": parts}),
    "tools": st.lists(TOOLS, min_size=1, max_size=2),
    "toolConfig": st.fixed_dictionaries(
        {
            "functionCallingConfig": some(
                {"mode": st.sampled_from(["AUTO", "ANY", "NONE", "VALIDATED", "WHATEVER"])},
                allowedFunctionNames=st.lists(NAMES, min_size=1, max_size=2, unique=True),
            )
        }
    ),
    "generationConfig": GENERATION,
    "safetySettings": st.just([{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}]),
    "labels": st.just({"team": "a"}),
    "serviceTier": st.sampled_from(["standard", "flex", "slow"]),
    "store": FLAGS,
}
REQUESTS = rarely(some({"contents": conversations()}, **SETTINGS))

# --- responses --------------------------------------------------------------------------------------------------------


@st.composite
def usages(draw: st.DrawFn) -> Json:
    prompt, cached, output, thoughts = (draw(COUNTS) for _ in range(4))
    counts = {"promptTokenCount": prompt + cached, "candidatesTokenCount": output}
    if draw(FLAGS):
        counts |= {"cachedContentTokenCount": cached, "thoughtsTokenCount": thoughts}
        output += thoughts
    more = draw(
        some(
            {},
            serviceTier=st.sampled_from(["standard", "slow"]),
            trafficType=st.just("ON_DEMAND"),
            promptTokensDetails=st.just([{"modality": "TEXT", "tokenCount": 1}]),
        )
    )
    return {**counts, "totalTokenCount": prompt + cached + output, **more}


RESPONSE_PARTS = st.one_of(*[st.fixed_dictionaries({"text": WORDS})] * 3, THOUGHTS, HOSTED)
ENDINGS = some(
    {"finishReason": st.sampled_from(["STOP", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "TIRED"])},
    finishMessage=WORDS,
    avgLogprobs=st.just(-0.5),
    safetyRatings=st.just([{"category": "HARM_CATEGORY_HARASSMENT", "probability": "LOW"}]),
    groundingMetadata=st.just({"webSearchQueries": ["x"], "searchEntryPoint": {"renderedContent": "<p>"}}),
)


@st.composite
def responses(draw: st.DrawFn) -> Json:
    if draw(st.integers(0, 9)) == 0:
        return {"promptFeedback": {"blockReason": "OTHER"}, "usageMetadata": draw(usages()), **building.HEAD}
    parts = draw(st.lists(RESPONSE_PARTS, max_size=2)) + (draw(calls()) if draw(FLAGS) else [])
    candidate = {"content": building.model(*parts), "index": 0, **draw(ENDINGS)}
    extra = draw(some({"usageMetadata": usages()}, createTime=st.just("2026-03-21T18:11:55Z")))
    return {"candidates": [candidate], **extra, **building.HEAD}


RESPONSES = rarely(responses())
ERRORS = rarely(
    st.fixed_dictionaries(
        {
            "error": rarely(
                some(
                    {
                        "code": st.sampled_from([400, 429, 503]),
                        "message": TEXTS,
                        "status": st.sampled_from(["INVALID_ARGUMENT", "RESOURCE_EXHAUSTED", "UNAVAILABLE", "ODD"]),
                    },
                    details=st.just([{"@type": "type.googleapis.com/google.rpc.Help", "links": []}]),
                )
            )
        }
    )
)

# --- streams ----------------------------------------------------------------------------------------------------------


@st.composite
def pieces(draw: st.DrawFn) -> list[Json]:
    """The parts of one chunk or of several: a text that grows, or a whole part."""
    kind = draw(st.sampled_from(["text", "text", "thoughts", "call", "hosted", "unknown"]))
    if kind in ("text", "thoughts"):
        make = building.text if kind == "text" else building.thought
        made = [make(piece) for piece in draw(PIECES)]
        if draw(st.integers(0, 3)) == 0:
            made.append(make("", thoughtSignature=building.SIGNATURE))
        return made
    if kind == "call":
        return draw(calls())
    return [draw(HOSTED if kind == "hosted" else UNKNOWN)]


@st.composite
def streams(draw: st.DrawFn) -> Events:
    chunks: list[Json] = []
    for _ in range(draw(st.integers(0, 4))):
        for part in draw(pieces()):
            if chunks and draw(st.integers(0, 4)) == 0:
                chunks[-1]["candidates"][0]["content"]["parts"].append(part)
            else:
                chunks.append(building.chunk(part, usage=draw(st.none() | usages())))
    more: Json = draw(st.sampled_from([{}, {}, {"groundingMetadata": {"webSearchQueries": ["x"]}}, {"tokenCount": 3}]))
    finish = draw(st.sampled_from(["STOP", "STOP", "MAX_TOKENS", "SAFETY", "OTHER"]))
    chunks.append({**building.chunk(finish=finish, **more), "usageMetadata": draw(usages())})
    return deepcopy([with_unknown(draw, chunk) for chunk in chunks])


STRATEGIES = {"request": REQUESTS, "response": RESPONSES, "error": ERRORS, "stream": streams()}
