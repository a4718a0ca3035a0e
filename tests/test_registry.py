"""How protocols are found: built-ins by their place, those of other packages by entry points."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import proxai_ir

FRONTEND = """
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.ir.parts import Text
from proxai_ir.ir.request import Request
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.response import StopReason, Terminal
from proxai_ir.ir.request import Role, Turn
from proxai_ir.protocol.registry import Frontend


def request(payload):
    if not isinstance(payload["ask"], str):
        raise Refusal("SHP-1", (payload, "ask"), "expected a string")
    turn = Turn(Role.USER, [Text(payload["ask"], None, None, (payload, "ask"))], None, payload)
    return Request("toy", payload.get("brain"), [turn], src=payload)


def response(payload):
    turn = Turn(Role.ASSISTANT, [Text(payload["reply"])])
    return Response("toy", "id", "m", [Candidate([turn], Terminal(StopReason.END, "end"))], src=payload)


def error(payload, status=None):
    return Error("toy", ErrorCategory.UNKNOWN, payload["oops"], src=payload)


MARKS = {"request": ({"ask"},), "response": ({"reply"},), "error": ({"oops"},)}
FRONTEND = Frontend("toy", MARKS, request, response, error)
"""

# A target that holds one thing: the last user's text. Its table is drawn from the structure, as it refuses almost all.
BACKEND = """
import attrs
from proxai_ir import ir
from proxai_ir.ir.structure import BOOKKEEPING, CHILDREN, FEATURES, PLACES
from proxai_ir.targets.constraints import Constraints
from proxai_ir.protocol.registry import Backend
from proxai_ir.targets.settings import option
from proxai_ir.targets.verdicts import Target, inside, loses, of, ok, refuses

LOST = {ir.Sampling: "SMP-3"}
ROWS = []
for cls in FEATURES:
    names = {each.name for each in attrs.fields(cls)} - BOOKKEEPING - set(CHILDREN.get(cls, ()))
    sealed, names = names & {"seal"}, names - {"seal"}
    verdict = loses("SMP-3", *names) if cls is ir.Sampling else ok(*names)
    ROWS.append(of(cls, *((verdict,) if names else ()), *(loses("RSN-4", one) for one in sealed)))
for place, classes in PLACES.items():
    fine = [cls for cls in classes if cls is ir.Text]
    bad = [cls for cls in classes if cls is not ir.Text]
    ROWS.append(inside(place, *((ok(*fine),) if fine else ()), *((refuses("PLC-3", *bad),) if bad else ())))
CONSTRAINTS = Constraints("inline", "turns", False, False, False, False, True, True, True, False)


def build(node, server):
    texts = [part.text for turn in node.turns for part in turn.parts]
    return {"ask": server.glue.join(texts), "brain": node.model}


SETTINGS = {"glue": option(" ", "what texts are joined with", of="requests")}
BACKEND = Backend("toy", Target("toy", ROWS, settings=SETTINGS), CONSTRAINTS, build, build, build)
"""


def package(folder: Path, dist: str, module: str, *, frontend: str = FRONTEND, backend: str = BACKEND) -> None:
    """An installed distribution that registers the protocol `toy`."""
    source = folder / module
    source.mkdir(parents=True)
    (source / "__init__.py").write_text("")
    (source / "front.py").write_text(frontend)
    (source / "back.py").write_text(backend)
    info = folder / f"{dist}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[proxai_ir.frontends]\ntoy = {module}.front:FRONTEND\n[proxai_ir.backends]\ntoy = {module}.back:BACKEND\n"
    )


def run(folder: Path, code: str) -> Any:
    """The value of `answer` after the code, in a process that has the folder on its path."""
    program = (
        f"import sys, json\nsys.path.insert(0, {str(folder)!r})\nimport proxai_ir\n{code}\nprint(json.dumps(answer))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_protocols_are_the_folders_and_the_entry_points(project: dict[str, Any], root: Path) -> None:
    for side in ("frontends", "backends"):
        listed = project["project"]["entry-points"][f"proxai_ir.{side}"]
        folders = {file.parent.name for file in (root / side).glob("[!_]*/__init__.py")}
        assert set(listed) == folders
        for name, target in listed.items():
            assert target == f"proxai_ir.{side}.{name}:{side[:-1].upper()}"
        assert folders <= set(proxai_ir.protocols())
    assert list(proxai_ir.protocols()) == sorted(proxai_ir.protocols())


def test_built_ins_are_found_without_a_scan(tmp_path: Path) -> None:
    code = """
import importlib.metadata
def scan(*arguments, **options):
    raise AssertionError("scanned")
importlib.metadata.entry_points = scan
payload = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
answer = proxai_ir.convert(payload, "openai_chat_completions", "anthropic_messages")["messages"]
"""
    assert run(tmp_path, code) == [{"role": "user", "content": "Hi"}]


def test_an_unknown_name_is_not_looked_for_twice(tmp_path: Path) -> None:
    code = """
import importlib.metadata
scans, scan = [], importlib.metadata.entry_points
def counted(**options):
    scans.append(options)
    return scan(**options)
importlib.metadata.entry_points = counted
for number in range(50):
    try:
        proxai_ir.check({"ask": "x"}, f"no_protocol_{number % 25}", "anthropic_messages")
    except proxai_ir.UnknownProtocol as error:
        message = str(error)
answer = [len(scans), message]
"""
    scans, message = run(tmp_path, code)
    assert scans == 1
    assert "no_protocol_24" in message and "anthropic_messages" in message


def test_what_was_installed_meanwhile_is_found_by_a_new_scan(tmp_path: Path) -> None:
    package(tmp_path / "new", "toy_protocol", "toy_protocol")
    code = f"""
from proxai_ir.protocol.registry import rescan
try:
    before = proxai_ir.check({{"ask": "x"}}, "toy", "toy")
except proxai_ir.UnknownProtocol as error:
    before = [error]
sys.path.append({str(tmp_path / "new")!r})
rescan()
answer = [len(before), proxai_ir.convert({{"ask": "x"}}, "toy", "toy")]
"""
    assert run(tmp_path, code) == [1, {"ask": "x"}]


def test_a_protocol_of_another_package(tmp_path: Path) -> None:
    package(tmp_path, "toy_protocol", "toy_protocol")
    code = """
chat = {"model": "m", "messages": [{"role": "user", "content": "Hi"}, {"role": "user", "content": "you"}], "seed": 1}
there = proxai_ir.compile(chat, "openai_chat_completions", "toy", glue="+")
back = proxai_ir.convert({"ask": "Hi", "brain": "m"}, "toy", "anthropic_messages", max_tokens=5)
answer = [there.output, [str(one) for one in there.diagnostics], back, proxai_ir.protocols()]
"""
    output, diagnostics, back, names = run(tmp_path, code)
    assert output == {"ask": "Hi+you", "brain": "m"}
    assert [line.split()[:3] for line in diagnostics] == [["loss", "SMP-3", "/seed"]]
    assert back == {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}
    assert names == sorted({*proxai_ir.protocols(), "toy"})


def test_refusals_of_another_package_point_into_the_payload(tmp_path: Path) -> None:
    package(tmp_path, "toy_protocol", "toy_protocol")
    code = 'answer = [(one.code, one.path) for one in proxai_ir.check({"ask": 5}, "toy", "anthropic_messages")]'
    assert run(tmp_path, code) == [["SHP-1", "/ask"]]


def test_two_packages_of_one_name(tmp_path: Path) -> None:
    package(tmp_path, "toy_one", "toy_one")
    package(tmp_path, "toy_two", "toy_two")
    code = """
try:
    proxai_ir.check({"ask": "x"}, "toy", "anthropic_messages")
except proxai_ir.UnknownProtocol as error:
    answer = str(error)
"""
    assert run(tmp_path, code) == "protocol 'toy' is installed more than once"


def test_a_package_cannot_take_the_place_of_a_built_in(tmp_path: Path) -> None:
    package(tmp_path, "toy_protocol", "toy_protocol")
    points = tmp_path / "toy_protocol-1.0.dist-info" / "entry_points.txt"
    points.write_text(points.read_text().replace("toy =", "anthropic_messages ="))
    code = """
payload = {"model": "m", "max_tokens": 1, "messages": []}
answer = proxai_ir.lower(payload, "anthropic_messages").protocol
"""
    assert run(tmp_path, code) == "anthropic_messages"


@pytest.mark.parametrize(
    ("frontend", "kind"),
    [("import no_such_module", "ModuleNotFoundError"), ("1 / 0", "ZeroDivisionError"), ("", "AttributeError")],
)
def test_what_goes_wrong_in_an_import_is_named(tmp_path: Path, frontend: str, kind: str) -> None:
    package(tmp_path, "toy_protocol", "toy_protocol", frontend=frontend)
    code = """
try:
    answer = str(proxai_ir.convert({"ask": "x"}, "toy", "anthropic_messages"))
except proxai_ir.UnknownProtocol as error:
    answer = [type(error.__cause__).__name__, str(error)]
"""
    cause, message = run(tmp_path, code)
    assert cause == kind
    assert message.startswith(f"protocol 'toy' cannot be used: {kind}: ")
