"""Ollama's POST /api/chat: requests, responses, errors, and streams of newline-delimited JSON."""
