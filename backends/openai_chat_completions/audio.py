"""What a model spoke, as the member `audio` of a message: raw data in the format that the request asked for (AUD-4).

Rule: the wire has one recording a message; pieces of one, as they come in streams, are one string of base64.
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode

from proxai_ir import ir
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.writing import Object, put, with_extra


class Recording:
    """The data of a message's recording, piece by piece; `_left` are the bytes that the next characters begin with."""

    def __init__(self) -> None:
        self._left = b""

    def add(self, data: str) -> str:
        """What a piece adds to the base64 of the whole."""
        try:
            found = self._left + b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            return data
        whole = len(found) - len(found) % 3
        self._left = found[whole:]
        return b64encode(found[:whole]).decode()

    def rest(self) -> str:
        """The end of it."""
        left, self._left = self._left, b""
        return b64encode(left).decode()


def generated_id(response_id: str | None, candidate: int) -> str:
    """The id of a recording without one: that of the response, and the number of the candidate (ENV-2)."""
    return f"audio_{response_id or ''}_{candidate}"


def data_of(part: ir.Audio) -> str:
    return part.source.data if isinstance(part.source, ir.Inline) else ""


def spoken(recordings: list[ir.Audio]) -> Object:
    """A recording that the model made, or the id of one in a later request."""
    first = recordings[0]
    if isinstance(first.source, ir.FileRef):
        return with_extra({"id": first.source.id}, first)
    built = put({"id": first.id}, data=data_of(first), expires_at=first.expires_at, transcript=first.transcript)
    if len(recordings) > 1:
        joined = Recording()
        built["data"] = "".join(joined.add(data_of(one)) for one in recordings) + joined.rest()
    return with_extra(built, first)


def completed(audio: Object, response_id: str | None, candidate: int) -> Object:
    """With what clients require of it; no server keeps a recording that has no id."""
    if audio.get("id") is not None:
        return audio
    identity = generated_id(response_id, candidate)
    return {"data": "", "expires_at": wire.NO_TIME, "transcript": "", **audio, "id": identity}
