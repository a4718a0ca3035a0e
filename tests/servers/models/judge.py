"""What current models refuse, as their documents say: the parts of which the tables of the vendors are made.

A protocol's server takes what conforms to its types; a model behind it takes less. One module a vendor holds tables
alone: a model's checks (`JUDGES`), what it takes without heeding it (`IGNORES`) and what it does take where a cautious
reader might think otherwise (`TAKES`), by protocol and model. The package puts them together.

A check fires on what is refused *with an error*, and each names a document or a recorded error. The tables are read
from the vendors' documents, apart from `proxai_ir.profiles`: the two are held against each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

Json = Any
Refuses = Callable[[Json], "str | None"]
Test = Callable[[Json], bool]
Pair = tuple[str, str]

CHAT = "openai_chat_completions"
RESPONSES = "openai_responses"
MESSAGES = "anthropic_messages"
GEMINI = "gemini_generate_content"
CONVERSE = "bedrock_converse"

VOCABULARY = frozenset(
    (
        "temperature top_p top_k stop presence_penalty frequency_penalty seed logprobs n forced_choice parallel_calls "
        "effort:none effort:minimal effort:low effort:medium effort:high effort:xhigh effort:max "
        "thinking:budget thinking:disabled structured_output strict_tools images documents max_tokens system_in_place"
    ).split()
)


class Check(NamedTuple):
    """One thing that a model refuses."""

    refuses: Refuses
    """The JSON pointer of what is refused, or None."""
    message: str
    """What the server says, or the sentence of its document."""
    source: str
    """The address of the document, or `recorded: <id>` of an error in the shared corpus."""


Checks = tuple[Check, ...]
Table = dict[Pair, Checks]

JUDGES: Table = {}
IGNORES: Table = {}
TAKES: dict[Pair, frozenset[str]] = {}


def refusals(protocol: str, model: str, payload: Json) -> list[tuple[str, Check]]:
    """Where a model refuses a request, and by which check; KeyError for a pair that has no judge."""
    found = [(check.refuses(payload), check) for check in JUDGES[protocol, model]]
    return [(pointer, check) for pointer, check in found if pointer is not None]


def takes(settings: str, efforts: str = "") -> frozenset[str]:
    """Words of the vocabulary, with those of effort in short."""
    return frozenset(settings.split()) | {f"effort:{level}" for level in efforts.split()}


def table(protocol: str, models: str, *groups: Iterable[Check]) -> Table:
    """The same checks for several models of a protocol."""
    checks = tuple(check for group in groups for check in group)
    return {(protocol, model): checks for model in models.split()}


# --- finding ----------------------------------------------------------------------------------------------------------


def values(payload: Json, path: str) -> Iterator[tuple[str, Json]]:
    """What stands at a path such as `messages/*/content/*/type`, with pointers; `*` is any item or member."""
    here: list[tuple[str, Json]] = [("", payload)]
    for step in path.split("/"):
        here = [(f"{at}/{key}", inner) for at, value in here for key, inner in _members(value, step)]
    yield from here


def _members(value: Json, step: str) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        names = value.keys() if step == "*" else value.keys() & {step}
        yield from ((_escaped(name), value[name]) for name in sorted(names))
    elif isinstance(value, list) and step == "*":
        yield from ((str(index), item) for index, item in enumerate(value))


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def given(value: Json) -> bool:
    """Null is as good as absent: servers read it so."""
    return value is not None


def is_in(*these: Json) -> Test:
    return lambda value: value in these


def is_other_than(*these: Json) -> Test:
    return lambda value: value is not None and value not in these


def is_over(most: float) -> Test:
    return lambda value: isinstance(value, (int, float)) and value > most


def is_under(least: float) -> Test:
    return lambda value: isinstance(value, (int, float)) and value < least


def filled(value: Json) -> bool:
    """Something in it: an empty list of tools is as good as none."""
    return bool(value)


# --- what is refused --------------------------------------------------------------------------------------------------


def where(path: str, test: Test = given) -> Refuses:
    """The first value at a path that passes a test."""

    def refuses(payload: Json) -> str | None:
        return next((pointer for pointer, value in values(payload, path) if test(value)), None)

    return refuses


def either(*these: Refuses) -> Refuses:
    """The first of several that is found."""

    def refuses(payload: Json) -> str | None:
        return next((pointer for one in these if (pointer := one(payload)) is not None), None)

    return refuses


def both(first: Refuses, second: Refuses) -> Refuses:
    """The second, where both are found: name last what a client would leave out."""

    def refuses(payload: Json) -> str | None:
        return second(payload) if first(payload) is not None else None

    return refuses


def unless(excuse: Refuses, found: Refuses) -> Refuses:
    """What is found, where the excuse is not."""

    def refuses(payload: Json) -> str | None:
        return None if excuse(payload) is not None else found(payload)

    return refuses


# --- what the protocols' requests have in common ----------------------------------------------------------------------


def _chat_forces(choice: Json) -> bool:
    if not isinstance(choice, dict):
        return bool(choice == "required")
    allowed = choice.get("allowed_tools")
    return choice.get("type") != "allowed_tools" or (isinstance(allowed, dict) and allowed.get("mode") == "required")


def _responses_forces(choice: Json) -> bool:
    if not isinstance(choice, dict):
        return bool(choice == "required")
    return choice.get("type") != "allowed_tools" or choice.get("mode") == "required"


forced_choice: dict[str, Refuses] = {
    CHAT: where("tool_choice", _chat_forces),
    RESPONSES: where("tool_choice", _responses_forces),
    MESSAGES: where("tool_choice/type", is_in("any", "tool")),
    GEMINI: where("toolConfig/functionCallingConfig/mode", is_in("ANY")),
    CONVERSE: either(
        where("toolConfig/toolChoice/any"),
        where("toolConfig/toolChoice/tool"),
        where("additionalModelRequestFields/tool_choice/type", is_in("any", "tool")),
    ),
}
"""A choice that demands a call: any function, or one by name."""

function_tools: dict[str, Refuses] = {
    CHAT: either(where("tools/*/type", is_in("function")), where("functions/*")),
    RESPONSES: where("tools/*/type", is_in("function")),
    MESSAGES: where("tools/*/input_schema"),
    GEMINI: where("tools/*/functionDeclarations/*"),
}
"""Functions that the client carries out."""

structured_output: dict[str, Refuses] = {
    CHAT: where("response_format/type", is_in("json_schema")),
    RESPONSES: where("text/format/type", is_in("json_schema")),
    MESSAGES: either(where("output_config/format/type", is_in("json_schema")), where("output_format")),
    GEMINI: either(
        where("generationConfig/responseSchema"),
        where("generationConfig/responseJsonSchema"),
        where("generationConfig/responseFormat/text/schema"),
    ),
    CONVERSE: where("outputConfig/textFormat"),
}
"""A schema that the answer has to follow."""

strict_tools: dict[str, Refuses] = {
    CHAT: where("tools/*/function/strict", is_in(True)),
    RESPONSES: where("tools/*/strict", is_in(True)),
    MESSAGES: where("tools/*/strict", is_in(True)),
    CONVERSE: where("toolConfig/tools/*/toolSpec/strict", is_in(True)),
}
"""Functions whose arguments have to follow their schema."""

images: dict[str, Refuses] = {
    CHAT: where("messages/*/content/*/type", is_in("image_url")),
    RESPONSES: either(
        where("input/*/content/*/type", is_in("input_image")), where("input/*/output/*/type", is_in("input_image"))
    ),
    MESSAGES: either(
        where("messages/*/content/*/type", is_in("image")), where("messages/*/content/*/content/*/type", is_in("image"))
    ),
    GEMINI: where(
        "contents/*/parts/*/inlineData/mimeType", lambda kind: isinstance(kind, str) and kind.startswith("image/")
    ),
}
"""Images among what the model reads."""

documents: dict[str, Refuses] = {
    CHAT: where("messages/*/content/*/type", is_in("file")),
    RESPONSES: either(
        where("input/*/content/*/type", is_in("input_file")), where("input/*/output/*/type", is_in("input_file"))
    ),
    MESSAGES: either(
        where("messages/*/content/*/type", is_in("document")),
        where("messages/*/content/*/content/*/type", is_in("document")),
    ),
    GEMINI: where("contents/*/parts/*/inlineData/mimeType", is_in("application/pdf")),
}
"""Files among what the model reads."""

effort_path: dict[str, str] = {
    CHAT: "reasoning_effort",
    RESPONSES: "reasoning/effort",
    MESSAGES: "output_config/effort",
    GEMINI: "generationConfig/thinkingConfig/thinkingLevel",
    CONVERSE: "outputConfig/effort",
}
"""Where a protocol says how hard a model thinks."""


def effort_other_than(protocol: str, *levels: str) -> Refuses:
    """An effort that the model does not have."""
    return where(effort_path[protocol], is_other_than(*levels))
