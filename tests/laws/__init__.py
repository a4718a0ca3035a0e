"""The laws that every protocol keeps, as functions: each asserts something of a payload, whatever it holds.

They know no protocol by name and need no test framework: a law is given a case (a protocol, a kind, a payload) and the
targets to convert it to. `tests/properties` and `tests/streams` run them on the samples, on changed samples and on
generated payloads.

payloads    identity, total accounting, there and back, no crash, no sharing: requests, responses and errors
streams     the same of streams, and: every prefix is legal, folding and converting commute
mutations   payloads changed at one place, streams out of order
tables      what a target's table of verdicts declares is what its backend does
"""
