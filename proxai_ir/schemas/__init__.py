"""JSON Schema as vendors enforce it."""
