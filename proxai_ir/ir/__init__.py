"""The intermediate representation: what any LLM protocol can say, in no vendor's words.

Plain slots classes, built by position and never changed once built. Every node ends in two bookkeeping slots that are
no features: `src`, the object of the source that it was read from, and `own` (see node.py).
"""
