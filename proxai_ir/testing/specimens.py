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


def called_in_response(node: Any) -> Specimen:
    root = responded()
    root.candidates[0].turns[0].parts = [node]
    return root, node


def in_turn(role: Role, node: Any, *before: Turn) -> Specimen:
    return asked(turns=[*(before or (hello(),)), Turn(role, [node, parts.Text("more")])]), node


def source(part: Callable[[Any], Any], node: Any) -> Specimen:
    return asked(turns=[Turn(USER, [part(node)])]), node


def set_by(node: turns.TurnSettings) -> Specimen:
    """The settings of instructions in mid-conversation."""
    return asked(turns=[hello(), Turn(Role.SYSTEM, [parts.Text("x")], settings=node)]), node


def call() -> parts.FunctionCall:
    return parts.FunctionCall("c", "f", {"a": 1})


def called(node: Any) -> Specimen:
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


def formatted(node: Any) -> Specimen:
    return asked(output=request.Output(node)), node


def cited(node: Any) -> Specimen:
    return responded(parts.Text("Hello world", [node])), node


def searched(pick: Callable[[Any, Any], Any]) -> Specimen:
    hit = parts.WebHit("https://e.com", "T", None, Seal("anthropic", "content", "eA=="))
    return ran(parts.WebSearchCall("s_1", ["tides"]), parts.WebSearchResult("s_1", [hit]), pick)


def attended(pick: Callable[[Any, Any], Any]) -> Specimen:
    call = parts.McpCall("m_1", "wiki", "ask", {"topic": "tides"})
    return ran(call, parts.McpResult("m_1", "The moon."), pick)


def executed(pick: Callable[[Any, Any], Any]) -> Specimen:
    call = parts.CodeCall("r_1", "print(1)", "python")
    return ran(call, parts.CodeResult("r_1", "python", "1", None, 0), pick)


def ran(call: Any, result: Any, pick: Callable[[Any, Any], Any]) -> Specimen:
    """A call that the provider ran, with its result."""
    return responded(call, result, parts.Text("Hi")), pick(call, result)


def first(call: Any, _: Any) -> Any:
    return call


def second(_: Any, result: Any) -> Any:
    return result


def of_response(pick: Callable[[response.Response], Any]) -> Specimen:
    root = responded()
    return root, pick(root)


def explained() -> Specimen:
    root = responded(reason=terminal.StopReason.REFUSAL)
    root.candidates[0].turns[0].parts = [parts.FunctionCall("c", "f", "{}")]
    details = terminal.RefusalDetails()
    root.candidates[0].terminal.refusal = details
    return root, details


def log_probs() -> Specimen:
    root, node = responded(), LogProbs([ScoredToken("Hi", -0.5)])
    root.candidates[0].logprobs = node
    return root, node


def token() -> Specimen:
    root, scores = log_probs()
    return root, scores.text[0]


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
    request.Summary: lambda: setting("summary", request.Summary()),
    Cache: lambda: (asked(turns=[Turn(USER, [parts.Text("Hello", None, node := Cache(3600))])]), node),
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
    tools.Location: lambda: (asked(tools=[tools.WebSearchTool("s", node := tools.Location())]), node),
    tools.Choice: lambda: choice(tools.Choice(tools.ChoiceMode.REQUIRED)),
    tools.NamedChoice: lambda: choice(tools.NamedChoice("f")),
    tools.CustomChoice: lambda: choice(tools.CustomChoice("f")),
    tools.WebSearchChoice: lambda: (
        asked(tools=[tools.WebSearchTool("s")], tool_choice=(node := tools.WebSearchChoice())),
        node,
    ),
    tools.CodeChoice: lambda: (asked(tools=[tools.CodeTool("s")], tool_choice=(node := tools.CodeChoice())), node),
    tools.HostedChoice: lambda: choice(tools.HostedChoice("s", {"type": "s"})),
    tools.AllowedChoice: lambda: choice(tools.AllowedChoice(tools.ChoiceMode.REQUIRED, [("function", "f")])),
    turns.Turn: lambda: (asked(turns=[node := hello()]), node),
    turns.TurnSettings: lambda: set_by(turns.TurnSettings()),
    parts.Text: lambda: in_turn(USER, parts.Text("x")),
    parts.Image: lambda: in_turn(USER, parts.Image(parts.Url("https://e.com/a.png"))),
    parts.Audio: lambda: (responded(node := parts.Audio(parts.Inline("aGk=", None), "words", "id", 5)), node),
    parts.Video: lambda: in_turn(USER, parts.Video(parts.Url("https://e.com/a.mp4"))),
    parts.Document: lambda: in_turn(USER, parts.Document(parts.Inline("aGk=", "application/pdf"))),
    parts.SearchResult: lambda: in_turn(USER, parts.SearchResult("s", "t", [parts.Text("hit")])),
    parts.FunctionCall: lambda: called(call()),
    parts.CustomCall: lambda: called(parts.CustomCall("c", "f", "x")),
    parts.ClientCall: lambda: called_in_response(
        parts.ClientCall("shell", "c", {"commands": ["ls"], "command": ["ls"]})
    ),
    parts.ClientResult: lambda: in_turn(ASSISTANT, parts.ClientResult("shell", "c", "x")),
    parts.HostedCall: lambda: in_turn(ASSISTANT, parts.HostedCall("s", "i", {"a": 1})),
    parts.HostedResult: lambda: in_turn(ASSISTANT, parts.HostedResult("s", "i", {"a": 1})),
    parts.WebSearchCall: lambda: searched(first),
    parts.WebSearchResult: lambda: searched(second),
    parts.WebHit: lambda: searched(lambda _, result: result.hits[0]),
    parts.McpCall: lambda: attended(first),
    parts.McpResult: lambda: attended(second),
    parts.CodeCall: lambda: executed(first),
    parts.CodeResult: lambda: executed(second),
    parts.ToolResult: result,
    parts.Reasoning: lambda: in_turn(ASSISTANT, parts.Reasoning("hm", Seal("anthropic", "signature", "eA=="))),
    parts.Refusal: lambda: in_turn(ASSISTANT, parts.Refusal("no")),
    parts.Reference: lambda: in_turn(USER, parts.Reference("r")),
    parts.ToolChange: lambda: in_turn(USER, parts.ToolChange("f")),
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
    response.Candidate: lambda: of_response(lambda root: root.candidates[0]),
    LogProbs: log_probs,
    ScoredToken: token,
    terminal.Terminal: lambda: of_response(lambda root: root.candidates[0].terminal),
    terminal.RefusalDetails: explained,
    usage.Usage: lambda: of_response(lambda root: root.usage),
    Error: lambda: whole(Error(None, ErrorCategory.NOT_FOUND, "x", "word")),
}
