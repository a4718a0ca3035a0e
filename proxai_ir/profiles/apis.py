"""The table of vendors: the URLs of their servers, the variables that usually have their keys, and their protocols.

Rule: a fact stands in one row; another vendor is one more row. For a protocol's own vendor, URL and variables are
declared with the protocol (`Http`). What a model takes is in `proxai_ir.profiles`, by the model's name.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..json.classes import frozen

LOOKED = "2026-11-28"
RESPONSES, CHAT = "openai_responses", "openai_chat_completions"
MESSAGES, GENERATE = "anthropic_messages", "gemini_generate_content"
CONVERSE, COHERE, OLLAMA = "bedrock_converse", "cohere_v2_chat", "ollama_chat"


@frozen(kw_only=True)
class Vendor:
    """A vendor's API.

    base_urls  by protocol: the one in which a model can do most is used (`profiles.target`), or the first; a URL of
               None is the protocol's own, or the cloud's, and "" one that the caller has to state
    cloud      the cloud that serves it (`proxai_ir.profiles.clouds`), which decides URL and authentication
    keys       the variables that may have the key, the usual one first; by default the protocol's own
    keyless    whether it needs no key, as servers on the user's own machine
    server     its name in facts about models that depend on the server
    profile    of `proxai_ir.profiles`, if the server decides more than the model
    """

    name: str
    base_urls: Mapping[str, str | None]
    cloud: str | None = None
    keys: tuple[str, ...] = ()
    keyless: bool = False
    server: str | None = None
    profile: str | None = None
    source: str
    looked: str = LOOKED


def _cloud(name: str, *protocols: str) -> Vendor:
    """Return the row of a cloud; `profiles.clouds` and the facts about models know it by the same name."""
    return Vendor(name=name, base_urls=dict.fromkeys(protocols), cloud=name, server=name, source="spec/clouds.md")


VENDORS = (
    Vendor(
        name="openai",
        base_urls={RESPONSES: None},  # where reasoning goes on from turn to turn
        source="openai 3.52.0, `OpenAI.__init__`",
    ),
    Vendor(
        name="anthropic",
        base_urls={MESSAGES: None},
        source="anthropic 2.11.0, `Anthropic.__init__`",
    ),
    Vendor(
        name="gemini",
        base_urls={GENERATE: None},
        source="google-genai 3.4.0, `BaseApiClient.__init__`, `get_env_api_key`",
    ),
    Vendor(
        name="bedrock",
        base_urls={CONVERSE: None},  # the protocol that all models there take
        server="bedrock",
        source="botocore 1.44.5, `bedrock-runtime`",
    ),
    _cloud("azure", RESPONSES, CHAT, MESSAGES),
    _cloud("vertex", GENERATE, MESSAGES, RESPONSES),
    Vendor(
        name="cohere",
        base_urls={COHERE: None},
        source="cohere 7.3.1, `ClientV2.__init__`",
    ),
    Vendor(
        name="deepseek",
        base_urls={CHAT: "https://api.deepseek.com", MESSAGES: "https://api.deepseek.com/anthropic"},
        keys=("DEEPSEEK_API_KEY",),
        source="https://api-docs.deepseek.com",
    ),
    Vendor(
        name="groq",
        base_urls={CHAT: "https://api.groq.com/openai/v1"},
        keys=("GROQ_API_KEY",),
        server="groq",
        source="groq 1.7.0, `Groq.__init__`; https://console.groq.com/docs/openai",
    ),
    Vendor(
        name="mistral",
        base_urls={CHAT: "https://api.mistral.ai/v1"},
        keys=("MISTRAL_API_KEY",),
        source="https://docs.mistral.ai/api",
    ),
    Vendor(
        name="openrouter",
        base_urls={CHAT: "https://openrouter.ai/api/v1"},
        keys=("OPENROUTER_API_KEY",),
        server="openrouter",
        source="https://openrouter.ai/docs/quickstart",
    ),
    Vendor(
        name="xai",
        base_urls={RESPONSES: "https://api.x.ai/v1", CHAT: "https://api.x.ai/v1"},
        keys=("XAI_API_KEY",),
        source="https://docs.x.ai/docs/api-reference",
    ),
    Vendor(
        name="ollama",
        # Its own protocol: in that of OpenAI's clients, which it has as well, the context cannot be set.
        base_urls={OLLAMA: None},
        keyless=True,
        server="ollama",
        source="https://docs.ollama.com/api/chat, https://docs.ollama.com/context-length",
    ),
    Vendor(
        name="vllm",
        base_urls={CHAT: "http://127.0.0.1:8000/v1"},
        keys=("VLLM_API_KEY",),
        keyless=True,
        profile="vllm",
        source="https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
    ),
)
