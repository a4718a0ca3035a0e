"""What the readers of Google's protocols share."""
