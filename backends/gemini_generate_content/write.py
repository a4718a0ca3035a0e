"""Writes requests, responses, errors and their content as generateContent: canonical output, from a legal tree."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any
from urllib.parse import quote

from proxai_ir import ir
from proxai_ir.ir.envelope import holds_envelope
from proxai_ir.ir.response import UNKNOWN
from proxai_ir.schemas.openapi import legal
from proxai_ir.targets.settings import Server
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google

from .._google.writing import headers_of, signature
from .._google.writing import raise_usage as token_counts
from .._lib.writing import Json, Object, arguments, base64_of, filler, put, raw, whole, with_extra
from .._lib.writing import route as routed

# --- parts ------------------------------------------------------------------------------------------------------------

BETWEEN_TEXTS = "\n"


class Contents:
    """Writes the turns of one conversation.

    It keeps the names of called functions by the ids of their calls, as results need them too (TUL-3).
    """

    def __init__(self, server: Server) -> None:
        self._ids = server.call_ids
        self._names: dict[str | None, str] = {}

    def content(self, turn: ir.Turn) -> Object:
        role = wire.MODEL if turn.role is ir.ASSISTANT else wire.USER
        built: Object = {"role": role, "parts": self.parts(turn.parts)}
        return built if turn.extra is None else with_extra(built, turn)

    def parts(self, parts: list[ir.Part]) -> list[Object]:
        made: list[Object] = []
        for part in parts:
            cls = type(part)
            if cls is ir.Text and part.extra is None and part.seal is None:  # type: ignore[union-attr]
                made.append({"text": part.text})  # type: ignore[union-attr]
            elif cls is ir.FunctionCall:
                made.append(self.call(part))  # type: ignore[arg-type]
            elif cls is ir.ToolResult:
                made.append(self._result(part))  # type: ignore[arg-type]
            elif not is_source(part):  # sources are written by Grounding
                made.append(BUILD[cls](part))
        return made

    def call(self, part: ir.FunctionCall) -> Object:
        self._names[part.id] = part.name
        given = part.arguments
        if type(given) is not dict:
            given = arguments(given, (part, "arguments"))
        call: Object = {"name": part.name, "args": given}
        if self._ids and part.id:
            call["id"] = part.id
        return finish({"functionCall": call}, part)

    def _result(self, part: ir.ToolResult) -> Object:
        name = self._names.get(part.call_id, "") if part.name is None else part.name
        result: Object = {"name": name, "response": response_of(part)}
        if self._ids and part.call_id:
            result["id"] = part.call_id
        media = [BUILD[type(one)](one) for one in part.parts if type(one) is not ir.Text]
        if media:
            result["parts"] = media
        return finish({"functionResponse": result}, part)


def response_of(part: ir.ToolResult) -> Object:
    """Return the text of a result as an object: the one whose JSON it is, else one with the text under the documented
    key."""
    texts = [one.text for one in part.parts if type(one) is ir.Text]
    if not texts:
        return {wire.FAILURE: ""} if part.is_error else {}
    text = BETWEEN_TEXTS.join(texts)
    if part.is_error:
        return {wire.FAILURE: text}
    found = compact_object(text)
    return {wire.OUTPUT: text} if found is None else found


REFERENCE = '"$ref":'
"""In compact JSON this is a member's name and nothing else: the quotes of a value are escaped."""


def compact_object(text: str) -> Object | None:
    """Return the object whose JSON text this is, if this library would write the same text.

    `output` or `error` alone means something else, and so does an object in which `$ref` would name a part with media
    (TUL-73).
    """
    if not text.startswith("{") or REFERENCE in text:
        return None
    try:
        found = json.loads(text)
        again = json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return None
    meant = not isinstance(found, dict) or found.keys() in ({wire.OUTPUT}, {wire.FAILURE})
    return None if again != text or meant else found


def finish(built: Object, part: Any) -> Object:
    """Return a part with its signature and its unmapped members."""
    if getattr(part, "seal", None) is not None:
        built["thoughtSignature"] = signature(part.seal)
    return with_extra(built, part)


def _text(part: ir.Text | ir.Refusal) -> Object:
    return finish({"text": part.text}, part)


def thought(text: str, part: ir.Reasoning) -> Object:
    """Return a text of reasoning; one with only a signature of Google's is no thought (RSN-28)."""
    seal = part.seal
    alone = part.text is None and seal is not None and seal.provider == google.PROVIDER and not holds_envelope(seal)
    return {"text": text} if alone else {"text": text, "thought": True}


# --- media ------------------------------------------------------------------------------------------------------------


def source(given: ir.Source, title: str | None = None) -> Object:
    """Return the member that holds data, or the URI of a file."""
    built: Object
    if isinstance(given, ir.Inline):
        key, built = "inlineData", {"mimeType": given.mime, "data": given.data}
    elif isinstance(given, ir.PlainText):
        key, built = "inlineData", {"mimeType": given.mime, "data": base64_of(given.text, (given, "text"))}
    elif isinstance(given, (ir.Url, ir.FileRef)):
        uri = given.url if isinstance(given, ir.Url) else given.id
        key, built = "fileData", put({}, mimeType=given.mime, fileUri=uri)
    else:
        raise AssertionError(f"{type(given).__name__} is not legal here")
    put(built, displayName=title)
    return {key: with_extra(built, given)}


def _media(part: ir.Image | ir.Audio | ir.Video | ir.Document) -> Object:
    built = source(part.source, part.title if isinstance(part, ir.Document) else None)
    if isinstance(part, ir.Image) and part.detail is not None:
        built["mediaResolution"] = {"level": wire.RESOLUTION_OF[part.detail]}
    return finish(built, part)


# --- what the provider runs itself ------------------------------------------------------------------------------------


def _code_call(part: ir.CodeCall) -> Object:
    run: Object = {"language": wire.LANGUAGE_OF[part.language], "code": part.code}
    if part.id:
        run["id"] = part.id
    return finish({"executableCode": run}, part)


def _code_result(part: ir.CodeResult) -> Object:
    failed = part.exit_code or part.error is not None
    result: Object = {"outcome": wire.OUTCOME_FAILED if failed else wire.OUTCOME_OK}
    if part.error is not None and part.error.startswith("OUTCOME_"):
        result["outcome"] = part.error
    result["output"] = part.stdout or part.stderr or ""
    if part.call_id:
        result["id"] = part.call_id
    return finish({"codeExecutionResult": result}, part)


def _web_search(part: ir.WebSearchCall) -> Object:
    call = {"toolType": wire.WEB_SEARCH, "args": {wire.QUERIES: part.queries}, "id": part.id}
    return finish({"toolCall": call}, part)


def _web_result(part: ir.WebSearchResult) -> Object:
    return finish({"toolResponse": {"toolType": wire.WEB_SEARCH, "response": {}, "id": part.call_id}}, part)


def is_source(part: ir.Part) -> bool:
    """Return whether a part is a search that is written as grounding metadata only."""
    if not isinstance(part, SEARCHES):
        return False
    kept = None if part.extra is None else part.extra.fields
    return kept is None or kept.keys().isdisjoint(("toolCall", "toolResponse"))


SEARCHES = (ir.WebSearchCall, ir.WebSearchResult)
BUILD: dict[type, Callable[[Any], Object]] = {
    ir.Text: _text,
    ir.Refusal: _text,
    ir.Reasoning: lambda part: finish(thought(part.text or "", part), part),
    **dict.fromkeys((ir.Image, ir.Audio, ir.Video, ir.Document), _media),
    ir.CodeCall: _code_call,
    ir.CodeResult: _code_result,
    ir.WebSearchCall: _web_search,
    ir.WebSearchResult: _web_result,
    **dict.fromkeys((ir.HostedCall, ir.HostedResult, ir.VendorPart, ir.UnknownPart), raw),
}


# --- tools ------------------------------------------------------------------------------------------------------------


def put_tools(built: Object, request: ir.Request, json_schemas: bool) -> None:
    """Write all functions in one object, all MCP servers in another, and each other tool in its own.

    The tools of a request of this protocol keep their order.
    """
    each = [_member(tool, json_schemas) for tool in request.tools or ()]
    if request.protocol != wire.NAME:
        each.sort(key=lambda one: ORDER.get(one[0], 1))
    made: list[Object] = []
    for key, members in groupby(each, lambda one: one[0]):
        values = [value for _, value in members]
        made += [{key: values}] if key in wire.LISTED else [{key: value} for value in values]
    if made:
        built["tools"] = made


ORDER = {wire.FUNCTIONS: 0, wire.MCP_SERVERS: 2}


def _member(tool: Any, json_schemas: bool) -> tuple[str, Json]:
    """Return the member for a tool in an object of the array, and its value."""
    if isinstance(tool, ir.FunctionTool):
        built = put({"name": tool.name}, description=tool.description)
        if tool.parameters is not None:
            built["parametersJsonSchema" if json_schemas else "parameters"] = tool.parameters
        return wire.FUNCTIONS, built if tool.extra is None else with_extra(built, tool)
    if isinstance(tool, ir.McpServer):
        transport = put({"url": tool.url}, headers=headers_of(tool))
        return wire.MCP_SERVERS, with_extra({"name": tool.name, "streamableHttpTransport": transport}, tool)
    if isinstance(tool, ir.CodeTool):  # its unmapped members, and those of a search, stand in the object inside
        return wire.CODE_TOOL, with_extra({}, tool)
    if isinstance(tool, ir.WebSearchTool):
        key = tool.kind if tool.kind in wire.SEARCH_TOOLS else wire.SEARCH_TOOL
        if tool.searches == [wire.ENTERPRISE]:
            return wire.ENTERPRISE_TOOL, with_extra(put({}, excludeDomains=tool.blocked_domains), tool)
        types: Object = {wire.SEARCH_TYPE_OF[one]: {} for one in tool.searches or ()}
        return key, with_extra(put({}, searchTypes=types or None, excludeDomains=tool.blocked_domains), tool)
    ((key, value),) = tool.raw.items()
    return key, value


def put_choice(built: Object, request: ir.Request) -> None:
    config: Object = {}
    choice = request.tool_choice
    if isinstance(choice, ir.Choice):
        config = {"mode": wire.MODE_OF[choice.mode]}
    elif isinstance(choice, ir.NamedChoice):
        config = {"mode": "ANY", "allowedFunctionNames": [choice.name]}
    elif isinstance(choice, ir.AllowedChoice):
        mode = "ANY" if choice.mode is ir.ChoiceMode.REQUIRED else "VALIDATED"
        config = {"mode": mode, "allowedFunctionNames": [name for _, name in choice.tools]}
    if choice is not None:
        with_extra(config, choice)
    if config:
        built["toolConfig"] = {"functionCallingConfig": config}


# --- request ----------------------------------------------------------------------------------------------------------


def raise_request(request: ir.Request, server: Server) -> Object:
    built: Object = {}
    contents = Contents(server)
    turns = request.turns or []
    if turns and turns[0].role is ir.SYSTEM:
        built["systemInstruction"] = with_extra({"parts": contents.parts(turns[0].parts)}, turns[0])
        turns = turns[1:]
    built["contents"] = [contents.content(turn) for turn in turns]
    put_tools(built, request, server.json_schemas)
    put_choice(built, request)
    config = _generation(request, server)
    if config:
        built["generationConfig"] = config
    service = request.service
    if service is not None:
        tier = None if service.tier is None else google.TIER_OF[service.tier]
        put(built, serviceTier=tier, labels=service.metadata, store=service.store)
    if "model" in with_extra(built, request) and wire.model_name(built["model"]) != request.model:
        built["model"] = request.model
    return built


SAMPLING = filler(**{key: member.field for key, member in wire.SAMPLING.plain().items()})


def _generation(request: ir.Request, server: Server) -> Object:
    built: Object = {}
    if request.sampling is not None:
        SAMPLING(built, request.sampling)
    put(built, maxOutputTokens=request.max_tokens)
    if request.output is not None:
        _output(built, request.output, server.json_schemas)
    if request.thinking is not None:
        thinking = _thinking(request.thinking)
        if thinking:
            built["thinkingConfig"] = thinking
    return built


def _thinking(thinking: ir.Thinking) -> Object:
    built: Object = {}
    if thinking.effort is not None:
        built["thinkingLevel"] = wire.LEVEL_OF[thinking.effort]
    budget = thinking.budget
    if budget is None and thinking.mode is not None:
        budget = wire.NO_BUDGET if thinking.mode is ir.ThinkingMode.DISABLED else wire.ADAPTIVE_BUDGET
    put(built, thinkingBudget=budget)
    if thinking.display is not None:
        built["includeThoughts"] = thinking.display is ir.Display.SUMMARIZED
    return built


def _output(built: Object, output: ir.Output, json_schemas: bool) -> None:
    wanted = output.format
    if isinstance(wanted, ir.PlainFormat):
        built["responseMimeType"] = google.PLAIN
    elif isinstance(wanted, ir.EnumFormat):
        built |= {"responseMimeType": wire.ENUM, "responseSchema": legal(wanted.schema)[0]}
    elif wanted is not None:
        built["responseMimeType"] = google.JSON
        if isinstance(wanted, ir.SchemaFormat) and wanted.schema is not None:
            built["responseJsonSchema" if json_schemas else "responseSchema"] = wanted.schema
    if output.modalities is not None:
        built["responseModalities"] = [one.upper() for one in output.modalities]
    if output.audio is not None:
        speech: Object = put({}, languageCode=output.audio.language)
        if output.audio.voice is not None:
            speech["voiceConfig"] = {"prebuiltVoiceConfig": {"voiceName": output.audio.voice}}
        if output.audio.speakers is not None:
            voices = [
                {"speaker": speaker, "voiceConfig": {"prebuiltVoiceConfig": {"voiceName": voice}}}
                for speaker, voice in output.audio.speakers.items()
            ]
            speech["multiSpeakerVoiceConfig"] = {"speakerVoiceConfigs": voices}
        if speech:
            built["speechConfig"] = speech
    if output.picture is not None:
        built["imageConfig"] = put({}, aspectRatio=output.picture.aspect_ratio, imageSize=output.picture.size)


def _path(model: str, streams: bool) -> str:
    return f"/v1beta/{_resource(model)}:{'streamGenerateContent?alt=sse' if streams else 'generateContent'}"


def route(root: Any, server: Server) -> dict[str, Any]:
    return routed(root, server, _path)


def _resource(model: str) -> str:
    """Return a model name as a path of the API.

    The name of a resource stays as it is, any other one is that of a model; it is quoted, so that a client's word
    reaches no other part of the URL.
    """
    if "/" in model and all(segment.strip(".") for segment in model.split("/")):
        return quote(model, safe="/@", errors="replace")
    return f"models/{quote(model, safe='@', errors='replace')}"


# --- error ------------------------------------------------------------------------------------------------------------

VAGUE = (ir.ErrorCategory.INVALID_REQUEST, ir.ErrorCategory.SERVER, ir.ErrorCategory.UNKNOWN)
"""Categories that the HTTP status may make more precise."""


def raise_error(error: ir.Error, server: Server) -> Json:
    """Return an error body.

    It repeats the HTTP status, which is more precise than the categories of some protocols.
    """
    if error.verbatim:
        return whole(error)
    status = server.status if error.status is None else error.status
    category = ir.by_status(status) if status and error.category is ir.ErrorCategory.SERVER else error.category
    word, usual = wire.STATUS_OF[category]
    if category in VAGUE:
        word = wire.STATUS_OF_HTTP.get(status or 0, word)
    own = google.STATUS.get(error.type or "")
    if error.type is not None and own is not None and (own is error.category or error.type in google.GENERIC_STATUS):
        word = error.type
    stated = error.protocol != wire.NAME  # a status that an error of this protocol does not state is unknown
    built = put({}, code=status or (usual if stated else None), message=error.message)
    put(built, status=word if stated or error.type is not None else None, details=_details(error) or None)
    return with_extra({"error": built}, error)


def _details(error: ir.Error) -> list[Object]:
    """Return the facts that have no member of their own as Google's standard messages."""
    made: list[Object] = []
    if isinstance(error.code, str):
        made.append({"@type": wire.ERROR_INFO, "reason": error.code})
    if error.param is not None:
        made.append({"@type": wire.BAD_REQUEST, "fieldViolations": [{"field": error.param}]})
    if error.retry_after is not None:
        made.append({"@type": wire.RETRY_INFO, "retryDelay": f"{error.retry_after:.9f}".rstrip("0").rstrip(".") + "s"})
    return made


# --- grounding --------------------------------------------------------------------------------------------------------
# The sources of a response: searches, pages, and the spans of the text that cite them (CIT-1, TUL-22). The IR counts
# the characters of a part, this protocol the bytes of its UTF-8.

MOST_QUOTED = 2000  # characters of a span whose text is repeated


class Grounding:
    """Collects the sources of a candidate, in the order of its parts.

    _indexes     the index of the part of each written text
    _texts       the pieces of each
    _numbers     its number, by the id of the node
    _citations   each with the number of its text
    _numbers_of  the index of a page in _pages, by its URL and then its title
    """

    def __init__(self) -> None:
        self._indexes: list[int] = []
        self._texts: list[list[str]] = []
        self._numbers: dict[int, int] = {}
        self._citations: list[tuple[ir.UrlCitation, int]] = []
        self._supports_of_own: list[Object] = []
        self._queries: list[str] = []
        self._pages: list[tuple[str, str | None]] = []
        self._numbers_of: dict[str, dict[str | None, int]] = {}

    def search(self, part: ir.WebSearchCall | ir.WebSearchResult) -> None:
        if isinstance(part, ir.WebSearchCall):
            self._queries += part.queries
        else:
            for hit in part.hits:
                self._page(hit.url, hit.title)

    def begin(self, text: ir.Text, index: int) -> None:
        """Begin a text, which is part number `index`."""
        self._numbers[id(text)] = len(self._texts)
        self._indexes.append(index)
        self._texts.append([])

    def add(self, text: str) -> None:
        self._texts[-1].append(text)

    def cite(self, citation: ir.Citation, text: ir.Text) -> None:
        if isinstance(citation, ir.UrlCitation):
            self._citations.append((citation, self._numbers[id(text)]))
        elif isinstance(citation, ir.SourceCitation):
            self._supports_of_own.append(citation.raw)

    def written(self) -> Object:
        """Return `groundingMetadata`, empty if there is nothing to write."""
        built: Object = {}
        if self._queries:
            built["webSearchQueries"] = self._queries
        supports = self._supports() + self._supports_of_own
        if self._pages:
            pages = [put({"uri": url}, title=title) for url, title in self._pages]
            built["groundingChunks"] = [{"web": page} for page in pages]
        if supports:
            built["groundingSupports"] = supports
        return built

    def _page(self, url: str, title: str | None) -> int:
        """Return the number of a page; a search and a citation may both name the same URL and title."""
        known = self._numbers_of.setdefault(url, {})
        if title in known:
            return known[title]
        if known and not title:
            return next(iter(known.values()))
        number = known[title] = known.pop(None, len(self._pages))
        self._pages[number : number + 1] = [(url, title)]
        return number

    def _supports(self) -> list[Object]:
        """Return one support for each span, with all pages that are cited there."""
        found: dict[tuple[int, int, int], list[int]] = {}
        wordings = ["".join(pieces) for pieces in self._texts] if self._citations else []
        for citation, at in self._citations:
            pages = found.setdefault(_span(citation, at, wordings), [])
            page = self._page(citation.url, citation.title)
            if page not in pages[-1:]:
                pages.append(page)
        bytes_of: dict[int, Sequence[int]] = {}  # for each text, the bytes before each character
        begins = self._begins(wordings)
        supports: list[Object] = []
        for (at, start, end), pages in found.items():
            text = wordings[at]
            if at not in bytes_of:
                bytes_of[at] = google.byte_offsets(text)
            offsets = bytes_of[at]
            first, last = (offsets[min(one, len(text))] + max(one - len(text), 0) for one in (start, end))
            segment = put({}, partIndex=self._indexes[at] or None)
            segment |= {"startIndex": begins[at] + first, "endIndex": begins[at] + last}
            if end - start <= MOST_QUOTED:
                segment["text"] = text[start:end]
            supports.append({"segment": segment, "groundingChunkIndices": pages})
        return supports

    def _begins(self, wordings: list[str]) -> list[int]:
        """Return where each text begins in its part, in bytes: clients of a stream join adjacent texts."""
        begins = list[int]()
        for at, index in enumerate(self._indexes[: len(wordings)]):
            goes_on = at > 0 and index == self._indexes[at - 1]
            begins.append(begins[-1] + google.byte_offsets(wordings[at - 1])[-1] if goes_on else 0)
        return begins


def _span(citation: ir.UrlCitation, at: int, texts: list[str]) -> tuple[int, int, int]:
    """Return the number of the text in which a cited passage begins, and the span there.

    A citation without a span is of its whole text.
    """
    start = citation.start or 0
    end = len(texts[at]) if citation.end is None else citation.end
    while start < 0 < at:
        at -= 1
        start, end = start + len(texts[at]), end + len(texts[at])
    return at, max(start, 0), max(end, 0)


# --- response ---------------------------------------------------------------------------------------------------------


def raise_response(response: ir.Response, server: Server) -> Object:
    contents = Contents(server)
    built: Object = {}
    own = response.protocol == wire.NAME
    if _is_blocked(response):
        blocked = response.candidates[0].terminal
        built["promptFeedback"] = put({"blockReason": blocked.raw}, blockReasonMessage=blocked.message)
    else:
        built["candidates"] = [candidate(index, one, contents, own) for index, one in enumerate(response.candidates)]
    if response.usage is not None or response.tier is not None:
        built["usageMetadata"] = raise_usage(response.usage, response.tier, own)
    built |= envelope(response)
    with_extra(built, response)
    if response.model is not None and wire.model_name(built["modelVersion"]) != response.model:  # it was replaced
        built["modelVersion"] = response.model
    return built


def _is_blocked(response: ir.Response) -> bool:
    """Return whether the only candidate was read from a blocked prompt of this protocol."""
    feedback = (response.extra.fields or {}).get("promptFeedback") if response.extra is not None else None
    if not feedback or len(response.candidates) != 1:
        return False
    return response.candidates[0].terminal.raw == feedback.get("blockReason") and not response.candidates[0].parts


def envelope(response: ir.Response) -> Object:
    """Return the members that all chunks of a stream repeat."""
    return put({}, modelVersion=response.model, responseId=response.id)


def candidate(index: int, given: ir.Candidate, contents: Contents, own: bool) -> Object:
    """Return a candidate; one of this protocol (`own`) keeps its own grounding."""
    turn = given.turns[0] if given.turns else None
    built: Object = {"content": {"parts": contents.parts(turn.parts) if turn else [], "role": wire.MODEL}}
    if turn is not None:
        with_extra(built["content"], turn)
    built |= ending(given.terminal, own)
    if index or not own:
        built["index"] = index
    kept = (given.extra.fields or {}) if given.extra is not None else {}
    grounding = grounding_of(turn).written() if turn is not None and kept.keys().isdisjoint(wire.SOURCES) else {}
    if grounding:
        built["groundingMetadata"] = grounding
    if given.logprobs is not None:
        built["logprobsResult"] = logprobs_of(given.logprobs)
    return with_extra(built, given)


def grounding_of(turn: ir.Turn) -> Grounding:
    made = Grounding()
    index = 0
    for part in turn.parts:
        if isinstance(part, SEARCHES) and is_source(part):
            made.search(part)
            continue
        if isinstance(part, ir.Text):
            made.begin(part, index)
            made.add(part.text)
            for citation in part.citations or ():
                made.cite(citation, part)
        index += 1
    return made


def ending(terminal: ir.Terminal, own: bool) -> Object:
    """Return the members that state how a response ended; `own`: it is of this protocol, whose word is kept."""
    word: str | None = wire.FINISH_OF[terminal.reason]
    if own and wire.REASON_OF.get(terminal.raw or "", UNKNOWN) is terminal.reason:
        word = terminal.raw
    return with_extra(put({}, finishReason=word, finishMessage=terminal.message), terminal)


def logprobs_of(logprobs: ir.LogProbs) -> Object:
    """Return the chosen tokens, and the likeliest ones at each position in a list of their own."""
    tokens = logprobs.text or []
    built: Object = {"chosenCandidates": [_token(one) for one in tokens]}
    if any(one.top is not None for one in tokens):
        built["topCandidates"] = [{"candidates": [_token(top) for top in one.top or ()]} for one in tokens]
    return with_extra(built, logprobs)


def _token(token: ir.ScoredToken) -> Object:
    return with_extra(put({"token": token.text, "logProbability": token.logprob}, tokenId=token.id), token)


# --- usage ------------------------------------------------------------------------------------------------------------


def raise_usage(usage: ir.Usage | None, tier: ir.Tier | None = None, own: bool = False) -> Object:
    built = {} if usage is None else token_counts(usage, wire.TOKENS, own)
    return put(built, serviceTier=None if tier is None else google.TIER_OF[tier])
