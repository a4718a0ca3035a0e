"""A package for another protocol, made of a schema of it: what `proxai-ir new-protocol` writes.

Rule 1: what is made imports at once, converts what was guessed, and names by its own tests what is left to decide.
Rule 2: nothing of the library imports this package but the command.
"""
