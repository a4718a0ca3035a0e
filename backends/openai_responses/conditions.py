"""What the table of OpenAI Responses asks of nodes: conditions of its verdicts, and rewrites.

Rule: each condition stands here once; builders write what it leaves.
"""

from __future__ import annotations

from typing import Any

from proxai_ir import ir
from proxai_ir.backends._openai.conditions import id_of_at_most
from proxai_ir.ir.logprobs import LogProbs
from proxai_ir.rules.conditions import blank, prefixed, signature_alone
from proxai_ir.rules.verdicts import Verdict, notes
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_responses as wire

# --- settings ---------------------------------------------------------------------------------------------------------

FEWEST_TOKENS = 16


def too_short(root: ir.Request) -> bool:
    """Whether the limit is below the lowest that this protocol accepts (SMP-9)."""
    return root.max_tokens is not None and 0 < root.max_tokens < FEWEST_TOKENS


# --- tools ------------------------------------------------------------------------------------------------------------


def as_search(tool: ir.HostedTool) -> ir.WebSearchTool:
    """A search in place of a tool that opens pages, of the same domains."""
    search = ir.WebSearchTool(tool.kind, src=tool.src)
    domains, limit = tool.raw.get("allowed_domains"), tool.raw.get("max_uses")
    if isinstance(domains, list) and all(isinstance(one, str) for one in domains):
        search.allowed_domains = domains
    if type(limit) is int:
        search.max_uses = limit
    return search


# --- parts ------------------------------------------------------------------------------------------------------------

MARKABLE = (ir.Text, ir.Image, ir.Document, ir.SearchResult)  # what a cache breakpoint can follow


def unmarkable(result: ir.ToolResult) -> bool:
    return not any(isinstance(part, MARKABLE) for part in result.parts)


def foreign_seal(reasoning: ir.Reasoning) -> bool:
    """Whether there is no seal that this protocol carries."""
    seal = reasoning.seal
    return seal is None or (seal.provider, seal.kind) != (openai.PROVIDER, wire.ENCRYPTED)


def unreadable(reasoning: ir.Reasoning) -> bool:
    return not reasoning.text and foreign_seal(reasoning)


def useless(reasoning: ir.Reasoning) -> bool:
    """Whether reasoning is nothing but a signature that this provider did not issue."""
    return foreign_seal(reasoning) and signature_alone(reasoning)


def signed_elsewhere(reasoning: ir.Reasoning) -> bool:
    """Whether reasoning has text under a seal of another provider's; text without any is `without_bare_reasoning`'s."""
    return bool(reasoning.text) and reasoning.seal is not None and foreign_seal(reasoning)


DESCRIPTIONS = {"title": "title", "seal": "encrypted content"}  # of a page that was found


def described(result: ir.WebSearchResult) -> bool:
    """Whether the pages come with more than their URLs, which is all that this protocol has for them."""
    return any(_is_described(hit, name) for hit in result.hits for name in DESCRIPTIONS)


def _is_described(hit: ir.WebHit, name: str) -> bool:
    return bool(getattr(hit, name)) and not (name == "seal" and blank(hit))


def bare_hits(result: ir.WebSearchResult) -> list[ir.WebHit]:
    return [ir.WebHit(hit.url, None, None, None, hit.src) for hit in result.hits]


def descriptions(result: ir.WebSearchResult) -> str:
    """What is lost of the pages, and of how many."""
    lost = [word for name, word in DESCRIPTIONS.items() if any(_is_described(hit, name) for hit in result.hits)]
    return f"{', '.join(lost)} of {len(result.hits)} page{'s' if len(result.hits) > 1 else ''}"


def transcript(audio: ir.Audio) -> ir.Text:
    return ir.Text(audio.transcript or "", None, None, audio.src)


WORDING = {ir.Text: "text", ir.Audio: "transcript"}


def unscorable(candidate: ir.Candidate) -> bool:
    """Whether log probabilities cannot stand with one text that they are of; what has no wording is left out."""
    texts = [part for part in candidate.parts if type(part) in WORDING and getattr(part, WORDING[type(part)])]
    return len(texts) != 1 or candidate.logprobs is None or not of_text(candidate.logprobs)


def of_text(scored: LogProbs) -> bool:
    """Whether all log probabilities are of tokens of text."""
    return scored.text is not None and not scored.refusal


NO_ADDRESS = "an image that was generated has its data here, and no address"
NO_CONTAINER = "a run of code must name the container of this provider that it ran in"


# --- ids --------------------------------------------------------------------------------------------------------------

accepted_id = id_of_at_most(wire.MOST_OF_ID)


def run_by_provider(name: str, prefix: str) -> Verdict:
    """The verdict on the id of what the provider ran, which begins as such ids do (TUL-13)."""

    def sent(node: Any) -> str:
        return accepted_id(prefixed(getattr(node, name), prefix))

    return notes("TUL-13", name, when=lambda node: getattr(node, name) != sent(node), by=sent)
