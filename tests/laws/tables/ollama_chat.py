"""What Ollama's `/api/chat` does not have in common with the source, rule by rule (see the package's text)."""

from typing import Any

from proxai_ir import ir

FIELDS = """
AUD-2 loss Audio.id Audio.expires_at
CAC-4 info FunctionTool.cache Text.cache Image.cache Audio.cache Document.cache SearchResult.cache FunctionCall.cache
CAC-4 info ToolResult.cache
CAC-5 info Caching.automatic Caching.lifetime Caching.key Caching.retention
ENV-1 info Inline.mime PlainText.mime Response.id Response.fingerprint ScoredToken.id Terminal.message
ENV-1 info Error.request_id Error.status
ENV-11 info Response.metadata
ENV-3 info Response.tier Response.fast
ERR-2 loss Error.type Error.code Error.param Error.retry_after
ERR-3 info Error.category=unknown
ERR-5 info Error.verbatim
IMG-1 loss Image.detail
MOD-1 loss Service.moderation
OUT-4 loss SchemaFormat.name SchemaFormat.description SchemaFormat.strict
OUT-5 loss Output.verbosity
OUT-6 loss Output.modalities Output.audio Output.picture
PLC-1 info Turn.role=developer
PLC-30 info TurnSettings.passing
REF-5 loss RefusalDetails.explanation RefusalDetails.category
RSN-12 loss [efforts] Thinking.effort Thinking.budget
RSN-2 loss Thinking.display=omitted
RSN-23 loss Thinking.effort=xhigh
RSN-23 loss [highest_effort=high] Thinking.effort=xhigh|max
RSN-23 loss [highest_effort=medium] Thinking.effort=high|xhigh|max
RSN-23 loss [highest_effort=xhigh] Thinking.effort=max
RSN-26 info Text.seal Image.seal Audio.seal FunctionCall.seal Reasoning.seal
RSN-3 loss Thinking.budget
RSN-32 loss Thinking.effort=minimal
RSN-32 loss [least_effort=high] Thinking.effort=minimal|low|medium
RSN-32 loss [least_effort=low] Thinking.effort=minimal
RSN-32 loss [least_effort=medium] Thinking.effort=minimal|low
RSN-33 loss [thinking_off,least_effort=high] Thinking.mode=disabled
RSN-33 loss [thinking_off,least_effort=low] Thinking.mode=disabled
RSN-33 loss [thinking_off,least_effort=medium] Thinking.mode=disabled
RSN-33 loss [thinking_off,least_effort=minimal] Thinking.mode=disabled
RSN-34 loss [thinking] Thinking.mode Thinking.effort Thinking.budget
RSN-4 loss Text.seal Image.seal Audio.seal FunctionCall.seal Reasoning.seal
RSN-6 loss Thinking.mode=between_tools
RSN-6 loss [thinking_off,least_effort=unstated] Thinking.mode=disabled
RSN-8 info Reasoning.summary
SCH-10 loss FunctionTool.strict
SCH-2 info FunctionTool.parameters
SMP-3 loss Sampling.logit_bias
SMP-6 info Sampling.candidates Service.tier=auto|standard Document.cite SearchResult.cite AllowedChoice.mode=auto
SMP-6 info Thinking.display=summarized
SMP-6 info [thinking] Thinking.mode=disabled Thinking.display
SMP-7 loss LogProbs.refusal
SMP-7 loss [logprobs] Sampling.logprobs Sampling.top_logprobs
STR-13 info Streaming.obfuscation
STS-13 error Terminal.reason=unfinished|failed
STS-3 loss Terminal.reason=stop_sequence|content_filter Terminal.reason=context_window|refusal
STS-5 loss Terminal.reason=pause
STS-8 loss Terminal.stop_sequence
SVC-1 loss Service.tier=priority|flex|scale|batch Service.fast
SVC-2 loss Service.store
TUL-14 info ToolResult.is_error
TUL-68 loss AllowedChoice.mode=required
PLC-62 error Request.summary
TUL-9 loss Request.parallel_tools Request.hosted_calls
USE-3 info Usage.total
USE-4 info Usage.cache_write Usage.details Usage.reasoning
USR-2 info Service.end_user Service.user
USR-3 info Service.metadata
USR-4 loss Turn.name
"""

RUN = "HostedCall HostedResult WebSearchCall WebSearchResult McpCall McpResult CodeCall CodeResult"
MEDIA = "Audio Video Document SearchResult"
CALLS = "FunctionCall CustomCall"
TEXTS = "Reasoning Refusal Reference"

PLACES = {
    "instructions": (
        "TUL-6 loss ToolChange; "
        f"PLC-3 error Image {MEDIA} {CALLS} ClientCall ClientResult {RUN} ToolResult {TEXTS}; "
        "TUL-6 loss VendorPart; "
        "UNK-5 error UnknownPart"
    ),
    "user": (
        "TUL-6 loss ToolChange; "
        "AUD-1 error Audio; "
        "CTX-1 loss VendorPart; "
        "DOC-4 loss SearchResult; "
        "DOC-6 info Document; "
        f"PLC-3 error Reasoning Refusal {CALLS}; "
        "R2A-3 error Reference; "
        f"TUL-6 loss ClientCall ClientResult {RUN}; "
        "UNK-5 error UnknownPart; "
        "VID-1 error Video"
    ),
    "assistant": (
        "TUL-6 loss ToolChange; "
        "AUD-3 loss Audio; "
        "CTX-1 loss VendorPart; "
        "IMG-4 loss Image Video; "
        "PLC-3 error ToolResult Document SearchResult; "
        "R2A-3 error Reference; "
        "REF-7 loss Refusal; "
        "TUL-2 error CustomCall; "
        "TUL-34 loss ClientCall ClientResult; "
        f"TUL-6 loss {RUN}; "
        "UNK-2 loss UnknownPart"
    ),
    "tool": (
        "PLC-3 error ToolChange; "
        f"PLC-3 error Text Image {MEDIA} {CALLS} ClientCall ClientResult {RUN} {TEXTS} VendorPart UnknownPart"
    ),
    "tool result": (
        "TUL-6 loss ToolChange; "
        "AUD-1 error Audio; "
        "DOC-4 loss SearchResult; "
        "DOC-6 info Document; "
        f"PLC-3 error ToolResult {TEXTS} {CALLS}; "
        f"TUL-6 loss ClientCall ClientResult {RUN} VendorPart; "
        "UNK-5 error UnknownPart; "
        "VID-1 error Video"
    ),
    "nested": (
        "PLC-3 error ToolChange; "
        f"PLC-3 error {MEDIA} {CALLS} ClientCall ClientResult {RUN} ToolResult {TEXTS} VendorPart UnknownPart"
    ),
    "image source": "PLC-3 error PlainText Chunks; SRC-1 error FileRef; SRC-2 error Url",
    "audio source": "AUD-2 loss Inline Url; AUD-3 loss FileRef PlainText Chunks",
    "document source": "PLC-3 error Inline Url Chunks; SRC-1 error FileRef",
    "citations": "CIT-1 loss UrlCitation SourceCitation DocumentCitation",
    "tools": (
        "TUL-2 error CustomTool; "
        "TUL-25 info ToolGroup; "
        "TUL-34 loss ClientTool; "
        "TUL-6 loss HostedTool WebSearchTool CodeTool McpServer McpToolset; "
        "UNK-3 loss UnknownTool"
    ),
    "tool choice": (
        "TUL-11 error HostedChoice WebSearchChoice CodeChoice; TUL-2 error CustomChoice; TUL-68 loss Choice NamedChoice"
    ),
    "format": "OUT-13 info EnumFormat; SMP-6 info PlainFormat",
}

SOMETIMES = """
CAC-8  error Request.max_tokens
CHO-2 error Sampling.candidates
DOC-1 loss Document.cite SearchResult.cite
ENV-1 info Response.created
ERR-7 info Error.message
ERR-9 info Error.message
IMG-2 info Image.detail
IMG-71 loss Inline.mime
RSN-10 loss Text.seal Image.seal Audio.seal FunctionCall.seal Reasoning.seal
RSN-11 loss Text.seal Image.seal Audio.seal FunctionCall.seal Reasoning.seal
SCH-2 info FunctionTool.parameters
RSN-3 loss Thinking.budget
RSN-6 loss Thinking.effort
SMP-6 info Request.parallel_tools Sampling.stop Sampling.logit_bias Thinking.mode=enabled|adaptive Output.verbosity
SMP-6 info Output.modalities SchemaFormat.strict Caching.automatic Service.fast Service.store FunctionTool.strict
STR-13 info Streaming.usage
TUL-13 info FunctionCall.id ToolResult.call_id
TUL-25 info FunctionTool.namespace FunctionCall.namespace
TUL-26 info FunctionTool.name FunctionCall.name
TUL-4 loss ToolResult.is_error
TUL-46 info FunctionCall.id ToolResult.call_id
TUL-48 info FunctionCall.name
TUL-6 loss AllowedChoice.tools
TUL-65 info ToolResult.is_error
TUL-69 loss Request.tools
"""

SOMETIMES_PLACES = """
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
TUL-15 info tool-choice/Choice
TUL-38 info assistant/HostedCall assistant/HostedResult tools/HostedTool
TUL-42 info tool-result/VendorPart
TUL-71 loss assistant/ClientCall assistant/ClientResult tools/ClientTool
"""

CELLS = """
Request 2/7
Sampling 6/11
Thinking 12/13
Output 0/4
JsonFormat 0/0
SchemaFormat 2/4
EnumFormat 0/1
Caching 0/4
Service 0/12
Streaming 1/3
FunctionTool 1/6
AllowedChoice 2/5
Turn 0/7
TurnSettings 0/1
Text 0/3
Image 0/3
Audio 0/5
Document 2/4
SearchResult 0/4
FunctionCall 0/6
ToolResult 1/4
Reasoning 0/3
Refusal 0/1
VendorPart 0/2
Inline 1/2
PlainText 1/2
Response 2/12
Candidate 1/1
LogProbs 0/1
ScoredToken 1/5
Terminal 2/14
RefusalDetails 1/2
Usage 3/7
Error 4/20
instructions 0/50
user 2/50
assistant 0/50
tool 0/50
tool-result 2/50
nested 0/50
image-source 4/10
audio-source 0/10
document-source 6/10
citations 0/6
tools 0/20
tool-choice 4/14
format 4/8
"""
TOTAL = "67/557"

UNREACHED = {
    ("ollama_chat", "Inline.mime", "", "ENV-1"): "the data of the examples does not show its type (IMG-71)",
    ("ollama_chat", "Image.seal", "", "RSN-4"): "no image is answered",
    ("ollama_chat", "Audio.seal", "", "RSN-26"): "no recording is sent",
}
WITH: dict[tuple[type, str], list[dict[str, Any]]] = {
    (ir.Request, "tools"): [{"tool_choice": ir.Choice(ir.ChoiceMode.NONE)}],
}
