"""The intermediate representation: what LLM protocols can express, named after no vendor (spec/ir.md).

Plain slots classes, mostly built by position. Nodes have two bookkeeping slots that are not features: `src`, the object
of the source that a node was read from, and `extra`, what only its own protocol can use (node.py).
"""
