"""JSON values: places in them, merges and differences, clients' objects, messages about them, and generated code."""
