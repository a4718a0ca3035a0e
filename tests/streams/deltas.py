"""What is new in each chunk of a chat stream."""

from __future__ import annotations

from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Events, Json


def deltas(events: Events) -> list[Json]:
    """The deltas of a chat stream that are not empty, and its finish reasons."""
    found: list[Json] = []
    for event in events:
        for choice in event["choices"] if event != chat.DONE else ():
            if choice["delta"]:
                found.append(choice["delta"])
            if choice["finish_reason"]:
                found.append({"finish": choice["finish_reason"]})
    return found[1:]  # the first is the role
