"""Readers that Google's protocols share: signatures, base64, files, headers of MCP servers, usage."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping

from proxai_ir import ir
from proxai_ir.ir.envelope import TAG, read_seal
from proxai_ir.wire import google

from .._lib.reading import Object, kept, optional, reader

# --- base64 -----------------------------------------------------------------------------------------------------------

ENVELOPE = b64encode(TAG.encode()).decode()
"""The beginning of the envelope of another provider's signature, in base64 as signatures are here."""
URL_SAFE = str.maketrans("-_", "+/")


def signature(holder: Object, key: str) -> ir.Seal | None:
    sealed = optional(holder, key, str)
    if not sealed:
        return None
    if sealed.startswith(ENVELOPE):
        sealed = decoded(padded(sealed)) or sealed
    return read_seal(sealed, google.PROVIDER, google.SIGNATURE)


def padded(data: str) -> str:
    """Return base64 data in the standard alphabet with padding; Google accepts both alphabets, and data without
    padding.

    Padding is added where it can be what is missing: not to data that have some, nor to data with one character too
    many.
    """
    standard = data.translate(URL_SAFE) if "-" in data or "_" in data else data
    lacks = -len(standard) % 4
    return standard if lacks in (0, 3) or standard.endswith("=") else standard + "=" * lacks


def decoded(data: str) -> str | None:
    """Return the text that base64 data encode, or None if they are no text or would not be encoded the same way."""
    try:
        text = b64decode(data, validate=True).decode()
    except (binascii.Error, ValueError):
        return None
    return text if b64encode(text.encode()).decode() == data else None


# --- values -----------------------------------------------------------------------------------------------------------


def stored_or_fetched(uri: str, src: Object, mime: str | None) -> ir.FileRef | ir.Url:
    """Return a file that Google stores, or a URL that it fetches."""
    if uri.startswith(google.FILES) or not uri.startswith(("https://", "http://")):
        return ir.FileRef(uri, src, None, google.PROVIDER, mime=mime)
    return ir.Url(uri, src, mime=mime)


BEARER = "Bearer "


def token_in(headers: Object | None) -> tuple[str | None, Object | None]:
    """Return the bearer token among an MCP server's headers, and the other headers, None if there are no others."""
    given = None if headers is None else headers.get("Authorization")
    token = given.removeprefix(BEARER) if isinstance(given, str) and given.startswith(BEARER) else None
    if headers is None or not token:
        return None, headers
    return token, {name: value for name, value in headers.items() if name != "Authorization"} or None


# --- usage ------------------------------------------------------------------------------------------------------------


class UsageReader:
    """Reads token counts, of which the prompt's includes what was cached, and not what tools returned.

    counts  reads those that are members of the usage, in the order of `google.COUNTED`
    """

    def __init__(self, declared: google.Tokens, *more: str) -> None:
        """Take the declaration of the counts, and as `more` the names of members that are read elsewhere."""
        self._declared = declared
        self.counts = reader(**dict.fromkeys(declared.counts, int))
        self._names = {
            key: {word.lower(): entry for entry, word in entries.items()} for key, entries in declared.entries.items()
        }
        self.known = frozenset((*declared.counts, *declared.details, *more))

    def read(self, usage: Object, unread: tuple[str, ...] = ()) -> ir.Usage:
        """Return the usage; `unread` are known members that are kept as they are."""
        prompt, cached, tools, output, reasoning, total = self.counts(usage)
        made = ir.Usage(None if prompt is None and tools is None else (prompt or 0) + (tools or 0), cached, src=usage)
        made.output, made.reasoning, made.total = output, reasoning, total
        left = unread
        if made.input is not None and cached:
            if cached > (prompt or 0):
                left += (self._declared.counts[0],)
            made.input = max(made.input - cached, tools or 0)
        details: dict[str, int] = {} if tools is None else {google.TOOL_USE: tools}
        for key, names in self._names.items():
            if usage.get(key) is not None:
                counts = self._by_modality(usage, key, names)
                if counts is None:
                    left += (key,)
                else:
                    details |= counts
        made.details = details or None
        if total is not None and total != made.all_input + made.all_output:
            left += (self._declared.counts[-1],)
        made.extra = kept(usage, self.known.difference(left) if left else self.known)
        return made

    def _by_modality(self, usage: Object, key: str, names: Mapping[str, str]) -> dict[str, int] | None:
        """Return the counts by modality, or None if one is not plain, so that the list is kept as it is."""
        counts: dict[str, int] = {}
        for one in optional(usage, key, list) or []:
            if not isinstance(one, dict) or len(one) != 2:
                return None
            modality, count = one.get("modality"), one.get(self._declared.count)
            name = names.get(modality.lower()) if isinstance(modality, str) else None
            if name is None or type(count) is not int or name in counts:
                return None
            counts[name] = count
        return counts
