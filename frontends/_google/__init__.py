"""Readers that Google's protocols share."""
