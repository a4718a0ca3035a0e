"""Symptoms that users of gateways, libraries and servers reported in public issue threads, each run through every pair.

A row is plain data: the thread, what was seen there, what the provider sends (written here, no copy), and what every
other protocol's client must get of it. The payloads are responses, streams, bytes of streams and HTTP errors;
`test_symptoms` runs them all. A new symptom is one more row in the module of its protocol; one that does not hold yet
is a row of `still_open`, which `python -m tests.pains.symptoms` runs, and moves to its module when it does.

symptom      what a row is
seen         what a client gets of a row, read without the library's help
*            the rows: chat_text, chat_calls, messages, responses_api, generate_content, converse, cohere, ollama,
             interactions, azure, http_errors, transport
still_open   rows that do not hold
"""
