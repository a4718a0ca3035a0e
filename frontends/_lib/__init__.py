"""Readers of JSON that all frontends use."""
