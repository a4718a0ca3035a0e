"""Whole payloads, written by hand, as the IR sees them and as the other protocol gets them, line by line."""
