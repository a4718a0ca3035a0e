"""All rows that hold."""

from __future__ import annotations

from . import (
    agents,
    calls,
    choices,
    clouds,
    cohere,
    converse,
    interactions,
    media,
    names,
    ollama,
    results,
    schemas,
    settings,
    thinking,
    turns,
)
from .row import Asked

MODULES = (
    *(choices, schemas, names, calls, results, turns, media, thinking, settings, agents),
    *(converse, cohere, ollama, interactions, clouds),
)
ROWS: tuple[Asked, ...] = tuple(row for module in MODULES for row in module.ROWS)
