"""What OpenAI's protocols share."""
