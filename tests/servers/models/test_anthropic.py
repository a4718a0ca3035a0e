"""Claude: what each model refuses and what its neighbour takes, by hand."""

from __future__ import annotations

import pytest

from tests.servers.models import anthropic
from tests.servers.models.judge import MESSAGES, Json
from tests.servers.models.test_judges import Case, holds, unshown

FIXED = "opus-4-7 opus-4-8 sonnet-5 opus-5 fable-5 fable-5-1 fable-5-2 opus-5-5 sonnet-5-5 haiku-5-5"
FREE = "haiku-4-5 sonnet-4-5 opus-4-5 opus-4-6 sonnet-4-6"


ON_BEDROCK = "opus-5-5 sonnet-5-5 haiku-5-5"


def claude(names: str) -> str:
    """Names of the models, those of Bedrock with them where the API's have their names."""
    api = [f"claude-{name}" for name in names.split()]
    return " ".join([*api, *(f"anthropic.claude-{name}" for name in names.split() if name in ON_BEDROCK.split())])


def case(refused: Json, passes: Json, pointer: str, by: str, taken_by: str = "") -> Case:
    return Case(MESSAGES, refused, passes, pointer, claude(by), claude(taken_by))


def thinking(kind: str, **more: Json) -> Json:
    return {"thinking": {"type": kind, **more}}


def effort(level: str) -> Json:
    return {"output_config": {"effort": level}}


def turns(*messages: tuple[str, Json]) -> Json:
    return {"messages": [{"role": role, "content": content} for role, content in messages]}


MANUAL = thinking("enabled", budget_tokens=2048)
FUNCTION: Json = {"tools": [{"name": "f", "input_schema": {"type": "object"}}]}
FORCED: Json = {**FUNCTION, "tool_choice": {"type": "any"}}
NAMED: Json = {**FUNCTION, "tool_choice": {"type": "tool", "name": "f"}}
AUTO: Json = {**FUNCTION, "tool_choice": {"type": "auto"}}
STRICT: Json = {"tools": [{"name": "f", "input_schema": {"type": "object"}, "strict": True}]}
SCHEMA: Json = {"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}}
PREFILL = turns(("user", "Hi"), ("assistant", "The answer is"))
PAUSED = turns(
    ("user", "Hi"), ("assistant", [{"type": "server_tool_use", "id": "a", "name": "web_search", "input": {}}])
)
ANSWERED = turns(("user", "Hi"), ("assistant", "The answer is"), ("user", "Go on"))
SYSTEM = turns(("user", "Hi"), ("system", "Be brief"))


def tool(kind: str) -> Json:
    return {"tools": [{"type": kind, "name": "a"}]}


CASES = (
    case({"temperature": 0}, {"temperature": 1}, "/temperature", FIXED, FREE),
    case({"top_p": 1}, {"top_p": 0.99}, "/top_p", FIXED, FREE),
    case({"top_k": 5}, {}, "/top_k", FIXED, FREE),
    case({"temperature": 1, "top_p": 0.99}, {"temperature": 1}, "/top_p", f"{FIXED} {FREE}"),
    case(MANUAL, thinking("adaptive"), "/thinking/type", FIXED, FREE),
    case(
        thinking("adaptive"), MANUAL, "/thinking/type", "haiku-4-5 sonnet-4-5 opus-4-5", "opus-4-6 sonnet-4-6 opus-5-5"
    ),
    case(
        thinking("disabled"),
        thinking("adaptive"),
        "/thinking/type",
        "fable-5 fable-5-1 fable-5-2 opus-5-5",
        "opus-5 haiku-5-5 sonnet-5 opus-4-7",
    ),
    case(thinking("disabled"), thinking("between_tools"), "/thinking/type", "sonnet-5-5"),
    case(thinking("between_tools"), {}, "/thinking/type", f"{FREE} {FIXED.replace(' sonnet-5-5', '')}", "sonnet-5-5"),
    case(
        {**thinking("disabled"), **effort("xhigh")},
        {**thinking("disabled"), **effort("high")},
        "/thinking/type",
        "opus-5 haiku-5-5",
        "sonnet-5 opus-4-8",
    ),
    case(
        {**thinking("between_tools"), **effort("max")},
        {**thinking("between_tools"), **effort("high")},
        "/thinking/type",
        "sonnet-5-5",
    ),
    case(thinking("between_tools", display="omitted"), thinking("between_tools"), "/thinking/display", "sonnet-5-5"),
    case(thinking("enabled", budget_tokens=512), MANUAL, "/thinking/budget_tokens", FREE),
    case({**MANUAL, "max_tokens": 2048}, {**MANUAL, "max_tokens": 2049}, "/thinking/budget_tokens", FREE),
    case({**MANUAL, **FORCED}, {**MANUAL, **AUTO}, "/tool_choice/type", FREE),
    case({**MANUAL, "temperature": 0.5}, {**MANUAL, "temperature": 1}, "/temperature", FREE),
    case({**MANUAL, "top_k": 5}, MANUAL, "/top_k", FREE),
    case({**MANUAL, "top_p": 0.5}, {**MANUAL, "top_p": 0.95}, "/top_p", FREE),
    case(
        {**thinking("adaptive"), **NAMED},
        {},
        "/tool_choice/type",
        "opus-5-5 sonnet-5-5",
        "opus-4-6 sonnet-4-6 opus-4-8",
    ),
    case(effort("low"), {}, "/output_config/effort", "haiku-4-5 sonnet-4-5", "opus-4-5 haiku-5-5"),
    case(effort("max"), effort("high"), "/output_config/effort", "opus-4-5", f"opus-4-6 sonnet-4-6 {FIXED}"),
    case(effort("xhigh"), effort("max"), "/output_config/effort", "opus-4-6 sonnet-4-6", FIXED),
    case(effort("minimal"), effort("low"), "/output_config/effort", FIXED),
    case(
        FORCED, AUTO, "/tool_choice/type", "fable-5-1 fable-5-2 opus-5-5 sonnet-5-5", f"{FREE} opus-5 haiku-5-5 fable-5"
    ),
    case(NAMED, AUTO, "/tool_choice/type", "fable-5-1 fable-5-2 opus-5-5 sonnet-5-5", "sonnet-5 haiku-5-5"),
    case(PREFILL, PAUSED, "/messages/1", f"opus-4-6 sonnet-4-6 {FIXED}", "haiku-4-5 sonnet-4-5 opus-4-5"),
    case({**PREFILL, **MANUAL}, {**ANSWERED, **MANUAL}, "/messages/1", "haiku-4-5 sonnet-4-5 opus-4-5"),
    case(
        SYSTEM, ANSWERED, "/messages/1/role", f"{FREE} opus-4-7", "opus-4-8 sonnet-5 opus-5 fable-5 opus-5-5 sonnet-5-5"
    ),
    case({"max_tokens": 64_001}, {"max_tokens": 64_000}, "/max_tokens", "haiku-4-5 sonnet-4-5 opus-4-5", "opus-4-6"),
    case({"max_tokens": 128_001}, {"max_tokens": 128_000}, "/max_tokens", f"opus-4-6 sonnet-4-6 {FIXED}"),
    Case(
        MESSAGES,
        tool("computer_20250124"),
        tool("computer_toolset_20260801"),
        "/tools/0/type",
        "claude-sonnet-5-5 claude-haiku-5-5 claude-fable-5-2 anthropic.claude-sonnet-5-5",
    ),
    Case(
        MESSAGES,
        tool("computer_20251124"),
        tool("bash_20250124"),
        "/tools/0/type",
        "claude-opus-5-5 claude-sonnet-5-5 claude-haiku-5-5 claude-fable-5-2",
        "claude-opus-5 anthropic.claude-opus-5-5 anthropic.claude-sonnet-5-5",
    ),
    *(
        Case(MESSAGES, refused, passes, pointer, "anthropic.claude-sonnet-5-5", "claude-sonnet-5-5")
        for refused, passes, pointer in (
            (SCHEMA, effort("low"), "/output_config/format/type"),
            (STRICT, FUNCTION, "/tools/0/strict"),
        )
    ),
    Case(MESSAGES, SCHEMA, {}, "/output_config/format/type", "anthropic.claude-haiku-5-5", "claude-haiku-5-5"),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.pointer)
def test_each_model_says_what_its_documents_say(case: Case) -> None:
    holds(case)


def test_each_check_is_shown_by_a_case() -> None:
    assert unshown(anthropic, CASES) == []
