"""What Google refuses of a `Schema`: its subset of OpenAPI, in `parameters`, `response` and `responseSchema`."""

from __future__ import annotations

from collections.abc import Iterator

from .support import Json, words

# Discovery of the Gemini API (v1beta), Schema.
SCHEMA = words(
    """
    anyOf default description enum example format items maxItems maxLength maxProperties maximum minItems minLength
    minProperties minimum nullable pattern properties propertyOrdering required title type
    """
)
# SDK, Schema: Vertex AI has these too.
VERTEX_SCHEMA = SCHEMA | words("additionalProperties defs ref")
TYPES = words("STRING NUMBER INTEGER BOOLEAN ARRAY OBJECT NULL TYPE_UNSPECIFIED")
NAMES = {
    "any_of": "anyOf",
    "max_items": "maxItems",
    "max_length": "maxLength",
    "max_properties": "maxProperties",
    "min_items": "minItems",
    "min_length": "minLength",
    "min_properties": "minProperties",
    "property_ordering": "propertyOrdering",
    "additional_properties": "additionalProperties",
}
PAIRS = (("parameters", "parametersJsonSchema"), ("response", "responseJsonSchema"))
DEEPEST = 100


def is_object(schema: Json) -> bool:
    return isinstance(schema, dict) and str(schema.get("type")).upper() == "OBJECT"


def misfits(schema: Json, where: str, known: frozenset[str] = SCHEMA, depth: int = 0) -> Iterator[str]:
    """What is refused of a schema and of all within it; each line quotes the error."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        yield f"{where}: not an object of type Schema"
        return
    given = {str(NAMES.get(name, name)): value for name, value in schema.items()}
    # "Invalid JSON payload received. Unknown name \"$ref\" at '…': Cannot find field."
    yield from (f"{where}: Unknown name {name!r}" for name in sorted(given.keys() - known))
    yield from _values(given, where)
    for name, one in (given.get("properties") or {}).items():
        yield from misfits(one, f"{where}.properties[{name}]", known, depth + 1)
    for at, one in enumerate(given.get("anyOf") or ()):
        yield from misfits(one, f"{where}.anyOf[{at}]", known, depth + 1)
    if "items" in given:
        yield from misfits(given["items"], f"{where}.items", known, depth + 1)


def _values(given: dict[str, Json], where: str) -> Iterator[str]:
    kind = given.get("type")
    word = kind.upper() if isinstance(kind, str) else None
    if kind is not None and word not in TYPES:
        # "Unknown name \"type\" at '…': Proto field is not repeating, cannot start list."
        yield f"{where}: type {kind!r}"
    if any(not isinstance(one, str) for one in given.get("enum") or ()):
        yield f"{where}: enum (TYPE_STRING)"  # "Invalid value at '….enum[0]' (TYPE_STRING), 7"
    if "enum" in given and word not in ("STRING", "INTEGER", "NUMBER"):
        yield f"{where}: enum: only allowed for STRING type"
    if word == "ARRAY" and "items" not in given:
        yield f"{where}: items: missing field"  # "….properties[a].any_of[0].items: missing field."
    if "items" in given and word != "ARRAY":
        yield f"{where}: items: field predicate failed: $type == Type.ARRAY"
    if given.get("properties") and word != "OBJECT":
        yield f"{where}: properties: only allowed for OBJECT type"
    missing = {*(given.get("required") or ())} - {*(given.get("properties") or ())}
    if missing:
        yield f"{where}: required: property is not defined: {sorted(missing)}"
    if word == "STRING" and given.get("format") not in (None, "enum", "date-time"):
        yield f"{where}: format: only 'enum' and 'date-time' are supported for STRING type"
