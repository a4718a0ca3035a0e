"""Findings from issue threads about clouds, new features and agents: one conversion each."""

from __future__ import annotations

from .case import (
    ABSENT,
    ANSWERED,
    CLAUDE,
    COMPACTED,
    CONTROL,
    FUNCTION,
    HI,
    LLAMA,
    NOTE,
    SONNET_4_5,
    THOUGHT,
    TOOL,
    A,
    B,
    C,
    Case,
    G,
    I,
    O,
    R,
    Refused,
    added,
    answer,
    chat,
    claude,
    system,
)

CLOUDS = (
    Case(
        of="threads_clouds rule",
        src=C,
        dst=A,
        model="claude-sonnet-4-5",
        sent=chat(reasoning_effort="high"),
        gets={"/thinking": {"type": "enabled", "budget_tokens": 16000}, "/output_config": ABSENT},
        losses=("RSN-21",),
    ),
    Case(
        of="threads_clouds F1b",
        src=C,
        dst=I,
        sent=chat(*ANSWERED, {"role": "tool", "tool_call_id": "c1", "content": "1"}),
        gets={"/input/1/type": "function_call"},
        rules=("RSN-40",),
    ),
    *(
        Case(
            of="threads_clouds F2",
            src=C,
            dst=B,
            model=model,
            sent=chat(**asked),
            gets=gets,
            losses=losses,
        )
        for model, asked, gets, losses in (
            (
                "us.anthropic.claude-fable-5-1",
                {"tools": [FUNCTION], "tool_choice": "required"},
                {"/toolConfig/toolChoice": {"auto": {}}},
                ("TUL-68",),
            ),
            (
                "us.anthropic.claude-opus-5-5",
                {"reasoning_effort": "none"},
                {"/outputConfig/effort": "low"},
                ("RSN-33",),
            ),
            (CLAUDE, {"reasoning_effort": "xhigh"}, {"/outputConfig/effort": "high"}, ("RSN-23",)),
            (
                CLAUDE,
                {"temperature": 0.2, "top_p": 0.9},
                {"/inferenceConfig": {"temperature": 0.2}},
                ("SMP-8",),
            ),
        )
    ),
    Case(
        of="threads_clouds F5",
        src=A,
        dst=B,
        model=LLAMA,
        sent=claude(HI, {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "Hi"}]}, HI),
        gets={"/messages/1/content": [{"text": "Hi"}]},
        losses=("RSN-5",),
    ),
    *(
        Case(
            of="threads_clouds F9",
            src=src,
            dst=B,
            model=model,
            sent=sent,
            gets={"/messages/#": 1, "/messages/0/content": [{"text": "Hi"}, {"text": "Hi"}]},
            losses=("RSN-17",),
        )
        for model in ("us.anthropic.claude-sonnet-5", "us.anthropic.claude-fable-5-1")
        for src, sent in (
            (A, claude(HI, {"role": "assistant", "content": [THOUGHT]}, HI)),
            (
                B,
                {
                    "messages": [
                        {"role": "user", "content": [{"text": "Hi"}]},
                        {
                            "role": "assistant",
                            "content": [{"reasoningContent": {"reasoningText": {"text": "Hm", "signature": "c2ln"}}}],
                        },
                        {"role": "user", "content": [{"text": "Hi"}]},
                    ]
                },
            ),
        )
    ),
    Case(
        of="threads_clouds F9",
        src=A,
        dst=B,
        model="us.anthropic.claude-sonnet-5",
        sent=claude(
            HI,
            {"role": "assistant", "content": [THOUGHT]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "1"}]},
            tools=[TOOL],
        ),
        gets={"/messages/1/content/#": 2},
    ),
    Case(
        of="threads_clouds F9",
        src=A,
        dst=B,
        model="us.anthropic.claude-sonnet-4-6",
        sent=claude(HI, {"role": "assistant", "content": [THOUGHT]}, HI),
        gets={"/messages/1/content/#": 1},
    ),
    Case(
        of="threads_clouds F17",
        src=O,
        dst=O,
        sent=chat(CONTROL, HI),
        gets={"/messages/0": CONTROL},
    ),
    Case(
        of="threads_clouds F19",
        src=C,
        dst=B,
        model=SONNET_4_5,
        sent=chat(
            *ANSWERED, {"role": "tool", "tool_call_id": "c1", "content": "1"}, tools=[FUNCTION], tool_choice="none"
        ),
        gets={
            "/toolConfig/toolChoice": ABSENT,
            "/additionalModelRequestFields": {"tool_choice": {"type": "none"}},
        },
    ),
)
AGENTS = (
    Case(
        of="threads_agents 12",
        src=A,
        dst=C,
        sent=claude(tools=[{**TOOL, "name": "DeferredToolPlaceholder", "description": "Never call this tool."}, TOOL]),
        gets={"/tools": [FUNCTION]},
        rules=("PLC-60",),
    ),
    *(
        Case(
            of="threads_agents 1",
            src=A,
            dst=R,
            sent=sent,
            gets={"/tools": ABSENT} if name is None else {"/tools/#": 1, "/tools/0/name": name},
            rules=("TUL-72",),
        )
        for sent, name in (
            (claude(HI, system(added("g"))), "g"),
            (claude({"role": "user", "content": [{"type": "text", "text": "Hi"}, added("g")]}), "g"),
            (claude(HI, system(added("g"), added("g"))), "g"),
            (
                claude(
                    HI, system({"type": "tool_removal", "tool": {"type": "tool_reference", "name": "f"}}), tools=[TOOL]
                ),
                None,
            ),
            (
                claude(
                    HI,
                    system(added("g")),
                    {"role": "assistant", "content": "x"},
                    HI,
                    system({"type": "tool_removal", "tool": {"type": "tool_reference", "name": "g"}}),
                ),
                None,
            ),
        )
    ),
    Case(
        of="threads_agents 1",
        src=A,
        dst=R,
        sent=claude(
            HI,
            system({"type": "tool_removal", "tool": {"type": "tool_reference", "name": "f"}}),
            tools=[TOOL],
            tool_choice={"type": "tool", "name": "f"},
        ),
        gets=Refused("TUL-11", "/tool_choice/name"),
    ),
    *(
        Case(of="threads_agents 10", src=R, dst=dst, sent={"model": "m", "input": [HI, COMPACTED, HI]}, gets=refused)
        for dst, refused in ((A, Refused("R2A-3", "/input/1")), (C, Refused("R2A-3", "/input/1")), (R, {}))
    ),
    Case(
        of="threads_agents 14",
        src=R,
        dst=A,
        sent={"model": "m", "input": [{**HI, **NOTE}]},
        gets={"/messages": [HI]},
        rules=("UNK-7",),
    ),
    *(
        Case(of="threads_agents 14", src=A, dst=R, sent=claude(**note), gets={}, rules=("UNK-7",))
        for note in (
            {"output_config": {"timing": {"type": "now"}}},
            {"context_hint": {"enabled": True, "target_tokens_saved": 5}},
            {"safeguards": {"x": 1}},
        )
    ),
    *(
        Case(of="threads_agents 16", src=R, dst=A, sent={"model": "m", **asked}, gets=gets)
        for asked, gets in (
            (
                {"input": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]},
                {"/messages/0/content": "Hi"},
            ),
            (
                {"input": "Hi", "tools": [FUNCTION], "tool_choice": "any", "max_tokens": 50},
                {"/tools": [TOOL], "/tool_choice": {"type": "any"}, "/max_tokens": 50},
            ),
        )
    ),
    Case(
        of="threads_agents 16",
        src=C,
        dst=A,
        sent=chat({"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}),
        gets={"/messages/0/content": "Hi"},
    ),
    Case(of="threads_agents 16", src=A, dst=C, sent=claude(tools=[FUNCTION]), gets={"/tools": [FUNCTION]}),
    *(
        Case(
            of="threads_agents 17",
            src=A,
            dst=dst,
            sent=claude(tools=[{"type": kind, "name": "x"}]),
            gets={"/tools": ABSENT},
            losses=("TUL-71",),
        )
        for kind in ("computer_toolset_20260801", "browser_toolset_20260801")
        for dst in (C, G)
    ),
    Case(
        of="threads_agents 17",
        src=G,
        dst=A,
        sent={"contents": [{"parts": [{"text": "Hi"}]}], "tools": [{"computerUse": {}}]},
        gets={"/tools": ABSENT},
        losses=("TUL-71",),
    ),
    Case(
        of="threads_agents 18",
        src=C,
        dst=A,
        sent=chat(prompt_mode="reasoning", safe_prompt=True, guardrails=[{"x": 1}]),
        gets={"/thinking": {"type": "adaptive"}},
        losses=("MOD-1",),
    ),
    Case(
        of="threads_agents 18",
        src=C,
        dst=A,
        sent=answer(
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}], "signature": "s"},
                    {"type": "text", "text": "Hi"},
                ]
            }
        ),
        gets={"/content/0/thinking": "Hm", "/content/1/text": "Hi"},
        losses=("RSN-4",),
        kind="response",
    ),
)
CASES = (*CLOUDS, *AGENTS)
