"""What Bedrock Converse does not have in common with the source, rule by rule: its part of rows.py and sometimes.py."""

from __future__ import annotations

FIELDS = """
AUD-2 loss B Audio.expires_at Audio.id Audio.transcript
CAC-2 info B Cache.ttl Caching.lifetime
CAC-4 info B [prompt_caching] Audio.cache Document.cache FunctionCall.cache FunctionTool.cache Image.cache
CAC-4 info B [prompt_caching] SearchResult.cache Text.cache ToolResult.cache Video.cache
CAC-5 info B Caching.key Caching.retention
CAC-5 info B [prompt_caching] Caching.automatic Caching.lifetime
CIT-1 loss B DocumentCitation.file
CIT-3 loss B UrlCitation.seal
ENV-1 info B Error.request_id Error.status Response.created Response.fingerprint Response.id Response.model
ENV-1 info B Terminal.message ToolResult.name
ENV-11 info B Response.metadata
ENV-13 info B Request.model Streaming.stream
ENV-3 info B Response.tier=auto|batch
ERR-2 loss B Error.code Error.param Error.retry_after
ERR-3 info B Error.category=unknown
ERR-5 info B Error.verbatim
IMG-1 loss B Image.detail
MOD-1 loss B Service.moderation
OUT-4 loss B SchemaFormat.strict
OUT-5 loss B Output.verbosity
OUT-6 loss B Output.audio Output.modalities
PLC-1 info B Turn.role=developer
REF-5 loss B RefusalDetails.category RefusalDetails.explanation
RSN-12 loss B [effort] Thinking.effort
RSN-2 loss B [family=nova|openai|other] Thinking.display
RSN-23 loss B [family=nova|openai] Thinking.effort=xhigh|max
RSN-23 loss B [highest_effort=high] Thinking.effort=xhigh|max
RSN-23 loss B [highest_effort=medium] Thinking.effort=high|xhigh|max
RSN-23 loss B [highest_effort=xhigh] Thinking.effort=max
RSN-23 loss B [xhigh_effort] Thinking.effort=xhigh
RSN-26 info B Audio.seal FunctionCall.seal Image.seal Text.seal
RSN-3 loss B [family=nova|openai|other] Thinking.budget
RSN-3 loss B [thinking_budgets] Thinking.budget
RSN-32 loss B Thinking.effort=minimal
RSN-32 loss B [least_effort=high] Thinking.effort=minimal|low|medium
RSN-32 loss B [least_effort=low] Thinking.effort=minimal
RSN-32 loss B [least_effort=medium] Thinking.effort=minimal|low
RSN-33 loss B [thinking_off,least_effort=high] Thinking.mode=disabled
RSN-33 loss B [thinking_off,least_effort=low] Thinking.mode=disabled
RSN-33 loss B [thinking_off,least_effort=medium] Thinking.mode=disabled
RSN-33 loss B [thinking_off,least_effort=minimal] Thinking.mode=disabled
RSN-34 loss B [thinking] Thinking.budget Thinking.effort Thinking.mode
RSN-4 loss B Audio.seal FunctionCall.seal Image.seal Text.seal
RSN-6 loss B Thinking.mode=between_tools
RSN-6 loss B [adaptive_thinking] Thinking.mode=adaptive
RSN-6 loss B [family=openai|other] Thinking.mode=disabled
RSN-6 loss B [thinking_off,least_effort=unstated] Thinking.mode=disabled
RSN-8 info B Reasoning.summary
SCH-10 loss B [strict_tools] FunctionTool.strict
SCH-2 info B FunctionTool.parameters
SMP-10 loss B Sampling.seed
SMP-11 loss B [stop_sequences] Sampling.stop
SMP-3 loss B Sampling.frequency_penalty Sampling.logit_bias Sampling.logprobs Sampling.presence_penalty
SMP-3 loss B [family=openai|other] Sampling.top_k
SMP-3 loss B Sampling.top_logprobs
SMP-3 loss B [sampling] Sampling.temperature Sampling.top_k Sampling.top_p
SMP-6 info B Sampling.candidates Service.tier=auto
SMP-6 info B [family=openai|other] Thinking.mode=enabled|adaptive
SMP-6 info B [thinking] Thinking.display Thinking.mode=disabled
SMP-7 loss B Candidate.logprobs
STR-13 info B Streaming.obfuscation
STS-13 error B Terminal.reason=unfinished|failed
STS-3 loss B Terminal.reason=refusal
STS-5 loss B Terminal.reason=pause
SVC-1 loss B Service.tier=batch
SVC-2 loss B Service.store
TUL-68 loss B [forced_choice] AllowedChoice.mode=required Choice.mode=required
TUL-68 loss B [tool_choice] AllowedChoice.mode=required Choice.mode=required
TUL-7 loss B AllowedChoice.mode=none|validated Choice.mode=validated
TUL-9 loss B Request.hosted_calls Request.parallel_tools
USE-4 info B Usage.details
USR-2 info B Service.end_user Service.user
USR-4 loss B Turn.name
"""
PLACES = {
    "instructions": (
        "TUL-6 loss B VendorPart; "
        "UNK-5 error B UnknownPart; "
        "PLC-3 error B Image Audio Video Document SearchResult FunctionCall CustomCall ClientCall ClientResult "
        "HostedCall HostedResult WebSearchCall WebSearchResult McpCall McpResult CodeCall CodeResult ToolResult "
        "Reasoning Refusal Reference"
    ),
    "user": (
        "TUL-6 loss B ClientCall ClientResult HostedCall HostedResult WebSearchCall WebSearchResult McpCall "
        "McpResult CodeCall CodeResult; "
        "CTX-1 loss B VendorPart; "
        "UNK-5 error B UnknownPart; "
        "PLC-3 error B Reasoning Refusal FunctionCall CustomCall; "
        "R2A-3 error B Reference"
    ),
    "assistant": (
        "REF-7 loss B Refusal; "
        "TUL-2 error B CustomCall; "
        "TUL-34 loss B ClientCall ClientResult; "
        "TUL-6 loss B HostedCall HostedResult WebSearchCall WebSearchResult McpCall McpResult CodeCall CodeResult;"
        " "
        "CTX-1 loss B VendorPart; "
        "UNK-2 loss B UnknownPart; "
        "AUD-3 loss B Audio; "
        "IMG-4 loss B Image Video; "
        "PLC-3 error B ToolResult Document SearchResult; "
        "R2A-3 error B Reference"
    ),
    "tool": (
        "PLC-3 error B Text Image Audio Video Document SearchResult FunctionCall CustomCall ClientCall "
        "ClientResult HostedCall HostedResult WebSearchCall WebSearchResult McpCall McpResult CodeCall CodeResult "
        "Reasoning Refusal Reference VendorPart UnknownPart"
    ),
    "tool result": (
        "TUL-6 loss B ClientCall ClientResult HostedCall HostedResult WebSearchCall WebSearchResult McpCall "
        "McpResult CodeCall CodeResult VendorPart; "
        "UNK-5 error B UnknownPart; "
        "PLC-3 error B ToolResult Reasoning Refusal Reference FunctionCall CustomCall"
    ),
    "nested": (
        "PLC-3 error B Image Audio Video Document SearchResult FunctionCall CustomCall ClientCall ClientResult "
        "HostedCall HostedResult WebSearchCall WebSearchResult McpCall McpResult CodeCall CodeResult ToolResult "
        "Reasoning Refusal Reference VendorPart UnknownPart"
    ),
    "image source": ("SRC-1 error B FileRef; PLC-3 error B PlainText Chunks"),
    "audio source": ("SRC-1 error B FileRef; PLC-3 error B PlainText Chunks"),
    "video source": ("SRC-1 error B FileRef; PLC-3 error B PlainText Chunks"),
    "document source": ("SRC-1 error B FileRef"),
    "citations": ("CIT-1 loss B SourceCitation"),
    "tools": (
        "TUL-2 error B CustomTool; "
        "TUL-6 loss B HostedTool WebSearchTool CodeTool McpServer McpToolset; "
        "TUL-25 info B ToolGroup; "
        "TUL-34 loss B ClientTool; "
        "UNK-3 loss B UnknownTool"
    ),
    "tool choice": ("TUL-2 error B CustomChoice; TUL-11 error B HostedChoice WebSearchChoice CodeChoice"),
    "format": ("SMP-6 info B PlainFormat; OUT-3 loss B JsonFormat; OUT-13 info B EnumFormat"),
}
SOMETIMES = """
CAC-20 info B Caching.automatic
CAC-3 info B Caching.lifetime Cache.ttl
CAC-5 info B Caching.lifetime
CHO-2 error B Sampling.candidates
ENV-1 info B PlainText.mime
ENV-7 info B FunctionTool.description
ERR-6 info B Error.code
ERR-9 info B Error.message
IMG-2 info B Image.detail
PLC-19 loss B [prefill] Request.prefill
RSN-10 loss B Text.seal Image.seal Audio.seal FunctionCall.seal Reasoning.seal
RSN-11 loss B Text.seal Image.seal Audio.seal FunctionCall.seal Reasoning.seal
RSN-26 info B Reasoning.seal
RSN-4 loss B Reasoning.seal
SCH-2 info B FunctionTool.parameters
SCH-3 error B FunctionTool.parameters
SMP-14 loss B [zero_temperature] Sampling.temperature
SMP-2 loss B Sampling.temperature Sampling.stop
SMP-6 info B Request.parallel_tools Sampling.temperature Sampling.top_p Sampling.stop Sampling.top_k
SMP-6 info B Sampling.frequency_penalty Sampling.presence_penalty Sampling.logit_bias Sampling.logprobs
SMP-6 info B Sampling.top_logprobs Output.verbosity Output.modalities SchemaFormat.strict Caching.automatic
SMP-6 info B Service.store
SMP-6 info B [strict_tools] FunctionTool.strict
SMP-8 loss B [temperature_with_top_p] Sampling.top_p
STR-13 info B Streaming.usage
TUL-13 info B FunctionCall.id ToolResult.call_id
TUL-25 info B FunctionTool.namespace FunctionCall.namespace NamedChoice.namespace
TUL-26 info B FunctionTool.name FunctionCall.name
TUL-46 info B FunctionCall.id ToolResult.call_id
TUL-48 info B FunctionCall.name
TUL-5 error B ToolResult.name
TUL-6 loss B AllowedChoice.tools
TUL-7 loss B Choice.mode=none
USR-3 info B Service.metadata
"""
SOMETIMES_PLACES = """
CIT-1 loss B citations/UrlCitation
ENV-7 info B assistant/Reasoning
IMG-4 loss B assistant/Audio
OUT-3 loss B format/SchemaFormat
PLC-3 error B user/SearchResult user/VendorPart tool-result/SearchResult
PLC-60 info B instructions/VendorPart
PLC-61 loss B user/VendorPart
RSN-10 loss B assistant/Reasoning
RSN-11 loss B assistant/Reasoning
RSN-26 info B assistant/Reasoning
RSN-5 loss B assistant/Reasoning
RSN-5 loss B [unsigned_thinking] assistant/Reasoning
SRC-1 error B user/VendorPart
SRC-2 error B image-source/Url audio-source/Url video-source/Url document-source/Url
SRC-3 error B image-source/Inline image-source/Url audio-source/Inline audio-source/Url video-source/Inline
SRC-3 error B video-source/Url document-source/Inline document-source/Url
SRC-4 info B image-source/Inline
TUL-38 info B instructions/VendorPart assistant/HostedCall assistant/HostedResult tools/HostedTool
TUL-42 info B tool-result/VendorPart
PLC-62 error B assistant/VendorPart
TUL-71 loss B assistant/ClientCall
TUL-71 loss B assistant/ClientResult
TUL-71 loss B tools/ClientTool
"""
