"""The passes between reading and writing, in the order that pipeline.py states."""
