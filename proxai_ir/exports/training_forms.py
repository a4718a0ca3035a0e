"""The forms of training lines: how each vendor's or tool's line holds a conversation, and where its answers stand.

Sources: OpenAI's API reference, "Training format for chat models using the supervised method" and "… using the
preference method"; Azure OpenAI, "Direct preference optimization"; Vertex AI, "Prepare supervised fine-tuning data for
Gemini models" and "Tune function calling"; Amazon Bedrock, "Prepare data for fine-tuning" and "Supervised fine-tuning
on Amazon Nova 2.0"; TRL, "Dataset formats and types"; LLaMA-Factory, `data/README.md` and `data/formatter.py`.

Rule 1: a form is plain data and two functions; the conversation itself is a payload of the protocol that the form is
like, which that protocol's frontend reads and its backend writes. Rule 2: a form names where its members are in the
line, so that findings point into the line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import attrs
import orjson

from ..conversion.profile import Profile
from ..ir.parts import Audio, Document, FileRef, Image, Inline, Url, Video
from ..json.types import found, loaded
from ..reporting.diagnostics import Record, Refusal
from .pairs import REJECTED

Json = Any
Object = dict[str, Any]
ANSWER = ("response",)
RANKED = ("response", REJECTED)
"""The members of a pair that hold answers: the only one, or the preferred and the other one."""
ANY = (Inline, Url, FileRef)
STORED = (Url, FileRef)
CHAT = "openai_chat_completions"
CHOICE, CANDIDATE, OUTPUT = "/choices/0/message", "/candidates/0/content", "/output/message"
"""Where the message is in a response of a protocol."""


class Place(NamedTuple):
    """The place of a payload's value in the line, as pointers; `whole`: it is made of another value there."""

    inside: str
    at: str
    whole: bool = False


class Opened(NamedTuple):
    """A line that is taken apart: its conversation as a request of the form's protocol, and its answers.

    answers  the messages that the line trains, each with places in it; none if it ends without one
    places   of the request, the most special first
    records  of what the form itself does not hold
    """

    request: Object
    answers: Sequence[tuple[Object, Sequence[Place]]]
    places: Sequence[Place]
    records: list[Record]


@attrs.frozen
class Form:
    """A form of training lines.

    server   the protocol that a line's conversation is written in, as what trains with it takes it
    media    the media that a line holds, each with the kinds of sources
    kept     the fields of a request that a line holds
    answer   where the answer's message is in a response of the protocol
    write    makes the line from payloads of the protocol, one for each answer, which they end with
    read     takes a line apart. Raises Refusal
    answers  the members of a pair that are answers
    weights  whether a message can be kept from being trained
    empty    whether a message can have an empty text
    plain    whether a refusal is a text like others, and speakers have no names
    """

    name: str
    server: str | Profile
    write: Callable[[Sequence[Object]], Object]
    read: Callable[[Object], Opened]
    answer: str = CHOICE
    assistant: str = "assistant"
    turns: str = "messages"
    media: Mapping[type, tuple[type, ...]] = {}
    kept: tuple[str, ...] = ("turns", "tools")
    answers: tuple[str, ...] = ANSWER
    weights: bool = False
    empty: bool = True
    plain: bool = False


# --- lines that are requests with an answer at the end ----------------------------------------------------------------

MESSAGE = ("role", "content", "name", "refusal", "tool_calls", "function_call", "tool_call_id")
"""The members of messages in training lines; the weight is one more."""
SUPERVISED = ("messages", "tools", "parallel_tool_calls")
VERTEX = ("systemInstruction", "contents", "tools")
CONVERSE = ("system", "messages", "toolConfig")
HERE = Place("", "")
SCHEMA = "bedrock-conversation-2024"
FUNCTIONS = "functions"
"""The older name of tools."""


def _messages(payload: Object) -> list[Object]:
    """Return the messages with the members that lines have. `developer` is newer models' name of system messages."""
    kept = [{name: value for name, value in one.items() if name in MESSAGE} for one in payload["messages"]]
    return [{**one, "role": "system"} if one["role"] == "developer" else one for one in kept]


def _line(payloads: Sequence[Object], members: Iterable[str]) -> Object:
    return {name: payloads[0][name] for name in members if name in payloads[0]}


def _supervised(payloads: Sequence[Object]) -> Object:
    return {**_line(payloads, SUPERVISED), "messages": _messages(payloads[0])}


def _opened(line: Object, turns: str, known: Sequence[str], role: str = "assistant", inside: str = CHOICE) -> Opened:
    """Take apart a line that is a request whose last message may be the answer."""
    payload = {name: line[name] for name in known if name in line}
    messages = listed(line, turns)
    last = len(messages) - 1
    answered = last >= 0 and isinstance(messages[last], dict) and messages[last].get("role") == role
    if not answered:
        return Opened({**payload, turns: messages}, [], [HERE], unknown(line, known))
    answer = (messages[last], _answered(inside, f"/{turns}/{last}"))
    return Opened({**payload, turns: messages[:last]}, [answer], [HERE], unknown(line, known))


def _answered(inside: str, at: str) -> list[Place]:
    """Return the places of an answer: of values in its response, and of findings about the response as a whole."""
    return [Place(inside, at), Place("", at, True)]


def unknown(line: Object, known: Iterable[str]) -> list[Record]:
    """Return records of the members that a form does not have."""
    known = {*known}
    return [("UNK-1", (line, name), "") for name in line if name not in known and line[name] is not None]


def listed(line: Object, name: str) -> list[Json]:
    """Return a member that is a list. Raises Refusal."""
    value = line.get(name)
    if not isinstance(value, list):
        raise Refusal("SHP-1", None, f"expected an object with a list of `{name}`")
    return value


def _read_supervised(line: Object) -> Opened:
    weights = _weights(line)
    opened = _opened(_weightless(line), "messages", (*SUPERVISED, FUNCTIONS))
    return opened._replace(records=[*unknown(line, (*SUPERVISED, FUNCTIONS)), *weights])


def _weights(line: Object) -> list[Record]:
    """Return records of a line's weights. Raises Refusal for one that is not 0 or 1."""
    records: list[Record] = []
    for message in listed(line, "messages"):
        if isinstance(message, dict) and message.get("weight") is not None:
            if message["weight"] not in (0, 1) or isinstance(message["weight"], bool):
                raise Refusal("SHP-3", (message, "weight"), f"expected 0 or 1, found {found(message['weight'])}")
            records.append(("EXP-1", (message, "weight"), ""))
    return records


def _weightless(line: Object) -> Object:
    def plain(one: Json) -> Json:
        return {name: value for name, value in one.items() if name != "weight"} if isinstance(one, dict) else one

    return {**line, "messages": [plain(one) for one in listed(line, "messages")]}


def _read_vertex(line: Object) -> Opened:
    # As some of the vendor's examples have it.
    older = {} if "systemInstruction" in line else {"system_instruction": "systemInstruction"}
    made = {older.get(name, name): value for name, value in line.items()}
    opened = _opened(made, "contents", VERTEX, "model", CANDIDATE)
    renamed = [Place(f"/{new}", f"/{old}") for old, new in older.items() if old in line]
    return opened._replace(places=[*renamed, HERE], records=unknown(line, (*VERTEX, *older)))


def _read_converse(line: Object) -> Opened:
    opened = _opened(line, "messages", CONVERSE, inside=OUTPUT)
    other = line.get("schemaVersion") not in (None, SCHEMA)
    version: list[Record] = [("EXP-1", (line, "schemaVersion"), "")] if other else []
    return opened._replace(records=[*unknown(line, (*CONVERSE, "schemaVersion")), *version])


# --- preference -------------------------------------------------------------------------------------------------------

PREFERENCE = ("input", "preferred_output", "non_preferred_output")


def _preference(payloads: Sequence[Object]) -> Object:
    """Return the line of two conversations that differ in their answers."""
    one, other = map(_messages, payloads)
    most = min(len(one), len(other)) - 1
    same = next((at for at in range(most) if one[at] != other[at]), most)
    shared = {**_line(payloads, SUPERVISED), "messages": one[:same]}
    return dict(zip(PREFERENCE, (shared, one[same:], other[same:]), strict=True))


def _read_preference(line: Object) -> Opened:
    shared = line.get("input")
    if not isinstance(shared, dict):
        raise Refusal("SHP-1", None, "expected an object with `input`, which has a list of `messages`")
    answers = []
    for name in PREFERENCE[1:]:
        messages = listed(line, name)
        if len(messages) != 1:
            raise Refusal("SHP-1", (line, name), f"expected one message, found {len(messages)}")
        answers.append((messages[0], _answered(CHOICE, f"/{name}/0")))
    payload = {name: shared[name] for name in SUPERVISED if name in shared}
    records = [*unknown(line, PREFERENCE), *unknown(shared, SUPERVISED)]
    return Opened({**payload, "messages": listed(shared, "messages")}, answers, [Place("", "/input")], records)


# --- Hugging Face -----------------------------------------------------------------------------------------------------


def _hugging_face(payloads: Sequence[Object]) -> Object:
    """Return the line whose calls have their arguments as objects, and whose results name their tools."""
    names: dict[str, str] = {}
    messages = [_unpacked(one, names) for one in _messages(payloads[0])]
    return {**_line(payloads, ("messages", "tools")), "messages": messages}


def _unpacked(message: Object, names: dict[str, str]) -> Object:
    if message["role"] == "tool":
        return {"role": "tool", "name": names.get(message["tool_call_id"], ""), **message}
    if "tool_calls" not in message:
        return message
    calls = []
    for call in message["tool_calls"]:
        names[call["id"]] = call["function"]["name"]
        calls.append({**call, "function": {**call["function"], "arguments": _object(call["function"]["arguments"])}})
    return {**message, "content": message.get("content") or "", "tool_calls": calls}


def _object(text: str) -> Json:
    """Return the object that the text of arguments is, or the text itself where it is no object."""
    try:
        made = json.loads(text)
    except ValueError:
        return text
    return made if isinstance(made, dict) else text


def _read_hugging_face(line: Object) -> Opened:
    ids, weights = _Ids(), _weights(line)
    messages = [ids.named(one) for one in listed(line, "messages")]
    opened = _opened(_weightless({"messages": messages}), "messages", ("messages",))
    tools, places = _tools(line)
    records = [*unknown(line, ("messages", "tools")), *weights, *ids.misnamed]
    return opened._replace(request={**opened.request, **tools}, places=[*places, HERE], records=records)


class _Ids:
    """Gives ids to the calls of a conversation that has none, and to their results, in the order of the calls.

    `misnamed` has records of results that name another tool than their calls do.
    """

    def __init__(self) -> None:
        self.misnamed: list[Record] = []
        self._count = 0
        self._open: dict[str, Json] = {}  # the tools of calls without results, by id

    def named(self, message: Json) -> Json:
        """Return a message with ids, and its arguments as text."""
        if not isinstance(message, dict):
            return message
        calls = message.get("tool_calls")
        if isinstance(calls, list):
            self._open = {}
            made = [self._called(one) for one in calls]
            return {**message, "content": message.get("content") or None, "tool_calls": made}
        if message.get("role") != "tool":
            return message
        given = message.get("tool_call_id")
        identity = next(iter(self._open), "") if given is None else given
        name = self._open.pop(identity, None) if isinstance(identity, str) else None
        if message.get("name") not in (None, name):
            self.misnamed.append(("ENV-1", (message, "name"), ""))
        return {**{key: one for key, one in message.items() if key != "name"}, "tool_call_id": identity}

    def _called(self, call: Json) -> Json:
        if not isinstance(call, dict):
            return call
        self._count += 1
        identity = call.get("id") or f"call_{self._count}"
        function = call.get("function")
        if isinstance(identity, str):
            self._open[identity] = function.get("name") if isinstance(function, dict) else None
        if isinstance(function, dict) and isinstance(function.get("arguments"), dict):
            function = {**function, "arguments": orjson.dumps(function["arguments"]).decode()}
        return {"type": "function", **call, "id": identity, "function": function}


def _tools(line: Object) -> tuple[Object, list[Place]]:
    """Return the tools of a line as a member of a request, and where they are: functions, bare or by their types, as a
    list or as its text. Raises Refusal."""
    tools, places = line.get("tools"), []
    if isinstance(tools, str):
        tools = _loaded(tools, (line, "tools")) if tools.strip() else None
        places = [Place("/tools", "/tools", True)]
    if not isinstance(tools, list):
        if tools is not None:
            raise Refusal("SHP-1", (line, "tools"), f"expected a list of tools, found {found(tools)}")
        return {}, []
    made = []
    for at, tool in enumerate(tools):
        bare = isinstance(tool, dict) and "type" not in tool and "function" not in tool
        made.append({"type": "function", "function": tool} if bare else tool)
        places += [Place(f"/tools/{at}/function", f"/tools/{at}")] if bare else []
    return {"tools": made}, places


def _loaded(text: str, place: tuple[Json, str]) -> Json:
    try:
        return loaded(text)
    except ValueError as error:
        raise Refusal("SHP-6", place, str(error)) from None


# --- ShareGPT ---------------------------------------------------------------------------------------------------------

SPEAKERS = {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}
CALLED = "function_call"
ROLES = {
    **{word: role for role, word in SPEAKERS.items()},
    **{role: role for role in SPEAKERS},
    "chatgpt": "assistant",
    "model": "assistant",
    "function_response": "tool",
}
SHARED = ("conversations", "system", "tools")


def _sharegpt(payloads: Sequence[Object]) -> Object:
    """Return the line whose calls and results follow each other in the calls' order, as it has no ids."""
    entries: list[Object] = []
    waiting: list[str] = []
    results: dict[str, Object] = {}
    for message in [*_messages(payloads[0]), None]:
        if message is not None and message["role"] == "tool":
            results[message["tool_call_id"]] = _entry("tool", message["content"])
            continue
        entries += [results.pop(one) for one in waiting if one in results]
        if message is not None:
            calls = message.get("tool_calls") or []
            waiting = [one["id"] for one in calls]
            text = message.get("content")
            entries += [_entry(message["role"], text)] if text or not calls else []
            entries += [{"from": CALLED, "value": _calls_text(calls)}] if calls else []
    tools = [one["function"] for one in payloads[0].get("tools", ())]
    return {"conversations": entries, **({"tools": orjson.dumps(tools).decode()} if tools else {})}


def _entry(role: str, text: str | None) -> Object:
    return {"from": SPEAKERS[role], "value": text or ""}


def _calls_text(calls: Sequence[Object]) -> str:
    """Return the text of calls: one object, or the list of several."""
    made = [{**one["function"], "arguments": _object(one["function"]["arguments"])} for one in calls]
    return orjson.dumps(made if len(made) > 1 else made[0]).decode()


def _read_sharegpt(line: Object) -> Opened:
    records = unknown(line, SHARED)
    ids = _Ids()
    system = line.get("system")
    messages: list[Json] = [] if system in (None, "") else [{"role": "system", "content": system}]
    before = len(messages)
    places = [Place("/messages/0", "/system", True)] if before else []
    for at, entry in enumerate(listed(line, "conversations")):
        if not isinstance(entry, dict):
            raise Refusal("SHP-1", (line["conversations"], at), f"expected an object, found {found(entry)}")
        records += unknown(entry, ("from", "value"))
        messages.append(ids.named(_spoken(entry)))
        places.append(Place(f"/messages/{before + at}", f"/conversations/{at}", True))
    opened = _opened({"messages": messages}, "messages", ("messages",))
    answers = [(one, [Place("", places[-1].at, True)]) for one, _ in opened.answers]
    tools, of_tools = _tools(line)
    return Opened({**opened.request, **tools}, answers, [*of_tools, *places, HERE], records)


def _spoken(entry: Object) -> Object:
    """Return the message that an entry is. Raises Refusal."""
    speaker, value = entry.get("from"), entry.get("value")
    if not isinstance(value, str):
        raise Refusal("SHP-1", (entry, "value"), f"expected a string, found {found(value)}")
    if speaker != CALLED:
        role = ROLES.get(speaker) if isinstance(speaker, str) else None
        if role is None:
            raise Refusal(
                "SHP-3", (entry, "from"), f"expected one of {', '.join([*ROLES, CALLED])}, found {found(speaker)}"
            )
        return {"role": role, "content": value}
    calls = _loaded(value, (entry, "value"))
    calls = calls if isinstance(calls, list) else [calls]
    if not all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in calls):
        raise Refusal("SHP-1", (entry, "value"), "expected the text of an object with `name` and `arguments`")
    functions = [{**one, "arguments": one.get("arguments", {})} for one in calls]
    return {"role": "assistant", "content": None, "tool_calls": [{"function": one} for one in functions]}


# --- all --------------------------------------------------------------------------------------------------------------

TEXTS = Profile(CHAT, content_arrays=False, developer_role=False)
LISTED = (
    Form(
        "fine_tuning",
        CHAT,
        _supervised,
        _read_supervised,
        media={Image: ANY},
        kept=("turns", "tools", "parallel_tools"),
        weights=True,
    ),
    Form(
        "preference",
        CHAT,
        _preference,
        _read_preference,
        media={Image: ANY},
        kept=("turns", "tools", "parallel_tools"),
        answers=RANKED,
    ),
    Form(
        "gemini_tuning",
        Profile("gemini_generate_content", dummy_signatures=False, json_schemas=False, call_ids=False),
        lambda payloads: _line(payloads, VERTEX),
        _read_vertex,
        CANDIDATE,
        "model",
        "contents",
        media=dict.fromkeys((Image, Audio, Video, Document), STORED),
        empty=False,
    ),
    Form(
        "bedrock_tuning",
        "bedrock_converse",
        lambda payloads: {"schemaVersion": SCHEMA, **_line(payloads, CONVERSE)},
        _read_converse,
        OUTPUT,
        media=dict.fromkeys((Image, Video), STORED),
        empty=False,
    ),
    Form("hf_messages", TEXTS, _hugging_face, _read_hugging_face, plain=True),
    Form("sharegpt", TEXTS, _sharegpt, _read_sharegpt, plain=True),
)
TRAINING = {form.name: form for form in LISTED}
