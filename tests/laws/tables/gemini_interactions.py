"""What the table of Gemini Interactions does not have in common with the source: drawn from the table once, and read
against the rules.
"""

from __future__ import annotations

FIELDS = """
AUD-2 loss Audio.expires_at Audio.id
CAC-4 info Audio.cache CodeCall.cache CodeResult.cache CodeTool.cache Document.cache FunctionCall.cache
CAC-4 info FunctionTool.cache Image.cache McpCall.cache McpResult.cache SearchResult.cache Text.cache ToolResult.cache
CAC-4 info Video.cache WebSearchCall.cache WebSearchResult.cache WebSearchTool.cache
CAC-5 info Caching.automatic Caching.key Caching.lifetime Caching.retention
CIT-2 loss UrlCitation.cited_text
CIT-3 loss UrlCitation.seal WebHit.seal
DOC-1 loss Document.context Document.title
ENV-1 info Error.request_id Error.status Response.fingerprint Terminal.message WebHit.age
ENV-3 info Response.fast Response.tier=auto|scale|batch
ENV-7 info WebSearchResult.page
ENV-11 info Response.metadata
ERR-2 loss Error.code Error.param Error.retry_after
ERR-3 info Error.category=unknown
ERR-5 info Error.verbatim
MOD-1 loss Service.moderation
OUT-4 loss SchemaFormat.description SchemaFormat.strict
OUT-5 loss Output.verbosity
OUT-6 loss Speech.format
OUT-8 info SchemaFormat.name
PLC-1 info Turn.role=developer
PLC-30 info TurnSettings.passing
REF-5 loss RefusalDetails.category
RSN-3 loss Thinking.budget
RSN-4 loss Audio.seal
RSN-6 loss Thinking.mode=between_tools Thinking.mode=disabled
RSN-6 loss [thinking_off,least_effort=unstated] Thinking.mode=disabled
RSN-23 loss Thinking.effort=max
RSN-23 loss [highest_effort=high] Thinking.effort=xhigh|max
RSN-23 loss [highest_effort=medium] Thinking.effort=high|xhigh|max
RSN-23 loss [highest_effort=xhigh] Thinking.effort=max
RSN-26 info Audio.seal
RSN-32 loss [least_effort=high] Thinking.effort=minimal|low|medium
RSN-32 loss [least_effort=low] Thinking.effort=minimal
RSN-32 loss [least_effort=medium] Thinking.effort=minimal|low
RSN-33 loss [thinking_off,least_effort=high] Thinking.mode=disabled
RSN-33 loss [thinking_off,least_effort=low] Thinking.mode=disabled
RSN-33 loss [thinking_off,least_effort=medium] Thinking.mode=disabled
RSN-33 loss [thinking_off,least_effort=minimal] Thinking.mode=disabled
RSN-34 loss [thinking] Thinking.budget Thinking.effort Thinking.mode
RSN-38 loss [middle_efforts] Thinking.effort=low|medium
SMP-3 loss Sampling.frequency_penalty Sampling.logit_bias Sampling.logprobs Sampling.presence_penalty Sampling.top_k
SMP-3 loss Sampling.top_logprobs
SMP-3 loss [sampling] Sampling.temperature Sampling.top_k Sampling.top_p
SMP-6 info Document.cite Sampling.candidates SearchResult.cite Service.tier=auto Speech.format=pcm16
SMP-6 info Thinking.mode=enabled|adaptive
SMP-6 info [service_tiers] Service.tier=standard
SMP-6 info [thinking] Thinking.display Thinking.mode=disabled
SMP-7 loss Candidate.logprobs
SMP-10 loss [seed] Sampling.seed
SMP-11 loss [stop_sequences] Sampling.stop
STR-13 info Streaming.obfuscation
STS-3 loss Terminal.reason=context_window|refusal Terminal.reason=stop_sequence|content_filter
STS-5 loss Terminal.reason=pause
STS-8 loss Terminal.stop_sequence
STS-13 error Terminal.reason=unfinished|failed
SVC-1 loss Service.fast Service.tier=scale|batch
SVC-1 loss [service_tiers] Service.tier=priority|flex
SVC-2 loss [store] Service.store
PLC-62 error Request.summary
TUL-9 loss Request.hosted_calls Request.parallel_tools WebSearchTool.allowed_domains WebSearchTool.blocked_domains
TUL-9 loss WebSearchTool.context_size WebSearchTool.location WebSearchTool.max_uses
TUL-22 loss WebSearchCall.page WebSearchResult.error
TUL-39 loss CodeResult.error
TUL-68 loss [forced_choice] AllowedChoice.mode=required Choice.mode=required
USE-4 info Usage.cache_write Usage.details
USR-2 info Service.end_user Service.user
USR-3 info [labels] Service.metadata
USR-4 loss Turn.name
"""

PLACES = {
    "assistant": (
        "TUL-6 loss ToolChange; "
        "AUD-3 loss Audio; CTX-1 loss VendorPart; IMG-4 loss Video; PLC-3 error Document SearchResult "
        "ToolResult; R2A-3 error Reference; REF-7 loss Refusal; TUL-2 error CustomCall; TUL-34 loss "
        "ClientCall ClientResult; TUL-6 loss HostedCall HostedResult; UNK-2 loss UnknownPart"
    ),
    "audio source": ("PLC-3 error Chunks PlainText"),
    "citations": ("CIT-1 loss DocumentCitation SourceCitation"),
    "format": ("OUT-13 info EnumFormat"),
    "image source": ("PLC-3 error Chunks PlainText"),
    "instructions": (
        "TUL-6 loss ToolChange; "
        "PLC-3 error Audio ClientCall ClientResult CodeCall CodeResult CustomCall Document FunctionCall "
        "HostedCall HostedResult Image McpCall McpResult Reasoning Reference Refusal SearchResult ToolResult "
        "Video WebSearchCall WebSearchResult; TUL-6 loss VendorPart; UNK-5 error UnknownPart"
    ),
    "nested": (
        "PLC-3 error ToolChange; "
        "PLC-3 error Audio ClientCall ClientResult CodeCall CodeResult CustomCall Document FunctionCall "
        "HostedCall HostedResult McpCall McpResult Reasoning Reference Refusal SearchResult ToolResult "
        "UnknownPart VendorPart Video WebSearchCall WebSearchResult"
    ),
    "tool": (
        "PLC-3 error ToolChange; "
        "PLC-3 error Audio ClientCall ClientResult CodeCall CodeResult CustomCall Document FunctionCall "
        "HostedCall HostedResult Image McpCall McpResult Reasoning Reference Refusal SearchResult Text "
        "UnknownPart VendorPart Video WebSearchCall WebSearchResult"
    ),
    "tool choice": ("TUL-11 error HostedChoice; TUL-2 error CustomChoice; TUL-7 loss CodeChoice WebSearchChoice"),
    "tool result": (
        "TUL-6 loss ToolChange; "
        "DOC-4 loss SearchResult; PLC-3 error CustomCall FunctionCall Reasoning Reference Refusal ToolResult; "
        "TUL-6 loss ClientCall ClientResult CodeCall CodeResult HostedCall HostedResult McpCall McpResult "
        "VendorPart WebSearchCall WebSearchResult; UNK-5 error UnknownPart"
    ),
    "tools": (
        "TUL-2 error CustomTool; TUL-25 info ToolGroup; TUL-34 loss ClientTool; TUL-6 loss HostedTool "
        "McpToolset; UNK-3 loss UnknownTool"
    ),
    "user": (
        "TUL-6 loss ToolChange; "
        "DOC-4 loss SearchResult; PLC-3 error CustomCall FunctionCall Reasoning Refusal; R2A-3 error "
        "Reference; TUL-6 loss ClientCall ClientResult CodeCall CodeResult HostedCall HostedResult McpCall "
        "McpResult VendorPart WebSearchCall WebSearchResult; UNK-5 error UnknownPart"
    ),
    "video source": ("PLC-3 error Chunks PlainText"),
}

SOMETIMES = """
CAC-8  error Request.max_tokens
CHO-2 error Sampling.candidates
DOC-1 loss Document.cite SearchResult.cite
ENV-1 info PlainText.mime Response.created
ENV-7 info WebHit.seal
ERR-6 info Error.code
ERR-7 info Error.message
ERR-9 info Error.message
IMG-1 loss Image.detail
IMG-2 info Image.detail
OUT-6 loss Speech.voice Picture.aspect_ratio Picture.size
TUL-34 loss ClientTool.function ClientTool.kind ClientTool.own_calls ClientTool.raw
PLC-19 loss [prefill] Request.prefill
RSN-4 loss FunctionCall.seal Image.seal Reasoning.seal Text.seal
RSN-10 loss Audio.seal FunctionCall.seal Image.seal Reasoning.seal Text.seal
RSN-11 loss Audio.seal FunctionCall.seal Image.seal Reasoning.seal Text.seal
RSN-26 info FunctionCall.seal Image.seal Reasoning.seal Text.seal
RSN-31 loss FunctionCall.seal Image.seal Reasoning.seal Text.seal
RSN-90 info FunctionCall.seal Image.seal Text.seal
RSN-6 loss Thinking.effort
SMP-2 loss Sampling.seed Sampling.temperature
SMP-5 loss Sampling.stop
SMP-6 info Caching.automatic FunctionTool.strict Output.modalities Output.verbosity Request.parallel_tools
SMP-6 info Sampling.frequency_penalty Sampling.logit_bias Sampling.logprobs Sampling.presence_penalty Sampling.stop
SMP-6 info Sampling.temperature Sampling.top_k Sampling.top_logprobs SchemaFormat.strict Service.fast
SMP-6 info WebSearchTool.context_size
SMP-6 info [store] Service.store
STR-13 info Streaming.usage
TUL-6 loss AllowedChoice.tools
TUL-13 info FunctionCall.id ToolResult.call_id
TUL-25 info FunctionCall.namespace FunctionTool.namespace NamedChoice.namespace
TUL-26 info FunctionCall.name FunctionTool.name
TUL-39 loss CodeResult.exit_code CodeResult.stderr
TUL-41 loss HostedTool.kind HostedTool.name HostedTool.raw
TUL-46 info FunctionCall.id ToolResult.call_id
TUL-48 info FunctionCall.name
USR-3 info Service.metadata
"""

SOMETIMES_PLACES = """
DOC-3 loss tool-result/Document user/Document
ENV-7 info assistant/Reasoning
IMG-4 loss assistant/Audio assistant/Image
CAC-4 info assistant/VendorPart instructions/VendorPart tools/UnknownTool user/VendorPart
CIT-1 loss assistant/VendorPart tool-result/VendorPart user/VendorPart
PLC-3 error user/VendorPart
PLC-60 info instructions/VendorPart tools/HostedTool
PLC-61 loss user/VendorPart
PLC-62 error assistant/VendorPart
RSN-4 loss assistant/Reasoning
RSN-10 loss assistant/Reasoning
RSN-11 loss assistant/Reasoning
RSN-26 info assistant/Reasoning
RSN-31 loss assistant/Reasoning
SRC-1 error audio-source/FileRef document-source/FileRef image-source/FileRef user/VendorPart video-source/FileRef
SRC-3 error audio-source/Inline audio-source/Url document-source/Inline document-source/Url image-source/Inline
SRC-3 error image-source/Url tool-result/Document user/Document video-source/Inline video-source/Url
SRC-4 info audio-source/Inline document-source/Inline image-source/Inline image-source/Url
SRC-5 info document-source/Inline document-source/Url image-source/Url
TUL-22 loss assistant/HostedCall assistant/HostedResult
TUL-38 info assistant/HostedCall assistant/HostedResult tools/HostedTool
TUL-41 loss tools/HostedTool
TUL-9 loss tools/ClientTool tools/HostedTool
TUL-42 info tool-result/VendorPart
TUL-71 loss assistant/ClientCall assistant/ClientResult tools/ClientTool
"""

CELLS = """
Request 1/6
Sampling 4/11
Thinking 9/13
Output 3/4
Speech 4/4
Picture 2/2
PlainFormat 0/0
JsonFormat 0/0
SchemaFormat 2/4
EnumFormat 0/1
Caching 0/4
Service 5/12
Streaming 1/3
FunctionTool 1/6
WebSearchTool 2/8
CodeTool 0/2
McpServer 1/5
ClientTool 4/4
HostedTool 0/3
Choice 4/4
NamedChoice 0/2
AllowedChoice 4/5
Turn 0/7
TurnSettings 0/1
Text 1/3
Image 2/3
Audio 0/5
Video 0/1
Document 1/4
SearchResult 0/4
FunctionCall 1/6
HostedCall 3/3
HostedResult 3/3
WebSearchCall 1/4
WebSearchResult 1/4
McpCall 0/5
McpResult 0/4
CodeCall 0/4
CodeResult 2/7
ToolResult 2/4
Reasoning 2/3
Refusal 0/1
VendorPart 0/2
WebHit 0/4
Inline 0/2
Url 1/2
FileRef 1/3
PlainText 1/2
Chunks 0/0
UrlCitation 0/6
Response 4/12
Candidate 0/1
Terminal 2/14
RefusalDetails 0/2
Usage 1/7
Error 3/20
instructions 0/50
user 10/50
assistant 20/50
tool 0/50
tool-result 10/50
nested 0/50
image-source 6/10
audio-source 10/10
video-source 10/10
document-source 6/10
citations 2/6
tools 10/20
tool-choice 4/14
format 0/8
"""
TOTAL = "167/644"
