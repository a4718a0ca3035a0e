"""Streams of events from one protocol into another, sans I/O."""
