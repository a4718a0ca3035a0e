"""The members of each object of generateContent that is not free-form JSON, by which other spellings of it are read.

Proto JSON has several spellings of one message: members in camelCase, which is canonical, or as the proto calls them
(snake_case); words of enums, which Google's servers take in any case, or their numbers; integers as strings or with a
fraction of 0; and one object in place of an array of one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import frozen

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
        model contents=[Content] systemInstruction=Content generationConfig=GenerationConfig tools=[Tool]
        toolConfig=ToolConfig safetySettings=[SafetySetting] cachedContent labels serviceTier=word store
        modelArmorConfig=ModelArmorConfig continuationToken automaticContinuation generationOutputConfig
        """,
    "Content": "role parts=[Part]",
    "Part": """
        text thought thoughtSignature inlineData=Blob fileData=FileData functionCall=FunctionCall
        functionResponse=FunctionResponse executableCode=ExecutableCode codeExecutionResult=CodeExecutionResult
        toolCall=ToolCall toolResponse=ToolResponse videoMetadata=VideoMetadata mediaResolution=MediaResolution
        partMetadata audioTranscription mediaProcessing speechMetadata documentMetadata spreadsheetMetadata
        audioMetadata
        """,
    "ResultPart": """
        inlineData=Blob fileData=FileData videoMetadata=VideoMetadata mediaResolution=MediaResolution mediaProcessing
        documentMetadata spreadsheetMetadata audioMetadata
        """,
    "Blob": "mimeType data displayName",
    "FileData": "mimeType fileUri displayName",
    "VideoMetadata": "startOffset endOffset fps=num contentLayers",
    "MediaResolution": "level=#Resolution numTokens=int",
    "FunctionCall": "id name args partialArgs=[PartialArg] willContinue",
    "PartialArg": "boolValue jsonPath nullValue numberValue=num stringValue willContinue",
    "FunctionResponse": "id name response parts=[ResultPart] scheduling=#Scheduling willContinue",
    "ExecutableCode": "id language=#Language code",
    "CodeExecutionResult": "id outcome=#Outcome output",
    "ToolCall": "id toolType=WORD args",
    "ToolResponse": "id toolType=WORD response",
    "GenerationConfig": """
        temperature=num topP=num topK=int candidateCount=int maxOutputTokens=int stopSequences seed=int
        presencePenalty=num frequencyPenalty=num responseLogprobs logprobs=int responseMimeType responseSchema
        responseJsonSchema _responseJsonSchema responseFormat=[ResponseFormat] responseModalities=#OutputModality
        thinkingConfig=ThinkingConfig speechConfig=SpeechConfig imageConfig=ImageConfig mediaResolution=#Resolution
        audioTimestamp enableAffectiveDialog enableEnhancedCivicAnswers translationConfig=TranslationConfig
        audioTranscriptionConfig modelSelectionConfig routingConfig
        """,
    "ResponseFormat": "text=TextFormat audio image video",
    "TextFormat": "mimeType schema",
    "ThinkingConfig": "includeThoughts thinkingBudget=int thinkingLevel=WORD",
    "SpeechConfig": "voiceConfig=VoiceConfig languageCode multiSpeakerVoiceConfig=MultiSpeaker",
    "MultiSpeaker": "speakerVoiceConfigs=[Speaker]",
    "Speaker": "speaker voiceConfig=VoiceConfig",
    "VoiceConfig": "prebuiltVoiceConfig=PrebuiltVoice replicatedVoiceConfig voice",
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
    "Function": "name description parameters parametersJsonSchema response responseJsonSchema behavior=#Behavior",
    "GoogleSearch": "searchTypes=SearchTypes blockingConfidence excludeDomains timeRangeFilter=Interval",
    "SearchTypes": "webSearch imageSearch",
    "Interval": "startTime endTime",
    "GoogleSearchRetrieval": "dynamicRetrievalConfig=DynamicRetrieval",
    "DynamicRetrieval": "mode=WORD dynamicThreshold=num",
    "GoogleMaps": "authConfig enableWidget groundingTypes",
    "FileSearch": "fileSearchStoreNames topK=int metadataFilter",
    "ComputerUse": "environment=WORD excludedPredefinedFunctions enablePromptInjectionDetection disabledSafetyPolicies",
    "McpServer": "name streamableHttpTransport=HttpTransport",
    "HttpTransport": "url headers timeout sseReadTimeout terminateOnClose",
    "ToolConfig": """
        functionCallingConfig=FunctionCalling retrievalConfig=RetrievalConfig includeServerSideToolInvocations
        """,
    "FunctionCalling": "mode=#Mode allowedFunctionNames streamFunctionCallArguments",
    "RetrievalConfig": "latLng=LatLng languageCode",
    "LatLng": "latitude=num longitude=num",
    "SafetySetting": "category=WORD threshold=#Threshold method=WORD",
    "ModelArmorConfig": "promptTemplateName responseTemplateName",
    "Response": """
        candidates=[Candidate] promptFeedback=PromptFeedback usageMetadata=UsageMetadata modelVersion responseId
        createTime modelStatus=ModelStatus sdkHttpResponse automaticFunctionCallingHistory parsed error
        """,
    "ModelStatus": "modelStage=WORD message retirementTime",
    "PromptFeedback": "blockReason=#BlockReason blockReasonMessage safetyRatings=[SafetyRating]",
    "SafetyRating": "category probability probabilityScore severity severityScore blocked overwrittenThreshold",
    "Candidate": """
        index=int content=Content finishReason=#FinishReason finishMessage safetyRatings=[SafetyRating] avgLogprobs=num
        tokenCount=int citationMetadata=Citations groundingMetadata=Grounding urlContextMetadata=UrlContext
        logprobsResult=Logprobs groundingAttributions continuationToken
        """,
    "Citations": "citations=[Citation] citationSources=[Citation]",
    "Citation": "startIndex=int endIndex=int uri title license publicationDate",
    "Grounding": """
        webSearchQueries groundingChunks=[GroundingChunk] groundingSupports=[Support] searchEntryPoint=EntryPoint
        imageSearchQueries retrievalQueries retrievalMetadata googleMapsWidgetContextToken sourceFlaggingUris
        """,
    "GroundingChunk": "web=Web retrievedContext maps image",
    "Web": "uri title domain",
    "Support": "segment=Segment groundingChunkIndices confidenceScores renderedParts",
    "Segment": "partIndex=int startIndex=int endIndex=int text",
    "EntryPoint": "renderedContent sdkBlob",
    "UrlContext": "urlMetadata=[UrlMetadata]",
    "UrlMetadata": "retrievedUrl urlRetrievalStatus",
    "Logprobs": "chosenCandidates=[Scored] topCandidates=[Top] logProbabilitySum=num",
    "Top": "candidates=[Scored]",
    "Scored": "token tokenId=int logProbability=num",
    "UsageMetadata": """
        promptTokenCount=int cachedContentTokenCount=int toolUsePromptTokenCount=int candidatesTokenCount=int
        thoughtsTokenCount=int totalTokenCount=int promptTokensDetails=[ModalityCount]
        cacheTokensDetails=[ModalityCount] toolUsePromptTokensDetails=[ModalityCount]
        candidatesTokensDetails=[ModalityCount] serviceTier=word trafficType=WORD
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
    """`known`: the names of the members. `kinds`: what some of them are. `names`: each by its other spelling.

    A kind is the name of a shape, `[name]` for an array of such objects, one of NUMBERED, or one of the kinds above.
    """

    known: frozenset[str]
    kinds: Mapping[str, str]
    names: Mapping[str, str]


def snake_case(name: str) -> str:
    """How the proto calls a member."""
    return re.sub("([A-Z])", lambda letter: f"_{letter[0].lower()}", name)


def _shape(members: str) -> Shape:
    pairs = [entry.partition("=") for entry in members.split()]
    names = {snake_case(name): name for name, _, _ in pairs if snake_case(name) != name}
    return Shape(frozenset(name for name, _, _ in pairs), {name: kind for name, _, kind in pairs if kind}, names)


SHAPES = {name: _shape(members) for name, members in _MEMBERS.items()}
