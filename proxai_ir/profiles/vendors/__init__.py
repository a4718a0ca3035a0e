"""The table of facts about models, with one module a vendor; each has FACTS, and BEST if models have several protocols.

Rule: a fact stands in one row; a module holds data and no code.
"""

from __future__ import annotations

from ..facts import CHAT, CONVERSE, OLLAMA
from . import (
    alibaba,
    anthropic,
    bedrock,
    cohere,
    deepseek,
    google,
    meta,
    minimax,
    mistral,
    moonshot,
    openai,
    servers,
    xai,
    zhipu,
)

VENDORS = (
    *(openai, anthropic, google),
    *(alibaba, cohere, deepseek, meta, minimax, mistral, moonshot, xai, zhipu),
    bedrock,
    servers,  # after all vendors, since facts about a server take precedence
)
FACTS = tuple(row for vendor in VENDORS for row in vendor.FACTS)
BEST = tuple(sorted((row for vendor in VENDORS for row in vendor.BEST), key=lambda row: not row.server))
"""Those about one server before those about any."""
ROLLING = frozenset(google.ROLLING)
"""The families with names that end in `-latest` and mean the newest model."""
USUAL = CHAT
"""The protocol of unknown models."""
FAMILIES = tuple(sorted({name for row in (*FACTS, *BEST) for name in row.families}, key=len, reverse=True))
"""The names of all families, longest first."""
MAKERS = {
    family: vendor.__name__.rpartition(".")[2]
    for vendor in reversed(VENDORS)  # so that the vendor's own module names its families, before those of servers
    for row in (*vendor.FACTS, *vendor.BEST)
    for family in row.families
}
"""By family: who made its models."""
SERVED = {
    USUAL: frozenset(FAMILIES),
    CONVERSE: frozenset(bedrock.SERVED.split()),
    OLLAMA: frozenset(servers.OPEN.split()),
    **{one.protocol: frozenset(name for row in BEST if row.protocol == one.protocol for name in row.families)
       for one in BEST if one.protocol != USUAL and not one.server},
}  # fmt: skip
"""By protocol: the families that are known to be behind it."""
CLOSED = {
    family: frozenset(protocol for protocol, served in SERVED.items() if served & families)
    for vendor in (openai, anthropic, google)
    for families in [frozenset().union(*(row.families for row in vendor.FACTS)) - {"gpt-oss", "gemma"}]
    for family in families
}
"""The protocols of families that nobody but their vendor and known clouds serves. Behind others a name is a log's."""
