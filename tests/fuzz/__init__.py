"""A fuzzer of this library: payloads and streams by hand and from recordings, made unsound at random and converted.

    python -m tests.fuzz --payloads 2000000 --streams 200000 --seed 1
    python -m tests.fuzz --seed 1 --again "payload 4711"
    python -m tests.fuzz.builds --payloads 20000 --streams 2000 --seed 5    # the compiled library against the pure one

Each case has a random number generator of its own, seeded by the run's seed and the number of the case, so that a
finding can be shown and repeated alone. Two runs on the same samples and recordings do the same.
"""
