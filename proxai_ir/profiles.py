"""Profiles of well-known servers."""
