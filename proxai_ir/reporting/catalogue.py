"""The catalogue of rules: the id, the severity and one sentence of each. `spec/` explains them, with examples.

A rule has one severity everywhere (LOS-2). `law` rules are obeyed and never reported; `info`, `loss` and `error` are
the severities of diagnostics.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

KNOWN: dict[str, Rule] = {}
"""Every declared rule by id, those of other packages included. An id has one meaning in a process."""
ERRORS: set[str] = set()
LOSSES: set[str] = set()
"""The ids of the known rules of these severities."""


Severity = Literal["law", "info", "loss", "error"]
SEVERITIES = get_args(Severity)
OWN = re.compile(r"[A-Z][A-Z0-9]{2}-[0-9]+[a-z]?")
OTHERS = re.compile(r"[A-Z][A-Z0-9]{3,}-[0-9]+[a-z]?")
_ids = [OWN]
"""The patterns of ids, of which the last one is in force: that of other packages, once all rules here are declared."""


class TableError(ValueError):
    """A protocol's table or rule cannot be used; the text names what is missing, unknown or declared twice."""


class Rule(str):
    """A rule: a string that is the rule's id, with its severity and one sentence about it.

    Making one declares it for diagnostics. A package of another protocol declares its own rules, and uses them wherever
    an id of this catalogue may be used. Their ids begin with the package's name, as in `ACME-1`; ours have three
    letters. `whole`: the `info` rule covers everything in a dropped object, as counts, echoes or markers; without it
    extra fields inside are reported one by one.
    Raises TableError if the id, the severity or the sentence is not valid, or the id has another meaning already.
    """

    severity: Severity
    sentence: str
    whole: bool

    __slots__ = ("sentence", "severity", "whole")

    def __new__(cls, rule: str, severity: Severity, sentence: str, *, whole: bool = False) -> Rule:
        _check(rule, severity, sentence, whole)
        made = super().__new__(cls, rule)
        made.severity, made.sentence, made.whole = severity, sentence, whole
        known = KNOWN.setdefault(rule, made)
        if (known.severity, known.sentence, known.whole) != (severity, sentence, whole):
            raise TableError(f"rule {rule} is declared already, as {known.severity}: {known.sentence}")
        if severity not in ("law", "info"):
            (ERRORS if severity == "error" else LOSSES).add(rule)
        return made

    @property
    def id(self) -> str:
        return str(self)


def _check(rule: object, severity: object, sentence: object, whole: bool) -> None:
    if not isinstance(rule, str) or (rule not in KNOWN and not _ids[-1].fullmatch(rule)):
        expected = "four capital letters or more, `-` and a number, as in ACME-1"
        raise TableError(f"{rule!r:.80} is no id of a rule; expected {expected}")
    if severity not in SEVERITIES:
        raise TableError(f"rule {rule} is {severity!r:.80}; expected one of {', '.join(SEVERITIES)}")
    if not isinstance(sentence, str) or not sentence.strip():
        raise TableError(f"rule {rule} says {sentence!r:.80}; expected a sentence about what becomes of the value")
    if whole and severity != "info":
        raise TableError(f"rule {rule} is {severity}, and `whole` is for info; a loss names all that is inside anyway")


# --- rules about content ----------------------------------------------------------------------------------------------


CONTENT = (
    # --- REF: refusals
    Rule("REF-1", "law", "A refusal is separate content, and its text is emitted exactly once."),
    Rule("REF-2", "law", "OpenAI Responses keeps `output_text` and `refusal` parts separate and in order."),
    Rule("REF-3", "law", "In Chat Completions refusal text is sent as `refusal` only, never repeated as content."),
    Rule("REF-4", "law", "In Anthropic Messages the stop reason `refusal` makes the message's text the refusal."),
    Rule("REF-5", "loss", "The category or explanation of a refusal has no equivalent in the target; dropped."),
    Rule("REF-6", "loss", "The refusal was reported after its text had been streamed; it stays ordinary text."),
    Rule("REF-7", "loss", "The target cannot distinguish this refusal from ordinary text; sent as text."),
    Rule("REF-8", "law", "A refused Anthropic message becomes a `refusal` part of Responses, and the reverse."),
    Rule("REF-9", "law", "An explicit refusal takes precedence over a moderation finish reason."),
    Rule("REF-10", "loss", "A call of the tool `refusal` is an older model's refusal; only the refusal text is kept."),
    Rule("REF-11", "info", "Repeats the text of the refusal, which is emitted once."),
    Rule("REF-12", "law", "A refusal in the content of a response leaves its `status` in OpenAI Responses as it is."),
    Rule("REF-13", "info", "The target marks refusals by their stop reason, which replaces the source's own."),
    # --- STS: terminal state
    Rule("STS-1", "law", "One table maps the reason why a response ended to its `status` in OpenAI Responses."),
    Rule("STS-2", "law", "One table maps the `status` of OpenAI Responses to the reason why the response ended."),
    Rule("STS-3", "loss", "Approximated: the target has one stop reason for several; the original is lost."),
    Rule("STS-4", "law", "A natural stop reason never hides a pending tool call."),
    Rule("STS-5", "loss", "The target has no stop reason for a paused response; approximated by a final one."),
    Rule("STS-6", "law", "Finish reasons and stop reasons map to each other by a fixed table."),
    Rule("STS-7", "law", "One table per protocol holds its stop reasons, for complete responses and streams alike."),
    Rule("STS-8", "loss", "The matched stop sequence has no equivalent in the target; dropped."),
    Rule("STS-9", "law", "A failed response that holds an error is converted as that error."),
    Rule("STS-10", "info", "The response has no stop reason; the target's stop reason is derived from the content."),
    Rule("STS-11", "law", "Of possible stop reasons, the one after which a client acts the same way is chosen."),
    Rule("STS-12", "info", "The stop reason contradicts the content; the content decides."),
    Rule("STS-13", "error", "The response is in progress; only a finished one can be converted."),
    Rule("STS-14", "info", "The response failed, and nothing in it is an error or a refusal; converted as a refusal."),
    # --- FIN: normalised finish reason
    Rule("FIN-1", "law", "Every stop reason has a normalised value, and the raw value is kept with it."),
    Rule("FIN-2", "law", "Natural endings and stop sequences are normalised to `stop`."),
    Rule("FIN-3", "law", "Token limits are normalised to `length`."),
    Rule("FIN-4", "law", "Stop reasons that wait for tool results are normalised to `tool_calls`."),
    Rule("FIN-5", "law", "Moderation is normalised to `content_filter`, the model's own refusal to `refusal`."),
    Rule("FIN-6", "law", "Tool-call stop reasons stay distinct from natural ones where the target has both."),
    Rule("FIN-8", "law", "A generation that failed is converted as an error, never as a response."),
    Rule("FIN-7", "loss", "Unknown stop reason; the target gets a natural ending, or the one that the status allows."),
    # --- PLC: placement
    Rule("PLC-1", "info", "Developer instructions are sent as the target's system instructions."),
    Rule("PLC-2", "loss", "The target does not accept instructions at this position; they are moved."),
    Rule("PLC-3", "error", "No equivalent in the target; refused, because this content must not be dropped."),
    Rule("PLC-4", "loss", "The target has separate fields for text, reasoning and calls; their order is lost."),
    Rule("PLC-5", "law", "Where the target requires it, results and the user's next message share one turn."),
    Rule("PLC-6", "law", "Text comes before tool calls, and a tool call is never placed inside a message's content."),
    Rule("PLC-7", "loss", "The target's tool results hold text only; this part is moved to a user message."),
    Rule("PLC-8", "info", "Text parts are joined into the single string that the target has for them."),
    Rule("PLC-9", "loss", "The target rejects text that is only whitespace; dropped."),
    Rule("PLC-10", "info", "The target rejects empty text; dropped, which loses nothing."),
    Rule("PLC-26", "law", "Empty text between signed reasoning stays where its provider checks positions."),
    Rule("PLC-11", "error", "No content that the target can represent is left in this turn, which cannot be dropped."),
    Rule("PLC-12", "info", "No content that the target can represent is left in this assistant turn; turn dropped."),
    Rule("PLC-13", "info", "No text is left in these instructions; the message that held them is dropped."),
    Rule("PLC-14", "info", "The target does not mark commentary (`phase`); the mark is dropped, its text is sent."),
    Rule("PLC-15", "loss", "The target does not continue a trailing assistant message (prefill); it starts a new one."),
    Rule("PLC-16", "loss", "The target continues this trailing assistant message; in the source it was complete."),
    Rule("PLC-17", "error", "The target requires at least one message."),
    Rule("PLC-18", "info", "The target's messages are final answers unless they are marked; this mark is dropped."),
    Rule("PLC-19", "loss", "The target does not accept an assistant message at the end of a request; dropped."),
    Rule("PLC-20", "loss", "The target rejects whitespace at the end of a prefilled response; dropped."),
    Rule("PLC-21", "error", "The target accepts no instructions at the end; refused."),
    Rule("PLC-22", "loss", "No content that the target can represent is left in this earlier user turn; dropped."),
    Rule("PLC-23", "loss", "The target requires a message of the user; the instructions are sent as one."),
    Rule("PLC-24", "error", "The target requires a message of the user before the first tool call."),
    Rule("PLC-25", "loss", "The target does not accept instructions at this position; sent as a reminder by the user."),
    Rule("PLC-27", "info", "The target refuses a tool result without content; a text that states that is sent."),
    Rule(
        "PLC-70", "info", "The target accepts only an assistant message after tool results; a placeholder is inserted."
    ),
    Rule("PLC-71", "loss", "The target accepts nothing between a call and its result; what was there is moved."),
    Rule("PLC-80", "loss", "The target takes a document only beside a text; its name is sent as one."),
    Rule("PLC-81", "error", "The target requires a message of the user before those of the assistant."),
    Rule("PLC-29", "info", "The source's protocol ends this text with the user's next message; dropped.", whole=True),
    Rule("PLC-30", "info", "Lasts until the user's next message: sent now, and dropped in requests that have one."),
    Rule("PLC-61", "loss", "Only its vendor can read this part of a message between agents; dropped."),
    Rule("PLC-62", "error", "The target cannot summarise the conversation in place of a response, as this asks."),
    Rule("PLC-64", "info", "The model is asked for a summary, which `state` makes the whole response.", whole=True),
    Rule("PLC-65", "error", "The model was asked for a summary of the conversation and gave none."),
    Rule("PLC-66", "info", "Not part of the summary that was asked for in place of a response; dropped.", whole=True),
    Rule("PLC-63", "info", "A summary in a later turn replaces this one; dropped.", whole=True),
    Rule("PLC-60", "info", "A client's bookkeeping for its own vendor, which no other model is to see; dropped."),
    # --- TUL: tools
    Rule("TUL-1", "error", "Tool arguments must be a JSON object."),
    Rule("TUL-2", "error", "The target has no custom tools; the option `emulate` sends them as functions."),
    Rule(
        "TUL-3",
        "error",
        "A tool result must refer to a call of the assistant turn before it; the option `repair` drops others.",
    ),
    Rule("TUL-4", "loss", "The target cannot mark a tool result as failed; its text is sent, the mark is dropped."),
    Rule("TUL-5", "error", "The target requires a call id, which legacy function calls and results do not have."),
    Rule("TUL-6", "loss", "Tool that only the source's provider runs; its definition, call or result is dropped."),
    Rule("TUL-7", "loss", "This tool choice has no equivalent in the target; dropped."),
    Rule("TUL-9", "loss", "Tool setting specific to the source's vendor; dropped."),
    Rule("TUL-10", "error", "Every tool call needs its result in the next turn; the option `repair` adds one."),
    Rule("TUL-11", "error", "The tool choice forces a tool that is not defined or that the target does not have."),
    Rule("TUL-12", "loss", "The target cannot allow only some tools; definitions of the others are dropped."),
    Rule("TUL-13", "info", "The target does not accept this call id; it is rewritten, the same way everywhere."),
    Rule("TUL-14", "info", "Dropped: the target already treats a tool result as successful."),
    Rule("TUL-15", "info", "Setting for tool calls although no tool can be called; dropped."),
    Rule("TUL-16", "error", "Two tool calls of one turn have the same id."),
    Rule("TUL-17", "info", "The target requires a call id and this call has none; one is generated."),
    Rule("TUL-18", "info", "Dropped: the target already assumes that the model called the tool directly."),
    Rule("TUL-19", "info", "Custom tool sent as a function with one string parameter, `input`."),
    Rule("TUL-20", "loss", "The grammar of this custom tool is only described to the model, not enforced."),
    Rule("TUL-21", "loss", "The arguments of a custom tool sent as a function are not exactly `input`; approximated."),
    Rule("TUL-22", "loss", "This detail of a web search has no equivalent in the target; dropped."),
    Rule("TUL-23", "loss", "This detail of an MCP server or MCP call has no equivalent in the target; dropped."),
    Rule("TUL-24", "info", "MCP servers require a beta header; send `Conversion.headers` with the request."),
    Rule(
        "TUL-25",
        "info",
        "Tools of a namespace, or of a list in the conversation, are sent one by one; `state` restores it.",
    ),
    Rule("TUL-26", "info", "The target does not accept this tool name; it is rewritten, and `state` restores it."),
    Rule("TUL-27", "law", "What must be sent outside the body is in `Conversion.headers`."),
    Rule("TUL-28", "info", "Setting for how a tool or its arguments are transmitted, not for what they are; dropped."),
    Rule("TUL-29", "loss", "The response was cut off within the arguments of this call, which is left out."),
    Rule("TUL-30", "loss", "The arguments of this call in the history are no JSON object; left out with its result."),
    Rule("TUL-31", "loss", "This call has no result; a text that states that is sent as its result."),
    Rule("TUL-32", "loss", "This tool result belongs to no call that waits for one; left out."),
    Rule("TUL-33", "loss", "The target wants a tool result before the next response; moved there."),
    Rule(
        "TUL-34", "loss", "Tool that the client runs in its vendor's form; dropped (option `emulate`: as a function)."
    ),
    Rule("TUL-35", "error", "The client must run this call, and the target has no form for it (option `emulate`)."),
    Rule("TUL-36", "error", "The arguments of a function call do not fit the client tool that was sent as it."),
    Rule("TUL-37", "info", "Tool that the client runs in its vendor's form; sent as a function."),
    Rule("TUL-38", "info", "Tool search or deferred loading; dropped, as the target receives all tools at once."),
    Rule("TUL-39", "loss", "This detail of a code run has no equivalent in the target; dropped."),
    Rule("TUL-40", "info", "The target requires the exit code of a code run, which the source lacks; 0 is sent."),
    Rule("TUL-41", "loss", "Tool that opens web pages; the target's own, or its web search, takes its place."),
    Rule("TUL-42", "info", "Tool of the request that a search by the client found; its name is sent as text."),
    Rule("TUL-44", "info", "The call has no arguments; an empty object is sent."),
    Rule("TUL-45", "error", "The response has no stop reason, and this call no whole arguments: it was cut off."),
    Rule("TUL-43", "error", "The client must approve this MCP call first, and the target has no approvals."),
    Rule("TUL-46", "info", "An earlier call of the conversation has this id; rewritten, in the call and its result."),
    Rule("TUL-48", "info", "The client defined no tool of this name; sent without the model's prefix, or rewritten."),
    Rule("TUL-60", "loss", "An earlier tool of the request has this name and another definition; dropped."),
    Rule("TUL-61", "info", "An earlier tool of the request is the same; dropped."),
    Rule("TUL-64", "info", "The target has no name for the language of this code; the code is sent without it."),
    Rule("TUL-65", "info", "The target cannot mark a tool result as failed; the member that says so is sent in it."),
    Rule("TUL-62", "loss", "Calls need definitions of tools; this one's is made from its name, and can be called."),
    Rule("TUL-63", "info", "This result names no existing call; given to the pending ones in their order (`repair`)."),
    Rule("TUL-66", "info", "The provider has no sealed content of this page, or found none; the target gets it empty."),
    Rule("TUL-67", "error", "The model takes no function tools in this protocol; another one of its vendor's may."),
    Rule("TUL-68", "loss", "The target cannot be told to call a tool; the model decides."),
    Rule("TUL-69", "loss", "The target cannot be told to call no tool; the definitions of the tools are dropped."),
    Rule("TUL-70", "loss", "The target cannot be told which tool to call; that it calls one is sent."),
    Rule("TUL-71", "loss", "Tool that the client runs in its vendor's form, which no function has; dropped."),
    Rule("TUL-72", "info", "The conversation changes its tools here; the target gets those that are left.", whole=True),
    Rule("TUL-73", "law", "A result stays text where the target would take the object in it for something else."),
    Rule("TUL-76", "loss", "The target has all tools of this MCP server; that one of them is withdrawn is lost."),
    Rule("TUL-77", "info", "The same call or result is there twice, with one id and the same content; sent once."),
    Rule("TUL-79", "loss", "The target takes fewer tools in one request; this one is left out."),
    Rule("TUL-80", "info", "Deferred tool that the client's own search has not found yet; kept back.", whole=True),
    Rule("TUL-81", "info", "The target tells the pages that a search finds only if asked to; they are asked for."),
    # --- CHO: candidates
    Rule("CHO-1", "error", "The target holds exactly one candidate; several are neither merged nor cut to one."),
    Rule("CHO-2", "error", "The target generates only one candidate per request."),
    Rule("CHO-3", "error", "Nothing in the response explains why it is empty; set `allow_empty` to permit it."),
    Rule(
        "CHO-5",
        "info",
        "Nothing in the response explains why it is empty; by `allow_empty` it is sent without content.",
    ),
    Rule("CHO-4", "loss", "The target generates only one candidate per request; one is requested."),
    # --- RSN: reasoning
    Rule("RSN-1", "law", "Effort levels map by name; one is a budget only for models that have budgets alone."),
    Rule("RSN-2", "loss", "The setting for showing or summarizing reasoning has no equivalent in the target; dropped."),
    Rule("RSN-3", "loss", "A thinking budget is approximated by the nearest effort level."),
    Rule("RSN-45", "info", "The conversation sets the same anew, and the last setting counts; dropped.", whole=True),
    Rule("RSN-46", "info", "Messages that set the effort need a beta header: send `Conversion.headers` along."),
    Rule("RSN-4", "loss", "Only the provider that issued this reasoning signature can verify it; dropped."),
    Rule("RSN-5", "loss", "The target accepts reasoning only with a signature of its provider; dropped."),
    Rule("RSN-6", "loss", "This thinking mode has no equivalent in the target; dropped."),
    Rule("RSN-7", "loss", "The target has no minimal effort; thinking is disabled instead."),
    Rule("RSN-8", "info", "The target does not separate summaries from reasoning; sent as reasoning."),
    Rule("RSN-9", "info", "Another provider's signature is sent in an envelope and restored on the way back."),
    Rule("RSN-10", "loss", "The signature's envelope is damaged, misplaced or, by default, not opened; dropped."),
    Rule("RSN-11", "loss", "The signature's envelope is forged, expired, or of another key or audience; dropped."),
    Rule("RSN-12", "loss", "The target has no effort setting; dropped."),
    Rule("RSN-13", "loss", "The effort is sent, but the target thinks only if thinking is enabled, which it is not."),
    Rule("RSN-14", "info", "Adaptive thinking is enabled: without it the target does not think, at any effort."),
    Rule("RSN-15", "info", "Labels of reasoning (format, index, id); dropped, its text and signature are converted."),
    Rule("RSN-16", "info", "Reasoning without a signature, which clients expect; an envelope without one is sent."),
    Rule("RSN-17", "loss", "The target does not accept reasoning of earlier turns; dropped."),
    Rule("RSN-18", "loss", "The target refuses thinking together with the rest of this request; it is not enabled."),
    Rule("RSN-19", "loss", "The target does not accept this thinking budget; the nearest one is sent."),
    Rule("RSN-20", "loss", "The target refuses this sampling parameter together with thinking; dropped."),
    Rule("RSN-21", "loss", "The target has no effort levels; the thinking budget that comes nearest is sent."),
    Rule("RSN-22", "info", "The target requires a signature on this call; its placeholder for others is sent."),
    Rule("RSN-23", "loss", "The target has no effort level this high; its highest one is sent."),
    Rule("RSN-24", "info", "Signature of a call; sent in an envelope as reasoning before the call."),
    Rule("RSN-25", "info", "The target encrypts reasoning for the next request only if asked to; it is asked."),
    Rule("RSN-26", "info", "Signature of another provider in a request; dropped, as only that provider can verify it."),
    Rule("RSN-27", "law", "No provider receives an envelope, not even from a client of its own protocol."),
    Rule("RSN-28", "info", "A signature in a part of its own is sent on the call that it stands with."),
    Rule("RSN-29", "info", "Signature of a call; sent in the call's id and restored on the way back."),
    Rule("RSN-30", "info", "Signature of a text; sent in an envelope as reasoning beside the text."),
    Rule("RSN-31", "loss", "A signature of Google's is base64, and this one is not; dropped."),
    Rule("RSN-32", "loss", "The target has no effort level this low; its lowest one is sent."),
    Rule("RSN-33", "loss", "The target always thinks; its lowest effort is sent."),
    Rule("RSN-34", "loss", "The target never thinks; dropped."),
    Rule("RSN-35", "loss", "The target takes function tools only if it does not think; its thinking is disabled."),
    Rule("RSN-36", "info", "The target requires the reasoning that led to this call; a placeholder is sent."),
    Rule("RSN-37", "loss", "The target takes no effort together with function tools; dropped."),
    Rule("RSN-38", "loss", "The target has no effort between the least and the highest; the nearer one is sent."),
    Rule("RSN-39", "loss", "The target can be told to call a tool only if it does not think; thinking is disabled."),
    Rule(
        "RSN-40",
        "info",
        "The target may refuse a call without its own signature, and has no placeholder; sent without.",
    ),
    Rule("RSN-90", "info", "Signature of a call or a text; sent in a thought beside it."),
    # --- STR: streams
    Rule("STR-1", "law", "Each event is converted at once, as far as the source allows, and no output is taken back."),
    Rule("STR-2", "error", "The stream ended before its response was complete."),
    Rule("STR-3", "law", "Chat Completions chunks become blocks that open, grow and close one after the other."),
    Rule("STR-4", "info", "Usage of a chunk with choices; it counts only at the end, and only without a usage chunk."),
    Rule("STR-5", "error", "The stream format of the target cannot represent this."),
    Rule("STR-6", "law", "Items are added, grow and finish in turn; done and terminal events repeat them."),
    Rule("STR-7", "law", "Blocks become chunks: the role first, finish reason and usage last."),
    Rule("STR-8", "law", "Deltas are assigned by the source's index or id, never by their order of arrival."),
    Rule("STR-9", "error", "Unexpected event at this point of the stream."),
    Rule("STR-10", "law", "Bytes may be split anywhere, and a text delta is never split."),
    Rule("STR-11", "law", "Converting a stream and assembling it gives the same as assembling it first."),
    Rule("STR-12", "law", "An error in mid-stream becomes the target's own error event and ends the stream."),
    Rule("STR-13", "info", "This stream option has no effect in the target; dropped."),
    Rule("STR-14", "law", "A diagnostic that event after event would repeat is reported once, for the first of them."),
    Rule("STR-15", "error", "Buffer limit exceeded."),
    Rule("STR-16", "loss", "The terminal event contradicts the deltas; the deltas win."),
    Rule("STR-17", "info", "The id of the response or of an item changes within its stream; the first one is kept."),
    Rule("STR-18", "info", "Unexpected event at this point of the stream; passed through as all of its stream is."),
    Rule("STR-19", "law", "The response that is kept of a stream is the one that its events, or its end, report."),
    Rule("STR-20", "info", "The terminal event repeats this differently; both are passed through."),
    Rule("STR-21", "loss", "Half a character whose other half never came; U+FFFD takes its place."),
    Rule("STR-22", "info", "More of the response follows this stop reason; the last one counts."),
    Rule("STR-23", "info", "Usage is reported once more; the last report counts."),
    Rule("STR-24", "info", "The item's index is missing or wrong; the item is found by its id or its content."),
    Rule("STR-25", "info", "The terminal event has the same reasoning encrypted anew; that of its item is sent."),
    Rule("STR-26", "law", "After the end, events without content are ignored: `[DONE]`, blank data, comments."),
    Rule("STR-27", "law", "What comes in a block, item or part of unknown type belongs to it and ends no stream."),
    Rule("STR-28", "law", "A signature that comes in several deltas is one."),
    Rule("STR-29", "law", "Counts of the last event are usage, also under the names that a cloud gives them."),
    Rule("STR-30", "info", "The target has no tools in streams; the whole response is asked for."),
    # --- R2A: server state
    Rule("R2A-1", "law", "An item without an id gets one generated from the response's id and its index."),
    Rule("R2A-2", "law", "Vendor-specific content is never copied unconverted into another protocol."),
    Rule("R2A-3", "error", "This refers to state stored by the source's provider; send the content itself."),
)


# --- rules about everything else --------------------------------------------------------------------------------------


SETTINGS = (
    # --- USE: usage
    Rule("USE-1", "law", "Usage is kept as disjoint counts that each protocol sums; unreported is not 0."),
    Rule("USE-2", "info", "The reported token counts contradict one another; they are converted as they are."),
    Rule("USE-3", "info", "The target has no total token count; it is the sum of those it has."),
    Rule("USE-4", "info", "This detail of the usage has no equivalent in the target; dropped.", whole=True),
    Rule("USE-5", "info", "The target requires token counts that the source does not report; 0 is sent."),
    Rule("USE-6", "info", "This token count is reported twice; the duplicate is ignored."),
    Rule("USE-7", "law", "Where the total proves that output excludes reasoning, reasoning is added to it."),
    Rule("USE-8", "info", "Token counts are whole numbers; the fraction of this one is dropped."),
    Rule("USE-9", "info", "This report has 0 tokens where one before it had more; the larger counts are kept."),
    Rule("USE-10", "law", "Usage is asked for where the source's streams always report it and the target's do not."),
    # --- ERR: errors
    Rule("ERR-1", "law", "Errors are values, and one table maps their categories in both directions."),
    Rule("ERR-2", "loss", "This field has no equivalent in the target's error body; dropped."),
    Rule("ERR-3", "info", "The error type names no category; the target's own type for the category is sent."),
    Rule("ERR-4", "loss", "Error details specific to the source's vendor; dropped."),
    Rule("ERR-5", "info", "Error body of an unknown shape; its text becomes the message."),
    Rule("ERR-6", "info", "The error's code says no more than its category or its message; dropped."),
    Rule("ERR-7", "info", "Clients know this error by its text, which is put before the message."),
    Rule("ERR-8", "info", "Clients act on the target's own code for this error, which replaces the source's."),
    Rule("ERR-9", "info", "The error has no message; what its category means is sent as one."),
    Rule("ERR-10", "law", "Errors are known by where they stand; a status outranks generic words, not specific ones."),
    Rule("ERR-11", "info", "Only says that the provider reported an error; the provider's own message is sent."),
    Rule("ERR-12", "law", "A stream fails by an event that the target's own clients take for a failure."),
    # --- OUT: output
    Rule("OUT-1", "law", "Structured output is one concept, with its own wire form in each protocol."),
    Rule("OUT-2", "info", "The target requires a name for the output schema: its `title` is sent, or `response`."),
    Rule("OUT-3", "loss", "The target has no JSON mode without a schema; dropped."),
    Rule("OUT-4", "loss", "The output schema's description or strictness has no equivalent; dropped."),
    Rule("OUT-5", "loss", "The target has no verbosity setting; dropped."),
    Rule("OUT-6", "loss", "The target does not generate such media, or not in this form; the wish is dropped."),
    Rule("OUT-7", "loss", "The target does not accept predicted output; dropped."),
    Rule("OUT-8", "info", "The output schema has a `title`, and the target has no other name for it; dropped."),
    Rule("OUT-9", "info", "An object stands in place of the text that it is meant to be; its JSON text is sent."),
    Rule("OUT-10", "loss", "The target has no schemas of the output; JSON of any shape is requested."),
    Rule("OUT-11", "loss", "The target has no JSON mode; an instruction asks for JSON, which nothing enforces."),
    Rule("OUT-12", "loss", "The target does not take an output format together with tools; dropped."),
    Rule("OUT-13", "info", "The target has no enum as output; it is asked for an object with one property."),
    Rule("OUT-14", "info", "The text is not the object that the target was asked for; sent as it is."),
    Rule("OUT-15", "loss", "The target does not take this output format; dropped."),
    Rule("OUT-16", "info", "The target's JSON mode requires the word JSON in the messages; an instruction is added."),
    Rule("OUT-85", "loss", "The target does not take an output format together with documents; dropped."),
    Rule("SCH-1", "loss", "The target's strict mode does not support this schema; `strict` is dropped."),
    Rule("SCH-2", "info", "The target requires `type: object` and `properties` in this schema; added."),
    Rule("SCH-3", "error", "The parameters of a tool must be an object (`type: object`)."),
    Rule("SCH-4", "error", "The target does not accept this parameter name."),
    Rule("SCH-5", "error", "The target accepts only an object schema for structured output."),
    Rule("SCH-6", "info", "The target requires closed objects here; `additionalProperties: false` is added."),
    Rule("SCH-7", "loss", "The target cannot enforce this keyword of a schema; approximated, or in its description."),
    Rule("SCH-8", "loss", "The target cannot enforce this output schema in any form; the output format is dropped."),
    Rule(
        "SCH-9", "loss", "The target has no alternatives of whole tool parameters; all properties are allowed together."
    ),
    Rule("SCH-10", "loss", "The target does not enforce the schemas of tools; `strict` is dropped."),
    Rule("SCH-11", "info", "Not accepted in a schema that is enforced, and constrains nothing; dropped or restated."),
    Rule("SCH-12", "loss", "The target's schemas have no such reference; any value takes the place of what it names."),
    Rule("SCH-13", "info", "The target requires the schema of an array to have `items`; `items: {}` is added."),
    Rule("SCH-14", "info", "The target enforces the schemas of all tools or of none; that of this one is enforced."),
    Rule("SCH-15", "info", "The choice requires a call, which enforces the schemas of tools, or forbids it; dropped."),
    Rule("SCH-16", "loss", "More than the target enforces in one request; the tool is sent without `strict`."),
    Rule(
        "SCH-17", "info", "The target takes few keywords at the top of this schema; the others are inlined or dropped."
    ),
    Rule("SCH-18", "info", "The model is not shown what a reference names; that takes the reference's place."),
    Rule(
        "SCH-19",
        "info",
        "Some models of the source's vendor alone write a parameter in ciphertext; the mark is dropped.",
    ),
    # --- CIT: citations
    Rule("CIT-1", "loss", "This citation has no equivalent in the target; dropped, and the text is kept."),
    Rule("CIT-2", "loss", "The target's citations have no field for the cited text; dropped."),
    Rule("CIT-3", "loss", "Only the provider that issued this encrypted search reference can read it; dropped."),
    Rule("CIT-4", "loss", "Where in its source a cited passage stands has no equivalent in the target; dropped."),
    Rule("CIT-5", "law", "Sources of a text are cited by its references to their numbers, or else by all of it."),
    # --- SMP: sampling and limits
    Rule("SMP-1", "info", "The target requires an output token limit and the source has none; the default is sent."),
    Rule("SMP-2", "loss", "The target does not accept this value; dropped, not clamped."),
    Rule("SMP-3", "loss", "This sampling parameter has no equivalent in the target; dropped."),
    Rule("SMP-4", "loss", "Two output limits with different values; the newer field wins, the older one is dropped."),
    Rule("SMP-5", "loss", "The target accepts fewer stop sequences; the first ones are sent."),
    Rule("SMP-6", "info", "Dropped: already the target's default."),
    Rule("SMP-7", "loss", "Log probabilities have no equivalent in the target; dropped."),
    Rule("SMP-8", "loss", "The target accepts `temperature` or `top_p`, not both; `top_p` is dropped."),
    Rule("SMP-9", "loss", "The target's lowest output token limit is higher than this one; that is sent."),
    Rule("SMP-10", "loss", "The target has no seed, by which sampling could be repeated; dropped."),
    Rule("SMP-11", "loss", "The target has no stop sequences; dropped, so that it generates text beyond them."),
    Rule("SMP-13", "info", "The target does not accept these stop sequences; `state` cuts the response at them."),
    Rule("SMP-14", "loss", "The target does not take this temperature; the nearest that it takes is sent."),
    Rule("SMP-15", "info", "The response is cut at a stop sequence that was not sent to the target.", whole=True),
    Rule("SMP-85", "loss", "One score for a piece of several tokens: the sum is sent, not that of each."),
    Rule("SMP-70", "loss", "How the source's server is to load and run the model; dropped."),
    Rule("SMP-80", "loss", "Setting of one family of models, which the target's models do not have; dropped."),
    # --- CAC: caching
    Rule("CAC-1", "law", "A cache breakpoint keeps its position; automatic caching is one at the prompt's end."),
    Rule("CAC-2", "info", "The target does not have this cache lifetime; rounded up to the next longer one."),
    Rule("CAC-3", "info", "The target has no cache lifetime this long; shortened to its longest."),
    Rule("CAC-4", "info", "The target does not accept a cache breakpoint here; dropped.", whole=True),
    Rule("CAC-5", "info", "This prompt cache setting has no equivalent in the target; dropped."),
    Rule("CAC-6", "info", "The target accepts fewer cache breakpoints; the earliest are dropped."),
    Rule("CAC-7", "info", "In the target no cache breakpoint may last longer than an earlier one; shortened."),
    Rule("CAC-8", "error", "The target cannot fill its prompt cache without a response, as this asks."),
    # --- SRC, IMG, AUD, VID, DOC: media
    Rule("SRC-1", "error", "Only the provider that stores a file can resolve its id; send the content or a URL."),
    Rule("SRC-2", "error", "The target accepts this content only as inline data."),
    Rule("SRC-3", "error", "The target does not accept this media type, encoding or URL scheme."),
    Rule("SRC-4", "info", "The media type is not registered, or not that of the data; the right one is sent."),
    Rule("SRC-5", "info", "The target requires a media type; the one that the file name or the kind suggests is sent."),
    Rule("IMG-1", "loss", "The target has no such detail level for images; dropped."),
    Rule("IMG-2", "info", "Dropped: the target already chooses the detail level of images itself."),
    Rule("IMG-3", "loss", "This image setting of the source's provider has no equivalent in the target; dropped."),
    Rule("IMG-4", "loss", "The target has no such media among what a model made; dropped beside other content."),
    Rule("IMG-5", "info", "How an image was generated has no equivalent in the target; dropped."),
    Rule("IMG-6", "loss", "The target accepts no images; replaced by a text that mentions it."),
    Rule("IMG-70", "loss", "The target has the images of a message apart from its text; their place in it is lost."),
    Rule("IMG-71", "loss", "The target has no media types of images, and this data does not show its own; dropped."),
    Rule("AUD-1", "error", "The target does not accept audio."),
    Rule("AUD-2", "loss", "The target has no audio output; only the transcript is sent, as text."),
    Rule("AUD-3", "loss", "Only the source's provider can resolve the id of this audio output; dropped."),
    Rule("AUD-4", "loss", "The target does not name the format of audio output; it is taken for the requested one."),
    Rule("VID-1", "error", "The target does not accept video."),
    Rule("VID-2", "loss", "Which part of a recording is meant, or how it is sampled, has no equivalent; dropped."),
    Rule("DOC-1", "loss", "This setting or description of a document has no equivalent in the target; dropped."),
    Rule("DOC-2", "info", "The target requires a file name and the source has none; a default name is sent."),
    Rule("DOC-3", "loss", "The target has no documents made of parts; the parts are sent one by one."),
    Rule("DOC-4", "loss", "The target has no search results; sent as text, under the result's title and source."),
    Rule("DOC-5", "loss", "Document type of a vendor's dialect; sent as the document type of the target."),
    Rule("DOC-6", "info", "The target has no documents that are text; sent as text, under the document's title."),
    Rule("DOC-7", "loss", "The target has no documents by URL; the URL is sent as text."),
    Rule("DOC-80", "info", "The target does not accept this name of a document, or has it already; it is rewritten."),
    Rule("DOC-85", "info", "Document id, which only citations of the source's provider name; dropped."),
    Rule("DOC-86", "loss", "The target has documents beside the conversation; the place of this one is lost."),
    # --- SVC, USR, MOD, HST, CTX, DGN: the vendor's service
    Rule("SVC-1", "loss", "This service tier has no equivalent in the target; dropped."),
    Rule("SVC-2", "loss", "The target does not store responses on request; dropped."),
    Rule("SVC-3", "loss", "Setting for the source vendor's billing or fallback models; dropped."),
    Rule("SVC-4", "loss", "The target cannot restrict where a request is processed; dropped."),
    Rule("SVC-5", "loss", "The target does not process requests in the background; its response comes in the reply."),
    Rule("SVC-6", "loss", "Beta of the source vendor's API, which the target does not have; dropped."),
    Rule("SVC-7", "info", "The target takes this hint in another form only, in which it is sent."),
    Rule("SVC-90", "loss", "Addresses that the provider reports to when it is done have no equivalent; dropped."),
    Rule("SVC-70", "info", "How long the source's server is to keep the model in memory; dropped."),
    Rule("USR-1", "law", "The end user's id is carried over."),
    Rule("USR-2", "info", "The target has no such id of the end user; dropped."),
    Rule("USR-3", "info", "The target does not store this kind of metadata; dropped.", whole=True),
    Rule("USR-4", "loss", "The target's messages have no participant name; dropped."),
    Rule("USR-5", "info", "The target accepts only shorter ids of the end user; the SHA256 of this one is sent."),
    Rule("MOD-1", "loss", "Moderation service of the source's vendor; dropped."),
    Rule("MOD-2", "info", "The safety settings switch filters off, of which the target has none; dropped."),
    Rule("HST-1", "loss", "Only the source's provider can use this container; dropped."),
    Rule("HST-90", "error", "An agent that the source's provider runs answers this request, and no model."),
    Rule("CTX-2", "info", "Summary of the earlier conversation; sent as text of the user."),
    Rule("CTX-3", "info", "Setting for earlier reasoning or tool results, of which this request has none; dropped."),
    Rule("CTX-1", "loss", "Context management of the source's provider has no equivalent in the target; dropped."),
    Rule("DGN-1", "info", "Diagnostics that the source's provider reports about its own service; dropped.", whole=True),
    # --- ENV: envelope
    Rule(
        "ENV-1",
        "info",
        "This metadata has no equivalent in the target; dropped, as clients do not depend on it.",
        whole=True,
    ),
    Rule("ENV-2", "info", "The target requires metadata that the source does not have; a fixed default is sent."),
    Rule("ENV-3", "info", "Where and how the response was generated has no equivalent in the target; dropped."),
    Rule("ENV-4", "info", "Version or beta of the source's API; dropped."),
    Rule("ENV-5", "loss", "The target requires `model` in the body and the source has none; pass the option `model`."),
    Rule(
        "ENV-6",
        "info",
        "The target requires a model in a response and the source has none; empty. Pass the option `model`.",
    ),
    Rule("ENV-7", "info", "Empty or meaningless field; ignored.", whole=True),
    Rule("ENV-8", "loss", "Additional output of the source's provider, unknown to the target; dropped."),
    Rule("ENV-9", "info", "The target requires a response id and the source has none; one is generated."),
    Rule("ENV-10", "info", "Request for more output (encrypted, of code), which the target decides itself; dropped."),
    Rule("ENV-11", "info", "Repeats what the request asked for; dropped.", whole=True),
    Rule("ENV-12", "info", "The option `model` names the model of the response; the source's own name is dropped."),
    Rule("ENV-13", "info", "The target has this in the URL of the request: `Conversion.route` holds it."),
    Rule("ENV-14", "info", "The path before a model's name, which other protocols do not have; the name is sent."),
    Rule("ENV-15", "info", "Metadata of a response has the wrong type; sent as what it means, or dropped."),
    # --- UNK: unknown
    Rule("UNK-1", "loss", "Unknown field; dropped."),
    Rule("UNK-2", "loss", "Unknown type of content; dropped."),
    Rule("UNK-3", "loss", "Unknown type of tool; dropped."),
    Rule("UNK-4", "loss", "Unknown value of a known field; dropped."),
    Rule("UNK-5", "error", "Unknown type of content; refused, because this content must not be dropped."),
    Rule("UNK-7", "info", "What a client notes for its own service; dropped, as no model gets it.", whole=True),
    Rule("UNK-6", "info", "Unknown field of the envelope; dropped, as clients do not depend on it.", whole=True),
    # --- SHP: wrong shapes
    Rule("SHP-1", "error", "The value has the wrong type."),
    Rule("SHP-2", "error", "A required field is missing."),
    Rule("SHP-3", "error", "Unexpected value."),
    Rule("SHP-4", "error", "Fields contradict one another."),
    Rule("SHP-5", "error", "This content is not allowed here."),
    Rule("SHP-6", "error", "The payload is not valid JSON."),
    Rule("SHP-7", "error", "The value cannot be encoded as JSON."),
    Rule("SHP-8", "error", "Cannot detect whether the payload is a request, a response or an error; state its kind."),
    Rule("SHP-9", "error", "A conversion that this protocol does not support."),
    Rule("SHP-12", "info", "The payload may be of another protocol than was named."),
    # --- LOS: accounting
    Rule("LOS-1", "law", "Every value of the source is converted, named by a diagnostic, or stops the conversion."),
    Rule("LOS-2", "law", "A diagnostic has a rule id, the rule's severity, a pointer and a message."),
    Rule("LOS-3", "law", "Unknown content is kept in the IR and restored unchanged in its own protocol."),
    Rule("LOS-4", "law", "A payload converted to its own protocol comes back unchanged."),
    Rule("LOS-5", "law", "A loss is content or behaviour; hints of operation and echoes are reported as info."),
    Rule("LOS-6", "law", "What is written for a target passes the target's own checks, and so does what is rewritten."),
    Rule("LOS-7", "law", "A loss says that the target has nothing like a member only where its types have none."),
    # --- BAT: lines of batch files
    Rule("BAT-1", "loss", "The target's batches do not accept this id; the SHA256 of it is sent."),
    Rule("BAT-2", "loss", "The target's batches have errors only; that the request was not processed is sent as one."),
    Rule("BAT-3", "info", "The line has no id; one is made of its request."),
    Rule("BAT-4", "info", "Another line of the file has the same id; both are sent."),
    # --- EXP: exports of a request with its response
    Rule("EXP-1", "info", "Setting or fact of the exchange that this form has no member for; dropped."),
    Rule("EXP-2", "loss", "Setting that shaped the response; this form has no member for it; dropped."),
    Rule("EXP-3", "error", "Training lines of this form hold no such files."),
    Rule("EXP-5", "loss", "This form has no such content; dropped."),
    Rule("EXP-6", "loss", "Approximated: this form has one notation for several; which it was is lost."),
    Rule("EXP-7", "loss", "The response was cut off, withheld, unfinished or empty; a line trains it like any other."),
    Rule("EXP-8", "error", "The response has no answer that a training line could train."),
    Rule("EXP-4", "info", "The response that the training line holds; its request ends before it."),
    # --- CAP: what not every server of a protocol accepts
    Rule("CAP-1", "law", "The caller states what a server accepts; no name of a model decides anything."),
    Rule("CAP-2", "law", "What a server is not known to accept is not sent, and reported."),
    Rule("CAP-3", "law", "What one model takes less than another is a capability, the same word for all protocols."),
    Rule("CAP-5", "law", "The name of a model stands for what it takes, by a dated table with sources."),
    Rule("CAP-6", "law", "The defaults of a protocol are those of its vendor's current models."),
    Rule("CAP-7", "law", "A fact about a model holds through every protocol and cloud, or a row says why not."),
    Rule("CAP-8", "law", "A cloud that serves a vendor's own protocol is another server; a table has what it takes."),
    Rule("CAP-9", "law", "A refusal teaches which setting to leave out, and never one that the request has not."),
    Rule("CAP-10", "law", "What counts over a whole request is a constraint; the least harmful part is left out."),
    Rule("CAP-11", "info", "The caller states another value for every request; the request's own is sent."),
    Rule("CAP-12", "info", "By an estimate, longer than the context that is stated; the server may cut it."),
    Rule("CAP-4", "info", "By default the target would do what the source does not; that is switched off."),
)


_ids.append(OTHERS)
RULES: dict[str, Rule] = {rule.id: rule for rule in (*CONTENT, *SETTINGS)}
"""The rules of this package, which `spec/` explains."""
