"""The table of models: names, rows, and the profiles that they amount to."""
