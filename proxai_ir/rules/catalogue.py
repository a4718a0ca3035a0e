"""Every rule, once: id, severity, one sentence. `spec/` explains each under the same id, with examples that run.

Rule 1: a rule has one severity everywhere (LOS-2). `law` rules are obeyed and never reported; `info`, `loss` and
`error` are the severities of diagnostics.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Rule(NamedTuple):
    id: str
    severity: Literal["law", "info", "loss", "error"]
    sentence: str


_ALL = (
    # --- REF: refusals
    Rule("REF-1", "law", "A refusal is content of its own kind, and its wording is emitted once."),
    Rule("REF-2", "law", "In Responses text and refusal are parts of their own kinds, and stay apart in their order."),
    Rule("REF-3", "law", "In Chat Completions the refusal member is the only place for refusal wording."),
    Rule("REF-4", "law", "In Anthropic Messages the stop reason makes a message's text the refusal's wording."),
    Rule("REF-5", "loss", "What is told about a refusal besides its wording has no place in the target."),
    Rule("REF-6", "loss", "The refusal became known when its wording had been handed on as ordinary text."),
    Rule("REF-7", "loss", "The target cannot tell this refusal from ordinary text; the wording travels as text."),
    Rule("REF-8", "law", "In Responses refusal wording is a refusal part, and so it comes back."),
    Rule("REF-9", "law", "An explicit refusal outranks a moderation finish reason."),
    Rule("REF-10", "loss", "A call of the tool `refusal` is an older model's refusal; only its wording is kept."),
    Rule("REF-11", "info", "This repeats the refusal's wording, which travels once."),
    # --- STS: terminal state
    Rule("STS-1", "law", "Endings map to the status of a Responses answer by one table."),
    Rule("STS-2", "law", "The status of a Responses answer maps to an ending by one table."),
    Rule("STS-3", "loss", "The target has one word for several endings, and this one cannot be told from it again."),
    Rule("STS-4", "law", "A pending tool call is never lost from the terminal state."),
    Rule("STS-5", "loss", "The turn is paused, not final, and the target cannot say so."),
    Rule("STS-6", "law", "Chat finish reasons map to Anthropic stop reasons by one table."),
    Rule("STS-7", "law", "One table per protocol holds its endings, for whole answers and streams alike."),
    Rule("STS-8", "loss", "The matched stop sequence has no place in the target."),
    Rule("STS-9", "law", "An answer that failed with an error is that error, and no answer."),
    Rule("STS-10", "info", "The answer does not say how it ended; the target's word follows from its content."),
    Rule("STS-11", "law", "What a client would do next is what survives first."),
    Rule("STS-12", "info", "The ending and the content contradict each other; the content decides."),
    Rule("STS-13", "error", "The answer has not ended, or was given up; it cannot be told as a whole one."),
    # --- FIN: normalised finish reason
    Rule("FIN-1", "law", "Every ending has a normalised reason, with the raw word beside it."),
    Rule("FIN-2", "law", "Natural endings and stop sequences are `stop`."),
    Rule("FIN-3", "law", "Token limits are `length`."),
    Rule("FIN-4", "law", "Endings that wait for tool results are `tool_calls`."),
    Rule("FIN-5", "law", "Moderation is `content_filter`, the model's own refusal is `refusal`."),
    Rule("FIN-6", "law", "Tool-call endings stay distinct from natural ones wherever the target can tell them apart."),
    Rule("FIN-7", "loss", "An ending that no official type knows; the target's word follows from the content."),
    # --- PLC: placement
    Rule("PLC-1", "info", "Instructions of the developer travel as the target's system instructions."),
    Rule("PLC-2", "loss", "Instructions stood where the target does not take them; they are moved."),
    Rule("PLC-3", "error", "The target cannot represent this content, and it may not be dropped."),
    Rule("PLC-4", "loss", "The target says text, reasoning and calls in separate members; their interleaving is lost."),
    Rule(
        "PLC-5", "law", "Results and what the user says next share a turn, results first, where the target wants that."
    ),
    Rule("PLC-6", "law", "Text comes before calls, and calls are never put inside a message's content."),
    Rule("PLC-7", "loss", "The target's tool results hold text only; this part follows in a user turn of its own."),
    Rule("PLC-8", "info", "Parts of text are joined into the one string that the target has for them."),
    Rule("PLC-9", "loss", "The target takes no text that is only white space; it is left out."),
    Rule("PLC-10", "info", "The target takes no empty text; there is nothing to leave out."),
    Rule("PLC-11", "error", "Nothing that the target can say is left of this turn."),
    Rule("PLC-12", "loss", "Nothing that the target can say is left of this assistant turn; it is left out."),
    Rule("PLC-13", "info", "No words are left of these instructions, so the turn that held them is left out."),
    Rule("PLC-14", "loss", "The target does not tell an assistant's commentary from its final answer."),
    Rule("PLC-15", "loss", "The answer was to go on from the assistant's last words; the target begins a new one."),
    Rule("PLC-16", "loss", "The target goes on from the assistant's last words, where the source begins a new answer."),
    Rule("PLC-17", "error", "The target wants at least one message to answer."),
    # --- TUL: tools
    Rule("TUL-1", "error", "Tool arguments must be a JSON object."),
    Rule("TUL-2", "error", "The target has no custom tools."),
    Rule("TUL-3", "error", "A tool result must answer a call of the assistant turn before it."),
    Rule("TUL-4", "loss", "The target cannot mark a tool result as failed; its text travels as it is."),
    Rule("TUL-5", "error", "Legacy function calls and results carry no call id, and none may be guessed."),
    Rule("TUL-6", "loss", "Only the source's provider has this tool; what it defines, calls or gave back is left out."),
    Rule("TUL-7", "loss", "This choice among tools has no place in the target."),
    Rule("TUL-8", "error", "The target does not accept this tool name."),
    Rule("TUL-9", "loss", "A tool setting that only the source's vendor has."),
    Rule("TUL-10", "error", "Every tool call must be answered in the next turn."),
    Rule("TUL-11", "error", "The choice forces a tool that is not defined, or that the target does not have."),
    Rule("TUL-12", "loss", "The choice allows some of the tools only; the definitions of the others are left out."),
    Rule("TUL-13", "info", "The target does not take this call id as it is; it is rewritten, the same everywhere."),
    Rule("TUL-14", "info", "The tool did not fail, which the target takes for granted."),
    Rule("TUL-15", "info", "A setting of how tools are called means nothing here: none can be called."),
    Rule("TUL-16", "error", "Two calls of one turn have the same id."),
    Rule("TUL-17", "info", "The target requires a call id and the source has none; it is minted from the answer's id."),
    Rule("TUL-18", "info", "The model called the tool itself, which the target takes for granted."),
    Rule("TUL-19", "info", "A custom tool is told as a function of one string, `input`, as the caller asked."),
    Rule("TUL-20", "loss", "The grammar of this custom tool is told to the model in words only."),
    Rule("TUL-21", "error", "The arguments of an emulated custom tool must be one string, `input`, and nothing else."),
    Rule("TUL-22", "loss", "The target's account of a web search has no place for this."),
    Rule("TUL-23", "loss", "The target's account of MCP servers and of what they did has no place for this."),
    Rule("TUL-24", "info", "MCP servers are a beta of the target; its header, which no body holds, asks for it."),
    # --- CHO: candidates
    Rule("CHO-1", "error", "The target holds exactly one answer; alternatives are neither merged nor cut."),
    Rule("CHO-2", "error", "The target makes one answer to a request."),
    Rule("CHO-3", "error", "The answer has no text, reasoning, refusal or tool call that the target can say."),
    # --- RSN: reasoning
    Rule("RSN-1", "law", "Effort levels map by name; no thinking budget is invented."),
    Rule("RSN-2", "loss", "How a summary of the reasoning is shown has no equal in the target."),
    Rule("RSN-3", "loss", "A thinking budget becomes the nearest effort, by a table."),
    Rule("RSN-4", "loss", "Only its maker can read this seal of the reasoning; it does not travel."),
    Rule("RSN-5", "loss", "Reasoning without its maker's signature is not replayed."),
    Rule("RSN-6", "loss", "This mode of thinking has no place in the target."),
    Rule("RSN-7", "loss", "Minimal effort becomes no thinking at all."),
    Rule("RSN-8", "info", "The target does not tell a summary of the reasoning from the reasoning itself."),
    Rule("RSN-9", "info", "Another vendor's seal travels in an envelope, from which its maker gets it back as it was."),
    Rule("RSN-10", "loss", "This envelope around a seal is damaged, or of a version that is not known here."),
    # --- STR: streams
    Rule("STR-1", "law", "An event in, events out, as early as the source allows, and nothing is taken back."),
    Rule("STR-2", "error", "The stream ends before its answer does."),
    Rule("STR-3", "law", "Chat chunks become blocks that open, grow and close, one after the other."),
    Rule("STR-4", "loss", "Usage beside content is not the final usage; it is passed over."),
    Rule("STR-5", "error", "A stream towards this target cannot hold this."),
    Rule(
        "STR-6", "law", "Items are added, grow and are done one by one; done events and the end repeat what was said."
    ),
    Rule(
        "STR-7", "law", "Blocks become chunks: role first, a call's id and name with its start, then ending and usage."
    ),
    Rule("STR-8", "law", "Pieces are joined by the source's own key, never by the order in which they come."),
    Rule("STR-9", "error", "The event may not stand here."),
    Rule("STR-10", "law", "Bytes may be split anywhere, and text never is."),
    Rule("STR-11", "law", "A stream converted and then put together is the answer put together and then converted."),
    Rule("STR-12", "law", "An error in mid-stream becomes the target's own error event, and ends the stream."),
    Rule("STR-13", "info", "An option of the stream that the target has no use for."),
    Rule("STR-14", "law", "The same finding in event after event is told once, where it is met first."),
    Rule("STR-15", "error", "More than the limit would have to wait."),
    Rule(
        "STR-16", "loss", "The end of the stream tells the answer otherwise than its events did; what they said counts."
    ),
    # --- R2A: server state
    Rule("R2A-1", "law", "Items that the source has no ids for get them from the answer's id and their index."),
    Rule("R2A-2", "law", "What only one provider has never passes raw into the protocol of another."),
    Rule("R2A-3", "error", "This points at state that only the source's provider holds; inline what it stands for."),
    # --- USE: usage
    Rule(
        "USE-1", "law", "Usage is a disjoint partition; each protocol sums it by its own rule, and unreported is not 0."
    ),
    Rule("USE-2", "info", "The reported sums contradict one another."),
    Rule("USE-3", "info", "The target does not tell the total, which is the sum of what it tells."),
    Rule("USE-4", "info", "A detail of the usage that the target cannot tell."),
    Rule("USE-5", "info", "The target requires usage and the source reports none of it: 0 stands for unknown."),
    Rule("USE-6", "info", "A number of the usage that is told twice; the first counts."),
    # --- ERR: errors
    Rule("ERR-1", "law", "Errors are values; their categories map both ways by one table."),
    Rule("ERR-2", "loss", "The target's error body has no place for this."),
    Rule("ERR-3", "info", "The kind of this error is not known; the target's most general one is used."),
    Rule("ERR-4", "loss", "Details of the error that only the source's vendor gives."),
    Rule("ERR-5", "info", "The error's body has no known shape; its whole text is the message."),
    # --- OUT: output
    Rule("OUT-1", "law", "Structured output is one concept in four spellings."),
    Rule("OUT-2", "info", "The target requires a name for the output's schema; it is minted."),
    Rule("OUT-3", "loss", "The target has no JSON mode without a schema."),
    Rule("OUT-4", "loss", "What is said of the output's schema besides itself has no place in the target."),
    Rule("OUT-5", "loss", "The target has no setting for verbosity."),
    Rule("OUT-6", "loss", "The target makes text only."),
    Rule("OUT-7", "loss", "The target takes no predicted output."),
    Rule("SCH-1", "loss", "The target's strict mode cannot enforce this schema; strictness is left out."),
    Rule("SCH-2", "info", "The target requires the schema to say that it is an object's, and its properties; added."),
    Rule("SCH-3", "error", "A tool's parameters must be the schema of one object."),
    Rule("SCH-4", "error", "The target does not accept this name of a parameter."),
    Rule("SCH-5", "error", "The output's schema must be an object's."),
    Rule("SCH-6", "info", "The target enforces the output's schema and wants its objects closed; this one is."),
    Rule("SCH-7", "loss", "The target cannot enforce this keyword of the output's schema; it is left out."),
    Rule("SCH-8", "error", "The target makes no output with properties that are not listed."),
    # --- CIT: citations
    Rule("CIT-1", "loss", "This citation has no place in the target; the text stays as it is."),
    Rule("CIT-2", "loss", "The target's citations do not hold the cited text."),
    Rule("CIT-3", "loss", "Only its maker can read this reference to a search result."),
    # --- SMP: sampling and limits
    Rule(
        "SMP-1", "info", "The target requires an output limit and the source has none; the documented default is used."
    ),
    Rule("SMP-2", "loss", "The target does not accept this value; it is left out, not clamped."),
    Rule("SMP-3", "loss", "This sampling parameter has no place in the target."),
    Rule("SMP-4", "loss", "Two output limits were given that differ; the newer one counts."),
    Rule("SMP-5", "error", "The target takes fewer stop sequences."),
    Rule("SMP-6", "info", "The parameter asks for what the target does anyway."),
    Rule("SMP-7", "loss", "The target has no place for these log probabilities."),
    # --- CAC: caching
    Rule("CAC-1", "law", "A cache marker stays where it stands; automatic caching is a marker at the prompt's end."),
    Rule("CAC-2", "info", "The target has no such cache lifetime; the next longer one is used."),
    Rule("CAC-3", "loss", "The target has no cache lifetime as long as this; its longest is used."),
    Rule("CAC-4", "loss", "The target takes no cache marker here."),
    Rule("CAC-5", "loss", "This setting of the prompt cache has no place in the target."),
    Rule("CAC-6", "loss", "The target takes fewer cache markers; the earliest are left out."),
    # --- SRC, IMG, AUD, VID, DOC: media
    Rule("SRC-1", "error", "A file id belongs to the provider that stores the file; give the content or a URL."),
    Rule("SRC-2", "error", "The target takes this only as inline data."),
    Rule("SRC-3", "error", "The target does not accept this media type."),
    Rule("SRC-4", "info", "A widespread name of a media type; the target gets the registered one."),
    Rule("IMG-1", "loss", "The target has no level of detail for images."),
    Rule("IMG-2", "info", "The target chooses the level of detail itself, as was asked."),
    Rule("IMG-3", "loss", "How the source's provider may transform an image has no place in the target."),
    Rule("AUD-1", "error", "The target takes no audio."),
    Rule("AUD-2", "loss", "The target has no spoken answers; the transcript travels as text."),
    Rule("AUD-3", "loss", "A spoken answer is named by an id that only the source's provider can resolve."),
    Rule("VID-1", "error", "The target takes no video."),
    Rule("DOC-1", "loss", "What is said about this document besides its content has no place in the target."),
    Rule("DOC-2", "info", "The target requires a file name and the source has none; it is minted."),
    Rule("DOC-3", "loss", "The document's parts travel one by one; that they are one document is lost."),
    Rule("DOC-4", "loss", "The search result's text travels; that it is a search result is lost."),
    Rule("DOC-5", "loss", "A vendor's dialect names documents by URL; no official type of the source knows that."),
    # --- SVC, USR, MOD, HST, CTX, DGN: the vendor's service
    Rule("SVC-1", "loss", "The target has no such service tier."),
    Rule("SVC-2", "loss", "The target does not store answers on request."),
    Rule("SVC-3", "loss", "A setting of the source vendor's billing or of its fallback models."),
    Rule("SVC-4", "loss", "Where the source's vendor may process the request has no place in the target."),
    Rule("SVC-5", "loss", "The target answers at once, not in the background."),
    Rule("USR-1", "law", "The id of the person who asks is carried."),
    Rule("USR-2", "loss", "A second identity of the person who asks has no place in the target."),
    Rule("USR-3", "loss", "The target keeps no such metadata."),
    Rule("USR-4", "loss", "The target's messages carry no participant's name."),
    Rule("MOD-1", "loss", "Moderation beside the answer is the source vendor's own."),
    Rule("HST-1", "loss", "A container of the source's provider means nothing to the target."),
    Rule("CTX-1", "loss", "How the source's provider edits or bounds the context has no place in the target."),
    Rule("DGN-1", "info", "Diagnostics of the source's provider about its own service."),
    # --- ENV: envelope
    Rule("ENV-1", "info", "A fact of the envelope that has no place in the target."),
    Rule(
        "ENV-2", "info", "The target requires a fact of the envelope that the source lacks; it is minted as documented."
    ),
    Rule("ENV-3", "info", "Where and how the answer was made has no place in the target."),
    Rule("ENV-4", "info", "The version of the source's API is not the target's."),
    Rule("ENV-5", "loss", "The target's body names the model and the source's does not; the option `model` gives it."),
    Rule("ENV-6", "error", "The target requires an answer's id and model."),
    Rule("ENV-7", "info", "A member that is there and says nothing."),
    Rule("ENV-8", "loss", "What the source's provider shall add to its answer has no place in the target."),
    # --- UNK: unknown
    Rule("UNK-1", "loss", "No official type knows this member."),
    Rule("UNK-2", "loss", "No official type knows this kind of content; it is left out."),
    Rule("UNK-3", "loss", "No official type knows this kind of tool; it is left out."),
    Rule("UNK-4", "loss", "No official type knows this value."),
    Rule("UNK-5", "error", "No official type knows this kind of content, and it may not be dropped."),
    # --- SHP: wrong shapes
    Rule("SHP-1", "error", "The value has the wrong type."),
    Rule("SHP-2", "error", "A required member is absent."),
    Rule("SHP-3", "error", "The value is none of those that may stand here."),
    Rule("SHP-4", "error", "The members contradict one another."),
    Rule("SHP-5", "error", "This content may not stand here."),
    Rule("SHP-6", "error", "The payload is not JSON."),
    Rule("SHP-7", "error", "The value cannot be written as JSON."),
    Rule("SHP-8", "error", "The payload does not show what it is; give its kind."),
    Rule("SHP-9", "error", "This pair or kind of conversion does not exist."),
    # --- LOS: accounting
    Rule("LOS-1", "law", "Every leaf of the source arrives, is named by a diagnostic, or stops the conversion."),
    Rule("LOS-2", "law", "A diagnostic has a rule id, the rule's severity, a pointer and a message."),
    Rule("LOS-3", "law", "What nobody knows is kept for its own protocol and given back to it unchanged."),
    Rule("LOS-4", "law", "Into its own protocol a payload comes back as it was."),
)

RULES: dict[str, Rule] = {rule.id: rule for rule in _ALL}
ERRORS = frozenset(rule.id for rule in _ALL if rule.severity == "error")
LOSSES = frozenset(rule.id for rule in _ALL if rule.severity == "loss")
