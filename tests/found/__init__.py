"""Cases that an outside review found wrong, as they were found, where no other test shows them so.

case             what a case is, and the payloads that cases are made of
by_protocol      cases of recordings and of peers' tests
by_thread        cases of issue threads: clouds, new features, agents
test_found       each case, and what streams and Exchanges do

`tests/reviews` says for every finding which test holds it.
"""
