"""What a protocol declares: frontend, backend, HTTP, signatures; how they are registered, found and detected."""
