"""The intermediate representation: what LLM protocols can express, named after no vendor (spec/ir.md).

Plain slots classes, mostly built by position. Nodes have two bookkeeping slots that are not features: `src`, the object
of the source that a node was read from, and `extra`, what only its own protocol can use (node.py).
"""

from .calls import ClientCall as ClientCall, ClientResult as ClientResult, CodeCall as CodeCall, CodeResult as CodeResult, only_texts as only_texts, only_wording as only_wording, texts_of as texts_of, wording as wording
from .citations import Citation as Citation, CitationUnit as CitationUnit, DocumentCitation as DocumentCitation, SourceCitation as SourceCitation, UrlCitation as UrlCitation
from .error import Error as Error, ErrorCategory as ErrorCategory, by_status as by_status
from .logprobs import LogProbs as LogProbs, ScoredToken as ScoredToken
from .node import Cache as Cache, Extra as Extra
from .parts import ALL_SEALED as ALL_SEALED, Audio as Audio, BOOKKEEPING as BOOKKEEPING, CALLS as CALLS, COMPACT as COMPACT, Chunks as Chunks, CustomCall as CustomCall, Document as Document, FileRef as FileRef, FunctionCall as FunctionCall, HostedCall as HostedCall, HostedResult as HostedResult, Image as Image, Inline as Inline, MARK as MARK, McpCall as McpCall, McpResult as McpResult, Part as Part, PlainText as PlainText, Reasoning as Reasoning, Reference as Reference, Refusal as Refusal, SEALED as SEALED, SUMMARY as SUMMARY, SearchResult as SearchResult, Source as Source, Text as Text, ToolResult as ToolResult, UnknownPart as UnknownPart, Url as Url, VendorPart as VendorPart, Video as Video, WORDING as WORDING, WebHit as WebHit, WebSearchCall as WebSearchCall, WebSearchResult as WebSearchResult, one_text as one_text
from .request import Caching as Caching, Request as Request, Sampling as Sampling, Service as Service, Streaming as Streaming, Summary as Summary, Tier as Tier
from .response import Candidate as Candidate, Response as Response
from .settings import Display as Display, Effort as Effort, EnumFormat as EnumFormat, Format as Format, JsonFormat as JsonFormat, Output as Output, PlainFormat as PlainFormat, SchemaFormat as SchemaFormat, Speech as Speech, Thinking as Thinking, ThinkingMode as ThinkingMode
from .terminal import CONTENT_FILTER as CONTENT_FILTER, PAUSE as PAUSE, REFUSAL as REFUSAL, RefusalDetails as RefusalDetails, StopReason as StopReason, Terminal as Terminal
from .tools import AllowedChoice as AllowedChoice, Choice as Choice, ChoiceMode as ChoiceMode, ClientTool as ClientTool, CodeChoice as CodeChoice, CodeTool as CodeTool, CustomChoice as CustomChoice, CustomTool as CustomTool, FreeText as FreeText, FunctionTool as FunctionTool, Grammar as Grammar, HostedChoice as HostedChoice, HostedTool as HostedTool, InputFormat as InputFormat, KINDS as KINDS, Location as Location, McpServer as McpServer, McpToolset as McpToolset, NamedChoice as NamedChoice, Tool as Tool, ToolChange as ToolChange, ToolChoice as ToolChoice, ToolGroup as ToolGroup, UnknownFormat as UnknownFormat, UnknownTool as UnknownTool, WebSearchChoice as WebSearchChoice, WebSearchTool as WebSearchTool, allowed as allowed, excluded as excluded, lone_search as lone_search
from .turns import ASSISTANT as ASSISTANT, DEVELOPER as DEVELOPER, Role as Role, SYSTEM as SYSTEM, TOOL as TOOL, Turn as Turn, TurnSettings as TurnSettings, USER as USER
from .usage import Usage as Usage
