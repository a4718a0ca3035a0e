"""What the table of Converse states, for the laws (see the package): its base is in the first protocols' rows."""

from __future__ import annotations

FIELDS = """
AUD-2  loss  Audio.expires_at Audio.id
CAC-2  info  Cache.ttl Caching.lifetime
CAC-4  info  [family=nova|openai|responses|qwen|other] FunctionTool.cache ToolResult.cache
CAC-4  info  [family=openai|responses|qwen|other] Audio.cache Document.cache FunctionCall.cache Image.cache
CAC-4  info  [family=openai|responses|qwen|other] SearchResult.cache
CAC-4  info  [family=openai|responses|qwen|other] Text.cache Video.cache
CAC-4  info  WebSearchTool.cache
CAC-5  info  Caching.key Caching.retention
CAC-5  info  [family=openai|responses|qwen|other] Caching.automatic Caching.lifetime
CIT-1  loss  DocumentCitation.file
CIT-3  loss  UrlCitation.seal
ENV-1  info  Error.request_id Error.status PlainText.mime Response.created Response.fingerprint Response.id
ENV-1  info  Response.model Terminal.message ToolResult.name UrlCitation.end UrlCitation.start
ENV-3  info  Response.tier=auto|batch
ENV-11 info  Response.metadata
ENV-13 info  Request.model Streaming.stream
ERR-2  loss  Error.code Error.param Error.retry_after
ERR-3  info  Error.category=unknown
ERR-5  info  Error.verbatim
IMG-1  loss  Image.detail
MOD-1  loss  Service.moderation
OUT-4  loss  SchemaFormat.strict
OUT-5  loss  Output.verbosity
OUT-6  loss  Output.audio Output.modalities Output.picture
PLC-1  info  Turn.role=developer
PLC-25 loss  [instruction_roles] Turn.role=system|developer
PLC-30 info  TurnSettings.passing
PLC-62 error Request.summary
REF-5  loss  RefusalDetails.category RefusalDetails.explanation
RSN-2  loss  [family=nova|openai|responses|qwen|other] Thinking.display
RSN-3  loss  [family=nova|openai|responses|qwen] Thinking.budget
RSN-3  loss  [thinking_budgets] Thinking.budget
RSN-4  loss  Audio.seal FunctionCall.seal Image.seal Text.seal
RSN-6  loss  [family=nova|openai|responses|qwen|other] Thinking.mode=between_tools
RSN-6  loss  [family=other] Thinking.mode=disabled
RSN-6  loss  [thinking_off,least_effort=unstated,family=nova|openai|responses|qwen] Thinking.mode=disabled
RSN-7  loss  Thinking.effort=minimal
RSN-8  info  Reasoning.summary
RSN-12 loss  [effort,family=nova|openai|responses|qwen|other] Thinking.effort
RSN-12 loss  [family=other] Thinking.budget Thinking.effort
RSN-23 loss  [family=nova|qwen] Thinking.effort=xhigh|max
RSN-23 loss  [highest_effort=high,family=anthropic|nova|openai|responses|qwen] Thinking.effort=xhigh|max
RSN-23 loss  [highest_effort=medium,family=anthropic|nova|openai|responses|qwen] Thinking.effort=high|xhigh|max
RSN-23 loss  [highest_effort=xhigh,family=anthropic|nova|openai|responses|qwen] Thinking.effort=max
RSN-23 loss  [xhigh_effort,family=anthropic|nova|openai|responses|qwen] Thinking.effort=xhigh
RSN-26 info  Audio.seal FunctionCall.seal Image.seal Text.seal
RSN-32 loss  [family=nova|openai|responses|qwen] Thinking.effort=minimal
RSN-32 loss  [least_effort=low,family=nova|openai|responses|qwen] Thinking.effort=minimal
RSN-32 loss  [least_effort=medium,family=nova|openai|responses|qwen] Thinking.effort=minimal|low
RSN-32 loss  [least_effort=high,family=nova|openai|responses|qwen] Thinking.effort=minimal|low|medium
RSN-32 loss  [medium_effort,family=nova|openai|responses|qwen] Thinking.effort=medium
RSN-32 loss  [thinking_off,family=anthropic] Thinking.effort=minimal
RSN-33 loss  [thinking_off,family=anthropic] Thinking.mode=disabled
RSN-33 loss  [thinking_off,least_effort=minimal,family=nova|openai|responses|qwen] Thinking.mode=disabled
RSN-33 loss  [thinking_off,least_effort=low,family=nova|openai|responses|qwen] Thinking.mode=disabled
RSN-33 loss  [thinking_off,least_effort=medium,family=nova|openai|responses|qwen] Thinking.mode=disabled
RSN-33 loss  [thinking_off,least_effort=high,family=nova|openai|responses|qwen] Thinking.mode=disabled
RSN-33 loss  [thinking_off,least_thinking=between_tools,family=anthropic] Thinking.effort=minimal
RSN-33 loss  [thinking_off,least_thinking=between_tools,family=anthropic] Thinking.mode=disabled
RSN-34 loss  [thinking,family=anthropic] Thinking.budget Thinking.effort Thinking.mode
RSN-34 loss  [thinking] Thinking.budget Thinking.effort Thinking.mode
SCH-2  info  FunctionTool.parameters
SCH-2  info  [family=anthropic] FunctionTool.parameters
SCH-10 loss  [strict_tools] FunctionTool.strict
SMP-3  loss  Sampling.frequency_penalty Sampling.logit_bias Sampling.logprobs Sampling.presence_penalty
SMP-3  loss  Sampling.top_logprobs
SMP-3  loss  [family=openai|responses|qwen|other] Sampling.top_k
SMP-3  loss  [sampling] Sampling.temperature Sampling.top_k Sampling.top_p
SMP-6  info  Sampling.candidates Service.tier=auto|standard
SMP-6  info  [family=openai|responses|qwen|other] Thinking.mode=enabled|adaptive
SMP-6  info  [citations] Document.cite SearchResult.cite
SMP-6  info  [long_caching] Cache.ttl Caching.lifetime
SMP-6  info  [result_status] ToolResult.is_error
SMP-6  info  [thinking,family=anthropic] Thinking.display Thinking.mode=disabled
SMP-6  info  [thinking] Thinking.display Thinking.mode=disabled
SMP-7  loss  Candidate.logprobs
SMP-10 loss  Sampling.seed
SMP-11 loss  [stop_sequences] Sampling.stop
STR-13 info  Streaming.obfuscation
STS-3  loss  Terminal.reason=refusal
STS-5  loss  Terminal.reason=pause
STS-13 error Terminal.reason=unfinished|failed
SVC-1  loss  Service.tier=batch
SVC-1  loss  [optimized_latency] Service.fast
SVC-2  loss  Service.store
TUL-9  loss  Request.hosted_calls WebSearchTool.allowed_domains WebSearchTool.blocked_domains
TUL-9  loss  WebSearchTool.context_size WebSearchTool.location WebSearchTool.max_uses WebSearchTool.searches
TUL-9  loss  [family=nova|openai|responses|qwen|other] Request.parallel_tools
TUL-9  loss  [parallel_tools] Request.parallel_tools
TUL-68 loss  [forced_choice] AllowedChoice.mode=required Choice.mode=required
TUL-68 loss  [tool_choice] AllowedChoice.mode=required Choice.mode=required
USE-4  info  Usage.details Usage.reasoning
USR-2  info  Service.end_user Service.user
USR-4  loss  Turn.name
"""

PLACES = {
    "instructions": "TUL-6 loss ToolChange; "
    "PLC-3 error Audio ClientCall ClientResult CodeCall CodeResult CustomCall Document FunctionCall "
    "HostedCall HostedResult Image McpCall McpResult Reasoning Reference Refusal SearchResult "
    "ToolResult Video WebSearchCall WebSearchResult; TUL-6 loss VendorPart; UNK-5 error UnknownPart",
    "user": "TUL-6 loss ToolChange; "
    "CTX-1 loss VendorPart; PLC-3 error CustomCall FunctionCall Reasoning Refusal; R2A-3 error "
    "Reference; TUL-6 loss ClientCall ClientResult CodeCall CodeResult HostedCall HostedResult McpCall "
    "McpResult WebSearchCall WebSearchResult; UNK-5 error UnknownPart",
    "assistant": "TUL-6 loss ToolChange; "
    "AUD-3 loss Audio; CTX-1 loss VendorPart; IMG-4 loss Image Video; PLC-3 error Document SearchResult "
    "ToolResult; R2A-3 error Reference; REF-7 loss Refusal; TUL-2 error CustomCall; TUL-34 loss "
    "ClientCall ClientResult; TUL-6 loss CodeCall CodeResult HostedCall HostedResult McpCall McpResult "
    "WebSearchCall WebSearchResult; UNK-2 loss UnknownPart",
    "tool": "PLC-3 error ToolChange; "
    "PLC-3 error Audio ClientCall ClientResult CodeCall CodeResult CustomCall Document FunctionCall "
    "HostedCall HostedResult Image McpCall McpResult Reasoning Reference Refusal SearchResult Text "
    "UnknownPart VendorPart Video WebSearchCall WebSearchResult",
    "tool result": "TUL-6 loss ToolChange; "
    "AUD-1 error Audio; PLC-3 error CustomCall FunctionCall Reasoning Reference Refusal ToolResult; "
    "TUL-6 loss ClientCall ClientResult CodeCall CodeResult HostedCall HostedResult McpCall McpResult "
    "VendorPart WebSearchCall WebSearchResult; UNK-5 error UnknownPart",
    "nested": "PLC-3 error ToolChange; "
    "PLC-3 error Audio ClientCall ClientResult CodeCall CodeResult CustomCall Document FunctionCall "
    "HostedCall HostedResult McpCall McpResult Reasoning Reference Refusal SearchResult ToolResult "
    "UnknownPart VendorPart Video WebSearchCall WebSearchResult",
    "image source": "PLC-3 error Chunks PlainText; SRC-1 error FileRef",
    "audio source": "PLC-3 error Chunks PlainText; SRC-1 error FileRef",
    "video source": "VID-1 error Chunks FileRef PlainText",
    "document source": "SRC-1 error FileRef",
    "citations": "CIT-1 loss SourceCitation UrlCitation",
    "tools": "TUL-2 error CustomTool; TUL-25 info ToolGroup; TUL-34 loss ClientTool; TUL-6 loss CodeTool "
    "HostedTool McpServer McpToolset; UNK-3 loss UnknownTool",
    "tool choice": "TUL-11 error CodeChoice HostedChoice WebSearchChoice; TUL-2 error CustomChoice",
    "format": "OUT-13 info EnumFormat; OUT-3 loss JsonFormat; SMP-6 info PlainFormat",
}

SOMETIMES = """
CAC-3  info  Cache.ttl Caching.lifetime
CAC-3  info  [long_caching] Cache.ttl Caching.lifetime
CAC-5  info  Caching.lifetime
CAC-8  error Request.max_tokens
CHO-2  error Sampling.candidates
DOC-1  loss  [citations] Document.cite SearchResult.cite
ENV-7  info  FunctionTool.description
ERR-6  info  Error.code
ERR-7  info  Error.message
ERR-9  info  Error.message
IMG-2  info  Image.detail
PLC-3  error Chunks.parts SearchResult.parts
PLC-19 loss  [prefill] Request.prefill
RSN-2  loss  [adaptive_thinking] Thinking.display
RSN-2  loss  [effort] Thinking.display
RSN-2  loss  [family=anthropic] Thinking.display
RSN-4  loss  Reasoning.seal
RSN-6  loss  [family=anthropic] Thinking.budget
RSN-6  loss  [thinking_off,family=anthropic] Thinking.effort
RSN-6  loss  [family=nova|openai|responses|qwen] Thinking.effort
RSN-6  loss  [family=nova|openai|responses|qwen|other] Thinking.budget
RSN-10 loss  Audio.seal FunctionCall.seal Image.seal Reasoning.seal Text.seal
RSN-11 loss  Audio.seal FunctionCall.seal Image.seal Reasoning.seal Text.seal
RSN-26 info  Reasoning.seal
RSN-26 info  [family=nova|openai|responses|qwen|other] Reasoning.seal
SCH-1  loss  [family=anthropic] FunctionTool.strict
SCH-3  error FunctionTool.parameters
SCH-4  error [family=anthropic] FunctionTool.parameters
SCH-9  loss  [family=anthropic] FunctionTool.parameters
SMP-2  loss  Sampling.stop Sampling.temperature
SMP-2  loss  [family=anthropic] Sampling.stop
SMP-6  info  Caching.automatic Output.modalities Output.verbosity Request.parallel_tools
SMP-6  info  Sampling.frequency_penalty Sampling.logit_bias Sampling.logprobs Sampling.presence_penalty
SMP-6  info  Sampling.top_k Sampling.top_logprobs SchemaFormat.strict Service.store
SMP-6  info  [family=anthropic] Sampling.temperature Sampling.top_p Thinking.display
SMP-6  info  [optimized_latency] Service.fast
SMP-6  info  [parallel_tools] Request.parallel_tools
SMP-6  info  [strict_tools] FunctionTool.strict
SMP-8  loss  [temperature_with_top_p,family=anthropic] Sampling.top_p
STR-13 info  Streaming.usage
TUL-4  loss  [result_status] ToolResult.is_error
TUL-5  error ToolResult.name
TUL-6  loss  AllowedChoice.tools
TUL-13 info  FunctionCall.id ToolResult.call_id
TUL-25 info  FunctionCall.namespace FunctionTool.namespace NamedChoice.namespace
TUL-26 info  FunctionCall.name FunctionTool.name
SMP-6  info  WebSearchTool.context_size WebSearchTool.searches
TUL-34 loss  ClientTool.function ClientTool.kind ClientTool.own_calls ClientTool.raw
TUL-65 info  [result_status] ToolResult.is_error
TUL-46 info  FunctionCall.id ToolResult.call_id
TUL-48 info  FunctionCall.name
USR-3  info  Service.metadata
"""

SOMETIMES_PLACES = """
CAC-4  info  assistant/VendorPart instructions/VendorPart tools/UnknownTool user/VendorPart
CIT-1  loss  assistant/VendorPart tool-result/VendorPart user/VendorPart
ENV-7  info  assistant/Reasoning
IMG-4  loss  assistant/Audio
OUT-3  loss  format/SchemaFormat
PLC-3  error user/VendorPart
PLC-60 info  instructions/VendorPart tools/HostedTool
PLC-61 loss  user/VendorPart
PLC-62 error assistant/VendorPart
RSN-4  loss  assistant/Reasoning
RSN-5  loss  [unsigned_thinking] assistant/Reasoning
RSN-10 loss  assistant/Reasoning
RSN-11 loss  assistant/Reasoning
RSN-26 info  assistant/Reasoning
SRC-1  error user/VendorPart
SRC-2  error audio-source/Url document-source/Url image-source/Url video-source/Url
SRC-3  error audio-source/Inline audio-source/Url document-source/Inline document-source/Url image-source/Inline
SRC-3  error image-source/Url video-source/Inline video-source/Url
SRC-4  info  document-source/Inline image-source/Inline image-source/Url
TUL-38 info  assistant/HostedCall assistant/HostedResult tools/HostedTool
TUL-42 info  tool-result/VendorPart
TUL-71 loss  assistant/ClientCall assistant/ClientResult tools/ClientTool
"""

CELLS = """
Request 3/6
Sampling 4/11
Thinking 13/13
Output 0/4
SchemaFormat 0/4
EnumFormat 0/1
Caching 2/4
Service 5/12
Streaming 2/3
Cache 1/1
FunctionTool 4/6
WebSearchTool 1/8
ClientTool 4/4
Choice 0/4
NamedChoice 0/2
AllowedChoice 0/5
Turn 2/7
TurnSettings 0/1
Text 1/3
Image 1/3
Audio 1/5
Video 1/1
Document 4/4
SearchResult 3/5
FunctionCall 1/6
ToolResult 2/4
Reasoning 2/3
Refusal 0/1
VendorPart 0/2
Inline 0/2
Url 1/2
PlainText 2/2
Chunks 1/1
UrlCitation 3/6
DocumentCitation 0/9
Response 9/12
Candidate 0/1
Terminal 2/14
RefusalDetails 1/2
Usage 1/7
Error 3/20
instructions 0/50
user 8/50
assistant 2/50
tool 0/50
tool-result 6/50
nested 0/50
image-source 4/10
audio-source 10/10
video-source 4/10
document-source 4/10
citations 6/6
tools 4/20
tool-choice 0/14
format 6/8
"""
TOTAL = "134/599"
UNREACHED = {("bedrock_converse", "Image.seal", "", "RSN-4"): "no image is answered"}
