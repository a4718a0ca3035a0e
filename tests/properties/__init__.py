"""Laws that hold for every payload, tried on payloads that Hypothesis builds from the wire vocabularies.

`chat`, `anthropic` and `items` build payloads, `vandal` breaks them, `laws` says what must hold whatever they are;
`samples` are rich payloads by hand, which other tests of this folder's parent mutate place by place.
"""
