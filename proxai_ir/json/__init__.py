"""JSON, and nothing of any protocol."""
