"""Rows of targets' tables that hold where a condition does, or that a pass acts on: the other part of rows.py."""

from __future__ import annotations

FIELDS = """
CAC-3  info  ACR  Caching.lifetime Cache.ttl
CAC-4  info  CR   SearchResult.cache
CAC-4  info  R    ToolResult.cache
CAC-5  info  A    Caching.lifetime
CAC-8  error GC   Request.max_tokens
CAC-8  error R    [cache_breakpoints] Request.max_tokens
CHO-2  error AR   Sampling.candidates
CHO-2  error GC   [several_candidates] Sampling.candidates
DOC-1  loss  GCR  Document.title Document.cite SearchResult.cite
ENV-1  info  AG   PlainText.mime
ENV-1  info  C    ToolResult.name
ENV-3  info  CR   Response.tier Response.fast
ENV-7  info  A    McpServer.http_headers
ENV-7  info  G    WebHit.seal
ENV-7  info  R    CodeResult.exit_code
ERR-2  loss  G    Error.code
ERR-6  info  AG   Error.code
ERR-7  info  AG   Error.message
ERR-8  info  CR   Error.code
ERR-9  info  AGCR Error.message
IMG-1  loss  G    Image.detail
IMG-2  info  AG   Image.detail
OUT-6  loss  C    Output.modalities
OUT-6  loss  G    Speech.voice Speech.speakers
PLC-19 loss  AG   [prefill] Request.prefill
PLC-3  error A    SearchResult.parts
RSN-10 loss  AGCR Text.seal Image.seal Audio.seal FunctionCall.seal Reasoning.seal
RSN-10 loss  CR   CustomCall.seal
RSN-11 loss  AGCR Text.seal Image.seal Audio.seal FunctionCall.seal Reasoning.seal
RSN-11 loss  CR   CustomCall.seal
RSN-2  loss  A    Thinking.display
RSN-2  loss  A    [effort] Thinking.display
RSN-2  loss  A    [adaptive_thinking] Thinking.display
RSN-21 loss  G    [effort] Thinking.budget
RSN-26 info  AGCR Reasoning.seal
RSN-26 info  C    CustomCall.seal
RSN-26 info  G    Image.seal Audio.seal
RSN-26 info  GC   Text.seal FunctionCall.seal
RSN-3  loss  G    Thinking.budget
RSN-31 loss  G    Text.seal Image.seal Audio.seal FunctionCall.seal Reasoning.seal
RSN-4  loss  AGCR Reasoning.seal
RSN-4  loss  C    CustomCall.seal
RSN-4  loss  G    Image.seal Audio.seal
RSN-4  loss  GC   Text.seal FunctionCall.seal
RSN-6  loss  AG   Thinking.budget
RSN-6  loss  GCR  Thinking.effort
RSN-6  loss  A    [thinking_off] Thinking.effort
SCH-1  loss  A    FunctionTool.strict
SCH-2  info  CR   FunctionTool.parameters
SCH-3  error A    FunctionTool.parameters
SCH-4  error A    FunctionTool.parameters
SCH-5  error CR   SchemaFormat.schema
SCH-9  loss  A    FunctionTool.parameters
SCH-9  loss  CR   [composed_parameters] FunctionTool.parameters
SMP-14 loss  C    [high_temperature] Sampling.temperature
SMP-14 loss  AC   [zero_temperature] Sampling.temperature
SMP-2  loss  A    Sampling.stop
SMP-2  loss  AG   Sampling.temperature
SMP-2  loss  G    Sampling.seed Sampling.top_logprobs
SMP-5  loss  GC   Sampling.stop
SMP-6  info  A    Thinking.display Service.store
SMP-6  info  AG   Output.verbosity SchemaFormat.strict Caching.automatic WebSearchTool.context_size
SMP-6  info  AGCR Sampling.frequency_penalty Sampling.presence_penalty Sampling.logit_bias Sampling.logprobs
SMP-6  info  AGCR Sampling.top_logprobs
SMP-6  info  AGR  Sampling.temperature Output.modalities
SMP-6  info  AGCR Sampling.top_k
SMP-6  info  AR   Sampling.top_p
SMP-6  info  ACR  WebSearchTool.searches
SMP-6  info  ACR  [parallel_tools] Request.parallel_tools
SMP-6  info  C    [openai_settings] Service.fast Service.store
SMP-6  info  C    [own_sampling] Sampling.temperature Sampling.top_p
SMP-6  info  C    [service_tiers] Service.fast
SMP-6  info  A    [fast_mode] Service.fast
SMP-6  info  C    [speech] Output.modalities
SMP-6  info  C    [store] Service.store
SMP-6  info  ACR  [strict_tools] FunctionTool.strict
SMP-6  info  G    Request.parallel_tools Thinking.mode=enabled|adaptive Thinking.mode=enabled FunctionTool.strict
SMP-6  info  G    [store] Service.store
SMP-6  info  GC   Sampling.candidates
SMP-6  info  GCR  Sampling.stop Service.fast
SMP-6  info  R    Sampling.seed
SMP-7  loss  R    Candidate.logprobs
SMP-8  loss  A    [temperature_with_top_p] Sampling.top_p
SMP-3  loss  CR   [token_limit] Request.max_tokens
SMP-9  loss  R    Request.max_tokens
STR-13 info  AGR  Streaming.usage
STS-3  loss  A    Terminal.reason=content_filter
SVC-1  loss  CR   Service.tier
TUL-13 info  AGCR FunctionCall.id ToolResult.call_id
TUL-13 info  AR   WebSearchCall.id WebSearchResult.call_id McpCall.id McpResult.call_id CodeCall.id
TUL-13 info  AR   CodeResult.call_id
TUL-13 info  CR   CustomCall.id
TUL-9  loss  G    WebSearchTool.searches
TUL-9  loss  G    [enterprise_search] WebSearchTool.searches
TUL-14 info  G    ToolResult.is_error
TUL-22 loss  A    WebSearchCall.queries
TUL-22 loss  R    WebSearchResult.hits
TUL-25 info  AGCR FunctionTool.namespace FunctionCall.namespace NamedChoice.namespace
TUL-25 info  CR   CustomTool.namespace CustomCall.namespace CustomChoice.namespace
TUL-26 info  AGCR FunctionTool.name FunctionCall.name
TUL-26 info  CR   CustomTool.name CustomCall.name
TUL-39 loss  G    CodeResult.stderr CodeResult.exit_code
TUL-4  loss  CR   ToolResult.is_error
TUL-64 info  GR   CodeCall.language
TUL-65 info  CR   ToolResult.is_error
TUL-34 loss  AG   ClientTool.kind ClientTool.raw ClientTool.function ClientTool.own_calls
TUL-41 loss  AGR  HostedTool.kind HostedTool.name HostedTool.raw
TUL-46 info  AGCR FunctionCall.id ToolResult.call_id
TUL-46 info  CR   CustomCall.id
TUL-48 info  AGCR FunctionCall.name
TUL-48 info  CR   CustomCall.name
TUL-5  error AGR  ToolResult.name
TUL-6  loss  AGC  AllowedChoice.tools
USR-3  info  C    [unstored_metadata] Service.metadata
USR-3  info  AGCR Service.metadata
USR-4  loss  C    [system_in_place] Turn.name
USR-5  info  ACR  Service.end_user
"""
PLACES = """
DOC-2  info  CR   user/Document tool-result/Document
DOC-3  loss  GCR  user/Document tool-result/Document
DOC-6  info  C    [other_documents] user/Document tool-result/Document
DOC-7  loss  C    user/Document tool-result/Document
ENV-7  info  AGCR assistant/Reasoning
IMG-4  loss  AGCR assistant/Audio
IMG-4  loss  GCR  assistant/Image
OUT-3  loss  A    format/SchemaFormat
CAC-4  info  AGCR assistant/VendorPart instructions/VendorPart tools/UnknownTool user/VendorPart
CIT-1  loss  AGCR assistant/VendorPart tool-result/VendorPart user/VendorPart
PLC-3  error AGCR user/VendorPart
PLC-60 info  AGCR instructions/VendorPart tools/HostedTool
PLC-61 loss  AGCR user/VendorPart
PLC-62 error AGCR assistant/VendorPart
RSN-10 loss  AGCR assistant/Reasoning
RSN-10 loss  R    [bare_reasoning] assistant/Reasoning
RSN-11 loss  AGCR assistant/Reasoning
RSN-11 loss  R    [bare_reasoning] assistant/Reasoning
RSN-26 info  AGCR assistant/Reasoning
RSN-26 info  C    [google_signatures] assistant/Reasoning
RSN-31 loss  G    assistant/Reasoning
RSN-4  loss  C    [google_signatures] assistant/Reasoning
RSN-4  loss  GCR  assistant/Reasoning
RSN-5  loss  A    assistant/Reasoning
RSN-5  loss  A    [unsigned_thinking] assistant/Reasoning
RSN-5  loss  R    [bare_reasoning] assistant/Reasoning
SRC-1  error G    audio-source/FileRef video-source/FileRef
SRC-1  error GCR  user/VendorPart document-source/FileRef
SRC-1  error GR   image-source/FileRef
SRC-3  error AGCR image-source/Inline image-source/Url document-source/Url
SRC-3  error AG   user/Document tool-result/Document
SRC-3  error C    [other_documents] user/Document tool-result/Document
SRC-3  error C    [other_audio] user/Audio tool-result/Audio
SRC-3  error G    audio-source/Inline audio-source/Url video-source/Inline video-source/Url document-source/Inline
SRC-4  info  AGCR image-source/Inline
SRC-4  info  G    image-source/Url
SRC-4  info  G    audio-source/Inline
SRC-4  info  AGCR document-source/Inline
SRC-5  info  G    image-source/Url video-source/Url document-source/Inline document-source/Url
TUL-22 loss  G    assistant/HostedCall assistant/HostedResult
TUL-38 info  AGCR tools/HostedTool assistant/HostedCall assistant/HostedResult
TUL-41 loss  AGR  tools/HostedTool
TUL-42 info  AGCR tool-result/VendorPart
TUL-9  loss  G    tools/HostedTool tools/ClientTool
TUL-71 loss  AGCR tools/ClientTool assistant/ClientResult
TUL-71 loss  AGC  assistant/ClientCall
"""
