"""The rules under which members of generateContent are reported, where they depend on the member's value.

Each function gets the value and returns the rule, or "" where the value is carried or repeats what the IR holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..ir.node import ByObject, Joint, finds


def usual(word: str, rule: str) -> Callable[[Any], str]:
    """Return a function that finds the rule of a member: ENV-7 for a zero value, which means nothing."""
    return finds("ENV-7", rule)(lambda value: "ENV-7" if value == word else rule)


WRITTEN = {"text", "thought", "thoughtSignature"}


def _resolution(value: Any, request: Mapping[str, Any]) -> str:
    """Return the rule of the resolution of all media, which has no effect on a request of text alone."""
    contents = request.get("contents")
    written = isinstance(contents, list) and all(map(_is_written, contents))
    return "ENV-7" if written or value == "MEDIA_RESOLUTION_UNSPECIFIED" else "IMG-3"


def _is_written(content: Any) -> bool:
    parts = content.get("parts") if isinstance(content, dict) else None
    return isinstance(parts, list) and all(isinstance(part, dict) and part.keys() <= WRITTEN for part in parts)


resolution = finds("ENV-7", "IMG-3")(ByObject(_resolution))

NO_BLOCK = ("BLOCK_REASON_UNSPECIFIED", "BLOCKED_REASON_UNSPECIFIED")


@finds("ENV-7", "DGN-1")
def block(word: Any) -> str:
    """Return the rule of the reason why a prompt was blocked."""
    return "ENV-7" if word in NO_BLOCK else "DGN-1"


@finds("RSN-15")
def thought(value: Any) -> str:
    """Return the rule of a part's mark as a thought, which is lost on a part that is no text."""
    return "RSN-15" if value else ""


@finds("ENV-7", "SMP-6", "TUL-9")
def behavior(value: Any) -> str:
    """Return the rule of whether the model waits for a call's result, as it usually does."""
    return "ENV-7" if value == "UNSPECIFIED" else "SMP-6" if value == "BLOCKING" else "TUL-9"


ENUM = "text/x.enum"
NO_FILTER = ("BLOCK_NONE", "OFF")


@finds("MOD-1", "MOD-2")
def safety(value: Any) -> str:
    """Return the rule of settings that filter content; switching filters off is what other targets do anyway."""
    if not value:
        return ""
    off = isinstance(value, list) and all(isinstance(one, dict) and one.get("threshold") in NO_FILTER for one in value)
    return "MOD-2" if off else "MOD-1"


@finds("SCH-8", "UNK-4")
def mime(value: Any) -> str:
    """Return the rule of the output's media type: a word of an enum is reported, any other is unknown."""
    return "SCH-8" if value == ENUM else "UNK-4"


MODALITIES = frozenset({"TEXT", "IMAGE", "AUDIO", "VIDEO"})  # of output


@finds("ENV-7", "SMP-6", "OUT-6", "UNK-4")
def modalities(value: Any) -> str:
    """Return the rule of the modalities of the output."""
    if value in ([], ["MODALITY_UNSPECIFIED"]):
        return "ENV-7"
    if value == ["TEXT"]:
        return "SMP-6"
    known = isinstance(value, list) and all(isinstance(one, str) and one in MODALITIES for one in value)
    return "OUT-6" if known else "UNK-4"


@finds("OUT-6", "ENV-7", "UNK-4")
def formats(value: Any) -> str:
    """Return the rule of the formats of media; the format of text is read elsewhere, or unknown."""
    one = value[0] if isinstance(value, list) and len(value) == 1 else value
    if not isinstance(one, dict) or {key for key in one if one[key] is not None} != {"text"}:
        return "OUT-6"
    return "ENV-7" if one["text"] == {"mimeType": "MIME_TYPE_UNSPECIFIED"} else "UNK-4"


@finds("CIT-1")
def uncited(value: Any) -> str:
    """Return the rule of the sources of a text; sources with a URL become citations."""
    cited = isinstance(value, list) and all(isinstance(one, dict) and isinstance(one.get("uri"), str) for one in value)
    return "" if cited else "CIT-1"


class Repeated(list[Any]):
    """The queries of a search that is a part of the content as well."""


def _widget(value: Any, candidate: Mapping[str, Any]) -> str:
    """Return the rule of markup that shows the queries of a search, and repeats them where they are listed."""
    grounding = candidate.get("groundingMetadata")
    repeated = isinstance(grounding, dict) and grounding.get("webSearchQueries")
    return "ENV-1" if repeated or not value else "TUL-22"


widget = finds("ENV-1", "TUL-22")(ByObject(_widget))


@finds("ENV-1", "TUL-22")
def suggestions(value: Any) -> str:
    """Return the rule of a search's result, which is the same markup."""
    if not value:
        return ""
    return "ENV-1" if isinstance(value, dict) and value.keys() == {SUGGESTIONS} else "TUL-22"


SUGGESTIONS = "search_suggestions"


@finds("ENV-1")
def queries(value: Any) -> str:
    """Return the rule of the queries of a search."""
    return "ENV-1" if isinstance(value, Repeated) else ""


@finds("TUL-22")
def pages(value: Any) -> str:
    """Return the rule of pages that were opened; they are carried if their addresses are known."""
    return "" if isinstance(value, list) and all(map(_has_address, value)) else "TUL-22"


def _has_address(page: Any) -> bool:
    return isinstance(page, dict) and isinstance(page.get("retrievedUrl"), str)


@finds("ENV-1", "CIT-1")
def chunks(value: Any) -> str:
    """Return the rule of the sources of a text; web pages are carried as citations and search results."""
    return queries(value) if isinstance(value, list) and all(map(_is_page, value)) else "CIT-1"


def _is_page(chunk: Any) -> bool:
    web = chunk.get("web") if isinstance(chunk, dict) and set(chunk) == {"web"} else None
    return isinstance(web, dict) and isinstance(web.get("uri"), str)


def _is_unusable(part: Any) -> bool:
    return part in ({}, {"text": ""}) or (isinstance(part, dict) and "functionCall" in part)


def unanswered(value: Any) -> str:
    """Return the rule of the candidates of a failed response: ERR-2 if one has content that could be used.

    Calls beside a failure are not usable: nobody is to execute them (FIN-8).
    """
    for candidate in value if isinstance(value, list) else ():
        content = candidate.get("content") if isinstance(candidate, dict) else None
        parts = content.get("parts") if isinstance(content, dict) else None
        if not all(map(_is_unusable, parts if isinstance(parts, list) else ())):
            return "ERR-2"
    return "ENV-1"


CARRIED = ({"@type", "retryDelay"}, {"@type", "reason"})
REASON = {"@type", "reason", "domain"}


def details(value: Any) -> str:
    """Return the rule of an error's details; the retry delay and the reason are carried, all else in part."""
    members = [{*one} for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    if not members or len(members) < len(value):
        return "ERR-4"
    named = [one for one in members if one not in CARRIED]
    return "" if not named else "ERR-6" if all(one == REASON for one in named) else "ERR-4"


SCHEMAS = ("responseJsonSchema", "_responseJsonSchema", "responseSchema")
"""The members of the configuration that have the schema of the output, the one that counts first."""
SCHEMA_PATHS = (*SCHEMAS, "responseFormat/text/schema", "responseFormat")
FORMAT_PATHS = Joint((*SCHEMA_PATHS, "responseMimeType"))
