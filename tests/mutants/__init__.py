"""Mutation testing: how many small changes of the library the tests notice, and by name those that they do not."""
