"""Gemini and Gemma: what each model refuses and what its neighbour takes, by hand."""

from __future__ import annotations

import pytest

from tests.servers.models import google, refusals
from tests.servers.models.judge import GEMINI, Json
from tests.servers.models.test_judges import Case, holds, unshown

V = google.VERTEX
OLD = "gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite"
THREES = "gemini-3-flash-preview gemini-3.1-pro-preview gemini-3.1-flash-lite gemini-3.5-flash"
MIDDLE = "gemini-3.5-flash-lite gemini-3.6-flash"
LATE = "gemini-3.7-flash gemini-3.8-flash"
FOURS = "gemini-4-hydrogen gemini-4-neon gemini-4-carbon gemini-4-argon"
ON_VERTEX = " ".join(
    f"{V}gemini-{name}" for name in ("3-flash-preview", "3.1-pro-preview", "3.5-flash", "3.6-flash", "3.8-flash")
)
OLD_ON_VERTEX = f"{V}gemini-2.5-pro {V}gemini-2.5-flash"


def config(**settings: Json) -> Json:
    return {"generationConfig": settings}


def level(name: str) -> Json:
    return config(thinkingConfig={"thinkingLevel": name})


def budget(tokens: int) -> Json:
    return config(thinkingConfig={"thinkingBudget": tokens})


def history(*turns: tuple[str, list[Json]]) -> Json:
    return {"contents": [{"role": role, "parts": parts} for role, parts in turns]}


LEVEL, BUDGET = "/generationConfig/thinkingConfig/thinkingLevel", "/generationConfig/thinkingConfig/thinkingBudget"
BOTH = config(thinkingConfig={"thinkingLevel": "HIGH", "thinkingBudget": 1024})
FUNCTIONS: Json = {"tools": [{"functionDeclarations": [{"name": "f"}]}]}
SEARCH: Json = {"tools": [{"googleSearch": {}}]}
MIXED: Json = {"tools": [{"functionDeclarations": [{"name": "f"}]}, {"googleSearch": {}}]}
FLAG: Json = {"toolConfig": {"includeServerSideToolInvocations": True}}
JSON_ANSWER = config(responseMimeType="application/json", responseJsonSchema={"type": "object"})
TEXT_ANSWER = config(responseMimeType="text/plain")
CALL: Json = {"functionCall": {"name": "f", "args": {}}}
SIGNED: Json = {**CALL, "thoughtSignature": "c2ln"}
RESULT: Json = {"functionResponse": {"name": "f", "response": {"output": "a"}}}
SEEN: Json = {
    "functionResponse": {
        "name": "f",
        "response": {},
        "parts": [{"inlineData": {"mimeType": "image/png", "data": "AA=="}}],
    }
}
ASKED = ("user", [{"text": "Hi"}])


def case(refused: Json, passes: Json, pointer: str, by: str, taken_by: str = "") -> Case:
    return Case(GEMINI, refused, passes, pointer, by, taken_by)


CASES = (
    case(
        level("LOW"),
        config(thinkingConfig={"includeThoughts": True}),
        LEVEL,
        f"{OLD} {OLD_ON_VERTEX}",
        f"{THREES} {MIDDLE} {FOURS}",
    ),
    case(BOTH, level("HIGH"), BUDGET, f"{THREES} {MIDDLE} {LATE} {FOURS} {ON_VERTEX}"),
    case(
        level("MINIMAL"),
        level("LOW"),
        LEVEL,
        f"gemini-3.1-pro-preview {LATE} {FOURS}",
        "gemini-3.6-flash gemini-3-flash-preview",
    ),
    case(
        level("minimal"), level("low"), LEVEL, f"{V}gemini-3.1-pro-preview {V}gemini-3.8-flash", f"{V}gemini-3.5-flash"
    ),
    case(
        level("XHIGH"),
        level("HIGH"),
        LEVEL,
        f"{THREES} {MIDDLE} {LATE} gemini-4-carbon gemini-4-argon {ON_VERTEX}",
        "gemini-4-neon",
    ),
    case(level("MAX"), level("XHIGH"), LEVEL, "gemini-4-hydrogen gemini-4-neon"),
    case(level("MEDIUM"), level("MINIMAL"), LEVEL, google.GEMMAS),
    case(budget(1024), level("HIGH"), BUDGET, f"{FOURS} {google.GEMMAS}", f"{OLD} {THREES} {MIDDLE} {LATE}"),
    case(
        budget(0), budget(-1), BUDGET, "gemini-2.5-pro gemini-3.1-pro-preview", "gemini-2.5-flash gemini-2.5-flash-lite"
    ),
    case(budget(0), budget(128), BUDGET, f"{V}gemini-2.5-pro", f"{V}gemini-2.5-flash"),
    case(budget(127), budget(128), BUDGET, f"gemini-2.5-pro {V}gemini-2.5-pro", "gemini-2.5-flash"),
    case(budget(32_769), budget(32_768), BUDGET, "gemini-2.5-pro"),
    case(budget(24_577), budget(24_576), BUDGET, f"gemini-2.5-flash gemini-2.5-flash-lite {V}gemini-2.5-flash"),
    case(budget(511), budget(512), BUDGET, "gemini-2.5-flash-lite", "gemini-2.5-flash"),
    case(
        config(responseLogprobs=True),
        config(responseLogprobs=False),
        "/generationConfig/responseLogprobs",
        f"{OLD} {THREES} {MIDDLE} {LATE} {FOURS} {google.GEMMAS} {V}gemini-3.5-flash",
        f"{V}gemini-2.5-flash {V}gemini-2.5-pro",
    ),
    *(
        case(
            config(**{name: 0.5}),
            config(**{name: 0}),
            f"/generationConfig/{name}",
            f"{OLD} {THREES} {MIDDLE} {LATE} {FOURS}",
        )
        for name in ("presencePenalty", "frequencyPenalty")
    ),
    case(
        config(candidateCount=2),
        config(candidateCount=1),
        "/generationConfig/candidateCount",
        f"{LATE} {FOURS}",
        "gemini-2.5-flash",
    ),
    case(
        {**FUNCTIONS, **JSON_ANSWER},
        {**FUNCTIONS, **TEXT_ANSWER},
        "/generationConfig/responseMimeType",
        OLD,
        f"{THREES} {MIDDLE} {FOURS}",
    ),
    case(
        {**SEARCH, **JSON_ANSWER},
        {**SEARCH, **TEXT_ANSWER},
        "/generationConfig/responseMimeType",
        OLD,
        f"{THREES} {MIDDLE}",
    ),
    case(MIXED, SEARCH, "/tools/1/googleSearch", f"{OLD} {OLD_ON_VERTEX}", ON_VERTEX),
    case(MIXED, {**MIXED, **FLAG}, "/tools/1/googleSearch", f"{THREES} {MIDDLE} {LATE} {FOURS}"),
    case({**MIXED, **FLAG}, MIXED, "/toolConfig/includeServerSideToolInvocations", ON_VERTEX),
    case(
        history(ASKED, ("model", [CALL]), ("user", [SEEN])),
        history(ASKED, ("model", [CALL]), ("user", [RESULT])),
        "/contents/2/parts/0/functionResponse/parts",
        f"{OLD} {OLD_ON_VERTEX}",
    ),
    case(
        history(ASKED, ("model", [SIGNED]), ("user", [SEEN])),
        {},
        "",
        "",
        f"{THREES} {MIDDLE} {FOURS} {ON_VERTEX}",
    ),
    case(
        history(ASKED, ("model", [CALL]), ("user", [RESULT])),
        history(ASKED, ("model", [SIGNED, CALL]), ("user", [RESULT, RESULT])),
        "/contents/1/parts/0",
        f"{THREES} {MIDDLE} {LATE} {FOURS} {ON_VERTEX}",
        f"{OLD} {google.GEMMAS}",
    ),
    case(
        history(ASKED, ("model", [SIGNED]), ("user", [RESULT]), ("model", [{"text": "a"}, CALL]), ("user", [RESULT])),
        history(ASKED, ("model", [CALL]), ("user", [RESULT]), ("model", [{"text": "a"}]), ASKED),
        "/contents/3/parts/1",
        f"{THREES} {MIDDLE} {LATE} {FOURS} {ON_VERTEX}",
    ),
    case(
        history(ASKED, ("model", [{"text": "The"}])),
        history(ASKED, ("model", [{"text": "The"}]), ASKED),
        "/contents/1",
        f"gemini-3.5-flash-lite gemini-3.6-flash {LATE} {FOURS} {V}gemini-3.6-flash {V}gemini-3.8-flash",
        f"{OLD} gemini-3-flash-preview gemini-3.5-flash",
    ),
    case(
        config(temperature=0.5, topP=0.5, topK=5), {}, "", "", f"{OLD} {THREES} {MIDDLE} {LATE} {FOURS} {google.GEMMAS}"
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.pointer or "taken")
def test_each_model_says_what_its_documents_say(case: Case) -> None:
    holds(case)


def test_each_check_is_shown_by_a_case() -> None:
    assert unshown(google, CASES) == []


def test_a_setting_in_snake_case_is_the_same_setting() -> None:
    mixed: Json = {"generationConfig": {"thinking_config": {"thinking_level": "LOW"}}}
    for spelt in ({"generation_config": {"thinking_config": {"thinking_level": "LOW"}}}, mixed):
        (found,) = refusals(GEMINI, "gemini-2.5-flash", spelt)
        assert found[0].endswith("/thinking_config/thinking_level")
        assert found[1].message == "Thinking level is not supported for this model."
