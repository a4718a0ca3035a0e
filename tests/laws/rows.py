"""What each target does not have in common with the source, rule by rule: the rows of its table that hold for a whole
field or place. For tests/laws/test_rows.py: drawn from the tables once, and read against the rules.
"""

from __future__ import annotations

TARGETS = {
    "A": "anthropic_messages",
    "G": "gemini_generate_content",
    "C": "openai_chat_completions",
    "R": "openai_responses",
}

# A line: the targets, and the fields that the rule is about there whatever their value, or for these values of an enum;
# in brackets: for servers that lack a capability, or of which a setting is a word.
FIELDS = """
AUD-2 loss    AGR Audio.id Audio.expires_at
CAC-2 info    ACR Caching.lifetime Cache.ttl
CAC-4 info    GCR FunctionTool.cache WebSearchTool.cache FunctionCall.cache
CAC-4 info    GR  CodeTool.cache WebSearchCall.cache WebSearchResult.cache CodeCall.cache CodeResult.cache
CAC-4 info    G   Text.cache Image.cache Audio.cache Video.cache Document.cache SearchResult.cache ToolResult.cache
CAC-4 info    R   McpCall.cache McpResult.cache
CAC-4 info    CR  [cache_breakpoints] Text.cache Image.cache Document.cache SearchResult.cache ToolResult.cache
CAC-4 info    C   [cache_breakpoints] Audio.cache
CAC-5 info    AG  Caching.key Caching.retention
CAC-5 info    G   Caching.automatic Caching.lifetime
CAC-5 info    C   [openai_settings] Caching.key Caching.retention
CAC-5 info    CR  [cache_breakpoints] Caching.automatic Caching.lifetime
CAC-5 info    C   [cache_keys] Caching.key
CAC-5 info    C   [cache_retention] Caching.retention
CIT-1 loss    A   DocumentCitation.file
CIT-2 loss    GCR UrlCitation.cited_text
CIT-3 loss    GCR UrlCitation.seal
CIT-3 loss    G   WebHit.seal
DOC-1 loss    G   [display_names] Document.title
DOC-1 loss    GCR Document.context
ENV-1 info    ACR Url.mime Terminal.message Error.status
ENV-1 info    AGR Response.fingerprint ToolResult.name
ENV-1 info    AG  Response.created
ENV-1 info    GCR Error.request_id
ENV-1 info    G   WebSearchCall.id WebSearchResult.call_id ScoredToken.bytes
ENV-1 info    GR  WebHit.age
ENV-1 info    CR  FileRef.mime ScoredToken.id
ENV-1 info    GR  WebHit.age
ENV-2 info    C   Speech.voice Speech.format
ENV-3 info    A   Response.tier=auto|flex|scale
ENV-3 info    G   Response.tier=auto|scale|batch Response.fast
ENV-3 info    CR  Response.tier=batch
ENV-7 info    R   ClientCall.name
ENV-7 info    GR  WebSearchResult.page
ENV-11 info   AG  Response.metadata
ENV-13 info   G   Request.model Streaming.stream
ERR-2 loss    ACR Error.retry_after
ERR-2 loss    A   Error.code Error.param
ERR-3 info    AGCR Error.category=unknown
ERR-5 info    AGCR Error.verbatim
IMG-1 loss    ACR Image.detail
IMG-1 loss    G   [media_resolution] Image.detail
MOD-1 loss    AG  Service.moderation
MOD-1 loss    C   [openai_settings] Service.moderation
MOD-1 loss    C   [moderation] Service.moderation
OUT-4 loss    AG  SchemaFormat.strict
OUT-5 loss    AG  Output.verbosity
OUT-5 loss    C   [openai_settings] Output.verbosity
OUT-5 loss    C   [verbosity] Output.verbosity
OUT-6 loss    AR  Output.modalities Output.audio
OUT-6 loss    ACR Output.picture
OUT-6 loss    G   Speech.format
OUT-6 loss    C   [speech] Output.modalities Output.audio
OUT-6 loss    C   Speech.language Speech.speakers
PLC-62 error  AGCR Request.summary
PLC-1 info    AG  Turn.role=developer
PLC-1 info    C   [developer_role] Turn.role=developer
PLC-1 info    C   [system_in_place] Turn.role=developer
PLC-15 loss   CR  Request.prefill
PLC-25 loss   C   [instruction_roles] Turn.role=system|developer
REF-5 loss    GCR RefusalDetails.category
RSN-2 loss    C   Thinking.display
RSN-3 loss    CR  Thinking.budget
RSN-3 loss    AG  [thinking_budgets] Thinking.budget
RSN-4 loss    AR  Text.seal FunctionCall.seal
RSN-4 loss    ACR Image.seal Audio.seal
RSN-4 loss    R   CustomCall.seal
RSN-6 loss    GCR Thinking.mode=between_tools
RSN-6 loss    GCR [thinking_off,least_effort=unstated] Thinking.mode=disabled
RSN-7 loss    A   Thinking.effort=minimal
RSN-8 info    AGC Reasoning.summary
RSN-12 loss   CR  [efforts] Thinking.effort Thinking.budget
RSN-21 loss   G   [effort] Thinking.effort
RSN-23 loss   G   Thinking.effort=max
RSN-23 loss   AGCR [highest_effort=medium] Thinking.effort=high|xhigh|max
RSN-23 loss   AGCR [highest_effort=high] Thinking.effort=xhigh|max
RSN-23 loss   AGCR [highest_effort=xhigh] Thinking.effort=max
RSN-23 loss   ACR [xhigh_effort] Thinking.effort=xhigh
RSN-26 info   AR  Text.seal FunctionCall.seal
RSN-26 info   ACR Image.seal Audio.seal
RSN-26 info   R   CustomCall.seal
RSN-26 info   C   [google_signatures] Text.seal FunctionCall.seal CustomCall.seal Reasoning.seal
RSN-32 loss   GCR [least_effort=low] Thinking.effort=minimal
RSN-32 loss   GCR [least_effort=medium] Thinking.effort=minimal|low
RSN-32 loss   GCR [least_effort=high] Thinking.effort=minimal|low|medium
RSN-32 loss   A   [thinking_off] Thinking.effort=minimal
RSN-32 loss   CR  [medium_effort] Thinking.effort=medium
RSN-33 loss   A   [thinking_off] Thinking.mode=disabled
RSN-33 loss   A   [thinking_off,least_thinking=between_tools] Thinking.mode=disabled Thinking.effort=minimal
RSN-33 loss   GCR [thinking_off,least_effort=minimal] Thinking.mode=disabled
RSN-33 loss   GCR [thinking_off,least_effort=low] Thinking.mode=disabled
RSN-33 loss   GCR [thinking_off,least_effort=medium] Thinking.mode=disabled
RSN-33 loss   GCR [thinking_off,least_effort=high] Thinking.mode=disabled
RSN-34 loss   AGCR [thinking] Thinking.mode Thinking.effort Thinking.budget
RSN-38 loss   G   [middle_efforts] Thinking.effort=low|medium
SCH-2 info    A   FunctionTool.parameters
SCH-10 loss   ACR [strict_tools] FunctionTool.strict
SMP-3 loss    AGCR [sampling] Sampling.temperature Sampling.top_p Sampling.top_k
SMP-3 loss    AR  Sampling.frequency_penalty Sampling.presence_penalty
SMP-10 loss   AR  Sampling.seed
SMP-3 loss    AGR Sampling.logit_bias
SMP-3 loss    A   Sampling.logprobs Sampling.top_logprobs
SMP-3 loss    GC  [penalties] Sampling.frequency_penalty Sampling.presence_penalty Sampling.logit_bias
SMP-10 loss   GC  [seed] Sampling.seed
SMP-3 loss    R   Sampling.top_k
SMP-3 loss    C   [top_k] Sampling.top_k
SMP-11 loss   R   Sampling.stop
SMP-11 loss   AGC [stop_sequences] Sampling.stop
SMP-6 info    AR  Sampling.candidates
SMP-6 info    GC  [several_candidates] Sampling.candidates
SMP-6 info    AGCR [thinking] Thinking.display Thinking.mode=disabled
SMP-6 info    G   [thinking_budgets] Thinking.mode=enabled|adaptive
SMP-6 info    C   [efforts] Thinking.mode=enabled|adaptive
SMP-6 info    G   Service.tier=auto Speech.format=pcm16
SMP-6 info    G   [service_tiers] Service.tier=standard
SMP-6 info    A   [service_tiers] Service.tier=auto|standard
SMP-6 info    GCR Document.cite SearchResult.cite
SMP-6 info    CR  Thinking.mode=enabled|adaptive
SMP-6 info    C   Thinking.display=summarized
SMP-6 info    R   Thinking.display=omitted
SMP-6 info    C   Thinking.display=summarized
SMP-7 loss    A   Candidate.logprobs
SMP-7 loss    G   LogProbs.refusal
SMP-7 loss    GCR [logprobs] Sampling.logprobs Sampling.top_logprobs
STR-13 info   AG  Streaming.obfuscation
STR-13 info   C   [stream_options] Streaming.usage Streaming.obfuscation
STS-3 loss    G   Terminal.reason=context_window|refusal
STS-3 loss    C   Terminal.reason=context_window
STS-3 loss    CG  Terminal.reason=stop_sequence
STS-3 loss    R   Terminal.reason=stop_sequence|context_window
STS-5 loss    GCR Terminal.reason=pause
STS-8 loss    GCR Terminal.stop_sequence
STS-13 error  AGCR Terminal.reason=unfinished|failed
SVC-1 loss    A   Service.tier=priority|flex|scale|batch
SVC-1 loss    A   [fast_mode] Service.fast
SVC-1 loss    G   [service_tiers] Service.tier=priority|flex
SVC-1 loss    G   Service.tier=scale|batch Service.fast
SVC-1 loss    C   [openai_settings] Service.tier Service.fast
SVC-1 loss    CR  Service.tier=batch
SVC-1 loss    C   [service_tiers] Service.fast Service.tier
SVC-2 loss    A   Service.store
SVC-2 loss    G   [store] Service.store
SVC-2 loss    C   [openai_settings] Service.store
SVC-2 loss    C   [store] Service.store
TUL-68 loss   AGCR [forced_choice] Choice.mode=required AllowedChoice.mode=required
TUL-68 loss   ACR [tool_choice] Choice.mode=required AllowedChoice.mode=required
TUL-9 loss    AGC Request.hosted_calls
TUL-9 loss    ACR [parallel_tools] Request.parallel_tools
TUL-9 loss    AG  WebSearchTool.context_size
TUL-9 loss    G   Request.parallel_tools WebSearchTool.location
TUL-9 loss    GC  WebSearchTool.allowed_domains WebSearchTool.max_uses
TUL-9 loss    G   [excluded_domains] WebSearchTool.blocked_domains
TUL-9 loss    CR  WebSearchTool.blocked_domains
TUL-9 loss    ACR WebSearchTool.searches
TUL-14 info   CR  ToolResult.is_error
TUL-22 loss   G   WebSearchCall.page
TUL-22 loss   GR  WebSearchResult.error
TUL-23 loss   G   McpServer.allowed_tools
TUL-23 loss   A    McpServer.http_headers
TUL-39 loss   GR  CodeResult.error
TUL-39 loss   R   CodeResult.exit_code
TUL-40 info   A   CodeResult.exit_code
USE-3 info    A   Usage.total
USE-4 info    AGCR Usage.details
USE-4 info    G   Usage.cache_write
USR-2 info    AG  Service.user
USR-2 info    G   Service.end_user
USR-2 info    C   [openai_settings] Service.end_user Service.user
USR-2 info    AC  [end_users] Service.end_user
USR-2 info    C   [end_users] Service.user
USR-3 info    A   Service.metadata
USR-3 info    A   [end_users] Service.metadata
USR-3 info    G   [labels] Service.metadata
USR-3 info    C   [openai_settings] Service.metadata
USR-3 info    C   [metadata] Service.metadata
PLC-30 info   GCR TurnSettings.passing
USR-4 loss    AGR Turn.name
"""

# --- what stands in a place -------------------------------------------------------------------------------------------

CALLS = "FunctionCall CustomCall"
RUN = "HostedCall HostedResult WebSearchCall WebSearchResult McpCall McpResult CodeCall CodeResult"
MEDIA = "Image Audio Video Document SearchResult"
OTHERS = f"{CALLS} ClientCall ClientResult {RUN} Reasoning Refusal Reference"
INSTRUCTIONS = f"PLC-3 error AGCR {MEDIA} {OTHERS} ToolResult; PLC-3 error A VendorPart; "
INSTRUCTIONS += "TUL-6 loss GCR VendorPart; TUL-6 loss AGCR ToolChange"
GIVEN = f"AUD-1 error AR Audio; VID-1 error ACR Video; TUL-6 loss AGCR ClientCall ClientResult {RUN}; "
GIVEN += "UNK-5 error AGCR UnknownPart; DOC-4 loss GCR SearchResult; "
NOTHING = "ToolChange VendorPart UnknownPart"
PLACES = {
    "instructions": f"{INSTRUCTIONS}; UNK-5 error AGCR UnknownPart",
    "user": f"{GIVEN} PLC-3 error AGCR Reasoning Refusal {CALLS}; R2A-3 error AGCR Reference; "
    "TUL-6 loss AGCR ToolChange; TUL-6 loss G VendorPart; CTX-1 loss ACR VendorPart",
    "tool result": f"{GIVEN} PLC-3 error AGCR ToolResult Reasoning Refusal Reference {CALLS}; "
    "TUL-6 loss AGCR VendorPart ToolChange",
    "assistant": "TUL-2 error AG CustomCall; TUL-6 loss AC HostedCall; "
    "TUL-6 loss AGCR ToolChange HostedResult; TUL-6 loss GR HostedCall; TUL-6 loss GC McpCall McpResult; "
    "TUL-6 loss CR CodeCall CodeResult; TUL-6 loss AGC WebSearchCall WebSearchResult; TUL-34 loss AGC ClientCall; "
    "TUL-34 loss AGCR ClientResult; UNK-2 loss AGCR UnknownPart; "
    "PLC-3 error AGCR ToolResult Document SearchResult; "
    "IMG-4 loss AGCR Video; IMG-4 loss A Image; R2A-3 error AGCR Reference; REF-7 loss AG Refusal; "
    "AUD-3 loss AGR Audio; CTX-1 loss AGCR VendorPart",
    "tool": f"PLC-3 error AGCR Text {MEDIA} {OTHERS} {NOTHING}",
    "nested": f"PLC-3 error AGCR Audio Video Document SearchResult {OTHERS} ToolResult {NOTHING}",
    "image source": "SRC-1 error AC FileRef; PLC-3 error AGCR PlainText Chunks",
    "audio source": "AUD-2 loss AR Inline Url; AUD-3 loss AR FileRef PlainText Chunks; "
    "PLC-3 error GC PlainText Chunks; SRC-2 error C Url; SRC-1 error C FileRef",
    "document source": "SRC-1 error A FileRef",
    "video source": "PLC-3 error G PlainText Chunks",
    "citations": "CIT-1 loss AGC UrlCitation; CIT-1 loss AGCR SourceCitation; CIT-1 loss GCR DocumentCitation",
    "tools": "TUL-24 info A McpServer; TUL-6 loss AGC McpToolset; TUL-6 loss AGCR HostedTool; "
    "TUL-6 loss C CodeTool McpServer; TUL-2 error AG CustomTool; TUL-25 info AGCR ToolGroup; "
    "TUL-34 loss AGCR ClientTool; UNK-3 loss AGCR UnknownTool; ENV-7 info R McpToolset",
    "tool choice": "TUL-2 error AG CustomChoice; TUL-11 error AGCR HostedChoice; TUL-11 error C CodeChoice; "
    "TUL-7 loss G WebSearchChoice CodeChoice; SMP-6 info C WebSearchChoice",
    "format": "SMP-6 info A PlainFormat; OUT-3 loss A JsonFormat; OUT-13 info ACR EnumFormat",
    "input format": "UNK-4 loss CR UnknownFormat",
}
"""The last word on a class in a place of a request, where it is not plainly legal; those before have conditions."""
