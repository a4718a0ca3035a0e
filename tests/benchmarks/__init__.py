"""The benchmarks: `python -m tests.benchmarks` prints the speed table of the design, measured against its targets.

Everything is a ratio of times taken in one process, in turns; no verdict rests on an absolute time, which would judge
the machine. Other converters are measured in the same rounds, where they are installed.
"""
