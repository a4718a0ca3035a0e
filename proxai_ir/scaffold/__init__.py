"""Write a package for another protocol from a schema of it, for `proxai-ir new-protocol`.

The package can be imported at once and converts what was guessed; its own tests name what is left to decide. Only the
command imports this one.
"""
