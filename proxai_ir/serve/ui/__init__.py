"""The page at /ui: what passed through the gateway, and what was lost."""
