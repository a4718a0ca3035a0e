"""What real servers refuse: one module a family of servers, each with `refusals(request, headers)`.

A refusal is a sentence that begins with the name of the check. A check has its evidence in a comment above it: the
official SDK's type or docstring ("SDK"), or the error text that servers answer with, as users reported it in public
issues ("error"). Models of servers state what is known to be refused; what they accept may still be refused by one
model or account.

`test_servers.py` converts requests of every protocol for each family, with its profile, and expects no refusal.
"""
