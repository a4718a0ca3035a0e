"""Rows of the table of models held against the text of official packages, where one has what a row says.

A text that the stated version no longer has, or a row that no longer says it, fails: which of them is right now?
`python -m tests.keeping_up` reports the texts that other versions do not have.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from proxai_ir.profiles import for_model, vendors

from ..stated import needs_stated

CHAT, RESPONSES, GEMINI = "openai_chat_completions", "openai_responses", "gemini_generate_content"


class Held(NamedTuple):
    module: str
    """Where the text is: a module of a package."""
    text: str
    protocol: str
    models: dict[str, Any]
    """By model: what the table has for the setting."""
    setting: str


DEVELOPER, ENTERPRISE = "Gemini Developer API mode", "Gemini Enterprise Agent Platform mode"
ONLY_ON_VERTEX = f"parameter is only supported in {ENTERPRISE}, not in {DEVELOPER}"
ONLY_ELSEWHERE = f"parameter is only supported in {DEVELOPER}, not in {ENTERPRISE}"
NOT_ON_VERTEX = "Optional. MCP Servers to connect to. This field is not supported in Vertex AI."
OWN, VERTEX = "gemini-3.8-flash", "publishers/google/models/gemini-3.8-flash"
CACHED = (
    "Supported for `gpt-5.6` and later models. By default, OpenAI automatically chooses one implicit cache breakpoint"
)
TEXTS = [
    *(
        Held(
            f"openai.types.{module}", CACHED, protocol, {"gpt-5.5": None, "gpt-5.6": True, "gpt-6-astra": True}, setting
        )
        for module, protocol, setting in (
            ("chat.completion_create_params", CHAT, "cache_breakpoints"),
            ("responses.response_create_params", RESPONSES, "cache_breakpoints"),
        )
    ),
    Held(
        "openai.types.chat.completion_create_params",
        "Not supported with latest reasoning models `o3` and `o4-mini`.",
        CHAT,
        {"o3": False, "o4-mini": False, "gpt-4.1": None},
        "stop_sequences",
    ),
    Held(
        "google.genai.models",
        f"exclude_domains {ONLY_ON_VERTEX}",
        GEMINI,
        {OWN: None, VERTEX: True},
        "excluded_domains",
    ),
    Held(
        "google.genai.models",
        f"enterprise_web_search {ONLY_ON_VERTEX}",
        GEMINI,
        {OWN: None, VERTEX: True},
        "enterprise_search",
    ),
    Held("google.genai.models", f"store {ONLY_ELSEWHERE}", GEMINI, {OWN: None, VERTEX: False}, "store"),
    Held("google.genai.types", NOT_ON_VERTEX, GEMINI, {OWN: None, VERTEX: False}, "mcp_servers"),
]


@cache
def text_of(module: str) -> str:
    """A module's source in one line, texts that are cut in two put together; "" where it is not installed."""
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        return ""
    if spec is None or spec.origin is None:
        return ""
    return re.sub(r"'\s+'|\s+", lambda cut: "" if "'" in cut[0] else " ", Path(spec.origin).read_text(encoding="utf-8"))


@pytest.mark.parametrize("held", TEXTS, ids=lambda held: f"{held.module}-{held.setting}")
def test_a_row_says_what_the_package_says(held: Held) -> None:
    needs_stated("openai" if held.module.startswith("openai.") else "google-genai")
    assert held.text in text_of(held.module)
    found = {model: for_model(held.protocol, model).given.get(held.setting) for model in held.models}
    assert found == held.models


def test_a_member_that_a_package_has_not_is_still_missing() -> None:
    """google_signatures=False: the type of calls has no `extra_content`."""
    needs_stated("openai")
    assert "extra_content" not in text_of("openai.types.chat.chat_completion_message_function_tool_call_param")
    named = [row for row in vendors.FACTS if "has no `extra_content`" in row.source]
    assert [dict(row.settings) for row in named] == [{"google_signatures": False}]
