"""What the readers of OpenAI's protocols share."""
