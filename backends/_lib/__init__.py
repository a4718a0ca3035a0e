"""Writers of JSON that all backends use."""
