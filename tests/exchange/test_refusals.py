"""What servers of all protocols say of a setting that they refuse teaches to do without it, and nothing else (CAP-9).

Each error is quoted from the thread that it is with. Law: a request that has not what an error names is not sent again,
and nothing is learned from it.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxai_ir import Exchange
from proxai_ir.exchange.provider import Learned
from proxai_ir.exchange.refused_settings import shown
from proxai_ir.protocol.registry import backend, protocols

CHAT, RESPONSES = "openai_chat_completions", "openai_responses"
ANTHROPIC, CONVERSE = "anthropic_messages", "bedrock_converse"
GEMINI, INTERACTIONS = "gemini_generate_content", "gemini_interactions"
COHERE, OLLAMA = "cohere_v2_chat", "ollama_chat"
Json = Any

MESSAGES = [{"role": "user", "content": "Hi"}]
PARAMETERS = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": PARAMETERS}}]
STRICT = [{"type": "function", "function": {"name": "f", "parameters": PARAMETERS, "strict": True}}]
SCHEMA = {"type": "json_schema", "json_schema": {"name": "s", "schema": PARAMETERS}}
PLAIN: Json = {"model": "corvid-1", "messages": MESSAGES, "max_completion_tokens": 64}
OFF = {"sampling": False}


def error(protocol: str, words: str) -> bytes:
    """The body of an error of this protocol's servers."""
    if protocol in (CONVERSE, COHERE):
        return json.dumps({"message": words}).encode()
    if protocol == OLLAMA:
        return json.dumps({"error": words}).encode()
    if protocol == ANTHROPIC:
        return json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": words}}).encode()
    return json.dumps({"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}}).encode()


def at(body: Json, pointer: str) -> Json:
    for name in pointer.split("/")[1:]:
        if body is None:
            return None
        body = body[int(name)] if isinstance(body, list) else body.get(name)
    return body


FIELD = "This model doesn't support the {0} field. Remove {0} and try again."
KEY = "The model returned the following errors: Malformed input request: #: extraneous key [{}] is not permitted, …"
UNKNOWN = "Invalid JSON payload received. Unknown name \"{}\" at '{}': Cannot find field."

# (protocol, what the client's request has, what the server says, the settings learned, what the next request lacks)
REFUSALS: list[tuple[str, Json, str, Json, str]] = [
    # --- Converse
    (
        CONVERSE,
        {"temperature": 0.2, "top_p": 0.9, "model": "us.anthropic.claude-sonnet-4-20250514-v1:0"},
        "The model returned the following errors: `temperature` and `top_p` cannot both be specified for this model. …",
        {"temperature_with_top_p": False},
        "/inferenceConfig/topP",
    ),
    # langgenius/dify-official-plugins#1767, crewAIInc/crewAI#3317
    (
        CONVERSE,
        {"stop": ["x"]},
        FIELD.format("stopSequences"),
        {"stop_sequences": False},
        "/inferenceConfig/stopSequences",
    ),
    # strands-agents/harness-sdk#1241
    (
        CONVERSE,
        {"tools": TOOLS, "tool_choice": "required"},
        FIELD.format("toolConfig.toolChoice.any"),
        {"forced_choice": False},
        "/toolConfig/toolChoice/any",
    ),
    # vercel/ai#4396
    (
        CONVERSE,
        {"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": "f"}}},
        FIELD.format("toolConfig.toolChoice.tool"),
        {"forced_choice": False},
        "/toolConfig/toolChoice/tool",
    ),
    (CONVERSE, {"temperature": 0.2}, FIELD.format("temperature"), OFF, "/inferenceConfig/temperature"),
    (
        CONVERSE,
        {"response_format": SCHEMA},
        FIELD.format("outputConfig.textFormat"),
        {"structured_output": False},
        "/outputConfig",
    ),
    (
        CONVERSE,
        {"reasoning_effort": "low"},
        KEY.format("thinking"),
        {"thinking": False},
        "/additionalModelRequestFields/thinking",
    ),
    # anthropics/anthropic-sdk-typescript#592
    (
        CONVERSE,
        {"tools": TOOLS, "parallel_tool_calls": False},
        "tool_choice: extraneous key [disable_parallel_tool_use] is not permitted",
        {"parallel_tools": False},
        "/additionalModelRequestFields/tool_choice",
    ),
    (
        CONVERSE,
        {"tools": STRICT},
        "Schema is too complex for compilation. Try reducing the number of tools or simplifying tool schemas.",
        {"strict_tools": False},
        "/toolConfig/tools/0/toolSpec/strict",
    ),
    # the fixtures of @ai-sdk/amazon-bedrock
    (
        CONVERSE,
        {"tools": TOOLS, "tool_choice": "required"},
        'The model returned the following errors: tool_choice: type "tool" and "any" are not supported for this model.',
        {"forced_choice": False},
        "/toolConfig/toolChoice/any",
    ),
    (
        CONVERSE,
        {"tools": STRICT, "response_format": SCHEMA},
        "The model returned the following errors: output_config.format.schema: For 'array' type, property 'maxItems' …",
        {"structured_output": False},
        "/outputConfig",
    ),
    (
        CONVERSE,
        {"tools": STRICT, "response_format": SCHEMA},
        "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
        {"strict_tools": False},
        "/toolConfig/tools/0/toolSpec/strict",
    ),
    (
        CONVERSE,
        {"reasoning_effort": "high", "model": "us.amazon.nova-2-lite-v1:0"},
        "`maxTokens` must be unset when reasoningConfig type is 'enabled' and maxReasoningEffort is 'high'. …",
        {"highest_effort": "medium"},
        "/additionalModelRequestFields/reasoningConfig/maxReasoningEffort/high",
    ),
    (
        CONVERSE,
        {"reasoning_effort": "low", "model": "openai.gpt-oss-120b-1:0"},
        'The model returned the following errors: {"error":{"message":"Unknown parameter: \'reasoning_effort\'."}}',
        {"thinking": False},
        "/additionalModelRequestFields/reasoning_effort",
    ),
    # --- Anthropic Messages, on the vendor's servers and on clouds
    (
        ANTHROPIC,
        {"tools": STRICT, "response_format": SCHEMA},
        "Too many strict tools (25). The maximum number of strict tools supported is 20.",
        {"strict_tools": False},
        "/tools/0/strict",
    ),
    # elie222/inbox-zero#2323
    (
        ANTHROPIC,
        {"tools": STRICT},
        "Schemas contains too many optional parameters (87), which would make grammar compilation inefficient. …",
        {"strict_tools": False},
        "/tools/0/strict",
    ),
    (
        ANTHROPIC,
        {"tools": STRICT},
        "Schemas contains too many parameters with union types (20 parameters with type arrays or anyOf). …",
        {"strict_tools": False},
        "/tools/0/strict",
    ),
    # anthropics/anthropic-sdk-python#1185: of an output there is nothing else to give up
    (
        ANTHROPIC,
        {"response_format": SCHEMA, "tools": TOOLS},
        "The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas or …",
        {"structured_output": False},
        "/output_config/format",
    ),
    # earendil-works/pi#9953
    (
        ANTHROPIC,
        {"tools": STRICT},
        "tools.25.custom: For 'integer' type, properties maximum, minimum are not supported",
        {"strict_tools": False},
        "/tools/0/strict",
    ),
    (
        ANTHROPIC,
        {"tools": STRICT},
        "tools.0.custom.strict: Extra inputs are not permitted",
        {"strict_tools": False},
        "/tools/0/strict",
    ),
    # F15: an effort is only given up where there is one
    (
        ANTHROPIC,
        {"response_format": SCHEMA},
        "output_config: Extra inputs are not permitted",
        {"structured_output": False},
        "/output_config",
    ),
    (
        ANTHROPIC,
        {"reasoning_effort": "low"},
        "This model does not support the effort parameter.",
        {"effort": False},
        "/output_config",
    ),
    (ANTHROPIC, {"temperature": 0.2}, "`temperature` is deprecated for this model.", OFF, "/temperature"),
    # --- Chat Completions and servers that are compatible with it
    (
        CHAT,
        {"tools": TOOLS, "tool_choice": "required"},
        "Unsupported value: 'tool_choice' does not support 'required' with this model.",
        {"forced_choice": False},
        "/tool_choice/required",
    ),
    (
        CHAT,
        {"temperature": 0.2},
        "litellm.UnsupportedParamsError: openai does not support parameters: ['temperature'], for model=gpt-5. …",
        OFF,
        "/temperature",
    ),
    # editor-code-assistant/eca#231, of another member
    (
        CHAT,
        {"temperature": 0.2, "presence_penalty": 1},
        '[{"type":"extra_forbidden","loc":["body","presence_penalty"],"msg":"Extra inputs are not permitted"}]',
        {"penalties": False},
        "/presence_penalty",
    ),
    # vllm-project/vllm#10463, of another member
    (
        CHAT,
        {"seed": 7},
        "[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'Extra inputs are not permitted', 'input': 7}]",
        {"seed": False},
        "/seed",
    ),
    # microsoft/semantic-kernel#10510
    (
        CHAT,
        {"stream": True, "stream_options": {"include_usage": True}},
        "Validation error at #/stream_options: Extra inputs are not permitted",
        {"stream_options": False},
        "/stream_options",
    ),
    # langchain-ai/langchain#29679, of another member
    (
        CHAT,
        {"seed": 7, "temperature": 0.2},
        "Extra parameters ['seed'] are not allowed when extra-parameters is not set or set to be 'error'.",
        {"seed": False},
        "/seed",
    ),
    (
        CHAT,
        {"tools": TOOLS, "parallel_tool_calls": False},
        "Additional properties are not allowed ('parallel_tool_calls' was unexpected)",
        {"parallel_tools": False},
        "/parallel_tool_calls",
    ),
    # countbot-ai/CountBot#61
    (CHAT, {"temperature": 0.2}, "invalid temperature: only 1 is allowed for this model", OFF, "/temperature"),
    # vercel/ai#1578
    (
        CHAT,
        {"stream": True, "stream_options": {"include_usage": True}},
        "property 'stream_options' is unsupported, did you mean 'stream'?",
        {"stream_options": False},
        "/stream_options",
    ),
    # BerriAI/litellm#14225, of another member
    (
        CHAT,
        {"reasoning_effort": "low"},
        "Failed to deserialize the JSON body into the target type: unknown field `reasoning_effort`, expected one of …",
        {"thinking": False},
        "/reasoning_effort",
    ),
    # MinLL/SkyrimNet-GamePlugin#77: all that one error names
    (
        CHAT,
        {"presence_penalty": 1, "temperature": 0.2},
        'Unknown name "presence_penalty": Cannot find field.\nUnknown name "temperature": Cannot find field.',
        {"penalties": False, "sampling": False},
        "/temperature",
    ),
    # --- Responses
    (
        RESPONSES,
        {"temperature": 0.2},
        "Unsupported parameter: 'temperature' is not supported with this model.",
        OFF,
        "/temperature",
    ),
    (
        RESPONSES,
        {"reasoning_effort": "low"},
        "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
        {"thinking": False},
        "/reasoning",
    ),
    (
        RESPONSES,
        {"tools": TOOLS, "parallel_tool_calls": False},
        "Unknown parameter: 'parallel_tool_calls'.",
        {"parallel_tools": False},
        "/parallel_tool_calls",
    ),
    # --- generateContent, on both of Google's servers
    # google-gemini/gemini-cli#14025
    (
        GEMINI,
        {"reasoning_effort": "low"},
        "Unable to submit request because thinking_level is not supported by this model.. Learn more: https://…",
        {"effort": False},
        "/generationConfig/thinkingConfig/thinkingLevel",
    ),
    (
        GEMINI,
        {"reasoning_effort": "low"},
        UNKNOWN.format("thinkingLevel", "generation_config.thinking_config"),
        {"effort": False},
        "/generationConfig/thinkingConfig/thinkingLevel",
    ),
    (
        GEMINI,
        {"response_format": SCHEMA},
        UNKNOWN.format("responseJsonSchema", "generation_config"),
        {"json_schemas": False},
        "/generationConfig/responseJsonSchema",
    ),
    (GEMINI, {"seed": 7}, UNKNOWN.format("seed", "generation_config"), {"seed": False}, "/generationConfig/seed"),
    # --- Interactions
    (
        INTERACTIONS,
        {"temperature": 0.2},
        UNKNOWN.format("temperature", "generation_config"),
        OFF,
        "/generation_config/temperature",
    ),
    (
        INTERACTIONS,
        {"reasoning_effort": "low"},
        "thinking_level is not supported by this model.",
        {"thinking": False},
        "/generation_config/thinking_level",
    ),
    # --- Cohere
    # OpenRouterTeam/openrouter-examples#71, of another member
    (
        COHERE,
        {"tools": STRICT},
        "unknown field: parameter 'strict_tools' is not a valid field. For proper usage, please refer to https://…",
        {"strict_tools": False},
        "/strict_tools",
    ),
    (
        COHERE,
        {"temperature": 0.2, "top_p": 0.9},
        "unknown field: parameter 'p' is not a valid field. For proper usage, please refer to https://…",
        OFF,
        "/p",
    ),
    (
        COHERE,
        {"response_format": SCHEMA},
        "response_format is not supported by this model",
        {"structured_output": False},
        "/response_format",
    ),
    # --- Ollama
    # agentscope-ai/agentscope#1099
    (
        OLLAMA,
        {"reasoning_effort": "low"},
        '"Qwen3-14B-128K-Q4_K_M:latest" does not support thinking',
        {"thinking": False},
        "/think",
    ),
]


@pytest.mark.parametrize(
    ("protocol", "has", "words", "settings", "pointer"), REFUSALS, ids=[f"{one[0]}-{one[2][:50]}" for one in REFUSALS]
)
def test_what_a_server_refuses_is_not_sent_again(
    protocol: str, has: Json, words: str, settings: Json, pointer: str
) -> None:
    learned = Learned()
    exchange = client(protocol, learned)
    first = json.loads(exchange.request({**PLAIN, **has}).body)
    again = exchange.retry(400, {}, error(protocol, words))
    assert again is not None
    assert [*learned.models().values()] == [settings]
    body = json.loads(again.body)
    value, _, word = pointer.rpartition("/")
    if at(first, value) == word:  # a value, not a member
        assert at(body, value) != word
    else:
        assert at(first, pointer) is not None
        assert at(body, pointer) is None
    assert json.loads(client(protocol, learned).request({**PLAIN, **has}).body) == body


@pytest.mark.parametrize(
    ("protocol", "words"), [(one[0], one[2]) for one in REFUSALS], ids=[f"{one[0]}-{one[2][:50]}" for one in REFUSALS]
)
def test_what_a_request_has_not_is_not_learned(protocol: str, words: str) -> None:
    learned = Learned()
    exchange = client(protocol, learned)
    exchange.request(PLAIN)
    before = dict(exchange.state)
    assert exchange.retry(400, {}, error(protocol, words)) is None
    assert learned.models() == {}
    assert exchange.state == before


def client(protocol: str, learned: Learned) -> Exchange:
    """An exchange of a Chat client's; a server of its own protocol is a cloud's, which is asked again, too."""
    cloud = {"name": "azure", "resource": "ours"} if protocol == CHAT else None
    return Exchange(CHAT, protocol, learned=learned, cloud=cloud, key="k")


def test_the_member_may_stand_beside_the_words() -> None:
    learned = Learned()
    exchange = client(RESPONSES, learned)
    exchange.request({**PLAIN, "reasoning_effort": "xhigh"})
    words = (
        "Unsupported value: 'xhigh' is not supported with the 'corvid-1' model. Supported values are: 'low', 'high'."
    )
    refused = {"error": {"message": words, "param": "reasoning.effort", "code": "unsupported_value"}}
    again = exchange.retry(400, {}, json.dumps(refused).encode())
    assert again is not None
    assert json.loads(again.body)["reasoning"]["effort"] == "high"


@pytest.mark.parametrize(
    "words",
    [
        "This model doesn't support tool use.",
        FIELD.format("s3Uri"),
        "This model doesn't support the video content block that you provided. Update the content block and try again.",
        "Malformed input request: #/messages/2/content/0: extraneous key [toolResult] is not permitted, please …",
        "tools.0.custom.input_schema.properties.speed: Extra inputs are not permitted",
        UNKNOWN.format("temperature", "tools[0].function_declarations[0].parameters.properties[0].value"),
        "unknown field: parameter 'index' is not a valid field. For proper usage, please refer to https://…",
        '"codellama:latest" does not support tools',
        '{"detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted"}]}',
    ],
)
def test_content_and_tools_are_never_given_up(words: str) -> None:
    for protocol in protocols():
        assert list(shown(words, backend(protocol).target.settings)) == []


def test_tools_that_a_stream_cannot_have_are_asked_for_as_a_whole() -> None:
    learned = Learned()
    has = {**PLAIN, "tools": TOOLS, "stream": True}
    exchange = client(CONVERSE, learned)
    assert exchange.request(has).path.endswith("/converse-stream")
    again = exchange.retry(400, {}, error(CONVERSE, "This model doesn't support tool use in streaming mode."))
    assert again is not None
    assert again.path.endswith("/converse")
    assert client(CONVERSE, learned).request(has).path.endswith("/converse")
