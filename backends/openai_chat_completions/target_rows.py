"""What Chat Completions supports where that is not what most protocols do: verdicts on requests and responses."""

from __future__ import annotations

from collections.abc import Mapping

from proxai_ir import ir
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
        ir.Sampling,
        *(lacking("own_sampling", verdict) for verdict in neutral(**DEFAULT_SAMPLING)),
        *neutral(frequency_penalty=0, presence_penalty=0, logit_bias={}, candidates=1, logprobs=False),
        *neutral(stop=[]),
    ),
    *MODELS.rows,
    of(
        ir.Sampling,
        omits("SMP-6", "top_logprobs", when=is_not("logprobs", True)),
        stops_beyond(wire.MOST_STOPS),
        omits("SMP-6", "top_k", when=unbounded),
        lacking("top_k", loses("SMP-3", "top_k")),
        ok("seed frequency_penalty presence_penalty logit_bias candidates logprobs top_logprobs stop top_k"),
    ),
    of(ir.Thinking, omits("SMP-6", "display=summarized"), loses("RSN-2", "display")),
    of(
        ir.Output,
        *(lacking(one, loses("OUT-5", "verbosity")) for one in ("openai_settings", "verbosity")),
        lacking("speech", omits("SMP-6", "modalities", when=only_text)),
        lacking("speech", loses("OUT-6", "modalities audio")),
        ok("verbosity modalities audio"),
    ),
    of(
        ir.Speech,
        fills("ENV-2", "voice", by=always(wire.VOICE), detail=f"`voice` is {wire.VOICE}"),
        fills("ENV-2", "format", by=always(wire.SPEECH), detail=f"`format` is {wire.SPEECH}"),
    ),
    inside("format", lacking("json_schema", weaker("OUT-10", ir.SchemaFormat, by=any_json))),
    of(
        ir.Service,
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
        of(ir.Caching, lacking(one, omits("CAC-5", field)))
        for name, field in (("cache_keys", "key"), ("cache_retention", "retention"))
        for one in ("openai_settings", name)
    ),
    *SETTINGS,
    *TOOLS,
    of(ir.Caching, *cache_lifetimes("lifetime", wire.OPTIONS_TTL.values())),
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
        omits("SMP-6", ir.WebSearchChoice),  # models that can search always do
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
    notes("DOC-2", ir.Document, when=needs_name, by=named),
    ok(ir.Document),
)


def _given(place: str, *read_out: type) -> Rows:
    """The verdicts on what users and tools give; `read_out`: the sources of documents that are sent as texts."""
    return inside(
        place,
        lacking("audio", refuses("SRC-3", ir.Audio, detail="no audio")),
        lacking("other_audio", refuses("SRC-3", ir.Audio, when=other_recording, detail="WAV and MP3")),
        ok(ir.Audio),
        *OTHER_DOCUMENTS,
        weaker("DOC-3", ir.Document, when=holds("source", *read_out), at="type"),
        *DOCUMENTS,
    )


GENERATED = (
    loses("IMG-4", ir.Image, when=unshowable),
    lacking("generated_images", loses("IMG-4", ir.Image)),
    ok(ir.Image),
)
"""The verdicts on an image that a model made, in the history."""
NOTHING = (omits("ENV-7", ir.Reasoning, when=empty), *UNOPENED)
NO_REASONING = (
    loses("RSN-4", ir.Reasoning, when=both(textless, not_googles)),
    lacking("reasoning_content", loses("RSN-17", ir.Reasoning)),
    ok(ir.Reasoning),
)

CONTENT = (
    of(
        ir.Turn,
        lacking("instruction_roles", weaker("PLC-25", "role=system|developer", by=always(ir.Role.USER))),
        lacking("developer_role", notes("PLC-1", "role=developer", by=always(ir.Role.SYSTEM))),
        lacking("system_in_place", notes("PLC-1", "role=developer", by=always(ir.Role.SYSTEM))),
        lacking("system_in_place", loses("USR-4", "name", when=is_("role", ir.Role.SYSTEM, ir.Role.DEVELOPER))),
        ok("role name"),
    ),
    *CACHEABLE,
    *(of(cls, *SEAL) for cls in (ir.Text, *ir.CALLS)),
    of(ir.Reasoning, *OWN_SEALS, *SEAL),
    IMAGE_DETAIL,
    of(ir.Audio, NO_BREAKPOINT, ok("id expires_at cache")),
    *(
        of(cls, loses("DOC-1", "cite", when=is_("cite", True)), notes("SMP-6", "cite"))
        for cls in (ir.Document, ir.SearchResult)
    ),
    of(
        ir.ToolResult,
        ok("cache"),
        *UNMARKED,
        notes("TUL-14", "is_error"),
        omits("ENV-1", "name", when=is_not("call_id", None)),
        ok("name"),
    ),
    inside("citations", ok(ir.UrlCitation), kind="response"),
    inside("audio source", ok(ir.Inline), refuses("SRC-2", ir.Url), *NOT_SENT),
    inside("video source", ok(ir.Inline, ir.Url), *NOT_SENT),
    IMAGES,
    inside(
        "document source",
        ADDRESSES,
        refuses("SRC-1", ir.FileRef, when=stored_elsewhere),
        lacking("document_links", refuses("SRC-2", ir.Url, detail="option `document_links`")),
        ok(ir.FileRef, ir.Url),
    ),
    _given("user", ir.Chunks),
    inside(
        "assistant",
        lacking("custom_tools", refuses("TUL-2", ir.CustomCall)),
        ok(ir.Refusal, ir.CustomCall),
        loses("IMG-4", ir.Audio, when=holds("source", ir.Inline, ir.Url)),
        ok(ir.Audio),
        *GENERATED,
        *NOTHING,
        *OWN_REASONING,
        lacking("google_signatures", omits("RSN-26", ir.Reasoning, when=signature_alone)),
        lacking("google_signatures", loses("RSN-4", ir.Reasoning, when=textless)),
        omits("RSN-26", ir.Reasoning, when=both(not_googles, signature_alone)),
        *NO_REASONING,
    ),
    inside(
        "assistant",
        ok(ir.CustomCall),  # of a tool that the client itself defined
        loses("IMG-4", ir.Image, when=unshowable),
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
        omits("ENV-3", "tier", when=is_("fast", True)),
        ok("created fingerprint metadata tier=auto|standard|priority|flex|scale"),
        omits("ENV-3", "tier=batch"),
        notes("ENV-3", "fast", when=is_("fast", False)),
        ok("fast"),
    ),
    of(ir.Candidate, ok("logprobs")),
    of(ir.LogProbs, ok("refusal")),
    of(ir.Terminal, ok("reason=refusal")),
    of(ir.Usage, ok(f"details={'|'.join(USAGE.entries('details'))}")),
    *ERRORS,
    of(Error, notes("ENV-1", "request_id status")),
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
