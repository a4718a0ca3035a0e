"""A small protocol, made up for what no protocol of ours does: markers beside what they mark, settings in two objects.

{"system": [{"text": "Be brief."}, {"mark": {"for": 300}}], "say": [{"text": "Hi"}],
 "infer": {"heat": 0.5}, "more": {"top": 3, "odds": {"a": 1}, "deep": {"seed": 1}}}
"""

from __future__ import annotations

from typing import Any

from attrs import evolve

from proxai_ir.authoring import (
    SAMPLING,
    Frontend,
    an_object,
    extra_fields,
    keep,
    number,
    optional,
    read_members,
    required,
    setting,
)
from proxai_ir.ir.node import Cache
from proxai_ir.ir.parts import Text
from proxai_ir.ir.request import Request, Role, Turn
from proxai_ir.protocol.registry import backend, frontend

NAME = "beacons"
Json = dict[str, Any]


def lower_request(payload: Json) -> Request:
    request = Request(NAME, "m", [], src=payload)
    read_members(request, payload, READERS)
    return request


def read_system(request: Request, payload: Json) -> None:
    texts: list[Text] = []
    items = required(payload, "system", list)
    for index in range(len(items)):
        item = an_object(items, index)
        if "mark" in item:
            mark = required(item, "mark", dict)
            inner = extra_fields(mark, {"for"})
            extra = extra_fields(item, {"mark"}, nested={"mark": inner})
            texts[-1].cache = Cache(optional(mark, "for", int), src=item, extra=extra)
        else:
            texts.append(Text(required(item, "text", str), src=item, extra=extra_fields(item, {"text"})))
    request.turns = [Turn(Role.SYSTEM, [*texts], src=items), *(request.turns or [])]


def read_say(request: Request, payload: Json) -> None:
    said = required(payload, "say", list)
    spoken = [an_object(said, index) for index in range(len(said))]
    turns = [Turn(Role.USER, [Text(required(one, "text", str), src=one)], src=one) for one in spoken]
    for turn, one in zip(turns, spoken, strict=True):
        turn.extra = extra_fields(one, {"text"})
    request.turns = [*(request.turns or []), *turns]


def read_inside(key: str) -> Any:
    return lambda request, payload: read_members(request, required(payload, key, dict), SETTINGS)


SETTINGS: Json = {
    "heat": setting(SAMPLING, "temperature", "heat", number),
    "top": setting(SAMPLING, "top_k", "top", int),
    "seed": setting(SAMPLING, "seed", "seed", int),
    "deep": read_inside("deep"),
    "mood": lambda request, payload: keep(request, "mood", payload["mood"]),
}
READERS = {
    "system": read_system,
    "say": read_say,
    "seed": SETTINGS["seed"],
    "infer": read_inside("infer"),
    "more": read_inside("more"),
}
FRONTEND = Frontend(
    protocol=NAME,
    discriminators={"request": ({"say"},)},
    request=lower_request,
    response=frontend("openai_chat_completions").response,
    error=frontend("openai_chat_completions").error,
    wire_paths={
        "Sampling": {"temperature": ("heat", "deep/heat"), "top_k": ("top", "deep/top")},
        "Cache": {"ttl": "mark/for"},
    },
)
BACKEND = evolve(backend("openai_chat_completions"), protocol=NAME)
