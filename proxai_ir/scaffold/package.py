"""The files of a package for a protocol: templates, filled with the guesses.

The package lists members without a guess in `UNDECIDED`, and every name that its code needs has a value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from importlib.resources import files
from string import Template
from typing import Any

import attrs

from .. import authoring, ir
from ..ir.structure import CHILDREN, FEATURES, hints
from . import guesses
from .guesses import Declared, cells, declared, in_words, named
from .schema import Described, Shape, sample

GROUPS: dict[type, str] = {ir.Request: "None", ir.Sampling: "SAMPLING", ir.Streaming: "STREAMING"}
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "mapping": "dict", "strings": "list"}
NOTHING = Shape("object")
ALWAYS: dict[type, str] = {
    ir.Request: "turns",
    ir.Turn: "parts continues",
    ir.Text: "text",
    ir.Response: "candidates",
    ir.Candidate: "turns terminal",
    ir.Terminal: "raw",
    ir.Error: "category message",
}
"""The fields that the templates carry, whatever the schema says."""


def package(name: str, described: Described, schema: str) -> dict[str, str]:
    """Return the texts of the files by their paths."""
    draft = Draft(name, described)
    into, facts = f"{name}_ir", {"schema": schema, **draft.facts()}
    templates = {
        "pyproject.toml": "pyproject.toml",
        "README.md": "README.md",
        **{f"{into}/{one}.py": f"{one}.py" for one in ("wire", "frontend", "backend", "target")},
        **{f"tests/{one}.py": f"{one}.py" for one in ("test_undecided", "test_conformance")},
    }
    made = {path: filled(template, facts, draft.flags()) for path, template in templates.items()}
    made |= {f"{into}/__init__.py": f'"""{name} for proxai_ir."""\n', "tests/__init__.py": ""}
    for kind, payload in draft.samples():
        made[f"samples/{kind}.json"] = json.dumps(payload, indent=2, ensure_ascii=False) + "\n"
    return made


def filled(template: str, facts: Mapping[str, str], flags: Set[str]) -> str:
    """Return a template with its names replaced, and `$imports` with the imports that its code needs.

    Lines between `%% a b` and `%%` are kept only if one of these words is a flag.
    """
    kept, open_ = [], True
    text = (files("proxai_ir.scaffold") / "templates" / f"{template}.tmpl").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("%%"):
            open_ = line == "%%" or not flags.isdisjoint(line.split()[1:])
        elif open_:
            kept.append(line)
    body = Template("\n".join(kept) + "\n").safe_substitute(facts)
    return body.replace("$imports", _imports(body)) if "$imports" in body else body


class Draft:
    """The guesses about a protocol, and `undecided`: the members without a guess, by the class of their object."""

    def __init__(self, name: str, described: Described) -> None:
        self.name, self.described = name, described
        self.undecided: dict[str, dict[str, str]] = {}
        self.carried: dict[type, set[str]] = {cls: {*names.split()} for cls, names in ALWAYS.items()}
        self.objects: list[str] = []
        self.made: list[str] = []
        shapes = {kind: described.shapes.get(kind, NOTHING) for kind in ("request", "response", "stream", "error")}
        self.streams = "stream" in described.shapes
        self._request(shapes["request"])
        self._response(shapes["response"])
        self._error(shapes["error"])
        self._stream(shapes["stream"])

    # --- the objects --------------------------------------------------------------------------------------------------

    def _request(self, shape: Shape) -> None:
        turns, tools = named(shape, guesses.TURNS, "array"), named(shape, guesses.TOOLS, "array")
        turn = _item(shape, turns)
        role, content = named(turn, guesses.ROLE, "string"), named(turn, guesses.CONTENT)
        for found, what in ((turns, "(the conversation)"), (role, "(the role of a turn)"), (content, "(the content)")):
            if found is None:
                self._left("Request", what, "no member looks like it")
        self.turns, self.role, self.content = turns or "messages", role or "role", content or "content"
        self.tools = tools if tools and self._declare("TOOL", ir.FunctionTool, _item(shape, tools), {}) else None
        self.members: list[str] = []
        for member, inner in shape.members.items():
            if member in (turns, self.tools):
                continue
            for cls, group in GROUPS.items():
                if fits := guesses.field_of(cls, member, inner):
                    self._carry(cls, fits[0])
                    kind = TYPES[fits[1]]
                    self.members.append(f'"{member}": ({group}, "{fits[0]}", {kind}),')
                    break
            else:
                self._left("Request", member, in_words(inner))
        self.roles = self._words(
            "Turn", turn, self.role, guesses.ROLES, {"user": ir.Role.USER, "assistant": ir.Role.ASSISTANT}
        )
        given = {self.role: 'required(by_hand("str", "role"))', self.content: 'required(by_hand("", "parts"))'}
        self._calls(turn, given)
        self._declare("TURN", ir.Turn, turn, given)
        if self.call_id:  # of a turn of its own, which the template reads and writes
            for decided in (self.call_id, f"{self.role}={self.result_role}"):
                self.undecided["Turn"].pop(decided, None)
        self._parts(turn.members.get(self.content, Shape("string")))

    def _calls(self, turn: Shape, given: dict[str, str]) -> None:
        """Declare the calls that turns have beside their content, and find how the turn of a result names its call."""
        calls, call_id = named(turn, guesses.CALLS, "array"), named(turn, guesses.CALL_ID, "string")
        call = declared(ir.FunctionCall, _item(turn, calls), {})
        self.calls = calls if calls and self._declare("CALL", ir.FunctionCall, _item(turn, calls), {}) else None
        words = turn.members[self.role].words if self.role in turn.members else ()
        self.result_role = next((word for word in words if word in guesses.RESULT_ROLES), None)
        self.call_id = call_id if self.calls and self.result_role else None
        self.argument, self.form = call.fields["arguments"] if self.calls else ("", "")
        if self.calls:
            given[self.calls] = "by_hand()"
        if self.call_id:
            self.carried[ir.ToolResult] = {"call_id", "parts"}
            self._carry(ir.Turn, "role=tool")

    def _parts(self, content: Shape) -> None:
        """Declare the union of a list of contents, in which only texts are known."""
        listed = content.of("array")
        self.text, self.listed = content.of("string") is not None or not content.type, listed is not None
        if listed is None:
            return
        items = listed.items or NOTHING
        options = [one for one in (items, *items.options) if one.type == "object"]
        self.tag = items.tag or next(
            (name for one in options for name in one.members if one.members[name].words), "type"
        )
        lines: list[str] = []
        for one in options:
            words = one.members[self.tag].words if self.tag in one.members else ("text",)
            rest = attrs.evolve(one, members={key: inner for key, inner in one.members.items() if key != self.tag})
            for word in words:
                if word == "text" and self._declare("TEXT", ir.Text, rest, {}):
                    lines.append(f'"{word}": TEXT,')
                else:
                    self._left("Part", word, in_words(rest))
        self.objects.append(f'PART = TaggedUnion(f"{{NAME}} part", "{self.tag}", {{{" ".join(lines).rstrip(",")}}})')
        self.made.append("PART")

    def _response(self, shape: Shape) -> None:
        self.choices = named(shape, guesses.CHOICES, "array")
        holder = _item(shape, self.choices) if self.choices else shape
        self.message = next((one for one in guesses.MESSAGE if named(holder, (one,), "object") is not None), None)
        inner = holder.members[self.message].of("object") or NOTHING if self.message else holder
        content = named(inner, (self.content, *guesses.CONTENT))
        if content is None:
            self._left("Response", "(the content)", "no member looks like it")
        self.answer = content or self.content
        ending = named(holder, guesses.ENDING, "string")
        if ending is None:
            self._left("Response", "(how it ended)", "no member looks like it")
        self.ending = ending or "finish_reason"
        self.reasons = self._words("Terminal", holder, self.ending, guesses.REASONS, {"stop": ir.StopReason.END})
        self.carried[ir.Terminal] |= {
            f"reason={reason.value}" for reason in {*self.reasons.values(), ir.StopReason.UNKNOWN}
        }
        beside = {self.calls: "by_hand()"} if self.calls and self.calls in inner.members else dict[str, str]()
        given = dict.fromkeys(filter(None, (self.choices, self.message, self.answer, self.ending)), "by_hand()")
        given |= {} if self.message else beside
        usage = named(shape, guesses.USAGE, "object")
        if usage and self._declare("USAGE", ir.Usage, shape.members[usage].of("object") or NOTHING, {}):
            given[usage] = 'node("usage", USAGE)'
            self._carry(ir.Response, "usage")
        self._declare("RESPONSE", ir.Response, shape, given, RESPONSE_FIXED)
        if self.message:
            given = {self.answer: 'required(by_hand("", "parts"))', **beside}
            if role := named(inner, guesses.ROLE):
                given[role] = f'constant("{self._speaker(inner.members[role].words)}")'
            self._declare("MESSAGE_OBJECT", ir.Turn, inner, given, '{"role": Role.ASSISTANT}')
        if self.choices:
            for member, one in holder.members.items():
                if member not in (self.message, self.answer, self.ending, self.calls):
                    self._left("Candidate", member, in_words(one))

    def _error(self, shape: Shape) -> None:
        if not self._declare("ERROR", ir.Error, shape, {}, ERROR_FIXED):
            self._left("Error", "(the message)", "no member looks like it")
            self._declare("ERROR", ir.Error, Shape("object", {"message": Shape("string")}), {}, ERROR_FIXED)
        self.failure = next(iter(shape.members), "error")

    def _stream(self, shape: Shape) -> None:
        self.event = shape.tag or "type"
        for number, one in enumerate(shape.options or (shape,) if self.streams else (), 1):
            words = one.members[self.event].words if self.event in one.members else ()
            self._left("Event", words[0] if words else f"event {number}", in_words(one))

    def _declare(self, name: str, cls: type, shape: Shape, given: Mapping[str, str], fixed: str = "") -> bool:
        """Declare an object as a class of the IR, and return whether that is possible."""
        found: Declared = declared(cls, shape, given)
        if cls is not ir.Turn and not found.complete:
            return False
        lines = "\n".join(f"        {line}" for line in found.lines)
        last = f"    {fixed},\n" if fixed else ""
        of = name.lower()
        body = f"{{\n{lines}\n    }}" if lines else "{}"
        self.objects.append(f'{name} = WireObject(\n    f"{{NAME}} {of}",\n    {cls.__name__},\n    {body},\n{last})')
        self.made.append(name)
        for one in found.fields:
            self._carry(cls, one)
        for member, what in found.undecided.items():
            self._left(cls.__name__, member, what)
        return True

    def _words(
        self, of: str, holder: Shape, member: str, known: Mapping[str, Any], default: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the table of a member's words; unknown words are undecided."""
        words = holder.members[member].words if member in holder.members else ()
        if not words:
            self._left(of, f"{member}=", "its words are not in the schema; these are guesses")
        for word in words:
            if word not in known:
                self._left(of, f"{member}={word}", "one of its words")
        return {word: known[word] for word in words if word in known} or default

    def _speaker(self, words: Sequence[str]) -> str:
        """Return the word for the assistant; the only one that responses have is used in requests, too."""
        known = next((word for word, role in self.roles.items() if role is ir.Role.ASSISTANT), None)
        if known is None and len(words) == 1:
            self.roles[words[0]] = ir.Role.ASSISTANT
            self.undecided.get("Turn", {}).pop(f"{self.role}={words[0]}", None)
        return words[0] if len(words) == 1 else known or "assistant"

    def _left(self, of: str, member: str, what: str) -> None:
        self.undecided.setdefault(of, {})[member] = what

    def _carry(self, cls: type, name: str) -> None:
        self.carried.setdefault(cls, set()).add(name)
        for holder, fields in CHILDREN.items():
            for field, place in fields.items():
                if not place and re.search(rf"\b{cls.__name__}\b", str(hints(holder)[field])):
                    self.carried.setdefault(holder, set()).add(field)

    # --- the text -----------------------------------------------------------------------------------------------------

    def facts(self) -> dict[str, str]:
        """Return the values of the names in the templates."""
        who: dict[Any, str] = {role: word for word, role in reversed(self.roles.items())}
        who.setdefault(ir.Role.SYSTEM, next(iter(who.values())))
        who.setdefault(ir.Role.DEVELOPER, who[ir.Role.SYSTEM])
        self.carried[ir.Turn] |= {f"role={role.value}" for role in self.roles.values()}
        if self.tools:
            self.carried[ir.Request] = {*self.carried.get(ir.Request, ()), "tools"}
        judged = cells(self.carried, self._placed())
        ends = {reason: word for word, reason in reversed(self.reasons.items())}
        last = next(iter(self.reasons))
        ended = ", ".join(f"{reason}: {json.dumps(word)}" for reason, word in ends.items())
        framing = self.described.framing
        key = f', key="{self.described.key}", scheme=""' if self.described.key else ""
        path = f'path="{self.described.path}"' if self.described.path else "path=None"
        framed = "" if framing == "SSE" else f", framing={framing}"
        return {
            "name": self.name,
            "package": f"{self.name}_ir",
            "dashed": self.name.replace("_", "-"),
            "turns": self.turns,
            "role": self.role,
            "content": self.content,
            "rule": rule_prefix(self.name),
            "places": "\n".join(f'{word} = "{value}"' for word, value in self._names().items() if value),
            "words": "\n".join(
                (
                    f"ROLES = {{{_pairs(self.roles)}}}",
                    f"WHO = {{{', '.join(f'{role}: {json.dumps(word)}' for role, word in who.items())}}}",
                    f"REASONS = {{{_pairs(self.reasons)}}}",
                    f"ENDINGS = {{**dict.fromkeys(StopReason, {json.dumps(last)}), {ended}}}",
                )
            ),
            "members": _lines(self.members),
            "objects": "\n".join(self.objects) + f"\nDECLARED = ({', '.join(self.made)})",
            "undecided": _lines(self._undecided()),
            "cells": _lines(f'{cls}: "{names}",' for cls, names in judged.left.items()),
            "refused": _lines(
                f'"{place}": (\n{_lines((f"{one}," for one in some), 8)}    ),'
                for place, some in judged.refused.items()
            ),
            "rows": _lines(judged.rows),
            "answer": "wire.CHOICES"
            if self.choices
            else "wire.MESSAGE"
            if self.message
            else "wire.ANSWER, wire.ENDING",
            "failure": json.dumps(self.failure),
            "http": path + key + framed,
            "event_type": self.event,
            "framing": framing,
            "held": ", ".join(f"wire.{word}" for word in self._held()),
            "instructions": "inline" if ir.Role.SYSTEM in self.roles.values() else "top",
            "arguments": "arguments_of" if self.form == "mapping" else "arguments_text",
            "parsed": str(self.form == "mapping"),
            "results": "turns" if self.call_id else "anywhere",
            "rich_results": str(not self.call_id),
            "ordered": str(not self.calls),
            "text_parts": str(self.listed),
            "alternatives": str(bool(self.choices)),
        }

    def _names(self) -> dict[str, str | None]:
        """Return the members' names that the generated code has as constants."""
        names = {"ANSWER": self.answer, "ENDING": self.ending, "MESSAGE": self.message, "CHOICES": self.choices}
        names |= {"TOOLS": self.tools, "EVENT": self.event if self.streams else None, "CALLS": self.calls}
        names |= {"ARGUMENTS": self.argument}
        return names | ({"CALL_ID": self.call_id, "RESULT": self.result_role} if self.call_id else {})

    def flags(self) -> set[str]:
        """Return the flags of the templates."""
        asked = {
            "listed": self.listed,
            "either": self.listed and self.text,
            "only_listed": self.listed and not self.text,
            "only_text": not self.listed,
            "choices": self.choices,
            "one": not self.choices,
            "message": self.message,
            "inline": not self.message,
            "tools": self.tools,
            "usage": "USAGE" in self.made,
            "calls": self.calls,
            "no_calls": not self.calls,
            "results": self.call_id,
            "stream": self.streams,
            "whole": not self.streams,
            "framing": self.described.framing != "SSE",
        }
        return {flag for flag, wanted in asked.items() if wanted}

    def _held(self) -> list[str]:
        """Return the names of the members of a choice."""
        return ["MESSAGE", "ENDING"] if self.message else ["ANSWER", "ENDING", *(["CALLS"] if self.calls else [])]

    def _placed(self) -> dict[str, tuple[type, ...]]:
        """Return the classes that the package carries, by place."""
        calls, results = ((ir.FunctionCall,) if self.calls else ()), ((ir.ToolResult,) if self.call_id else ())
        return {
            "instructions": (ir.Text,),
            "user": (ir.Text, *results),
            "assistant": (ir.Text, *calls),
            **({"tools": (ir.FunctionTool,)} if self.tools else {}),
            **({"tool result": (ir.Text,)} if results else {}),
        }

    def samples(self) -> Iterator[tuple[str, Any]]:
        """Yield a payload of each kind; the messages of a request have the members that their roles may have."""
        prefer = [word for word, role in guesses.ROLES.items() if role is ir.Role.USER]
        for kind, shape in self.described.shapes.items():
            payload = sample(shape, prefer)
            if kind == "request" and shape.example is None and self.turns in payload:
                payload[self.turns] = [one for message in payload[self.turns] for one in self._messages(message)]
            if kind != "stream":
                yield kind, self._sensible(payload)
                continue
            found = [self._sensible(sample(one, prefer)) for one in shape.options or (shape,)]
            failed = [one for one in found if isinstance(one, dict) and one.get(self.event) == "error"]
            yield kind, [one for one in found if one not in failed]
            if failed:
                yield "stream_failed", [*found[:2], *failed]

    def _sensible(self, value: Any, name: str = "") -> Any:
        """Return a sample in which the arguments of calls are JSON, and a response with calls ends for them."""
        if isinstance(value, list):
            return [self._sensible(one) for one in value]
        if not isinstance(value, dict):
            return "{}" if name and name == self.argument.rpartition("/")[2] and value == "x" else value
        made = {key: self._sensible(one, key) for key, one in value.items()}
        word = next((word for word, reason in self.reasons.items() if reason is ir.StopReason.TOOL_CALLS), None)
        if word and self.calls and self.ending in made:
            made[self.ending] = word
        return made

    def _messages(self, message: Any) -> list[Any]:
        """Replace a message with calls by three: the user's, one with the calls, and one with a result."""
        calls, call_id = self.calls or "", self.call_id or ""
        if not isinstance(message, dict) or not {calls, call_id} - {""} <= message.keys() or not calls:
            return [message]
        plain = {key: value for key, value in message.items() if key not in (calls, call_id)}
        speaker = next((word for word, role in self.roles.items() if role is ir.Role.ASSISTANT), "assistant")
        called = plain | {self.role: speaker, calls: message[calls]}
        answers = [plain | {self.role: self.result_role, call_id: message[call_id]}] if call_id else []
        return [plain, called, *answers]

    def _undecided(self) -> Iterator[str]:
        for of, left in self.undecided.items():
            if left:
                yield f'"{of}": {{'
                yield from (f"    {json.dumps(key)}: {json.dumps(what[:80])}," for key, what in left.items())
                yield "},"


RESPONSE_FIXED = '{"protocol": NAME, "id": None, "model": None, "candidates": []}'
ERROR_FIXED = '{"protocol": NAME, "category": ErrorCategory.UNKNOWN}'


def rule_prefix(name: str) -> str:
    """Return the beginning of the ids of the package's rules: four letters or more."""
    found = ""
    for word in name.upper().split("_"):
        found += re.sub("[^A-Z]", "", word)
        if len(found) >= 4:
            return found
    return (found + "XXXX")[:4]


def _item(shape: Shape, member: str | None) -> Shape:
    """Return the objects of a list."""
    items = shape.members[member].of("array") if member else None
    return (items.items.of("object") if items and items.items else None) or NOTHING


def _lines(lines: Iterable[str], indent: int = 4) -> str:
    return "".join(f"{' ' * indent}{line}\n" for line in lines)


def _pairs(words: Mapping[str, Any]) -> str:
    return ", ".join(f"{json.dumps(word)}: {value}" for word, value in words.items())


WORDS = "string integer number boolean mapping strings constant node by_hand required".split()
"""The functions that declarations of guesses need."""
KNOWN_CLASSES = (*FEATURES, ir.ErrorCategory, ir.Role, ir.StopReason)


def _imports(body: str) -> str:
    """Return import lines for the names that the code uses, of the IR's classes and of the authors' functions."""
    used = set(re.findall(r"\b[A-Za-z_]+\b", re.sub(r'"""[^"]*"""|"[^"]*"|#.*', "", body)))
    members, classes = {*WORDS} & used, {cls.__name__ for cls in KNOWN_CLASSES}
    names_of = {"proxai_ir.authoring": sorted({*authoring.__all__} & used - members - classes)}
    names_of |= {"proxai_ir.wire.objects": sorted(members)} if members else {}
    for cls in KNOWN_CLASSES:
        if cls.__name__ in used:
            names_of.setdefault(cls.__module__, []).append(cls.__name__)
    lines = []
    for module, names in sorted(names_of.items()):
        ordered = sorted(names, key=lambda one: (not one.isupper(), not one[0].isupper(), one))
        line = f"from {module} import {', '.join(ordered)}"
        several = "".join(f"    {one},\n" for one in ordered)
        lines.append(line if len(line) <= 120 else f"from {module} import (\n{several})")
    return "\n".join(lines)
