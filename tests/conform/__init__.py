"""The vectors of the specification: how they are made of it, and implementations that are held against them."""
