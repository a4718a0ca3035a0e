"""The other families behind Converse: what each model's judge refuses and what its neighbour takes, by hand; and what
the table of models makes of recorded requests, held against the judges."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

from tests.held.shared import Tools
from tests.servers.models import bedrock_families as families
from tests.servers.models.judge import CONVERSE, VOCABULARY, Json
from tests.servers.models.measure import measured
from tests.servers.models.test_bedrock import added, choice, function, inference, output, said, thinking
from tests.servers.models.test_judges import Case, holds, unshown

ALL = [name for _, name in families.JUDGES]


def those(check: Any) -> str:
    """The models of whose judges a check is one."""
    return " ".join(name for (_, name), checks in families.JUDGES.items() if check in checks)


def others(check: Any) -> str:
    return " ".join(name for name in ALL if name not in those(check).split())


def user(*blocks: Json) -> Json:
    return {"messages": [{"role": "user", "content": [*blocks]}]}


HI = {"text": "Hi"}
IMAGE = {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}
VIDEO = {"video": {"format": "mp4", "source": {"bytes": "AAAA"}}}
AUDIO = {"audio": {"format": "wav", "source": {"bytes": "AAAA"}}}
PDF = {"document": {"format": "pdf", "name": "d", "source": {"bytes": "JVBE"}}}
TEXT = {"document": {"format": "txt", "name": "d", "source": {"text": "06:12"}}}
CITED = {"document": {**TEXT["document"], "citations": {"enabled": True}}}
POINT, LONG = {"cachePoint": {"type": "default"}}, {"cachePoint": {"type": "default", "ttl": "1h"}}
SIGNED = {"reasoningContent": {"reasoningText": {"text": "So", "signature": "s"}}}
UNSIGNED = {"reasoningContent": {"reasoningText": {"text": "So"}}}
BLOB = {"reasoningContent": {"redactedContent": "RXJvQg=="}}
FIELDS = "/additionalModelRequestFields"
SHUT = '{"type": "object", "additionalProperties": false}'
TOLD = {"toolConfig": {"tools": function()["toolConfig"]["tools"]}}


def result(*inner: Json, **more: Json) -> Json:
    return {"toolResult": {"toolUseId": "abcdefghi", "content": [*inner], **more}}


def answered(block: Json) -> Json:
    """A conversation whose assistant said a block."""
    return said(("user", HI), ("assistant", block), ("user", HI))


def called(name: str) -> Json:
    return answered({"toolUse": {"toolUseId": name, "name": "f", "input": {}}})


def case(refused: Json, passes: Json, pointer: str, by: str, taken_by: str = "") -> Case:
    return Case(CONVERSE, refused, passes, pointer, by, taken_by)


def of(check: Any, refused: Json, passes: Json, pointer: str, taken: bool = False) -> Case:
    return case(refused, passes, pointer, those(check), others(check) if taken else "")


def matching(words: str) -> Any:
    """The checks with these words in their messages, by the model."""
    return {name: check for (_, name), checks in families.JUDGES.items() for check in checks if words in check.message}


NOVA = "us.amazon.nova-pro-v1:0 us.amazon.nova-micro-v1:0 us.amazon.nova-2-lite-v1:0"
NOVA_2 = "us.amazon.nova-2-lite-v1:0"
HIGH = added(reasoningConfig={"type": "enabled", "maxReasoningEffort": "high"})
ADDERS = matching("extraneous key [thinking]")
CASES = (
    case(inference(temperature=1.5), {}, "/inferenceConfig/temperature", " ".join(ALL)),
    case(user(HI, CITED), {}, "/messages/0/content/1/document/citations/enabled", " ".join(ALL)),
    case(answered(SIGNED), {}, "/messages/1/content/0/reasoningContent/reasoningText/signature", " ".join(ALL)),
    case(answered(BLOB), {}, "/messages/1/content/0/reasoningContent/redactedContent", " ".join(ALL)),
    case(user(AUDIO), {}, "/messages/0/content/0/audio", " ".join(ALL)),
    case({"outputConfig": {"effort": "low"}}, {}, "/outputConfig/effort", " ".join(ALL)),
    of(families.UNCACHED, user(HI, POINT), {}, "/messages/0/content/1/cachePoint", taken=True),
    of(families.NO_FORMAT, output(SHUT), {}, "/outputConfig/textFormat", taken=True),
    of(families.NOT_STRICT, function(True), {}, "/toolConfig/tools/0/toolSpec/strict"),
    of(families.NO_TOOLS, TOLD, {}, "/toolConfig"),
    of(families.NOT_FORCED, choice("any"), {}, "/toolConfig/toolChoice/any"),
    of(families.NOT_NAMED, choice("tool", name="f"), {}, "/toolConfig/toolChoice/tool"),
    case(choice("tool", name="f"), {}, "/toolConfig/toolChoice/tool", "", f"{NOVA} moonshotai.kimi-k2.5 xai.grok-4-6"),
    of(
        families.NO_STATUS,
        user(result(HI, status="error")),
        user(result(HI)),
        "/messages/0/content/0/toolResult/status",
    ),
    of(families.NOT_ALONE, user(result(HI), HI), user(result(HI)), "/messages/0/content/1", taken=True),
    of(
        families.LONG_IDS,
        called("tooluse_1"),
        called("abcdefghi"),
        "/messages/1/content/0/toolUse/toolUseId",
        taken=True,
    ),
    of(
        families.TOP,
        function(additionalProperties=False),
        function(properties={}, required=[]),
        "/toolConfig/tools/0/toolSpec/inputSchema/json/additionalProperties",
    ),
    of(
        families.DANGLING,
        function(properties={"a": {"$ref": "#/$defs/A"}}),
        function(properties={"a": {}}),
        "/toolConfig/tools/0/toolSpec/inputSchema/json",
    ),
    of(families.FIVE_MINUTES, user(HI, LONG), user(HI, POINT), "/messages/0/content/1/cachePoint/ttl"),
    of(
        families.NO_TOOL_POINTS,
        {"toolConfig": {"tools": [*TOLD["toolConfig"]["tools"], POINT]}},
        {},
        "/toolConfig/tools/1/cachePoint",
    ),
    case(user(HI, TEXT, POINT), user(HI, POINT, TEXT), "/messages/0/content/2", NOVA_2),
    of(families.BEHIND_RESULT, user(result(HI), POINT), user(result(HI)), "/messages/0/content/1"),
    of(families.BEHIND_DOCUMENT, user(HI, TEXT, POINT), user(HI, POINT), "/messages/0/content/2"),
    of(
        families.FILES_INSIDE,
        user(result(PDF)),
        user(result(HI)),
        "/messages/0/content/0/toolResult/content/0/document/format",
    ),
    of(families.USER_FIRST, said(("assistant", HI), ("user", HI)), {}, "/messages/0/role", taken=True),
    of(families.NO_REASONING, answered(UNSIGNED), {}, "/messages/1/content/0/reasoningContent", taken=True),
    of(families.NO_SYSTEM, {"system": [HI]}, {}, "/system", taken=True),
    of(families.NO_STOPS, inference(stopSequences=["."]), {}, "/inferenceConfig/stopSequences", taken=True),
    of(families.UNSAMPLED[0], inference(temperature=0.2), {}, "/inferenceConfig/temperature", taken=True),
    of(families.UNSAMPLED[1], inference(topP=0.2), {}, "/inferenceConfig/topP", taken=True),
    case(thinking("enabled"), {}, f"{FIELDS}/thinking", " ".join(ADDERS)),
    case(
        added(reasoningConfig={"type": "enabled", "maxReasoningEffort": "max"}),
        HIGH,
        f"{FIELDS}/reasoningConfig/maxReasoningEffort",
        NOVA_2,
    ),
    *(
        case({**HIGH, **inference(**{name: value})}, HIGH, f"/inferenceConfig/{name}", NOVA_2)
        for name, value in (("temperature", 0.2), ("topP", 0.2), ("maxTokens", 9))
    ),
    case(
        added(reasoning_effort="minimal"),
        added(reasoning_effort="high"),
        f"{FIELDS}/reasoning_effort",
        "deepseek.v3.2 zai.glm-4.7 zai.glm-5.3 openai.gpt-oss-120b-1:0",
    ),
    case(
        added(reasoning={"effort": "minimal"}),
        added(reasoning={"effort": "high"}),
        f"{FIELDS}/reasoning/effort",
        "openai.gpt-5.6-sol openai.gpt-6-astra xai.grok-4-6",
    ),
    case(
        added(reasoning_config="max"),
        added(reasoning_config="none"),
        f"{FIELDS}/reasoning_config",
        " ".join(name for name in ALL if name.startswith("qwen")),
    ),
    *(
        of(families.no_block(kind), user(HI, block), {}, f"/messages/0/content/1/{kind}")
        for kind, block in (("image", IMAGE), ("document", TEXT), ("video", VIDEO))
    ),
    *(
        of(
            families.no_block(kind, True),
            user(result(block)),
            user(result(HI)),
            f"/messages/0/content/0/toolResult/content/0/{kind}",
        )
        for kind, block in (("image", IMAGE), ("document", TEXT))
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.pointer)
def test_each_model_says_what_its_documents_say(case: Case) -> None:
    holds(case)


def test_each_check_is_shown_by_a_case() -> None:
    assert unshown(families, CASES) == []


def test_there_are_judges_of_many_models() -> None:
    assert len(ALL) >= 30
    assert families.TAKES.keys() == families.JUDGES.keys()
    for settings in families.TAKES.values():
        assert settings <= VOCABULARY
    for checks in families.JUDGES.values():
        for check in checks:
            assert re.fullmatch(r"https://[\w.-]+/\S+", check.source), check
            assert len(check.message) > 10, check


# --- over recorded requests -------------------------------------------------------------------------------------------

MOST = 0.005
FEW = ("us.amazon.nova-2-lite-v1:0", "us.meta.llama4-maverick-17b-instruct-v1:0", "openai.gpt-6-astra")


def refused(tools: Tools, models: Iterable[str], most: int | None = None) -> dict[str, Any]:
    found = [one for model in models for one in measured(tools, most=most, wanted=CONVERSE, part=model)]
    assert all(one.converted > 20 for one in found)
    return {one.model: one.why for one in found if one.share > MOST}


def test_a_few_take_what_is_sent_to_them(tools: Tools) -> None:
    assert refused(tools, FEW, 12) == {}


@pytest.mark.slow
def test_each_model_takes_what_is_sent_to_it(tools: Tools) -> None:
    assert refused(tools, ALL) == {}
