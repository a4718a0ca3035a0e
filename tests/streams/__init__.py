"""Streams: the laws (tests/laws) on samples and generated streams, bytes, and the converter as a caller meets it."""
