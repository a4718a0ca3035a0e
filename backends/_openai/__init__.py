"""The tables and builders that OpenAI's protocols share."""
