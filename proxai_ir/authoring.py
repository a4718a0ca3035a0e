"""The public names for authors of a package for another protocol; `spec/adding_a_protocol.md` shows their use.

Besides the names below, the classes of `proxai_ir.ir`, `proxai_ir.testing`, and the functions of `objects` that declare
members are public (`from proxai_ir.wire.objects import required, string, …`, since some share their names with readers
of a member below). Everything else may change without notice.
"""

from .backends._lib.objects import ObjectWriter, UnionWriter, error_writer
from .backends._lib.writing import BrokenCalls, arguments, arguments_of, arguments_text, dumps, put, whole, with_extra
from .framing import AWS_EVENT_STREAM, JSON_ARRAY, NDJSON, SSE, Framing
from .frontends._lib.objects import ObjectReader, UnionReader, error_reader
from .frontends._lib.reading import (
    Object,
    PartSequence,
    an_object,
    constant,
    each,
    each_object,
    extra_fields,
    generate_call_ids,
    json_text,
    keep,
    known_word,
    missing,
    number,
    numbers,
    optional,
    pick,
    read_or_keep,
    required,
    response_call_id,
    seconds,
    strings,
    wrong,
)
from .frontends._lib.settings import (
    CACHING,
    OUTPUT,
    SAMPLING,
    SERVICE,
    STREAMING,
    THINKING,
    read_members,
    setting,
    within,
)
from .ir.node import Several
from .ir.stream import events
from .ir.stream.interfaces import StreamReader, StreamWriter
from .protocol.http import Compacting, Counting, Http, Kept, Listing, Model, References, Told
from .protocol.registry import Backend, Frontend
from .reporting.catalogue import Rule, TableError
from .reporting.diagnostics import Refusal
from .reporting.report import Report
from .reporting.vocabulary import NO_RULE, OTHERS
from .targets import base as rows
from .targets import checks, conditions, models
from .targets.base import BASE
from .targets.constraints import Constraints, SealSlot
from .targets.settings import Server, capability, option
from .targets.verdicts import (
    Check,
    Fields,
    Target,
    fills,
    in_requests,
    inside,
    lacking,
    loses,
    notes,
    of,
    ok,
    omits,
    refuses,
    weaker,
    where,
)
from .wire import objects, time_of
from .wire.objects import TaggedUnion, WireObject, vendor_fields, wire_paths

__all__ = [
    "AWS_EVENT_STREAM",
    "BASE",
    "CACHING",
    "JSON_ARRAY",
    "NDJSON",
    "NO_RULE",
    "OTHERS",
    "OUTPUT",
    "SAMPLING",
    "SERVICE",
    "SSE",
    "STREAMING",
    "THINKING",
    "Backend",
    "BrokenCalls",
    "Check",
    "Compacting",
    "Constraints",
    "Counting",
    "Fields",
    "Framing",
    "Frontend",
    "Http",
    "Kept",
    "Listing",
    "Model",
    "Object",
    "ObjectReader",
    "ObjectWriter",
    "PartSequence",
    "References",
    "Refusal",
    "Report",
    "Rule",
    "SealSlot",
    "Server",
    "Several",
    "StreamReader",
    "StreamWriter",
    "TableError",
    "TaggedUnion",
    "Target",
    "Told",
    "UnionReader",
    "UnionWriter",
    "WireObject",
    "an_object",
    "arguments",
    "arguments_of",
    "arguments_text",
    "capability",
    "checks",
    "conditions",
    "constant",
    "dumps",
    "each",
    "each_object",
    "error_reader",
    "error_writer",
    "events",
    "extra_fields",
    "fills",
    "generate_call_ids",
    "in_requests",
    "inside",
    "json_text",
    "keep",
    "known_word",
    "lacking",
    "loses",
    "missing",
    "models",
    "notes",
    "number",
    "numbers",
    "objects",
    "of",
    "ok",
    "omits",
    "option",
    "optional",
    "pick",
    "put",
    "read_members",
    "read_or_keep",
    "refuses",
    "required",
    "response_call_id",
    "rows",
    "seconds",
    "setting",
    "strings",
    "time_of",
    "vendor_fields",
    "weaker",
    "where",
    "whole",
    "wire_paths",
    "with_extra",
    "within",
    "wrong",
]
