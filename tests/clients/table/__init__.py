"""The table of clients and upstreams: official clients and frameworks on one gateway with thirteen upstreams.

    python -m tests.clients.table --client openai-chat --upstream bedrock --scenario loop

`scenarios` is what is asked and what is answered, as data; `upstreams` are the thirteen in the gateway's configuration,
and `provider` the server behind all of them, which is as strict as each one's own; `official` and `frameworks` are the
clients; `playing` plays one scenario and says what is wrong; `printed` makes the table of what was played.

Rule: what a provider answers is built by hand (`tests.sessions.answers`), and what it refuses is what the models of its
servers refuse (`tests.servers`, `tests.clouds.judge`), and its official types where they are strict.
"""
