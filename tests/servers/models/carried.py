"""Which share of the settings that a model takes reach it, of those that a conversion for its protocol alone carries.

    python -m tests.servers.models.carried [--protocol NAME] [--model PART] [--sample N]

A model takes a setting where its judge says so (`TAKES`) and refuses nothing of the request with it. What a request's
other settings exclude, as sampling beside thinking, its judge refuses, so that it does not count.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

from proxai_ir import Profile
from tests.held.shared import Tools, load

from . import IGNORES, JUDGES, TAKES, refusals
from .judge import CHAT, CONVERSE, GEMINI, MESSAGES, RESPONSES, forced_choice
from .measure import converted, profile, sources

Json = Any
CONFIG = "generationConfig/"
PATHS: dict[str, dict[str, str]] = {
    CHAT: {
        **{name: name for name in "temperature top_p top_k stop presence_penalty frequency_penalty seed n".split()},
        "logprobs": "logprobs",
        "parallel_tool_calls": "parallel_calls",
        "reasoning_effort": "effort",
        "max_completion_tokens": "max_tokens",
        "max_tokens": "max_tokens",
        "tool_choice": "forced_choice",
        "response_format": "structured_output",
    },
    RESPONSES: {
        "temperature": "temperature",
        "top_p": "top_p",
        "top_logprobs": "logprobs",
        "tool_choice": "forced_choice",
        "parallel_tool_calls": "parallel_calls",
        "max_output_tokens": "max_tokens",
        "reasoning/effort": "effort",
        "text/format": "structured_output",
    },
    MESSAGES: {
        "temperature": "temperature",
        "top_p": "top_p",
        "top_k": "top_k",
        "stop_sequences": "stop",
        "max_tokens": "max_tokens",
        "output_config/effort": "effort",
        "output_config/format": "structured_output",
        "tool_choice": "forced_choice",
    },
    GEMINI: {
        f"{CONFIG}temperature": "temperature",
        f"{CONFIG}topP": "top_p",
        f"{CONFIG}topK": "top_k",
        f"{CONFIG}stopSequences": "stop",
        f"{CONFIG}presencePenalty": "presence_penalty",
        f"{CONFIG}seed": "seed",
        f"{CONFIG}frequencyPenalty": "frequency_penalty",
        f"{CONFIG}responseLogprobs": "logprobs",
        f"{CONFIG}candidateCount": "n",
        f"{CONFIG}maxOutputTokens": "max_tokens",
        f"{CONFIG}responseJsonSchema": "structured_output",
        "toolConfig/functionCallingConfig": "forced_choice",
        f"{CONFIG}thinkingConfig/thinkingLevel": "effort",
    },
    CONVERSE: {
        "inferenceConfig/temperature": "temperature",
        "inferenceConfig/topP": "top_p",
        "inferenceConfig/stopSequences": "stop",
        "inferenceConfig/maxTokens": "max_tokens",
        "additionalModelRequestFields/top_k": "top_k",
        "outputConfig/effort": "effort",
        "outputConfig/textFormat": "structured_output",
        "toolConfig/toolChoice": "forced_choice",
        "additionalModelRequestFields/tool_choice": "parallel_calls",
    },
}
"""By protocol: where a setting stands, and the vocabulary's word for it."""


class Carried(NamedTuple):
    protocol: str
    model: str
    taken: int
    """Settings of all requests that the model takes."""
    missed: Counter[str]

    @property
    def share(self) -> float:
        return 1 - self.missed.total() / self.taken if self.taken else 1.0


WIDEST: dict[str, dict[str, Any]] = {GEMINI: {"least_effort": "minimal", "highest_effort": "max"}}
"""What servers of a protocol are taken to have, so that the settings that are compared are the source's own."""
TOGETHER = {f"{CONFIG}responseJsonSchema": f"{CONFIG}responseMimeType"}
"""What a setting means nothing without."""
ADDED = {"inferenceConfig/maxTokens": "additionalModelRequestFields/thinking/budget_tokens"}
"""Settings that a conversion adds beside another one, even if the source lacks them; they are not compared there."""
NAMES = {"max_completion_tokens": "max_tokens"}
"""The other name of a setting, under which some servers take it."""


def value_at(payload: Json, path: str) -> Json:
    for step in path.split("/"):
        payload = payload.get(step) if isinstance(payload, dict) else None
    return payload


def put(payload: Json, path: str, value: Json) -> Json:
    made = at = deepcopy(payload)
    *steps, last = path.split("/")
    for step in steps:
        at = at.setdefault(step, {})
    at[last] = value
    return made


def is_taken(protocol: str, model: str, path: str, value: Json, request: Json) -> bool:
    """Whether the model takes and heeds a setting in a request that was made for it."""
    word = PATHS[protocol][path]
    words = TAKES[protocol, model]
    if (f"effort:{value}".lower() if word == "effort" else word) not in words:
        return False
    with_it = put(request, path, value)
    unheeded = {check.refuses(with_it) for check in IGNORES.get((protocol, model), ())} - {None}
    return f"/{path}" not in unheeded and not refusals(protocol, model, with_it)


def carried(tools: Tools, most: int | None = None, wanted: str = "", part: str = "") -> Iterator[Carried]:
    alike: defaultdict[Profile, list[str]] = defaultdict(list)
    for protocol, model in JUDGES:
        if wanted in ("", protocol) and part in model:
            alike[profile(protocol, model)].append(model)
    plain: dict[str, list[Json]] = {}
    for server, models in alike.items():
        protocol = server.protocol
        asked = [*sources(tools, protocol, most)]
        if protocol not in plain:
            plain[protocol] = [converted(one, Profile(protocol, **WIDEST.get(protocol, {}))) for one in asked]
        made = [converted(one, server) for one in asked]
        pairs = [(one, other) for one, other in zip(plain[protocol], made, strict=True) if one and other]
        yield from (_of_model(protocol, model, pairs) for model in models)


def _of_model(protocol: str, model: str, pairs: list[tuple[Json, Json]]) -> Carried:
    taken, missed = 0, Counter[str]()
    for plain, made in pairs:
        request = {**made, "model": model} if "model" in made else made
        for path in PATHS[protocol]:
            value = value_at(plain, path)
            if path in ADDED and value_at(plain, ADDED[path]) is not None:
                continue
            if value is None or (PATHS[protocol][path] == "forced_choice" and not _forces(protocol, path, value)):
                continue
            if value in (value_at(made, path), value_at(made, NAMES.get(path, path))):
                taken += 1
            elif is_taken(protocol, model, path, value, _with(request, plain, path)):
                taken += 1
                missed[f"{path}={value}"[:60]] += 1
    return Carried(protocol, model, taken, missed)


def _forces(protocol: str, path: str, value: Json) -> bool:
    """A choice among some tools is a form that few servers have."""
    return "allowed_tools" not in str(value) and forced_choice[protocol](put({}, path, value)) is not None


def _with(request: Json, plain: Json, path: str) -> Json:
    other = TOGETHER.get(path)
    return request if other is None else put(request, other, value_at(plain, other))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--protocol", default="")
    parser.add_argument("--model", default="")
    parser.add_argument("--sample", type=int, default=None)
    given = parser.parse_args()
    found = sorted(carried(load(), given.sample, given.protocol, given.model), key=lambda one: one.share)
    for one in found:
        missed = ", ".join(f"{count} {text}" for text, count in one.missed.most_common(4))
        print(f"{100 * one.share:6.2f} %  {one.protocol} {one.model} ({one.taken})  {missed}")
    print(f"{sum(one.share >= 0.99 for one in found)} of {len(found)} pairs get 99 % or more of what they take")


if __name__ == "__main__":
    main()
