"""IR trees by hand, one for each class of the IR: the tree, and the node of that class where targets accept it.

Fields that only mean something with others have those others set. Nothing here comes from a protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir.ir import parts, request, response, terminal, tools, turns, usage
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.ir.logprobs import LogProbs, ScoredToken
from proxai_ir.ir.node import Cache, Seal
from proxai_ir.ir.turns import Role, Turn

Specimen = tuple[Any, Any]

USER, ASSISTANT, TOOL = Role.USER, Role.ASSISTANT, Role.TOOL
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def hello() -> Turn:
    return Turn(USER, [parts.Text("Hello")])


def asked(**members: Any) -> request.Request:
    made = request.Request(None, "m", [hello()], max_tokens=9)
    for name, value in members.items():
        setattr(made, name, value)
    return made


def setting(name: str, node: Any) -> Specimen:
    return asked(**{name: node}), node


def tool(node: Any) -> Specimen:
    return asked(tools=[node]), node


def custom_tool(node: Any) -> Specimen:
    return asked(tools=[tools.CustomTool("f", None, node)]), node


def choice(node: Any) -> Specimen:
    defined = [tools.FunctionTool("f", "d", dict(SCHEMA)), tools.FunctionTool("g", "d", dict(SCHEMA))]
    return asked(tools=defined, tool_choice=node), node


def searching_choice() -> Specimen:
    node = tools.WebSearchChoice()
    return asked(tools=[tools.WebSearchTool("s")], tool_choice=node), node


def called_in_response(node: Any) -> Specimen:
    root = responded()
    root.candidates[0].turns[0].parts = [node]
    return root, node


def in_turn(role: Role, node: Any, *before: Turn) -> Specimen:
    return asked(turns=[*(before or (hello(),)), Turn(role, [node, parts.Text("more")])]), node


def source(part: Callable[[Any], Any], node: Any) -> Specimen:
    return asked(turns=[Turn(USER, [part(node)])]), node


def call() -> parts.FunctionCall:
    return parts.FunctionCall("c", "f", {"a": 1})


def called() -> Specimen:
    node = call()
    return asked(turns=[hello(), Turn(ASSISTANT, [node]), Turn(TOOL, [parts.ToolResult("c", [parts.Text("r")])])]), node


def custom_called() -> Specimen:
    node = parts.CustomCall("c", "f", "x")
    return asked(turns=[hello(), Turn(ASSISTANT, [node]), Turn(TOOL, [parts.ToolResult("c", [parts.Text("r")])])]), node


def result(inner: Any = None) -> Specimen:
    """A result, or a part of one."""
    node = parts.ToolResult("c", [parts.Text("r"), *([inner] if inner else ())])
    return asked(turns=[hello(), Turn(ASSISTANT, [call()]), Turn(TOOL, [node])]), inner or node


def responded(*content: Any, reason: terminal.StopReason = terminal.StopReason.END) -> response.Response:
    candidate = response.Candidate(
        [Turn(ASSISTANT, list(content) or [parts.Text("Hi")])], terminal.Terminal(reason, "w")
    )
    return response.Response(None, "id", "m", [candidate], usage.Usage(1, None, None, 2))


def whole(node: Any) -> Specimen:
    return node, node


def cached() -> Specimen:
    node = Cache(3600)
    return asked(turns=[Turn(USER, [parts.Text("Hello", None, node)])]), node


def formatted(node: Any) -> Specimen:
    return asked(output=request.Output(node)), node


def located() -> Specimen:
    node = tools.Location()
    return asked(tools=[tools.WebSearchTool("s", node)]), node


def spoken() -> Specimen:
    node = parts.Audio(parts.Inline("aGk=", None), "words", "id", 5)
    return responded(node), node


def cited(node: Any) -> Specimen:
    return responded(parts.Text("Hello world", [node])), node


def searched() -> tuple[response.Response, parts.WebSearchCall, parts.WebSearchResult]:
    call = parts.WebSearchCall("s_1", ["tides"])
    hit = parts.WebHit("https://e.com", "T", None, Seal("anthropic", "content", "eA=="))
    found = parts.WebSearchResult("s_1", [hit])
    return responded(call, found, parts.Text("Hi")), call, found


def searching() -> Specimen:
    root, node, _ = searched()
    return root, node


def found() -> Specimen:
    root, _, node = searched()
    return root, node


def hit() -> Specimen:
    root, _, node = searched()
    return root, node.hits[0]


def attended() -> tuple[response.Response, parts.McpCall, parts.McpResult]:
    call = parts.McpCall("m_1", "wiki", "ask", {"topic": "tides"})
    gave = parts.McpResult("m_1", "The moon.")
    return responded(call, gave, parts.Text("Hi")), call, gave


def executed() -> tuple[response.Response, parts.CodeCall, parts.CodeResult]:
    call = parts.CodeCall("r_1", "print(1)", "python")
    wrote = parts.CodeResult("r_1", "python", "1", None, 0)
    return responded(call, wrote, parts.Text("Hi")), call, wrote


def ran() -> Specimen:
    root, node, _ = executed()
    return root, node


def wrote() -> Specimen:
    root, _, node = executed()
    return root, node


def served() -> Specimen:
    root, node, _ = attended()
    return root, node


def gave() -> Specimen:
    root, _, node = attended()
    return root, node


def ended() -> Specimen:
    root = responded()
    return root, root.candidates[0].terminal


def explained() -> Specimen:
    root = responded(reason=terminal.StopReason.REFUSAL)
    root.candidates[0].turns[0].parts = [parts.FunctionCall("c", "f", "{}")]
    details = terminal.RefusalDetails()
    root.candidates[0].terminal.refusal = details
    return root, details


def counted() -> Specimen:
    root = responded()
    return root, root.usage


def candidate() -> Specimen:
    root = responded()
    return root, root.candidates[0]


def log_probs() -> Specimen:
    root, node = responded(), LogProbs([ScoredToken("Hi", -0.5)])
    root.candidates[0].logprobs = node
    return root, node


def token() -> Specimen:
    root, scores = log_probs()
    return root, scores.text[0]


def turn() -> Specimen:
    node = hello()
    return asked(turns=[node]), node


SPECIMENS: dict[type, Callable[[], Specimen]] = {
    request.Request: lambda: whole(asked(tools=[tools.FunctionTool("f", "d", dict(SCHEMA))])),
    request.Sampling: lambda: setting("sampling", request.Sampling()),
    request.Thinking: lambda: setting("thinking", request.Thinking()),
    request.Output: lambda: setting("output", request.Output()),
    request.Speech: lambda: (asked(output=request.Output(audio=(node := request.Speech("alloy", "wav")))), node),
    request.PlainFormat: lambda: formatted(request.PlainFormat()),
    request.JsonFormat: lambda: formatted(request.JsonFormat()),
    request.SchemaFormat: lambda: formatted(request.SchemaFormat(dict(SCHEMA))),
    request.EnumFormat: lambda: formatted(request.EnumFormat({"type": "string", "enum": ["a", "b"]})),
    request.Caching: lambda: setting("caching", request.Caching()),
    request.Service: lambda: setting("service", request.Service()),
    request.Streaming: lambda: setting("streaming", request.Streaming()),
    Cache: cached,
    tools.FunctionTool: lambda: tool(tools.FunctionTool("f", None, dict(SCHEMA))),
    tools.CustomTool: lambda: tool(tools.CustomTool("f")),
    tools.UnknownFormat: lambda: custom_tool(tools.UnknownFormat("x", {"type": "x"})),
    tools.FreeText: lambda: custom_tool(tools.FreeText()),
    tools.Grammar: lambda: custom_tool(tools.Grammar("lark", "start: /a/")),
    tools.WebSearchTool: lambda: tool(tools.WebSearchTool("s")),
    tools.CodeTool: lambda: tool(tools.CodeTool("s")),
    tools.McpServer: lambda: tool(tools.McpServer("wiki", "https://wiki.example/mcp")),
    tools.McpToolset: lambda: tool(tools.McpToolset("wiki", {"a": 1})),
    tools.ToolGroup: lambda: tool(tools.ToolGroup("s", {"a": 1})),
    tools.ClientTool: lambda: tool(tools.ClientTool("s", {"a": 1})),
    tools.HostedTool: lambda: tool(tools.HostedTool("s", "n", {"a": 1})),
    tools.UnknownTool: lambda: tool(tools.UnknownTool("s", {"a": 1})),
    tools.Location: located,
    tools.Choice: lambda: choice(tools.Choice(tools.ChoiceMode.REQUIRED)),
    tools.NamedChoice: lambda: choice(tools.NamedChoice("f")),
    tools.CustomChoice: lambda: choice(tools.CustomChoice("f")),
    tools.WebSearchChoice: searching_choice,
    tools.HostedChoice: lambda: choice(tools.HostedChoice("s", {"type": "s"})),
    tools.AllowedChoice: lambda: choice(tools.AllowedChoice(tools.ChoiceMode.REQUIRED, [("function", "f")])),
    turns.Turn: turn,
    parts.Text: lambda: in_turn(USER, parts.Text("x")),
    parts.Image: lambda: in_turn(USER, parts.Image(parts.Url("https://e.com/a.png"))),
    parts.Audio: spoken,
    parts.Video: lambda: in_turn(USER, parts.Video(parts.Url("https://e.com/a.mp4"))),
    parts.Document: lambda: in_turn(USER, parts.Document(parts.Inline("aGk=", "application/pdf"))),
    parts.SearchResult: lambda: in_turn(USER, parts.SearchResult("s", "t", [parts.Text("hit")])),
    parts.FunctionCall: called,
    parts.CustomCall: custom_called,
    parts.ClientCall: lambda: called_in_response(
        parts.ClientCall("shell", "c", {"commands": ["ls"], "command": ["ls"]})
    ),
    parts.ClientResult: lambda: in_turn(ASSISTANT, parts.ClientResult("shell", "c", "x")),
    parts.HostedCall: lambda: in_turn(ASSISTANT, parts.HostedCall("s", "i", {"a": 1})),
    parts.HostedResult: lambda: in_turn(ASSISTANT, parts.HostedResult("s", "i", {"a": 1})),
    parts.WebSearchCall: searching,
    parts.WebSearchResult: found,
    parts.WebHit: hit,
    parts.McpCall: served,
    parts.McpResult: gave,
    parts.CodeCall: ran,
    parts.CodeResult: wrote,
    parts.ToolResult: result,
    parts.Reasoning: lambda: in_turn(ASSISTANT, parts.Reasoning("hm", Seal("anthropic", "signature", "eA=="))),
    parts.Refusal: lambda: in_turn(ASSISTANT, parts.Refusal("no")),
    parts.Reference: lambda: in_turn(USER, parts.Reference("r")),
    parts.VendorPart: lambda: result(parts.VendorPart("tool_reference", {"tool_name": "f"})),
    parts.UnknownPart: lambda: in_turn(ASSISTANT, parts.UnknownPart("s", {"a": 1})),
    parts.Inline: lambda: source(parts.Image, parts.Inline("aGk=", "image/png")),
    parts.Url: lambda: source(parts.Image, parts.Url("https://e.com/a.png")),
    parts.FileRef: lambda: source(parts.Document, parts.FileRef("f", provider="openai")),
    parts.PlainText: lambda: source(parts.Document, parts.PlainText("x", "text/plain")),
    parts.Chunks: lambda: source(parts.Document, parts.Chunks([parts.Text("x")])),
    parts.UrlCitation: lambda: cited(parts.UrlCitation("https://e.com", "T")),
    parts.SourceCitation: lambda: cited(parts.SourceCitation("s", {"a": 1})),
    parts.DocumentCitation: lambda: cited(parts.DocumentCitation(parts.CitationUnit.CHAR, 0, 1, 4)),
    response.Response: lambda: whole(responded()),
    response.Candidate: candidate,
    LogProbs: log_probs,
    ScoredToken: token,
    terminal.Terminal: ended,
    terminal.RefusalDetails: explained,
    usage.Usage: counted,
    Error: lambda: whole(Error(None, ErrorCategory.NOT_FOUND, "x", "word")),
}
