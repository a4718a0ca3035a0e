"""The verdicts of Chat Completions on the fields of the IR, their conditions, and its servers' settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.media_types import AUDIO, document_type, registered
from proxai_ir.targets import conditions as c
from proxai_ir.targets import models, thinking, verdicts
from proxai_ir.targets.constraints import SealSlot
from proxai_ir.targets.settings import capability, option
from proxai_ir.targets.verdicts import fills, inside, lacking, loses, notes, of, ok, omits, refuses, weaker, where
from proxai_ir.wire import openai_chat_completions as wire
from proxai_ir.wire.openai_chat_completions_objects import USAGE

from .._lib.writing import text_of
from .._openai import conditions as shared

# --- conditions -------------------------------------------------------------------------------------------------------


def elsewhere(recording: ir.Audio) -> bool:
    """Return whether the data of a recording that a model made are stored elsewhere."""
    return not isinstance(recording.source, ir.Inline)


def format_of(recording: ir.Audio) -> str:
    return (recording.source.mime or "") if isinstance(recording.source, ir.Inline) else ""


def audio_format(mime: str | None) -> str:
    """Return this protocol's name for an audio format."""
    name = registered(mime) or ""
    return AUDIO.get(name, name).removeprefix("audio/")


def other_recording(recording: ir.Audio) -> bool:
    """Return whether a recording has a format that not every server takes (SRC-3)."""
    return isinstance(recording.source, ir.Inline) and audio_format(recording.source.mime) not in wire.AUDIO_FORMATS


def untyped(recording: ir.Audio) -> bool:
    """Return whether a recording has no format, which some requests do not state."""
    return isinstance(recording.source, ir.Inline) and recording.source.mime is None


RAW = re.compile(r"audio/(l16|pcm)(;.*)?", re.IGNORECASE)


def other_format(recording: ir.Audio) -> bool:
    """Return whether a recording is neither in the format that the request asked for nor in `pcm16` (AUD-4).

    The latter is raw samples of 16 bits, 24,000 in a second.
    """
    mime = format_of(recording).replace(" ", "")
    return bool(mime) and (RAW.fullmatch(mime) is None or "rate=24000" not in mime.lower())


def is_text(document: ir.Document) -> bool:
    """Return whether a document is text, given as such or as data."""
    source = document.source
    return isinstance(source, ir.PlainText) or (isinstance(source, ir.Inline) and c.is_text_type(source.mime))


def as_text(document: ir.Document) -> ir.Text:
    """Return the document's text under its title (DOC-6)."""
    assert isinstance(document.source, (ir.PlainText, ir.Inline))
    text = text_of(document.source)
    return ir.Text(f"{document.title}\n\n{text}" if document.title else text, None, document.cache, document.src)


def is_linked(document: ir.Document) -> bool:
    """Return whether only the URL of a document is given."""
    return isinstance(document.source, ir.Url) and not shared.is_data(document.source)


def as_link(document: ir.Document) -> ir.Text:
    """Return the URL under the document's title, for models that can open it (DOC-7)."""
    assert isinstance(document.source, ir.Url)
    lines = filter(None, (document.title, document.source.url))
    return ir.Text("\n".join(lines), None, document.cache, document.src)


def other_document(document: ir.Document) -> bool:
    """Return whether a document has data of a type that the official API refuses; untyped data may be a PDF."""
    source = document.source
    return isinstance(source, ir.Inline) and document_type(source.mime, source.data) not in (None, PDF)


def any_json(schema: ir.SchemaFormat) -> ir.JsonFormat:
    """Return the JSON format without the schema (OUT-10)."""
    return ir.JsonFormat(schema.src)


def among_all(choice: ir.AllowedChoice) -> ir.Choice:
    """Return the same choice among all tools."""
    return ir.Choice(choice.mode, choice.src)


PDF = "application/pdf"


def not_googles(part: Any) -> bool:
    """Return whether a seal is not Google's; this protocol has no place for others."""
    return part.seal is not None and (part.seal.provider, part.seal.kind) != wire.GOOGLES


SEALED_BY = {"copilot": "copilot", "databricks": "databricks", "litellm": "anthropic", wire.MISTRAL: wire.MISTRAL}
"""The provider whose seals a server can read, by the word of the setting."""


def made_by(provider: str) -> Callable[[Any], bool]:
    """Return a condition: the part has a seal of this provider's."""

    def made(part: Any) -> bool:
        return part.seal is not None and part.seal.provider == provider

    return made


# --- settings ---------------------------------------------------------------------------------------------------------

SIGNED = dict.fromkeys((ir.FunctionCall, ir.Text), SealSlot(wire.GOOGLES[:1], wire.GOOGLES[1]))

MODELS = models.taken(
    "effort_with_tools efforts forced_choice forced_with_thinking function_tools high_temperature highest_effort "
    "images json_with_tools least_effort logprobs medium_effort most_tools named_choice parallel_tools penalties "
    "sampling sampling_with_thinking schema_references seed several_candidates stop_sequences strict_tools "
    "structured_output thinking thinking_off thinks_by_default token_limit tool_choice tools_with_thinking "
    "unreasoned_calls xhigh_effort zero_temperature",
    thinking_off=False,
)

SETTINGS = {
    **MODELS.settings,
    **shared.COMPOSED_PARAMETERS,
    "allowed_choices": capability(True, "a choice among some of the tools; it is among all of them otherwise (TUL-7)"),
    "any_role_order": capability(
        True,
        "user messages after tool results (else a placeholder is inserted, PLC-70); instructions at the end (PLC-21)",
        {"any_role_order": False},
    ),
    "assistant_last": capability(
        True, "an assistant message at the end; it is dropped otherwise (PLC-19)", {"last_turn": "dropped"}
    ),
    "audio": capability(True, "audio in messages; it is refused otherwise (SRC-3)"),
    "audio_formats": capability(True, "`input_audio` with data and format; it is the data otherwise", renames=True),
    "batch_urls": capability(True, "`method` and `url` in the lines of batch files"),
    "cache_breakpoints": capability(False, "cache breakpoints and `prompt_cache_options` (CAC-4): newer models"),
    "cache_keys": capability(True, "`prompt_cache_key` (CAC-5)"),
    "cache_retention": capability(True, "`prompt_cache_retention` (CAC-5)"),
    "call_ids": capability(
        True, "call ids of any form; otherwise nine letters and digits are sent (TUL-13)", {"call_id": c.short_call_id}
    ),
    "content_arrays": capability(True, "arrays of texts where a string would do (PLC-8)", {"text_arrays": False}),
    "custom_tools": capability(False, "custom tools, else refused or emulated (TUL-2, TUL-19): OpenAI's newer models"),
    "developer_role": capability(True, "the role `developer`; `system` is sent otherwise"),
    "document_links": capability(False, "the URL of a document as text, for models that can open it (DOC-7)"),
    "documents": capability(True, "files in messages; otherwise text is sent as text, others are refused (SRC-3)"),
    "empty_text": capability(
        True, "empty text; it is left out otherwise, and messages of nothing else (PLC-12)", {"empty_text": False}
    ),
    "end_users": capability(True, "ids of end users (USR-2)"),
    "generated_images": capability(False, "images that a model made, in requests (IMG-4); responses always have them"),
    "google_signatures": capability(
        False,
        "Google's signatures in requests (RSN-4): its own servers; responses always have them",
        {"seals": SIGNED},
    ),
    "image_urls": capability(True, "images by their URL; inline ones alone otherwise (SRC-2)"),
    "instruction_roles": capability(
        True, "messages of the system or developer; they are the user's otherwise (PLC-25)"
    ),
    "json_schema": capability(True, "schemas of the output; JSON of any shape is requested otherwise (OUT-10)"),
    "max_completion_tokens": capability(
        True,
        "this name of the limit; `max_tokens` is sent otherwise",
        renames=("max_tokens", "max_completion_tokens"),
    ),
    "metadata": capability(True, "`metadata` (USR-3)"),
    "moderation": capability(True, "`moderation` (MOD-1)"),
    "openai_settings": capability(
        True, "service tier, verbosity, moderation, storage, metadata, ids of end users and prompt caches of OpenAI's"
    ),
    "other_audio": capability(False, "recordings that are neither WAV nor MP3; they are refused otherwise (SRC-3)"),
    "other_documents": capability(False, "files that are no PDF; text is sent as text otherwise (DOC-6)"),
    "own_sampling": capability(False, "other defaults of temperature and top p than 1, which is sent then (SMP-6)"),
    "random_seed": capability(False, "`random_seed`, which is the seed's name then", renames=("seed", "random_seed")),
    "reasoning_content": capability(True, "reasoning in messages of the assistant (RSN-17)"),
    "reasoning_member": capability(
        "reasoning_content", "the name of that reasoning", choices=("reasoning_content", "reasoning"), renames=True
    ),
    "reasoning_seals": capability(
        "none",
        "whose members for sealed reasoning the server reads in requests (RSN-15)",
        choices=("none", *SEALED_BY),
    ),
    "role_neighbours": capability(
        True, "consecutive messages with one role; otherwise they are joined (PLC-5)", {"role_neighbours": False}
    ),
    "safety_identifier": capability(
        True, "this name of an end user's id; `user` is sent otherwise", renames=("user", "safety_identifier")
    ),
    "service_tiers": capability(True, "service tiers (SVC-1)"),
    "speech": capability(True, "spoken output, `modalities` and `audio` (OUT-6)"),
    "store": capability(True, "`store` (SVC-2)"),
    "stream_options": capability(True, "`stream_options` (STR-13)"),
    "system_in_place": capability(
        True, "instructions in mid-conversation (PLC-2), and several messages at the beginning", {"later": "nowhere"}
    ),
    "thinking_member": capability(
        "reasoning_effort",
        "the member that switches thinking off, and on",
        choices=("reasoning_effort", "thinking", "enable_thinking"),
        renames=True,
    ),
    "top_k": capability(False, "`top_k` (SMP-3)"),
    "unstored_metadata": capability(False, "metadata of requests that are not stored (USR-3)"),
    "verbosity": capability(True, "`verbosity` (OUT-5)"),
    "web_search": capability(False, "`web_search_options`: servers that search whatever the prompt is (TUL-6)"),
    "include_usage": option(True, "whether a usage chunk is sent before `[DONE]`; true by default", of="streams"),
}


def wants_images(output: ir.Output) -> bool:
    """Return whether images are asked for, which these servers do not make in a chat."""
    return "image" in (output.modalities or ())


# --- target rows ------------------------------------------------------------------------------------------------------

SERVICE: Mapping[str, tuple[verdicts.Verdict, ...]] = {
    "service_tiers": (omits("SMP-6", "fast", when=c.is_("fast", False)), loses("SVC-1", "tier fast")),
    "store": (omits("SMP-6", "store", when=c.is_("store", False)), loses("SVC-2", "store")),
    "end_users": (omits("USR-2", "end_user user"),),
    "metadata": (omits("USR-3", "metadata"),),
    "moderation": (loses("MOD-1", "moderation"),),
}
"""Settings of OpenAI's that other servers may lack, by capability; `openai_settings` is all of them."""

REQUESTS = (
    of(
        ir.Sampling,
        *(lacking("own_sampling", verdict) for verdict in c.neutral(**shared.DEFAULT_SAMPLING)),
        *c.neutral(frequency_penalty=0, presence_penalty=0, logit_bias={}, candidates=1, logprobs=False),
        *c.neutral(stop=[]),
    ),
    *MODELS.rows,
    of(
        ir.Sampling,
        omits("SMP-6", "top_logprobs", when=c.is_not("logprobs", True)),
        c.stops_beyond(wire.MOST_STOPS),
        omits("SMP-6", "top_k", when=c.unbounded),
        lacking("top_k", loses("SMP-3", "top_k")),
        ok("seed frequency_penalty presence_penalty logit_bias candidates logprobs top_logprobs stop top_k"),
    ),
    of(
        ir.Thinking,
        where(
            "thinking_member",
            "thinking|enable_thinking",
            lacking("thinks_by_default", ok("mode=enabled|adaptive", when=thinking.says_only_that)),
        ),
        lacking("efforts", omits("SMP-6", "mode=enabled|adaptive")),
        thinking.BY_EFFORT,
        omits("SMP-6", "display=summarized"),
        loses("RSN-2", "display"),
    ),
    of(
        ir.Output,
        *(lacking(one, loses("OUT-5", "verbosity")) for one in ("openai_settings", "verbosity")),
        lacking("speech", omits("SMP-6", "modalities", when=c.only_text)),
        lacking("speech", loses("OUT-6", "modalities audio")),
        loses("OUT-6", "modalities", when=wants_images),
        ok("verbosity modalities audio"),
    ),
    of(
        ir.Speech,
        fills("ENV-2", "voice", by=c.always(wire.VOICE), detail=f"`voice` is {wire.VOICE}"),
        fills("ENV-2", "format", by=c.always(wire.SPEECH), detail=f"`format` is {wire.SPEECH}"),
    ),
    inside("format", lacking("json_schema", weaker("OUT-10", ir.SchemaFormat, by=any_json))),
    of(
        ir.Service,
        *(
            lacking(one, verdict)
            for name, judged in SERVICE.items()
            for one in ("openai_settings", name)
            for verdict in judged
        ),
        lacking(
            "unstored_metadata",
            omits("USR-3", "metadata", when=c.is_not("store", True), detail="accepted with `store`: true"),
        ),
    ),
    *(
        of(ir.Caching, lacking(one, omits("CAC-5", field)))
        for name, field in (("cache_keys", "key"), ("cache_retention", "retention"))
        for one in ("openai_settings", name)
    ),
    *shared.SETTINGS,
    *shared.TOOLS,
    of(ir.Caching, *c.cache_lifetimes("lifetime", wire.OPTIONS_TTL.values())),
    of(ir.Streaming, lacking("stream_options", omits("STR-13", "usage obfuscation")), ok("usage obfuscation")),
    inside(
        "tools",
        lacking("web_search", loses("TUL-6", ir.WebSearchTool, detail="option `web_search`")),
        lacking("custom_tools", refuses("TUL-2", ir.CustomTool)),
        ok(ir.CustomTool, ir.WebSearchTool),
    ),
    inside(
        "tool choice",
        lacking("allowed_choices", weaker("TUL-7", ir.AllowedChoice, by=among_all)),
        lacking("custom_tools", refuses("TUL-2", ir.CustomChoice)),
        ok(ir.CustomChoice),
        lacking("web_search", refuses("TUL-11", ir.WebSearchChoice)),
        omits("SMP-6", ir.WebSearchChoice),  # models that can search do so always
    ),
)

SEAL = (
    *c.UNOPENED_SEAL,
    lacking("google_signatures", verdicts.in_requests(omits("RSN-26", "seal"))),
    *c.foreign(not_googles),
    ok("seal"),
)
"""The verdicts on a seal, of which only Google's has a member; clients ignore unknown members, servers refuse them."""

OWN_SEALS = tuple(
    where("reasoning_seals", word, verdicts.in_requests(ok("seal", when=made_by(provider))))
    for word, provider in SEALED_BY.items()
)
OWN_REASONING = tuple(
    where("reasoning_seals", word, ok(ir.Reasoning, when=made_by(maker))) for word, maker in SEALED_BY.items()
)
"""The verdicts on reasoning under a seal of the server's own."""

NOT_SENT = (refuses("SRC-1", ir.FileRef), refuses("PLC-3", ir.PlainText, ir.Chunks))
"""The verdicts on sources of audio and video."""
OTHER_DOCUMENTS = (
    weaker("DOC-7", ir.Document, when=is_linked, by=as_link),
    lacking("other_documents", notes("DOC-6", ir.Document, when=is_text, by=as_text)),
    lacking("other_documents", refuses("SRC-3", ir.Document, when=other_document, detail="PDF and text")),
)
DOCUMENTS = (
    lacking("documents", refuses("SRC-3", ir.Document, detail="text")),
    notes("DOC-2", ir.Document, when=shared.needs_name, by=shared.named),
    ok(ir.Document),
)


def _given(place: str, *read_out: type) -> verdicts.Rows:
    """Return the verdicts on what users and tools give; `read_out`: the sources of documents that are sent as texts."""
    return inside(
        place,
        lacking("audio", refuses("SRC-3", ir.Audio, detail="no audio")),
        lacking("audio_formats", ok(ir.Audio, when=untyped)),
        lacking("other_audio", refuses("SRC-3", ir.Audio, when=other_recording, detail="WAV and MP3")),
        ok(ir.Audio),
        *OTHER_DOCUMENTS,
        weaker("DOC-3", ir.Document, when=c.holds("source", *read_out), at="type"),
        *DOCUMENTS,
    )


GENERATED = (
    loses("IMG-4", ir.Image, when=shared.unshowable),
    lacking("generated_images", loses("IMG-4", ir.Image)),
    ok(ir.Image),
)
"""The verdicts on an image that a model made, in the history."""
NOTHING = (omits("ENV-7", ir.Reasoning, when=c.empty), *c.UNOPENED)
NO_REASONING = (
    loses("RSN-4", ir.Reasoning, when=c.both(c.textless, not_googles)),
    lacking("reasoning_content", loses("RSN-17", ir.Reasoning)),
    ok(ir.Reasoning),
)

CONTENT = (
    of(
        ir.Turn,
        lacking("instruction_roles", weaker("PLC-25", "role=system|developer", by=c.always(ir.Role.USER))),
        lacking("developer_role", notes("PLC-1", "role=developer", by=c.always(ir.Role.SYSTEM))),
        lacking("system_in_place", notes("PLC-1", "role=developer", by=c.always(ir.Role.SYSTEM))),
        lacking("system_in_place", loses("USR-4", "name", when=c.is_("role", ir.Role.SYSTEM, ir.Role.DEVELOPER))),
        ok("role name"),
    ),
    *shared.CACHEABLE,
    *(of(cls, *SEAL) for cls in (ir.Text, *ir.CALLS)),
    of(ir.Reasoning, *OWN_SEALS, *SEAL),
    shared.IMAGE_DETAIL,
    of(ir.Audio, shared.NO_BREAKPOINT, ok("id expires_at cache")),
    *(
        of(cls, loses("DOC-1", "cite", when=c.is_("cite", True)), notes("SMP-6", "cite"))
        for cls in (ir.Document, ir.SearchResult)
    ),
    of(
        ir.ToolResult,
        ok("cache"),
        *c.UNMARKED,
        notes("TUL-14", "is_error"),
        omits("ENV-1", "name", when=c.is_not("call_id", None)),
        ok("name"),
    ),
    inside("citations", ok(ir.UrlCitation), kind="response"),
    inside("audio source", ok(ir.Inline), refuses("SRC-2", ir.Url), *NOT_SENT),
    inside("video source", ok(ir.Inline, ir.Url), *NOT_SENT),
    inside("image source", lacking("image_urls", refuses("SRC-2", ir.Url))),
    shared.IMAGES,
    inside(
        "document source",
        shared.PDF_TYPE,
        shared.ADDRESSES,
        refuses("SRC-1", ir.FileRef, when=shared.stored_elsewhere),
        lacking("document_links", refuses("SRC-2", ir.Url, detail="option `document_links`")),
        ok(ir.Inline, ir.FileRef, ir.Url),
    ),
    _given("user", ir.Chunks),
    inside(
        "assistant",
        lacking("custom_tools", refuses("TUL-2", ir.CustomCall)),
        ok(ir.Refusal, ir.CustomCall),
        loses("IMG-4", ir.Audio, when=c.holds("source", ir.Inline, ir.Url)),
        ok(ir.Audio),
        *GENERATED,
        *NOTHING,
        *OWN_REASONING,
        lacking("google_signatures", omits("RSN-26", ir.Reasoning, when=c.signature_alone)),
        lacking("google_signatures", loses("RSN-4", ir.Reasoning, when=c.textless)),
        omits("RSN-26", ir.Reasoning, when=c.both(not_googles, c.signature_alone)),
        *NO_REASONING,
    ),
    inside(
        "assistant",
        ok(ir.CustomCall),  # of a tool that the client itself defined
        loses("IMG-4", ir.Image, when=shared.unshowable),
        ok(ir.Image),
        loses("IMG-4", ir.Audio, when=elsewhere),
        weaker("AUD-4", ir.Audio, when=other_format, detail=format_of),
        ok(ir.Audio),
        *NOTHING,
        *NO_REASONING,
        kind="response",
    ),
    _given("tool result", ir.Chunks, ir.PlainText),
)

RESPONSES = (
    of(
        ir.Response,
        omits("ENV-3", "tier", when=c.is_("fast", True)),
        ok("created fingerprint metadata tier=auto|standard|priority|flex|scale"),
        omits("ENV-3", "tier=batch"),
        notes("ENV-3", "fast", when=c.is_("fast", False)),
        ok("fast"),
    ),
    of(ir.Candidate, ok("logprobs")),
    of(ir.LogProbs, ok("refusal")),
    of(ir.Terminal, ok("reason=refusal"), weaker("STS-3", "reason=stop_sequence")),
    of(ir.Usage, ok(f"details={'|'.join(USAGE.entries('details'))}")),
    *shared.ERRORS,
    of(ir.Error, notes("ENV-1", "request_id status")),
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
