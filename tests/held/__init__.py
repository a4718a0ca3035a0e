"""Figures that were reached on recorded traffic and on the official types, held: shared tools count, tests compare.

The tools and the recordings stand next to the repository, in `../shared`, and are read only. Where they or what they
need are missing, every test here is skipped and names what is missing. Sweeps with long traces are marked `slow`.
"""
