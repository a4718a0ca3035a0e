"""The members of each object of generateContent that is not free-form JSON, and the other spellings of each.

A member is `name`, `name=kind` or `name=kind!rule`, with the rule that reports its loss if only this protocol has it:

    !ABC-1       that rule; `!` alone: the IR holds the same, or nothing is lost
    !ABC-1?      no loss where it is an empty list or object
    !ABC-1~word  info SMP-6 where it is that word (without a word: `false`), which every target does anyway
    !ABC-1^word  info ENV-7 where it is that word, a zero value without a meaning
    !name        depends on the value otherwise: a function of `_values`

`*`: the rule of all members that are not known.

Proto JSON has several spellings of one message: members in camelCase, which is canonical, or in the proto's
snake_case; words of enums, which Google's servers take in any case, or their numbers; integers as strings or with a
fraction of 0; and one object in place of an array of one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..json.classes import frozen
from . import filled, unless
from . import gemini_generate_content_values as values
from .objects import Rule

UPPER, LOWER, INTEGER, NUMBER = "WORD", "word", "int", "num"
"""Kinds of values besides objects: words of enums by their case, integers, numbers."""

_NUMBERED = {
    "#Language": "LANGUAGE_UNSPECIFIED PYTHON",
    "#Outcome": "OUTCOME_UNSPECIFIED OUTCOME_OK OUTCOME_FAILED OUTCOME_DEADLINE_EXCEEDED",
    "#Modality": "MODALITY_UNSPECIFIED TEXT IMAGE VIDEO AUDIO DOCUMENT",
    "#Mode": "MODE_UNSPECIFIED AUTO ANY NONE",
    "#OutputModality": "MODALITY_UNSPECIFIED TEXT IMAGE AUDIO VIDEO",
    "#Resolution": "MEDIA_RESOLUTION_UNSPECIFIED MEDIA_RESOLUTION_LOW MEDIA_RESOLUTION_MEDIUM MEDIA_RESOLUTION_HIGH",
    "#Behavior": "UNSPECIFIED BLOCKING NON_BLOCKING",
    "#Scheduling": "SCHEDULING_UNSPECIFIED SILENT WHEN_IDLE INTERRUPT",
    "#Threshold": """
        HARM_BLOCK_THRESHOLD_UNSPECIFIED BLOCK_LOW_AND_ABOVE BLOCK_MEDIUM_AND_ABOVE BLOCK_ONLY_HIGH BLOCK_NONE OFF
        """,
    "#BlockReason": "BLOCK_REASON_UNSPECIFIED SAFETY OTHER BLOCKLIST PROHIBITED_CONTENT IMAGE_SAFETY",
    "#FinishReason": """
        FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION OTHER LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII
        MALFORMED_FUNCTION_CALL IMAGE_SAFETY UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS IMAGE_PROHIBITED_CONTENT
        IMAGE_OTHER NO_IMAGE IMAGE_RECITATION
        """,
    "#VertexBlockReason": """
        BLOCKED_REASON_UNSPECIFIED SAFETY OTHER BLOCKLIST PROHIBITED_CONTENT MODEL_ARMOR
        """,
    "#VertexFinishReason": """
        FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION OTHER BLOCKLIST PROHIBITED_CONTENT SPII
        MALFORMED_FUNCTION_CALL MODEL_ARMOR IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION IMAGE_OTHER
        UNEXPECTED_TOOL_CALL NO_IMAGE
        """,
}
NUMBERED = {kind: tuple(words.split()) for kind, words in _NUMBERED.items()}
"""Enums whose words proto JSON may write as numbers, each word at its number, as Google's two APIs define them.

Of an enum that is not here, or that the two number otherwise, a number is a word that is not known."""

_MEMBERS = {
    "Request": """
        model! contents=[Content] systemInstruction=Content generationConfig=GenerationConfig tools=[Tool]
        toolConfig=ToolConfig safetySettings=[SafetySetting]!safety cachedContent!R2A-3 labels
        serviceTier=word!UNK-4~unspecified store modelArmorConfig=ModelArmorConfig!MOD-1? continuationToken!CTX-1
        automaticContinuation!CTX-1~ generationOutputConfig!SVC-3
        """,
    "Content": "role! parts=[Part]!",
    "Part": """
        text thought!thought thoughtSignature!RSN-4 inlineData=Blob fileData=FileData functionCall=FunctionCall
        functionResponse=FunctionResponse executableCode=ExecutableCode codeExecutionResult=CodeExecutionResult
        toolCall=ToolCall toolResponse=ToolResponse videoMetadata=VideoMetadata!VID-2? mediaResolution=MediaResolution
        partMetadata!USR-3? audioTranscription mediaProcessing!VID-2 speechMetadata!OUT-6 documentMetadata!DOC-1?
        spreadsheetMetadata!DOC-1? audioMetadata!VID-2?
        """,
    "ResultPart": """
        inlineData=Blob fileData=FileData videoMetadata=VideoMetadata mediaResolution=MediaResolution mediaProcessing
        documentMetadata spreadsheetMetadata audioMetadata
        """,
    "Blob": "mimeType data displayName!DOC-1",
    "FileData": "mimeType fileUri displayName!DOC-1",
    "VideoMetadata": "startOffset endOffset fps=num contentLayers",
    "MediaResolution": "level=#Resolution!IMG-3^MEDIA_RESOLUTION_UNSPECIFIED numTokens=int!IMG-3",
    "FunctionCall": "id name args partialArgs=[PartialArg]!TUL-9? willContinue!TUL-9~",
    "PartialArg": "boolValue jsonPath nullValue numberValue=num stringValue willContinue",
    "FunctionResponse": """
        id! name! response! parts=[ResultPart]!UNK-2 scheduling=#Scheduling!TUL-9~SCHEDULING_UNSPECIFIED
        willContinue!TUL-9~
        """,
    "ExecutableCode": "id language=#Language code",
    "CodeExecutionResult": "id outcome=#Outcome!^OUTCOME_UNSPECIFIED output",
    "ToolCall": "id toolType=WORD args",
    "ToolResponse": "id toolType=WORD response!suggestions",
    "GenerationConfig": """
        temperature=num topP=num topK=int candidateCount=int maxOutputTokens=int stopSequences seed=int
        presencePenalty=num frequencyPenalty=num responseLogprobs logprobs=int responseMimeType!mime
        responseSchema!SCH-8 responseJsonSchema!SCH-8 _responseJsonSchema!SCH-8 responseFormat=[ResponseFormat]!formats
        responseModalities=#OutputModality!modalities thinkingConfig=ThinkingConfig speechConfig=SpeechConfig
        imageConfig=ImageConfig!OUT-6? mediaResolution=#Resolution!resolution
        audioTimestamp!OUT-6~ enableAffectiveDialog!OUT-6~ enableEnhancedCivicAnswers!MOD-1~
        translationConfig=TranslationConfig!OUT-6? audioTranscriptionConfig!OUT-6? modelSelectionConfig!SVC-3
        routingConfig!SVC-3
        """,
    "ResponseFormat": "text=TextFormat audio image video",
    "TextFormat": "mimeType schema",
    "ThinkingConfig": """
        includeThoughts thinkingBudget=int!UNK-4 thinkingLevel=WORD!UNK-4^THINKING_LEVEL_UNSPECIFIED
        """,
    "SpeechConfig": "voiceConfig=VoiceConfig languageCode!OUT-6 multiSpeakerVoiceConfig=MultiSpeaker!OUT-6",
    "MultiSpeaker": "speakerVoiceConfigs=[Speaker]",
    "Speaker": "speaker voiceConfig=VoiceConfig",
    "VoiceConfig": "prebuiltVoiceConfig=PrebuiltVoice replicatedVoiceConfig!OUT-6 voice!OUT-6",
    "PrebuiltVoice": "voiceName",
    "ImageConfig": """
        aspectRatio imageSize personGeneration prominentPeople outputMimeType outputCompressionQuality
        imageOutputOptions=ImageOptions
        """,
    "ImageOptions": "mimeType compressionQuality",
    "TranslationConfig": "echoTargetLanguage targetLanguageCode",
    "Tool": """
        functionDeclarations=[Function] googleSearch=GoogleSearch googleSearchRetrieval=GoogleSearchRetrieval
        enterpriseWebSearch=GoogleSearch codeExecution urlContext googleMaps=GoogleMaps fileSearch=FileSearch
        computerUse=ComputerUse mcpServers=[McpServer] retrieval parallelAiSearch exaAiSearch
        """,
    "Function": """
        name description parameters parametersJsonSchema response!TUL-9? responseJsonSchema!TUL-9?
        behavior=#Behavior!behavior
        """,
    "GoogleSearch": """
        searchTypes=SearchTypes!TUL-9? blockingConfidence!TUL-9 excludeDomains timeRangeFilter=Interval!TUL-9?
        """,
    "SearchTypes": "webSearch imageSearch",
    "Interval": "startTime endTime",
    "GoogleSearchRetrieval": "dynamicRetrievalConfig=DynamicRetrieval!TUL-9?",
    "DynamicRetrieval": "mode=WORD dynamicThreshold=num",
    "GoogleMaps": "authConfig enableWidget groundingTypes",
    "FileSearch": "fileSearchStoreNames topK=int metadataFilter",
    "ComputerUse": "environment=WORD excludedPredefinedFunctions enablePromptInjectionDetection disabledSafetyPolicies",
    "McpServer": "name streamableHttpTransport=HttpTransport",
    "HttpTransport": "url headers timeout!TUL-28 sseReadTimeout!TUL-28 terminateOnClose!TUL-28",
    "ToolConfig": """
        functionCallingConfig=FunctionCalling retrievalConfig=RetrievalConfig!TUL-9?
        includeServerSideToolInvocations!TUL-28
        """,
    "FunctionCalling": """
        mode=#Mode!UNK-4~MODE_UNSPECIFIED allowedFunctionNames!TUL-7? streamFunctionCallArguments!TUL-28
        """,
    "RetrievalConfig": "latLng=LatLng languageCode",
    "LatLng": "latitude=num longitude=num",
    "SafetySetting": "category=WORD threshold=#Threshold method=WORD",
    "ModelArmorConfig": "promptTemplateName responseTemplateName",
    "Response": """
        candidates=[Candidate] promptFeedback=PromptFeedback usageMetadata=UsageMetadata modelVersion responseId
        createTime! modelStatus=ModelStatus!ENV-3 sdkHttpResponse!ENV-1 automaticFunctionCallingHistory!ENV-8?
        parsed!ENV-7 error *!UNK-6
        """,
    "ModelStatus": "modelStage=WORD message retirementTime",
    "PromptFeedback": """
        blockReason=#BlockReason!block blockReasonMessage!DGN-1 safetyRatings=[SafetyRating]!ENV-1?
        """,
    "SafetyRating": "category probability probabilityScore severity severityScore blocked overwrittenThreshold",
    "Candidate": """
        index=int content=Content finishReason=#FinishReason! finishMessage safetyRatings=[SafetyRating]!ENV-1?
        avgLogprobs=num!ENV-3 tokenCount=int!USE-4 citationMetadata=Citations groundingMetadata=Grounding
        urlContextMetadata=UrlContext logprobsResult=Logprobs groundingAttributions!CIT-1?
        continuationToken!CTX-1 *!UNK-6
        """,
    "Citations": "citations=[Citation]!uncited citationSources=[Citation]!uncited",
    "Citation": "startIndex=int endIndex=int uri title license!CIT-1 publicationDate!CIT-1?",
    "Grounding": """
        webSearchQueries!queries groundingChunks=[GroundingChunk]!chunks groundingSupports=[Support]!
        searchEntryPoint=EntryPoint!widget imageSearchQueries!TUL-22? retrievalQueries!TUL-22? retrievalMetadata!ENV-1?
        googleMapsWidgetContextToken!TUL-22 sourceFlaggingUris!TUL-22? *!UNK-6
        """,
    "GroundingChunk": "web=Web retrievedContext maps image",
    "Web": "uri title domain!TUL-22",
    "Support": "segment=Segment groundingChunkIndices confidenceScores!CIT-4? renderedParts!CIT-4?",
    "Segment": "partIndex=int startIndex=int!CIT-4 endIndex=int!CIT-4 text",
    "EntryPoint": "renderedContent sdkBlob",
    "UrlContext": "urlMetadata=[UrlMetadata]!pages *!UNK-6",
    "UrlMetadata": "retrievedUrl urlRetrievalStatus",
    "Logprobs": "chosenCandidates=[Scored]!SMP-7? topCandidates=[Top]!SMP-7 logProbabilitySum=num!SMP-7",
    "Top": "candidates=[Scored]",
    "Scored": "token tokenId=int logProbability=num",
    "UsageMetadata": """
        promptTokenCount=int!USE-2 cachedContentTokenCount=int!USE-2 toolUsePromptTokenCount=int!USE-2
        candidatesTokenCount=int!USE-2 thoughtsTokenCount=int!USE-2 totalTokenCount=int!USE-2
        promptTokensDetails=[ModalityCount]!USE-4 cacheTokensDetails=[ModalityCount]!USE-4
        toolUsePromptTokensDetails=[ModalityCount]!USE-4 candidatesTokensDetails=[ModalityCount]!USE-4
        serviceTier=word!ENV-3~unspecified trafficType=WORD!ENV-3 *!UNK-6
        """,
    "ModalityCount": "modality=#Modality tokenCount=int",
}
# Vertex AI numbers two of the enums otherwise; its responses are those with a time.
_MEMBERS |= {
    "VertexResponse": _MEMBERS["Response"]
    .replace("[Candidate]", "[VertexCandidate]")
    .replace("=PromptFeedback", "=VertexPromptFeedback"),
    "VertexCandidate": _MEMBERS["Candidate"].replace("#", "#Vertex"),
    "VertexPromptFeedback": _MEMBERS["PromptFeedback"].replace("#", "#Vertex"),
}


@frozen(eq=False)
class Shape:
    """The members of one kind of object.

    `known` has their names, `names` their other spellings, `rules` the rules that report the loss of members that only
    this protocol has. `kinds` has the kind of a member that is an object: the name of a shape, `[name]` for an array of
    such objects, one of NUMBERED, or one of the kinds above.
    """

    known: frozenset[str]
    kinds: Mapping[str, str]
    names: Mapping[str, str]
    rules: Mapping[str, Rule]


def snake_case(name: str) -> str:
    """Return a member's name in the spelling of the proto."""
    return re.sub("([A-Z])", lambda letter: f"_{letter[0].lower()}", name)


MEMBER = re.compile(r"(?P<name>[^=!]+)(=(?P<kind>[^!]+))?(!(?P<rule>.*))?")
RULE = re.compile(r"(?P<id>[A-Z0-9]{3}-[0-9]+)?((?P<sign>[?~^])(?P<word>.*))?")


def _rule(text: str) -> Rule:
    found = RULE.fullmatch(text)
    if found is None:
        return getattr(values, text)  # type: ignore[no-any-return]
    rule, sign, word = found["id"] or "", found["sign"], found["word"]
    if sign == "?":
        return filled(rule)
    if sign == "~":
        return unless(word or False, rule)
    return rule if sign is None else values.usual(word, rule)


def _shape(members: str) -> Shape:
    found = [match.groupdict() for match in map(MEMBER.fullmatch, members.split()) if match is not None]
    known = frozenset(one["name"] for one in found) - {"*"}
    kinds = {one["name"]: one["kind"] for one in found if one["kind"]}
    names = {snake_case(name): name for name in known if snake_case(name) != name}
    return Shape(known, kinds, names, {one["name"]: _rule(one["rule"]) for one in found if one["rule"] is not None})


SHAPES = {name: _shape(members) for name, members in _MEMBERS.items()}


def vendor_fields(*shapes: str) -> dict[str, Any]:
    """Return the rules of the members of these objects and of all objects inside them."""
    found: dict[str, Any] = {}
    for shape in map(SHAPES.__getitem__, shapes):
        found |= {name: vendor_fields(kind) for name, kind in shape.kinds.items() if kind in SHAPES} | dict(shape.rules)
    return found
