"""The claims of the project, with the tests or the program that show each claim, and the record of their last run.

`claims.toml` lists the claims. `python -m tests.claims` runs what shows them, and writes `.docs/claims.json` and
with it the table of the page "How we know", so that nobody types a figure of that table.
"""
