"""The purpose of each named profile in one line, and the source of its facts (CAP-1).

Rule: a fact is in the official SDK or documentation, or in a recorded error of the server's. Every profile of `named`
has a row here.
"""

from __future__ import annotations

from typing import NamedTuple


class About(NamedTuple):
    """The purpose of a profile, and the sources of its settings."""

    purpose: str
    source: str


ABOUT = {
    "anthropic_2023_06_01": About(
        "Anthropic's API with every current model; these are the defaults of the protocol",
        "`temperature` with `top_p` is refused by current models (“cannot both be specified for this model”), and so "
        "is a last message of the assistant's (“does not support assistant message prefill”).",
    ),
    "anthropic_2026_10_21": About(
        "Anthropic's API in the version that its Python SDK sends as of 2.11",
        "The SDK's `_constants.ANTHROPIC_API_VERSION`; its parameters of a request have no `temperature`, `top_p` and "
        "`top_k` any more, and have `thinking: {“type”: “adaptive”}`.",
    ),
    "anthropic_before_4_6": About(
        "Anthropic's models before Claude 4.6",
        "`output_config.effort` and adaptive thinking are errors there; they continue a last message of the "
        "assistant's (the SDK's documentation of `messages`, under “prefill”).",
    ),
    "openai_chat": About(
        "OpenAI's Chat Completions with gpt-5.6 and later",
        "“Supported for `gpt-5.6` and later models” (the SDK's documentation of `prompt_cache_options`). Which models "
        "stop reasoning with the effort “none” is in OpenAI's reasoning guide; a profile of one may state it.",
    ),
    "openai_responses": About(
        "OpenAI's Responses with gpt-5.6 and later", "As of openai_chat: the SDK's documentation of caching."
    ),
    "openai_chat_before_5_6": About(
        "OpenAI's Chat Completions with earlier models; these are the defaults of the protocol",
        "“prompt_cache_breakpoint is not supported on this model”.",
    ),
    "openai_responses_before_5_6": About(
        "OpenAI's Responses with earlier models; these are the defaults of the protocol",
        "“prompt_cache_breakpoint is not supported on this model”.",
    ),
    "only_openai": About(
        "a compatible server that lacks what is of OpenAI's own servers alone",
        "Their chat reference has it, and no reference or package of another vendor.",
    ),
    "compatible_chat": About(
        "the narrowest of the servers that are compatible with Chat Completions; where nothing else is known",
        "Errors of LiteLLM, Groq, Foundry Local and servers that fill templates of models: “'function' is a required "
        "property” (custom tools), “value must be a string” (content of system messages), “unknown variant "
        "`developer`”, “property 'store' is unsupported”, “Unknown part type: file”, “System message must be at the "
        "beginning” (ollama/ollama#17774). Their models have defaults of their own for temperature and top p.",
    ),
    "deepseek": About(
        "DeepSeek's API",
        "Errors of the server: “messages[0].role: unknown variant `developer`”, “unknown variant `image_url`, expected "
        "`text`”, “unknown variant `input_audio`”, “This response_format type is unavailable now” (json_schema). Its "
        "documentation has `max_tokens`, function tools, and 1 as the default of temperature and top p.",
    ),
    "vllm": About(
        "vLLM's server for clients of OpenAI",
        "`ChatCompletionRequest` and the parsers of content parts of vLLM: tools are functions, files are “Unknown "
        "part type”, unknown members are ignored, choices are auto, none, required or one function. The templates of "
        "many models raise “System message must be at the beginning” (vllm-project/vllm#41114). The defaults of "
        "sampling are those of the model's `generation_config.json` (`--generation-config`). "
        "`FunctionDefinition.parameters` is any object: no schema is looked into.",
    ),
    "ollama": About(
        "Ollama's path for clients of OpenAI; its own protocol is ollama_chat",
        "`openai/openai.go` of ollama/ollama at 00988753, and its page “OpenAI compatibility” (looked at on "
        "2026-11-28): a request has no `tool_choice`, `n`, `parallel_tool_calls`, `logit_bias` and no "
        "`max_completion_tokens`, a tool no `strict`; members that it does not know are skipped. Parts are texts and "
        "images, all else is “invalid message format”; of a URL, “image URLs are not currently supported, please use "
        "base64 encoded data instead”. Each text of an array becomes a message of its own. Reasoning is `reasoning`; "
        "efforts are those of `think`, “max” the highest (ollama/ollama#16877), and `xhigh` is “invalid reasoning "
        "value: 'xhigh'” (diegosouzapw/OmniRoute#10160). Sampling is as the model's file says.",
    ),
    "mistral": About(
        "Mistral's API",
        "The SDK's `ChatCompletionRequest` and its messages are closed: “extra_forbidden” names `stream_options`, "
        "members of messages such as `reasoning_content`, `seed` (its own is `random_seed`), and others of OpenAI's; "
        "of the temperature it has that “the default value varies depending on the model”. It has log probabilities, "
        "`metadata`, `prompt_cache_key` and `top_k`, and tiers of its own: `service_tier` is “auto” or "
        "“standard_only”. Errors of the server: “Tool call id was call_search but must be a-z, A-Z, 0-9, with a "
        "length of 9”, “Unexpected role 'user' after role 'tool'”, “Expected last role User or Tool”. Its own "
        "tokenizer joins messages of one role, and the templates of its models refuse them: “conversation roles must "
        "alternate user/assistant/user/assistant/…” (vllm-project/vllm#6862).",
    ),
    "gemini_api": About(
        "the Gemini API with its current models; these are the defaults of the protocol",
        "“Multimodal function responses” are of “the Gemini 3 series” (documentation of function calling), and so is "
        "the placeholder for signatures of other models' calls (“Function call is missing a thought_signature in "
        "functionCall parts”).",
    ),
    "gemini_2_5": About(
        "the Gemini API with Gemini 2.5",
        "“If you use the `thinking_level` parameter with a model earlier than Gemini 3, the model returns an error” "
        "(documentation of thinking; a budget of 0 turns it off), “Tool use with function calling is unsupported”, "
        "“Function calling with a response mime type: 'application/json' is unsupported”; `mediaResolution` of a part "
        "is of Gemini 3, and so is the validation of signatures. Error of the server: “Multimodal function responses "
        "are not supported for this model”.",
    ),
    "gemini_2_0": About(
        "the Gemini API with Gemini 2.0",
        "“Json Schema is supported” from 2.5 on, and so is URL context; no files by the URLs of other servers; it does "
        "not think.",
    ),
    "vertex_ai": About(
        "Gemini on Vertex AI",
        "The SDK, of `exclude_domains`: “only supported in Gemini Enterprise Agent Platform mode”; of `store`, "
        "`mcp_servers` and `include_server_side_tool_invocations`: “only supported in Gemini Developer API mode”. "
        "Labels and names of files are in its documentation. Of `FileSearch`: “This data type is not supported in "
        "Vertex AI”.",
    ),
}
"""By the names that `--profile` and `--to` take."""
