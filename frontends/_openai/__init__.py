"""Readers that OpenAI's protocols share."""
