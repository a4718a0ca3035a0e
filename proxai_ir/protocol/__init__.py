"""Declarations of protocols: frontend, backend, HTTP, signatures; the registry that finds them; detection."""
