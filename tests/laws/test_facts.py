"""A response that was paid for is refused for its content alone (ENV-15): a value of another type anywhere else, in a
whole response or in any event of a stream, is an info.

Every place of every sample is tried, in every protocol; what each reader makes of such values is in `test_slips.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.testing.pointers import Path, at, places, replaced
from proxai_ir.testing.streams import fed

from ..samples import PROTOCOLS, Sample, others, samples

VALUES: tuple[Any, ...] = (7, "x", [], {})
NUMBERS = {int, float}

CONTENT = {
    "holds content, or is an event": """
        candidates choices content contentBlockDelta contentBlockStart contentBlockStop content_block custom delta
        function functionCall function_call image inlineData interaction item message messageStart messageStop metadata
        output part parts reasoningContent reasoningText response start step steps toolCall toolResult toolUse
        tool_calls audio
        """,
    "says what a payload, an event or a part is": "type event_type toolType",
    "says which part an event is about": "index contentBlockIndex output_index",
    "says whether there is more, which nothing else does": "done willContinue finish_reason",
    "is what a model says, thinks, makes or declines": """
        text thinking thought summary refusal transcript tool_plan data bytes format mimeType mime_type output_format
        source signature thoughtSignature encrypted_content redactedContent
        """,
    "is a call or its result": """
        name server_name server_label arguments args input partial_json partialArgs jsonPath stringValue numberValue
        queries code language result is_error
        """,
    "joins a call that the provider ran to its result, where it is neither a text nor a number": """
        id call_id tool_use_id toolUseId
        """,
    "is a citation, or a page that was found": """
        annotation annotations citation citations citationsContent cited_text content_index documentIndex
        encrypted_index end endIndex end_index groundingChunkIndices groundingChunks groundingMetadata
        groundingSupports location partIndex retrievedUrl segment sourceContent sources startIndex start_index title
        url urlContextMetadata urlMetadata urlRetrievalStatus webSearchQueries
        """,
    "is a log probability, which was asked for": "logprob logprobs token token_ids top_logprobs",
    "is all that a response says: why it has no content": "promptFeedback blockReason throttlingException",
}
"""By the reason, the members for whose type a response may be refused."""
OF_CONTENT = {member for listed in CONTENT.values() for member in listed.split()}


def error_of(payload: Any, sample: Sample, dst: str) -> TranslationError | None:
    """Why a response or a stream is not converted."""
    if sample.kind == "stream":
        return fed(payload, sample.protocol, dst).error
    try:
        proxai_ir.convert(payload, sample.protocol, dst, kind="response")
    except TranslationError as error:
        return error
    return None


def general(path: Path) -> str:
    return "".join("/*" if isinstance(key, int) else f"/{key}" for key in path)


def cases(protocol: str) -> Iterator[tuple[Sample, str, Path]]:
    """Each place once, whatever the indexes on its way, with a target that takes the sample."""
    seen = set()
    for sample in samples("response", "stream"):
        own = others(protocol) if sample.protocol == protocol else ()
        takers = [dst for dst in own if error_of(sample.make(), sample, dst) is None]
        for path in places(sample.payload) if takers else ():
            key = (sample.kind, general(path), type(at(sample.payload, path)))
            if len(path) > (sample.kind == "stream") and key not in seen:
                seen.add(key)
                yield sample, takers[0], path


@cache
def refused(protocol: str) -> dict[str, str]:
    """The members whose values of another type refuse a response, each with a payload's name and place, and why."""
    found: dict[str, str] = {}
    for sample, dst, path in cases(protocol):
        was = at(sample.payload, path)
        for value in VALUES:
            if was is None or type(value) is type(was) or {type(value), type(was)} == NUMBERS:
                continue
            error = error_of(replaced(sample.make(), path, value), sample, dst)
            if error is not None:
                member = [key for key in path if isinstance(key, str)][-1]
                found.setdefault(member, f"{sample} at {general(path)} with {value!r}: {error}")
    return found


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_only_content_of_another_type_refuses_a_response(protocol: str) -> None:
    assert any(cases(protocol)), f"{protocol} has no sample of a response that another protocol takes"
    assert {member: why for member, why in refused(protocol).items() if member not in OF_CONTENT} == {}


def test_what_may_refuse_a_response_does() -> None:
    assert OF_CONTENT - {member for protocol in PROTOCOLS for member in refused(protocol)} == set()
