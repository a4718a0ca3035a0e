"""Keeping up with the official packages: what is new in them and not accounted for by the library.

`python -m tests.keeping_up` reads the installed `openai`, `anthropic`, `google-genai` and `botocore`, compares
every field, variant, enum member, event, beta, API version and default header with the vocabulary, prints what is new,
and exits with 1 if there is any. It is a report about what others publish: tests compare the versions in
`.ci/stated.txt` alone.
Below it stand the rows about models that were looked up more than 90 days ago, and those that two sources contradict.
What is decided outside of the vocabulary stands in `accounted`, with the date and the reason.
"""
