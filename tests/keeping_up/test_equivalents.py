"""A loss that says that the target has nothing like a member is true (LOS-7): where the target's official types have a
member of that name, they mean another thing by it, which is said here.

Every sample is converted to every other protocol, and every member that the official types of a source share with those
of a target.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, cast, get_type_hints

import pytest

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.reporting.catalogue import RULES

from ..samples import PROTOCOLS, samples
from ..stated import needs_stated
from . import converse, official
from .findings import PACKAGES, typed
from .walk import arms, element, fields

Json = Any
SAYS = re.compile(
    "no equivalent|[Tt]he target has no |The target does not (take|store|generate|process)"
    "|the source's (vendor|provider)"
)
NOTHING_LIKE_IT = {rule for rule, one in RULES.items() if one.severity == "loss" and SAYS.search(one.sentence)}
TYPES: dict[str, dict[str, tuple[str, ...]]] = {
    "openai_chat_completions": {
        "request": ("openai.types.chat.completion_create_params:CompletionCreateParamsNonStreaming",),
        "response": ("openai.types.chat:ChatCompletion",),
    },
    "openai_responses": {
        "request": ("openai.types.responses.response_create_params:ResponseCreateParamsNonStreaming",),
        "response": ("openai.types.responses:Response",),
    },
    "anthropic_messages": {
        "request": ("anthropic.types.beta.message_create_params:MessageCreateParamsNonStreaming",),
        "response": ("anthropic.types.beta:BetaMessage",),
    },
    "gemini_generate_content": {
        "request": ("google.genai.types:Content", "google.genai.types:GenerateContentConfig"),
        "response": ("google.genai.types:GenerateContentResponse",),
    },
    "gemini_interactions": {
        "request": ("google.genai._gaos.types.interactions:CreateModelInteraction",),
        "response": ("google.genai._gaos.types.interactions:Interaction",),
    },
    "cohere_v2_chat": {
        "request": ("cohere.v2.client:V2Client.chat",),
        "response": ("cohere.v2.types.v2chat_response:V2ChatResponse",),
    },
    "ollama_chat": {
        "request": ("ollama._types:ChatRequest", "ollama._types:Options"),
        "response": ("ollama._types:ChatResponse",),
    },
}
"""By protocol and kind the official types, or the method whose arguments they are. Those of Converse are shapes."""

DIFFERENT = {
    "another thing is called so": {
        "request content TUL-22": "openai_responses",
        "request context DOC-1": "openai_responses",
        "request description OUT-4": "cohere_v2_chat gemini_interactions ollama_chat",
        "request filename DOC-1": "gemini_interactions",
        "request format IMG-71": "ollama_chat",
        "request image IMG-3": "bedrock_converse",
        "request items TUL-9": "gemini_generate_content",
        "request name DOC-1": "gemini_generate_content gemini_interactions openai_chat_completions openai_responses",
        "request name OUT-4": "cohere_v2_chat ollama_chat",
        "request domain CIT-4": "gemini_interactions openai_responses",
        "request source CIT-4": "gemini_interactions openai_responses",
        "request strict OUT-4": "anthropic_messages bedrock_converse",
        "request strict TUL-9": "openai_responses",
        "request title DOC-1": "gemini_generate_content gemini_interactions",
        "request topk SMP-3": "gemini_interactions",
        "request error ENV-8": "anthropic_messages gemini_generate_content gemini_interactions openai_responses",
        "response category REF-5": "gemini_generate_content",
        "response content TUL-22": "openai_responses",
        "response content TUL-39": "gemini_generate_content gemini_interactions openai_responses",
        "response citations CIT-1": "anthropic_messages cohere_v2_chat",
        "response id ENV-8": "anthropic_messages cohere_v2_chat gemini_generate_content"
        " gemini_interactions openai_chat_completions openai_responses",
        "response result TUL-22": "openai_responses",
        "response result TUL-23": "openai_responses",
        "response sources CIT-4": "gemini_interactions openai_responses",
        "response error TUL-23": "gemini_interactions",
        "response outcome TUL-39": "openai_responses",
        "response iserror TUL-22": "anthropic_messages",
        "request logprobs SMP-7": "cohere_v2_chat gemini_generate_content ollama_chat openai_chat_completions",
        "request logprobs SMP-3": "cohere_v2_chat",
    },
    "it has no such value": {
        "request detail IMG-1": "cohere_v2_chat",
        "request display RSN-2": "anthropic_messages",
        "request effort RSN-7": "anthropic_messages bedrock_converse",
        "request format OUT-3": "anthropic_messages bedrock_converse",
        "request mode RSN-6": "anthropic_messages cohere_v2_chat"
        " gemini_generate_content gemini_interactions openai_chat_completions",
        "request responseformat OUT-3": "cohere_v2_chat",
        "request responseformat OUT-6": "cohere_v2_chat gemini_interactions openai_chat_completions",
        "request servicetier SVC-1": "anthropic_messages bedrock_converse gemini_generate_content"
        " gemini_interactions openai_chat_completions openai_responses",
        "request summary RSN-2": "gemini_interactions",
        "request thinkinglevel RSN-23": "gemini_interactions",
        "request thinkinglevel RSN-32": "gemini_interactions",
        "request toolchoice TUL-7": "gemini_interactions",
        "request type DOC-3": "cohere_v2_chat gemini_generate_content"
        " gemini_interactions openai_chat_completions openai_responses",
        "request type DOC-4": "cohere_v2_chat gemini_generate_content gemini_interactions"
        " ollama_chat openai_chat_completions openai_responses",
        "request type RSN-6": "cohere_v2_chat gemini_generate_content gemini_interactions"
        " ollama_chat openai_chat_completions openai_responses",
        "request type SVC-1": "anthropic_messages cohere_v2_chat gemini_generate_content"
        " gemini_interactions ollama_chat openai_chat_completions openai_responses",
        "response finishreason STS-5": "cohere_v2_chat openai_chat_completions",
        "response status STS-5": "openai_responses",
        "response stopreason STS-5": "bedrock_converse",
    },
    "its models of today refuse it": {
        "request frequencypenalty SMP-3": "gemini_generate_content",
        "request presencepenalty SMP-3": "gemini_generate_content",
    },
    "it is about the state of one provider's server": {
        "request background SVC-5": "gemini_interactions",
        "request contextmanagement CTX-1": "anthropic_messages openai_responses",
        "request container HST-1": "anthropic_messages openai_responses",
        "request allowedcallers TUL-9": "openai_responses",
        "request caller TUL-9": "anthropic_messages openai_responses",
        "response caller TUL-9": "openai_responses",
        "response continuationtoken CTX-1": "gemini_generate_content gemini_interactions",
    },
    "the response becomes an error, which has no such member": {
        "response content ERR-2": "anthropic_messages",
        "response error ERR-4": "gemini_interactions openai_responses",
        "response finishreason ERR-2": "cohere_v2_chat",
        "response message ERR-2": "bedrock_converse gemini_generate_content gemini_interactions"
        " ollama_chat openai_chat_completions openai_responses",
        "response status ERR-2": "gemini_interactions",
        "response stopreason ERR-2": "anthropic_messages",
    },
    "the answer has no text that it could stand at": {
        "response annotations CIT-1": "gemini_interactions openai_responses",
        "response logprobs SMP-7": "openai_responses",
    },
    "only texts and images have a place there, no audio": {
        "response data AUD-2": "anthropic_messages openai_responses",
        "response expiresat AUD-2": "anthropic_messages",
        "response id AUD-2": "anthropic_messages cohere_v2_chat"
        " gemini_generate_content gemini_interactions openai_responses",
    },
    "open: the target has it, and it does not arrive yet": {
        "request safetysettings MOD-1": "gemini_interactions",
        "request responsemodalities OUT-6": "gemini_interactions",
        "request voice OUT-6": "gemini_interactions openai_chat_completions",
        "response moderation MOD-1": "openai_chat_completions openai_responses",
    },
}
"""By the reason: kind, member and rule, with the targets that have a member of that name."""


def plain(name: str) -> str:
    return re.sub("[^a-z]", "", name.lower())


def members(hint: Any, seen: set[int]) -> Iterator[str]:
    """The names of all members below a type."""
    for arm in arms(hint):
        inner = fields(arm) or {}
        if element(arm) is not None:
            yield from members(element(arm), seen)
        elif inner and id(arm) not in seen:
            seen.add(id(arm))
            for name, (of, _) in inner.items():
                yield name
                yield from members(of, seen)


@cache
def names(protocol: str, kind: str) -> frozenset[str]:
    if protocol == converse.PROTOCOL:
        listed = [name for one, path, _ in converse.features() if one == kind for name in re.findall(r"\.(\w+)", path)]
        return frozenset(map(plain, listed))
    found: set[str] = set()
    for place in TYPES[protocol][kind]:
        module, _, path = place.partition(":")
        named = import_module(module)
        for name in path.split("."):
            named = getattr(named, name)
        hints = {} if isinstance(named, type) or fields(named) is not None else get_type_hints(named)
        hints.pop("return", None)
        found.update(hints, *(members(hint, set()) for hint in hints.values() or [named]))
    return frozenset(map(plain, found))


def payloads() -> Iterator[tuple[str, str, Json, str | None]]:
    """Protocol, kind, payload, and the member that it shows, if it is one member's."""
    for sample in samples("request", "response"):
        yield sample.protocol, sample.kind, sample.make(), None
    for protocol, kind, path, payload in (
        *typed(official.ROOTS),
        *((converse.PROTOCOL, *one) for one in converse.features()),
    ):
        shown = re.findall(r"\.(\w+)", path)
        if shown:
            yield protocol, kind, payload, plain(shown[-1])


def test_nothing_like_it_is_said_where_the_target_has_nothing_like_it() -> None:
    needs_stated(*PACKAGES)
    for package in ("cohere", "ollama"):
        pytest.importorskip(package)
    found: dict[tuple[str, str], str] = {}
    for src, kind, payload, shown in payloads():
        for dst in PROTOCOLS:
            known = names(dst, kind)
            if src == dst or (shown is not None and shown not in known):
                continue
            try:
                done = proxai_ir.compile(payload, src, dst, kind=cast("Any", kind), model="m")
            except TranslationError:
                continue
            for one in done.diagnostics:
                member = plain(one.path.rpartition("/")[2])
                if one.rule in NOTHING_LIKE_IT and member in known:
                    found.setdefault((f"{kind} {member} {one.rule}", dst), f"{src} at {one.path}")
    listed = [one for by_name in DIFFERENT.values() for one in by_name.items()]
    expected = {(what, dst) for what, targets in listed for dst in targets.split()}
    assert {one: where for one, where in found.items() if one not in expected} == {}
    assert expected - found.keys() == set()
