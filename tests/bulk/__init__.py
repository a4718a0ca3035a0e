"""Bulk: rows, files, interruptions, and what is wrong with any of them. Skipped where the extra `bulk` is missing."""
