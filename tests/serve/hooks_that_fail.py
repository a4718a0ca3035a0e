"""A module that cannot be imported, for the reason that it names."""

raise ValueError("a secret of the module")
