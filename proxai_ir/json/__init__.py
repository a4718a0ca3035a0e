"""JSON: its bytes, places in it, the JSON form of the IR, merges, and code that reads and writes it."""
