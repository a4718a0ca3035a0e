"""IR trees written by hand, one for each class of the IR: the tree, and the node of that class in it.

The node is in a place where targets accept it, with the fields set without which it means nothing. Nothing here comes
from a protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir import ir

Specimen = tuple[Any, Any]

USER, ASSISTANT, TOOL = ir.Role.USER, ir.Role.ASSISTANT, ir.Role.TOOL
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def hello() -> ir.Turn:
    return ir.Turn(USER, [ir.Text("Hello")])


def asked(**members: Any) -> ir.Request:
    made = ir.Request(None, "m", [hello()], max_tokens=9)
    for name, value in members.items():
        setattr(made, name, value)
    return made


def setting(name: str, node: Any) -> Specimen:
    return asked(**{name: node}), node


def tool(node: Any) -> Specimen:
    return asked(tools=[node]), node


def custom_tool(node: Any) -> Specimen:
    return asked(tools=[ir.CustomTool("f", None, node)]), node


def choice(node: Any) -> Specimen:
    defined = [ir.FunctionTool("f", "d", dict(SCHEMA)), ir.FunctionTool("g", "d", dict(SCHEMA))]
    return asked(tools=defined, tool_choice=node), node


def called_in_response(node: Any) -> Specimen:
    root = responded()
    root.candidates[0].turns[0].parts = [node]
    return root, node


def in_turn(role: ir.Role, node: Any, *before: ir.Turn) -> Specimen:
    return asked(turns=[*(before or (hello(),)), ir.Turn(role, [node, ir.Text("more")])]), node


def source(part: Callable[[Any], Any], node: Any) -> Specimen:
    return asked(turns=[ir.Turn(USER, [part(node)])]), node


def set_by(node: ir.TurnSettings) -> Specimen:
    """Return settings in instructions in the middle of a conversation."""
    return asked(turns=[hello(), ir.Turn(ir.Role.SYSTEM, [ir.Text("x")], settings=node)]), node


def call() -> ir.FunctionCall:
    return ir.FunctionCall("c", "f", {"a": 1})


def called(node: Any) -> Specimen:
    return asked(turns=[hello(), ir.Turn(ASSISTANT, [node]), ir.Turn(TOOL, [ir.ToolResult("c", [ir.Text("r")])])]), node


def result(inner: Any = None) -> Specimen:
    """Return a tool result, or a part in one."""
    node = ir.ToolResult("c", [ir.Text("r"), *([inner] if inner else ())])
    return asked(turns=[hello(), ir.Turn(ASSISTANT, [call()]), ir.Turn(TOOL, [node])]), inner or node


def responded(*content: Any, reason: ir.StopReason = ir.StopReason.END) -> ir.Response:
    candidate = ir.Candidate([ir.Turn(ASSISTANT, list(content) or [ir.Text("Hi")])], ir.Terminal(reason, "w"))
    return ir.Response(None, "id", "m", [candidate], ir.Usage(1, None, None, 2))


def whole(node: Any) -> Specimen:
    return node, node


def formatted(node: Any) -> Specimen:
    return asked(output=ir.Output(node)), node


def cited(node: Any) -> Specimen:
    return responded(ir.Text("Hello world", [node])), node


CALL, RESULT, HIT = range(3)


def searched(which: int) -> Specimen:
    hit = ir.WebHit("https://e.com", "T", None, ir.Seal("anthropic", "content", "eA=="))
    return ran(which, ir.WebSearchCall("s_1", ["tides"]), ir.WebSearchResult("s_1", [hit]), hit)


def attended(which: int) -> Specimen:
    return ran(which, ir.McpCall("m_1", "wiki", "ask", {"topic": "tides"}), ir.McpResult("m_1", "The moon."))


def executed(which: int) -> Specimen:
    return ran(which, ir.CodeCall("r_1", "print(1)", "python"), ir.CodeResult("r_1", "python", "1", None, 0))


def ran(which: int, *nodes: Any) -> Specimen:
    """Return a response with a call that the provider ran and its result, and one of the nodes."""
    return responded(*nodes[:HIT], ir.Text("Hi")), nodes[which]


def of_response(pick: Callable[[ir.Response], Any]) -> Specimen:
    root = responded()
    return root, pick(root)


def explained() -> Specimen:
    root = responded(reason=ir.StopReason.REFUSAL)
    root.candidates[0].turns[0].parts = [ir.FunctionCall("c", "f", "{}")]
    details = ir.RefusalDetails()
    root.candidates[0].terminal.refusal = details
    return root, details


def log_probs() -> Specimen:
    root, node = responded(), ir.LogProbs([ir.ScoredToken("Hi", -0.5)])
    root.candidates[0].logprobs = node
    return root, node


def token() -> Specimen:
    root, scores = log_probs()
    return root, scores.text[0]


SPECIMENS: dict[type, Callable[[], Specimen]] = {
    ir.Request: lambda: whole(asked(tools=[ir.FunctionTool("f", "d", dict(SCHEMA))])),
    ir.Sampling: lambda: setting("sampling", ir.Sampling()),
    ir.Thinking: lambda: setting("thinking", ir.Thinking()),
    ir.Output: lambda: setting("output", ir.Output()),
    ir.Speech: lambda: (asked(output=ir.Output(audio=(node := ir.Speech("alloy", "wav")))), node),
    ir.Picture: lambda: (asked(output=ir.Output(picture=(node := ir.Picture("16:9", "2K")))), node),
    ir.PlainFormat: lambda: formatted(ir.PlainFormat()),
    ir.JsonFormat: lambda: formatted(ir.JsonFormat()),
    ir.SchemaFormat: lambda: formatted(ir.SchemaFormat(dict(SCHEMA))),
    ir.EnumFormat: lambda: formatted(ir.EnumFormat({"type": "string", "enum": ["a", "b"]})),
    ir.Caching: lambda: setting("caching", ir.Caching()),
    ir.Service: lambda: setting("service", ir.Service()),
    ir.Streaming: lambda: setting("streaming", ir.Streaming()),
    ir.Summary: lambda: setting("summary", ir.Summary()),
    ir.Cache: lambda: (asked(turns=[ir.Turn(USER, [ir.Text("Hello", None, node := ir.Cache(3600))])]), node),
    ir.FunctionTool: lambda: tool(ir.FunctionTool("f", None, dict(SCHEMA))),
    ir.CustomTool: lambda: tool(ir.CustomTool("f")),
    ir.UnknownFormat: lambda: custom_tool(ir.UnknownFormat("x", {"type": "x"})),
    ir.FreeText: lambda: custom_tool(ir.FreeText()),
    ir.Grammar: lambda: custom_tool(ir.Grammar("lark", "start: /a/")),
    ir.WebSearchTool: lambda: tool(ir.WebSearchTool("s")),
    ir.CodeTool: lambda: tool(ir.CodeTool("s")),
    ir.McpServer: lambda: tool(ir.McpServer("wiki", "https://wiki.example/mcp")),
    ir.McpToolset: lambda: tool(ir.McpToolset("wiki", {"a": 1})),
    ir.ToolGroup: lambda: tool(ir.ToolGroup("s", {"a": 1})),
    ir.ClientTool: lambda: tool(ir.ClientTool("s", {"a": 1})),
    ir.HostedTool: lambda: tool(ir.HostedTool("s", "n", {"a": 1})),
    ir.UnknownTool: lambda: tool(ir.UnknownTool("s", {"a": 1})),
    ir.Location: lambda: (asked(tools=[ir.WebSearchTool("s", node := ir.Location())]), node),
    ir.Choice: lambda: choice(ir.Choice(ir.ChoiceMode.REQUIRED)),
    ir.NamedChoice: lambda: choice(ir.NamedChoice("f")),
    ir.CustomChoice: lambda: choice(ir.CustomChoice("f")),
    ir.WebSearchChoice: lambda: (
        asked(tools=[ir.WebSearchTool("s")], tool_choice=(node := ir.WebSearchChoice())),
        node,
    ),
    ir.CodeChoice: lambda: (asked(tools=[ir.CodeTool("s")], tool_choice=(node := ir.CodeChoice())), node),
    ir.HostedChoice: lambda: choice(ir.HostedChoice("s", {"type": "s"})),
    ir.AllowedChoice: lambda: choice(ir.AllowedChoice(ir.ChoiceMode.REQUIRED, [("function", "f")])),
    ir.Turn: lambda: (asked(turns=[node := hello()]), node),
    ir.TurnSettings: lambda: set_by(ir.TurnSettings()),
    ir.Text: lambda: in_turn(USER, ir.Text("x")),
    ir.Image: lambda: in_turn(USER, ir.Image(ir.Url("https://e.com/a.png"))),
    ir.Audio: lambda: (responded(node := ir.Audio(ir.Inline("aGk=", None), "words", "id", 5)), node),
    ir.Video: lambda: in_turn(USER, ir.Video(ir.Url("https://e.com/a.mp4"))),
    ir.Document: lambda: in_turn(USER, ir.Document(ir.Inline("aGk=", "application/pdf"))),
    ir.SearchResult: lambda: in_turn(USER, ir.SearchResult("s", "t", [ir.Text("hit")])),
    ir.FunctionCall: lambda: called(call()),
    ir.CustomCall: lambda: called(ir.CustomCall("c", "f", "x")),
    ir.ClientCall: lambda: called_in_response(ir.ClientCall("shell", "c", {"commands": ["ls"], "command": ["ls"]})),
    ir.ClientResult: lambda: in_turn(ASSISTANT, ir.ClientResult("shell", "c", "x")),
    ir.HostedCall: lambda: in_turn(ASSISTANT, ir.HostedCall("s", "i", {"a": 1})),
    ir.HostedResult: lambda: in_turn(ASSISTANT, ir.HostedResult("s", "i", {"a": 1})),
    ir.WebSearchCall: lambda: searched(CALL),
    ir.WebSearchResult: lambda: searched(RESULT),
    ir.WebHit: lambda: searched(HIT),
    ir.McpCall: lambda: attended(CALL),
    ir.McpResult: lambda: attended(RESULT),
    ir.CodeCall: lambda: executed(CALL),
    ir.CodeResult: lambda: executed(RESULT),
    ir.ToolResult: result,
    ir.Reasoning: lambda: in_turn(ASSISTANT, ir.Reasoning("hm", ir.Seal("anthropic", "signature", "eA=="))),
    ir.Refusal: lambda: in_turn(ASSISTANT, ir.Refusal("no")),
    ir.Reference: lambda: in_turn(USER, ir.Reference("r")),
    ir.ToolChange: lambda: in_turn(USER, ir.ToolChange("f")),
    ir.VendorPart: lambda: result(ir.VendorPart("tool_reference", {"tool_name": "f"})),
    ir.UnknownPart: lambda: in_turn(ASSISTANT, ir.UnknownPart("s", {"a": 1})),
    ir.Inline: lambda: source(ir.Image, ir.Inline("aGk=", "image/png")),
    ir.Url: lambda: source(ir.Image, ir.Url("https://e.com/a.png")),
    ir.FileRef: lambda: source(ir.Document, ir.FileRef("f", provider="openai")),
    ir.PlainText: lambda: source(ir.Document, ir.PlainText("x", "text/plain")),
    ir.Chunks: lambda: source(ir.Document, ir.Chunks([ir.Text("x")])),
    ir.UrlCitation: lambda: cited(ir.UrlCitation("https://e.com", "T")),
    ir.SourceCitation: lambda: cited(ir.SourceCitation("s", {"a": 1})),
    ir.DocumentCitation: lambda: cited(ir.DocumentCitation(ir.CitationUnit.CHAR, 0, 1, 4)),
    ir.Response: lambda: whole(responded()),
    ir.Candidate: lambda: of_response(lambda root: root.candidates[0]),
    ir.LogProbs: log_probs,
    ir.ScoredToken: token,
    ir.Terminal: lambda: of_response(lambda root: root.candidates[0].terminal),
    ir.RefusalDetails: explained,
    ir.Usage: lambda: of_response(lambda root: root.usage),
    ir.Error: lambda: whole(ir.Error(None, ir.ErrorCategory.NOT_FOUND, "x", "word")),
}
