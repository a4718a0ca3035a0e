"""Requests, responses and error bodies: the laws (tests/laws) on samples and generated payloads; hostile payloads."""
