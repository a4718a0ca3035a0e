"""Symptoms that show here, too: each with the reason, and with what must hold once it is mended."""

from __future__ import annotations

from .symptom import Symptom

OPEN: tuple[tuple[str, Symptom], ...] = ()
