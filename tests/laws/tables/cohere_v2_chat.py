"""What /v2/chat does not have in common with the source: drawn from its table once, and read against the rules."""

from __future__ import annotations

FIELDS = """
AUD-2 loss Audio.expires_at Audio.id
CAC-4 info Audio.cache Document.cache FunctionCall.cache FunctionTool.cache Image.cache SearchResult.cache Text.cache
CAC-4 info ToolResult.cache
CAC-5 info Caching.automatic Caching.key Caching.lifetime Caching.retention
CIT-2 loss UrlCitation.cited_text
CIT-3 loss UrlCitation.seal
ENV-1 info Error.status PlainText.mime Response.created Response.fingerprint Response.model ScoredToken.bytes
ENV-1 info Terminal.message ToolResult.name Url.mime
ENV-11 info Response.metadata
ENV-3 info Response.fast Response.tier
ERR-2 loss Error.code Error.param Error.retry_after
ERR-3 info Error.category=unknown
ERR-5 info Error.verbatim
ERR-6 info Error.type
IMG-1 loss Image.detail
MOD-1 loss Service.moderation
OUT-4 loss SchemaFormat.description SchemaFormat.name SchemaFormat.strict
OUT-5 loss Output.verbosity
OUT-6 loss Output.audio Output.modalities Output.picture
PLC-1 info Turn.role=developer
PLC-15 loss Request.prefill
PLC-30 info TurnSettings.passing
REF-5 loss RefusalDetails.category RefusalDetails.explanation
RSN-12 loss Thinking.effort
RSN-2 loss Thinking.display=omitted
RSN-26 info Audio.seal FunctionCall.seal Image.seal Reasoning.seal Text.seal
RSN-3 loss [thinking_budgets] Thinking.budget
RSN-34 loss [thinking] Thinking.budget Thinking.effort Thinking.mode
RSN-4 loss Audio.seal FunctionCall.seal Image.seal Reasoning.seal Text.seal
RSN-6 loss Thinking.mode=between_tools
RSN-8 info Reasoning.summary
SCH-10 loss [strict_tools] FunctionTool.strict
SCH-2 info FunctionTool.parameters
SMP-3 loss Sampling.logit_bias Sampling.top_logprobs
SMP-3 loss [sampling] Sampling.temperature Sampling.top_k Sampling.top_p
SMP-6 info Sampling.candidates SearchResult.cite Service.tier=auto|standard Thinking.mode=adaptive
SMP-6 info Thinking.display=summarized AllowedChoice.mode=auto
SMP-6 info [thinking] Thinking.display Thinking.mode=disabled
SMP-7 loss LogProbs.refusal ScoredToken.top
STR-13 info Streaming.obfuscation
STS-13 error Terminal.reason=unfinished|failed
STS-3 loss Terminal.reason=content_filter Terminal.reason=context_window|refusal
STS-5 loss Terminal.reason=pause
STS-8 loss Terminal.stop_sequence
SVC-1 loss Service.fast Service.tier=priority|flex|scale|batch
SVC-2 loss Service.store
TUL-14 info ToolResult.is_error
TUL-68 loss [forced_choice] AllowedChoice.mode=required Choice.mode=required
TUL-68 loss [tool_choice] AllowedChoice.mode=required Choice.mode=required
TUL-7 loss Choice.mode=validated
PLC-62 error Request.summary
TUL-9 loss Request.hosted_calls Request.parallel_tools
USE-3 info Usage.total
USE-4 info Usage.cache_write Usage.details Usage.reasoning
USR-2 info Service.end_user Service.user
USR-3 info Service.metadata
USR-4 loss Turn.name
"""

SOMETIMES = """
CAC-8  error Request.max_tokens
CHO-2 error Sampling.candidates
DOC-1 loss SearchResult.cite
ERR-6 info Error.code
ERR-7 info Error.message
ERR-9 info Error.message
RSN-10 loss Audio.seal FunctionCall.seal Image.seal Reasoning.seal Text.seal
RSN-11 loss Audio.seal FunctionCall.seal Image.seal Reasoning.seal Text.seal
RSN-6 loss Thinking.budget Thinking.effort
SCH-2 info FunctionTool.parameters
SMP-14 loss [high_temperature] Sampling.temperature
SMP-2 loss Sampling.frequency_penalty Sampling.presence_penalty Sampling.top_k Sampling.top_p
SMP-6 info Caching.automatic Document.cite Output.modalities Output.verbosity Request.parallel_tools
SMP-6 info Sampling.logit_bias Sampling.logprobs Sampling.stop Sampling.top_k Sampling.top_logprobs
SMP-6 info SchemaFormat.strict Service.fast Service.store
SMP-6 info [strict_tools] FunctionTool.strict
STR-13 info Streaming.usage
TUL-13 info FunctionCall.id ToolResult.call_id
TUL-25 info FunctionCall.namespace FunctionTool.namespace NamedChoice.namespace
TUL-26 info FunctionCall.name FunctionTool.name
TUL-4 loss ToolResult.is_error
TUL-46 info FunctionCall.id ToolResult.call_id
TUL-48 info FunctionCall.name
TUL-5 error ToolResult.name
TUL-6 loss AllowedChoice.tools
TUL-65 info ToolResult.is_error
TUL-70 loss NamedChoice.name
"""

SOMETIMES_PLACES = """
DOC-3 loss tool-result/Document user/Document
ENV-7 info assistant/Reasoning
IMG-4 loss assistant/Audio
OUT-3 loss format/SchemaFormat
CAC-4 info assistant/VendorPart instructions/VendorPart tools/UnknownTool user/VendorPart
CIT-1 loss assistant/VendorPart tool-result/VendorPart user/VendorPart
PLC-3 error user/VendorPart
PLC-60 info instructions/VendorPart tools/HostedTool
PLC-61 loss user/VendorPart
PLC-62 error assistant/VendorPart
RSN-10 loss assistant/Reasoning
RSN-11 loss assistant/Reasoning
RSN-26 info assistant/Reasoning
RSN-4 loss assistant/Reasoning
SMP-6 info tool-choice/Choice
SRC-1 error user/VendorPart
SRC-3 error image-source/Url tool-result/Document user/Document
SRC-4 info image-source/Inline
TUL-38 info assistant/HostedCall assistant/HostedResult tools/HostedTool
TUL-42 info tool-result/VendorPart
TUL-71 loss assistant/ClientCall assistant/ClientResult tools/ClientTool
"""

PLACES = {
    "instructions": (
        "TUL-6 loss ToolChange; "
        "PLC-3 error Audio ClientCall ClientResult CodeCall CodeResult CustomCall Document FunctionCall HostedCall; "
        "PLC-3 error HostedResult Image McpCall McpResult Reasoning Reference Refusal SearchResult ToolResult Video; "
        "PLC-3 error WebSearchCall WebSearchResult; "
        "TUL-6 loss VendorPart; "
        "UNK-5 error UnknownPart"
    ),
    "user": (
        "TUL-6 loss ToolChange; "
        "AUD-1 error Audio; "
        "CTX-1 loss VendorPart; "
        "DOC-4 loss SearchResult; "
        "PLC-3 error CustomCall FunctionCall Reasoning Refusal; "
        "R2A-3 error Reference; "
        "TUL-6 loss ClientCall ClientResult CodeCall CodeResult HostedCall HostedResult McpCall McpResult; "
        "TUL-6 loss WebSearchCall WebSearchResult; "
        "UNK-5 error UnknownPart; "
        "VID-1 error Video"
    ),
    "assistant": (
        "TUL-6 loss ToolChange; "
        "AUD-3 loss Audio; "
        "CTX-1 loss VendorPart; "
        "IMG-4 loss Image Video; "
        "PLC-3 error Document SearchResult ToolResult; "
        "R2A-3 error Reference; "
        "REF-7 loss Refusal; "
        "TUL-2 error CustomCall; "
        "TUL-34 loss ClientCall ClientResult; "
        "TUL-6 loss CodeCall CodeResult HostedCall HostedResult McpCall McpResult WebSearchCall WebSearchResult; "
        "UNK-2 loss UnknownPart"
    ),
    "tool": (
        "PLC-3 error ToolChange; "
        "PLC-3 error Audio ClientCall ClientResult CodeCall CodeResult CustomCall Document FunctionCall HostedCall; "
        "PLC-3 error HostedResult Image McpCall McpResult Reasoning Reference Refusal SearchResult Text UnknownPart; "
        "PLC-3 error VendorPart Video WebSearchCall WebSearchResult"
    ),
    "tool result": (
        "TUL-6 loss ToolChange; "
        "AUD-1 error Audio; "
        "DOC-4 loss SearchResult; "
        "PLC-3 error CustomCall FunctionCall Reasoning Reference Refusal ToolResult; "
        "TUL-6 loss ClientCall ClientResult CodeCall CodeResult HostedCall HostedResult McpCall McpResult; "
        "TUL-6 loss VendorPart WebSearchCall WebSearchResult; "
        "UNK-5 error UnknownPart; "
        "VID-1 error Video"
    ),
    "nested": (
        "PLC-3 error ToolChange; "
        "PLC-3 error Audio ClientCall ClientResult CodeCall CodeResult CustomCall Document FunctionCall HostedCall; "
        "PLC-3 error HostedResult McpCall McpResult Reasoning Reference Refusal SearchResult ToolResult UnknownPart; "
        "PLC-3 error VendorPart Video WebSearchCall WebSearchResult"
    ),
    "image source": ("PLC-3 error Chunks PlainText; SRC-1 error FileRef"),
    "audio source": ("AUD-2 loss Inline Url; AUD-3 loss Chunks FileRef PlainText"),
    "document source": ("SRC-1 error FileRef"),
    "citations": ("CIT-1 loss DocumentCitation SourceCitation"),
    "tools": (
        "TUL-2 error CustomTool; "
        "TUL-25 info ToolGroup; "
        "TUL-34 loss ClientTool; "
        "TUL-6 loss CodeTool HostedTool McpServer McpToolset WebSearchTool; "
        "UNK-3 loss UnknownTool"
    ),
    "tool choice": ("TUL-11 error CodeChoice HostedChoice WebSearchChoice; TUL-2 error CustomChoice"),
    "format": ("OUT-13 info EnumFormat"),
}

CELLS = """
Request 0/6
Sampling 6/11
Thinking 10/13
Output 0/4
PlainFormat 0/0
JsonFormat 0/0
SchemaFormat 2/4
EnumFormat 0/1
Caching 0/4
Service 0/12
Streaming 1/3
FunctionTool 2/6
Choice 2/4
NamedChoice 1/2
AllowedChoice 1/5
Turn 0/7
TurnSettings 0/1
Text 0/3
Image 1/3
Audio 0/5
Document 3/4
SearchResult 0/4
FunctionCall 0/6
ToolResult 0/4
Reasoning 0/3
Refusal 0/1
VendorPart 0/2
Inline 0/2
Url 0/2
PlainText 2/2
Chunks 0/0
UrlCitation 0/6
Response 1/12
Candidate 1/1
LogProbs 0/1
ScoredToken 3/5
Terminal 1/14
RefusalDetails 1/2
Usage 3/7
Error 5/20
instructions 0/50
user 2/50
assistant 0/50
tool 0/50
tool-result 2/50
nested 0/50
image-source 2/10
audio-source 0/10
document-source 0/10
citations 2/6
tools 0/20
tool-choice 4/14
format 2/8
"""

TOTAL = "60/570"

UNREACHED = {
    ("cohere_v2_chat", "Image.seal", "", "RSN-4"): "no image is answered",
    ("cohere_v2_chat", "Audio.seal", "", "RSN-26"): "no recording is sent",
}
