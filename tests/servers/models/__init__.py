"""Models as judges: what each current model refuses, by the documents of its vendor. One module a vendor."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from tests.servers.models import judge
from tests.servers.models.judge import IGNORES, JUDGES, TAKES, Check, refusals

__all__ = ["IGNORES", "JUDGES", "TAKES", "VENDORS", "Check", "refusals"]

VENDORS = tuple(
    import_module(f"{__name__}.{module.name}")
    for module in iter_modules(__path__)
    if module.name not in ("carried", "judge", "measure", "sessions", "session_answers")
    and not module.name.startswith("test_")
)

for _vendor in VENDORS:
    for _name in ("JUDGES", "IGNORES", "TAKES"):
        _table, _rows = getattr(judge, _name), getattr(_vendor, _name)
        if _twice := _table.keys() & _rows.keys():
            raise ValueError(f"{_vendor.__name__}: {_name} has rows of another vendor: {sorted(_twice)}")
        _table.update(_rows)
