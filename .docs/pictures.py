"""Draws the pictures of the site and the README: SVG with a width of 380, readable on a telephone.

Rule: what a picture shows of a payload, a finding or a stream is converted while it is drawn. Running this
module writes those that the README shows into .assets; a test compares them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

ROOT = Path(__file__).parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

import proxai_ir  # noqa: E402

WIDTH = 380
SANS = "system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, monospace"
INK, FAINT, LINE = "#1e293b", "#475569", "#94a3b8"
BLUE, VIOLET, AMBER, GREEN, WHITE = "#dbeafe", "#ede9fe", "#fef3c7", "#dcfce7", "#ffffff"
CHAT, ANTHROPIC = "openai_chat_completions", "anthropic_messages"


def drawn(title: str, height: float, parts: Iterable[str]) -> str:
    label = f'role="img" aria-label={quoteattr(title)}'
    size = f'viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}"'
    font = f'font-family="{SANS}" font-size="13" fill="{INK}"'
    arrow = '<marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {label} {font}>',
            f'<defs>{arrow}<path d="M0 0 10 5 0 10z" fill="{FAINT}"/></marker></defs>',
            box(0.5, 0.5, WIDTH - 1, height - 1, "#f8fafc", radius=12),
            *parts,
            "</svg>\n",
        ]
    )


def box(x: float, y: float, width: float, height: float, fill: str = WHITE, radius: float = 7) -> str:
    place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"'
    return f'<rect {place} fill="{fill}" stroke="{LINE}"/>'


def text(x: float, y: float, words: str, **more: Any) -> str:
    given = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    return f'<text x="{x:g}" y="{y:g}"{given} xml:space="preserve">{escape(words)}</text>'


def code(x: float, y: float, words: str, **more: Any) -> str:
    return text(x, y, words, font_family=MONO, font_size="11.5", **more)


def arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    place = f'x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}"'
    return f'<line {place} stroke="{FAINT}" stroke-width="1.6" marker-end="url(#arrow)"/>'


def mark(x: float, y: float, number: int) -> str:
    circle = f'<circle cx="{x:g}" cy="{y:g}" r="8" fill="#b45309"/>'
    return circle + text(x, y + 4, str(number), fill=WHITE, font_size="11", font_weight="700", text_anchor="middle")


# --- the pipeline -----------------------------------------------------------------------------------------------------


def pipeline() -> str:
    """Return a payload's way: down the left, and what is found on the right."""
    steps = [
        ("payload of protocol P", "request, response, event, error", WHITE),
        ("frontend P", "reads and checks", BLUE),
        ("IR", "one tree for all protocols", WHITE),
        ("passes", "make it legal for Q, by Q's table", VIOLET),
        ("backend Q", "writes", BLUE),
        ("payload of protocol Q", "the same kind", WHITE),
    ]
    parts = []
    for at, (name, what, fill) in enumerate(steps):
        y = 14 + at * 62
        parts += [box(14, y, 214, 44, fill), text(121, y + 18, name, text_anchor="middle", font_weight="600")]
        parts.append(text(121, y + 35, what, text_anchor="middle", font_size="11.5", fill=FAINT))
        if at:
            parts.append(arrow(121, y - 18, 121, y - 2))
    verdicts = ["carried", "approximated", "dropped", "refused"]
    parts += [box(252, 164, 114, 132, AMBER), text(309, 184, "diagnostics", text_anchor="middle", font_weight="600")]
    parts.append(text(309, 200, "each value is", text_anchor="middle", font_size="11.5", fill=FAINT))
    parts += [text(309, 220 + at * 18, word, text_anchor="middle", font_size="12") for at, word in enumerate(verdicts)]
    parts.append(arrow(228, 222, 250, 222))
    parts.append(text(309, 314, "rule id +", text_anchor="middle", font_size="11.5", fill=FAINT))
    parts.append(text(309, 329, "JSON pointer", text_anchor="middle", font_size="11.5", fill=FAINT))
    return drawn(
        "A payload is read into the IR, made legal for the target, and written; what is lost is named", 382, parts
    )


# --- a loss -----------------------------------------------------------------------------------------------------------

ASKED = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 6000,
    "thinking": {"budget_tokens": 4096, "type": "enabled"},
    "top_k": 40,
    "messages": [{"role": "user", "content": "Hi"}],
}


def loss() -> str:
    """Return a request, what was found, and the same for the other provider; a number is one finding wherever it
    shows."""
    result = proxai_ir.compile(ASKED, ANTHROPIC, CHAT)
    found = [one for one in proxai_ir.findings(result.diagnostics) if one.severity == "loss"]
    numbers = {one.paths[0].split("/")[1]: at for at, one in enumerate(found, 1)}
    parts = [text(14, 24, ANTHROPIC, font_weight="600")]
    y = payload(parts, 34, ASKED, numbers)
    parts.append(arrow(WIDTH / 2, y + 4, WIDTH / 2, y + 22))
    y += 26
    parts.append(box(14, y, WIDTH - 28, 14 + 19 * len(found), AMBER))
    for at, one in enumerate(found, 1):
        parts.append(mark(30, y + 16 + (at - 1) * 19, at))
        parts.append(code(46, y + 20 + (at - 1) * 19, f"loss {one.rule:<6} {one.paths[0]}"))
    y += 14 + 19 * len(found)
    parts.append(arrow(WIDTH / 2, y + 4, WIDTH / 2, y + 22))
    parts.append(text(14, y + 42, CHAT, font_weight="600"))
    arrived = {"reasoning_effort": numbers["thinking"]}  # what the budget became
    assert set(arrived) <= set(result.output)
    y = payload(parts, y + 52, result.output, arrived)
    return drawn("A request in two protocols, with each loss marked in both", y + 14, parts)


def payload(parts: list[str], y: float, members: dict[str, Any], numbers: dict[str, int]) -> float:
    """Return a payload with a member a line; returns where it ends."""
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in members.items()]
    parts.append(box(14, y, WIDTH - 28, 12 + 18 * len(lines)))
    for at, (key, line) in enumerate(zip(members, lines, strict=True)):
        top = y + 6 + at * 18
        shown = line if len(line) <= 43 else f"{line[:42]}…"
        if key in numbers:
            parts.append(f'<rect x="15" y="{top:g}" width="{WIDTH - 30}" height="18" fill="{AMBER}"/>')
            parts.append(mark(WIDTH - 28, top + 9, numbers[key]))
        parts.append(code(24, top + 13, shown))
    return y + 12 + 18 * len(lines)


# --- a stream ---------------------------------------------------------------------------------------------------------


def stream() -> str:
    """Return the events of a provider, and those of the client that each of them becomes, from top to bottom."""
    converter = proxai_ir.StreamConverter(ANTHROPIC, CHAT)
    given = (ROOT / "spec" / "payloads" / f"{ANTHROPIC}_stream.sse").read_bytes()
    rows = [(event, list(converter.feed(event))) for event in proxai_ir.sse.decode([given])]
    rows.append(({"type": "end of the bytes"}, list(converter.close())))
    parts = [text(14, 24, "the provider's events", font_weight="600"), text(214, 24, "the client's", font_weight="600")]
    y = 34.0
    for event, outs in rows:
        height = 22 * max(1, len(outs))
        parts.append(box(14, y, 164, 20, BLUE if outs else WHITE, radius=4) + code(20, y + 14, event["type"]))
        for at, out in enumerate(outs):
            parts.append(arrow(178, y + 10, 208, y + 10 + at * 22))
            parts.append(box(210, y + at * 22, 156, 20, GREEN, radius=4) + code(216, y + at * 22 + 14, summary(out)))
        y += height + 4
    parts.append(f'<line x1="7" y1="36" x2="7" y2="{y - 6:g}" stroke="{FAINT}" marker-end="url(#arrow)"/>')
    return drawn("The events of a stream in time: each becomes the client's own events at once", y + 8, parts)


def summary(out: Any) -> str:
    """Return in a few words what a chunk of Chat Completions is about."""
    if not isinstance(out, dict):
        return str(out)
    if not out["choices"]:
        return "usage"
    (choice,) = out["choices"]
    if choice["finish_reason"]:
        return f"finish {choice['finish_reason']}"
    (name, value), *_ = sorted(choice["delta"].items(), key=lambda member: member[0] != "role")
    if name == "tool_calls":
        return f"call {value[0]['function']['name']}" if "id" in value[0] else "its arguments"
    return "role" if name == "role" else f"“{value.strip()}”"


# --- the way back -----------------------------------------------------------------------------------------------------


def way_back() -> str:
    """Return a request through a proxy and its response, from top to bottom."""
    lanes = [("client", 56), ("Exchange", 190), ("provider", 324)]
    parts = []
    for name, x in lanes:
        parts += [f'<line x1="{x}" y1="44" x2="{x}" y2="312" stroke="{LINE}" stroke-dasharray="3 4"/>']
        parts += [box(x - 42, 14, 84, 30, VIOLET if name == "Exchange" else BLUE)]
        parts += [text(x, 34, name, text_anchor="middle", font_weight="600")]
    for y, start, end, words in (
        (82, 56, 186, "request in P"),
        (122, 194, 320, "request in Q"),
        (236, 324, 194, "response in Q"),
        (292, 190, 60, "response in P"),
    ):
        parts += [arrow(start, y, end, y), text((start + end) / 2, y - 7, words, text_anchor="middle", font_size="12")]
    parts += [box(122, 140, 136, 66, AMBER), text(190, 159, "state", text_anchor="middle", font_weight="600")]
    for at, words in enumerate(("what was asked for,", "names, forms, tools")):
        parts.append(text(190, 177 + at * 16, words, text_anchor="middle", font_size="11.5", fill=FAINT))
    parts += [arrow(190, 206, 190, 230)]
    parts.append(
        text(190, 336, "whole, or event by event; errors and headers too", text_anchor="middle", font_size="12")
    )
    return drawn(
        "A request goes through an Exchange to the provider, and its response comes back by way of the state",
        352,
        parts,
    )


PICTURES: dict[str, Callable[[], str]] = {
    "pipeline": pipeline,
    "loss": loss,
    "stream": stream,
    "way_back": way_back,
}
IN_README = ("loss", "pipeline")


def files() -> Iterator[tuple[str, str]]:
    for name, draw in PICTURES.items():
        yield f"img/{name}.svg", draw()


if __name__ == "__main__":
    for shown in IN_README:
        (ROOT / ".assets" / f"{shown}.svg").write_text(PICTURES[shown](), encoding="utf-8")
