"""The intermediate representation: what LLM protocols can express, named after no vendor (spec/ir.md).

Plain slots classes, mostly built by position. Nodes have two bookkeeping slots that are not features: `src`, the object
of the source that a node was read from, and `extra`, what only its own protocol can use (node.py).
"""

from .error import Error as Error
from .error import ErrorCategory as ErrorCategory
from .error import by_status as by_status
from .node import ByObject as ByObject
from .node import Cache as Cache
from .node import Extra as Extra
from .node import Joint as Joint
from .node import Seal as Seal
from .node import Several as Several
from .parts import (
    ALL_SEALED as ALL_SEALED,
)
from .parts import (
    BOOKKEEPING as BOOKKEEPING,
)
from .parts import (
    CALLS as CALLS,
)
from .parts import (
    COMPACT as COMPACT,
)
from .parts import (
    MARK as MARK,
)
from .parts import (
    SEALED as SEALED,
)
from .parts import (
    SUMMARY as SUMMARY,
)
from .parts import (
    WORDING as WORDING,
)
from .parts import (
    Audio as Audio,
)
from .parts import (
    Chunks as Chunks,
)
from .parts import (
    Citation as Citation,
)
from .parts import (
    CitationUnit as CitationUnit,
)
from .parts import (
    ClientCall as ClientCall,
)
from .parts import (
    ClientResult as ClientResult,
)
from .parts import (
    CodeCall as CodeCall,
)
from .parts import (
    CodeResult as CodeResult,
)
from .parts import (
    CustomCall as CustomCall,
)
from .parts import (
    Document as Document,
)
from .parts import (
    DocumentCitation as DocumentCitation,
)
from .parts import (
    FileRef as FileRef,
)
from .parts import (
    FunctionCall as FunctionCall,
)
from .parts import (
    HostedCall as HostedCall,
)
from .parts import (
    HostedResult as HostedResult,
)
from .parts import (
    Image as Image,
)
from .parts import (
    Inline as Inline,
)
from .parts import (
    McpCall as McpCall,
)
from .parts import (
    McpResult as McpResult,
)
from .parts import (
    Part as Part,
)
from .parts import (
    PlainText as PlainText,
)
from .parts import (
    Reasoning as Reasoning,
)
from .parts import (
    Reference as Reference,
)
from .parts import (
    Refusal as Refusal,
)
from .parts import (
    SearchResult as SearchResult,
)
from .parts import (
    Source as Source,
)
from .parts import (
    SourceCitation as SourceCitation,
)
from .parts import (
    Text as Text,
)
from .parts import (
    ToolResult as ToolResult,
)
from .parts import (
    UnknownPart as UnknownPart,
)
from .parts import (
    Url as Url,
)
from .parts import (
    UrlCitation as UrlCitation,
)
from .parts import (
    VendorPart as VendorPart,
)
from .parts import (
    Video as Video,
)
from .parts import (
    WebHit as WebHit,
)
from .parts import (
    WebSearchCall as WebSearchCall,
)
from .parts import (
    WebSearchResult as WebSearchResult,
)
from .parts import (
    one_text as one_text,
)
from .parts import (
    only_texts as only_texts,
)
from .parts import (
    only_wording as only_wording,
)
from .parts import (
    texts_of as texts_of,
)
from .parts import (
    wording as wording,
)
from .request import (
    ASSISTANT as ASSISTANT,
)
from .request import (
    DEVELOPER as DEVELOPER,
)
from .request import (
    SYSTEM as SYSTEM,
)
from .request import (
    TOOL as TOOL,
)
from .request import (
    USER as USER,
)
from .request import (
    Caching as Caching,
)
from .request import (
    Display as Display,
)
from .request import (
    Effort as Effort,
)
from .request import (
    EnumFormat as EnumFormat,
)
from .request import (
    Format as Format,
)
from .request import (
    JsonFormat as JsonFormat,
)
from .request import (
    Output as Output,
)
from .request import (
    PlainFormat as PlainFormat,
)
from .request import (
    Request as Request,
)
from .request import (
    Role as Role,
)
from .request import (
    Sampling as Sampling,
)
from .request import (
    SchemaFormat as SchemaFormat,
)
from .request import (
    Service as Service,
)
from .request import (
    Speech as Speech,
)
from .request import (
    Streaming as Streaming,
)
from .request import (
    Summary as Summary,
)
from .request import (
    Thinking as Thinking,
)
from .request import (
    ThinkingMode as ThinkingMode,
)
from .request import (
    Tier as Tier,
)
from .request import (
    Turn as Turn,
)
from .request import (
    TurnSettings as TurnSettings,
)
from .response import (
    CONTENT_FILTER as CONTENT_FILTER,
)
from .response import (
    PAUSE as PAUSE,
)
from .response import (
    REFUSAL as REFUSAL,
)
from .response import (
    Candidate as Candidate,
)
from .response import (
    Finish as Finish,
)
from .response import (
    FinishReason as FinishReason,
)
from .response import (
    LogProbs as LogProbs,
)
from .response import (
    RefusalDetails as RefusalDetails,
)
from .response import (
    Response as Response,
)
from .response import (
    ScoredToken as ScoredToken,
)
from .response import (
    StopReason as StopReason,
)
from .response import (
    Terminal as Terminal,
)
from .response import (
    Usage as Usage,
)
from .tools import (
    KINDS as KINDS,
)
from .tools import (
    AllowedChoice as AllowedChoice,
)
from .tools import (
    Choice as Choice,
)
from .tools import (
    ChoiceMode as ChoiceMode,
)
from .tools import (
    ClientTool as ClientTool,
)
from .tools import (
    CodeChoice as CodeChoice,
)
from .tools import (
    CodeTool as CodeTool,
)
from .tools import (
    CustomChoice as CustomChoice,
)
from .tools import (
    CustomTool as CustomTool,
)
from .tools import (
    FreeText as FreeText,
)
from .tools import (
    FunctionTool as FunctionTool,
)
from .tools import (
    Grammar as Grammar,
)
from .tools import (
    HostedChoice as HostedChoice,
)
from .tools import (
    HostedTool as HostedTool,
)
from .tools import (
    InputFormat as InputFormat,
)
from .tools import (
    Location as Location,
)
from .tools import (
    McpServer as McpServer,
)
from .tools import (
    McpToolset as McpToolset,
)
from .tools import (
    NamedChoice as NamedChoice,
)
from .tools import (
    Tool as Tool,
)
from .tools import (
    ToolChange as ToolChange,
)
from .tools import (
    ToolChoice as ToolChoice,
)
from .tools import (
    ToolGroup as ToolGroup,
)
from .tools import (
    UnknownFormat as UnknownFormat,
)
from .tools import (
    UnknownTool as UnknownTool,
)
from .tools import (
    WebSearchChoice as WebSearchChoice,
)
from .tools import (
    WebSearchTool as WebSearchTool,
)
from .tools import (
    allowed as allowed,
)
from .tools import (
    excluded as excluded,
)
from .tools import (
    lone_search as lone_search,
)
