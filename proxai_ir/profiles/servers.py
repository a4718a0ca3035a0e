"""Whose server an address is, for facts that depend on it (`server=` of `for_model`)."""

from __future__ import annotations

HOSTS = {
    "amazonaws.com": "bedrock",
    "aiplatform.googleapis.com": "vertex",
    "api.cerebras.ai": "cerebras",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral",
    "cognitiveservices.azure.com": "azure",
    "openai.azure.com": "azure",
    "openrouter.ai": "openrouter",
    "services.ai.azure.com": "azure",
}
"""By the end of a host's name."""


def server_at(host: str) -> str | None:
    """The server's name; None where the host tells nothing."""
    labels = host.lower().rstrip(".").split(".")
    ends = (".".join(labels[at:]) for at in range(len(labels)))
    region = "aiplatform.googleapis.com"  # of which there is one with each region in front: us-central1-aiplatform…
    return next((HOSTS[end] for end in ends if end in HOSTS), "vertex" if host.lower().endswith("-" + region) else None)
