"""Google's words that its protocols share: tiers, files, offsets in texts, errors, and values that all servers accept.

Facts of the official types of `google-genai`. generateContent writes words in upper case, Interactions in lower case;
what differs otherwise stands in their own vocabularies.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

from attrs import Factory, field

from ..ir.error import ErrorCategory
from ..ir.request import Effort, Tier
from ..ir.tools import ChoiceMode
from ..json.classes import frozen

PROVIDER = "google"  # whose seals and stored files these are
SIGNATURE = "signature"  # the kind of a seal
PLACEHOLDERS = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")
"""What stands for the signature of another model's call, in generateContent alone."""

MODE = {
    "auto": ChoiceMode.AUTO,
    "none": ChoiceMode.NONE,
    "any": ChoiceMode.REQUIRED,
    "validated": ChoiceMode.VALIDATED,
}
LEVEL = {effort.value: effort for effort in Effort if effort is not Effort.MAX}
TIER = {"standard": Tier.STANDARD, "flex": Tier.FLEX, "priority": Tier.PRIORITY}
TIER_OF = {tier: word for word, tier in TIER.items()}
JSON, PLAIN = "application/json", "text/plain"

MOST_LABELS = 64
LABEL = re.compile(r"[\w-]{0,63}")  # a key or a value, with letters of any script, none of them a capital
"""https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/capabilities/add-labels-to-api-calls, read on
2026-11-29: 64 labels; keys are not empty and begin with a letter; values may be empty."""

FILES = ("https://generativelanguage.googleapis.com/", "gs://")  # what the URI of a file that Google stores begins with


def is_label(key: Any, value: Any) -> bool:
    """Return whether Vertex AI takes a pair as a label of a request."""
    texts = (key, value)
    fit = all(isinstance(one, str) and LABEL.fullmatch(one) and one == one.lower() for one in texts)
    return fit and key[:1].isalpha()


def byte_offsets(text: str) -> Sequence[int]:
    """Return the byte offset of each character in UTF-8, by which Google counts, and of the text's end."""
    if text.isascii():
        return range(len(text) + 1)
    data = text.encode("utf-8", "surrogatepass")
    return [*compress(range(len(data)), data.translate(BEGINS)), len(data)]


class Offsets:
    """The byte offset of each character of a text and of its end; the text may grow, and each piece is looked at once.

    _pieces  the text so far, which others append to
    _read    the number of pieces that were looked at
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces, self._read = pieces, 0
        self._bytes = array("Q", [0])

    def _known(self) -> array[int]:
        for piece in self._pieces[self._read :]:
            end = self._bytes[-1]
            self._bytes.extend(end + one for one in byte_offsets(piece)[1:])
        self._read = len(self._pieces)
        return self._bytes

    def byte(self, character: int) -> int:
        """Return the bytes before a character, or those of the whole text if it has fewer characters."""
        known = self._known()
        return known[min(max(character, 0), len(known) - 1)]

    def character(self, byte: int) -> int | None:
        """Return the number of the character that begins at a byte, or None."""
        known = self._known()
        index = bisect_left(known, byte)
        return index if index < len(known) and known[index] == byte else None


BEGINS = bytes(not 0x80 <= byte < 0xC0 for byte in range(256))  # whether a character begins with such a byte

# --- tools ------------------------------------------------------------------------------------------------------------


@frozen
class SharedTool:
    """A tool that both protocols have: its name in Interactions, and the settings that both have, as named there.

    words      settings that are words, or lists of them, with what generateContent writes before a word
    run        what generateContent calls a run of it, if it lists those
    arguments  the arguments of its calls
    """

    name: str
    settings: tuple[str, ...] = ()
    words: Mapping[str, str] = field(factory=dict)
    run: str = ""
    arguments: tuple[str, ...] = ()


TOOLS = {
    "urlContext": SharedTool("url_context", run="URL_CONTEXT", arguments=("urls",)),
    "googleMaps": SharedTool("google_maps", ("enable_widget",), run="GOOGLE_MAPS", arguments=("queries",)),
    "fileSearch": SharedTool("file_search", ("file_search_store_names", "metadata_filter", "top_k"), run="FILE_SEARCH"),
    "computerUse": SharedTool(
        "computer_use",
        (
            *("environment", "excluded_predefined_functions", "enable_prompt_injection_detection"),
            "disabled_safety_policies",
        ),
        {"environment": "ENVIRONMENT_", "disabled_safety_policies": ""},
    ),
}
"""By their names in generateContent, which are their kinds in the IR, as other vendors' tools have the other names."""
UNSPECIFIED = "unspecified"
"""The end of a word of generateContent that stands for no value, in the lower case of Interactions."""
KIND_OF = {tool.name: kind for kind, tool in TOOLS.items()}


def camel(name: str) -> str:
    """Return the name of a member as generateContent has it."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def snake(name: str) -> str:
    """Return the name of a member as Interactions has it."""
    return re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)


def settings_of(kind: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a tool in either protocol's form, in the form of Interactions."""
    inside = raw.get(kind)
    if not isinstance(inside, Mapping):
        return {key: value for key, value in raw.items() if key != "type" and value is not None}
    words = TOOLS[kind].words
    settings = {snake(key): value for key, value in inside.items() if type(key) is str and value is not None}
    return {key: _lower(value, words[key]) if key in words else value for key, value in settings.items()}


def in_upper_case(kind: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a tool in the form of generateContent."""
    words = TOOLS[kind].words
    return {camel(key): _upper(value, words[key]) if key in words else value for key, value in settings.items()}


def _lower(value: Any, prefix: str) -> Any:
    """Return a word of generateContent, or a list of them, as Interactions has it."""
    if isinstance(value, list):
        return [_lower(one, prefix) for one in value]
    return value.removeprefix(prefix).lower() if isinstance(value, str) else value


def _upper(value: Any, prefix: str) -> Any:
    """Return a word of Interactions, or a list of them, as generateContent has it."""
    if isinstance(value, list):
        return [_upper(one, prefix) for one in value]
    return prefix + value.upper() if isinstance(value, str) else value


# --- runs of tools ----------------------------------------------------------------------------------------------------

KIND_OF_RUN = {tool.run: kind for kind, tool in TOOLS.items() if tool.run}
PAGES = "url_context"  # the one tool of which both protocols say in a known form what it found
RETRIEVED = "URL_RETRIEVAL_STATUS_"
STATUSES = ("success", "error", "paywall", "unsafe")  # of opened pages


@frozen
class Run:
    """A call of a tool that Google ran, or its result, in the form of Interactions.

    given      its arguments, or for a result what it found; nothing if there is no form for it
    signature  Google's own
    lost       the members that the other protocol has no place for
    """

    given: Any
    signature: Any
    lost: list[str]


def call_of(kind: str, raw: Mapping[str, Any]) -> Run:
    """Return a call of a tool that both protocols have, from either protocol's form."""
    call, step = raw.get("toolCall"), raw.get("arguments")
    if isinstance(call, Mapping):
        given, lost = call.get("args"), [*_others(raw, "toolCall"), *_others(call, "id", "toolType", "args")]
    else:
        given, lost = step, _others(raw, "type", "id", "arguments")
    named = given if isinstance(given, Mapping) else {}
    known = {key: value for key, value in named.items() if key in TOOLS[kind].arguments}
    return Run(known, _signature(raw), lost + [key for key in named if key not in known])


def result_of(kind: str, raw: Mapping[str, Any]) -> Run:
    """Return the result of such a call."""
    inside = raw.get("toolResponse")
    if isinstance(inside, Mapping):
        response = inside.get("response")
        found = _pages_of(response) if TOOLS[kind].name == PAGES else None
        lost = [*_others(raw, "toolResponse"), *_others(inside, "id", "toolType", "response")]
        return Run(found or [], _signature(raw), lost + (["response"] if response and found is None else []))
    found = raw.get("result")
    known = TOOLS[kind].name == PAGES and isinstance(found, list) and all(map(_is_page, found))
    lost = _others(raw, "type", "call_id", "result") + (["result"] if found and not known else [])
    return Run(found if known else [], _signature(raw), lost)


def pages_in_response(found: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Return what is known of pages that were opened, in the form of generateContent."""
    listed: list[dict[str, Any]] = []
    for page in found:
        status = {"url_retrieval_status": _upper(page["status"], RETRIEVED)} if "status" in page else {}
        listed.append({"retrieved_url": page["url"], **status})
    return {"url_metadata": listed} if listed else {}


def _others(holder: Mapping[str, Any], *known: str) -> list[str]:
    signatures = ("signature", "thoughtSignature")
    return [key for key, value in holder.items() if key not in known and key not in signatures and value is not None]


def _signature(raw: Mapping[str, Any]) -> Any:
    return raw.get("thoughtSignature", raw.get("signature"))


def _pages_of(response: Any) -> list[dict[str, Any]] | None:
    """Return the pages of a result of generateContent in the form of Interactions, or None if it has another form."""
    listed = response.get("url_metadata") if isinstance(response, Mapping) and len(response) == 1 else None
    if not isinstance(listed, list) or not all(isinstance(one, Mapping) for one in listed):
        return None
    pages: list[Mapping[str, Any]] = listed
    found = [
        {PAGE.get(key, key): value if key in URLS else _lower(value, RETRIEVED) for key, value in one.items()}
        for one in pages
    ]
    return found if all(map(_is_page, found)) else None


PAGE = {"retrieved_url": "url", "url_retrieval_status": "status"}
"""The members of a page that was opened, in both forms."""
URLS = ("url", "retrieved_url")


def _is_page(found: Any) -> bool:
    known = isinstance(found, Mapping) and not found.keys() - {"url", "status"}
    return known and type(found.get("url")) is str and found.get("status", "success") in STATUSES


# --- usage ------------------------------------------------------------------------------------------------------------

TOOL_USE = "input.tool_use"  # what tools gave back, which is input on top of that of the prompt
COUNTED = ("input", "cache_read", TOOL_USE, "output", "reasoning", "total")
DETAILED = ("input", "cache_read", "tool_use", "output")
MEDIA = ("text", "image", "video", "audio", "document")  # as entries of Usage.details have them


@frozen
class Tokens:
    """The places of token counts in a protocol's usage object.

    counts   the members that hold the counts of COUNTED
    details  the arrays that hold the counts of DETAILED by modality
    count    the member of an array's entry that holds the count
    upper    whether modalities are written in upper case
    entries  by array, the keys of Usage.details that it holds and the modality of each as it is written
    """

    counts: tuple[str, ...]
    details: tuple[str, ...]
    count: str
    upper: bool
    entries: Mapping[str, Mapping[str, str]] = field(init=False, default=Factory(lambda self: self._entries(), True))

    def _entries(self) -> dict[str, dict[str, str]]:
        words = {kind: kind.upper() if self.upper else kind for kind in MEDIA}
        return {
            key: {f"{what}.{kind}": word for kind, word in words.items()}
            for key, what in zip(self.details, DETAILED, strict=True)
        }

    def paths(self) -> dict[str, str]:
        """Return the members that hold the fields of Usage and the entries of Usage.details."""
        counts = dict(zip(COUNTED, self.counts, strict=True))
        return counts | {entry: key for key, entries in self.entries.items() for entry in entries}


# --- errors -----------------------------------------------------------------------------------------------------------

CODES = {
    "INVALID_ARGUMENT": (3, 400, ErrorCategory.INVALID_REQUEST),
    "FAILED_PRECONDITION": (9, 400, ErrorCategory.INVALID_REQUEST),
    "OUT_OF_RANGE": (11, 400, ErrorCategory.INVALID_REQUEST),
    "ALREADY_EXISTS": (6, 409, ErrorCategory.INVALID_REQUEST),
    "ABORTED": (10, 409, ErrorCategory.INVALID_REQUEST),
    "UNAUTHENTICATED": (16, 401, ErrorCategory.AUTHENTICATION),
    "PERMISSION_DENIED": (7, 403, ErrorCategory.PERMISSION),
    "NOT_FOUND": (5, 404, ErrorCategory.NOT_FOUND),
    "RESOURCE_EXHAUSTED": (8, 429, ErrorCategory.RATE_LIMIT),
    "CANCELLED": (1, 499, ErrorCategory.INVALID_REQUEST),
    "DEADLINE_EXCEEDED": (4, 504, ErrorCategory.TIMEOUT),
    "UNAVAILABLE": (14, 503, ErrorCategory.OVERLOADED),
    "INTERNAL": (13, 500, ErrorCategory.SERVER),
    "UNKNOWN": (2, 500, ErrorCategory.SERVER),
    "UNIMPLEMENTED": (12, 501, ErrorCategory.SERVER),
    "DATA_LOSS": (15, 500, ErrorCategory.SERVER),
}
"""The words of google.rpc.Code: number, HTTP status, category."""
STATUS = {word: category for word, (_, _, category) in CODES.items()}
GENERIC_STATUS = frozenset({"INVALID_ARGUMENT", "FAILED_PRECONDITION", "INTERNAL", "UNKNOWN"})
"""Words of which the HTTP status says more where it is another than theirs (ERR-10)."""
INPUT_TOO_LONG = "The input token count exceeds the maximum number of tokens allowed"
BEGINS_TOO_LONG = r"the input token count (\(\d+\) )?exceeds the maximum number of tokens"
"""By which clients know that error, and how Google writes it (ERR-7)."""

# --- values that every server accepts ---------------------------------------------------------------------------------

TOOL_NAME = r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}"
MOST_STOPS = 5
RESOLUTIONS = ("low", "high")  # how exactly a single image is looked at
PDF = "application/pdf"
AUDIO_TYPES = frozenset(
    f"audio/{name}" for name in "wav mp3 aiff aac ogg flac mpeg m4a l16 opus alaw mulaw webm".split()
)
"""Those that the types of Interactions name; servers may take others."""
RAW_TYPES = frozenset({"audio/l16", "audio/alaw", "audio/mulaw"})
"""Of samples alone: parameters of the type say how fast they are."""
JPEG = "image/jpeg"
IMAGE_FILES = {
    **{name: f"image/{name}" for name in ("png", "webp", "heic", "heif", "gif", "bmp", "avif")},
    **dict.fromkeys(("tif", "tiff"), "image/tiff"),
    "svg": "image/svg+xml",
    **dict.fromkeys(("jpg", "jpeg"), JPEG),
}
AUDIO_FILES = {name: f"audio/{name}" for name in ("wav", "mp3", "aiff", "aac", "ogg", "flac", "m4a")}
"""Media types by the end of a file's name (SRC-5)."""
VOICES = frozenset(
    """
    Achernar Achird Algenib Algieba Alnilam Aoede Autonoe Callirrhoe Charon Despina Enceladus Erinome Fenrir Gacrux
    Iapetus Kore Laomedeia Leda Orus Puck Pulcherrima Rasalgethi Sadachbia Sadaltager Schedar Sulafat Umbriel
    Vindemiatrix Zephyr Zubenelgenubi
    """.split()
)
