"""Generated sessions: conversations of many turns whose vendor, model, cloud and protocol change, through Exchanges.

    python -m tests.sessions --seed 1 --count 100

`plans` makes a session from a number, as data; `answers` and `clients` are its two sides; `playing` plays it and says
what is wrong; `judging` is what may be wrong with a request.
"""
