"""Symptoms of requests, sessions and agents that public issue threads report, each run here.

A row is plain data: the thread, what was seen there, the request that a client sends (written here, no copy), and what
the provider must get of it, as JSON pointers with values. Requests go the way that a proxy's do (`Exchange`);
`test_asked` runs them all. A new symptom is one more row in the module of its subject; one that does not hold yet is a
row of `still_open`. `python -m tests.pains.asked` prints how many hold, and what differs in those that do not.

row          what a row is
got          what a provider gets of a row, held against it
table        all rows
*            the rows: choices, schemas, names, calls, results, turns, media, thinking, settings, agents, and by
             provider converse, cohere, ollama, interactions, clouds
still_open   rows that do not hold
"""
