"""Framings of streams on the wire: bytes to events and back, sans I/O."""
