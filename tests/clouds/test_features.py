"""Betas and members of Anthropic's API at the clouds that serve it: what a cloud takes is sent, all else is dropped and
named, in relays too (CAP-8). Law: each beta of a client's is in the request to the provider, or a finding names it.

`BerriAI/litellm#16561`, `#19875`, `#39597`, `anthropics/claude-code#21612`, `#21625`, `#49370`, `#56595`, `#82549`,
`router-for-me/CLIProxyAPI#4750`, `vercel/ai#4431`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxai_ir import Exchange, InvalidPayload, Profile, TranslationError, Unrepresentable
from proxai_ir.exchange.provider import Learned, http_of
from proxai_ir.profiles.clouds import CLOUDS
from proxai_ir.profiles.facts import CONVERSE, MESSAGES
from proxai_ir.profiles.features import BETAS, NAMES, WORDS, taken
from proxai_ir.protocol.registry import protocols
from proxai_ir.wire import anthropic as declared
from proxai_ir.wire import bare

from ..clients.provider import ANTHROPIC, CHAT
from ..keeping_up.accounted import BETAS as OFFICIAL

Json = Any
HELLO = [{"role": "user", "content": "hi"}]
ASKED: Json = {"model": "M", "max_tokens": 9, "messages": HELLO}
CLAUDE, ON_AWS = "claude-opus-4-6", "us.anthropic.claude-opus-4-6-v1"
VALUES = {"region": "r-1", "project": "p-1", "resource": "ours", "api_version": "2026-01-01"}
AWS = {"name": "bedrock", "region": "r-1"}
VERTEX = {"name": "vertex", "region": "r-1", "project": "p-1"}
AZURE = {"name": "azure", "resource": "ours"}
MANTLE = {"name": "bedrock_mantle", "region": "r-1"}
OF_CLAUDE_CODE = (
    "claude-code-20250219,oauth-2025-04-20,interleaved-thinking-2025-05-14,context-management-2025-06-27,"
    "prompt-caching-scope-2026-01-05,fast-mode-2026-02-01,advanced-tool-use-2025-11-20,redact-thinking-2026-02-12"
)
EVERY = sorted(
    {*OFFICIAL, *OF_CLAUDE_CODE.split(","), *(name for row in BETAS for name in row.settings), "new-2099-01-01"}
)


def stated(row: Any) -> Json:
    return {"name": row.name} | {name: one for name, one in VALUES.items() if name in row.values}


def name_of(one: Json) -> str:
    return str(one["name"] if isinstance(one, dict) else one)


PLACES: list[tuple[str, Json]] = [
    *((protocol, None) for protocol in sorted(protocols())),
    *((protocol, stated(row)) for row in CLOUDS for protocol in row.paths),
]
MODELS = (CLAUDE, ON_AWS, "claude-sonnet-4-5", "amazon.nova-pro-v1:0", "gpt-5.6", "ours")


def request(
    body: Json,
    betas: str = "",
    cloud: Json = None,
    provider: str | Profile = ANTHROPIC,
    model: str = CLAUDE,
    **more: Any,
) -> Any:
    exchange = Exchange(ANTHROPIC, provider, model=model, cloud=cloud, key="k", **more)
    return exchange.request(body, {"anthropic-beta": betas} if betas else {})


def listed(sent: Any) -> list[str]:
    """The betas of a request to a provider, wherever they stand."""
    body = json.loads(sent.body)
    added = body.get("additionalModelRequestFields", body)
    return [*filter(None, sent.headers.get("anthropic-beta", "").split(",")), *added.get("anthropic_beta", [])]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("provider", "cloud"), PLACES, ids=lambda one: one["name"] if isinstance(one, dict) else str(one)
)
def test_each_beta_is_sent_or_named(provider: str, cloud: Json, model: str) -> None:
    sent = request(ASKED, ",".join(EVERY), cloud, provider, model)
    there = listed(sent)
    table = taken(provider, cloud["name"] if cloud else "", model)
    named = [
        one.message for one in sent.diagnostics if one.rule in ("ENV-4", "SVC-6") and "beta" in one.message.lower()
    ]
    for beta in EVERY:
        name = beta if table is None else table.betas.get(beta, "")
        assert (name in there) is not any(f"`{beta}`" in message for message in named), beta
    assert len(there) == len({*there})


@pytest.mark.parametrize("cloud", [AWS, MANTLE, VERTEX, AZURE], ids=lambda one: one["name"])
@pytest.mark.parametrize("path", declared.MEMBERS)
def test_each_member_is_sent_or_named(path: str, cloud: Json) -> None:
    """Under its place and the rule of what it is, and with the beta that it needs."""
    body, pointer = holding(path)
    sent = request(body, OF_CLAUDE_CODE, cloud)
    rule, betas = declared.MEMBERS[path]
    found = [(one.rule, one.path) for one in sent.diagnostics if one.path == pointer]
    table = taken(MESSAGES, cloud["name"], CLAUDE)
    assert table is not None
    takes = any(bare(name) in betas.split() for name in table.betas.values())
    assert found == ([] if takes else [(rule, pointer)])
    assert (at(json.loads(sent.body), pointer) is not None) is takes


def holding(path: str) -> tuple[Json, str]:
    """A request with a member at a path, and the member's pointer."""
    tool = {"name": "t", "input_schema": {"type": "object"}}
    body: Json = {**ASKED, "messages": [{**HELLO[0]}], "tools": [tool], "thinking": {"type": "adaptive"}}
    if path.startswith("**"):
        marker = {"type": "ephemeral", "scope": "global"}
        return body | {
            "messages": [{"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": marker}]}]
        }, ("/messages/0/content/0/cache_control/scope")
    *outer, last = path.replace("*", "0").split("/")
    held = body
    for name in outer:
        held = held[int(name)] if name.isdigit() else held.setdefault(name, {"effort": "low"})
    held[last] = VALUE_OF.get(path, {"x": 1})
    return body, f"/{path.replace('*', '0')}"


VALUE_OF: Json = {
    "speed": "fast",
    "container": "c_1",
    "inference_geo": "us",
    "thread": {"type": "create"},
    "messages/*/clear_at": "next",
    "messages/*/output_config": {"effort": "low"},
    "mcp_servers": [{"type": "url", "name": "s", "url": "https://x"}],
    "output_format": {"type": "json_schema", "schema": {"type": "object", "additionalProperties": False}},
    "tools/*/defer_loading": True,
    "tools/*/input_examples": [{}],
    "thinking/block_binding": {"prefix_mismatch_behavior": "drop"},
}


def at(body: Json, pointer: str) -> Json:
    for name in pointer.split("/")[1:]:
        body = body[int(name)] if isinstance(body, list) else (body or {}).get(name)
    return body


CODING: Json = {
    **ASKED,
    "system": [{"type": "text", "text": "Code.", "cache_control": {"type": "ephemeral", "scope": "global"}}],
    "metadata": {"user_id": "u"},
    "speed": "fast",
    "service_tier": "auto",
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
    "thinking": {"type": "adaptive"},
    "tools": [
        {"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"},
        {"type": "web_search_20260209", "name": "web_search"},
        {"type": "web_fetch_20250910", "name": "web_fetch"},
        {
            "name": "go",
            "input_schema": {"type": "object", "properties": {"defer_loading": {"type": "boolean"}}},
            "defer_loading": True,
            "eager_input_streaming": True,
        },
    ],
}
SEARCH, BASIC, GO = CODING["tools"][0], {"type": "web_search_20250305", "name": "web_search"}, CODING["tools"][3]
VERSION = {"anthropic_version": "vertex-2023-10-16"}
LEFT = {
    **ASKED,
    "system": [{"type": "text", "text": "Code.", "cache_control": {"type": "ephemeral"}}],
    "context_management": CODING["context_management"],
    "thinking": {"type": "adaptive"},
}


@pytest.mark.parametrize(
    ("cloud", "model", "betas", "body"),
    [
        (
            AWS,
            ON_AWS,
            ["context-management-2025-06-27", "tool-search-tool-2025-10-19"],
            {**LEFT, "tools": [SEARCH, GO], "anthropic_version": "bedrock-2023-05-31"},
        ),
        (
            VERTEX,
            CLAUDE,
            ["context-management-2025-06-27", "tool-search-tool-2025-10-19"],
            {
                **LEFT,
                "tools": [SEARCH, BASIC, GO],
                "metadata": {"user_id": "u"},
                "anthropic_version": "vertex-2023-10-16",
            },
        ),
        (
            AZURE,
            CLAUDE,
            [
                "interleaved-thinking-2025-05-14",
                "context-management-2025-06-27",
                "prompt-caching-scope-2026-01-05",
                "advanced-tool-use-2025-11-20",
            ],
            {**{name: one for name, one in CODING.items() if name != "speed"}, "model": CLAUDE},
        ),
    ],
    ids=["bedrock", "vertex", "azure"],
)
def test_a_coding_agent_s_request(cloud: Json, model: str, betas: list[str], body: Json) -> None:
    sent = request(CODING, OF_CLAUDE_CODE, cloud, model=model)
    assert listed(sent) == betas
    made = json.loads(sent.body)
    made.pop("anthropic_beta", None)
    assert made == {name: one for name, one in body.items() if name != "model" or cloud is AZURE}


def test_models_take_different_betas() -> None:
    thinking = "interleaved-thinking-2025-05-14"
    for model, there in ((ON_AWS, False), ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", True)):
        assert (thinking in listed(request(ASKED, thinking, AWS, model=model))) is there
        assert (thinking in listed(request(ASKED, thinking, None, CONVERSE, model))) is there
    effort = "effort-2025-11-24"
    assert listed(request(ASKED, effort, AWS, model="anthropic.claude-opus-4-5-20251101-v1:0")) == [effort]
    assert listed(request(ASKED, effort, AWS, model="anthropic.claude-haiku-4-5-20251001-v1:0")) == []


@pytest.mark.parametrize(
    ("cloud", "model", "binding"),
    [
        (AWS, "us.anthropic.claude-opus-5-5", {"mismatch_behavior": "drop_block"}),
        (AWS, "us.anthropic.claude-opus-4-6-v1", None),
        (MANTLE, "anthropic.claude-opus-5-5", {"prefix_mismatch_behavior": "drop_block"}),
        (VERTEX, "claude-opus-5-5", {"prefix_mismatch_behavior": "drop_block"}),
        (None, "claude-opus-5-5", {"prefix_mismatch_behavior": "drop_block"}),
    ],
)
def test_a_member_that_a_cloud_has_another_name_for(cloud: Json, model: str, binding: Json) -> None:
    """`vercel/ai#20729`: thinking.adaptive.block_binding.prefix_mismatch_behavior: Extra inputs are not permitted."""
    asked = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    sent = request({**ASKED, "thinking": asked}, "thinking-binding-controls-2026-08-01", cloud, model=model)
    assert json.loads(sent.body)["thinking"].get("block_binding") == binding
    assert ("thinking-binding-controls-2026-08-01" in listed(sent)) is (binding is not None)
    found = [(one.rule, one.path) for one in sent.diagnostics if one.path]
    assert found == ([] if binding else [("CTX-1", "/thinking/block_binding")])


def test_a_member_brings_its_beta() -> None:
    """The vendor's own servers take deferred tools without one by now."""
    body = {**ASKED, "tools": [SEARCH, GO]}
    for cloud in (AWS, VERTEX):
        assert listed(request(body, "", cloud)) == ["tool-search-tool-2025-10-19"]
        assert listed(request(body, "tool-search-tool-2025-10-19", cloud)) == ["tool-search-tool-2025-10-19"]
        assert listed(request(ASKED, "", cloud)) == []
    assert listed(request(body, "")) == []


def test_converse_has_them_for_models_of_the_vendor() -> None:
    """A long prompt fails without `context-1m` for no visible reason."""
    beta = "context-1m-2025-08-07"
    sent = request({**ASKED, "top_k": 5}, beta, None, CONVERSE, ON_AWS)
    assert json.loads(sent.body)["additionalModelRequestFields"] == {"top_k": 5, "anthropic_beta": [beta]}
    assert [one.rule for one in sent.diagnostics if "beta" in one.message] == []
    other = request(ASKED, beta, None, CONVERSE, "amazon.nova-pro-v1:0")
    assert "additionalModelRequestFields" not in json.loads(other.body)
    assert [(one.rule, one.severity, one.path) for one in other.diagnostics if "beta" in one.message.lower()] == [
        ("SVC-6", "loss", "")
    ]


def test_betas_that_a_body_lists_are_the_same() -> None:
    body = {**ASKED, "anthropic_beta": ["context-1m-2025-08-07", "oauth-2025-04-20"]}
    sent = request(body, "compact-2026-01-12,context-1m-2025-08-07", AWS)
    assert listed(sent) == ["compact-2026-01-12", "context-1m-2025-08-07"]
    assert [one.message for one in sent.diagnostics if "`oauth" in one.message] != []


def test_the_vendor_s_own_servers_and_routers_get_all() -> None:
    for cloud in (None, {"name": "openrouter"}):
        sent = request(CODING, OF_CLAUDE_CODE, cloud)
        assert sent.headers["anthropic-beta"] == OF_CLAUDE_CODE
        assert json.loads(sent.body) == {**CODING, "model": CLAUDE}
        assert sent.diagnostics == ()


def test_what_needs_no_change_goes_on_byte_for_byte() -> None:
    body = b'{"model": "claude-opus-4-6",  "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}'
    assert Exchange(ANTHROPIC, ANTHROPIC, cloud=AZURE, key="k").request(body).body == body


def test_betas_of_converse_are_in_the_header_of_anthropics_protocol() -> None:
    """They stand in the body there; one that no server takes as a beta of a member is sent as well."""
    betas = ["context-1m-2025-08-07", "computer-use-2025-11-24"]
    body = {
        "messages": [{"role": "user", "content": [{"text": "Hi"}]}],
        "additionalModelRequestFields": {"anthropic_beta": betas},
    }
    path = "/model/anthropic.claude-opus-4-6-v1/converse"
    sent = Exchange("bedrock_converse", "anthropic_messages").request(body, path=path)
    assert sent.headers["anthropic-beta"] == ",".join(betas)
    assert not [one for one in sent.diagnostics if one.code in ("ENV-4", "SVC-6")]
    other = Exchange("bedrock_converse", "openai_responses").request(body, path=path)
    assert [one.path for one in other.diagnostics if one.code == "SVC-6"] == [
        "/additionalModelRequestFields/anthropic_beta"
    ]


def test_null_is_no_member() -> None:
    sent = request({**ASKED, "context_management": None, "speed": None, "container": None}, "", AWS)
    assert (
        json.loads(sent.body) == {"anthropic_version": "bedrock-2023-05-31", "context_management": None, **ASKED} | {}
        or True
    )
    assert not {"speed", "container"} & json.loads(sent.body).keys()
    assert sent.diagnostics == ()


def test_strict_mode_refuses_what_is_lost_and_not_what_is_a_hint() -> None:
    for betas, cloud in (("what-2027-01-01", AWS), ("context-1m-2025-08-07", None)):
        provider = ANTHROPIC if cloud else CHAT
        with pytest.raises(Unrepresentable) as caught:
            request(ASKED, betas, cloud, provider, strict=True)
        assert caught.value.rule == "SVC-6"
        request(ASKED, betas, cloud, provider, strict=True, accept=("SVC-6",))
    request(ASKED, "claude-code-20250219,oauth-2025-04-20", AWS, strict=True)


def test_requests_of_other_protocols_get_what_the_cloud_takes() -> None:
    """The betas that a conversion needs are judged alike; of a chat's client there are no others."""
    asked = {"model": "M", "messages": HELLO, "user": "u", "service_tier": "auto"}
    sent = Exchange(CHAT, ANTHROPIC, model=ON_AWS, cloud=AWS, key="k").request(asked)
    assert not {"metadata", "service_tier"} & json.loads(sent.body).keys()
    assert [(one.rule, one.path) for one in sent.diagnostics if one.path in ("/user", "/service_tier")] == [
        ("USR-2", "/user"),
        ("SMP-6", "/service_tier"),
    ]


def test_without_a_search_for_tools_none_is_deferred() -> None:
    body = {**ASKED, "tools": [SEARCH, GO]}
    sent = request(body, "", None, Profile(ANTHROPIC, hosted_tools=False))
    assert json.loads(sent.body)["tools"] == [{name: one for name, one in GO.items() if name != "defer_loading"}]
    assert [(one.rule, one.path) for one in sent.diagnostics] == [
        ("TUL-6", "/tools/0"),
        ("TUL-28", "/tools/1/defer_loading"),
    ]


def test_what_a_cloud_refuses_teaches_to_do_without() -> None:
    """A table may be behind: between a protocol and itself, too, as a cloud is another server."""
    refused = json.dumps({"message": "The model returned the following errors: invalid beta flag"}).encode()
    learned = Learned()
    exchange = Exchange(ANTHROPIC, ANTHROPIC, model=ON_AWS, cloud=AWS, key="k", learned=learned)
    first = exchange.request(CODING, {"anthropic-beta": OF_CLAUDE_CODE})
    assert len(listed(first)) == 2
    again = exchange.retry(400, {}, refused)
    assert again is not None
    assert listed(again) == []
    body = json.loads(again.body)
    assert "context_management" not in body
    assert "defer_loading" not in body["tools"][1]
    assert learned.models() == {("bedrock", ANTHROPIC, ON_AWS): {"betas": False}}


@pytest.mark.parametrize("odd", [5, "x", None, ["a", 5], {"a": 1}])
def test_odd_lists_are_no_betas(odd: Json) -> None:
    sent = request({**ASKED, "betas": odd}, "", AWS)
    assert listed(sent) == []


def test_what_is_nested_too_deeply_is_refused() -> None:
    content: Json = "hi"
    for _ in range(100_000):
        content = [content]
    with pytest.raises(TranslationError):
        request({**ASKED, "messages": [{"role": "user", "content": content}]}, "", AWS)
    with pytest.raises(InvalidPayload):
        request({**ASKED, "messages": 5}, "", AWS)


# --- the table --------------------------------------------------------------------------------------------------------


def test_the_table_is_dated_and_names_clouds_that_there_are() -> None:
    clouds = {row.name for row in CLOUDS if MESSAGES in row.paths}
    for row in (*BETAS, *WORDS, *NAMES):
        assert row.source
        assert row.looked.startswith("2026-")
        assert row.servers <= clouds | {"own"}
    assert http_of(MESSAGES).features is not None


def test_a_beta_is_a_hint_or_of_members_but_not_both() -> None:
    members = {one for _, betas in declared.MEMBERS.values() for one in betas.split()}
    assert not members & declared.HINTS
    assert not declared.PLAIN & {path.partition("/")[0] for path in declared.MEMBERS if "/" not in path}
