"""Wire vocabularies: one module a protocol, declared once and read by its frontend and its backend alike.

A module holds the protocol's words for what the IR names, its one-vendor members with the rule that names their loss,
and where each IR field stands on the wire. It knows the IR's enums and nothing else of ours.
"""
