"""Read the shapes of a protocol's payloads from a document: OpenAPI 3.0 and 3.1, or plain JSON Schema.

A SchemaError names the place that cannot be read, as a JSON pointer, and what was expected there.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

Json = Any
KINDS = ("request", "response", "stream", "error")
NAMED = {
    "request": ("request",),
    "response": ("response",),
    "stream": ("stream", "event", "chunk"),
    "error": ("error",),
}
"""The ends of the names of definitions in a plain JSON Schema, by kind."""
FRAMINGS = {
    "text/event-stream": "SSE",
    "application/x-ndjson": "NDJSON",
    "application/jsonl": "NDJSON",
    "application/vnd.amazon.eventstream": "AWS_EVENT_STREAM",
}
METHODS = ("get", "put", "post", "delete", "patch")
MOST = 5000


class SchemaError(Exception):
    """The document cannot be read; the text is one line with the place and what was expected there."""


class SeveralOperations(Exception):
    """The document has several operations, and none was chosen; the text lists them."""


@frozen
class Shape:
    """A schema, with its references followed. `type`: a JSON type, "union", or "" for anything."""

    type: str = ""
    members: Mapping[str, Shape] = field(factory=dict)
    required: frozenset[str] = frozenset()
    items: Shape | None = None
    options: tuple[Shape, ...] = ()
    tag: str = ""
    words: tuple[str, ...] = ()
    example: Json = None

    def of(self, kind: str) -> Shape | None:
        """Return the shape itself or its option of this type, or None."""
        return next((one for one in (self, *self.options) if one.type == kind), None)


@frozen(kw_only=True)
class Described:
    """The content of a document about a protocol: shapes by kind of payload, and facts of HTTP."""

    shapes: Mapping[str, Shape]
    path: str | None = None
    framing: str = "SSE"
    key: str | None = None


def load(file: Path) -> Json:
    """Return the document in a file. Raises SchemaError and OSError."""
    data = file.read_bytes()
    if file.suffix.lower() in (".yaml", ".yml"):
        try:
            yaml = import_module("yaml")
        except ModuleNotFoundError:
            raise SchemaError('a YAML document needs PyYAML: in the checkout, pip install ".[schema]"') from None
        try:
            return yaml.safe_load(data)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise SchemaError(f"no YAML: {' '.join(str(error).split())}") from None
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"no JSON: {error}") from None


def described(document: Json, operation: str | None = None) -> Described:
    """Return the payloads that a document describes. Raises SchemaError and SeveralOperations."""
    root = _Reader(document)
    if not isinstance(document, dict):
        raise root.wrong("", "an object")
    if "paths" in document or "openapi" in document or "swagger" in document:
        if not str(document.get("openapi", "")).startswith("3."):
            raise root.wrong("/openapi", "version 3.0 or 3.1 of OpenAPI")
        return _of_operation(root, operation)
    if operation is not None:
        raise SchemaError("a plain JSON Schema has no operations to choose from")
    return _of_definitions(root)


def _of_definitions(root: _Reader) -> Described:
    """Return the payloads in a plain JSON Schema, by the names of definitions; by default it is the request."""
    shapes: dict[str, Shape] = {}
    for holder in ("/$defs", "/definitions"):
        for name in root.document.get(holder[1:]) or ():
            for kind, ends in NAMED.items():
                if name.lower().endswith(ends):
                    shapes.setdefault(kind, root.shape(f"{holder}/{escaped(name)}"))
    if "request" not in shapes:
        shapes["request"] = root.shape("")
    return Described(shapes=_sound(root, "/$defs", shapes))


def _of_operation(root: _Reader, wanted: str | None) -> Described:
    found = dict(_operations(root))
    chosen = [at for name, at in found.items() if wanted in (None, name, *name.split())]
    if not found:
        raise root.wrong("/paths", "an operation with a JSON requestBody")
    if len(chosen) != 1:
        raise SeveralOperations(", ".join(found))
    at = chosen[0]
    path = at.split("/")[2].replace("~1", "/").replace("~0", "~")
    shapes = {"request": root.shape(_json(root, f"{at}/requestBody") or "")}
    framing = "SSE"
    responses = root.get(f"{at}/responses", dict, {})
    for status in sorted(responses, key=str):
        here = root.followed(f"{at}/responses/{escaped(str(status))}")
        if json_at := _json(root, here):
            shapes.setdefault("response" if str(status).startswith("2") else "error", root.shape(json_at))
        for media in root.get(f"{here}/content", dict, {}):
            if media.split(";")[0] in FRAMINGS and str(status).startswith("2"):
                framing = FRAMINGS[media.split(";")[0]]
                inside = f"{here}/content/{escaped(media)}"
                key = "itemSchema" if "itemSchema" in root.get(inside, dict) else "schema"
                shapes["stream"] = root.shape(f"{inside}/{key}")
    return Described(shapes=_sound(root, at, shapes), path=path, framing=framing, key=_key(root))


def _operations(root: _Reader) -> Iterator[tuple[str, str]]:
    """Yield every operation with a JSON body, as "METHOD path operationId", and its pointer."""
    for path in root.get("/paths", dict, {}):
        item = f"/paths/{escaped(path)}"
        for method in root.get(item, dict):
            at = f"{item}/{method}"
            if method in METHODS and "requestBody" in root.get(at, dict) and _json(root, f"{at}/requestBody"):
                yield f"{method.upper()} {path} {root.get(at, dict).get('operationId', '')}".strip(), at


def _json(root: _Reader, at: str) -> str | None:
    """Return the pointer to the JSON schema of a body, or None."""
    at = root.followed(at)
    for media in root.get(f"{at}/content", dict, {}):
        if media.split(";")[0].endswith(("/json", "+json")):
            return f"{at}/content/{escaped(media)}/schema"
    return None


def _key(root: _Reader) -> str | None:
    """Return the header of API keys, or None if it is `authorization`."""
    for scheme in root.get("/components/securitySchemes", dict, {}).values():
        if isinstance(scheme, dict) and (scheme.get("type"), scheme.get("in")) == ("apiKey", "header"):
            return str(scheme.get("name", "")).lower() or None
    return None


def _sound(root: _Reader, at: str, shapes: Mapping[str, Shape]) -> dict[str, Shape]:
    """Return the shapes; raises SchemaError if a payload is no object. Events of a stream may be a union."""
    for kind, shape in shapes.items():
        if shape.type != "object" and not (kind == "stream" and shape.type in ("union", "")):
            raise root.wrong(at, f"an object as the {kind}")
    return dict(shapes)


def escaped(name: str) -> str:
    """Return a name as a step of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


class _Reader:
    """Reads schemas of one document by their pointers."""

    def __init__(self, document: Json) -> None:
        self.document = document
        self._count = 0

    def wrong(self, at: str, expected: str) -> SchemaError:
        return SchemaError(f"{at or '/'}: expected {expected}")

    def get(self, at: str, type_: type, default: Json = None) -> Json:
        """Return the value at a pointer, which must exist unless there is a default."""
        found = self.document
        for escaped_step in at.split("/")[1:]:
            step = escaped_step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and step.isdecimal() and int(step) < len(found):
                found = found[int(step)]
            elif isinstance(found, dict) and (step in found or (step.isdecimal() and int(step) in found)):
                found = found[step] if step in found else found[int(step)]  # YAML's statuses may be numbers
            elif default is not None:
                return default
            else:
                raise self.wrong(at, NOUNS[type_])
        if not isinstance(found, type_):
            raise self.wrong(at, NOUNS[type_])
        return found

    def followed(self, at: str) -> str:
        """Return the pointer to which the references at a pointer lead."""
        seen = {at}
        while isinstance(found := self.get(at, object), dict) and "$ref" in found:
            target = found["$ref"]
            if not isinstance(target, str) or not target.startswith("#"):
                raise self.wrong(f"{at}/$ref", "a reference into this document, #/…")
            at = target[1:]
            if at in seen:
                raise self.wrong(at, "a schema, not a reference to itself")
            seen.add(at)
        return at

    def shape(self, at: str, around: frozenset[str] = frozenset()) -> Shape:
        """Return the schema at a pointer; inside itself it counts as anything."""
        at = self.followed(at)
        schema = self.get(at, object)
        if isinstance(schema, bool) or at in around:
            return Shape()
        if not isinstance(schema, dict):
            raise self.wrong(at, "a schema, which is an object")
        self._count += 1
        if self._count > MOST:
            raise self.wrong(at, f"at most {MOST} schemas in one operation")
        found = self._merged(at, schema, around | {at})
        given = [schema["const"]] if "const" in schema else self.get(f"{at}/enum", list, [])
        examples = self.get(f"{at}/examples", list, []) if not isinstance(schema.get("examples"), dict) else []
        example = next(
            (one for one in (schema.get("example"), *examples, schema.get("default")) if one is not None), None
        )
        words = tuple(one for one in given if isinstance(one, str)) or found.words
        return evolve(found, words=words, example=example, type=found.type or ("string" if words else ""))

    def _merged(self, at: str, schema: Json, around: frozenset[str]) -> Shape:
        """Return the type and members of a schema, with those of `allOf`, or the union of `oneOf` or `anyOf`."""
        for word in ("oneOf", "anyOf"):
            if word in schema and "properties" not in schema:
                return self._union(at, word, around)
        kinds = schema.get("type", "")
        named = [one for one in (kinds if isinstance(kinds, list) else [kinds]) if one != "null"]
        unknown = [one for one in named if one not in TYPES]
        if unknown:
            raise self.wrong(f"{at}/type", "a type of JSON Schema")
        if len(named) > 1:
            return Shape("union", options=tuple(Shape(one) for one in named))
        members = {
            name: self.shape(f"{at}/properties/{escaped(name)}", around)
            for name in self.get(f"{at}/properties", dict, {})
        }
        needed = frozenset(one for one in self.get(f"{at}/required", list, []) if isinstance(one, str))
        found = Shape(named[0] if named else "object" if members else "", members, needed)
        if found.type == "array" or "items" in schema:
            items = self.shape(f"{at}/items", around) if "items" in schema else Shape()
            return evolve(found, type="array", items=items)
        for index in range(len(self.get(f"{at}/allOf", list, []))):
            part = self.shape(f"{at}/allOf/{index}", around)
            both = {**part.members, **found.members}
            found = evolve(part if not found.type else found, members=both, required=found.required | part.required)
        return found

    def _union(self, at: str, word: str, around: frozenset[str]) -> Shape:
        every = [self.shape(f"{at}/{word}/{index}", around) for index in range(len(self.get(f"{at}/{word}", list)))]
        options = tuple(one for one in every if one.type != "null")
        if len(options) == 1:
            return options[0]
        given = self.get(f"{at}/discriminator", dict, {}).get("propertyName", "")
        objects = [one for one in options if one.type == "object"]
        common = [name for name in (objects[0].members if objects else ()) if all(_says(one, name) for one in objects)]
        tag = given if all(_says(one, given) for one in objects) else next(iter(common), "")
        return Shape("union", options=options, tag=tag)


def _says(shape: Shape, name: str) -> bool:
    """Return whether a member has only one value, which tells the object from others."""
    return name in shape.members and len(shape.members[name].words) == 1


TYPES = ("", "object", "array", "string", "integer", "number", "boolean", "null")
NOUNS = {dict: "an object", list: "an array", object: "a schema, as a reference names it"}


def sample(shape: Shape, prefer: Collection[str] = ()) -> Json:
    """Return a sample payload: the schema's example, else every member with a small value."""
    if shape.example is not None:
        return shape.example
    if shape.words:
        return next((one for one in shape.words if one in prefer), shape.words[0])
    if shape.type == "object":
        return {name: sample(one, prefer) for name, one in shape.members.items()}
    if shape.type == "array":
        return [sample(shape.items or Shape(), prefer)]
    if shape.type == "union":
        return sample(shape.options[0], prefer) if shape.options else {}
    return {"string": "x", "integer": 1, "number": 0.5, "boolean": False}.get(shape.type, {})
