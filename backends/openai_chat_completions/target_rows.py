"""What Chat Completions supports where that is not what most protocols do: verdicts on requests and responses."""

from __future__ import annotations

from collections.abc import Mapping

from proxai_ir.backends._openai.conditions import (
    ADDRESSES,
    CACHEABLE,
    DEFAULT_SAMPLING,
    ERRORS,
    IMAGE_DETAIL,
    IMAGES,
    NO_BREAKPOINT,
    SETTINGS,
    TOOLS,
    named,
    needs_name,
    stored_elsewhere,
    unshowable,
)
from proxai_ir.ir import logprobs, parts, request, response, terminal, tools, turns, usage
from proxai_ir.ir.error import Error
from proxai_ir.rules.conditions import (
    UNOPENED,
    UNOPENED_SEAL,
    always,
    both,
    cache_lifetimes,
    empty,
    foreign,
    holds,
    is_,
    is_not,
    neutral,
    only_text,
    signature_alone,
    stops_beyond,
    textless,
    unbounded,
)
from proxai_ir.rules.servers import where
from proxai_ir.rules.tool_conditions import UNMARKED
from proxai_ir.rules.verdicts import (
    Rows,
    Verdict,
    fills,
    in_requests,
    inside,
    lacking,
    loses,
    notes,
    of,
    ok,
    omits,
    refuses,
    weaker,
)
from proxai_ir.wire import openai_chat_completions as wire
from proxai_ir.wire.openai_chat_completions_objects import USAGE

from .conditions import (
    SEALED_BY,
    among_all,
    any_json,
    as_link,
    as_text,
    elsewhere,
    format_of,
    is_linked,
    is_text,
    made_by,
    not_googles,
    other_document,
    other_format,
    other_recording,
)
from .settings import MODELS

SERVICE: Mapping[str, tuple[Verdict, ...]] = {
    "service_tiers": (omits("SMP-6", "fast", when=is_("fast", False)), loses("SVC-1", "tier fast")),
    "store": (omits("SMP-6", "store", when=is_("store", False)), loses("SVC-2", "store")),
    "end_users": (omits("USR-2", "end_user"),),
    "metadata": (omits("USR-3", "metadata"),),
    "moderation": (loses("MOD-1", "moderation"),),
}
"""What servers may lack of the settings that OpenAI's have, by capability; `openai_settings` is all of them."""

REQUESTS = (
    of(
        request.Sampling,
        *(lacking("own_sampling", verdict) for verdict in neutral(**DEFAULT_SAMPLING)),
        *neutral(frequency_penalty=0, presence_penalty=0, logit_bias={}, candidates=1, logprobs=False),
        *neutral(stop=[]),
    ),
    *MODELS.rows,
    of(
        request.Sampling,
        omits("SMP-6", "top_logprobs", when=is_not("logprobs", True)),
        stops_beyond(wire.MOST_STOPS),
        omits("SMP-6", "top_k", when=unbounded),
        lacking("top_k", loses("SMP-3", "top_k")),
        ok("seed frequency_penalty presence_penalty logit_bias candidates logprobs top_logprobs stop top_k"),
    ),
    of(request.Thinking, omits("SMP-6", "display=summarized"), loses("RSN-2", "display")),
    of(
        request.Output,
        *(lacking(one, loses("OUT-5", "verbosity")) for one in ("openai_settings", "verbosity")),
        lacking("speech", omits("SMP-6", "modalities", when=only_text)),
        lacking("speech", loses("OUT-6", "modalities audio")),
        ok("verbosity modalities audio"),
    ),
    of(
        request.Speech,
        fills("ENV-2", "voice", by=always(wire.VOICE), detail=f"`voice` is {wire.VOICE}"),
        fills("ENV-2", "format", by=always(wire.SPEECH), detail=f"`format` is {wire.SPEECH}"),
    ),
    inside("format", lacking("json_schema", weaker("OUT-10", request.SchemaFormat, by=any_json))),
    of(
        request.Service,
        *(
            lacking(one, verdict)
            for name, verdicts in SERVICE.items()
            for one in ("openai_settings", name)
            for verdict in verdicts
        ),
        lacking(
            "unstored_metadata",
            omits("USR-3", "metadata", when=is_not("store", True), detail="accepted with `store`: true"),
        ),
    ),
    *(
        of(request.Caching, lacking(one, omits("CAC-5", field)))
        for name, field in (("cache_keys", "key"), ("cache_retention", "retention"))
        for one in ("openai_settings", name)
    ),
    *SETTINGS,
    *TOOLS,
    of(request.Caching, *cache_lifetimes("lifetime", wire.OPTIONS_TTL.values())),
    of(request.Streaming, lacking("stream_options", omits("STR-13", "usage obfuscation")), ok("usage obfuscation")),
    inside(
        "tools",
        lacking("web_search", loses("TUL-6", tools.WebSearchTool, detail="option `web_search`")),
        lacking("custom_tools", refuses("TUL-2", tools.CustomTool)),
        ok(tools.CustomTool, tools.WebSearchTool),
    ),
    inside(
        "tool choice",
        lacking("allowed_choices", weaker("TUL-7", tools.AllowedChoice, by=among_all)),
        lacking("custom_tools", refuses("TUL-2", tools.CustomChoice)),
        ok(tools.CustomChoice),
        lacking("web_search", refuses("TUL-11", tools.WebSearchChoice)),
        omits("SMP-6", tools.WebSearchChoice),  # models that can search always do
    ),
)

SEAL = (
    *UNOPENED_SEAL,
    lacking("google_signatures", in_requests(omits("RSN-26", "seal"))),
    *foreign(not_googles),
    ok("seal"),
)
"""The verdicts on a seal that only Google's may be; clients ignore what they do not know, servers refuse it."""

OWN_SEALS = tuple(
    where("reasoning_seals", word, in_requests(ok("seal", when=made_by(provider))))
    for word, provider in SEALED_BY.items()
)
OWN_REASONING = tuple(
    where("reasoning_seals", word, ok(parts.Reasoning, when=made_by(maker))) for word, maker in SEALED_BY.items()
)
"""The verdicts on reasoning under a seal of the server's own."""

NOT_SENT = (refuses("SRC-1", parts.FileRef), refuses("PLC-3", parts.PlainText, parts.Chunks))
"""The verdicts on sources of audio and video."""
OTHER_DOCUMENTS = (
    weaker("DOC-7", parts.Document, when=is_linked, by=as_link),
    lacking("other_documents", notes("DOC-6", parts.Document, when=is_text, by=as_text)),
    lacking("other_documents", refuses("SRC-3", parts.Document, when=other_document, detail="PDF and text")),
)
DOCUMENTS = (
    lacking("documents", refuses("SRC-3", parts.Document, detail="text")),
    notes("DOC-2", parts.Document, when=needs_name, by=named),
    ok(parts.Document),
)


def _given(place: str, *read_out: type) -> Rows:
    """The verdicts on what users and tools give; `read_out`: the sources of documents that are sent as texts."""
    return inside(
        place,
        lacking("audio", refuses("SRC-3", parts.Audio, detail="no audio")),
        lacking("other_audio", refuses("SRC-3", parts.Audio, when=other_recording, detail="WAV and MP3")),
        ok(parts.Audio),
        *OTHER_DOCUMENTS,
        weaker("DOC-3", parts.Document, when=holds("source", *read_out), at="type"),
        *DOCUMENTS,
    )


GENERATED = (
    loses("IMG-4", parts.Image, when=unshowable),
    lacking("generated_images", loses("IMG-4", parts.Image)),
    ok(parts.Image),
)
"""The verdicts on an image that a model made, in the history."""
NOTHING = (omits("ENV-7", parts.Reasoning, when=empty), *UNOPENED)
NO_REASONING = (
    loses("RSN-4", parts.Reasoning, when=both(textless, not_googles)),
    lacking("reasoning_content", loses("RSN-17", parts.Reasoning)),
    ok(parts.Reasoning),
)

CONTENT = (
    of(
        turns.Turn,
        lacking("instruction_roles", weaker("PLC-25", "role=system|developer", by=always(turns.Role.USER))),
        lacking("developer_role", notes("PLC-1", "role=developer", by=always(turns.Role.SYSTEM))),
        lacking("system_in_place", notes("PLC-1", "role=developer", by=always(turns.Role.SYSTEM))),
        lacking("system_in_place", loses("USR-4", "name", when=is_("role", turns.Role.SYSTEM, turns.Role.DEVELOPER))),
        ok("role name"),
    ),
    *CACHEABLE,
    *(of(cls, *SEAL) for cls in (parts.Text, *parts.CALLS)),
    of(parts.Reasoning, *OWN_SEALS, *SEAL),
    IMAGE_DETAIL,
    of(parts.Audio, NO_BREAKPOINT, ok("id expires_at cache")),
    *(
        of(cls, loses("DOC-1", "cite", when=is_("cite", True)), notes("SMP-6", "cite"))
        for cls in (parts.Document, parts.SearchResult)
    ),
    of(
        parts.ToolResult,
        ok("cache"),
        *UNMARKED,
        notes("TUL-14", "is_error"),
        omits("ENV-1", "name", when=is_not("call_id", None)),
        ok("name"),
    ),
    inside("citations", ok(parts.UrlCitation), kind="response"),
    inside("audio source", ok(parts.Inline), refuses("SRC-2", parts.Url), *NOT_SENT),
    inside("video source", ok(parts.Inline, parts.Url), *NOT_SENT),
    IMAGES,
    inside(
        "document source",
        ADDRESSES,
        refuses("SRC-1", parts.FileRef, when=stored_elsewhere),
        lacking("document_links", refuses("SRC-2", parts.Url, detail="option `document_links`")),
        ok(parts.FileRef, parts.Url),
    ),
    _given("user", parts.Chunks),
    inside(
        "assistant",
        lacking("custom_tools", refuses("TUL-2", parts.CustomCall)),
        ok(parts.Refusal, parts.CustomCall),
        loses("IMG-4", parts.Audio, when=holds("source", parts.Inline, parts.Url)),
        ok(parts.Audio),
        *GENERATED,
        *NOTHING,
        *OWN_REASONING,
        lacking("google_signatures", omits("RSN-26", parts.Reasoning, when=signature_alone)),
        lacking("google_signatures", loses("RSN-4", parts.Reasoning, when=textless)),
        omits("RSN-26", parts.Reasoning, when=both(not_googles, signature_alone)),
        *NO_REASONING,
    ),
    inside(
        "assistant",
        ok(parts.CustomCall),  # of a tool that the client itself defined
        loses("IMG-4", parts.Image, when=unshowable),
        ok(parts.Image),
        loses("IMG-4", parts.Audio, when=elsewhere),
        weaker("AUD-4", parts.Audio, when=other_format, detail=format_of),
        ok(parts.Audio),
        *NOTHING,
        *NO_REASONING,
        kind="response",
    ),
    _given("tool result", parts.Chunks, parts.PlainText),
)

RESPONSES = (
    of(
        response.Response,
        omits("ENV-3", "tier", when=is_("fast", True)),
        ok("created fingerprint metadata tier=auto|standard|priority|flex|scale"),
        omits("ENV-3", "tier=batch"),
        notes("ENV-3", "fast", when=is_("fast", False)),
        ok("fast"),
    ),
    of(response.Candidate, ok("logprobs")),
    of(logprobs.LogProbs, ok("refusal")),
    of(terminal.Terminal, ok("reason=refusal")),
    of(usage.Usage, ok(f"details={'|'.join(USAGE.entries('details'))}")),
    *ERRORS,
    of(Error, notes("ENV-1", "request_id status")),
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
