"""What the targets and builders of OpenAI's protocols share."""
